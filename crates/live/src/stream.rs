//! A replay by time stamps: a packet's words are not moved individually, and a node is visited only when a head or a
//! credit arrives and when it can decide something.
//!
//! The record says which words of a packet arrived late; the router's stamps take that into account
//! ([`flitwork_types::Gaps`]). Only the record decides when something arrives, so that nodes run in any order, each
//! as far as its arrivals are known.

mod stamp_runner;

use crate::chunk_reader::{ChunkReader, Reads};
use crate::ends::{Ends, NodeEnd};
use crate::fault::{Cause, NodeFault, contain};
use crate::run::{Break, Run, Stop};
use crate::runner::Probes;
use crate::{host, watch};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use flitwork_engine::Control;
use flitwork_network::Network;
use flitwork_node::{AnyProbe, Signal, Streamed};
use flitwork_topology::Topology;
use flitwork_trace::record::{Chunk, Corrupt, PacketDecoder};
use flitwork_traffic::Offer;
use flitwork_types::{Cycle, NodeId, Port};
use stamp_runner::{Halt, Mailbox, Parcel, StampRunner};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How many parcels go to another worker together, and how many such batches may be under way.
const BATCH_PARCELS: usize = 256;
const BATCHES: usize = 64;
/// Turns between two checks of what other workers have sent, or whether the replay was stopped.
const TURNS: u32 = 32;
/// Checks of what others have sent before a worker sleeps.
const CHECKS: u32 = 2000;
/// How long a worker that lacks something waits for another worker.
const WAIT: Duration = Duration::from_millis(1);

/// What goes from one worker to another: to which node and port, and what.
type Parcels = Vec<(NodeId, Port, Parcel)>;

impl<N> Reads for StampRunner<N> {
    fn node(&self) -> NodeId {
        self.node
    }

    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        self.incoming.push(chunk)
    }

    fn upto(&self) -> Cycle {
        self.incoming.upto()
    }

    fn end(&mut self) -> Option<&mut Option<Cycle>> {
        Some(&mut self.incoming.end)
    }
}

/// A worker and its nodes, which have consecutive numbers.
struct Worker<T, R: Streamed> {
    network: Arc<Network<T, R>>,
    index: usize,
    first: u32,
    runners: Vec<StampRunner<R::Node>>,
    /// What waits at each node's ports, `links` for each node.
    mailboxes: Vec<Mailbox>,
    /// Nodes that may run, and which those are.
    ready: VecDeque<usize>,
    is_ready: Vec<bool>,
    finished: usize,
    chunk_reader: ChunkReader,
    until: Option<(NodeId, Cycle)>,
    probe: AnyProbe,
    turn_of: usize,
    /// What a turn's node sends; its room is used again.
    sent: Vec<(Port, Parcel)>,
    /// Whether it has done anything since it last looked for work.
    moved: bool,
    /// For each other worker: the channel to it, and what has not been sent yet.
    others: Vec<Option<(Sender<Parcels>, Parcels)>>,
    inbox: Receiver<Parcels>,
}

/// Replays `firsts.len()` nodes on as many workers as there are chunk readers.
pub(crate) fn replay<T, R>(
    run: &Arc<Run>,
    network: Network<T, R>,
    firsts: Vec<Offer>,
    chunk_readers: Vec<ChunkReader>,
    until: Option<(NodeId, Cycle)>,
    probes: Probes<'_>,
    control: Control<'_>,
) -> io::Result<Ends>
where
    T: Topology + Send + Sync + 'static,
    R: Streamed + Send + Sync + 'static,
    R::Node: 'static,
{
    let workers = deal(run, network, firsts, chunk_readers, until, probes);
    let count = workers.len();
    let (hand, back) = bounded(count);
    for (begun, mut worker) in workers.into_iter().enumerate() {
        let (run, hand) = (run.clone(), hand.clone());
        let name = format!("flitwork-replay-{}", worker.index);
        let spawned = std::thread::Builder::new().name(name).spawn({
            let run = run.clone();
            move || {
                worker.work_contained(&run);
                let _ = hand.send(worker);
                run.worker_ended();
            }
        });
        if let Err(error) = spawned {
            run.stop_for(Stop::Fault);
            return Err(host::missing(begun, count, &error));
        }
    }
    drop(hand);
    if !watch::watch(run, count, control, || ()) {
        run.lose(NodeId(0), "a worker didn't stop within a second");
    }
    let mut workers: Vec<Worker<T, R>> = back.try_iter().collect();
    workers.sort_by_key(|worker| worker.index);
    let mut ends = Ends::default();
    for mut worker in workers {
        for runner in &mut worker.runners {
            runner.report_before(runner.now, &mut worker.probe);
            ends.nodes.push(NodeEnd {
                node: runner.node,
                cycle: runner.now,
                digest: runner.digest,
                lack: runner.lack(),
                waits: runner.waits(&worker.network.router),
                source: runner.source,
                entered: runner.entered,
                impossible: None,
            });
        }
        ends.record_end = ends.record_end.or(worker.chunk_reader.end);
        ends.probes.push(worker.probe);
    }
    Ok(ends)
}

