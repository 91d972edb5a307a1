//! Mail under way: a ring of cycles for each node, and where its lanes lead.

use super::{MAX_LANES, MAX_SLOTS};
use flitwork_network::Network;
use flitwork_node::{Delays, Lane, Mail, MailRouter, MailWord, Post, Probe, Reported, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Port};
use std::cell::Cell;
use std::hint::select_unpredictable;

/// Mail under way, and the nodes that are awake, by cycle: a ring of slots.
#[derive(Clone)]
pub(super) struct Rings {
    slots: Vec<Slot>,
    pub(super) shape: Shape,
    /// For each lane of each node the other end of its link; the lane itself if it is not a link's.
    far_ends: Vec<FarEnd>,
    /// For each lane of each node the cycles that its link takes, if links have latencies of their own.
    link_cycles: Vec<u32>,
}

/// The other end of a lane: its node, and its lane as a bit.
#[derive(Clone, Copy)]
struct FarEnd {
    node: u32,
    lane: u32,
}

/// The most cycles that a node runs through at once.
const MAX_STRIDE: u32 = 4;
/// How many nodes are checked together.
pub(super) const BLOCK: usize = 64;

/// The mail of one cycle.
#[derive(Clone)]
struct Slot {
    mail: Vec<ArrivalBits>,
    /// For each port of each node the packet whose head arrives.
    heads: Vec<Cell<PacketRef>>,
    /// 1 for each node that is to be stepped and 0 for others, in whole blocks.
    awake: Vec<Cell<u8>>,
}

/// The mail that a node has received so far.
pub(super) type ArrivalBits = Mail<Cell<u32>>;

/// Takes out everything that has arrived.
#[inline]
pub(super) fn take(arrived: &ArrivalBits) -> Mail<u32> {
    Mail {
        words: arrived.words.take(),
        heads: arrived.heads.take(),
        tails: arrived.tails.take(),
        credits: arrived.credits.take(),
    }
}

/// The lists of a slot.
#[derive(Clone, Copy)]
pub(super) struct Day<'a> {
    pub(super) mail: &'a [ArrivalBits],
    heads: &'a [Cell<PacketRef>],
    awake: &'a [Cell<u8>],
}

impl<'a> Day<'a> {
    /// Schedules a step of a node.
    #[inline(always)]
    pub(super) fn wake(&self, node: usize) {
        self.awake[node].set(1);
    }

    /// How many blocks of nodes there are.
    #[inline]
    pub(super) fn blocks(&self) -> usize {
        self.awake.len() / BLOCK
    }

    /// Whether a node is to be stepped; clears that mark.
    #[inline(always)]
    pub(super) fn take_wake(&self, node: usize) -> bool {
        self.awake[node].take() != 0
    }

    /// The nodes of a block that are to be stepped, one bit each.
    #[inline(always)]
    pub(super) fn awake(&self, block: usize) -> u64 {
        /// Moves the lowest bits of eight bytes into the highest byte: the one of byte i by 56 - 7 i.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let cells = &self.awake[block * BLOCK..][..BLOCK];
        let mut awake = 0;
        for (place, eight) in cells.as_chunks::<8>().0.iter().enumerate() {
            let bytes = eight.iter().rev();
            let bytes = bytes.fold(0, |bytes, cell| bytes << 8 | u64::from(cell.get()));
            awake |= (bytes.wrapping_mul(GATHER) >> 56) << (8 * place);
        }
        awake
    }

