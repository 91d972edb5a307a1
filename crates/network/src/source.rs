//! A terminal, as a sender.
//!
//! ```text
//!   workload ──▶ next packet ──▶ words, one per cycle ────▶ injection frame
//!                                       ◀── free from the cycle after its credit
//! ```
//!
//! It puts a packet's head into the injection frame as soon as the packet is made and the frame is free,
//! followed by the other words, one per cycle.

use flitwork_traffic::{Birth, Left, Offer, TakeLeft, Workload};
use flitwork_types::{Cycle, Due, Packet, PacketId, PacketRef, Packets, TerminalId, Word};
use std::ops::ControlFlow;

/// A source: the packet that it sends next, and the one whose words it puts into the injection frame.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    next: Offer,
    /// When the injection frame can take its next packet: not known while it is in the middle of one.
    free_from: Due,
    sending: Option<Sending>,
    serial: u32,
}

/// A packet on its way out of a source.
#[derive(Clone, Copy, Debug)]
struct Sending {
    packet: PacketRef,
    index: u16,
    words: u16,
}

impl Source {
    /// A source before its first cycle, with the workload's first answer.
    pub fn new(next: Offer) -> Source {
        Source {
            next,
            free_from: Due::at(Cycle::ZERO),
            sending: None,
            serial: 0,
        }
    }

    /// A source before its first cycle, whose next packet `ask` returns.
    pub fn first(ask: impl FnMut(Cycle) -> Offer) -> Source {
        let mut source = Source::new(Offer::Never);
        source.ask(Cycle::ZERO, ask);
        source
    }

    /// Asks for its next packet. Those that are left out take their numbers.
    #[inline]
    fn ask(&mut self, now: Cycle, mut ask: impl FnMut(Cycle) -> Offer) {
        self.next = ask(now);
        while let Offer::Packet(birth) = &self.next
            && birth.is_left_out()
        {
            self.serial += 1;
            self.next = ask(now);
        }
    }

    /// Whether it may begin another packet without a delivery. A source that waits for one is closed until it is
    /// woken: if nothing is under way, nothing will wake it.
    #[inline]
    pub fn is_open(&self) -> bool {
        !matches!(self.next, Offer::Never | Offer::WhenWoken)
    }

    /// Whether it is in the middle of a packet.
    #[inline]
    pub fn is_sending(&self) -> bool {
        self.sending.is_some()
    }

    /// The first cycle in which it begins a packet or asks for one, as far as it knows; never while it is in
    /// the middle of one.
    #[inline]
    pub fn begins_at(&self) -> Due {
        match (self.sending, self.next) {
            (None, Offer::Packet(Birth { created: from, .. }) | Offer::Later(from)) => {
                self.free_from.not_before(from)
            }
            _ => Due::NEVER,
        }
    }

    /// The first cycle in which it has to be visited.
    #[inline]
    pub fn due(&self) -> Due {
        match self.is_sending() {
            true => Due::at(Cycle::ZERO),
            false => self.begins_at(),
        }
    }

    /// The injection frame can take a packet from `cycle` on.
    #[inline]
    pub fn free(&mut self, cycle: Cycle) {
        self.free_from = cycle.into();
    }

    /// A delivery may have given it a packet: it asks when it can. Returns whether that opens it.
    #[inline]
    pub fn wake(&mut self) -> bool {
        let was_open = self.is_open();
        if let Offer::Later(_) | Offer::WhenWoken = self.next {
            self.next = Offer::Later(Cycle::ZERO);
        }
        !was_open && self.is_open()
    }

    /// In cycle `now` it asks for a packet, if it has to. Returns whether it has one that it can begin.
    #[inline]
    pub fn can_begin(&mut self, now: Cycle, ask: impl FnMut(Cycle) -> Offer) -> bool {
        if self.begins_at() > now {
            return false;
        }
        if let Offer::Later(_) = self.next {
            self.ask(now, ask);
        }
        matches!(self.next, Offer::Packet(_)) && self.begins_at() <= now
    }

