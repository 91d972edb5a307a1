//! The Chaos router (Chinn 1995, section 4.1; Konstantinidou and Snyder 1994): minimal adaptive routing
//! with virtual cut-through and multiqueue bypass, which deroutes a random packet where it is congested.
//!
//! ```text
//!              input frames                                        output frames
//!   north ──▶ [ ■■■■■■■■■■ ] ──┬───────────── bypass ───────────┬─▶ [ ■■■■■■■■■■ ] ──▶ north
//!   east  ──▶ [            ] ──┤                                ├─▶ [            ] ──▶ east
//!   south ──▶ [            ] ──┤        multiqueue              ├─▶ [            ] ──▶ south
//!   west  ──▶ [            ] ──┤    ┌──────────────────┐        ├─▶ [            ] ──▶ west
//!   local ──▶ [ injection  ] ──┘    │ [ oldest       ] │        ├─▶ [ delivery   ] ──▶ local
//!                      │            │ [              ] │        │
//!                      └──────────▶ │ [              ] │ ───────┘
//!                     when its own  │ [              ] │   oldest productive packet,
//!                     output frame  │ [ youngest     ] │   or a random one (deroute)
//!                     was decided   └──────────────────┘
//!   credits ◀── one per freed frame      decision engine: pointer over the output frames,
//!                                        at most one decision a cycle
//! ```
//!
//! The input frame from a neighbour and the output frame to it are a pair. A frame holds one packet.
//!
//! There is one set of rules, and there are two ways in which words move. [`WordFlow`]: words move one by one, a cycle
//! at a time, and may arrive with gaps. [`TimestampFlow`]: a packet's words follow each other one per cycle, so that a stamp
//! says where all of them are, and a node acts only if something arrives or can be decided. Both put a packet through
//! the same phases:
//!
//! | phase | [`WordFlow`], each cycle | [`TimestampFlow`], as it is known |
//! |---|---|---|
//! | a credit comes over a link | `take_credits` | `credit` |
//! | words come into an input frame | `take_words` | `head`: it determines the rest |
//! | words leave an output frame | `send_words` | `launch`: with the decision or the credit that lets them |
//! | a packet is chosen (`decide`) | `decide` | `decide` |
//! | it is put on its way (`commit`) | `commit`, `begin` | `commit`, `stream` |
//! | its words move from frame to frame | `move_words` | (part of `stream`) |
//! | an emptied input frame's credit leaves | `send_credits` | `release`: with the decision that empties it |
//!
//! Both report decisions by `report_move`, and the rest by [`Site`]'s methods.

mod commit;
mod counted;
mod decide;
mod keys;
mod output;
mod parameters;
mod registers;
mod special;
mod stamped;
mod waits;

pub use counted::{PassagesAt, WordFlow};
pub use parameters::{
    ChaosParameters, Delivery, DerouteAmong, InitialPointer, MAX_MULTIQUEUE_FRAMES,
    MAX_PACKET_WORDS, MultiqueueFreed, MultiqueuePolicy, StallRule,
};
pub use registers::{Any, Flow, Mask, Node, Plane, Wide};
pub use stamped::TimestampFlow;

use flitwork_node::{
    BEFORE_RUN, Buffers, Datapath, Inputs, Outputs, Passes, Probe, Router, Site, View, Wait,
    WordRouter, draw_below,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, MAX_PORTS, NodeId, PacketRef, Packets, Port, PortSet, Word};
use std::marker::PhantomData;

/// The Chaos router on a topology.
pub struct Chaos<T, N> {
    topology: T,
    parameters: ChaosParameters,
    seed: u64,
    /// Cycles from a head's arrival in a frame until it may move on: 0, or without cut-through the time that
    /// the packet's other words need.
    lag_cycles: u32,
    /// Whether the stall rule also applies to output frames that wait for the neighbour.
    behind_waiting: bool,
    /// Whether any rule applies that the router doesn't have as published (`special`).
    special_rules: bool,
    /// Whether links are half duplex: an output frame's packet waits for its turn.
    takes_turns: bool,
    /// The output ports in the order of the scan, local ones last.
    order: [Port; MAX_PORTS],
    /// How many ports a node has, local ones included.
    ports: usize,
    /// All ports, all link ports, and the input frames whose packets may go straight to an output frame.
    all: u64,
    links: u64,
    may_bypass: u64,
    /// The first local port, and all of them.
    local: Port,
    locals: u64,
    node: PhantomData<fn() -> N>,
}

