//! The synchronous engine for routers whose messages can be posted ahead ([`MailRouter`]).
//!
//! ```text
//!              cycle    now     now + 1   now + 2   now + 3     a ring of slots for each node: in each
//!   mail of a node   ┌───────┬─────────┬─────────┬─────────┐    a bit a lane for words, heads, tails
//!                    │ taken │ credits │         │  words  │    and credits
//!                    └───┬───┴────▲────┴─────────┴────▲────┘
//!                        ▼        │   neighbours      │
//!                      post ──────┴───────────────────┘
//! ```
//!
//! A word that a router sends is a bit in the far node's mail for the cycle of its arrival; only heads say to which
//! packet they belong. A node is stepped in cycles in which it has mail, its source begins a packet, or it said
//! after the previous cycle that it could act. While no node has to be stepped, the clock jumps.
//!
//! Where every message takes two cycles or more over a link, a node runs through that many cycles before the next
//! node does. Nothing can observe the difference except traffic that reacts to deliveries, with which a node runs
//! one cycle at a time. Its registers stay in the cache, and what it does next is mostly what it has just done.

mod rings;
mod run;

use crate::calls::Calls;
use crate::delivered::Deliveries;
use crate::held_back::Clipped;
use crate::prefetch::prefetch_lines;
use crate::wheel::Wheel;
use crate::{Control, Ended, Progress};
use flitwork_network::{Demand, Network, Source};
use flitwork_node::{Incoming, MailRouter, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, PortSet, TerminalId};
use rings::{ArrivalSlots, BLOCK, Outbox, Rings, Shape};
use std::sync::Arc;

/// The most slots of a ring: with more a node's mail takes more memory than its router.
const MAX_SLOTS: usize = 16;
/// The most lanes of a node: one bit more says that its source is due.
const MAX_LANES: usize = 31;
/// The number of nodes from which their memory is prefetched: fewer fit into a near cache.
const LARGE: usize = 1000;
/// How many cache lines of a node are prefetched: all of a usual one.
const LINES: usize = 14;
const SOURCE: u32 = 1 << MAX_LANES;

/// A run of a network, driven by mail.
pub struct MailEngine<T, R: MailRouter, P> {
    rings: Rings,
    walk: Walk<T, R, P>,
}

/// Whether [`MailEngine`] can drive a network: its nodes have at most 31 lanes and a terminal of the plain kind, and no message is under way for
/// more than 15 cycles. None may see what others show.
pub fn can_post<T: Topology, R: MailRouter>(network: &Network<T, R>) -> bool {
    if !network.topology.has_plain_terminals() || network.router.sees_other_nodes() {
        return false;
    }
    let shape = Shape::new(network);
    shape.lanes <= MAX_LANES && shape.slots() <= MAX_SLOTS
}

/// A run without its mail.
struct Walk<T, R: MailRouter, P> {
    network: Arc<Network<T, R>>,
    /// The first cycle that has not been simulated, and the cycle before which nothing else happens.
    now: Cycle,
    stands_at: Cycle,
    /// Cycles since a node was stepped: after as many as the ring has slots no mail is under way.
    quiet: usize,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: Clipped<P>,
    traffic: Traffic,
    /// How many cycles a node takes at once.
    stride: u32,
    steps: u64,
}

/// What the sources make, and when they are due.
#[derive(Clone)]
struct Traffic {
    demand: Demand,
    /// By terminal.
    sources: Vec<Source>,
    /// The cycles in which sources are due, beyond those that nodes already run through.
    wheel: Wheel,
    /// The first cycle that nodes do not run through yet: the wheel has been turned this far.
    until: Cycle,
    fixed: Option<u16>,
}

