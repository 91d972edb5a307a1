//! The registers of a node, in several sizes.

use super::output::{Output, OutputFrame};
use super::{Chaos, MAX_MULTIQUEUE_FRAMES};
use bytemuck::Zeroable;
use flitwork_topology::{MAX_DIMENSIONS, Topology};
use flitwork_types::{Cycle, Due, MAX_PORTS, NodeId, PacketRef, Port, PortSet};
use std::fmt::Debug;

/// A set of ports, as small as a node's shape allows.
pub trait Mask: Copy + Send + Zeroable + 'static {
    /// The set as 64 bits.
    fn get(self) -> u64;
    /// The set of these bits, which must fit.
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

/// A frame's packet, and when its head may be decided on: never while the packet is on its way into the frame and its
/// arrival isn't known yet.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub(super) struct Held {
    pub(super) packet: PacketRef,
    pub(super) ready: Due,
}

/// The registers of one node with up to `P` ports (the local one included) and `Q` multiqueue frames. All
/// bits 0 is an empty node with a credit for each of its links.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub struct Node<M, const P: usize, const Q: usize, F>
where
    F: Flow,
{
    /// The output frames, by port; the delivery frame at the local one.
    pub(super) outputs: [OutputFrame; P],
    /// The input frames, by port; the injection frame at the local one.
    pub(super) inputs: [Held; P],
    /// The multiqueue, in the order of the decisions that put packets into it.
    pub(super) queue: [Held; Q],
    /// For each input frame's packet, the outputs that it may take.
    pub(super) input_wants: [M; P],
    /// For each multiqueue packet, the outputs that it may take.
    pub(super) queue_wants: [M; Q],
    /// Input frames that hold a packet.
    pub(super) occupied: M,
    /// Output frames that hold a packet whose departure isn't known yet.
    pub(super) blocked: M,
    /// Links whose far input frame is taken, as far as this end knows.
    pub(super) no_credit: M,
    /// Ports without a link.
    pub(super) missing: M,
    /// Where the decision engine's scan begins: a place in the scan order.
    pub(super) pointer: u8,
    /// How many packets the multiqueue holds.
    pub(super) queued: u8,
    /// How words move between the frames.
    pub(super) flow: F,
    /// What `flow` keeps for each port.
    pub(super) of_ports: F::OfPorts<P>,
}

impl<M: Mask, const P: usize, const Q: usize, F: Flow> Node<M, P, Q, F> {
    /// Whether nodes of this shape have room for so many ports, local ones included.
    pub const fn fits(ports: usize) -> bool {
        ports <= P
    }

    /// The meaning of an output frame's registers.
    #[inline(always)]
    pub(super) fn output(&self, port: Port) -> Output {
        let frame = self.outputs[port.index()];
        match self.blocked.get() >> port.0 & 1 {
            1 => frame.full(),
            _ => frame.empty(),
        }
    }

    /// Puts a packet into an output frame; its head may leave from `ready` on.
    #[inline(always)]
    pub(super) fn fill_output(&mut self, port: Port, packet: PacketRef, ready: Due) {
        self.outputs[port.index()] = OutputFrame::holding(packet, ready);
        self.blocked = M::of(self.blocked.get() | 1 << port.0);
    }

    /// Records that the departure of an output frame's packet is known.
    #[inline(always)]
    pub(super) fn empty_output(&mut self, port: Port) {
        self.blocked = M::of(self.blocked.get() & !(1 << port.0));
    }

    /// Whether the far input frame of a link is taken, as far as this end knows.
    #[inline(always)]
    pub(super) fn lacks_credit(&self, port: Port) -> bool {
        self.no_credit.get() >> port.0 & 1 == 1
    }

    /// Records that a link's far input frame is free.
    #[inline(always)]
    pub(super) fn take_credit(&mut self, port: Port) {
        self.no_credit = M::of(self.no_credit.get() & !(1 << port.0));
    }

    /// Records that a head leaves over a link for the far input frame.
    #[inline(always)]
    pub(super) fn use_credit(&mut self, port: Port) {
        self.no_credit = M::of(self.no_credit.get() | 1 << port.0);
    }
}

