//! A trace as a workload.
//!
//! A packet is ready in its own cycle, counted from the trace's beginning, but not before the cycle after the last
//! delivery of the packets that it waits for:
//!
//! ```text
//! ready = max(cycle - start, last delivery + 1)
//! ```
//!
//! It is created in that cycle and waits in its source's queue, in the order of (ready, id). A packet to its own source
//! never enters the network: it counts as delivered in the cycle after it becomes ready, so packets that wait for it can
//! start one cycle later still.
//!
//! The file is read as the run advances. In each cycle all packets up to it are read before any request is answered, so
//! reading further ahead has no visible effect; a window bounds how far that is.

mod waiting;

use super::tape::Tape;
use super::{
    Field, Links, NodeMap, TraceBirth, TraceError, TraceHandle, TraceId, TraceNode, TracePacket,
    TraceProblem, TraceReader, TraceSummary,
};
use crate::{Birth, Offer, Owed, Workload};
use flitwork_types::{Cycle, Due, Packet, PacketId, TerminalId};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use waiting::{Facts, Settled, Waiting};

/// How to run a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// Whether packets wait for others; if not, each is ready in its own cycle.
    pub obey_dependencies: bool,
    /// How many packets may be read ahead of the run's cycle. It changes no result.
    pub window_packets: usize,
}

impl Default for TraceOptions {
    fn default() -> TraceOptions {
        TraceOptions {
            obey_dependencies: true,
            window_packets: 4096,
        }
    }
}

/// The packets of a trace, each when it is ready.
///
/// Takes memory for the packets that have been read and not yet delivered: those read ahead, and those whose cycle has
/// passed and that are in the network, in the sources' queues or waiting for others. If the network falls behind the
/// trace, there can be many of the latter.
///
/// The n-th packet taken from a source, counted from 0, must have the serial number n when it is delivered.
///
/// A clone reports to the same [`TraceHandle`]; a [fork](Workload::fork) has a handle of its own.
#[derive(Clone)]
pub struct TraceWorkload {
    trace: Tape,
    /// The next packet of the trace, with its cycle in the run.
    head: Option<(Cycle, TracePacket)>,
    /// The trace's cycle that is the run's cycle 0.
    start_cycle: u64,
    map: NodeMap,
    options: TraceOptions,
    waiting: Waiting,
    /// By node of the trace.
    sources: Vec<Source>,
    given: HashMap<PacketId, TraceId>,
    /// The terminals that make packets.
    makers: Vec<TerminalId>,
    /// Whether a delivery wakes only the source at the terminal where it happens.
    pub(super) is_local: bool,
    /// The number of packets between different terminals: handed over, read, and in total if that is known.
    crossing_given: u64,
    crossing_read: u64,
    crossing: Option<u64>,
    handle: TraceHandle,
}

/// A node of the trace, as a source.
#[derive(Clone, Debug, Default)]
struct Source {
    /// Packets that are ready, by the cycle in which they became ready.
    ready: BinaryHeap<Reverse<(Cycle, TraceId)>>,
    /// The number of packets that have been read and aren't ready.
    blocked: usize,
    /// The cycle of creation of the last packet handed over.
    last: Cycle,
    /// The number of packets handed over.
    serial: u32,
}

impl TraceWorkload {
    /// The packets of a trace, between the terminals that the map gives.
    ///
    /// # Errors
    /// A [`TraceError`] if the map is for another number of nodes or the first packet can't be read. The [`TraceHandle`]
    /// reports later errors.
    pub fn new(
        reader: Box<dyn TraceReader>,
        map: NodeMap,
        options: TraceOptions,
    ) -> Result<TraceWorkload, TraceError> {
        let (found, trace) = (map.trace_nodes(), reader.nodes());
        if found != trace {
            return Err(TraceError {
                place: reader.place(Field::Packet),
                problem: TraceProblem::MapLength { found, trace },
            });
        }
        let mut workload = TraceWorkload::unread(reader, map, options);
        if let Some(packet) = workload.trace.packet()? {
            workload.start_cycle = workload.start_cycle.min(packet.cycle);
            workload.head = Some((workload.cycle(&packet)?, packet));
        } else {
            workload.handle.read_all();
        }
        Ok(workload)
    }

