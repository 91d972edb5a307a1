//! A tokio task for each node, with tokio's bounded channels between them.
//!
//! A task runs its node as far as it can without waiting, then waits for exactly what it lacks: a neighbour's progress
//! or room in a channel. A set of waiting ports for each node saves it from polling quiet channels.

#[cfg(test)]
mod tests;

use crate::board::AnyLinks;
use crate::fault::contain;
use crate::links::{Links, Pushed};
use crate::run::{Break, Run, lock};
use crate::runner::{Awaited, Runner, Turn, TurnContext, TurnEnd};
use crate::tally::Tally;
use flitwork_network::{Message, Wires};
use flitwork_node::{AnyProbe, Event, Probe, Reported};
use flitwork_types::{Cycle, Due, NodeId, PacketId, Port, PortSet, Word};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// How long a task waits for room in the channel to the record before it looks again.
const WRITER_WAIT: Duration = Duration::from_millis(1);

/// How long a task that has nothing more to do on its own waits for a message before a cycle passes.
const CYCLE_WAIT: Duration = Duration::from_millis(1);
const WAITS_FOR_MAIL: u32 = u32::MAX;

/// What a node's neighbours know about it.
#[derive(Default)]
pub(crate) struct Door {
    /// Ports at which messages have arrived.
    mail: AtomicU64,
    /// While its task waits for its neighbours: one more than the cycle that it wants to begin; while it
    /// waits for a message, [`WAITS_FOR_MAIL`]; else 0.
    waits: AtomicU32,
    bell: Notify,
}

impl Door {
    /// Wakes the node's task, to see that the run has stopped.
    pub(crate) fn ring(&self) {
        self.bell.notify_one();
    }
}

/// One node's links.
struct Ends {
    node: NodeId,
    run: Arc<Run>,
    doors: Arc<[Door]>,
    inbound: Vec<Option<Receiver<Message>>>,
    outbound: Vec<Option<Sender<Message>>>,
    /// Ports at which messages may wait.
    mail: u64,
}

impl Links for Ends {
    #[inline]
    fn waiting(&mut self) -> PortSet {
        let mail = &self.doors[self.node.index()].mail;
        if mail.load(Ordering::Relaxed) != 0 {
            self.mail |= mail.swap(0, Ordering::SeqCst);
        }
        PortSet(self.mail)
    }

    #[inline]
    fn pop(&mut self, port: Port) -> Option<Message> {
        let receiver = self.inbound[port.index()].as_mut()?;
        let message = receiver.try_recv().ok();
        if message.is_none() {
            self.mail &= !(1 << port.0);
        }
        message
    }

    #[inline]
    fn push(&mut self, port: Port, message: Message) -> Pushed {
        let far = self.run.far(self.node, port);
        let (far, far_port) = far.expect("words leave over links");
        let sender = self.outbound[port.index()].as_ref();
        match sender.expect("every link has a channel").try_send(message) {
            Ok(()) => {
                let door = &self.doors[far.index()];
                door.mail.fetch_or(1 << far_port.0, Ordering::SeqCst);
                if door.waits.load(Ordering::SeqCst) == WAITS_FOR_MAIL {
                    door.bell.notify_one();
                }
                Pushed::Gone
            }
            Err(_) if self.run.has_finished(far) => Pushed::Gone,
            Err(TrySendError::Full(_)) => Pushed::Full,
            Err(TrySendError::Closed(_)) => Pushed::Closed,
        }
    }

    fn close(&mut self) {
        self.inbound.iter_mut().for_each(|end| *end = None);
    }
}

/// What a task reports to a probe that it shares with others.
enum Report {
    Event(Cycle, Event),
    Word(Cycle, Port, PacketId, Word),
    Buffered(Cycle, u32),
}

/// Keeps what a node does in a turn, to report it all at once.
#[derive(Default)]
struct Kept(Vec<Report>);

impl Probe for Kept {
    fn wants(&self, what: Reported) -> bool {
        matches!(
            what,
            Reported::Events | Reported::Words | Reported::Buffered
        )
    }

