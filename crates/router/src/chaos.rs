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
//!   credits ◀── one a freed frame        decision engine: pointer over the output frames,
//!                                        at most one decision a cycle
//! ```
//!
//! The input frame from a neighbour and the output frame to it are a pair. A frame holds one packet.
//!
//! One set of rules (`decide`), two ways for words to move: [`Stamped`] by arithmetic on time stamps
//! (a packet's words follow each other one a cycle) and [`Counted`] one by one.

mod counted;
mod decide;
mod keys;
mod parameters;
mod stamped;

pub use counted::Counted;
pub use parameters::{
    ChaosParameters, Delivery, InitialPointer, MAX_MULTIQUEUE_FRAMES, MAX_PACKET_WORDS,
    MultiqueuePolicy, StallRule,
};
pub use stamped::Stamped;

use bytemuck::Zeroable;
use flitwork_node::{
    Buffers, Datapath, Event, Passes, Place, Probe, Site, Wait, WaitsFor, draw_below,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, NodeId, Packet, PacketRef, Packets, Port, PortSet};
use std::marker::PhantomData;

/// A set of ports as small as a node's shape allows.
pub trait Mask: Copy + Send + Zeroable + 'static {
    /// Widened.
    fn get(self) -> u64;
    /// Narrowed; the bits must fit.
    fn of(bits: u64) -> Self;
}

macro_rules! masks {
    ($($mask:ty),+) => {$(
        impl Mask for $mask {
            #[inline(always)]
            fn get(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $mask
            }
        }
    )+};
}
masks!(u8, u64);

/// A frame's packet, and the cycle from which its head may be decided on. While the packet is on its
/// way into the frame and nobody knows yet when it will be there, that is [`Cycle::NEVER`].
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
struct Held {
    packet: PacketRef,
    ready: Cycle,
}

/// An output frame. Its two registers mean, while the frame is `blocked`, the packet in it and
/// the cycle from which its head may leave, and otherwise the cycle from which the frame can be decided
/// on and, unless `no_credit`, the cycle from which the neighbour's input frame is free.
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
struct OutputFrame {
    packet_or_open_from: u32,
    ready_or_credit_from: Cycle,
}

impl OutputFrame {
    #[inline]
    fn holding(packet: PacketRef, ready: Cycle) -> OutputFrame {
        OutputFrame {
            packet_or_open_from: packet.0,
            ready_or_credit_from: ready,
        }
    }

    #[inline]
    fn packet(self) -> PacketRef {
        PacketRef(self.packet_or_open_from)
    }

    #[inline]
    fn open_from(self) -> Cycle {
        Cycle(self.packet_or_open_from)
    }
}

/// The registers of one node with up to `P` ports (the local one included) and `Q` multiqueue frames.
/// All bits 0 is an empty node with a credit for each of its links.
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
pub struct Node<M, const P: usize, const Q: usize, F>
where
    F: Flow,
{
    /// The output frames, by port; the delivery frame at the local one.
    outputs: [OutputFrame; P],
    /// The input frames, by port; the injection frame at the local one.
    inputs: [Held; P],
    /// The multiqueue, in the order in which packets were decided into it.
    queue: [Held; Q],
    /// For each input frame's packet the outputs that are good for it.
    input_wants: [M; P],
    /// For each multiqueue packet the outputs that are good for it.
    queue_wants: [M; Q],
    /// Input frames that hold a packet.
    occupied: M,
    /// Output frames that hold a packet and nobody knows yet when it will have left.
    blocked: M,
    /// Links whose far input frame is taken, as far as this end knows.
    no_credit: M,
    /// Ports without a link.
    missing: M,
    /// Where the decision engine's scan begins: a place in the scan order.
    pointer: u8,
    /// How many packets the multiqueue holds.
    queued: u8,
    /// How words move between the frames.
    flow: F,
    /// What tells until when output frames wait for their neighbours, where the stall rule asks for it and `flow`
    /// doesn't know.
    waits: F::Waits<P>,
}