fn deal<T: Topology, R: Streamed>(
    run: &Run,
    network: Network<T, R>,
    firsts: Vec<Offer>,
    chunk_readers: Vec<ChunkReader>,
    until: Option<(NodeId, Cycle)>,
    probes: Probes<'_>,
) -> Vec<Worker<T, R>> {
    let network = Arc::new(network);
    let (nodes, count) = (run.nodes(), chunk_readers.len());
    let (ways, inboxes): (Vec<Sender<Parcels>>, Vec<Receiver<Parcels>>) =
        (0..count).map(|_| bounded(BATCHES)).unzip();
    let mut workers = Vec::with_capacity(count);
    for (index, (chunk_reader, inbox)) in chunk_readers.into_iter().zip(inboxes).enumerate() {
        let ways = ways.iter().enumerate();
        let others = ways.map(|(other, way)| (other != index).then(|| (way.clone(), Vec::new())));
        workers.push(Worker {
            network: network.clone(),
            index,
            first: 0,
            runners: Vec::new(),
            mailboxes: Vec::new(),
            ready: VecDeque::new(),
            is_ready: Vec::new(),
            finished: 0,
            chunk_reader,
            until,
            probe: probes(),
            turn_of: 0,
            sent: Vec::new(),
            moved: false,
            others: others.collect(),
            inbox,
        });
    }
    let states = network.router.nodes();
    for ((node, state), first) in (0..nodes).map(NodeId).zip(states).zip(firsts) {
        let mut incoming = PacketDecoder::new(node, run.predicted_words(), run.links);
        incoming.end = until
            .filter(|(asked, _)| *asked == node)
            .map(|(_, end)| end);
        let worker = &mut workers[run.owner(node)];
        if worker.runners.is_empty() {
            worker.first = node.0;
        }
        let place = worker.runners.len();
        worker
            .runners
            .push(StampRunner::new(node, state, run.links, incoming, first));
        let links = (0..run.links).map(|_| Mailbox::default());
        worker.mailboxes.extend(links);
        worker.ready.push_back(place);
        worker.is_ready.push(true);
    }
    workers
}

impl<T: Topology, R: Streamed> Worker<T, R> {
    fn work_contained(&mut self, run: &Run) {
        match contain(|| self.work(run)) {
            Ok(Ok(())) => {}
            Ok(Err(reason)) => run.break_off(*reason),
            Err(message) => {
                let runner = &self.runners[self.turn_of];
                run.fail(NodeFault {
                    node: runner.node,
                    cycle: runner.now,
                    cause: Cause::Panic(message),
                });
            }
        }
        // What is still sent to it is discarded, so that no worker waits for room in an inbox that is no longer emptied.
        self.inbox = crossbeam_channel::never();
        self.count_moves(run);
        run.quiet.ended(self.index);
    }

    fn work(&mut self, run: &Run) -> Result<(), Box<Break>> {
        let mut signals = Vec::new();
        let mut turns = 0u32;
        while self.finished < self.runners.len() {
            turns += 1;
            if turns.is_multiple_of(TURNS) {
                if run.is_stopped() {
                    break;
                }
                self.send_batches();
                self.take_batches(Duration::ZERO, run);
            }
            let Some(place) = self.ready.pop_front() else {
                if !self.find_work(run)? {
                    break;
                }
                continue;
            };
            self.is_ready[place] = false;
            self.turn(run, place, &mut signals)?;
        }
        // What others lack must be sent before the worker ends.
        while !run.is_stopped() && !self.send_batches() {
            self.take_batches(Duration::from_millis(1), run);
        }
        Ok(())
    }

    fn turn(
        &mut self,
        run: &Run,
        place: usize,
        signals: &mut Vec<(NodeId, Signal)>,
    ) -> Result<(), Box<Break>> {
        self.turn_of = place;
        self.moved = true;
        let links = run.links;
        let node = self.runners[place].node;
        // Kept until the turn's end: what a node sends may come back to it around a ring.
        let mut sent = std::mem::take(&mut self.sent);
        let mailboxes = &mut self.mailboxes[place * links..(place + 1) * links];
        let runner = &mut self.runners[place];
        let turn = runner.turn(
            run,
            &self.network,
            mailboxes,
            signals,
            &mut self.probe,
            |port, parcel| {
                sent.push((port, parcel));
            },
        );
        run.publish(node, runner.now);
        if turn? == Halt::Finished {
            self.finished += 1;
            self.runners[place].finished = true;
            run.publish(node, Cycle::NEVER);
            if self.until == Some((node, self.runners[place].now)) {
                run.stop_for(Stop::Interrupted);
            }
        }
        for (port, parcel) in sent.drain(..) {
            if let Some(far) = run.far(node, port) {
                self.deliver(run, far.node, far.port, parcel);
            }
        }
        self.sent = sent;
        Ok(())
    }

