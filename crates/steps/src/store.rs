//! Where a node keeps packets: the machine's part, not the rule's.

use flitwork_types::Port;
use std::fmt;

/// How much a node holds. What begins in a node is there whatever fits. It counts for the central queue; where links have
/// queues it lies beside them, unless the rule puts it into one.
///
/// In which queue of an outgoing link a packet will lie depends on where it goes from there. What a blind rule's node learns
/// of an offer is therefore the least room in any queue in which the packet may come to lie, as far as its productive links in
/// the node that offers it tell: otherwise two packets whose destinations are exchanged wouldn't be the same to it. (Chinn
/// 1995, section 2.4.1, says only that such queues can be simulated in a destination-exchangeable way.) That is on the safe
/// side: queues count in which the packet can't lie on short or even rings, and on a graph without coordinates all queues of
/// the node. Where distances are seen, it is the room of that one queue, and a packet that will be home needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// One queue of so many packets.
    Central(usize),
    /// A queue of so many packets for each incoming link.
    Incoming(usize),
    /// A queue of so many packets for each outgoing link: a packet lies in that of the link for which it waits.
    Outgoing(usize),
    /// As much as comes.
    Unbounded,
}

impl Store {
    /// What users call its kind.
    pub fn name(self) -> &'static str {
        match self {
            Store::Central(_) => "central",
            Store::Incoming(_) => "incoming",
            Store::Outgoing(_) => "outgoing",
            Store::Unbounded => "unbounded",
        }
    }

    /// How many packets fit into a queue; none if as many as come.
    #[inline]
    pub fn capacity(self) -> Option<usize> {
        match self {
            Store::Central(k) | Store::Incoming(k) | Store::Outgoing(k) => Some(k),
            Store::Unbounded => None,
        }
    }

    /// Whether each link has a queue of its own.
    #[inline]
    pub fn is_by_link(self) -> bool {
        matches!(self, Store::Incoming(_) | Store::Outgoing(_))
    }

    /// The link in whose queue a packet comes to lie.
    #[inline]
    pub(crate) fn queue(
        self,
        through: Port,
        waits_for: impl FnOnce() -> Option<Port>,
    ) -> Option<Port> {
        match self {
            Store::Incoming(_) => Some(through),
            Store::Outgoing(_) => waits_for(),
            Store::Central(_) | Store::Unbounded => None,
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Store::Central(k) => write!(f, "a central queue of {k}"),
            Store::Incoming(k) => write!(f, "{k} an incoming link"),
            Store::Outgoing(k) => write!(f, "{k} an outgoing link"),
            Store::Unbounded => f.write_str("unbounded queues"),
        }
    }
}
