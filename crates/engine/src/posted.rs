//! The synchronous engine for routers whose messages can be posted ahead ([`Posting`]).
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
//! A word that is let go is a bit in the far node's mail of the cycle in which it gets there; only heads say
//! whose they are. A node is stepped in cycles in which it has mail, its source begins a packet, or it said
//! after the cycle before that it could act. Where no node has to be stepped the clock jumps.

use crate::delivered::Deliveries;
use crate::prefetch::prefetch;
use crate::wheel::Wheel;
use crate::{Control, Ended, Engine, Outcome, Progress, all_waits};
use flitwork_network::{Load, Network, Source};
use flitwork_node::{Delays, Event, Mail, Post, Posting, Probe, Site, Wait};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, PacketRef, Packets, Port, Word};

/// How many steps lie between two calls of the control.
const STEPS_BETWEEN_CALLS: u64 = 1 << 16;
/// The most slots of a ring: with more a node's mail takes more memory than its router.
const MAX_SLOTS: u32 = 16;
/// The most lanes of a node: one bit more says that its source is due.
const MAX_LANES: usize = 31;
const SOURCE: u32 = 1 << MAX_LANES;

/// A run of a network, mail by mail.
pub struct Posted<'a, T, R: Posting, P> {
    network: &'a Network<T, R>,
    load: Load,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: Clipped<P>,
    sources: Vec<Source>,
    rings: Rings,
    /// The cycles in which sources are due, as far as they lie beyond the next.
    wheel: Wheel,
    fixed: Option<u16>,
    steps: u64,
}

/// A probe that is told nothing of what would happen after the end, and who tells the traffic.
struct Clipped<P> {
    probe: P,
    deliveries: Deliveries,
    end: Cycle,
}

impl<P: Probe> Probe for Clipped<P> {
    const HEARS_WORDS: bool = P::HEARS_WORDS;

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        // A packet is delivered in the cycle after the one in which its tail leaves.
        let is_delivery = matches!(event, Event::Delivered { .. });
        if cycle < self.end + u32::from(is_delivery) {
            self.deliveries.event(node, cycle, event);
            self.probe.event(node, cycle, event);
        }
    }

    #[inline]
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        if cycle < self.end {
            self.probe.word(node, cycle, port, packet, word);
        }
    }

    #[inline]
    fn scheduled(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        cycle: Cycle,
        packet: PacketRef,
        port: Port,
    ) {
        self.probe.scheduled(packets, node, cycle, packet, port);
    }
}

/// Mail under way, and the nodes that are awake, by cycle: rings of slots, a power of two of them.
struct Rings {
    slots: usize,
    ports: usize,
    channels: usize,
    local: Port,
    /// For each node its slots, behind each other.
    mail: Vec<Mail>,
    /// For each of these slots, by port, whose head comes in.
    heads: Vec<PacketRef>,
    /// For each link port of each node the far node, and the first lane of the port there.
    far_ends: Vec<(u32, u32)>,
    /// For each slot a bit a node, and whether any is set.
    awake: Vec<u64>,
    words: usize,
    any: Vec<bool>,
    delays: Delays,
    link_latency_cycles: u32,
}

impl Rings {
    fn new<R: Posting>(network: &Network<impl Topology, R>) -> Rings {
        let topology = &network.topology;
        let (nodes, links) = (topology.nodes(), topology.ports());
        let channels = usize::from(network.router.channels());
        let slots = slots(network) as usize;
        let ends = (0..nodes).flat_map(|node| (0..links).map(move |port| (node, port)));
        let far_ends = ends.map(|(node, port)| {
            let port = Port(port as u8);
            let far = topology.neighbour(NodeId(node), port);
            let lane = topology.opposite(port).index() * channels;
            (far.map_or(u32::MAX, |far| far.0), lane as u32)
        });
        let (count, words) = (nodes as usize, (nodes as usize).div_ceil(64));
        Rings {
            slots,
            ports: links + 1,
            channels,
            local: topology.local(),
            mail: vec![Mail::default(); count * slots],
            heads: vec![PacketRef(0); count * slots * (links + 1)],
            far_ends: far_ends.collect(),
            awake: vec![0; words * slots],
            words,
            any: vec![false; slots],
            delays: network.router.delays(),
            link_latency_cycles: network.link_latency_cycles,
        }
    }

