//! The synchronous engine for routers that are stepped word by word: a node is stepped only in cycles in
//! which it can do something.
//!
//! ```text
//!   words and credits ─┐
//!   sources ───────────┼─▶ nodes awake in this cycle, a bit each ──▶ step ──▶ neighbours' wires
//!   the nodes' own time┘                                               └────▶ awake in a later cycle
//! ```
//!
//! A node says when it would act if nothing arrived ([`WordRouter::next_step`]). Until then, or until something does
//! arrive, its cycles are skipped; while no node is awake, the clock jumps.

mod run;

use crate::calls::Calls;
use crate::delivered::Deliveries;
use crate::prefetch::prefetch;
use crate::sources::Sources;
use crate::wheel::Wheel;
use crate::{Control, Ended, Progress};
use flitwork_network::{Demand, Network, SharedWires};
use flitwork_node::{Inputs, Outputs, Probe, Site, WordRouter, step_in_detail};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Packets, Port, PortSet, Word};
use std::sync::Arc;

/// A run of a network, visiting only the cycles in which something happens.
pub struct EventDriven<T, R: WordRouter, P> {
    network: Arc<Network<T, R>>,
    /// The first cycle that has not been simulated, and the cycle before which nothing else happens.
    now: Cycle,
    stands_at: Cycle,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: P,
    sources: Sources,
    deliveries: Deliveries,
    /// The half-duplex links, if they are.
    wires: Option<SharedWires>,
    ring: Ring,
    /// Where each link port leads: the far node, and the port there.
    far_ends: Arc<[(u32, Port)]>,
    /// The cycles, later than the next, in which nodes are to be woken.
    wheel: Wheel,
    /// The cycle, later than its last step, in which each node acts next if nothing arrives: what it said before no
    /// longer counts.
    acts_in: Vec<Due>,
    /// The first local port, and all of them.
    local: Port,
    locals: PortSet,
    steps: u64,
    outbox: Vec<Word>,
    outbox_channels: Vec<u8>,
    /// A node that is stepped in each cycle, even if it has nothing to do.
    watched: Option<NodeId>,
}

/// Words and credits under way, and the nodes that are awake, by cycle: a ring.
#[derive(Clone)]
struct Ring {
    /// Ports of a node, the local one among them.
    ports: usize,
    slots: Vec<Slot>,
    /// The slots of this cycle, of the next, and of that in which something sent now arrives over a link without a
    /// latency of its own.
    here: usize,
    next: usize,
    there: usize,
    /// The latency of such links.
    usual_cycles: usize,
}

/// What is on the wires in one cycle.
#[derive(Clone)]
struct Slot {
    nodes: Vec<Ends>,
    words: Vec<Word>,
    credit_channels: Vec<u8>,
    awake: Vec<u64>,
    /// How many nodes are awake.
    count: usize,
}

/// The ports of a node at which something arrives.
#[derive(Clone, Copy, Default)]
struct Ends {
    arrived: PortSet,
    credits: PortSet,
}

impl Slot {
    #[inline]
    fn wake(&mut self, node: usize) {
        let (word, bit) = (&mut self.awake[node / 64], 1 << (node % 64));
        self.count += usize::from(*word & bit == 0);
        *word |= bit;
    }
}

impl Ring {
    fn new(nodes: usize, ports: usize, usual_cycles: u32, longest_cycles: u32) -> Ring {
        let slot = |_| Slot {
            nodes: vec![Ends::default(); nodes],
            words: vec![Word::BLANK; nodes * ports],
            credit_channels: vec![0; nodes * ports],
            awake: vec![0; nodes.div_ceil(64)],
            count: 0,
        };
        Ring {
            ports,
            slots: (0..=longest_cycles).map(slot).collect(),
            here: 0,
            next: 0,
            there: 0,
            usual_cycles: usual_cycles as usize,
        }
    }

    fn bytes(&self) -> usize {
        let slot = |slot: &Slot| {
            size_of_val(&*slot.nodes) + size_of_val(&*slot.words) + slot.credit_channels.len()
        };
        self.slots.iter().map(slot).sum()
    }

