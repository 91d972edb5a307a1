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
//!
//! A cycle ([`MailRouter::post`]) is these stages, one after the other, each for all lanes at once:
//!
//! | stage | functions | what happens | cycles |
//! |---|---|---|---|
//! | credits | `take_credits`, `take_ejection_credits` | there is more room at the far ends of output lanes | `credit_cycles` |
//! | arrival | `take_bodies` | words go into input lanes behind their heads | |
//! | injection | `inject` | the source's next word goes to a local lane | `injection_cycles` |
//! | routing | `route_heads` | heads that arrive learn which output lanes they may take | `route_cycles` |
//! | channels | `allocate_channels` | routed heads bid for free output lanes | `vc_allocation_cycles` |
//! | switch | `bid_for_switch`, `allocate_switch` | words with a lane and a credit bid; one a port crosses | `switch_allocation_cycles` |
//! | speculation | `allocate_speculatively` | heads that have just bid for a lane bid for the switch, too | |
//! | traversal | `traverse` | granted words leave, and their credits; a tail frees its lanes | `traversal_cycles` |
//!
//! Speculation saves a head the cycles of the channels' stage. A stage's cycles are a wait of the worm before the next stage
//! (`Node::wait`), except those of credits, injection and traversal: these are [delay lines](Delays) around the cycle, and
//! that to the links begins with the switch's cycles.
//!
//! A node keeps these [registers](Node). The letters are those of Dally and Towles, section 16.1: of an input lane its state
//! G (idle, routing, waiting, active), its route R, its output lane O and its words P; of an output lane its input lane I and
//! its credits C.
//!
//! | registers | of | what they are | stages |
//! |---|---|---|---|
//! | `room_words`, `no_credit` | output lane | credits (C), and whether there are none | credits, traversal |
//! | `ejection` | local output lane | credits from the processor, if they are counted | credits, traversal |
//! | `occupied`, `inputs` | input lane | whether a worm is at the front (G), and which; where it may go (R) | all |
//! | `words`, `has_word`, `has_tail` | input lane | its words here (P), whether there are any, and the last | arrival, traversal |
//! | `has_second`, `has_third`, `more` | input lane | the worms behind it | arrival, traversal |
//! | `injection`, `begun` | source | its packet, and how much of it has come and moved on | injection |
//! | `in_stage`, `expires_next` | input lane | whether its worm is in a stage that takes time, and how long | all |
//! | `waiting` | input lane | whether its head waits for an output lane (G) | routing, channels |
//! | `free`, `draining`, `holder` | output lane | whether it is to be had, now or once empty; who has it (I) | channels, traversal |
//! | `active`, `output`, `has_credit` | input lane | whether it has an output lane (G), which (O), a credit | channels to traversal |
//! | `open` | output lane | whether blind speculative bids are for it | speculation |
//! | `channel_memory`, `switch`, `speculation_memory` | allocators | whom they grant first | channels to speculation |
//! | `at_head`, `sent_words` | input lane | whether its next word is the head; which word it is | traversal |
//!
//! A stage is in the file of its name: credits and arrival in `buffers`, the processor's credits in `ejection`, routing in
//! `route`, speculation in `switch`. A step's witness is told by `decisions` what the stages decide, and by `stays` why worms
//! stay.

mod buffers;
mod channels;
mod decisions;
mod ejection;
mod injection;
mod keys;
mod order;
mod parameters;
mod queues;
mod registers;
mod report;
mod route;
mod stays;
mod switch;
mod traversal;
mod verdicts;
mod view;

pub use crate::lanes::MAX_LANES;
pub use keys::RoutedWormhole;
pub use order::{FirstTurn, PortOrder};
pub use parameters::{
    MAX_BUFFER_WORDS, MAX_STAGE_CYCLES, Reallocation, Speculation, Switching, WormholeParameters,
};
pub use registers::{Any, Counting, Middle, Narrow, Node, Plane, Shared, Wide};

use crate::allocate::{Allocator, Memory, SwitchAllocator, SwitchMemory};
use crate::bits::Bits;
use crate::lanes::Lanes;
use crate::parameters::Epoch;
use crate::routing::{Rank, Routing, Sees};
use flitwork_node::{
    Buffers, Datapath, Delayed, Delays, Incoming, Lane, MailRouter, Passes, Place, Post, Probe,
    Reported, Router, Site, View, Wait,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Packets, Port, PortSet};