    #[inline]
    fn slot(&self, cycle: Cycle) -> usize {
        cycle.0 as usize & (self.slots - 1)
    }

    /// A node is to be stepped in a slot's cycle.
    #[inline]
    fn wake(&mut self, node: usize, slot: usize) {
        self.awake[slot * self.words + node / 64] |= 1 << (node % 64);
        self.any[slot] = true;
    }

    /// The mail of a node in a slot, which wakes it.
    #[inline]
    fn mail(&mut self, node: usize, slot: usize) -> &mut Mail {
        self.wake(node, slot);
        &mut self.mail[node * self.slots + slot]
    }

    /// The first cycle from `now` on in which a node is awake.
    #[inline]
    fn next(&self, now: Cycle) -> Option<Cycle> {
        let mut cycles = (0..self.slots as u32).map(|later| now + later);
        cycles.find(|cycle| self.any[self.slot(*cycle)])
    }
}

/// How many slots a ring needs.
fn slots<R: Posting>(network: &Network<impl Topology, R>) -> u32 {
    let delays = network.router.delays();
    let over_links = delays.word_cycles.max(delays.credit_cycles) + network.link_latency_cycles;
    let longest = over_links.max(delays.injection_cycles);
    (longest + 1).next_power_of_two()
}

/// A node's way to its neighbours in one cycle.
struct Outbox<'a> {
    rings: &'a mut Rings,
    node: usize,
    now: Cycle,
    is_free: bool,
}

impl Outbox<'_> {
    /// The far node of a port and the first lane there.
    #[inline]
    fn far_end(&self, port: Port) -> (usize, u32) {
        let links = self.rings.ports - 1;
        let (far, lane) = self.rings.far_ends[self.node * links + port.index()];
        (far as usize, lane)
    }

    /// A word gets to a node's lane in `cycle`.
    #[inline]
    fn put(&mut self, node: usize, lane: u32, word: Word, cycle: Cycle) {
        let slot = self.rings.slot(cycle);
        let mail = self.rings.mail(node, slot);
        let bit = 1 << lane;
        mail.words |= bit;
        mail.tails |= u32::from(word.flit.is_tail()) << lane;
        if word.flit.is_head() {
            mail.heads |= bit;
        }
    }
}

impl Post for Outbox<'_> {
    #[inline]
    fn head(&self, port: Port) -> PacketRef {
        let rings = &*self.rings;
        let slot = self.node * rings.slots + rings.slot(self.now);
        rings.heads[slot * rings.ports + port.index()]
    }

    #[inline]
    fn word(&mut self, port: Port, word: Word) {
        let (far, lane) = self.far_end(port);
        let cycles = self.rings.delays.word_cycles + self.rings.link_latency_cycles;
        self.put(far, lane + u32::from(word.channel), word, self.now + cycles);
        if word.flit.is_head() {
            let slot = far * self.rings.slots + self.rings.slot(self.now + cycles);
            let far_port = lane as usize / self.rings.channels;
            self.rings.heads[slot * self.rings.ports + far_port] = word.packet;
        }
    }

    #[inline]
    fn credit(&mut self, port: Port, channel: u8) {
        let (far, lane) = self.far_end(port);
        let cycles = self.rings.delays.credit_cycles + self.rings.link_latency_cycles;
        let slot = self.rings.slot(self.now + cycles);
        self.rings.mail(far, slot).credits |= 1 << (lane + u32::from(channel));
    }

    #[inline]
    fn inject(&mut self, word: Word) {
        let local = self.rings.local.index();
        let lane = (local * self.rings.channels) as u32 + u32::from(word.channel);
        let arrives = self.now + self.rings.delays.injection_cycles;
        self.put(self.node, lane, word, arrives);
        if word.flit.is_head() {
            let slot = self.node * self.rings.slots + self.rings.slot(arrives);
            self.rings.heads[slot * self.rings.ports + local] = word.packet;
        }
    }

    #[inline]
    fn room(&mut self, channel: u8) {
        let lane = self.rings.local.index() * self.rings.channels + usize::from(channel);
        let cycles = self.rings.delays.injection_cycles.max(1);
        let slot = self.rings.slot(self.now + cycles);
        self.rings.mail(self.node, slot).credits |= 1 << lane;
    }

    #[inline]
    fn free(&mut self) {
        self.is_free = true;
    }
}

