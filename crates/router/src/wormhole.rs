//! The wormhole router: input-queued, with virtual channels and credits (Dally, "Virtual-channel flow
//! control", 1992; Dally and Towles 2004, chapters 16 and 17).
//!
//! ```text
//!            input buffers: one per virtual channel                  switch
//!   north ──▶ [ ■■■■■■■■ ] [ ■■■      ] ──────────────────────────┐
//!   east  ──▶ [          ] [          ] ──────────────────────┐   │     words that cross
//!   south ──▶ [ ■■       ] [          ] ──────────────────┐ ┌─┴───┴─┐ ┌─┬─┐
//!   west  ──▶ [          ] [ ■■■■■    ] ──────────────┐   └─┤       ├─│ │ │──▶ north
//!   source ─▶ injection ──▶ [ ■■■■ ] [ ]              └─────┤   ╳   ├─│ │ │──▶ east
//!                 ▲                                  ┌──────┤       ├─│ │ │──▶ south
//!                 └ a packet's words                 │      │       ├─│ │ │──▶ west
//!                                                    │      └───────┘ └─┴─┘──▶ processor
//!   credits ◀── one per word that left a buffer      │
//!   credits ──▶ wait ──▶ room at the far ends        route ─▶ virtual channel ─▶ switch ─▶ traversal
//! ```
//!
//! A head is routed and then bids for a virtual channel of an output. Then it and the words behind it bid for
//! the switch, word by word. A worm holds its virtual channel from its head to its tail; words of different
//! worms never mix in one.
//!
//! A *lane* is a virtual channel of a port: at an input it has a buffer, at an output a count of the room in
//! the buffer at the far end.

mod buffers;
mod channels;
mod decisions;
mod ejection;
mod injection;
mod keys;
mod order;
mod parameters;
mod registers;
mod report;
mod route;
mod stays;
mod switch;
mod traversal;
mod view;

pub use crate::lanes::MAX_LANES;
pub use keys::RoutedWormhole;
pub use order::PortOrder;
pub use parameters::{
    MAX_BUFFER_WORDS, MAX_STAGE_CYCLES, Reallocation, Speculation, Switching, WormholeParameters,
};
pub use registers::{Any, Counting, Narrow, Node, Plane};