    fn slot(&mut self, cycle: Cycle) -> &mut Slot {
        let place = cycle.0 as usize % self.slots.len();
        &mut self.slots[place]
    }

    /// Before cycle `now`, which has not begun.
    fn turn_to(&mut self, now: Cycle) {
        self.next = now.0 as usize % self.slots.len();
    }

    /// The slot of cycle `now`, which begins.
    fn begin(&mut self, now: Cycle) -> usize {
        let slots = self.slots.len();
        let here = now.0 as usize % slots;
        self.here = here;
        self.next = (here + 1) % slots;
        self.there = (here + self.usual_cycles) % slots;
        here
    }

    /// The slot in which something sent now arrives over a link with a latency of its own, if it has one.
    #[inline]
    fn there(&self, own_cycles: Option<u32>) -> usize {
        match own_cycles {
            None => self.there,
            Some(cycles) => (self.here + cycles as usize) % self.slots.len(),
        }
    }

    /// The first cycle from `now` on in which a node is awake.
    fn next(&mut self, now: Cycle) -> Option<Cycle> {
        let cycles = (0..self.slots.len() as u32).map(|later| now + later);
        cycles.into_iter().find(|cycle| self.slot(*cycle).count > 0)
    }
}

impl<T: Topology, R: WordRouter, P: Probe> EventDriven<T, R, P> {
    /// A run that has not begun.
    pub fn new(
        network: impl Into<Arc<Network<T, R>>>,
        demand: Demand,
        probe: P,
    ) -> EventDriven<T, R, P> {
        let network = network.into();
        let topology = &network.topology;
        let (count, links) = (topology.nodes(), topology.ports());
        let ports = (0..count).flat_map(|node| (0..links).map(move |port| (node, port)));
        let far_ends = ports.map(|(node, port)| {
            let far = topology.far(NodeId(node), Port(port as u8));
            far.map_or((u32::MAX, Port::default()), |(far, port)| (far.0, port))
        });
        let mut engine = EventDriven {
            nodes: network.router.nodes(),
            packets: Packets::new(),
            probe,
            deliveries: Deliveries::new(demand.workload.as_ref()),
            sources: Sources::new(demand, &network),
            ring: Ring::new(
                count as usize,
                network.all_ports(),
                network.link_latency_cycles,
                network.longest_link_cycles(),
            ),
            far_ends: far_ends.collect(),
            wires: SharedWires::new(&network),
            wheel: Wheel::new(),
            acts_in: vec![Due::NEVER; count as usize],
            local: topology.local(),
            locals: topology.local_ports(),
            steps: 0,
            outbox: vec![Word::BLANK; network.all_ports()],
            outbox_channels: vec![0; network.all_ports()],
            watched: None,
            now: Cycle::ZERO,
            stands_at: Cycle::ZERO,
            network,
        };
        // Sources that are due at once wake their nodes in the first cycle.
        engine.ring.turn_to(Cycle::ZERO);
        for node in 0..count as usize {
            engine.wake_for_sources(node, Cycle::ZERO);
        }
        engine
    }

    /// Runs the cycles before `until`, and says why it stopped.
    fn cycles(&mut self, until: Cycle, control: Control<'_>) -> Ended {
        let (mut calls, mut due) = (Calls::default(), Vec::new());
        loop {
            if calls.are_due(self.steps)
                && control(Progress::at(self.now, self.packets.len())).is_break()
            {
                return Ended::Interrupted;
            }
            let Some(now) = self.next(self.now) else {
                return Ended::at_rest(self.packets.is_empty());
            };
            self.now = now.min(until);
            if now >= until {
                return Ended::Deadline;
            }
            self.sources.demand.review_if_due(now);
            if self.wheel.next() == Some(now) {
                self.wheel.pop(&mut due);
                for node in &due {
                    let is_due = || self.sources_due(*node) <= now;
                    if self.acts_in[node.index()] == now || is_due() {
                        self.ring.slot(now).wake(node.index());
                    }
                }
            }
            self.cycle(now);
            self.now += 1;
        }
    }

