//! The interface between engines and traffic.

use flitwork_types::{Cycle, Packet, PacketId, TerminalId};
use std::ops::ControlFlow;

/// A packet that a source makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth {
    /// The cycle in which the source makes it.
    pub created: Cycle,
    /// Its destination; never the source itself.
    pub destination: TerminalId,
    /// Its length in words, at least 1; 0 for one that is left out ([`Birth::is_left_out`]).
    pub words: u16,
    /// Its class: an index into the workload's list of classes.
    pub class: u8,
}

impl Birth {
    /// Whether it is left out: its source gives it a number, and it never enters the network.
    #[inline]
    pub fn is_left_out(&self) -> bool {
        self.words == 0
    }
}

/// What a source has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// A packet.
    Packet(Birth),
    /// No packet is known before this cycle. The source must be asked again then, or when a delivery wakes it.
    Later(Cycle),
    /// No packet is known. The source must be asked again when a delivery wakes it, or the engine learns of a packet.
    WhenWoken,
    /// No packet, now or later.
    Never,
}

/// Identical packets of a source that were made and never taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The cycle in which the source made them.
    pub created: Cycle,
    /// The length of each, in words.
    pub words: u16,
    /// How many.
    pub packets: u64,
}

/// Takes packets that are left, until it breaks.
pub type TakeLeft<'a> = dyn FnMut(Left) -> ControlFlow<()> + 'a;

/// Packets that the sources would still make if the run continued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owed {
    /// How many.
    pub packets: u64,
    /// How many of them are replies to other packets.
    pub replies: u64,
    /// Whether there may be more, because not all have been counted.
    pub at_least: bool,
}

/// What became of packets where links fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets that were made and refused by their sources: there was no way for them.
    pub refused: u64,
    /// Lost packets that were sent again.
    pub sent_again: u64,
}

/// The packets of all sources, each source's in the order of their creation.
///
/// Deterministic: the packets of a terminal depend on (seed, terminal), on the cycles in which it is asked and on what was
/// delivered to it, but not on the order of calls for different terminals. A packet to its own source would never enter the
/// network, so no workload makes one. A terminal that isn't a source, or doesn't exist, may be asked and makes nothing.
pub trait Workload: Send {
    /// Takes the next packet of `source`, in its node's cycle `now`; it is created no earlier than the one before.
    fn next(&mut self, source: TerminalId, now: Cycle) -> Offer;

    /// The terminals that make any packet at all, ascending, regardless of how many have been taken.
    fn sources(&self) -> Vec<TerminalId>;

    /// Whether a source's packets can be taken any number of cycles ahead: [`Workload::next`] never answers
    /// [`Offer::Later`], and nothing depends on deliveries. If false, no packet is handed over before its cycle.
    /// Traffic whose packets another program makes during the run foresees those that it has been given: it answers
    /// [`Offer::WhenWoken`] until the engine learns of another one.
    fn foresees(&self) -> bool {
        true
    }

    /// Reports that `packet` was delivered to `terminal` in its node's cycle `now`. Adds to `woken` the sources that may
    /// now have a packet, in a later cycle.
    fn delivered(
        &mut self,
        _terminal: TerminalId,
        _packet: &Packet,
        _now: Cycle,
        _woken: &mut Vec<TerminalId>,
    ) {
    }

    /// Reports that `packet` was lost in cycle `now`. Adds to `woken` the sources that may now have a packet, in a later cycle.
    fn lost(&mut self, _packet: &Packet, _now: Cycle, _woken: &mut Vec<TerminalId>) {}

    /// Takes the packets of `source` that are made before `end` and haven't been taken, and passes them to `left`, identical
    /// ones as a group, so that it may take less time than one step per packet. `end` is no earlier than the cycle of any
    /// earlier call. Stops when `left` breaks.
    fn leave_over(
        &mut self,
        source: TerminalId,
        end: Cycle,
        left: &mut TakeLeft<'_>,
    ) -> ControlFlow<()> {
        let last = end - 1;
        while let Offer::Packet(birth) = self.next(source, last)
            && birth.created < end
        {
            left(Left::one(&birth))?;
        }
        ControlFlow::Continue(())
    }

    /// The packets that the sources would still make, beyond those that have been taken. An open loop, which makes packets
    /// at a rate for as long as it is measured, owes none.
    fn owed(&mut self) -> Owed {
        Owed::default()
    }

    /// What else became of its packets until `end`.
    fn tally(&self, _end: Cycle) -> Tally {
        Tally::default()
    }

    /// Leaves out a packet that hasn't been taken yet. Returns whether it does; only [`Without`](crate::Without) can.
    fn leave_out(&mut self, _packet: PacketId) -> bool {
        false
    }

    /// The same traffic from here on: what is taken from the copy, or delivered to it, changes nothing here.
    fn fork(&self) -> Box<dyn Workload>;
}

impl Left {
    /// One packet.
    pub fn one(birth: &Birth) -> Left {
        Left {
            created: birth.created,
            words: birth.words,
            packets: 1,
        }
    }
}

impl Offer {
    /// The packet, if there is one.
    pub fn packet(self) -> Option<Birth> {
        match self {
            Offer::Packet(birth) => Some(birth),
            _ => None,
        }
    }
}
