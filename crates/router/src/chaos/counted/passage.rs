//! A packet's way through the node, as far as it has been decided.

use flitwork_node::Place;
use flitwork_types::{Cycle, Due, PacketRef, Port};

/// A frame that a packet goes through.
#[derive(Clone, Copy, Debug)]
pub(in crate::chaos) struct Stage {
    pub(in crate::chaos) place: Place,
    /// When a word may move in.
    pub(in crate::chaos) starts: Due,
    /// How many words have moved in.
    pub(in crate::chaos) words: u16,
}

/// A packet on its way through the node.
#[derive(Clone, Debug)]
pub(in crate::chaos) struct Passage {
    pub(in crate::chaos) packet: PacketRef,
    /// The frames it passes through, as far as decided; the first is an input frame. Those from `count` on mean nothing.
    pub(super) stages: [Stage; 3],
    pub(super) count: u8,
    /// Whether the packet vanishes here as its words arrive.
    pub(in crate::chaos) vanishes: bool,
    /// How many words have left over the link.
    pub(in crate::chaos) sent: u16,
}

impl Passage {
    /// A packet whose head arrives at a port.
    #[inline(always)]
    pub(super) fn new(packet: PacketRef, port: Port, now: Cycle, vanishes: bool) -> Passage {
        let first = Stage {
            place: Place::Input(port),
            starts: now.into(),
            words: 0,
        };
        Passage {
            packet,
            stages: [first; 3],
            count: 1,
            vanishes,
            sent: 0,
        }
    }

    /// The input frame.
    #[inline(always)]
    pub(super) fn first(&self) -> &Stage {
        &self.stages[0]
    }

    #[inline(always)]
    pub(super) fn first_mut(&mut self) -> &mut Stage {
        &mut self.stages[0]
    }

    /// The last frame that has been decided on.
    #[inline(always)]
    pub(in crate::chaos) fn last(&self) -> &Stage {
        &self.stages[usize::from(self.count) - 1]
    }

    /// The frames, as far as decided.
    #[inline]
    pub(in crate::chaos) fn stages(&self) -> &[Stage] {
        &self.stages[..usize::from(self.count)]
    }

    /// It has been decided that the packet goes to another frame.
    #[inline]
    pub(super) fn push(&mut self, stage: Stage) {
        self.stages[usize::from(self.count)] = stage;
        self.count += 1;
    }
}
