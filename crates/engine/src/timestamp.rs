//! The fast synchronous engine.
//!
//! Words stream through open paths, so that one time stamp describes a packet's passage over a link. A node is
//! visited only when a head or a credit arrives, and in cycles in which it can decide something. The cost follows
//! packet-hops, not nodes or cycles.
//!
//! It drives routers by time stamps, and only with traffic that knows its packets in advance
//! ([`Workload::foresees`]).
//!
//! [`Workload::foresees`]: flitwork_traffic::Workload::foresees
//!
//! Which end of a half-duplex link sends next is known by arithmetic, a while ahead ([`turns`]).
//!
//! The effect of a signal is written into the far node at once, stamped with the later cycle of its arrival: a link
//! takes at least one cycle, so nothing that the far node does before then depends on it.

mod run;
mod turns;

use crate::calls::Calls;
use crate::delivered::Deliveries;
use crate::held_back::Clipped;
use crate::prefetch::prefetch;
use crate::wheel::Wheel;
use crate::{Control, Ended, Progress};
use flitwork_network::{Demand, LeftOver, Network, Remains, born};
use flitwork_node::{Place, Probe, Signal, Site, TimestampRouter, Wait, WaitsFor};
use flitwork_topology::Topology;
use flitwork_traffic::{Birth, Offer};
use flitwork_types::{Cycle, Due, NodeId, PacketId, PacketRef, Packets, Port, TerminalId};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use turns::Turns;

/// How many nodes of a cycle ahead memory is prefetched.
const WAKES_AHEAD: usize = 3;

/// A run of a network, event by event.
pub struct TimestampEngine<T, R: TimestampRouter, P> {
    network: Arc<Network<T, R>>,
    demand: Demand,
    /// The last cycle in which anything was simulated.
    now: Cycle,
    /// Whether each source has been asked for its first packet.
    has_begun: bool,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: Clipped<P>,
    /// The credits that have left or are known to leave and don't come before the end: the node and the port where they
    /// come, and when.
    later_credits: Vec<(NodeId, Port, Cycle)>,
    /// The cycle in which each node is to be woken.
    due: Vec<Due>,
    wheel: Wheel,
    signals: Vec<(NodeId, Signal)>,
    /// The half-duplex links, if they are.
    turns: Option<Box<Turns>>,
    /// For each source that found no packet when it asked: since when its injection frame has been free.
    waiting: HashMap<TerminalId, Cycle>,
    /// Packets created so far, by source.
    serials: Vec<u32>,
    backlog: u64,
    steps: u64,
}

impl<T: Topology, R: TimestampRouter, P: Probe> TimestampEngine<T, R, P> {
    /// A run that has not begun.
    pub fn new(
        network: impl Into<Arc<Network<T, R>>>,
        demand: Demand,
        probe: P,
    ) -> TimestampEngine<T, R, P> {
        let network = network.into();
        let (nodes, terminals) = (network.topology.nodes(), network.topology.terminals());
        let deliveries = Deliveries::new(demand.workload.as_ref());
        let delivery_cycles = network.router.delivers_after().into();
        TimestampEngine {
            nodes: network.router.nodes(),
            packets: Packets::new(),
            probe: Clipped::new(probe, deliveries, Cycle::ZERO, delivery_cycles),
            later_credits: Vec::new(),
            due: vec![Due::NEVER; nodes as usize],
            wheel: Wheel::new(),
            signals: Vec::with_capacity(64),
            turns: Turns::new(&network).map(Box::new),
            waiting: HashMap::new(),
            serials: vec![0; terminals as usize],
            backlog: 0,
            steps: 0,
            now: Cycle::ZERO,
            has_begun: false,
            network,
            demand,
        }
    }

