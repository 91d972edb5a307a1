//! The wormhole router: input-queued, with virtual channels and credits (Dally, "Virtual-channel flow
//! control", 1992; Dally and Towles 2004, chapters 16 and 17).
//!
//! ```text
//!            input buffers: one a virtual channel                    switch
//!   north ──▶ [ ■■■■■■■■ ] [ ■■■      ] ──────────────────────────┐
//!   east  ──▶ [          ] [          ] ──────────────────────┐   │     words that cross
//!   south ──▶ [ ■■       ] [          ] ──────────────────┐ ┌─┴───┴─┐ ┌─┬─┐
//!   west  ──▶ [          ] [ ■■■■■    ] ──────────────┐   └─┤       ├─│ │ │──▶ north
//!   source ─▶ injection ──▶ [ ■■■■ ] [ ]              └─────┤   ╳   ├─│ │ │──▶ east
//!                 ▲                                  ┌──────┤       ├─│ │ │──▶ south
//!                 └ a packet's words                 │      │       ├─│ │ │──▶ west
//!                                                    │      └───────┘ └─┴─┘──▶ processor
//!   credits ◀── one a word that left a buffer        │
//!   credits ──▶ wait ──▶ room at the far ends        route ─▶ virtual channel ─▶ switch ─▶ traversal
//! ```
//!
//! A head is routed, bids for a virtual channel of an output and then, as the words behind it, word by word
//! for the switch. A worm holds its virtual channel from its head to its tail; words of different worms
//! never mix in one.
//!
//! A *lane* is a virtual channel of a port: of an input, where it has a buffer, or of an output, where it
//! has a count of the room in the buffer at the far end.

mod channels;
mod injection;
mod keys;
mod matching;
mod parameters;
mod posting;
mod registers;
mod report;
mod stages;
mod switch;

pub use parameters::{
    MAX_BUFFER_WORDS, MAX_LANES, MAX_STAGE_CYCLES, Reallocation, Switching,
    WormholeParameters,
};
pub use keys::RoutedWormhole;
pub use registers::{Any, Narrow, Node, Plane};

use crate::bits::Bits;
use crate::routing::{Choices, Head, Rank, Routing};
use flitwork_node::{
    Buffers, Datapath, Inputs, Outputs, Passes, Probe, Router, Site, Stepped, Wait,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, PortSet, Word};
use registers::{Behind, Core, InputLane};
use stages::Stepping;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// Where a lane is.
#[derive(Clone, Copy, Debug)]
struct Spot {
    /// The set of its port alone.
    ports: PortSet,
    port: u8,
    channel: u8,
    /// The port and the virtual channel whose turns are after its own.
    next_port: u8,
    next_channel: u8,
}

/// The wormhole router on a topology.
pub struct Wormhole<T, N> {
    topology: T,
    parameters: WormholeParameters,
    routing: Box<dyn Routing>,
    /// Whether packets may be derouted.
    deroutes: bool,
    /// Virtual channels of a link.
    channels: usize,
    /// Ports of a node, the local one included.
    ports: usize,
    /// Lanes of a node, and the same as a multiple of 8.
    lanes: usize,
    places: usize,
    /// Lanes of links: they come before those of the local port.
    link_lanes: usize,
    local: Port,
    /// Whether lanes wait for one or two cycles, and then don't wait any more in any case.
    waits_are_short: bool,
    /// Where each lane is.
    spots: [Spot; MAX_LANES],
    /// The lanes below 32 from a port's first on.
    later: [u32; 8],
    node: PhantomData<fn() -> N>,
}