    /// The mail of a node, which wakes it.
    #[inline(always)]
    fn mail(&self, node: usize) -> &'a ArrivalBits {
        self.wake(node);
        &self.mail[node]
    }

    /// Notes a credit for a lane, or that the node's source is due.
    #[inline(always)]
    pub(super) fn credit(&self, node: usize, credits: u32) {
        let mail = self.mail(node);
        mail.credits.set(mail.credits.get() | credits);
    }

    /// Notes a word for a lane, neither a head nor a tail.
    #[inline(always)]
    fn body(&self, to: FarEnd) {
        let mail = self.mail(to.node as usize);
        mail.words.set(mail.words.get() | to.lane);
    }

    /// Notes a word for a lane.
    #[inline(always)]
    fn word(&self, shape: &Shape, to: FarEnd, word: MailWord) {
        self.body(to);
        self.ends(shape, to, word);
    }

    /// Notes what else there is to a word that has been noted: whether it begins or ends a worm.
    #[inline(always)]
    fn ends(&self, shape: &Shape, to: FarEnd, word: MailWord) {
        let (mail, lane) = (&self.mail[to.node as usize], to.lane);
        debug_assert!(
            mail.words.get() & lane != 0,
            "a head or tail without its word"
        );
        if word.is_tail {
            mail.tails.set(mail.tails.get() | lane);
        }
        if word.is_head {
            mail.heads.set(mail.heads.get() | lane);
            let port = shape.port_of(to);
            self.heads[to.node as usize * shape.ports + port].set(word.packet);
        }
    }
}

/// The fixed properties of rings.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Ports of a node, the local one among them.
    pub(super) ports: usize,
    /// Lanes of a node, and those of links: they come before those of the local port.
    pub(super) lanes: usize,
    link_lanes: usize,
    pub(super) nodes: u32,
    delays: Delays,
    /// Cycles from a step to the arrival of what it posts over links without a latency of their own.
    word_cycles: u32,
    credit_cycles: u32,
    /// The fewest and the most cycles that a link takes.
    least_cycles: u32,
    most_cycles: u32,
    /// Each lane's port, in a table because a division is slow.
    port_of: [u8; MAX_LANES + 1],
}

impl Shape {
    pub(super) fn new<R: MailRouter>(network: &Network<impl Topology, R>) -> Shape {
        let (delays, latency) = (network.router.delays(), network.link_latency_cycles);
        let (least_cycles, most_cycles) = network.latencies().into_inner();
        let ports = network.topology.ports() + 1;
        let channels = usize::from(network.router.channels());
        let lanes = lanes(network);
        Shape {
            ports,
            lanes: lanes.len(),
            link_lanes: (ports - 1) * channels,
            nodes: network.topology.nodes(),
            delays,
            word_cycles: delays.word_cycles + latency,
            credit_cycles: delays.credit_cycles + latency,
            least_cycles,
            most_cycles,
            port_of: std::array::from_fn(|number| lanes.get(number).map_or(0, |lane| lane.port.0)),
        }
    }

    /// The port of a far end's lane.
    #[inline(always)]
    fn port_of(&self, to: FarEnd) -> usize {
        self.port_of[to.lane.trailing_zeros() as usize % (MAX_LANES + 1)].into()
    }

    /// How many slots a ring needs.
    pub(super) fn slots(&self) -> usize {
        (self.longest() + self.stride()) as usize
    }

    /// The most cycles that a message is under way.
    fn longest(&self) -> u32 {
        let delays = self.delays;
        let link = delays.word_cycles.max(delays.credit_cycles) + self.most_cycles;
        link.max(delays.injection_cycles)
    }

    /// How many cycles a node may run through at once: no neighbour observes the first of them before the last.
    pub(super) fn stride(&self) -> u32 {
        let delays = self.delays;
        let soonest = delays.word_cycles.min(delays.credit_cycles) + self.least_cycles;
        let most = (MAX_SLOTS as u32).saturating_sub(self.longest());
        soonest.min(MAX_STRIDE).min(most).max(1)
    }
}

/// The lanes of a node, by number.
fn lanes<R: MailRouter>(network: &Network<impl Topology, R>) -> Vec<Lane> {
    let ports = (0..=network.topology.ports()).map(|port| Port(port as u8));
    let channels = 0..network.router.channels();
    let lane = |port| {
        channels
            .clone()
            .map(move |channel| network.router.lane(port, channel))
    };
    let mut lanes: Vec<Lane> = ports.flat_map(lane).collect();
    lanes.sort_unstable_by_key(|lane| lane.number);
    lanes
}