impl<T: Topology, R: MailRouter, P: Probe> MailEngine<T, R, P> {
    /// A run that has not begun.
    ///
    /// # Panics
    /// If it can't drive the network: see [`can_post`].
    pub fn new(
        network: impl Into<Arc<Network<T, R>>>,
        mut demand: Demand,
        probe: P,
    ) -> MailEngine<T, R, P> {
        let network = network.into();
        assert!(can_post(&network), "too many lanes or slots");
        let terminals = network.topology.terminals();
        let rings = Rings::new(&network);
        // What is delivered may be asked about in the next cycle.
        let stride = match demand.workload.foresees() {
            true => rings.shape.stride(),
            false => 1,
        };
        let mut traffic = Traffic {
            sources: demand.first_sources(terminals),
            wheel: Wheel::new(),
            until: Cycle::ZERO,
            fixed: network.router.packet_words(),
            demand,
        };
        for terminal in (0..terminals).map(TerminalId) {
            let home = network.topology.home(terminal);
            traffic.wake((home, terminal), Cycle::ZERO, &rings);
        }
        let deliveries = Deliveries::new(traffic.demand.workload.as_ref());
        // A packet is delivered in the cycle after the one in which its tail leaves.
        let probe = Clipped::new(probe, deliveries, traffic.demand.end, 1);
        let walk = Walk {
            nodes: network.router.nodes(),
            packets: Packets::new(),
            probe,
            traffic,
            now: Cycle::ZERO,
            stands_at: Cycle::ZERO,
            quiet: 0,
            stride,
            steps: 0,
            network,
        };
        MailEngine { rings, walk }
    }

    /// Bytes of memory that a node takes here: its registers, its mail, its wires and its source.
    pub fn bytes_a_node(&self) -> usize {
        size_of::<R::Node>() + self.rings.bytes_a_node() + size_of::<Source>()
    }
}

impl<T: Topology, R: MailRouter, P: Probe> Walk<T, R, P> {
    /// Runs until the end or until nothing is left to be done, and says which.
    fn cycles_until_end(&mut self, rings: &Rings, control: Control<'_>) -> Ended {
        let (mut calls, mut due) = (Calls::default(), Vec::new());
        let days = rings.days(self.stride);
        loop {
            if calls.are_due(self.steps)
                && control(Progress::at(self.now, self.packets.len())).is_break()
            {
                return Ended::Interrupted;
            }
            if self.quiet >= rings.slots() {
                match self.traffic.wheel.next() {
                    Some(cycle) => self.now = self.now.max(cycle).min(self.probe.end),
                    None => return self.standstill(),
                }
            }
            let now = self.now;
            if now >= self.probe.end {
                let nothing = rings.are_empty() && self.traffic.wheel.next().is_none();
                return match nothing {
                    true => self.standstill(),
                    false => Ended::Deadline,
                };
            }
            self.report_deliveries(now, rings);
            self.traffic.demand.review_if_due(now);
            let count = self.stride.min(self.probe.end.0 - now.0);
            self.traffic.turn_wheel(now + count, &mut due, rings);
            let before = self.steps;
            let first = now.0 as usize % rings.slots();
            let days = &days[first..][..count as usize];
            match self.network.has_own_latencies() {
                true => self.cycles::<true>(rings, now, days),
                false => self.cycles::<false>(rings, now, days),
            }
            self.now += count;
            self.quiet = match self.steps == before {
                true => self.quiet + count as usize,
                false => 0,
            };
        }
    }

    /// How a run has ended in which nothing is left to do.
    fn standstill(&self) -> Ended {
        match self.probe.held_back.has_delivery() {
            true => Ended::Deadline,
            false => Ended::at_rest(self.packets.is_empty()),
        }
    }