impl<T: Topology, R: Posting, P: Probe> Engine for Posted<'_, T, R, P> {
    type Probe = P;

    fn run(&mut self, control: Control<'_>) -> Outcome {
        let (mut now, mut due) = (Cycle::ZERO, Vec::new());
        let ended = loop {
            let Some(next) = self.next(now) else {
                now = now.min(self.load.end);
                break if self.packets.is_empty() {
                    Ended::Empty
                } else {
                    Ended::Stuck
                };
            };
            now = next;
            if now >= self.load.end {
                break Ended::Deadline;
            }
            self.tell_deliveries(now);
            self.wake_sources(now, &mut due);
            let before = self.steps / STEPS_BETWEEN_CALLS;
            self.cycle(now);
            now += 1;
            if self.steps / STEPS_BETWEEN_CALLS != before {
                let progress = Progress {
                    cycle: now,
                    in_network: self.packets.len(),
                };
                if control(progress).is_break() {
                    break Ended::Interrupted;
                }
            }
        };
        let cycle = match ended {
            // Where nothing can move any more, the rest of the run is known.
            Ended::Deadline | Ended::Stuck => self.load.end,
            Ended::Empty | Ended::Interrupted => now,
        };
        let end = match ended {
            Ended::Interrupted => now,
            _ => self.load.end,
        };
        self.tell_deliveries(end);
        let (sources, probe) = (&mut self.sources, &mut self.probe.probe);
        Outcome {
            ended,
            cycle,
            steps: self.steps,
            backlog: self.load.leave_over(sources, end, self.fixed, probe),
        }
    }

    fn waits(&self, now: Cycle) -> Vec<Wait> {
        all_waits(&self.network.router, &self.nodes, &self.packets, now)
    }

    fn into_probe(self) -> P {
        self.probe.probe
    }
}

impl<'a, T: Topology, R: Posting, P: Probe> Posted<'a, T, R, P> {
    /// Whether this engine can drive a network: its nodes have at most 31 lanes, and no message is under way
    /// for more than 15 cycles.
    pub fn takes(network: &Network<T, R>) -> bool {
        let ports = network.topology.ports() + 1;
        let lanes = ports * usize::from(network.router.channels());
        lanes <= MAX_LANES && slots(network) <= MAX_SLOTS
    }

