//! Packets whose paths are known before a run.

use flitwork_types::{Cycle, NodeId, Port};

/// A worm to be routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its source.
    pub source: NodeId,
    /// Its destination, another node.
    pub destination: NodeId,
    /// Its length in words, at least 1.
    pub words: u16,
}

/// The path of a worm, and its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The node that it starts from. A source's routes are those of its packets, in their order.
    pub source: NodeId,
    /// Its length in words, at least 1.
    pub words: u16,
    /// The cycle in which its head leaves the source.
    pub start: Cycle,
    /// The ports by which it leaves nodes, one per hop.
    pub path: Vec<Port>,
}