/// Where a chosen packet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// The multiqueue's packet at this place goes to the output; `deroute` if the output isn't productive for it.
    Queued { place: usize, deroute: bool },
    /// The packet in an input frame goes to the output (multiqueue bypass).
    Bypass(Port),
    /// No packet goes to the output; the one in its paired input frame has stalled.
    Stalled,
}

/// What the decision engine does in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decision {
    /// The output frame that was interesting.
    output: Port,
    /// Its place in the scan order.
    scanned: u8,
    choice: Choice,
}

impl<T: Topology, N> Chaos<T, N> {
    /// The router with validated parameters and the published stall rule. `seed` keys the nodes' random streams.
    pub fn new(topology: T, parameters: ChaosParameters, seed: u64) -> Chaos<T, N> {
        let (links, local) = (topology.ports(), topology.local());
        let (ports, locals) = (links + topology.locals(), topology.local_ports().0);
        let mut order = std::array::from_fn(|place| Port(place as u8));
        order[..links].copy_from_slice(parameters.scan_order());
        Chaos {
            lag_cycles: parameters.lag_cycles(),
            behind_waiting: false,
            special_rules: parameters.deroute_among != DerouteAmong::Ready
                || parameters.multiqueue_freed_at != MultiqueueFreed::Decision,
            takes_turns: false,
            order,
            ports,
            all: PortSet::first(ports).0,
            links: PortSet::first(links).0,
            // The bypass is an injection frame's only way into the network.
            may_bypass: match parameters.bypass {
                true => PortSet::first(ports).0,
                false => locals,
            },
            local,
            locals,
            topology,
            parameters,
            seed,
            node: PhantomData,
        }
    }

    /// The same router under the stall rule that the network's links require.
    pub fn with_stall_rule(self, rule: StallRule) -> Chaos<T, N> {
        let behind_waiting = rule == StallRule::BehindWaitingOutput;
        Chaos {
            behind_waiting,
            special_rules: self.special_rules || behind_waiting,
            ..self
        }
    }

    /// The same router for half-duplex links, or for full-duplex ones.
    pub fn with_half_duplex(self, half_duplex: bool) -> Chaos<T, N> {
        Chaos {
            takes_turns: half_duplex,
            ..self
        }
    }

    /// The node to which a packet goes.
    #[inline]
    fn destination(&self, packet: PacketRef, packets: &Packets) -> NodeId {
        self.topology.home(packets[packet].destination)
    }

    /// Whether a port is a local one.
    #[inline]
    fn is_local(&self, port: Port) -> bool {
        port >= self.local
    }

    /// The outputs that a packet may take: the productive ports, or its delivery port at its destination, and where no link
    /// leads there.
    #[inline]
    fn wants(&self, here: NodeId, packet: PacketRef, packets: &Packets) -> u64 {
        let destination = self.destination(packet, packets);
        if here == destination || !self.topology.is_joined(here, destination) {
            let port = self.topology.local_of(packets[packet].destination);
            PortSet::only(port).0
        } else {
            self.topology.productive(here, destination).0
        }
    }

    /// Cycles from the departure of a packet's last word from an input frame to that of the frame's credit.
    /// An injection frame has no link to cross: its credit leaves with the last word.
    #[inline]
    fn release_lag_cycles(&self, port: Port) -> u32 {
        match self.is_local(port) {
            true => 0,
            false => self.parameters.input_release_cycles - self.parameters.least_release_cycles(),
        }
    }