impl Rings {
    pub(super) fn new<R: MailRouter>(network: &Network<impl Topology, R>) -> Rings {
        let (topology, shape) = (&network.topology, Shape::new(network));
        let Shape { nodes, lanes, .. } = shape;
        let numbered = self::lanes(network);
        let far_end = |node: u32, lane: usize| {
            let Lane { port, channel, .. } = numbered[lane];
            let far = if port == topology.local() {
                Some((NodeId(node), port))
            } else {
                topology.far(NodeId(node), port)
            };
            // Nothing is ever posted beyond the edge.
            let (node, port) = far.unwrap_or((NodeId(u32::MAX), port));
            FarEnd {
                node: node.0,
                lane: 1 << network.router.lane(port, channel).number,
            }
        };
        let ends = (0..nodes).flat_map(|node| (0..lanes).map(move |lane| (node, lane)));
        let link_cycles =
            |(node, lane): (u32, usize)| network.link_cycles(NodeId(node), numbered[lane].port);
        let link_cycles = match network.has_own_latencies() {
            true => ends.clone().map(link_cycles).collect(),
            false => Vec::new(),
        };
        let far_ends = ends.map(|(node, lane)| far_end(node, lane));
        let nodes = nodes as usize;
        let slot = |_| Slot {
            mail: vec![ArrivalBits::default(); nodes],
            heads: vec![Cell::new(PacketRef(0)); nodes * shape.ports],
            awake: vec![Cell::new(0); nodes.next_multiple_of(BLOCK)],
        };
        Rings {
            slots: (0..shape.slots()).map(slot).collect(),
            shape,
            far_ends: far_ends.collect(),
            link_cycles,
        }
    }

    /// How many cycles a ring has.
    #[inline]
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Bytes of memory that a node takes here: its mail and its wires.
    pub(super) fn bytes_a_node(&self) -> usize {
        let Shape { ports, lanes, .. } = self.shape;
        let mail = size_of::<ArrivalBits>() + ports * size_of::<PacketRef>();
        let cycles = if self.link_cycles.is_empty() {
            0
        } else {
            size_of::<u32>()
        };
        self.slots() * (mail + 1) + lanes * (size_of::<FarEnd>() + cycles)
    }

    /// The slot of a cycle.
    #[inline]
    pub(super) fn day(&self, cycle: Cycle) -> Day<'_> {
        let Slot { mail, heads, awake } = &self.slots[cycle.0 as usize % self.slots.len()];
        Day { mail, heads, awake }
    }

    /// The days by the slot of their cycle, with `stride` consecutive cycles from any slot on.
    pub(super) fn days(&self, stride: u32) -> Vec<ArrivalSlots<'_>> {
        let cycles = 0..self.slots() as u32 + stride - 1;
        cycles
            .map(|cycle| ArrivalSlots::new(self, Cycle(cycle)))
            .collect()
    }

    /// Whether no node is to be stepped.
    pub(super) fn are_empty(&self) -> bool {
        let mut awake = self.slots.iter().flat_map(|slot| &slot.awake);
        awake.all(|awake| awake.get() == 0)
    }
}

/// Where nodes post to their neighbours and to themselves in one cycle.
#[derive(Clone, Copy)]
pub(super) struct ArrivalSlots<'a> {
    pub(super) shape: Shape,
    pub(super) today: Day<'a>,
    pub(super) tomorrow: Day<'a>,
    words: Day<'a>,
    credits: Day<'a>,
    injected: Day<'a>,
    room: Day<'a>,
}

impl<'a> ArrivalSlots<'a> {
    fn new(rings: &'a Rings, now: Cycle) -> ArrivalSlots<'a> {
        let shape = rings.shape;
        ArrivalSlots {
            shape,
            today: rings.day(now),
            tomorrow: rings.day(now + 1),
            words: rings.day(now + shape.word_cycles),
            credits: rings.day(now + shape.credit_cycles),
            injected: rings.day(now + shape.delays.injection_cycles),
            room: rings.day(now + shape.delays.injection_cycles.max(1)),
        }
    }
}

/// What a node posts; `OWN` says whether links have latencies of their own.
pub(super) struct Outbox<'a, 'd, const OWN: bool> {
    rings: &'a Rings,
    days: &'d ArrivalSlots<'a>,
    /// The cycle, if it is needed.
    now: Cycle,
    node: usize,
    /// The far ends of all lanes, and where its own begin.
    far_ends: &'a [FarEnd],
    first: usize,
    /// Whether its source may begin another packet.
    pub(super) is_free: bool,
    /// The packet that its source begins, if it does.
    pub(super) begun: PacketRef,
}

impl<'a, 'd, const OWN: bool> Outbox<'a, 'd, OWN> {
    /// The outbox of all nodes in one cycle, for one node after another.
    pub(super) fn new(rings: &'a Rings, days: &'d ArrivalSlots<'a>) -> Outbox<'a, 'd, OWN> {
        Outbox {
            rings,
            days,
            now: Cycle::ZERO,
            node: 0,
            far_ends: &rings.far_ends,
            first: 0,
            is_free: false,
            begun: PacketRef(0),
        }
    }