    /// The first cycle in which a node's sources have to be visited; never if it has none.
    #[inline]
    fn sources_due(&self, node: NodeId) -> Due {
        let mut soonest = Due::NEVER;
        for local in 0..self.network.topology.locals() {
            if let Some(terminal) = self.network.topology.source(node, local) {
                soonest = soonest.min(self.sources.of(terminal).due());
            }
        }
        soonest
    }

    /// The first cycle from `now` on in which a node is awake; none where nothing will ever happen again.
    #[inline]
    fn next(&mut self, now: Cycle) -> Option<Cycle> {
        if let Some(node) = self.watched {
            self.ring.slot(now).wake(node.index());
        }
        let near = Due::from(self.ring.next(now));
        near.min(self.wheel.next().into()).get()
    }

    /// One cycle of every node that is awake.
    fn cycle(&mut self, now: Cycle) {
        let slot = self.ring.begin(now);
        for word in 0..self.ring.slots[slot].awake.len() {
            let mut awake = std::mem::take(&mut self.ring.slots[slot].awake[word]);
            while awake != 0 {
                let node = word * 64 + awake.trailing_zeros() as usize;
                awake &= awake - 1;
                if awake != 0 {
                    prefetch(&self.nodes, word * 64 + awake.trailing_zeros() as usize);
                }
                self.step(node, now, slot);
            }
        }
        self.ring.slots[slot].count = 0;
    }

    #[inline]
    fn step(&mut self, node: usize, now: Cycle, slot: usize) {
        self.steps += 1;
        let at = node * self.ring.ports;
        let fed = self.step_sources(node, now, slot);
        let here = &mut self.ring.slots[slot];
        let Ends { arrived, credits } = std::mem::take(&mut here.nodes[node]);
        let mut outputs = Outputs::new(&mut self.outbox, &mut self.outbox_channels);
        let inputs = Inputs {
            arrived,
            words: &here.words[at..at + self.ring.ports],
            credits,
            credit_channels: &here.credit_channels[at..at + self.ring.ports],
            sendable: match &self.wires {
                None => PortSet(u64::MAX),
                Some(wires) => wires.sendable(NodeId(node as u32), now),
            },
        };
        let mut probe = (&mut self.deliveries, &mut self.probe);
        let mut site = Site::new(NodeId(node as u32), &mut self.packets, &mut probe);
        let (router, state) = (&self.network.router, &mut self.nodes[node]);
        step_in_detail(router, state, now, &inputs, &mut outputs, &mut site);
        let next = router.next_step(state, now + 1);
        let (sent, credits) = (outputs.sent, outputs.credits);
        if let Some(wires) = &mut self.wires {
            for port in PortSet(sent.0 & !self.locals.0).iter() {
                let word = self.outbox[port.index()];
                wires.send(NodeId(node as u32), port, word, now);
            }
        }
        self.carry(node, sent, credits);
        let freed = PortSet(credits.0 & self.locals.0);
        if !freed.is_empty() {
            self.free_sources(node, freed, now + 1);
        }
        if fed || !freed.is_empty() {
            self.wake_for_sources(node, now + 1);
        }
        self.wake_again(node, next, now + 1);
        self.report_deliveries(now);
    }

    /// Puts the sources' words on the wires of the local ports. Returns whether a source did anything. Apart from the
    /// others, the first is no turn of a loop where nodes have only one.
    #[inline]
    fn step_sources(&mut self, node: usize, now: Cycle, slot: usize) -> bool {
        let mut fed = self.step_source(node, 0, now, slot);
        for local in 1..self.network.topology.locals() {
            fed |= self.step_source(node, local, now, slot);
        }
        fed
    }