impl<T: Topology, N> Wormhole<T, N> {
    /// The router with validated parameters ([`WormholeParameters::check`]) and a routing function made
    /// for as many virtual channels.
    pub fn new(
        topology: T,
        parameters: WormholeParameters,
        routing: Box<dyn Routing>,
    ) -> Wormhole<T, N> {
        let channels = usize::from(parameters.vcs);
        let (ports, local) = (topology.ports() + 1, topology.local());
        let lanes = ports * channels;
        assert!(lanes <= MAX_LANES, "{lanes} lanes at a node");
        Wormhole {
            deroutes: routing.declaration().misroutes > 0,
            routing,
            channels,
            ports,
            lanes,
            places: lanes.next_multiple_of(8),
            link_lanes: lanes - channels,
            local,
            waits_are_short: parameters.route_cycles == 1
                && parameters.vc_allocation_cycles <= 2
                && parameters.switch_allocation_cycles <= 1
                && !parameters.speculative,
            spots: std::array::from_fn(|lane| Spot {
                ports: PortSet(1 << (lane / channels % ports)),
                port: (lane / channels % ports) as u8,
                channel: (lane % channels) as u8,
                next_port: ((lane / channels + 1) % ports) as u8,
                next_channel: ((lane + 1) % channels) as u8,
            }),
            later: std::array::from_fn(|port| {
                let first = u32::try_from(port * channels).unwrap_or(u32::MAX);
                u32::MAX.checked_shl(first).unwrap_or(0)
            }),
            topology,
            parameters,
            node: PhantomData,
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &WormholeParameters {
        &self.parameters
    }

    /// The topology.
    pub fn topology(&self) -> &T {
        &self.topology
    }

    /// The lane of a port's virtual channel.
    #[inline]
    fn lane(&self, port: Port, channel: u8) -> usize {
        port.index() * self.channels + usize::from(channel)
    }

    /// The port of a lane, and its virtual channel.
    #[inline]
    fn place(&self, lane: usize) -> (Port, u8) {
        let Spot { port, channel, .. } = self.spot(lane);
        (Port(*port), *channel)
    }

    /// The port of a lane, as a row or a column of the switch.
    #[inline]
    fn port_of(&self, lane: usize) -> usize {
        self.spot(lane).port.into()
    }

    #[inline]
    fn spot(&self, lane: usize) -> &Spot {
        &self.spots[lane % MAX_LANES]
    }

    /// All lanes of a port.
    #[inline]
    fn lanes_of<B: Bits>(&self, port: usize) -> B {
        B::below(self.channels) << (port * self.channels) as u32
    }

    /// The output lanes of some choices.
    fn lanes_among<B: Bits>(&self, choices: &Rank) -> B {
        let lanes = choices.iter().map(|choice| {
            let first = choice.port.index() * self.channels;
            B::of(choice.channels) << first as u32
        });
        lanes.fold(B::NONE, |all, lanes| all | lanes)
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// A worm comes to the front of an input lane: it is routed, and its head may bid after `wait` cycles.
    fn begin(
        &self,
        core: &mut Core<B, N, P>,
        lane: usize,
        worm: Behind,
        (now, wait): (Cycle, u32),
        site: &Site<'_, impl Probe>,
    ) {
        core.occupied.put(lane);
        core.filled.put(lane);
        core.waiting.put(lane);
        core.wait(now, lane, (wait, self.waits_are_short));
        core.fresh.put(lane);
        let packet = &site.packets[worm.worm];
        let front = &mut core.inputs[lane];
        front.worm = worm.worm;
        front.length = packet.words;
        core.words.set(lane, worm.words);
        core.whole.take(lane);
        if worm.whole {
            core.whole.put(lane);
        }
        let (port, channel) = self.place(lane);
        if packet.destination == site.node {
            front.preferred = self.lanes_of(self.local.index());
            front.fallback = B::NONE;
            return;
        }
        let head = Head {
            here: site.node,
            packet: packet.id,
            destination: packet.destination,
            deroutes: packet.deroutes,
            from: (port != self.local).then_some((port, channel)),
        };
        let mut choices = Choices::new();
        self.routing.choices(&head, &mut choices);
        front.preferred = self.lanes_among(&choices.preferred);
        front.fallback = self.lanes_among(&choices.fallback);
    }

    /// A worm's first word comes into the buffer of an input lane.
    #[inline(never)]
    fn take_head(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        lane: usize,
        (worm, whole): (PacketRef, bool),
        site: &Site<'_, impl Probe>,
    ) {
        let worm = Behind {
            worm,
            words: 1,
            whole,
        };
        if !core.occupied.has(lane) {
            self.begin(core, lane, worm, (now, self.parameters.route_cycles), site);
        } else if !core.followed.has(lane) {
            core.followed.put(lane);
            core.inputs[lane].second = worm;
        } else {
            core.crowded.put(lane);
            let none = || vec![VecDeque::new(); self.lanes].into();
            core.more.get_or_insert_with(none)[lane].push_back(worm);
        }
    }

    /// Another word of the last worm comes into the buffer of each of some input lanes; at `tails` its last.
    #[inline(always)]
    fn take_bodies(&self, core: &mut Core<B, N, P>, lanes: B, tails: B) {
        let behind = lanes & core.followed;
        let front = lanes & !behind;
        front.count_in(&mut core.words, self.places);
        core.filled |= front;
        core.whole |= front & tails;
        if !behind.is_empty() {
            Self::take_behind(core, behind, tails);
        }
    }

    /// The same of lanes in which the last worm isn't the first.
    #[inline(never)]
    fn take_behind(core: &mut Core<B, N, P>, lanes: B, tails: B) {
        for lane in lanes.numbers() {
            let more = core.more.as_mut().and_then(|more| more[lane].back_mut());
            let last = more.unwrap_or(&mut core.inputs[lane].second);
            last.words += 1;
            last.whole = tails.has(lane);
        }
    }

    /// A word comes into the buffer of an input lane.
    #[inline]
    fn take_word<Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        lane: usize,
        word: Word,
        site: &Site<'_, Pr>,
    ) {
        if Pr::HEARS_BUFFERED {
            core.buffered += 1;
        }
        let is_tail = word.flit.is_tail();
        if word.flit.is_head() {
            self.take_head(core, now, lane, (word.packet, is_tail), site);
        } else {
            let tails = if is_tail { B::only(lane) } else { B::NONE };
            self.take_bodies(core, B::only(lane), tails);
        }
    }

    /// The worm behind the front of an input lane comes to the front, if there is one.
    #[inline]
    fn follow(
        &self,
        core: &mut Core<B, N, P>,
        lane: usize,
        now: Cycle,
        site: &Site<'_, impl Probe>,
    ) {
        if !core.followed.has(lane) {
            return;
        }
        let worm = core.inputs[lane].second;
        if !core.crowded.has(lane) {
            core.followed.take(lane);
        } else if let Some(more) = &mut core.more {
            let more = &mut more[lane];
            if let Some(next) = more.pop_front() {
                core.inputs[lane].second = next;
            }
            if more.is_empty() {
                core.crowded.take(lane);
            }
        }
        let wait = 1 + self.parameters.route_cycles;
        self.begin(core, lane, worm, (now, wait), site);
    }

    /// The buffers at the far ends of some output lanes have room for one more word.
    #[inline(always)]
    fn use_credits(&self, core: &mut Core<B, N, P>, lanes: B) {
        lanes.count_in(&mut core.room_words, self.places);
        if !(lanes & (core.closed | core.draining)).is_empty() {
            self.open(core, lanes);
        }
    }

    /// There is room again at the far ends of some output lanes, or at last as much as there can be.
    #[inline(never)]
    fn open(&self, core: &mut Core<B, N, P>, lanes: B) {
        // Of a lane that drains the holder is gone.
        let held = !(core.free | core.draining);
        for lane in (lanes & core.closed & held).numbers() {
            core.roomy.put(core.holder[lane].into());
        }
        core.closed &= !lanes;
        for lane in (lanes & core.draining).numbers() {
            if core.room_words.get(lane) == self.parameters.buffer_words {
                core.draining.take(lane);
                core.free.put(lane);
            }
        }
    }

    /// Lanes whose time has come don't wait for it any more.
    #[inline(never)]
    fn pass_time(&self, core: &mut Core<B, N, P>, now: Cycle) {
        for lane in core.timed.numbers() {
            if core.inputs[lane].ready <= now {
                core.timed.take(lane);
            }
        }
    }

    /// Whether a step could do anything if nothing came in: a word could bid for the switch, a head for an
    /// output lane, a word of the source could go on, or a lane waits for time to pass.
    #[inline]
    fn acts(&self, core: &Core<B, N, P>) -> bool {
        let going = core.active & core.filled & core.roomy;
        !(going | core.timed).is_empty()
            || core.injection.is_sending() && self.sends_on(core)
            || !core.waiting.is_empty() && self.could_bid(core)
    }

    /// Whether any head could bid for an output lane.
    #[inline(never)]
    fn could_bid(&self, core: &Core<B, N, P>) -> bool {
        let mut waiting = core.waiting.numbers();
        waiting.any(|lane| !self.bids(core, lane).is_empty())
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Router for Wormhole<T, Node<B, N, P>> {
    type Node = Node<B, N, P>;

    fn nodes(&self) -> Vec<Self::Node> {
        assert!(
            Node::<B, N, P>::fits(self.ports, &self.parameters),
            "too small a shape"
        );
        let empty = Node::new(self.lanes, self.parameters.buffer_words);
        vec![empty; self.topology.nodes() as usize]
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        self.waiting(node, &state.core, packets)
    }

    fn packet_words(&self) -> Option<u16> {
        None
    }

    fn channels(&self) -> u8 {
        self.parameters.vcs
    }

    fn most_words_ahead(&self) -> u32 {
        u32::from(self.parameters.vcs) * u32::from(self.parameters.buffer_words)
    }

    /// The input buffers are the only ones, and what leaves them passes the switch. A decision (an output
    /// lane for a worm) moves no word yet.
    ///
    /// | a word | written | read | crossbar |
    /// |---|---|---|---|
    /// | comes from the source | local input buffer | | |
    /// | goes over a link | the far input buffer | input buffer | once |
    /// | is delivered | | input buffer | once |
    fn datapath(&self) -> Option<Datapath> {
        Some(Datapath {
            injected: Passes::new(1, 0, 0),
            linked: Passes::new(1, 1, 1),
            delivered: Passes::new(0, 1, 1),
            buffers: Buffers::Words("input buffers"),
            ..Datapath::NONE
        })
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Stepped for Wormhole<T, Node<B, N, P>> {
    fn is_idle(&self, state: &Self::Node) -> bool {
        let Node { core, stages } = state;
        // Words stand behind others only where the lane is filled.
        core.filled.is_empty() && !core.injection.is_sending() && !stages.flow()
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        let room = self.parameters.buffer_words;
        self.is_idle(state)
            && state.core.occupied.is_empty()
            && (0..self.link_lanes).all(|lane| state.core.room_words.get(lane) == room)
    }

    fn next_step(&self, state: &Self::Node, now: Cycle) -> Cycle {
        if state.stages.flow() || self.acts(&state.core) {
            now
        } else {
            Cycle::NEVER
        }
    }

    /// The longest that a word or a credit is kept by time alone.
    fn patience_cycles(&self) -> u32 {
        self.parameters.hop_cycles()
            + self.parameters.vc_allocation_cycles
            + self.parameters.credit_cycles
            + self.parameters.injection_cycles
            + 1
    }

    fn step<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let buffered = state.core.buffered;
        let sendable = inputs.sendable;
        self.send_words(&mut state.stages, now, sendable, outputs, site);
        self.take_credits(state, now, inputs);
        self.take_words(state, now, inputs, site);
        let Node { core, stages } = state;
        let mut way = Stepping::new(self, stages, outputs);
        self.send_on(core, now, &mut way, site);
        self.pass_time(core, now);
        let bids = self.allocate_channels(core, now, site);
        self.allocate_switch(core, now, (bids, sendable), &mut way, site);
        if Pr::HEARS_BUFFERED && core.buffered != buffered {
            site.probe.buffered(site.node, now, core.buffered);
        }
    }
}
