//! When the phases of a superstep are, by the clock of a supernode.

use super::{Half, Quadrant, Supernode};

/// The steps of a superstep, for worms of k words, queues of f packets, and a storage cycle of C = f k / 2 + s nodes.
///
/// A storage cycle has f / 2 slots of k words, head to tail, and s nodes that are empty. As a superstep begins, the head of slot 0
/// is before the vertical lane, which is empty. Where a head is on its way around the storage cycle, again and again, is its
/// *reading*: slot j reads j k less than slot 0.
///
/// | slot 0 reads | phase | |
/// |---|---|---|
/// | C … 2C | output selection | all worms pass the command processors |
/// | 2C … 3C | | worms turn round in the middle, until both halves have two gaps |
/// | 3C … 4C + d | extraction | worms leave for the buffers, the others are delayed by d = k + 4 steps in the storage |
/// | 4C + d … 5C + d | queueing | worms that have come fill the gaps |
///
/// *Transmission.* The last word of slot f / 2 - 1 leaves the second command processor on its way in step 3C - s / 2. Whoever is
/// extracted there is in the buffer's corner a step later, and is back on the lane in step T = 3C - s / 2 + 3 after some turns of
/// k steps in the buffer. A worm that is extracted at the first command processor is there 2 steps earlier, and steps aside once.
/// All transmission begins in step T. It leads over s - 1 links, from beside a buffer's corner to beside a buffer's corner.
///
/// *The delay.* The first link that a worm shares with the snake of its next supernode is the worm's in steps T + s / 2 + 1 …
/// T + s / 2 + k. By the other's clock that may be a step later. The snake comes there in step 3C + d + 1, so d > k + 3.
///
/// *Queueing.* The gap of slot j is at the first command processor in step 3C + d + s / 2 - 1 + j k = T + s + k + j k. A worm is in
/// the corner of an odd supernode's buffer in step T + s by its sender's clock, which is T + s - 1 by its own, and beside it on the
/// lane after a turn and a step: in step T + s + k. To an even one it would come 2 steps later. There it enters the buffer a node
/// before the corner, and after k - 1 steps instead of a whole turn it is in the corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timetable {
    /// The words of a worm, k.
    words: u32,
    /// s.
    across: u32,
    /// The nodes of a storage cycle, C.
    pub(super) cycle: u32,
    /// The steps by which snakes are delayed, d.
    pub(super) delay: u32,
    /// The nodes of a death cycle.
    pub(super) death_cycle: u32,
}

impl Timetable {
    pub(super) fn new(supernode: &Supernode) -> Timetable {
        let (words, packets, across) =
            (supernode.words(), supernode.packets(), supernode.side() - 1);
        Timetable {
            words,
            across,
            cycle: packets * words / 2 + across,
            delay: words + 4,
            death_cycle: packets * words + 4,
        }
    }

    /// The steps of a superstep: four cycles and the delay.
    pub(super) fn superstep(&self) -> u32 {
        4 * self.cycle + self.delay
    }

    /// The reading of a slot's head, as a step of a superstep begins.
    pub(super) fn reading(&self, slot: u32, step: u32) -> u32 {
        self.cycle - 1 - slot * self.words + step
    }

    /// The step that begins with a slot's head at a reading.
    pub(super) fn step(&self, slot: u32, reading: u32) -> u32 {
        reading + 1 + slot * self.words - self.cycle
    }

    /// The reading in the middle, in the second cycle.
    pub(super) fn middle(&self) -> u32 {
        2 * self.cycle + self.across / 2 - 1
    }

    /// Whether a half's snake comes to the command processor beside a buffer before it comes to the other one.
    pub(super) fn is_first(half: Half, quadrant: Quadrant) -> bool {
        (half == Half::Left) != quadrant.is_upper
    }

    /// The reading at the command processor beside a buffer, in the cycle of extraction.
    pub(super) fn extraction(&self, half: Half, quadrant: Quadrant) -> u32 {
        let first = 3 * self.cycle + self.across / 2 - 2;
        match Timetable::is_first(half, quadrant) {
            true => first,
            false => first + 2,
        }
    }

    /// The step that begins with the heads of all worms that are sent on the lanes beside their buffers' corners: T.
    pub(super) fn transmission(&self) -> u32 {
        3 * self.cycle - self.across / 2 + 3
    }

    /// The reading at the command processor where gaps are filled, which is the first that the snake comes to, in the cycle of
    /// queueing.
    pub(super) fn insertion(&self) -> u32 {
        4 * self.cycle + self.delay + self.across / 2 - 2
    }
}
