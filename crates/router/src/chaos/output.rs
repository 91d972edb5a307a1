//! An output frame: two registers with one meaning while the frame holds a packet whose departure isn't
//! known yet, and another while it is empty or its packet is known to leave.

use bytemuck::Zeroable;
use flitwork_types::{Cycle, Due, PacketRef};

/// What an output frame's registers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// It isn't known yet when the packet in it will have left.
    Full {
        packet: PacketRef,
        /// When its head may leave.
        ready: Due,
    },
    /// It is empty, or known to be.
    Empty {
        /// The cycle from which it can be decided on.
        open_from: Cycle,
        /// The cycle from which the neighbour's input frame is free, if there is a credit for it.
        credit_from: Cycle,
    },
}

/// The registers: in a blocked frame ([`super::Node::blocked`]) its packet and `ready`, otherwise `open_from`
/// and `credit_from`. All bits 0 is an empty, open frame.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub(super) struct OutputFrame {
    packet_or_open_from: u32,
    ready_or_credit_from: u32,
}

impl OutputFrame {
    /// A frame that holds a packet.
    #[inline(always)]
    pub(super) fn holding(packet: PacketRef, ready: Due) -> OutputFrame {
        OutputFrame {
            packet_or_open_from: packet.0,
            ready_or_credit_from: ready.bits(),
        }
    }

    /// A frame that is empty from `open_from` on.
    #[inline(always)]
    pub(super) fn open(open_from: Cycle, credit_from: Cycle) -> OutputFrame {
        OutputFrame {
            packet_or_open_from: open_from.0,
            ready_or_credit_from: credit_from.0,
        }
    }

    /// Its meaning if it is blocked.
    #[inline(always)]
    pub(super) fn full(self) -> Output {
        Output::Full {
            packet: PacketRef(self.packet_or_open_from),
            ready: self.ready(),
        }
    }

    /// Its meaning if it isn't blocked.
    #[inline(always)]
    pub(super) fn empty(self) -> Output {
        Output::Empty {
            open_from: self.open_from(),
            credit_from: Cycle(self.ready_or_credit_from),
        }
    }

    /// The cycle from which it can be decided on, if it isn't blocked: all frames of a node are read at once,
    /// and blocked ones are masked out afterwards.
    #[inline(always)]
    pub(super) fn open_from(self) -> Cycle {
        Cycle(self.packet_or_open_from)
    }

    /// When the head of its packet may leave, if it is blocked.
    #[inline(always)]
    pub(super) fn ready(self) -> Due {
        Due::of_bits(self.ready_or_credit_from)
    }

    /// Sets the cycle from which the head of its packet may leave.
    #[inline(always)]
    pub(super) fn set_ready(&mut self, ready: Cycle) {
        self.ready_or_credit_from = ready.0;
    }

    /// Sets the cycle from which the neighbour's input frame is free; the frame isn't blocked.
    #[inline(always)]
    pub(super) fn set_credit_from(&mut self, credit_from: Cycle) {
        self.ready_or_credit_from = credit_from.0;
    }

    /// Sets the cycle by which its packet has left; its `ready` now reads as `credit_from`.
    #[inline(always)]
    pub(super) fn set_open_from(&mut self, open_from: Cycle) {
        self.packet_or_open_from = open_from.0;
    }
}
