//! The registers of a node, in several sizes.

use super::ejection::Ejection;
use super::injection::Injection;
use super::{MAX_LANES, WormholeParameters};
use crate::allocate::{Memory, SwitchMemory};
use crate::bits::{Bits, Bits256};
use crate::counts::{Count, Counts};
use flitwork_topology::MAX_DIMENSIONS;
use flitwork_types::{Cycle, MAX_PORTS, PacketRef};
use std::collections::VecDeque;

/// An input lane: the worm at the front of its buffer, and where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InputLane<B> {
    pub(super) worm: PacketRef,
    /// The cycle from which the worm may take the next stage.
    pub(super) ready: Cycle,
    /// The packet's length.
    pub(super) length: u16,
    /// The output lanes that its head bids for, and those that it falls back on.
    pub(super) preferred: B,
    pub(super) fallback: B,
    /// The worm behind it, if there is one.
    pub(super) second: Behind,
}

/// A worm in a buffer behind another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Behind {
    pub(super) worm: PacketRef,
    pub(super) words: u16,
    pub(super) whole: bool,
}

/// The registers of a node with up to `N` lanes and `P` ports, up to `L` local ones included, in the order in which
/// a cycle needs them: those that every cycle reads begin with a cache line. [What each is for](super) is listed by stage.
///
/// A flag of a lane is a bit in a set of lanes, so that a stage handles all lanes at once.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Node<B: Bits, const N: usize, const P: usize, const L: usize> {
    // No two that change together are adjacent: the compiler would merge the writes, and the separate reads
    // that follow would stall the processor.
    /// Input lanes with a worm at the front.
    pub(super) occupied: B,
    /// Output lanes without room for a word at the far end.
    pub(super) no_credit: B,
    /// Input lanes whose worm holds an output lane.
    pub(super) active: B,
    /// Output lanes that no worm holds, and that are given away only once their buffer is empty.
    pub(super) draining: B,
    /// Input lanes that hold a word of the worm at the front.
    pub(super) has_word: B,
    /// Output lanes that no worm holds and that can be given away.
    pub(super) free: B,
    /// Input lanes whose output lane has room at the far end.
    pub(super) has_credit: B,
    /// Input lanes with a worm behind the first.
    pub(super) has_second: B,
    /// Input lanes whose head waits for an output lane.
    pub(super) waiting: B,
    /// Input lanes with the tail of the worm at the front in the buffer, or gone.
    pub(super) has_tail: B,
    /// Input lanes whose worm has sent nothing yet: its next word is its head.
    pub(super) at_head: B,
    /// Input lanes whose wait for a stage ends with the next step, and with the one after that. Only if waits are short
    /// ([`Node::wait`]).
    pub(super) expires_next: [B; 2],
    /// Input lanes whose worm is in a stage that takes time: it bids for nothing.
    pub(super) in_stage: B,
    /// Input lanes with further worms behind the second.
    pub(super) has_third: B,
    /// The packet that each source sends, by local port.
    pub(super) injections: [Injection; L],
    /// The output lane that each input lane's worm holds.
    pub(super) output: [u8; N],
    /// Words in all input buffers, if a probe observes them. In a narrow node it ends a cache line, so that
    /// no eight of the counts below straddle two.
    pub(super) buffered: u32,
    /// Words in each input lane's buffer of the worm at its front.
    pub(super) words: Counts<B::Count, N>,
    /// The room in the buffer at the far end of each output lane. At the local port, which always takes
    /// words, the room in the local input lane's buffer, as far as the source knows.
    pub(super) room_words: Counts<B::Count, N>,
    /// What the switch's allocator remembers.
    pub(super) switch: SwitchMemory<B, P>,
    /// The input lane that holds each output lane.
    pub(super) holder: [u8; N],
    /// What the allocator of output lanes remembers.
    pub(super) channel_memory: Memory<B, N>,
    /// Input lanes, those of a port next to each other.
    pub(super) inputs: [InputLane<B>; N],
    /// What the allocator of speculative bids remembers, if it is one of its own.
    pub(super) speculation_memory: Memory<B, P>,
    /// Words of each input lane's worm that have moved on, if they are reported one by one.
    pub(super) sent_words: [u16; N],
    /// The worms behind the second in each lane.
    pub(super) more: Option<Box<[VecDeque<Behind>]>>,
    /// The output lanes that were free, and had room, as heads bid for them: blind speculative bids are for these.
    pub(super) open: B,
    /// The credits of the local output lanes, if they are counted.
    pub(super) ejection: Option<Box<Ejection>>,
    /// The cycle in which each source's packet began.
    pub(super) begun: [Cycle; L],
}

/// What several stages ask of these bits.
impl<B: Bits, const N: usize, const P: usize, const L: usize> Node<B, N, P, L> {
    /// Input lanes whose next word could cross the switch, apart from the time that a stage takes: it is here, its worm
    /// holds an output lane, and that has a credit.
    #[inline(always)]
    pub(super) fn can_cross(&self) -> B {
        self.active & self.has_word & self.has_credit
    }

    /// Input lanes whose head has been routed and bids for an output lane.
    #[inline(always)]
    pub(super) fn routed_heads(&self) -> B {
        self.waiting & !self.in_stage
    }

    /// Whether any source is in the middle of a packet.
    #[inline(always)]
    pub(super) fn is_sending(&self) -> bool {
        match L {
            1 => self.injections[0].is_sending(),
            _ => self.injections.iter().any(Injection::is_sending),
        }
    }