    /// A trace that can no longer be opened: it makes no packets, and its handle reports the error.
    pub fn broken(error: TraceError) -> TraceWorkload {
        let map = NodeMap::in_order(0, 0).expect("a map of no nodes");
        let options = TraceOptions {
            obey_dependencies: false,
            ..TraceOptions::default()
        };
        let workload = TraceWorkload::unread(Box::new(super::Nothing), map, options);
        workload.handle.fail(error);
        workload
    }

    /// The packets of a trace of which none has been read.
    fn unread(reader: Box<dyn TraceReader>, map: NodeMap, options: TraceOptions) -> TraceWorkload {
        let nodes = reader.nodes();
        let mut makers: Vec<TerminalId> = (0..nodes)
            .map(|node| map.terminal(TraceNode(node)))
            .collect();
        makers.sort_unstable();
        TraceWorkload {
            start_cycle: reader.start_cycle(),
            trace: Tape::new(reader),
            head: None,
            map,
            options,
            waiting: Waiting::default(),
            sources: vec![Source::default(); nodes as usize],
            given: HashMap::new(),
            makers,
            is_local: !options.obey_dependencies,
            crossing_given: 0,
            crossing_read: 0,
            crossing: None,
            handle: TraceHandle::default(),
        }
    }

    /// Adds what a summary of this trace has established: which nodes make packets, how many, and whether the trace is
    /// local.
    #[must_use]
    pub fn with_summary(mut self, summary: &TraceSummary) -> TraceWorkload {
        let makers = summary.makers().map(|node| self.map.terminal(node));
        self.makers = makers.collect();
        self.makers.sort_unstable();
        self.is_local |= summary.is_local();
        self.crossing = Some(summary.packets - summary.self_packets);
        self
    }

    /// The handle that reports errors and progress to the owner.
    pub fn handle(&self) -> TraceHandle {
        self.handle.clone()
    }

    /// The number of packets held: read or named, and not delivered.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.waiting.len()
    }

    /// A packet's cycle in the run.
    fn cycle(&self, packet: &TracePacket) -> Result<Cycle, TraceError> {
        let cycle = packet.cycle - self.start_cycle;
        let latest = Cycle::LAST.get();
        match u32::try_from(cycle) {
            Ok(cycle) if cycle <= latest => Ok(Cycle(cycle)),
            _ => {
                let problem = TraceProblem::BeyondRun { cycle, latest };
                Err(self.trace.error(Field::Cycle, problem))
            }
        }
    }

    /// The cycle of the trace's next packet; never after the last.
    fn head_cycle(&self) -> Due {
        self.head.as_ref().map(|(cycle, _)| *cycle).into()
    }

    /// Reads all packets up to a cycle.
    fn read_to(&mut self, cycle: Cycle) {
        while self.head_cycle() <= cycle {
            self.read();
        }
    }

    /// Admits the next packet, and reads the one after it.
    fn read(&mut self) {
        let Some((cycle, packet)) = self.head.take() else {
            return;
        };
        let links = if self.options.obey_dependencies {
            packet.links
        } else {
            Links::Before(Vec::new())
        };
        let facts = Facts {
            cycle,
            source: packet.source,
            destination: packet.destination,
            words: packet.words,
            class: packet.class,
        };
        self.handle.read_one();
        self.crossing_read += u64::from(facts.source != facts.destination);
        self.sources[packet.source.0 as usize].blocked += 1;
        let settled = self.waiting.read(packet.id, facts, links);
        self.queue(&settled);
        match self.trace.packet() {
            Ok(Some(packet)) => match self.cycle(&packet) {
                Ok(cycle) => self.head = Some((cycle, packet)),
                Err(error) => self.handle.fail(error),
            },
            Ok(None) => self.handle.read_all(),
            Err(error) => self.handle.fail(error),
        }
        self.waiting.lapse(self.head_cycle());
    }

    /// Puts packets that are ready into their sources' queues.
    fn queue(&mut self, settled: &Settled) {
        for (cycle, id, source) in &settled.ready {
            let source = &mut self.sources[source.0 as usize];
            source.blocked -= 1;
            source.ready.push(Reverse((*cycle, *id)));
        }
        for (cycle, source) in &settled.to_self {
            self.sources[source.0 as usize].blocked -= 1;
            self.handle.deliver_to_self(*cycle);
        }
    }

    /// Takes the first packet of a source's queue, if it is ready by `now`.
    fn take(&mut self, terminal: TerminalId, from: TraceNode, now: Cycle) -> Option<Birth> {
        let source = &mut self.sources[from.0 as usize];
        let Reverse((ready, id)) = source.ready.peek().copied()?;
        if ready > now {
            return None;
        }
        source.ready.pop();
        // With one clock, no packet becomes ready before one that was handed over; with several, it may.
        let created = ready.max(source.last);
        source.last = created;
        let packet = PacketId {
            source: terminal,
            serial: source.serial,
        };
        source.serial += 1;
        self.crossing_given += 1;
        let facts = self.waiting.facts(id);
        let facts = facts.unwrap_or_else(|| panic!("packet {id} is ready and hasn't been read"));
        self.given.insert(packet, id);
        self.handle.give(TraceBirth { packet, id, ready });
        Some(Birth {
            created,
            destination: self.map.terminal(facts.destination),
            words: facts.words,
            class: facts.class,
        })
    }

    /// Whether the next packet to read goes to its own source.
    fn next_is_to_self(&self) -> bool {
        let next = self.head.as_ref();
        next.is_some_and(|(_, packet)| packet.source == packet.destination)
    }

    /// That many packets are owed, unless reading has failed: no later packet is ever handed over.
    fn owes(&self, packets: u64, at_least: bool) -> Owed {
        match self.handle.error() {
            Some(_) => Owed::default(),
            None => Owed {
                packets,
                replies: 0,
                at_least,
            },
        }
    }

    /// The cycle in which the first packet of a source's queue is ready.
    fn ready(&self, from: TraceNode) -> Due {
        let first = self.sources[from.0 as usize].ready.peek();
        first.map(|Reverse((cycle, _))| *cycle).into()
    }
}