/// How words move between a node's frames: [`WordFlow`](super::WordFlow) or [`TimestampFlow`](super::TimestampFlow).
pub trait Flow: Sized + Clone + Send + 'static {
    /// What it keeps for each port.
    type OfPorts<const P: usize>: Copy + Debug + Send + Sync + Zeroable + 'static;

    /// Bytes outside of its own size.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// This many empty nodes, each with a credit for each of its links.
    fn empty_nodes<M: Mask, const P: usize, const Q: usize>(
        count: usize,
    ) -> Vec<Node<M, P, Q, Self>>;

    /// When the output frame at a link no longer waits for the neighbour's input frame, as far as this end knows: never
    /// if no credit is known of; in a past cycle or the first if it doesn't wait.
    fn waits_until<M: Mask, const P: usize, const Q: usize>(
        state: &Node<M, P, Q, Self>,
        output: Port,
    ) -> Due;

    /// Whether a packet that may move on from `ready` on has come into its input frame before cycle `now`.
    fn has_come(_ready: Due, _now: Cycle) -> bool {
        true
    }

    /// Whether the head of the packet in an output frame has left; it hasn't where what begins to leave is no longer there.
    fn has_begun<M: Mask, const P: usize, const Q: usize>(
        _state: &Node<M, P, Q, Self>,
        _output: Port,
    ) -> bool {
        false
    }
}

/// The shape of a node with links in up to three dimensions and five multiqueue frames.
pub type Plane<F> = Node<u8, 5, 5, F>;
/// The shape of a node of any grid, and of any other network with as many ports, with any multiqueue that is allowed. Nodes of grids
/// needn't have the memory of wider ones.
pub type Any<F> = Node<u64, { 2 * MAX_DIMENSIONS + 1 }, MAX_MULTIQUEUE_FRAMES, F>;
/// The same of a node with any number of ports that is allowed.
pub type Wide<F> = Node<u64, MAX_PORTS, MAX_MULTIQUEUE_FRAMES, F>;

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// Sets what isn't 0 in a fresh node: missing links and a random pointer.
    pub(super) fn settle(&self, nodes: &mut [Node<M, P, Q, F>]) {
        for (index, state) in nodes.iter_mut().enumerate() {
            let node = NodeId(index as u32);
            let missing = self.missing(node);
            let pointer = self.first_pointer(node);
            // Written only where needed, so that untouched nodes of a huge network cost no memory.
            if missing != 0 || pointer != 0 {
                state.missing = M::of(missing);
                state.pointer = pointer;
            }
        }
    }

    /// The ports of a node without a link, or with one that has failed.
    pub(super) fn missing(&self, node: NodeId) -> u64 {
        let works = |port: &Port| {
            let far = self.topology.neighbour(node, *port);
            far.is_some_and(|far| self.topology.is_joined(node, far))
        };
        let working: PortSet = self.topology.links(node).iter().filter(works).collect();
        self.links & !working.0
    }

    /// Puts a packet into an input frame; its head is known to be ready from `ready` on.
    #[inline]
    pub(super) fn accept(
        &self,
        state: &mut Node<M, P, Q, F>,
        port: Port,
        packet: PacketRef,
        ready: Due,
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
    pub(super) fn queue(state: &Node<M, P, Q, F>) -> impl Iterator<Item = (Held, u64)> {
        let queued = usize::from(state.queued);
        let wants = state.queue_wants[..queued].iter().map(|wants| wants.get());
        state.queue[..queued].iter().copied().zip(wants)
    }

    #[inline]
    pub(super) fn enqueue(&self, state: &mut Node<M, P, Q, F>, packet: PacketRef, wants: M) {
        let place = usize::from(state.queued);
        assert!(
            place < self.parameters.multiqueue_frames,
            "the multiqueue overflows"
        );
        let ready = Due::NEVER;
        state.queue[place] = Held { packet, ready };
        state.queue_wants[place] = wants;
        state.queued += 1;
    }

    #[inline]
    pub(super) fn dequeue(state: &mut Node<M, P, Q, F>, place: usize) -> Held {
        let held = state.queue[place];
        let queued = usize::from(state.queued);
        for next in place + 1..queued {
            state.queue[next - 1] = state.queue[next];
            state.queue_wants[next - 1] = state.queue_wants[next];
        }
        state.queued -= 1;
        held
    }
}