    /// Output lanes that a worm holds.
    #[inline(always)]
    pub(super) fn held(&self) -> B {
        // The holder of a draining lane is gone.
        !(self.free | self.draining)
    }
}

impl<B: Bits, const N: usize, const P: usize, const L: usize> Node<B, N, P, L> {
    /// Bytes outside of its own size.
    pub(super) fn heap_bytes(&self) -> usize {
        let more = self.more.iter().flat_map(|lanes| lanes.iter());
        let more = more.map(|behind| size_of_val(behind) + behind.len() * size_of::<Behind>());
        let ejection = self.ejection.iter();
        more.sum::<usize>() + ejection.map(|it| it.bytes()).sum::<usize>()
    }

    /// The registers of a node with this many lanes before the first cycle, all buffers empty.
    pub(super) fn new(lanes: usize, buffer_words: u16) -> Node<B, N, P, L> {
        Node {
            inputs: [InputLane::default(); N],
            buffered: 0,
            words: Counts::new(0),
            room_words: Counts::new(buffer_words),
            holder: [0; N],
            no_credit: B::NONE,
            has_tail: B::NONE,
            occupied: B::NONE,
            waiting: B::NONE,
            active: B::NONE,
            has_word: B::NONE,
            has_credit: B::NONE,
            in_stage: B::NONE,
            expires_next: [B::NONE; 2],
            at_head: B::NONE,
            sent_words: [0; N],
            output: [0; N],
            has_second: B::NONE,
            has_third: B::NONE,
            free: B::below(lanes),
            draining: B::NONE,
            channel_memory: Memory::default(),
            switch: SwitchMemory::default(),
            speculation_memory: Memory::default(),
            more: None,
            open: B::NONE,
            ejection: None,
            injections: [Injection::default(); L],
            begun: [Cycle::ZERO; L],
        }
    }

    /// Whether nodes of this shape are large enough for a router with validated parameters and this many ports, and local ones
    /// among them.
    pub fn fits((ports, locals): (usize, usize), parameters: &WormholeParameters) -> bool {
        let lanes = ports * usize::from(parameters.vcs);
        ports <= P
            && locals <= L
            && lanes <= N
            && parameters.buffer_words <= B::Count::MOST
            && (Self::COUNTS_EJECTION || parameters.ejection_trip_cycles().is_none())
    }

    /// Whether nodes of this shape can count the credits of ejection: only some do, so that it costs the others nothing.
    pub(super) const COUNTS_EJECTION: bool = N == COUNTING_LANES || N >= MIDDLE_LANES;
}

impl<B: Bits, const N: usize, const P: usize, const L: usize> Node<B, N, P, L> {
    /// Ends the waits of lanes that wait for this step, if waits are short and every cycle has a step while
    /// any lane waits.
    #[inline(always)]
    pub(super) fn end_short_waits(&mut self) {
        let [expired, next] = self.expires_next;
        self.in_stage &= !expired;
        self.expires_next = [next, B::NONE];
    }

    /// The worm at the front of an input lane is in a stage for some cycles: one or two if waits are short.
    #[inline]
    pub(super) fn wait(&mut self, now: Cycle, lane: usize, (cycles, are_short): (u32, bool)) {
        self.in_stage.put(lane);
        self.inputs[lane].ready = now + cycles;
        if are_short {
            self.expires_next[usize::from(cycles == 2)].put(lane);
        }
    }
}

/// The shape of a node of a plane with up to three virtual channels per link, with buffers of up to 255
/// words.
pub type Narrow = Node<u16, 16, 5, 1>;
/// The shape of a node of a plane with up to four virtual channels per link.
pub type Plane = Node<u32, 24, 5, 1>;
/// The lanes of [`Counting`].
const COUNTING_LANES: usize = 32;
/// The shape of a node of a plane with up to six virtual channels per link, whose credits of ejection may be counted.
pub type Counting = Node<u32, COUNTING_LANES, 5, 1>;
/// The lanes, the ports and the local ports of [`Any`] and [`Shared`]: as many lanes as a number has bits, and the ports of a grid
/// of any dimension. Wider nodes are rare, and take twice the memory.
const USUAL_LANES: usize = 128;
const USUAL_PORTS: usize = 2 * MAX_DIMENSIONS + 1;
const USUAL_LOCALS: usize = USUAL_PORTS - 1;
/// The shape of a node of any grid with one terminal, and of any other network with as few ports.
pub type Any = Node<u128, USUAL_LANES, USUAL_PORTS, 1>;
/// The same of a node with any number of terminals.
pub type Shared = Node<u128, USUAL_LANES, USUAL_PORTS, USUAL_LOCALS>;
/// The lanes of [`Middle`].
const MIDDLE_LANES: usize = 64;
/// The shape of a node with several terminals and up to 64 lanes: a third of [`Shared`], so that more of them stay in a cache.
pub type Middle = Node<u64, MIDDLE_LANES, USUAL_PORTS, USUAL_LOCALS>;
/// The shape of a node with any number of links, terminals and virtual channels that is allowed.
pub type Wide = Node<Bits256, MAX_LANES, MAX_PORTS, MAX_LOCALS>;
/// The most terminals of a node.
const MAX_LOCALS: usize = MAX_PORTS - 1;