    /// Turns to another node.
    #[inline(always)]
    pub(super) fn give_to(&mut self, node: usize) {
        self.node = node;
        self.first = node * self.days.shape.lanes;
    }

    /// Turns to another day.
    #[inline(always)]
    pub(super) fn turn_to(&mut self, days: &'d ArrivalSlots<'a>, now: Cycle) {
        self.days = days;
        if OWN {
            self.now = now;
        }
    }
}

impl<'a, const OWN: bool> Outbox<'a, '_, OWN> {
    /// The day in which a word arrives that goes out over a lane's link.
    #[inline(always)]
    fn word_day(&self, lane: Lane) -> Day<'a> {
        match OWN {
            true => self.day_after(self.days.shape.delays.word_cycles, lane),
            false => self.days.words,
        }
    }

    /// The day in which a credit arrives that goes out over a lane's link, or to the node's own source.
    #[inline(always)]
    fn credit_day(&self, lane: Lane) -> Day<'a> {
        let days = self.days;
        match self.is_link(lane) {
            true if OWN => self.day_after(days.shape.delays.credit_cycles, lane),
            is_link => *select_unpredictable(is_link, &days.credits, &days.room),
        }
    }

    /// The day that is some cycles plus the latency of a lane's link from now.
    #[inline]
    fn day_after(&self, cycles: u32, lane: Lane) -> Day<'a> {
        let link_cycles = self.rings.link_cycles[self.first + lane.number];
        self.rings.day(self.now + (cycles + link_cycles))
    }

    /// Where a lane leads.
    #[inline(always)]
    fn far_end(&self, lane: Lane) -> FarEnd {
        self.far_ends[self.first + lane.number]
    }

    /// Whether a lane is a link's.
    #[inline(always)]
    fn is_link(&self, lane: Lane) -> bool {
        lane.number < self.days.shape.link_lanes
    }
}

impl<const OWN: bool> Post for Outbox<'_, '_, OWN> {
    const EVERY_WORD: bool = false;

    #[inline]
    fn head(&self, port: Port) -> PacketRef {
        let days = self.days;
        days.today.heads[self.node * days.shape.ports + port.index()].get()
    }

    #[inline]
    fn begun(&self, _: Port) -> PacketRef {
        self.begun
    }

    #[inline(always)]
    fn word<P: Probe>(&mut self, leaves: Cycle, to: Lane, word: MailWord, site: &mut Site<'_, P>) {
        let (is_end, is_link) = (word.is_head || word.is_tail, self.is_link(to));
        if is_end || site.probe.wants(Reported::Words) {
            word.leave(leaves, (to.port, to.channel), !is_link, site);
        }
        if is_end && is_link {
            self.word_day(to)
                .ends(&self.days.shape, self.far_end(to), word);
        }
    }

    #[inline(always)]
    fn body(&mut self, to: Lane) {
        self.word_day(to).body(self.far_end(to));
    }

    #[inline(always)]
    fn credit(&mut self, from: Lane) {
        let to = self.far_end(from);
        self.credit_day(from).credit(to.node as usize, to.lane);
    }

    #[inline]
    fn inject(&mut self, to: Lane, word: MailWord) {
        let days = self.days;
        days.injected.word(&days.shape, self.far_end(to), word);
    }

    #[inline]
    fn free(&mut self, _: Port) {
        self.is_free = true;
    }
}