use std::marker::PhantomData;

/// The wormhole router on a topology.
pub struct Wormhole<T, N> {
    topology: T,
    parameters: WormholeParameters,
    routing: Box<dyn Routing>,
    /// Which queues the routing function looks at.
    sees: Sees,
    /// Whether packets may be derouted.
    deroutes: bool,
    /// Allocates the switch; it knows the lanes of a node.
    switch: SwitchAllocator,
    /// Lanes of links; those of local ports follow them.
    link_lanes: usize,
    /// The first local port, and all of them.
    local: Port,
    local_ports: PortSet,
    /// Whether every timed wait of a lane is over within two cycles.
    waits_are_short: bool,
    /// Cycles of an ejection credit round trip, if credits are counted.
    ejection_cycles: Option<u32>,
    /// When packets are injected that find the links for which the router is built, if links may fail.
    epoch: Option<Epoch>,
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
            sees: routing.sees(),
            deroutes: routing.declaration().misroutes > 0,
            routing,
            link_lanes: lanes.count - channels * topology.locals(),
            switch: SwitchAllocator {
                allocator: parameters.switch_allocator,
                lanes,
            },
            local,
            local_ports: topology.local_ports(),
            waits_are_short: parameters.route_cycles == 1
                && parameters.vc_allocation_cycles <= 2
                && parameters.switch_allocation_cycles <= 1
                && !parameters.speculative,
            ejection_cycles: parameters.ejection_trip_cycles(),
            epoch: None,
            topology,
            parameters,
            node: PhantomData,
        }
    }

    /// The same router, whose links are those of the network only for some time.
    #[must_use]
    pub fn within(self, epoch: Option<Epoch>) -> Wormhole<T, N> {
        Wormhole { epoch, ..self }
    }

    /// The lanes of a node.
    #[inline(always)]
    fn lanes(&self) -> &Lanes {
        &self.switch.lanes
    }

    /// Whether a port is a local one.
    #[inline]
    fn is_local(&self, port: Port) -> bool {
        port >= self.local
    }

    /// The lanes of all local ports.
    #[inline]
    fn local_lanes<B: Bits>(&self) -> B {
        B::below(self.lanes().count) & !B::below(self.link_lanes)
    }

    /// The lane of a local port's virtual channel; local ports are counted from 0.
    #[inline]
    fn local_lane(&self, local: usize, channel: u8) -> usize {
        self.link_lanes + local * self.lanes().channels + usize::from(channel)
    }

    /// The place of what a source sends before it is in a lane.
    fn source_place(&self, local: usize) -> Place {
        Place::Input(Port(self.local.0 + local as u8))
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

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize> MailRouter
    for Wormhole<T, Node<B, N, P, L>>
{
    type Registers = Node<B, N, P, L>;
    type Lanes = B;

    /// The stages of a cycle.
    #[inline(always)]
    fn post<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        incoming: Incoming<B>,
        post: &mut impl Post,
        site: &mut Site<'_, Pr>,
    ) -> bool {
        let Incoming {
            mail,
            begun,
            fed,
            sendable,
        } = incoming;
        self.take_credits(state, mail.credits);
        let worms = state.occupied | mail.words;
        if worms.is_empty() && begun.is_empty() && !state.is_sending() {
            if self.sees == Sees::Network {
                self.show_queues(state, now, site);
            }
            return false;
        }
        if self.counts_ejection() {
            self.take_ejection_credits(state, now);
        }
        let buffered = state.buffered;
        if site.probe.wants(Reported::Buffered) {
            state.buffered += mail.words.count();
        }
        self.take_bodies(state, mail.words & !mail.heads, mail.tails);
        // If no lane waits for time to pass, none becomes ready.
        if !state.in_stage.is_empty() {
            state.end_short_waits();
        }
        self.inject(state, now, (begun, fed), post, site);
        let mut speculative = B::NONE;
        if !(mail.heads | state.waiting | state.in_stage).is_empty() {
            self.route_heads(state, now, (mail.heads, mail.tails), post, site);
            speculative = self.allocate_channels(state, now, site);
        }
        let bids = self.bid_for_switch(state, (speculative, sendable));
        if bids.speculative.is_empty() {
            self.cross(state, now, bids, post, site);
        } else {
            self.cross_speculatively(state, now, (bids, sendable), post, site);
        }
        if site.probe.wants(Reported::Buffered) && state.buffered != buffered {
            site.probe.buffered(site.node, now, state.buffered);
        }
        if self.sees == Sees::Network {
            self.show_queues(state, now, site);
        }
        self.acts(state)
    }

    fn reroute_registers<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        site: &mut Site<'_, Pr>,
    ) {
        self.route_again(state, now, site);
    }

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

    fn sees_other_nodes(&self) -> bool {
        self.sees == Sees::Network
    }

    #[inline]
    fn is_empty(&self, state: &Node<B, N, P, L>) -> bool {
        // Only lanes that hold a word of the worm at the front hold words behind it.
        state.has_word.is_empty() && !state.is_sending()
    }

    fn has_all_credits(&self, state: &Node<B, N, P, L>) -> bool {
        let room = self.parameters.buffer_words;
        self.is_empty(state)
            && state.occupied.is_empty()
            && (0..self.link_lanes).all(|lane| state.room_words.get(lane) == room)
    }

    fn stage_cycles(&self) -> u32 {
        let parameters = &self.parameters;
        parameters.hop_cycles() - parameters.crossing_cycles() + parameters.vc_allocation_cycles
    }

    /// The first cycle from `now` on in which a step would do anything if nothing arrived and all links took words.
    ///
    /// It is exact, since some of those that bid always win, with one exception: if waits are short, every cycle has a
    /// step while a lane waits, one or two of them, although the head may then find no output lane to bid for.
    fn next_post(&self, state: &Node<B, N, P, L>, now: Cycle) -> Due {
        let going = state.can_cross();
        if !(going & !state.in_stage).is_empty()
            || self.sends_on(state)
            || self.waits_are_short && !state.in_stage.is_empty()
        {
            return now.into();
        }
        let mut next = Due::NEVER;
        for lane in state.waiting.numbers() {
            if self.bids(state, lane).is_empty() {
                continue;
            }
            if !state.in_stage.has(lane) {
                return now.into();
            }
            next = next.min(state.inputs[lane].ready.into());
        }
        for lane in (going & state.in_stage).numbers() {
            next = next.min(state.inputs[lane].ready.into());
        }
        if self.counts_ejection() && self.awaits_ejection(state) {
            next = next.min(self.next_ejection_credit(state));
        }
        next.not_before(now)
    }

    /// Every word's place in its packet is kept if words are handled one by one; otherwise that of the first word of a
    /// worm whose head has left and whose tail hasn't come is given as 1, whatever it is.
    fn look_at(
        &self,
        node: NodeId,
        state: &Node<B, N, P, L>,
        packets: &Packets,
        now: Cycle,
    ) -> View {
        self.view(node, state, packets, now)
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// Whether a step could do anything if nothing arrived: a word could bid for the switch, a head for an
    /// output lane, the source could send a word, or a lane waits for time to pass.
    #[inline]
    fn acts(&self, state: &Node<B, N, P, L>) -> bool {
        let going = state.can_cross();
        !(going | state.in_stage).is_empty()
            || self.sends_on(state)
            || !state.waiting.is_empty() && self.could_bid(state)
            || self.counts_ejection() && self.awaits_ejection(state)
    }

    /// Whether any head could bid for an output lane.
    #[inline(never)]
    fn could_bid(&self, state: &Node<B, N, P, L>) -> bool {
        let mut waiting = state.waiting.numbers();
        waiting.any(|lane| !self.bids(state, lane).is_empty())
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize> Router
    for Wormhole<T, Node<B, N, P, L>>
{
    type Node = Delayed<Node<B, N, P, L>, B>;

    fn nodes(&self) -> Vec<Self::Node> {
        assert!(
            Node::<B, N, P, L>::fits((self.lanes().ports, self.locals()), &self.parameters),
            "too small a shape"
        );
        let mut empty = Node::new(self.lanes().count, self.parameters.buffer_words);
        empty.ejection = self.ejection();
        if self.parameters.first_turn == FirstTurn::Local {
            let Lanes { ports, count, .. } = *self.lanes();
            let links = ports - self.locals();
            empty.channel_memory = Memory::beginning_at(self.link_lanes, count);
            empty.switch = SwitchMemory::of_ports(Memory::beginning_at(links, ports));
            empty.speculation_memory = Memory::beginning_at(links, ports);
        }
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

    fn longest_packet_words(&self) -> u16 {
        self.parameters.longest_packet_words()
    }

    fn takes_faults(&self) -> bool {
        true
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
