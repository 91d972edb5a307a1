//! Worker threads that each own a part of the nodes. A link between nodes of one worker is a bounded queue,
//! one between nodes of two workers a bounded crossbeam channel.

#[cfg(test)]
pub(crate) mod tests;

use crate::board::{AnyLinks, Board, Inbound, NodeLinks, Outbound};
use crate::chunk_reader::ChunkReader;
use crate::fault::contain;
use crate::run::{Break, Run, Stop};
use crate::runner::{Awaited, Probes, Runner, TurnContext, TurnEnd};
use crate::tally::Tally;
use crossbeam_channel::bounded;
use flitwork_network::Wires;
use flitwork_node::AnyProbe;
use flitwork_types::{Cycle, NodeId, Port};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

/// Rounds without work before a worker yields its core, and before it sleeps.
const ROUNDS_BEFORE_YIELD: u32 = 64;
const ROUNDS_BEFORE_SLEEP: u32 = 256;
/// How long a worker sleeps if it is not woken.
const NAP: Duration = Duration::from_micros(500);

/// The workers that can be woken.
pub(crate) struct Sleepers {
    asleep: Vec<AtomicBool>,
    threads: Vec<std::sync::OnceLock<Thread>>,
}

impl Sleepers {
    pub(crate) fn new(workers: usize) -> Sleepers {
        Sleepers {
            asleep: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            threads: (0..workers).map(|_| std::sync::OnceLock::new()).collect(),
        }
    }

    fn wake(&self, worker: usize) {
        if self.asleep[worker].load(Ordering::SeqCst)
            && let Some(thread) = self.threads[worker].get()
        {
            thread.unpark();
        }
    }

    pub(crate) fn wake_all(&self) {
        (0..self.asleep.len()).for_each(|worker| self.wake(worker));
    }
}

/// A worker, and what it returns in the end.
pub(crate) struct Worker {
    pub(crate) index: usize,
    /// Its nodes, by ascending number.
    pub(crate) runners: Vec<Box<dyn Runner>>,
    pub(crate) probe: AnyProbe,
    board: Board,
    tally: Tally,
    /// The place of the node that has its turn.
    turn_of: usize,
    /// The workers that its nodes have links to.
    neighbours: Vec<usize>,
    /// In a replay: where the record comes from, and the node whose cycle ends the replay for all.
    pub(crate) chunk_reader: Option<ChunkReader>,
    pub(crate) until: Option<(NodeId, Cycle)>,
}

/// Distributes nodes over workers, and connects these with channels.
pub(crate) fn deal(
    run: &Run,
    runners: Vec<Box<dyn Runner>>,
    probes: Probes<'_>,
    workers: usize,
    capacity: usize,
) -> Vec<Worker> {
    let (nodes, links) = (run.nodes(), run.links);
    let mut dealt: Vec<Worker> = (0..workers)
        .map(|index| Worker {
            index,
            runners: Vec::new(),
            probe: probes(),
            board: Board {
                links,
                capacity,
                ..Board::default()
            },
            tally: Tally::default(),
            turn_of: 0,
            neighbours: Vec::new(),
            chunk_reader: None,
            until: None,
        })
        .collect();
    let mut places = Vec::with_capacity(nodes as usize);
    for runner in runners {
        let worker = &mut dealt[run.owner(runner.node())];
        places.push(worker.runners.len());
        worker.runners.push(runner);
        let board = &mut worker.board;
        board.inbound.extend((0..links).map(|_| Inbound::None));
        board.outbound.extend((0..links).map(|_| Outbound::None));
        board.inside.push(0);
        board.across.push(0);
        board.finished.push(false);
        board.awaited_port.push(0);
    }
    for node in (0..nodes).map(NodeId) {
        for port in (0..links).map(|port| Port(port as u8)) {
            if let Some(far) = run.far(node, port) {
                let ends = (run.owner(node), run.owner(far.0));
                join(&mut dealt, ends, (node, port), far, &places);
            }
        }
    }
    dealt
}

/// The link from a node through a port, one way, between their workers.
fn join(
    dealt: &mut [Worker],
    (from, to): (usize, usize),
    (node, port): (NodeId, Port),
    (far, far_port): (NodeId, Port),
    places: &[usize],
) {
    let (place, far_place) = (places[node.index()], places[far.index()]);
    let links = dealt[from].board.links;
    let (outbound, inbound) = if from == to {
        let inside = Outbound::Inside {
            place: far_place,
            port: far_port,
        };
        (inside, Inbound::Inside(VecDeque::new()))
    } else {
        let (sender, receiver) = bounded(dealt[from].board.capacity);
        dealt[to].board.across[far_place] |= 1 << far_port.0;
        if !dealt[from].neighbours.contains(&to) {
            dealt[from].neighbours.push(to);
        }
        (Outbound::Across(sender), Inbound::Across(receiver))
    };
    dealt[from].board.outbound[place * links + port.index()] = outbound;
    dealt[to].board.inbound[far_place * links + far_port.index()] = inbound;
}

