//! What an engine asks of the traffic.

use flitwork_types::{Cycle, NodeId};

/// A packet that a source makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth {
    /// The cycle in which the source makes it.
    pub created: Cycle,
    /// Where it goes; never the source itself.
    pub destination: NodeId,
}

/// What all sources make, each in the order of its creation.
///
/// Deterministic: a node's births depend only on (seed, node), not on the order of calls for different
/// nodes. A packet to its own source never enters the network, so no workload makes one. A node that
/// is no source, on the network or off it, may be asked and makes nothing.
pub trait Workload: Send {
    /// The next packet of `node`, created no earlier than the one before; `None`: this node makes no
    /// more, now or later.
    fn next(&mut self, node: NodeId) -> Option<Birth>;

    /// The nodes that make any packet at all, ascending, however many of their packets have been taken.
    fn sources(&self) -> Vec<NodeId>;
}