    /// Where a node's scan pointer starts.
    fn first_pointer(&self, node: NodeId) -> u8 {
        match self.parameters.initial_pointer {
            InitialPointer::Fixed => 0,
            InitialPointer::Random => {
                let ports = self.topology.ports() as u32;
                draw_below(ports, self.seed, node, BEFORE_RUN, 0) as u8
            }
        }
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Router
    for Chaos<T, Node<M, P, Q, F>>
{
    type Node = Node<M, P, Q, F>;

    fn nodes(&self) -> Vec<Self::Node> {
        let mut nodes = F::empty_nodes(self.topology.nodes() as usize);
        self.settle(&mut nodes);
        nodes
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.waiting(node, state, packets, now)
    }

    fn heap_bytes(&self, state: &Self::Node) -> usize {
        state.flow.heap_bytes()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(self.parameters.packet_words)
    }

    fn takes_half_duplex(&self) -> bool {
        self.takes_turns
    }

    fn takes_faults(&self) -> bool {
        self.parameters.delivery != Delivery::Vanish
    }

    /// The far end's input frame is free again with the packet's last word.
    fn answer(&self, word: Word) -> Option<u8> {
        word.flit.is_tail().then_some(0)
    }

    /// Every frame is a buffer, and whatever moves from frame to frame within a node passes the crossbar:
    ///
    /// | a word | written | read | crossbar |
    /// |---|---|---|---|
    /// | comes from the source | injection frame | | |
    /// | moves between frames | the next frame | the frame before | once |
    /// | goes over a link | the far input frame | output frame | |
    /// | is delivered | | delivery frame, where there is one | |
    fn datapath(&self) -> Option<Datapath> {
        let framed = self.parameters.delivery == Delivery::Frame;
        Some(Datapath {
            injected: Passes::new(1, 0, 0),
            moved: Passes::new(1, 1, 1),
            linked: Passes::new(1, 1, 0),
            delivered: Passes::new(0, framed.into(), 0),
            words_a_move: self.parameters.packet_words,
            buffers: Buffers::Queue,
            ..Datapath::NONE
        })
    }
}

/// Words move one by one.
impl<T: Topology, M: Mask, const P: usize, const Q: usize> WordRouter
    for Chaos<T, Node<M, P, Q, WordFlow>>
{
    fn is_idle(&self, state: &Self::Node) -> bool {
        state.flow.is_empty()
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        self.is_idle(state) && state.no_credit.get() == 0
    }

    /// Exact while links take words; a word that its link refuses is due in every cycle, so that no cycle is skipped
    /// while there is a worm to begin over a half-duplex link.
    fn next_step(&self, state: &Self::Node, now: Cycle) -> Due {
        self.next_counted(state, now, self.links)
    }

    fn next_step_over(&self, state: &Self::Node, now: Cycle, sendable: PortSet) -> Due {
        self.next_counted(state, now, sendable.0 & self.links)
    }

    /// The longest time for which a word or a credit is held by a timer alone.
    fn patience_cycles(&self) -> u32 {
        let parameters = &self.parameters;
        parameters.stall_threshold_cycles
            + parameters.decision_latency_cycles
            + parameters.input_release_cycles
            + parameters.output_reopen_cycles
            + u32::from(parameters.packet_words)
    }

    fn look(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> View {
        self.view(node, state, (packets, now))
    }

    fn reroute<Pr: Probe>(&self, state: &mut Self::Node, _: Cycle, site: &mut Site<'_, Pr>) {
        self.route_again(state, site.node, site.packets);
    }

    fn step<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        self.take_credits(state, now, inputs);
        self.take_words(state, now, inputs, site);
        self.send_words(state, now, inputs.sendable, outputs, site);
        let node = site.node;
        site.witness(|witness, packets| {
            witness.otherwise(self.stays(state, (node, now), outputs, packets));
        });
        self.decide_and_begin(state, now, site);
        self.move_and_report(state, now, outputs, site);
        self.send_credits(state, now, outputs, site);
        self.look_ahead(state, now + 1);
    }
}