    /// Some cycles of every node that is awake: each node runs through all of them before the next node does. `OWN` says whether
    /// links have latencies of their own.
    fn cycles<'r, const OWN: bool>(
        &mut self,
        rings: &'r Rings,
        now: Cycle,
        days: &[ArrivalSlots<'r>],
    ) {
        let is_large = self.nodes.len() >= LARGE;
        let mut site = Site::new(NodeId(0), &mut self.packets, &mut self.probe);
        let mut outbox = Outbox::<OWN>::new(rings, &days[0]);
        for block in 0..days[0].today.blocks() {
            let awake = days.iter().map(|days| days.today.awake(block));
            let mut awake = awake.fold(0, |all, awake| all | awake);
            while awake != 0 {
                let node = block * BLOCK + awake.trailing_zeros() as usize;
                awake &= awake - 1;
                // Fetching a node's memory takes longer than a step.
                if is_large && awake != 0 {
                    let later = block * BLOCK + awake.trailing_zeros() as usize;
                    prefetch_lines(&self.nodes, later, LINES);
                }
                outbox.give_to(node);
                site.node = NodeId(node as u32);
                let state = &mut self.nodes[node].registers;
                for (later, days) in (0..).zip(days) {
                    let now = Cycle(now.0 + later);
                    if !days.today.take_wake(node) {
                        continue;
                    }
                    self.steps += 1;
                    let mut mail = rings::take(&days.today.mail[node]);
                    let mut begun = PortSet::EMPTY;
                    if mail.credits & SOURCE != 0 {
                        mail.credits &= !SOURCE;
                        let at = own_terminal(&self.network, node);
                        if let Some(packet) = self.traffic.step_source(at, now, site.packets, rings)
                        {
                            begun = PortSet::only(self.network.topology.local());
                            outbox.begun = packet;
                        }
                    }
                    outbox.turn_to(days, now);
                    let router = &self.network.router;
                    let incoming = Incoming {
                        mail: mail.resized(),
                        begun,
                        fed: PortSet::EMPTY,
                        sendable: PortSet(u64::MAX),
                    };
                    if router.post(state, now, incoming, &mut outbox, &mut site) {
                        days.tomorrow.wake(node);
                    }
                    if std::mem::take(&mut outbox.is_free) {
                        let at = own_terminal(&self.network, node);
                        self.traffic.free(at, now + 1, rings);
                    }
                }
            }
        }
    }

    /// Reports to the traffic what has been delivered by the beginning of cycle `now`.
    #[inline]
    fn report_deliveries(&mut self, now: Cycle, rings: &Rings) {
        if self.probe.deliveries.are_none() {
            return;
        }
        let mut woken = Vec::new();
        let workload = self.traffic.demand.workload.as_mut();
        let deliveries = &mut self.probe.deliveries;
        let wake = |terminal| woken.push(terminal);
        deliveries.report(now.into(), workload, |cycle| cycle, wake);
        for terminal in woken {
            let home = self.network.topology.home(terminal);
            self.traffic.sources[terminal.index()].wake();
            self.traffic.wake((home, terminal), now, rings);
        }
    }
}

/// A node whose source has something for it, or whose injection frame is free, and its terminal.
#[inline]
fn own_terminal<T: Topology, R>(network: &Network<T, R>, node: usize) -> (NodeId, TerminalId) {
    let node = NodeId(node as u32);
    let terminal = network.terminal(node);
    (node, terminal.expect("a node with a source has a terminal"))
}

impl Traffic {
    /// Wakes the nodes whose sources are due before a cycle.
    fn turn_wheel(&mut self, until: Cycle, due: &mut Vec<NodeId>, rings: &Rings) {
        self.until = until;
        while let Some(cycle) = self.wheel.next()
            && cycle < until
        {
            self.wheel.pop(due);
            let day = rings.day(cycle);
            due.iter().for_each(|node| day.credit(node.index(), SOURCE));
        }
    }

    /// The packet that the source of a node's terminal begins, if it does.
    #[inline(never)]
    fn step_source(
        &mut self,
        (node, terminal): (NodeId, TerminalId),
        now: Cycle,
        packets: &mut Packets,
        rings: &Rings,
    ) -> Option<PacketRef> {
        let (fixed, until) = (self.fixed, self.demand.inject_until);
        let source = &mut self.sources[terminal.index()];
        let workload = &mut self.demand.workload;
        let ask = |now| workload.next(terminal, now);
        source.begin_due(terminal, (now, until), fixed, packets, ask);
        let begun = source.hand_over();
        self.wake((node, terminal), now + 1, rings);
        begun
    }

    /// The source of a node's terminal may begin a packet from cycle `next` on.
    #[inline(never)]
    fn free(&mut self, at: (NodeId, TerminalId), next: Cycle, rings: &Rings) {
        self.sources[at.1.index()].free(next);
        self.wake(at, next, rings);
    }

    /// Schedules a step of a node for when its terminal's source has something for it, in `next` at the earliest.
    fn wake(&mut self, (node, terminal): (NodeId, TerminalId), next: Cycle, rings: &Rings) {
        let due = self.sources[terminal.index()].begins_at().get();
        let Some(due) = due.filter(|due| *due < self.demand.inject_until) else {
            return;
        };
        if due <= next {
            rings.day(next).credit(node.index(), SOURCE);
        } else if due < self.until {
            rings.day(due).credit(node.index(), SOURCE);
        } else {
            self.wheel.push(due, node);
        }
    }
}