impl Workload for TraceWorkload {
    fn next(&mut self, source: TerminalId, now: Cycle) -> Offer {
        let Some(from) = self.map.trace_node(source) else {
            return Offer::Never;
        };
        self.read_to(now);
        if let Some(birth) = self.take(source, from, now) {
            return Offer::Packet(birth);
        }
        // A packet that hasn't been read yet may become ready before those that have.
        while self.head_cycle() < self.ready(from)
            && self.waiting.len() < self.options.window_packets
        {
            self.read();
        }
        match self.head_cycle().min(self.ready(from)).get() {
            Some(known) => Offer::Later(known),
            None if self.sources[from.0 as usize].blocked > 0 => Offer::WhenWoken,
            None => Offer::Never,
        }
    }

    fn sources(&self) -> Vec<TerminalId> {
        self.makers.clone()
    }

    fn foresees(&self) -> bool {
        false
    }

    fn delivered(
        &mut self,
        terminal: TerminalId,
        packet: &Packet,
        now: Cycle,
        woken: &mut Vec<TerminalId>,
    ) {
        // All packets up to this cycle are read before any dependency ends, so reading ahead has no visible effect.
        self.read_to(now);
        let id = self.given.remove(&packet.id).unwrap_or_else(|| {
            panic!(
                "terminal {terminal} received a packet in cycle {now} that the trace doesn't have: {packet:?}"
            )
        });
        self.handle.deliver();
        let settled = self.waiting.deliver(id, now + 1);
        self.waiting.lapse(self.head_cycle());
        self.queue(&settled);
        let sources = settled
            .ready
            .iter()
            .map(|(_, _, source)| self.map.terminal(*source));
        let before = woken.len();
        woken.extend(sources);
        if self.is_local && woken[before..].iter().any(|source| *source != terminal) {
            let error = self.trace.error(Field::Packet, TraceProblem::NotLocal);
            self.handle.fail(error);
        }
    }

    /// Without a summary, the unread rest of the trace counts as at least one packet if it begins with one that has to
    /// cross the network.
    fn owed(&mut self) -> Owed {
        if let Some(crossing) = self.crossing {
            return self.owes(crossing - self.crossing_given, false);
        }
        // A packet to its own source isn't owed to the network.
        while self.crossing_read == self.crossing_given && self.next_is_to_self() {
            self.read();
        }
        let more = self.head.is_some();
        let next = u64::from(more && !self.next_is_to_self());
        self.owes(self.crossing_read - self.crossing_given + next, more)
    }

    /// The copy reads on by itself, and its packets are counted in a handle of its own; an error of the trace is reported
    /// by all handles.
    fn fork(&self) -> Box<dyn Workload> {
        Box::new(TraceWorkload {
            handle: self.handle.fork(),
            ..self.clone()
        })
    }
}