    /// Puts a parcel into a node's mailbox, or on its way to the worker that has it.
    fn deliver(&mut self, run: &Run, node: NodeId, port: Port, parcel: Parcel) {
        let to = run.owner(node);
        if to != self.index {
            if let Some((way, batch)) = &mut self.others[to] {
                batch.push((node, port, parcel));
                if batch.len() >= BATCH_PARCELS {
                    try_send(way, batch);
                }
            }
            return;
        }
        let place = (node.0 - self.first) as usize;
        let lacks = self.runners[place].lacks(port, &parcel);
        let mailbox = &mut self.mailboxes[place * run.links + port.index()];
        match parcel {
            Parcel::Packet(sent) => mailbox.packets.push_back(sent),
            Parcel::Credit => mailbox.credits += 1,
        }
        if lacks && !self.is_ready[place] {
            self.is_ready[place] = true;
            self.ready.push_back(place);
        }
    }

    /// No node can run: sends what others wait for, takes what they have sent, reads further in the record.
    /// Returns whether there is anything left to wait for.
    fn find_work(&mut self, run: &Run) -> Result<bool, Box<Break>> {
        let all_sent = self.send_batches();
        self.count_moves(run);
        let before = run.quiet.begin_check(self.index);
        if self.take_batches(Duration::ZERO, run) {
            return Ok(true);
        }
        if self.chunk_reader.end.is_none() {
            let read = self.chunk_reader.read(&mut self.runners);
            self.moved = true;
            read.map_err(|error| Box::new(Break::Record(error)))?;
            for place in 0..self.runners.len() {
                let runner = &self.runners[place];
                if !runner.lacks_any() && !runner.finished && !self.is_ready[place] {
                    self.is_ready[place] = true;
                    self.ready.push_back(place);
                }
            }
            return Ok(true);
        }
        if self.others.len() == 1 {
            run.stop_for(Stop::Stuck);
            return Ok(false);
        }
        for _ in 0..CHECKS {
            if self.take_batches(Duration::ZERO, run) {
                return Ok(true);
            }
            std::hint::spin_loop();
        }
        if all_sent {
            run.quiet.waits(self.index, before);
        }
        if self.take_batches(WAIT, run) {
            run.quiet.continues(self.index);
        }
        Ok(!run.is_stopped())
    }

    /// Sends what waits for other workers; returns whether all of it has been sent.
    fn send_batches(&mut self) -> bool {
        let mut all = true;
        for (way, batch) in self.others.iter_mut().flatten() {
            let waited = !batch.is_empty();
            let gone = !waited || try_send(way, batch);
            self.moved |= waited && gone;
            all &= gone;
        }
        all
    }

    /// Counts what it has done since it last looked for work.
    fn count_moves(&mut self, run: &Run) {
        if std::mem::take(&mut self.moved) {
            run.quiet.has_continued(self.index);
        }
    }

    /// Takes what other workers have sent, waiting at most this long; returns whether there was anything.
    fn take_batches(&mut self, most: Duration, run: &Run) -> bool {
        let mut any = false;
        // Without waiting, the channel does not ask the clock.
        let waited = (!most.is_zero()).then(|| self.inbox.recv_timeout(most));
        let mut first = waited.and_then(Result::ok);
        while let Some(batch) = first.take().or_else(|| self.inbox.try_recv().ok()) {
            any = true;
            for (node, port, parcel) in batch {
                self.deliver(run, node, port, parcel);
            }
        }
        any
    }
}

/// Sends a batch if there is room for it.
fn try_send(way: &Sender<Parcels>, batch: &mut Parcels) -> bool {
    match way.try_send(std::mem::take(batch)) {
        Err(TrySendError::Full(kept)) => {
            *batch = kept;
            false
        }
        // A worker that has ended needs nothing more.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Parcel, Parcels, try_send};
    use crossbeam_channel::bounded;
    use flitwork_types::{NodeId, Port};

    fn batch(node: u32) -> Parcels {
        vec![(NodeId(node), Port(1), Parcel::Credit)]
    }

    /// A batch without room stays where it is, to be sent later.
    #[test]
    fn a_batch_without_room_is_kept() {
        let (way, other_end) = bounded(1);
        let (mut first, mut second) = (batch(3), batch(4));
        assert!(try_send(&way, &mut first) && first.is_empty());
        assert!(!try_send(&way, &mut second));
        assert_eq!((second.len(), second[0].0), (1, NodeId(4)));
        assert_eq!(other_end.recv().unwrap()[0].0, NodeId(3));
        assert!(try_send(&way, &mut second) && second.is_empty());
        assert_eq!(other_end.recv().unwrap()[0].0, NodeId(4));
        // A worker that has ended needs nothing more.
        drop(other_end);
        assert!(try_send(&way, &mut batch(5)));
    }
}