impl Worker {
    /// Runs the worker's nodes until they have finished or the run stops.
    pub(crate) fn work(
        &mut self,
        run: &Run,
        sleepers: &Sleepers,
        burst: u32,
    ) -> Result<Done, Box<Break>> {
        let _ = sleepers.threads[self.index].set(std::thread::current());
        let mut wires = run.wires();
        let mut idle_rounds = 0;
        while !run.is_stopped() {
            let before = self
                .chunk_reader
                .as_ref()
                .map(|_| run.quiet.begin_check(self.index));
            let round = self.round(run, &mut wires, burst)?;
            // A message that was taken makes room for another, even if its node has to wait for more.
            let touched = std::mem::take(&mut self.board.touched);
            let has_continued = touched || !matches!(round, Round::Waited);
            if has_continued && before.is_some() {
                run.quiet.has_continued(self.index);
            }
            run.moved[self.index].store(self.tally.words, Ordering::Relaxed);
            run.taken[self.index].store(self.tally.taken, Ordering::Relaxed);
            match round {
                Round::Ran => {
                    idle_rounds = 0;
                    self.neighbours
                        .iter()
                        .for_each(|worker| sleepers.wake(*worker));
                }
                Round::Waited if self.read_on(run)? => {
                    idle_rounds = 0;
                    run.quiet.has_continued(self.index);
                }
                Round::Waited => {
                    idle_rounds += 1;
                    if let Some(before) = before.filter(|_| !has_continued) {
                        run.quiet.waits(self.index, before);
                    }
                    self.rest(sleepers, idle_rounds);
                }
                Round::Finished => break,
                Round::Dies => return Ok(Done::Died),
            }
        }
        if self.chunk_reader.is_some() {
            run.quiet.ended(self.index);
        }
        Ok(Done::Ended)
    }

    /// A turn for each node.
    fn round(&mut self, run: &Run, wires: &mut Wires, burst: u32) -> Result<Round, Box<Break>> {
        let (mut ran, mut finished) = (false, 0);
        for place in 0..self.runners.len() {
            // A round of many nodes and long bursts takes its time.
            if run.is_stopped() {
                break;
            }
            let board = &self.board;
            finished += usize::from(board.finished[place]);
            let awaited_port = board.awaited_port[place];
            if board.finished[place]
                || awaited_port & !board.inside[place] & !board.across[place] != 0
            {
                continue;
            }
            let runner = &mut self.runners[place];
            self.turn_of = place;
            let node = runner.node();
            run.at[self.index].store(node.0, Ordering::Relaxed);
            let links = NodeLinks {
                board: &mut self.board,
                run,
                place,
                node,
            };
            let mut context = TurnContext {
                links: AnyLinks::NodeLinks(links),
                wires,
                probe: &mut self.probe,
                tally: &mut self.tally,
            };
            let turn = runner.turn(run, &mut context, burst)?;
            ran |= turn.end != TurnEnd::Idles && turn.has_advanced;
            self.board.awaited_port[place] = match turn.end {
                TurnEnd::Waits(Awaited::Message(port)) => 1 << port.0,
                _ => 0,
            };
            match turn.end {
                TurnEnd::Finished => {
                    self.board.finished[place] = true;
                    ran = true;
                    if self.until == Some((node, runner.now())) {
                        run.stop_for(Stop::Interrupted);
                    }
                }
                TurnEnd::Dies => return Ok(Round::Dies),
                TurnEnd::Ran | TurnEnd::Idles | TurnEnd::Waits(_) => {}
            }
        }
        Ok(match () {
            () if finished == self.runners.len() => Round::Finished,
            () if ran => Round::Ran,
            () => Round::Waited,
        })
    }

    /// In a replay in which no node could run: reads more of the record, or does without what isn't sent.
    /// Returns whether that may help.
    fn read_on(&mut self, run: &Run) -> Result<bool, Box<Break>> {
        let Some(chunk_reader) = &mut self.chunk_reader else {
            return Ok(false);
        };
        if chunk_reader.end.is_none() {
            let read = chunk_reader.read(&mut self.runners);
            read.map_err(|error| Box::new(Break::Record(error)))?;
            self.board.awaited_port.fill(0);
            return Ok(true);
        }
        let lacking = self
            .runners
            .iter_mut()
            .filter(|runner| runner.lack().is_some());
        let first = lacking.min_by_key(|runner| (runner.now(), runner.node()));
        match first {
            Some(first) if !first.is_strict() => {
                first.do_without();
                self.board.awaited_port.fill(0);
                return Ok(true);
            }
            _ if run.at.len() == 1 => run.stop_for(Stop::Stuck),
            _ => {}
        }
        Ok(false)
    }

    /// Nothing could run: leaves the core to others, for longer and longer.
    fn rest(&self, sleepers: &Sleepers, idle_rounds: u32) {
        if idle_rounds < ROUNDS_BEFORE_YIELD {
            std::hint::spin_loop();
        } else if idle_rounds < ROUNDS_BEFORE_SLEEP {
            std::thread::yield_now();
        } else {
            sleepers.asleep[self.index].store(true, Ordering::SeqCst);
            std::thread::park_timeout(NAP);
            sleepers.asleep[self.index].store(false, Ordering::SeqCst);
        }
    }

    /// The same, reporting every fault to the run.
    pub(crate) fn work_contained(&mut self, run: &Run, sleepers: &Sleepers, burst: u32) -> Done {
        match contain(|| self.work(run, sleepers, burst)) {
            Ok(Ok(done)) => return done,
            Ok(Err(reason)) => run.break_off(*reason),
            Err(message) => self.runners[self.turn_of].panicked(run, message),
        }
        Done::Ended
    }
}

/// How a round of turns ended.
enum Round {
    Ran,
    Waited,
    Finished,
    Dies,
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Ended,
    /// Without returning what it has, as rehearsed.
    Died,
}
