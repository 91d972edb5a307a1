//! Where a node keeps packets: the machine's part, not the rule's.

use flitwork_types::Port;
use std::fmt;

/// How much a node holds. What begins in a node is there whatever fits, and counts for the central queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// One queue of so many packets.
    Central(usize),
    /// A queue of so many packets for each incoming link.
    Incoming(usize),
    /// As much as comes.
    Unbounded,
}

impl Store {
    /// How many packets fit where those go that come by a port; none if as many as come.
    pub fn capacity(self) -> Option<usize> {
        match self {
            Store::Central(k) | Store::Incoming(k) => Some(k),
            Store::Unbounded => None,
        }
    }

    /// Whether packets that came by these two ways are in one queue.
    #[inline]
    pub(crate) fn is_shared(self, one: Option<Port>, other: Option<Port>) -> bool {
        match self {
            Store::Central(_) => true,
            Store::Incoming(_) | Store::Unbounded => one == other,
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Store::Central(k) => write!(f, "a central queue of {k}"),
            Store::Incoming(k) => write!(f, "{k} an incoming link"),
            Store::Unbounded => f.write_str("unbounded queues"),
        }
    }
}
