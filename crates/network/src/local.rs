//! The sending sides of the terminals at one node.

use crate::Source;
use flitwork_traffic::Offer;
use flitwork_types::{Cycle, Due, Packets, Port, TerminalId, Word};

/// A terminal whose packets enter at a node, and what it sends.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// The local port at which they enter.
    pub port: Port,
    /// The terminal.
    pub terminal: TerminalId,
    /// Its source.
    pub source: Source,
}

/// Those of a node, in the order of their ports.
#[derive(Clone, Debug)]
pub struct Locals(Box<[Local]>);

impl Locals {
    /// Those before their first cycle of a node with these terminals; `ask` returns what each has to send.
    pub fn new(
        terminals: impl Iterator<Item = (Port, TerminalId)>,
        mut ask: impl FnMut(TerminalId) -> Offer,
    ) -> Locals {
        let local = |(port, terminal)| Local {
            port,
            terminal,
            source: Source::first(|_| ask(terminal)),
        };
        Locals(terminals.map(local).collect())
    }

    /// All of them.
    #[inline]
    pub fn all(&self) -> &[Local] {
        &self.0
    }

    /// The place among them of the one at a port.
    #[inline]
    pub fn place(&self, port: Port) -> Option<usize> {
        self.0.iter().position(|local| local.port == port)
    }

    /// That at a place among them.
    #[inline]
    pub(crate) fn at(&mut self, place: usize) -> &mut Local {
        &mut self.0[place]
    }

    /// Whether any may begin another packet without a delivery.
    #[inline]
    pub fn are_open(&self) -> bool {
        self.0.iter().any(|local| local.source.is_open())
    }

    /// Whether any is in the middle of a packet.
    #[inline]
    pub fn are_sending(&self) -> bool {
        self.0.iter().any(|local| local.source.is_sending())
    }

    /// The first cycle in which one begins a packet or asks for one.
    #[inline]
    pub(crate) fn begins_at(&self) -> Due {
        Due::soonest(self.0.iter().map(|local| local.source.begins_at()))
    }

    /// A delivery to a terminal may have given it a packet. Returns whether that opens its source.
    #[inline]
    pub(crate) fn wake(&mut self, terminal: TerminalId) -> bool {
        let local = self.0.iter_mut().find(|local| local.terminal == terminal);
        local.is_some_and(|local| local.source.wake())
    }

    /// The words that they put into their injection frames in this cycle.
    #[inline]
    pub(crate) fn words(&mut self) -> impl Iterator<Item = (Port, Word)> {
        let locals = self.0.iter_mut();
        locals.filter_map(|local| Some((local.port, local.source.word()?)))
    }

    /// The injection frame at a port can take a packet from `cycle` on.
    #[inline]
    pub(crate) fn free(&mut self, port: Port, cycle: Cycle) {
        if let Some(place) = self.place(port) {
            self.0[place].source.free(cycle);
        }
    }
}

impl Local {
    /// In cycle `now` it begins its packet: see [`Source::begin`].
    pub(crate) fn begin(
        &mut self,
        now: Cycle,
        fixed: Option<u16>,
        packets: &mut Packets,
        ask: impl FnMut(Cycle) -> Offer,
    ) {
        self.source.begin(self.terminal, now, fixed, packets, ask);
    }
}
