//! What arrived at a node in one cycle.

use flitwork_types::PortSet;

/// All that the host decided about one local cycle of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Arrivals {
    /// The link ports at which a link delivered a word.
    pub words: PortSet,
    /// The link ports at which a link delivered a credit.
    pub credits: PortSet,
    /// The link ports whose half-duplex links gave the node its turn: it used the right to send, and a packet began to leave.
    pub turns: PortSet,
    /// The local ports whose sources put a packet's head into the injection frame.
    pub injected: PortSet,
}

impl Arrivals {
    /// Whether nothing arrived, no turn came and nothing was injected.
    #[inline]
    pub const fn is_quiet(&self) -> bool {
        self.words.0 | self.credits.0 | self.turns.0 | self.injected.0 == 0
    }
}