    /// In cycle `now` it begins its packet, one of `terminal`, and asks for another. `fixed` is the length of all packets, if
    /// they have only one.
    ///
    /// # Panics
    /// If it has none: see [`Source::can_begin`].
    #[inline]
    pub fn begin(
        &mut self,
        terminal: TerminalId,
        now: Cycle,
        fixed: Option<u16>,
        packets: &mut Packets,
        ask: impl FnMut(Cycle) -> Offer,
    ) {
        let birth = self.next.packet();
        let birth = birth.expect("a source that begins a packet has one");
        let packet = self.packet(terminal, &birth, now, fixed);
        self.sending = Some(Sending {
            packet: packets.insert(packet),
            index: 0,
            words: packet.words,
        });
        self.free_from = Due::NEVER;
        self.ask(now, ask);
    }

    /// The packet that it makes of a birth.
    fn packet(
        &mut self,
        source: TerminalId,
        birth: &Birth,
        now: Cycle,
        fixed: Option<u16>,
    ) -> Packet {
        let id = PacketId {
            source,
            serial: self.serial,
        };
        self.serial += 1;
        born(id, birth, now, fixed)
    }

    /// The word that it puts into the injection frame, if it is in the middle of a packet.
    #[inline]
    pub fn word(&mut self) -> Option<Word> {
        let sending = self.sending.as_mut()?;
        let word = Word::of(sending.packet, sending.index, sending.words);
        sending.index += 1;
        if sending.index == sending.words {
            self.sending = None;
        }
        Some(word)
    }

    /// Asks for a packet and begins it if it can and `now` is before `until`.
    #[inline]
    pub fn begin_due(
        &mut self,
        terminal: TerminalId,
        (now, until): (Cycle, Cycle),
        fixed: Option<u16>,
        packets: &mut Packets,
        ask: impl FnMut(Cycle) -> Offer,
    ) {
        // In most cycles it isn't due, and nothing is called.
        if now < until && self.begins_at() <= now {
            self.begin_if_made(terminal, now, fixed, packets, ask);
        }
    }

    #[inline(never)]
    fn begin_if_made(
        &mut self,
        terminal: TerminalId,
        now: Cycle,
        fixed: Option<u16>,
        packets: &mut Packets,
        mut ask: impl FnMut(Cycle) -> Offer,
    ) {
        if self.can_begin(now, &mut ask) {
            self.begin(terminal, now, fixed, packets, ask);
        }
    }

    /// The packet that it has begun, for a caller that sends the words.
    #[inline]
    pub fn hand_over(&mut self) -> Option<PacketRef> {
        self.sending.take().map(|sending| sending.packet)
    }

    /// Reports to `left` the packets of `terminal` made before `end` that it never began.
    pub fn leave_over(
        &mut self,
        terminal: TerminalId,
        end: Cycle,
        workload: &mut dyn Workload,
        left: &mut TakeLeft<'_>,
    ) -> ControlFlow<()> {
        match std::mem::replace(&mut self.next, Offer::Never) {
            Offer::Never => return ControlFlow::Continue(()),
            Offer::Packet(birth) if birth.created >= end => return ControlFlow::Continue(()),
            Offer::Packet(birth) => left(Left::one(&birth))?,
            Offer::Later(_) | Offer::WhenWoken => {}
        }
        workload.leave_over(terminal, end, left)
    }
}

/// The packet that a birth makes, as it enters the network in cycle `now`.
#[inline]
pub fn born(id: PacketId, birth: &Birth, now: Cycle, fixed: Option<u16>) -> Packet {
    Packet {
        id,
        destination: birth.destination,
        created: birth.created,
        injected: now,
        hops: 0,
        deroutes: 0,
        words: fixed.unwrap_or(birth.words),
        class: birth.class,
        loss: None,
        skew: 0,
    }
}