    /// A run that has not begun.
    ///
    /// # Panics
    /// Where it can't drive the network: see [`Posted::takes`].
    pub fn new(network: &'a Network<T, R>, mut load: Load, probe: P) -> Posted<'a, T, R, P> {
        assert!(Posted::<T, R, P>::takes(network), "too many lanes or slots");
        let count = network.topology.nodes();
        let mut engine = Posted {
            nodes: network.router.nodes(),
            packets: Packets::new(),
            probe: Clipped {
                probe,
                deliveries: Deliveries::new(load.workload.as_ref()),
                end: load.end,
            },
            sources: load.first_sources(count),
            rings: Rings::new(network),
            wheel: Wheel::new(),
            fixed: network.router.packet_words(),
            steps: 0,
            network,
            load,
        };
        for node in 0..count as usize {
            engine.wake_for_source(node, Cycle::ZERO);
        }
        engine
    }

    /// The first cycle from `now` on in which a node is awake; none where nothing will ever happen again.
    #[inline]
    fn next(&self, now: Cycle) -> Option<Cycle> {
        match (self.rings.next(now), self.wheel.next()) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Nodes whose sources are due in this cycle are awake.
    fn wake_sources(&mut self, now: Cycle, due: &mut Vec<NodeId>) {
        if self.wheel.next() != Some(now) {
            return;
        }
        self.wheel.pop(due);
        let slot = self.rings.slot(now);
        for node in due {
            self.rings.mail(node.index(), slot).credits |= SOURCE;
        }
    }

    /// One cycle of every node that is awake.
    fn cycle(&mut self, now: Cycle) {
        let slot = self.rings.slot(now);
        let words = self.rings.words;
        for word in 0..words {
            let mut awake = std::mem::take(&mut self.rings.awake[slot * words + word]);
            while awake != 0 {
                let node = word * 64 + awake.trailing_zeros() as usize;
                awake &= awake - 1;
                if awake != 0 {
                    prefetch(&self.nodes, word * 64 + awake.trailing_zeros() as usize);
                }
                self.step(node, now, slot);
            }
        }
        self.rings.any[slot] = false;
    }

    #[inline]
    fn step(&mut self, node: usize, now: Cycle, slot: usize) {
        self.steps += 1;
        let place = node * self.rings.slots + slot;
        let mut mail = std::mem::take(&mut self.rings.mail[place]);
        let begun = if mail.credits & SOURCE != 0 {
            mail.credits &= !SOURCE;
            self.feed(node, now)
        } else {
            None
        };
        let mut outbox = Outbox {
            rings: &mut self.rings,
            node,
            now,
            is_free: false,
        };
        let mut site = Site {
            node: NodeId(node as u32),
            packets: &mut self.packets,
            probe: &mut self.probe,
        };
        let (router, state) = (&self.network.router, &mut self.nodes[node]);
        let acts = router.post(state, now, (mail, begun), &mut outbox, &mut site);
        let is_free = outbox.is_free;
        if !self.probe.deliveries.are_none() {
            // The traffic is told even where no node is awake then.
            let cycles = self.rings.delays.word_cycles + 1;
            let slot = self.rings.slot(now + cycles);
            self.rings.any[slot] = true;
        }
        if acts {
            let next = self.rings.slot(now + 1);
            self.rings.wake(node, next);
        }
        if is_free {
            self.sources[node].free(now + 1);
            self.wake_for_source(node, now + 1);
        }
    }

    /// The packet that a node's source begins.
    fn feed(&mut self, node: usize, now: Cycle) -> Option<PacketRef> {
        let (id, until) = (NodeId(node as u32), self.load.inject_until);
        let (source, workload) = (&mut self.sources[node], &mut self.load.workload);
        let begun = source.hand_over(id, (now, until), self.fixed, &mut self.packets, |now| {
            workload.next(id, now)
        });
        self.wake_for_source(node, now + 1);
        begun
    }

    /// A node is to be stepped when its source has something for it, `next` at the earliest.
    fn wake_for_source(&mut self, node: usize, next: Cycle) {
        let due = self.sources[node].begins_at();
        if due >= self.load.inject_until {
            return;
        }
        if due <= next {
            let slot = self.rings.slot(next);
            self.rings.mail(node, slot).credits |= SOURCE;
        } else {
            self.wheel.push(due, NodeId(node as u32));
        }
    }

    /// The traffic learns of what has been delivered by the beginning of cycle `now`.
    #[inline]
    fn tell_deliveries(&mut self, now: Cycle) {
        if self.probe.deliveries.are_none() {
            return;
        }
        let mut woken = Vec::new();
        let workload = self.load.workload.as_mut();
        let deliveries = &mut self.probe.deliveries;
        deliveries.tell_until(now, workload, |cycle| cycle, |node| woken.push(node));
        for node in woken {
            self.sources[node.index()].wake();
            self.wake_for_source(node.index(), now);
        }
    }
}