    #[inline]
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        self.0.push(Report::Event(cycle, event));
    }

    #[inline]
    fn word(&mut self, _: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.0.push(Report::Word(cycle, port, packet, word));
    }

    #[inline]
    fn buffered(&mut self, _: NodeId, cycle: Cycle, words: u32) {
        self.0.push(Report::Buffered(cycle, words));
    }
}

impl Kept {
    fn report(&mut self, node: NodeId, probe: &mut AnyProbe) {
        for reported in self.0.drain(..) {
            match reported {
                Report::Event(cycle, event) => probe.event(node, cycle, event),
                Report::Word(cycle, port, packet, word) => {
                    probe.word(node, cycle, port, packet, word);
                }
                Report::Buffered(cycle, words) => probe.buffered(node, cycle, words),
            }
        }
    }
}

/// A node, its links, and where its events go. Fields are dropped in this order, so that the run knows of a lost task
/// before its channels close.
pub(crate) struct Task {
    alive: Alive,
    runner: Box<dyn Runner>,
    ends: Ends,
    probe: Arc<Mutex<AnyProbe>>,
    /// A [`Kept`].
    kept: AnyProbe,
    tally: Tally,
    wires: Wires,
    worker: usize,
    burst: u32,
}

/// Reports to the run when a task ends without returning its node.
struct Alive {
    run: Arc<Run>,
    node: NodeId,
    handed_back: bool,
}

impl Drop for Alive {
    fn drop(&mut self) {
        if !self.handed_back {
            self.run.lose(
                self.node,
                "the task that ran it ended without giving a reason",
            );
        }
    }
}

/// Tasks, and the doors of their nodes.
pub(crate) type Tasks = (Vec<Task>, Arc<[Door]>);

/// Makes a task for each node, with channels between them.
pub(crate) fn tasks(
    run: &Arc<Run>,
    runners: Vec<Box<dyn Runner>>,
    probes: &[Arc<Mutex<AnyProbe>>],
    capacity: usize,
    burst: u32,
) -> Tasks {
    let links = run.links;
    let doors: Arc<[Door]> = runners.iter().map(|_| Door::default()).collect();
    let nodes = runners.len();
    let make = |(place, runner): (usize, Box<dyn Runner>)| {
        let worker = place * probes.len() / nodes;
        Task {
            alive: Alive {
                run: run.clone(),
                node: runner.node(),
                handed_back: false,
            },
            ends: Ends {
                node: runner.node(),
                run: run.clone(),
                doors: doors.clone(),
                inbound: (0..links).map(|_| None).collect(),
                outbound: (0..links).map(|_| None).collect(),
                mail: 0,
            },
            runner,
            probe: probes[worker].clone(),
            kept: AnyProbe::new(Kept::default()),
            tally: Tally::default(),
            wires: run.wires(),
            worker,
            burst,
        }
    };
    let mut tasks: Vec<Task> = runners.into_iter().enumerate().map(make).collect();
    for node in (0..run.nodes()).map(NodeId) {
        for port in (0..links).map(|port| Port(port as u8)) {
            if let Some((far, far_port)) = run.far(node, port) {
                let (sender, receiver) = channel(capacity);
                tasks[node.index()].ends.outbound[port.index()] = Some(sender);
                tasks[far.index()].ends.inbound[far_port.index()] = Some(receiver);
            }
        }
    }
    (tasks, doors)
}

