//! The registers of a node, in several sizes.

use super::ejection::Ejection;
use super::injection::Injection;
use super::{MAX_LANES, WormholeParameters};
use crate::allocate::{Memory, SwitchMemory};
use crate::bits::Bits;
use crate::counts::{Count, Counts};
use flitwork_types::{Cycle, PacketRef};
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

/// The registers of a node with up to `N` lanes and `P` ports, the local one included, in the order in which
/// a cycle needs them: those that every cycle reads begin with a cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Node<B: Bits, const N: usize, const P: usize> {
    // No two that change together are adjacent: the compiler would merge the writes, and the separate reads
    // that follow would stall the processor.
    /// Input lanes with a worm at the front.
    pub(super) occupied: B,
    /// Output lanes without room at the far end.
    pub(super) closed: B,
    /// Input lanes whose worm holds an output lane.
    pub(super) active: B,
    /// Output lanes that aren't given away before their buffer is empty.
    pub(super) draining: B,
    /// Input lanes that hold a word of the worm at the front.
    pub(super) filled: B,
    /// Output lanes that no worm holds.
    pub(super) free: B,
    /// Input lanes whose output lane has room at the far end.
    pub(super) roomy: B,
    /// Those with a worm behind the first.
    pub(super) followed: B,
    /// Those whose head waits for an output lane.
    pub(super) waiting: B,
    /// Those with the tail of the worm at the front in the buffer, or gone.
    pub(super) whole: B,
    /// Those whose worm has sent nothing yet.
    pub(super) fresh: B,
    /// Lanes that wait for time to pass: if waits are short, those that wait for the next step and for the
    /// one after that; otherwise all of them together.
    pub(super) ripe: [B; 2],
    pub(super) timed: B,
    /// Those with further worms behind the second.
    pub(super) crowded: B,
    pub(super) injection: Injection,
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
    pub(super) switch: SwitchMemory<B, P>,
    /// The input lane that holds each output lane.
    pub(super) holder: [u8; N],
    pub(super) channel_memory: Memory<B, N>,
    /// Input lanes, those of a port next to each other.
    pub(super) inputs: [InputLane<B>; N],
    pub(super) speculation_memory: Memory<B, P>,
    /// Words of each input lane's worm that have moved on, if they are reported one by one.
    pub(super) gone: [u16; N],
    /// The worms behind the second in each lane.
    pub(super) more: Option<Box<[VecDeque<Behind>]>>,
    /// The output lanes that speculative bids may hope for.
    pub(super) open: B,
    /// The credits of the local output lanes, if they are counted.
    pub(super) ejection: Option<Box<Ejection>>,
    /// The cycle in which the source's packet began.
    pub(super) begun: Cycle,
}

impl<B: Bits, const N: usize, const P: usize> Node<B, N, P> {
    /// Bytes outside of its own size.
    pub(super) fn heap_bytes(&self) -> usize {
        let more = self.more.iter().flat_map(|lanes| lanes.iter());
        let more = more.map(|behind| size_of_val(behind) + behind.len() * size_of::<Behind>());
        let ejection = self.ejection.iter();
        more.sum::<usize>() + ejection.map(|it| it.bytes()).sum::<usize>()
    }

    /// The registers of a node with this many lanes before the first cycle, all buffers empty.
    pub(super) fn new(lanes: usize, buffer_words: u16) -> Node<B, N, P> {
        Node {
            inputs: [InputLane::default(); N],
            buffered: 0,
            words: Counts::new(0),
            room_words: Counts::new(buffer_words),
            holder: [0; N],
            closed: B::NONE,
            whole: B::NONE,
            occupied: B::NONE,
            waiting: B::NONE,
            active: B::NONE,
            filled: B::NONE,
            roomy: B::NONE,
            timed: B::NONE,
            ripe: [B::NONE; 2],
            fresh: B::NONE,
            gone: [0; N],
            output: [0; N],
            followed: B::NONE,
            crowded: B::NONE,
            free: B::below(lanes),
            draining: B::NONE,
            channel_memory: Memory::default(),
            switch: SwitchMemory::default(),
            speculation_memory: Memory::default(),
            more: None,
            open: B::NONE,
            ejection: None,
            injection: Injection::new(),
            begun: Cycle::ZERO,
        }
    }

    /// Whether nodes of this shape are large enough for a router with validated parameters and `ports` ports,
    /// the local one included.
    pub fn fits(ports: usize, parameters: &WormholeParameters) -> bool {
        let lanes = ports * usize::from(parameters.vcs);
        ports <= P
            && lanes <= N
            && parameters.buffer_words <= B::Count::MOST
            && (Self::COUNTS_EJECTION || parameters.ejection_trip_cycles().is_none())
    }

    /// Whether nodes of this shape can count the credits of ejection: only some do, so that it costs the others nothing.
    pub(super) const COUNTS_EJECTION: bool = N == COUNTING_LANES || N == MAX_LANES;
}

impl<B: Bits, const N: usize, const P: usize> Node<B, N, P> {
    /// Ends the waits of lanes that wait for this step, if waits are short and every cycle has a step while
    /// any lane waits.
    #[inline(always)]
    pub(super) fn pass_cycle(&mut self) {
        let [ripe, next] = self.ripe;
        self.timed &= !ripe;
        self.ripe = [next, B::NONE];
    }

    /// The worm at the front of an input lane waits for some cycles: one or two if waits are short.
    #[inline]
    pub(super) fn wait(&mut self, now: Cycle, lane: usize, (cycles, are_short): (u32, bool)) {
        self.timed.put(lane);
        self.inputs[lane].ready = now + cycles;
        if are_short {
            self.ripe[usize::from(cycles == 2)].put(lane);
        }
    }
}

/// The shape of a node of a plane with up to three virtual channels per link, with buffers of up to 255
/// words.
pub type Narrow = Node<u16, 16, 5>;
/// The shape of a node of a plane with up to four virtual channels per link.
pub type Plane = Node<u32, 24, 5>;
/// The lanes of [`Counting`].
const COUNTING_LANES: usize = 32;
/// The shape of a node of a plane with up to six virtual channels per link, whose credits of ejection may be counted.
pub type Counting = Node<u32, COUNTING_LANES, 5>;
/// The shape of a node with any number of ports and virtual channels that is allowed.
pub type Any = Node<u128, MAX_LANES, { flitwork_types::MAX_PORTS }>;