    /// Takes the first packet of each source, once.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        for source in self.demand.workload.sources() {
            self.inject(source, Cycle::ZERO);
            self.settle();
        }
    }

    /// Runs the cycles before `until`, and says why it stopped.
    fn cycles(&mut self, until: Cycle, control: Control<'_>) -> Ended {
        let (mut batch, mut calls) = (Vec::new(), Calls::default());
        loop {
            if calls.are_due(self.steps)
                && control(Progress::at(self.now, self.packets.len())).is_break()
            {
                return Ended::Interrupted;
            }
            let Some(now) = self.wheel.next() else {
                return Ended::at_rest(self.packets.is_empty());
            };
            if now >= until {
                return Ended::Deadline;
            }
            self.wheel.pop(&mut batch);
            self.now = now;
            self.demand.review_if_due(now);
            for (place, node) in batch.iter().enumerate() {
                if let Some(later) = batch.get(place + WAKES_AHEAD) {
                    prefetch(&self.nodes, later.index());
                }
                self.wake(*node, now);
            }
            if self.turns.is_some() {
                self.take_turns();
            }
        }
    }

    #[inline]
    fn wake(&mut self, node: NodeId, now: Cycle) {
        // Another wake has replaced this one.
        if self.due[node.index()] != now {
            return;
        }
        self.due[node.index()] = Due::NEVER;
        self.steps += 1;
        let mut site = Site::new(node, &mut self.packets, &mut self.probe);
        let state = &mut self.nodes[node.index()];
        let next = self
            .network
            .router
            .wake(state, now, &mut site, &mut self.signals);
        self.schedule(node, next);
        self.settle();
        if let Some(turns) = &mut self.turns {
            turns.look_again(node);
        }
    }

    #[inline]
    fn schedule(&mut self, node: NodeId, acts: Due) {
        if acts < self.due[node.index()]
            && let Some(cycle) = acts.get()
        {
            self.due[node.index()] = acts;
            self.wheel.push(cycle, node);
        }
    }

    /// Carries every signal to the far end of its link, and every signal that this causes in turn.
    #[inline]
    fn settle(&mut self) {
        while let Some((node, signal)) = self.signals.pop() {
            match signal {
                Signal::Send { port, packet, head } => {
                    let arrives = head + self.network.link_cycles(node, port);
                    let (far, port) = self.network.far_end(node, port);
                    self.head(far, port, packet, arrives);
                }
                Signal::Ready { port, from } => self.ready(node, port, from),
                Signal::Credit { port, leaves } if port == self.network.topology.local() => {
                    let terminal = self.network.terminal(node);
                    let terminal = terminal.expect("what frees an injection frame has a terminal");
                    self.inject(terminal, leaves + 1);
                }
                Signal::Credit { port, leaves } => {
                    let arrives = leaves + self.network.link_cycles(node, port);
                    let (far, port) = self.network.far_end(node, port);
                    if arrives >= self.probe.end {
                        self.later_credits.push((far, port, arrives));
                    }
                    let mut site = Site::new(far, &mut self.packets, &mut self.probe);
                    let state = &mut self.nodes[far.index()];
                    let router = &self.network.router;
                    let next = router.credit(state, port, arrives, &mut site, &mut self.signals);
                    self.schedule(far, next);
                }
            }
        }
    }

    /// Packets whose departure is known and lies beyond the end still stand in their output frames, and so do packets
    /// whose credit comes only then: corrects what the nodes, which know of both, say that packets wait for.
    fn wait_without_foresight(&self, waits: &mut Vec<Wait>) {
        let local = self.network.topology.local();
        // The first of an output frame's credits that come later is that of the packet in it, unless its head leaves before.
        let mut later: HashMap<(NodeId, Port), Cycle> = HashMap::new();
        for (node, port, comes) in &self.later_credits {
            let first = later.entry((*node, *port)).or_insert(*comes);
            *first = (*first).min(*comes);
        }
        let waits_for = |node: NodeId, port: Port, head: Due| {
            let comes = later.get(&(node, port));
            match comes.is_some_and(|comes| head >= *comes) {
                true => Some(WaitsFor::Neighbour(port)),
                false if self.turns.is_some() => Some(WaitsFor::Turn(port)),
                false => None,
            }
        };
        for wait in waits.iter_mut() {
            if let (Place::Output(port), WaitsFor::Turn(_)) = (wait.place, &wait.waits_for)
                && let Some(waits_for) = waits_for(wait.node, port, Due::NEVER)
            {
                let ids = (wait.packet, wait.destination);
                *wait = Wait::new(wait.node, ids, wait.place, waits_for);
            }
        }
        let stored: HashMap<PacketId, TerminalId> = self
            .packets
            .all()
            .map(|it| (it.id, it.destination))
            .collect();
        for (node, port, packet, head) in self.probe.held_back.heads() {
            if port == local {
                continue;
            }
            if let Some(waits_for) = waits_for(node, port, head.into()) {
                // A packet that isn't stored any more vanishes at the far end of the link.
                let far_end = || self.network.terminal(self.network.far_end(node, port).0);
                let destination = stored.get(&packet).copied().or_else(far_end);
                let destination = destination.expect("a packet vanishes at its destination");
                let place = Place::Output(port);
                waits.push(Wait::new(node, (packet, destination), place, waits_for));
            }
        }
        // In the order in which routers name their frames: by node, the output frames first.
        waits.sort_by_key(|wait| match wait.place {
            Place::Output(port) => (wait.node, port.0),
            _ => (wait.node, u8::MAX),
        });
    }

    #[inline]
    fn head(&mut self, node: NodeId, port: Port, packet: PacketRef, at: Cycle) {
        let mut site = Site::new(node, &mut self.packets, &mut self.probe);
        let state = &mut self.nodes[node.index()];
        let router = &self.network.router;
        let next = router.head(state, port, packet, at, &mut site, &mut self.signals);
        self.schedule(node, next);
    }

    /// The injection frame of `source` is free from `from` on: the source's next packet enters it as soon as it has
    /// been created. No source needs a queue, because its packets come in the order of their cycles.
    fn inject(&mut self, source: TerminalId, from: Cycle) {
        let Some(birth) = self.birth(source, from) else {
            return;
        };
        let at = birth.created.max(from);
        if at >= self.demand.inject_until {
            if birth.created < self.demand.end {
                self.backlog += 1;
                let words = self.network.router.packet_words().unwrap_or(birth.words);
                self.probe.probe.left_over(source, birth.created, words, 1);
            }
            return;
        }
        let fixed = self.network.router.packet_words();
        let packet = born(self.next_id(source), &birth, at, fixed);
        let packet = self.packets.insert(packet);
        let topology = &self.network.topology;
        let (home, local) = (topology.home(source), topology.local_of(source));
        self.head(home, local, packet, at);
    }

    /// The identity of a source's next packet.
    fn next_id(&mut self, source: TerminalId) -> PacketId {
        let next = &mut self.serials[source.index()];
        let serial = *next;
        *next += 1;
        PacketId { source, serial }
    }

    /// The next packet of a source.
    fn birth(&mut self, source: TerminalId, now: Cycle) -> Option<Birth> {
        match self.demand.workload.next(source, now) {
            Offer::Packet(birth) if birth.is_left_out() => {
                self.next_id(source);
                self.birth(source, now)
            }
            Offer::Packet(birth) => Some(birth),
            Offer::Never => None,
            Offer::Later(_) => panic!("this engine is for workloads that foresee"),
            Offer::WhenWoken => {
                self.waiting.insert(source, now);
                None
            }
        }
    }

    /// The next packet of each source is reported in advance: takes back those that were to enter from `end` on.
    /// Returns how many packets of a task had not been made by then.
    fn take_back(&mut self, end: Cycle) -> u64 {
        let mut owed = 0;
        for packet in self.packets.all().filter(|packet| packet.injected >= end) {
            let source = packet.id.source;
            self.probe.deliveries.take_back();
            let probe = &mut self.probe.probe;
            let home = self.network.topology.home(source);
            probe.take_back(home, packet.injected, packet);
            if packet.created < end {
                self.backlog += 1;
                probe.left_over(source, packet.created, packet.words, 1);
            } else {
                owed += u64::from(self.demand.is_task);
            }
        }
        owed
    }

    /// What is left of the demand, including packets that never reached the head of their source's queue.
    fn remains(&mut self, end: Cycle, go_on: &mut dyn FnMut() -> ControlFlow<()>) -> Remains {
        let fixed = self.network.router.packet_words();
        let workload = &mut self.demand.workload;
        let mut count = LeftOver::new(fixed, Some(&mut self.probe.probe), go_on);
        for source in workload.sources() {
            // Once the count is interrupted, each further source still reports its first packet.
            let _ = workload.leave_over(source, end, &mut |left| count.take(source, left));
        }
        let remains = count.remains(workload.as_mut(), end);
        Remains {
            backlog: remains.backlog + self.backlog,
            ..remains
        }
    }
}