impl Task {
    /// Runs the node to its end, or until the run stops. `None` after its rehearsed death.
    pub(crate) async fn live(mut self) -> Option<Box<dyn Runner>> {
        let (mut words, mut taken, mut reported) = (0, 0, Due::at(Cycle::ZERO));
        while !self.ends.run.is_stopped() {
            let turn = contain(|| self.turn());
            let kept = self.kept.probe_mut::<Kept>();
            kept.report(self.ends.node, &mut lock(&self.probe));
            let moved = self.tally.words - std::mem::replace(&mut words, self.tally.words);
            self.ends.run.moved[self.worker].fetch_add(moved, Ordering::Relaxed);
            let came = self.tally.taken - std::mem::replace(&mut taken, self.tally.taken);
            self.ends.run.taken[self.worker].fetch_add(came, Ordering::Relaxed);
            let progress = self.ends.run.progress(self.ends.node);
            if progress > std::mem::replace(&mut reported, progress) {
                self.ring();
            }
            match turn {
                Ok(Ok(TurnEnd::Ran)) => tokio::task::yield_now().await,
                Ok(Ok(TurnEnd::Waits(on))) => self.wait(on).await,
                Ok(Ok(TurnEnd::Idles)) => self.wait_for_mail().await,
                Ok(Ok(TurnEnd::Finished)) => break,
                Ok(Ok(TurnEnd::Dies)) => return None,
                Ok(Err(reason)) => self.ends.run.break_off(*reason),
                Err(message) => self.runner.panicked(&self.ends.run, message),
            }
        }
        self.alive.handed_back = true;
        Some(self.runner)
    }

    fn turn(&mut self) -> Result<TurnEnd, Box<Break>> {
        let run = self.ends.run.clone();
        let mut context = TurnContext {
            links: AnyLinks::Other(&mut self.ends),
            wires: &mut self.wires,
            probe: &mut self.kept,
            tally: &mut self.tally,
        };
        let turn = self.runner.turn(&run, &mut context, self.burst);
        turn.map(|Turn { end, .. }| end)
    }

    /// Wakes the neighbours that wait for this node.
    fn ring(&self) {
        if self.ends.run.slack.is_none() {
            return;
        }
        for port in 0..self.ends.run.links {
            if let Some((far, _)) = self.ends.run.far(self.ends.node, Port(port as u8)) {
                let door = &self.ends.doors[far.index()];
                let waits = door.waits.load(Ordering::SeqCst);
                // Only the last neighbour that it waits for rings.
                if waits != 0 && self.ends.run.limit(far) >= Cycle(waits) {
                    door.bell.notify_one();
                }
            }
        }
    }

    async fn wait_for_mail(&mut self) {
        let door = &self.ends.doors[self.ends.node.index()];
        door.waits.store(WAITS_FOR_MAIL, Ordering::SeqCst);
        // A message that arrived before its sender could see the flag rings no bell.
        if door.mail.load(Ordering::SeqCst) == 0 && self.ends.mail == 0 {
            let _ = tokio::time::timeout(CYCLE_WAIT, door.bell.notified()).await;
        }
        door.waits.store(0, Ordering::SeqCst);
    }

    async fn wait(&mut self, on: Awaited) {
        match on {
            Awaited::Neighbour => {
                let door = &self.ends.doors[self.ends.node.index()];
                let now = self.runner.now();
                door.waits.store(now.get() + 1, Ordering::SeqCst);
                // A neighbour that completed a cycle before it could see the flag does not ring.
                if self.ends.run.limit(self.ends.node) <= now {
                    door.bell.notified().await;
                }
                door.waits.store(0, Ordering::SeqCst);
            }
            Awaited::Room(port) => {
                if let Some(sender) = &self.ends.outbound[port.index()] {
                    let bell = &self.ends.doors[self.ends.node.index()].bell;
                    let (mut room, mut rung) = (pin!(sender.reserve()), pin!(bell.notified()));
                    // The room isn't reserved: the node is the only one that sends here. A bell that rings
                    // too early costs one check.
                    poll_fn(|context| {
                        let ready = room.as_mut().poll(context).is_ready()
                            || rung.as_mut().poll(context).is_ready();
                        if ready {
                            Poll::Ready(())
                        } else {
                            Poll::Pending
                        }
                    })
                    .await;
                }
            }
            Awaited::Writer => tokio::time::sleep(WRITER_WAIT).await,
            Awaited::Message(_) | Awaited::Record => tokio::task::yield_now().await,
        }
    }
}
