//! An output frame: two registers that say one thing of a frame that holds a packet, and another of one that
//! doesn't, or whose packet is known to leave.

use bytemuck::Zeroable;
use flitwork_types::{Cycle, PacketRef};

/// What an output frame's registers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Nobody knows yet when the packet in it will have left.
    Full {
        packet: PacketRef,
        /// The cycle from which its head may leave.
        ready: Cycle,
    },
    /// It is empty, or known to be.
    Empty {
        /// The cycle from which it can be decided on.
        open_from: Cycle,
        /// The cycle from which the neighbour's input frame is free, where there is a credit for it.
        credit_from: Cycle,
    },
}

/// The registers: of a frame that is blocked ([`super::Node::blocked`]) its packet and `ready`, of another
/// `open_from` and `credit_from`. All bits 0 is an empty frame that is open.
#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
pub(super) struct OutputFrame {
    packet_or_open_from: u32,
    ready_or_credit_from: Cycle,
}

impl OutputFrame {
    /// A frame that holds a packet.
    #[inline(always)]
    pub(super) fn holding(packet: PacketRef, ready: Cycle) -> OutputFrame {
        OutputFrame {
            packet_or_open_from: packet.0,
            ready_or_credit_from: ready,
        }
    }

    /// A frame that holds none from `open_from` on.
    #[inline(always)]
    pub(super) fn open(open_from: Cycle, credit_from: Cycle) -> OutputFrame {
        OutputFrame {
            packet_or_open_from: open_from.0,
            ready_or_credit_from: credit_from,
        }
    }

    /// What it says where it is blocked.
    #[inline(always)]
    pub(super) fn full(self) -> Output {
        Output::Full {
            packet: PacketRef(self.packet_or_open_from),
            ready: self.ready_or_credit_from,
        }
    }

    /// What it says where it isn't.
    #[inline(always)]
    pub(super) fn empty(self) -> Output {
        Output::Empty {
            open_from: self.open_from(),
            credit_from: self.ready_or_credit_from,
        }
    }

    /// The cycle from which it can be decided on, where it isn't blocked: all frames of a node are asked at once,
    /// and those that are blocked are left out afterwards.
    #[inline(always)]
    pub(super) fn open_from(self) -> Cycle {
        Cycle(self.packet_or_open_from)
    }

    /// The head of the packet in it may leave from a cycle on.
    #[inline(always)]
    pub(super) fn set_ready(&mut self, ready: Cycle) {
        self.ready_or_credit_from = ready;
    }

    /// The neighbour's input frame is free from a cycle on; the frame isn't blocked.
    #[inline(always)]
    pub(super) fn set_credit_from(&mut self, credit_from: Cycle) {
        self.ready_or_credit_from = credit_from;
    }

    /// The packet that it held has left by a cycle; it says of its credit what it said of the packet.
    #[inline(always)]
    pub(super) fn set_open_from(&mut self, open_from: Cycle) {
        self.packet_or_open_from = open_from.0;
    }
}
