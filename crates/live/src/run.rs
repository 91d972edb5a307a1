//! The state that all workers of a run share.

use crate::chunk_reader::BadRecord;
use crate::fault::{Cause, NodeFault};
use crate::marks::RequestedMark;
use crate::quiet::Quiet;
use crate::timing::Difference;
use flitwork_engine::Ended;
use flitwork_network::{Cell, LeftOver, Locals, Network, Remains, Source, Wires};
use flitwork_node::{AnyProbe, Router};
use flitwork_topology::Topology;
use flitwork_traffic::{Offer, Workload};
use flitwork_types::{Cycle, Due, NodeId, Packet, Port, TerminalId};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Why nodes stop before their last cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// They do not.
    Run,
    /// Nothing more can happen.
    Empty,
    /// The caller asked for it.
    Interrupted,
    /// Nothing can ever move again.
    Stuck,
    /// A fault occurred.
    Fault,
}

impl Stop {
    /// How a run that stops for this reason ends.
    pub(crate) fn ended(self) -> Ended {
        match self {
            Stop::Run => Ended::Deadline,
            Stop::Empty => Ended::Empty,
            Stop::Stuck => Ended::Stuck,
            Stop::Interrupted | Stop::Fault => Ended::Interrupted,
        }
    }
}

/// What aborts a run.
#[derive(Debug)]
pub(crate) enum Break {
    Fault(NodeFault),
    /// The replay differs from its record.
    Difference(Difference),
    /// The record cannot be read, or makes no sense.
    Record(BadRecord),
}

impl From<Box<Difference>> for Box<Break> {
    fn from(difference: Box<Difference>) -> Box<Break> {
        Box::new(Break::Difference(*difference))
    }
}

/// The state that all workers of a run share.
pub(crate) struct Run {
    /// Link ports of a node.
    pub(crate) links: usize,
    /// Local ports of a node.
    pub(crate) locals: usize,
    /// The length of every packet, if there is only one.
    pub(crate) packet_words: Option<u16>,
    /// Virtual channels of a link.
    pub(crate) channels: u8,
    /// Whether deliveries are reported to the traffic.
    pub(crate) needs_deliveries: bool,
    /// From this local cycle on no source puts a packet into its node.
    pub(crate) inject_until: Cycle,
    /// The first cycle that no node runs.
    pub(crate) end: Cycle,
    pub(crate) slack: Option<u32>,
    /// Cycles after which a node that has received nothing will never move a word again on its own.
    pub(crate) patience_cycles: u32,
    /// The latency of the slowest link.
    pub(crate) longest_link_cycles: u32,
    /// Whether credits account for the packets in the network.
    pub(crate) has_credits: bool,
    /// Where each node's link ports lead, `links` of them per node.
    pub(crate) far: Vec<Option<(NodeId, Port)>>,
    /// The first cycle that each node has not completed, as bits ([`Due`]): never after its last one.
    progress: Vec<AtomicU32>,
    births: Mutex<Box<dyn Workload>>,
    /// Workers with a node that has not settled.
    busy: AtomicUsize,
    /// Nodes whose source may still put a packet into the network.
    open: AtomicUsize,
    /// How often a source that was closed has opened again.
    reopened: AtomicUsize,
    /// Packets in the network, if no credits account for them.
    in_flight: AtomicI64,
    /// Set once.
    stop: OnceLock<Stop>,
    fault: Mutex<Option<NodeFault>>,
    difference: Mutex<Option<Difference>>,
    bad_record: Mutex<Option<BadRecord>>,
    /// The node that has its turn, for each worker.
    pub(crate) at: Vec<AtomicU32>,
    /// Nodes that will move no further word on their own.
    settled: Vec<AtomicBool>,
    /// Words that have moved over links, for each worker.
    pub(crate) moved: Vec<AtomicU64>,
    /// Words that have been taken from links, for each worker.
    pub(crate) taken: Vec<AtomicU64>,
    /// In a replay: whether its workers all wait for each other.
    pub(crate) quiet: Quiet,
    /// The requested mark of the record.
    pub(crate) asked: RequestedMark,
    /// Set and rung when the run stops or a worker ends.
    stopped: Mutex<usize>,
    bell: Condvar,
}