/// How words move between a node's frames.
pub trait Flow: Sized {
    /// What it keeps to tell until when output frames wait.
    type Waits<const P: usize>: Copy + Send + Sync + Zeroable + 'static;

    /// The cycle from which the output frame at a link doesn't wait for the neighbour's input frame any more, as
    /// far as this end knows: [`Cycle::NEVER`] before a credit is known of, past or 0 where it doesn't wait.
    fn waits_until<M: Mask, const P: usize, const Q: usize>(
        state: &Node<M, P, Q, Self>,
        output: Port,
    ) -> Cycle;
}

/// The shape of a node with up to three dimensions' links and five multiqueue frames.
pub type Plane<F> = Node<u8, 5, 5, F>;
/// The shape of a node of any grid with any multiqueue that is allowed.
pub type Any<F> = Node<u64, MAX_PORTS, MAX_MULTIQUEUE_FRAMES, F>;

/// The Chaos router on a topology.
pub struct Chaos<T, N> {
    topology: T,
    parameters: ChaosParameters,
    seed: u64,
    /// Cycles from a head's arrival in a frame until it may move on: 0, or without cut-through what the
    /// packet's other words need.
    lag_cycles: u32,
    /// Whether the stall rule also acts behind an output frame that waits for the neighbour.
    behind_waiting: bool,
    /// The output ports in the order of the scan, the local one last.
    order: [Port; MAX_PORTS],
    /// How many ports a node has, the local one included.
    ports: usize,
    /// All ports, all link ports, and the input frames whose packets may go straight to an output frame.
    all: u64,
    links: u64,
    may_bypass: u64,
    local: Port,
    node: PhantomData<fn() -> N>,
}

/// Where a chosen packet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// The multiqueue's packet at this place, to the output; `deroute` where it isn't good for it.
    Queued { place: usize, deroute: bool },
    /// The packet in an input frame, to the output (multiqueue bypass).
    Bypass(Port),
    /// No packet to the output; the one in its paired input frame has stalled.
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

/// A packet that a decision has put on its way, for the flow to move its words.
#[derive(Clone, Copy, Debug)]
enum Moving {
    /// Into an output frame.
    ToOutput {
        packet: PacketRef,
        from: Place,
        output: Port,
    },
    /// From an input frame into the multiqueue, whose youngest packet it now is.
    ToQueue { packet: PacketRef, from: Port },
}

impl<T: Topology, N> Chaos<T, N> {
    /// The router with validated parameters and the published stall rule. `seed` keys the nodes' random streams.
    pub fn new(topology: T, parameters: ChaosParameters, seed: u64) -> Chaos<T, N> {
        let (ports, local) = (topology.ports(), topology.local());
        let mut order = [local; MAX_PORTS];
        order[..ports].copy_from_slice(parameters.scan_order());
        Chaos {
            lag_cycles: parameters.lag_cycles(),
            behind_waiting: false,
            order,
            ports: ports + 1,
            all: PortSet::first(ports + 1).0,
            links: PortSet::first(ports).0,
            // The injection frame has no other way into the network.
            may_bypass: match parameters.bypass {
                true => PortSet::first(ports + 1).0,
                false => PortSet::only(local).0,
            },
            local,
            topology,
            parameters,
            seed,
            node: PhantomData,
        }
    }

