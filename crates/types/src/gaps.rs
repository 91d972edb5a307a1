//! How far a packet's words have fallen behind an unbroken stream.

use crate::{Cycle, PacketRef};

/// A packet whose words don't follow each other one a cycle, in the frame where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// From this cycle on the head is in the frame.
    pub since: Cycle,
    /// From which word on how many cycles later than `since` + its place in the packet a word is there;
    /// both ascend.
    pub late: Vec<(u16, u32)>,
}

impl Gaps {
    /// Cycles by which the last word is late.
    pub fn tail(&self) -> u32 {
        self.late.last().map_or(0, |(_, late)| *late)
    }
}

/// The packets with gaps; most often there is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllGaps(Vec<(PacketRef, Gaps)>);

impl AllGaps {
    pub(crate) fn put(&mut self, packet: PacketRef, gaps: Gaps) {
        self.0.push((packet, gaps));
    }

    #[inline]
    pub(crate) fn drop(&mut self, packet: PacketRef) {
        if !self.0.is_empty() {
            self.0.retain(|(other, _)| *other != packet);
        }
    }

    #[inline]
    pub(crate) fn tail(&self, packet: PacketRef) -> u32 {
        let mut all = self.0.iter();
        all.find(|(other, _)| *other == packet)
            .map_or(0, |(_, gaps)| gaps.tail())
    }

    /// The head moves on in cycle `moves`, and the next frame has it from `since` on. Whatever it had
    /// waited, the words behind it have caught up.
    #[inline]
    pub(crate) fn pass(&mut self, packet: PacketRef, moves: Cycle, since: Cycle) -> u32 {
        if self.0.is_empty() {
            return 0;
        }
        let Some((_, gaps)) = self.0.iter_mut().find(|(other, _)| *other == packet) else {
            return 0;
        };
        let waited = moves.since(gaps.since);
        gaps.late.retain_mut(|(_, late)| {
            *late = late.saturating_sub(waited);
            *late > 0
        });
        gaps.since = since;
        gaps.tail()
    }
}