/// A lock whose holder may have panicked: what it guards is a value that is replaced whole.
pub(crate) fn lock<A: ?Sized>(mutex: &Mutex<A>) -> MutexGuard<'_, A> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    /// A run of a network that has not begun, on `workers` workers.
    pub(crate) fn new<T: Topology, R: Router>(
        network: &Network<T, R>,
        births: Box<dyn Workload>,
        inject_until: Cycle,
        end: Cycle,
        slack: Option<u32>,
        workers: usize,
    ) -> Run {
        let topology = &network.topology;
        let (nodes, links) = (topology.nodes(), topology.ports());
        let ports = (0..nodes).flat_map(|node| (0..links).map(move |port| (node, port)));
        let far = ports.map(|(node, port)| topology.far(NodeId(node), Port(port as u8)));
        Run {
            links,
            locals: topology.locals(),
            packet_words: network.router.packet_words(),
            channels: network.router.channels(),
            needs_deliveries: !births.foresees(),
            inject_until,
            end,
            slack,
            patience_cycles: 0,
            longest_link_cycles: network.longest_link_cycles(),
            has_credits: network.router.credit_words().is_some(),
            far: far.collect(),
            progress: (0..nodes).map(|_| AtomicU32::new(0)).collect(),
            births: Mutex::new(births),
            busy: AtomicUsize::new(0),
            open: AtomicUsize::new(nodes as usize),
            reopened: AtomicUsize::new(0),
            in_flight: AtomicI64::new(0),
            stop: OnceLock::new(),
            fault: Mutex::new(None),
            difference: Mutex::new(None),
            bad_record: Mutex::new(None),
            quiet: Quiet::new(workers),
            at: (0..workers).map(|_| AtomicU32::new(0)).collect(),
            settled: (0..nodes).map(|_| AtomicBool::new(false)).collect(),
            moved: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            taken: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            asked: RequestedMark::default(),
            stopped: Mutex::new(0),
            bell: Condvar::new(),
        }
    }

    pub(crate) fn nodes(&self) -> u32 {
        self.progress.len() as u32
    }

    /// The worker that has a node, where each has a run of consecutive ones.
    #[inline]
    pub(crate) fn owner(&self, node: NodeId) -> usize {
        let workers = self.at.len() as u64;
        (u64::from(node.0) * workers / u64::from(self.nodes())) as usize
    }

    /// The node and the port to which a port of a node leads.
    #[inline]
    pub(crate) fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        self.far[node.index() * self.links + port.index()]
    }

    /// What a terminal has to send, as far as is known in its node's cycle `now`.
    pub(crate) fn ask(&self, terminal: TerminalId, now: Cycle) -> Offer {
        lock(&self.births).next(terminal, now)
    }

    /// A node before its first cycle.
    pub(crate) fn cell<T: Topology, R: Router>(
        &self,
        network: &Network<T, R>,
        (node, state): (NodeId, R::Node),
    ) -> Cell<R::Node> {
        let ask = |terminal| self.ask(terminal, Cycle::ZERO);
        let locals = Locals::new(network.terminals(node), ask);
        Cell::new((node, state), self.links, self.channels, locals)
    }

    /// Wires for any of its nodes.
    pub(crate) fn wires(&self) -> Wires {
        Wires::new(self.links + self.locals)
    }

    /// What the sources still hold of the demand, each before its own cycle: reported and counted.
    pub(crate) fn remains(
        &self,
        sources: Vec<(TerminalId, Cycle, Source)>,
        probe: Option<&mut AnyProbe>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Remains {
        let mut births = lock(&self.births);
        let mut count = LeftOver::new(self.packet_words, probe, go_on);
        let ends = sources.iter().map(|(_, end, _)| *end);
        let last = ends.max().unwrap_or(Cycle::ZERO);
        for (terminal, end, mut source) in sources {
            let left = &mut |left| count.take(terminal, left);
            // Once the count is interrupted, each further source still reports its first packet.
            let _ = source.leave_over(terminal, end, births.as_mut(), left);
        }
        count.remains(births.as_mut(), last)
    }

    /// The length of a packet as a record predicts it: with packets of many lengths, until they end.
    pub(crate) fn predicted_words(&self) -> u16 {
        self.packet_words.unwrap_or(u16::MAX)
    }

    /// Reports to the traffic what was delivered at a node.
    pub(crate) fn report_delivered(&self, delivered: &[(Cycle, Packet)]) {
        let mut births = lock(&self.births);
        let mut woken = Vec::new();
        for (cycle, packet) in delivered {
            let terminal = packet.destination;
            births.delivered(terminal, packet, *cycle, &mut woken);
            assert!(
                woken.iter().all(|woken| *woken == terminal),
                "a delivery to terminal {terminal} has woken others' sources: {woken:?}"
            );
            woken.clear();
        }
    }

    /// The first cycle that `node` may not begin yet, by what its neighbours have completed.
    #[inline]
    pub(crate) fn limit(&self, node: NodeId) -> Due {
        let Some(slack) = self.slack else {
            return Due::NEVER;
        };
        let far = &self.far[node.index() * self.links..(node.index() + 1) * self.links];
        let progress = far.iter().flatten().map(|(far, _)| self.progress(*far));
        Due::soonest(progress) + slack + 1
    }

    /// A node has completed every cycle before `cycle`: all of them if that is never.
    #[inline]
    pub(crate) fn publish(&self, node: NodeId, cycle: impl Into<Due>) {
        self.progress[node.index()].store(cycle.into().bits(), Ordering::SeqCst);
    }

    pub(crate) fn progress(&self, node: NodeId) -> Due {
        Due::of_bits(self.progress[node.index()].load(Ordering::SeqCst))
    }

    /// Whether a node will move no further word on its own.
    pub(crate) fn settle(&self, node: NodeId, settled: bool) {
        self.settled[node.index()].store(settled, Ordering::Relaxed);
    }

    pub(crate) fn is_settled(&self, node: NodeId) -> bool {
        self.settled[node.index()].load(Ordering::Relaxed)
    }

    /// Whether a node has completed its last cycle.
    pub(crate) fn has_finished(&self, node: NodeId) -> bool {
        self.progress(node) == Due::NEVER
    }

    /// A worker has a node again that has not settled.
    pub(crate) fn become_busy(&self) {
        self.busy.fetch_add(1, Ordering::SeqCst);
    }

    /// A worker's nodes have all settled.
    pub(crate) fn become_quiet(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
        self.stop_if_empty();
    }

    /// A source that was closed may put packets into the network again. Its node is not quiet.
    pub(crate) fn open_source(&self) {
        self.reopened.fetch_add(1, Ordering::SeqCst);
        self.open.fetch_add(1, Ordering::SeqCst);
    }

    /// A source will put no further packet into the network unless something is delivered to it.
    pub(crate) fn close_source(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
        self.stop_if_empty();
    }

    /// A packet has entered (1) or left (-1) a network without credits.
    pub(crate) fn count_packet(&self, change: i64) {
        self.in_flight.fetch_add(change, Ordering::SeqCst);
        if change < 0 {
            self.stop_if_empty();
        }
    }

    /// A sender has not settled before the credits of what it sent are back, so these counts are never all 0 while
    /// anything is under way. They are read one after the other. While no source is open, none of the others rises
    /// from 0, so that what was read was true at one moment unless a source has opened in the meantime: a delivery may
    /// open one, whose packet may have arrived before the last count is read.
    fn stop_if_empty(&self) {
        let zero = |count: &AtomicUsize| count.load(Ordering::SeqCst) == 0;
        let reopened = || self.reopened.load(Ordering::SeqCst);
        let before = reopened();
        let empty = zero(&self.open) && self.in_flight.load(Ordering::SeqCst) == 0;
        if empty && zero(&self.busy) && reopened() == before {
            self.stop_for(Stop::Empty);
        }
    }

    /// Whether anything is under way, or waits to get into the network.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::SeqCst) > 0 || self.in_flight.load(Ordering::SeqCst) > 0
    }

    /// Makes all nodes stop where they are. The first reason counts.
    pub(crate) fn stop_for(&self, reason: Stop) {
        let _ = self.stop.set(reason);
        let _guard = lock(&self.stopped);
        self.bell.notify_all();
    }

    /// Aborts the run. The first fault counts.
    pub(crate) fn fail(&self, fault: NodeFault) {
        // A run that stops closes the channels of nodes that have not noticed yet.
        let stopping = self.stop() != Stop::Run && matches!(fault.cause, Cause::Closed { .. });
        if !stopping {
            lock(&self.fault).get_or_insert(fault);
        }
        self.stop_for(Stop::Fault);
    }

    /// Aborts the run because its record cannot be written.
    pub(crate) fn fail_record(&self, error: String) {
        let nodes = (0..self.nodes()).map(NodeId);
        let node = nodes
            .min_by_key(|node| self.progress(*node))
            .unwrap_or_default();
        self.fail(NodeFault {
            node,
            cycle: self.progress(node).at_latest(self.end),
            cause: Cause::Record(error),
        });
    }

    /// Aborts the run because the worker or task of a node has disappeared.
    pub(crate) fn lose(&self, node: NodeId, what: &str) {
        self.fail(NodeFault {
            node,
            cycle: self.progress(node).at_latest(self.end),
            cause: Cause::Lost(what.into()),
        });
    }

    /// Aborts a replay that differs from its record; of several differences the earliest counts.
    pub(crate) fn differ(&self, difference: Difference) {
        let mut first = lock(&self.difference);
        let earlier = first.take().into_iter().chain([difference]);
        *first = earlier.min_by_key(Difference::when);
        drop(first);
        self.stop_for(Stop::Fault);
    }

    /// Aborts the run for a node's reason.
    pub(crate) fn break_off(&self, reason: Break) {
        match reason {
            Break::Fault(fault) => self.fail(fault),
            Break::Difference(difference) => self.differ(difference),
            Break::Record(error) => {
                lock(&self.bad_record).get_or_insert(error);
                self.stop_for(Stop::Fault);
            }
        }
    }

    /// The error of the record that is replayed.
    pub(crate) fn bad_record(&self) -> Result<(), BadRecord> {
        lock(&self.bad_record).take().map_or(Ok(()), Err)
    }

    pub(crate) fn difference(&self) -> Option<Difference> {
        lock(&self.difference).clone()
    }

    pub(crate) fn fault(&self) -> Option<NodeFault> {
        lock(&self.fault).clone()
    }

    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.get().is_some()
    }

    pub(crate) fn stop(&self) -> Stop {
        self.stop.get().copied().unwrap_or(Stop::Run)
    }

    /// A worker has ended.
    pub(crate) fn worker_ended(&self) {
        *lock(&self.stopped) += 1;
        self.bell.notify_all();
    }

    /// Waits until the run stops, all `workers` have ended, or `most` has passed; returns how many have ended.
    pub(crate) fn wait(&self, workers: usize, most: Duration) -> usize {
        self.wait_while(most, |ended| *ended < workers && !self.is_stopped())
    }

    /// Waits until all `workers` have ended, or `most` has passed; returns how many have ended.
    pub(crate) fn wait_ended(&self, workers: usize, most: Duration) -> usize {
        self.wait_while(most, |ended| *ended < workers)
    }

    fn wait_while(&self, most: Duration, pending: impl FnMut(&mut usize) -> bool) -> usize {
        let ended = lock(&self.stopped);
        let waited = self.bell.wait_timeout_while(ended, most, pending);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Words moved so far.
    pub(crate) fn words_moved(&self) -> u64 {
        sum(&self.moved)
    }

    /// Whether nodes that have run their last cycle keep others from continuing, or may do so: one ended with packets
    /// in it, or words were sent that no node has taken. Without a slack, nodes end at different times.
    pub(crate) fn ended_apart(&self) -> bool {
        let mut nodes = (0..self.nodes()).map(NodeId);
        self.slack.is_none()
            && (nodes.any(|node| self.has_finished(node) && !self.is_settled(node))
                || sum(&self.taken) < self.words_moved())
    }
}

fn sum(counts: &[AtomicU64]) -> u64 {
    let counts = counts.iter();
    counts.map(|count| count.load(Ordering::Relaxed)).sum()
}