use crate::allocate::{Allocator, Memory, SwitchAllocator, SwitchMemory};
use crate::bits::Bits;
use crate::lanes::Lanes;
use crate::routing::{Rank, Routing};
use flitwork_node::{
    Buffers, Datapath, Delayed, Delays, Incoming, Lane, Passes, Place, Post, Posting, Probe,
    Router, Site, View, Wait,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::marker::PhantomData;
use switch::SwitchBids;

/// The wormhole router on a topology.
pub struct Wormhole<T, N> {
    topology: T,
    parameters: WormholeParameters,
    routing: Box<dyn Routing>,
    /// Whether packets may be derouted.
    deroutes: bool,
    /// Allocates the switch; it knows the lanes of a node.
    switch: SwitchAllocator,
    /// Lanes of links; those of the local port follow them.
    link_lanes: usize,
    local: Port,
    /// Whether every timed wait of a lane is over within two cycles.
    waits_are_short: bool,
    /// Cycles of an ejection credit's round trip, if credits are counted.
    ejection_cycles: Option<u32>,
    node: PhantomData<fn() -> N>,
}

impl<T: Topology, N> Wormhole<T, N> {
    /// Builds the router with validated parameters ([`WormholeParameters::check`]) and a routing function
    /// made for that many virtual channels.
    pub fn new(
        topology: T,
        parameters: WormholeParameters,
        routing: Box<dyn Routing>,
    ) -> Wormhole<T, N> {
        let channels = usize::from(parameters.vcs);
        let (order, local) = (parameters.port_order.of(&topology), topology.local());
        let lanes = Lanes::new(&order, channels);
        Wormhole {
            deroutes: routing.declaration().misroutes > 0,
            routing,
            link_lanes: lanes.count - channels,
            switch: SwitchAllocator {
                allocator: parameters.switch_allocator,
                lanes,
            },
            local,
            waits_are_short: parameters.route_cycles == 1
                && parameters.vc_allocation_cycles <= 2
                && parameters.switch_allocation_cycles <= 1
                && !parameters.speculative,
            ejection_cycles: parameters.ejection_trip_cycles(),
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

    /// The lanes of a node.
    #[inline(always)]
    fn lanes(&self) -> &Lanes {
        &self.switch.lanes
    }

    /// The buffer of an input lane.
    fn input_place(&self, lane: usize) -> Place {
        let (port, channel) = self.lanes().place(lane);
        Place::InputChannel(port, channel)
    }

    /// An output lane.
    fn output_place(&self, lane: usize) -> Place {
        let (port, channel) = self.lanes().place(lane);
        Place::OutputChannel(port, channel)
    }

    /// The output lanes of some choices.
    fn lanes_among<B: Bits>(&self, choices: &Rank) -> B {
        let lanes = choices.iter().map(|choice| {
            let first = self.lanes().number(choice.port, 0);
            B::of(choice.channels) << first as u32
        });
        lanes.fold(B::NONE, |all, lanes| all | lanes)
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Whether a step could do anything if nothing arrived: a word could bid for the switch, a head for an
    /// output lane, the source could send a word, or a lane waits for time to pass.
    #[inline]
    fn acts(&self, state: &Node<B, N, P>) -> bool {
        let going = state.active & state.filled & state.roomy;
        !(going | state.timed).is_empty()
            || state.injection.is_sending() && self.sends_on(state)
            || !state.waiting.is_empty() && self.could_bid(state)
            || self.counts_ejection() && self.awaits_ejection(state)
    }

    /// The first cycle from `now` on in which a step would do anything if nothing arrived and all links took words.
    ///
    /// It is exact, since some of those that bid always win, with one exception: if waits are short, every cycle has a
    /// step while a lane waits, one or two of them, although the head may then find no output lane to bid for.
    fn next_act(&self, state: &Node<B, N, P>, now: Cycle) -> Cycle {
        let going = state.active & state.filled & state.roomy;
        if !(going & !state.timed).is_empty()
            || state.injection.is_sending() && self.sends_on(state)
            || self.waits_are_short && !state.timed.is_empty()
        {
            return now;
        }
        let mut next = Cycle::NEVER;
        for lane in state.waiting.numbers() {
            if self.bids(state, lane).is_empty() {
                continue;
            }
            if !state.timed.has(lane) {
                return now;
            }
            next = next.min(state.inputs[lane].ready);
        }
        for lane in (going & state.timed).numbers() {
            next = next.min(state.inputs[lane].ready);
        }
        if self.counts_ejection() && self.awaits_ejection(state) {
            next = next.min(self.next_ejection_credit(state));
        }
        next.max(now)
    }

    /// Whether any head could bid for an output lane.
    #[inline(never)]
    fn could_bid(&self, state: &Node<B, N, P>) -> bool {
        let mut waiting = state.waiting.numbers();
        waiting.any(|lane| !self.bids(state, lane).is_empty())
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Router for Wormhole<T, Node<B, N, P>> {
    type Node = Delayed<Node<B, N, P>, B>;

    fn nodes(&self) -> Vec<Self::Node> {
        assert!(
            Node::<B, N, P>::fits(self.lanes().ports, &self.parameters),
            "too small a shape"
        );
        let mut empty = Node::new(self.lanes().count, self.parameters.buffer_words);
        empty.ejection = self.ejection();
        let first = self.parameters.matrix_first;
        if self.parameters.vc_allocator == Allocator::Matrix {
            empty.channel_memory = Memory::of_matrices(first);
        }
        if self.parameters.switch_allocator == Allocator::Matrix {
            empty.switch = SwitchMemory::of_ports(Memory::of_matrices(first));
            empty.speculation_memory = Memory::of_matrices(first);
        }
        vec![Delayed::new(empty, &self.delays()); self.topology.nodes() as usize]
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        self.waiting(node, &state.registers, packets)
    }

    fn heap_bytes(&self, state: &Self::Node) -> usize {
        state.heap_bytes() + state.registers.heap_bytes()
    }

    fn packet_words(&self) -> Option<u16> {
        None
    }

    fn longest_packet_words(&self) -> u16 {
        self.parameters.longest_packet_words()
    }

    fn channels(&self) -> u8 {
        self.parameters.vcs
    }

    fn credit_words(&self) -> Option<u32> {
        Some(self.parameters.credit_words())
    }

    /// The input buffers are the only ones, and whatever leaves them passes the switch. A decision (an output
    /// lane for a worm) doesn't move a word yet.
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

impl<T: Topology, B: Bits, const N: usize, const P: usize> Posting for Wormhole<T, Node<B, N, P>> {
    type Registers = Node<B, N, P>;
    type Lanes = B;

    fn delays(&self) -> Delays {
        Delays {
            word_cycles: self.parameters.crossing_cycles(),
            credit_cycles: self.parameters.credit_cycles,
            injection_cycles: self.parameters.injection_cycles,
        }
    }

    #[inline]
    fn lane(&self, port: Port, channel: u8) -> Lane {
        Lane {
            number: self.lanes().number(port, channel),
            port,
            channel,
        }
    }

    #[inline]
    fn local(&self) -> Port {
        self.local
    }

    #[inline]
    fn is_empty(&self, state: &Node<B, N, P>) -> bool {
        // Only lanes that are filled hold words behind others.
        state.filled.is_empty() && !state.injection.is_sending()
    }

    fn has_all_credits(&self, state: &Node<B, N, P>) -> bool {
        let room = self.parameters.buffer_words;
        self.is_empty(state)
            && state.occupied.is_empty()
            && (0..self.link_lanes).all(|lane| state.room_words.get(lane) == room)
    }

    fn stage_cycles(&self) -> u32 {
        let parameters = &self.parameters;
        parameters.hop_cycles() - parameters.crossing_cycles() + parameters.vc_allocation_cycles
    }

    fn next_post(&self, state: &Node<B, N, P>, now: Cycle) -> Cycle {
        self.next_act(state, now)
    }

    /// Every word's place in its packet is kept if words are handled one by one; otherwise that of the first word of a
    /// worm whose head has left and whose tail hasn't come is given as 1, whatever it is.
    fn look_at(&self, node: NodeId, state: &Node<B, N, P>, packets: &Packets, now: Cycle) -> View {
        self.view(node, state, packets, now)
    }

    /// One cycle.
    #[inline(always)]
    fn post<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        incoming: Incoming<B>,
        post: &mut impl Post,
        site: &mut Site<'_, Pr>,
    ) -> bool {
        self.cycle(state, now, incoming, post, site)
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Arriving words go into buffers; then the four stages run, each in its own file:
    ///
    /// 1. route computation (`route`): the output lanes that a head may take;
    /// 2. virtual-channel allocation (`channels`): heads get output lanes;
    /// 3. switch allocation (`switch`): words are chosen to cross the switch in this cycle;
    /// 4. switch traversal (`traversal`): these words leave their buffers.
    ///
    /// The time that a stage takes is a worm's wait before it may bid for the next one (`Node::wait`).
    #[inline(always)]
    fn cycle<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        incoming: Incoming<B>,
        post: &mut impl Post,
        site: &mut Site<'_, Pr>,
    ) -> bool {
        let Incoming {
            mail,
            begun,
            is_fed,
            sendable,
        } = incoming;
        self.use_credits(state, mail.credits);
        let worms = state.occupied | mail.words;
        if worms.is_empty() && begun.is_none() && !state.injection.is_sending() {
            return false;
        }
        if self.counts_ejection() {
            self.take_ejection_credits(state, now);
        }
        let buffered = state.buffered;
        if site.probe.wants_buffered() {
            state.buffered += mail.words.count();
        }
        self.take_bodies(state, mail.words & !mail.heads, mail.tails);
        // If no lane waits for time to pass, none becomes ready.
        if !state.timed.is_empty() {
            state.pass_cycle();
        }
        self.inject(state, now, (begun, is_fed), post, site);
        let mut speculative = B::NONE;
        if !(mail.heads | state.waiting | state.timed).is_empty() {
            self.route_heads(state, now, (mail.heads, mail.tails), post, site);
            speculative = self.allocate_channels(state, now, site);
        }
        let words = self.bid_for_switch(state, (speculative, sendable));
        let bids = SwitchBids { words, speculative };
        if !speculative.is_empty() {
            self.speculate(state, now, (bids, sendable), post, site);
        } else if !words.is_empty() {
            let before = site.is_witnessed().then(|| Box::new(state.clone()));
            let grants = self.allocate_switch(state, words, site.packets);
            if let Some(before) = before {
                self.tell_grants(&before, bids, grants, site);
            }
            self.traverse(state, now, grants, post, site);
        } else {
            self.tell_grants(state, bids, B::NONE, site);
        }
        if site.probe.wants_buffered() && state.buffered != buffered {
            site.probe.buffered(site.node, now, state.buffered);
        }
        self.acts(state)
    }
}