    #[inline]
    fn step_source(&mut self, node: usize, local: usize, now: Cycle, slot: usize) -> bool {
        let Some(terminal) = self.network.topology.source(NodeId(node as u32), local) else {
            return false;
        };
        if self.sources.of(terminal).due() > now {
            return false;
        }
        if let Some(word) = self.sources.step(terminal, now, &mut self.packets) {
            let port = Port(self.local.0 + local as u8);
            let slot = &mut self.ring.slots[slot];
            slot.words[node * self.ring.ports + port.index()] = word;
            slot.nodes[node].arrived.insert(port);
        }
        true
    }

    /// The injection frames at some local ports of a node can take a packet from `from` on.
    #[inline]
    fn free_sources(&mut self, node: usize, ports: PortSet, from: Cycle) {
        for port in ports.iter() {
            let terminal = self.network.topology.source_at(NodeId(node as u32), port);
            if let Some(terminal) = terminal {
                self.sources.free(terminal, from);
            }
        }
    }

    /// Puts what a node has sent on the wires of its neighbours.
    #[inline]
    fn carry(&mut self, node: usize, sent: PortSet, credits: PortSet) {
        // What leaves through a local port goes to the processor.
        let words = PortSet(sent.0 & !self.locals.0);
        let returned = PortSet(credits.0 & !self.locals.0);
        if words.0 | returned.0 == 0 {
            return;
        }
        let (ports, first) = (self.ring.ports, node * self.local.index());
        let own_cycles = |port| {
            let topology = &self.network.topology;
            topology.link_cycles(NodeId(node as u32), port)
        };
        for port in words.iter() {
            let (far, far_port) = self.far_ends[first + port.index()];
            let far = far as usize;
            let there = self.ring.there(own_cycles(port));
            let slot = &mut self.ring.slots[there];
            slot.words[far * ports + far_port.index()] = self.outbox[port.index()];
            slot.nodes[far].arrived.insert(far_port);
            slot.wake(far);
        }
        for port in returned.iter() {
            let (far, far_port) = self.far_ends[first + port.index()];
            let far = far as usize;
            let there = self.ring.there(own_cycles(port));
            let slot = &mut self.ring.slots[there];
            slot.credit_channels[far * ports + far_port.index()] =
                self.outbox_channels[port.index()];
            slot.nodes[far].credits.insert(far_port);
            slot.wake(far);
        }
    }

    /// Schedules the step of a node in which it acts if nothing arrives, unless that is never; `next` is the cycle
    /// after this one.
    #[inline]
    fn wake_again(&mut self, node: usize, acts: Due, next: Cycle) {
        if acts <= next {
            self.ring.slots[self.ring.next].wake(node);
        } else if acts != self.acts_in[node] {
            self.acts_in[node] = acts;
            if let Some(cycle) = acts.get() {
                self.wheel.push(cycle, NodeId(node as u32));
            }
        }
    }

    /// Schedules steps of a node for when its sources have something for it, in `next` at the earliest.
    #[inline]
    fn wake_for_sources(&mut self, node: usize, next: Cycle) {
        self.wake_for_source(node, 0, next);
        for local in 1..self.network.topology.locals() {
            self.wake_for_source(node, local, next);
        }
    }

    #[inline]
    fn wake_for_source(&mut self, node: usize, local: usize, next: Cycle) {
        let Some(terminal) = self.network.topology.source(NodeId(node as u32), local) else {
            return;
        };
        let source = self.sources.of(terminal);
        let due = source.due();
        if !source.is_sending() && due >= self.sources.demand.inject_until {
            return;
        }
        if due <= next {
            self.ring.slots[self.ring.next].wake(node);
        } else if let Some(due) = due.get() {
            self.wheel.push(due, NodeId(node as u32));
        }
    }

    /// Reports to the traffic what has been delivered.
    #[inline]
    fn report_deliveries(&mut self, now: Cycle) {
        if self.deliveries.are_none() {
            return;
        }
        let mut woken = Vec::new();
        self.sources
            .report(&mut self.deliveries, |terminal| woken.push(terminal));
        for terminal in woken {
            let entry = self.network.topology.entry(terminal);
            self.wake_for_sources(entry.index(), now + 1);
        }
    }
}
