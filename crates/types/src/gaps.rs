//! How far a packet's words lag behind an unbroken stream.

use crate::{Cycle, PacketRef};

/// The gaps between the words of a packet in its current frame, if they don't arrive one per cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// The cycle from which the head is in the frame.
    pub since: Cycle,
    /// (word, delay): from that word on, words arrive that many cycles later than `since` + their index in the packet.
    /// Both ascend.
    pub late: Vec<(u16, u32)>,
}

impl Gaps {
    /// Cycles by which the last word is late.
    pub fn tail(&self) -> u32 {
        self.late.last().map_or(0, |(_, late)| *late)
    }
}

/// The packets with gaps; usually there are none.
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

    /// Updates the gaps when the head moves on in cycle `moves` and is in the next frame from `since` on. While the head
    /// waited, the words behind it caught up by as many cycles.
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