    /// The same with the stall rule that the network's links ask for.
    pub fn with_stall_rule(self, rule: StallRule) -> Chaos<T, N> {
        Chaos {
            behind_waiting: rule == StallRule::BehindWaitingOutput,
            ..self
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &ChaosParameters {
        &self.parameters
    }

    /// The topology.
    pub fn topology(&self) -> &T {
        &self.topology
    }

    /// The outputs that are good for a packet: the productive ports, or delivery where it is at home.
    #[inline]
    fn wants(&self, here: NodeId, destination: NodeId) -> u64 {
        if here == destination {
            PortSet::only(self.local).0
        } else {
            self.topology.productive(here, destination).0
        }
    }

    /// Where a node's pointer starts.
    fn first_pointer(&self, node: NodeId) -> u8 {
        match self.parameters.initial_pointer {
            InitialPointer::Fixed => 0,
            InitialPointer::Random => {
                let ports = self.topology.ports() as u32;
                draw_below(ports, self.seed, node, Cycle::NEVER, 0) as u8
            }
        }
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// Sets what is not 0 in a fresh node: missing links and a random pointer.
    fn settle(&self, nodes: &mut [Node<M, P, Q, F>]) {
        for (index, state) in nodes.iter_mut().enumerate() {
            let node = NodeId(index as u32);
            let missing = self.links & !self.topology.links(node).0;
            let pointer = self.first_pointer(node);
            // Written only where needed, so that untouched nodes of a huge network cost no memory.
            if missing != 0 || pointer != 0 {
                state.missing = M::of(missing);
                state.pointer = pointer;
            }
        }
    }

    /// Puts a packet whose head is known to be ready from `ready` on into an input frame.
    #[inline]
    fn accept(
        &self,
        state: &mut Node<M, P, Q, F>,
        port: Port,
        packet: PacketRef,
        ready: Cycle,
        wants: u64,
        node: NodeId,
    ) {
        assert!(
            state.occupied.get() >> port.0 & 1 == 0,
            "node {node}: a packet came to input frame {} before the last had left",
            port.0
        );
        state.inputs[port.index()] = Held { packet, ready };
        state.input_wants[port.index()] = M::of(wants);
        state.occupied = M::of(state.occupied.get() | 1 << port.0);
    }

    /// The central queue's packets, oldest first.
    fn queue(state: &Node<M, P, Q, F>) -> impl Iterator<Item = (Held, u64)> {
        let queued = usize::from(state.queued);
        let wants = state.queue_wants[..queued].iter().map(|wants| wants.get());
        state.queue[..queued].iter().copied().zip(wants)
    }

    #[inline]
    fn enqueue(&self, state: &mut Node<M, P, Q, F>, packet: PacketRef, ready: Cycle, wants: M) {
        let place = usize::from(state.queued);
        assert!(
            place < self.parameters.multiqueue_frames,
            "the multiqueue overflows"
        );
        state.queue[place] = Held { packet, ready };
        state.queue_wants[place] = wants;
        state.queued += 1;
    }

    #[inline]
    fn dequeue(state: &mut Node<M, P, Q, F>, place: usize) -> Held {
        let held = state.queue[place];
        let queued = usize::from(state.queued);
        for next in place + 1..queued {
            state.queue[next - 1] = state.queue[next];
            state.queue_wants[next - 1] = state.queue_wants[next];
        }
        state.queued -= 1;
        held
    }

    /// Every frame is a buffer, and whatever moves from frame to frame within a node passes the crossbar:
    ///
    /// | a word | written | read | crossbar |
    /// |---|---|---|---|
    /// | comes from the source | injection frame | | |
    /// | moves between frames | the next frame | the frame before | once |
    /// | goes over a link | the far input frame | output frame | |
    /// | is delivered | | delivery frame, where there is one | |
    fn way_of_words(&self) -> Datapath {
        let framed = self.parameters.delivery == Delivery::Frame;
        Datapath {
            injected: Passes::new(1, 0, 0),
            moved: Passes::new(1, 1, 1),
            linked: Passes::new(1, 1, 0),
            delivered: Passes::new(0, framed.into(), 0),
            words_a_move: self.parameters.packet_words,
            buffers: Buffers::Queue,
            ..Datapath::NONE
        }
    }

    /// Tells that a packet moves, and counts its hop.
    #[inline]
    fn tell_move<Pr: Probe>(
        &self,
        site: &mut Site<'_, Pr>,
        now: Cycle,
        packet: PacketRef,
        from: Place,
        to: Place,
        deroute: bool,
    ) {
        if let Place::Output(port) = to
            && port != self.local
        {
            site.probe
                .scheduled(site.packets, site.node, now, packet, port);
            let packet = &mut site.packets[packet];
            packet.hops = packet.hops.saturating_add(1);
            packet.deroutes = packet.deroutes.saturating_add(deroute.into());
        }
        let packet = site.packets[packet].id;
        site.probe.event(
            site.node,
            now,
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            },
        );
    }

    /// Carries a decision out, but for the words, which the flow moves.
    ///
    /// After a packet has gone to an output frame, a packet that waits in the paired input frame moves to
    /// the multiqueue; a stalled one does so without that (Chinn 1995, section 4.1, cases 1 and 2).
    fn commit<Pr: Probe>(
        &self,
        state: &mut Node<M, P, Q, F>,
        decision: Decision,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        mut flow: impl FnMut(&mut Node<M, P, Q, F>, &mut Site<'_, Pr>, Moving),
    ) {
        let output = decision.output;
        let next = decision.scanned + 1;
        state.pointer = if usize::from(next) == self.ports {
            0
        } else {
            next
        };
        let moving = match decision.choice {
            Choice::Queued { place, deroute } => {
                let held = Self::dequeue(state, place);
                Some((held.packet, Place::Queue, deroute))
            }
            Choice::Bypass(port) => {
                state.occupied = M::of(state.occupied.get() & !(1 << port.0));
                Some((state.inputs[port.index()].packet, Place::Input(port), false))
            }
            Choice::Stalled => None,
        };
        if let Some((packet, from, deroute)) = moving {
            self.tell_move(site, now, packet, from, Place::Output(output), deroute);
            flow(
                state,
                site,
                Moving::ToOutput {
                    packet,
                    from,
                    output,
                },
            );
        }
        let paired = state.inputs[output.index()];
        let waits = output != self.local
            && state.occupied.get() >> output.0 & 1 == 1
            && paired.ready <= now;
        if waits {
            state.occupied = M::of(state.occupied.get() & !(1 << output.0));
            let from = Place::Input(output);
            self.tell_move(site, now, paired.packet, from, Place::Queue, false);
            let wants = state.input_wants[output.index()];
            self.enqueue(state, paired.packet, Cycle::NEVER, wants);
            flow(
                state,
                site,
                Moving::ToQueue {
                    packet: paired.packet,
                    from: output,
                },
            );
        }
    }

    /// What each packet waits for, from the frames alone.
    fn waiting(
        &self,
        node: NodeId,
        state: &Node<M, P, Q, F>,
        packets: &Packets,
        now: Cycle,
    ) -> Vec<Wait> {
        let mut waits = Vec::new();
        let mut wait = |packet: PacketRef, place, waits_for| {
            let Packet {
                id, destination, ..
            } = packets[packet];
            waits.push(Wait {
                node,
                packet: id,
                destination,
                place,
                waits_for,
            });
        };
        let shut = self.all & !self.open(state, now);
        let held_up = |wants: u64| match wants & !shut {
            0 => WaitsFor::Outputs(PortSet(wants)),
            _ => WaitsFor::Nothing,
        };
        for port in PortSet(state.blocked.get()).iter() {
            let waits_for = WaitsFor::Neighbour(port);
            wait(
                state.outputs[port.index()].packet(),
                Place::Output(port),
                waits_for,
            );
        }
        for (held, wants) in Self::queue(state) {
            wait(held.packet, Place::Queue, held_up(wants));
        }
        for port in PortSet(state.occupied.get()).iter() {
            let full = usize::from(state.queued) == self.parameters.multiqueue_frames;
            let wants = state.input_wants[port.index()].get();
            let waits_for = if full {
                WaitsFor::QueueRoom
            } else {
                held_up(wants)
            };
            wait(
                state.inputs[port.index()].packet,
                Place::Input(port),
                waits_for,
            );
        }
        waits
    }
}
