//! What a node puts on its links in a step: a packet or a note on each.

use flitwork_types::Port;
use std::convert::Infallible;

/// The note of a rule that sends none: there is no such value.
pub type NoNotes = Infallible;

/// Which packet a node sends over each link, that with this place among those that it holds; and its notes.
#[derive(Clone, Debug)]
pub struct Choice<N = NoNotes> {
    /// The packets that are sent, each by its place, after the link's port.
    pub sent: Vec<(Port, usize)>,
    /// The notes, likewise.
    pub notes: Vec<(Port, N)>,
}

impl<N> Default for Choice<N> {
    fn default() -> Choice<N> {
        Choice {
            sent: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl<N> Choice<N> {
    /// Sends a packet over the link at a port.
    #[inline]
    pub fn send(&mut self, port: Port, packet: usize) {
        self.sent.push((port, packet));
    }

    /// Sends a note over the link at a port, over which no packet is sent.
    pub fn note(&mut self, port: Port, note: N) {
        self.notes.push((port, note));
    }

    /// Whether a packet is sent already.
    #[inline]
    pub fn sends(&self, packet: usize) -> bool {
        self.sent.iter().any(|(_, sent)| *sent == packet)
    }

    /// Whether a link is taken already.
    #[inline]
    pub fn takes(&self, port: Port) -> bool {
        let has_note = self.notes.iter().any(|(taken, _)| *taken == port);
        has_note || self.sent.iter().any(|(taken, _)| *taken == port)
    }

    pub(crate) fn clear(&mut self) {
        self.sent.clear();
        self.notes.clear();
    }
}
