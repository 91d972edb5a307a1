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
    /// The cycle in which its head leaves the source, or from which on it may if its first hop names a later one.
    pub start: Cycle,
    /// Its hops.
    pub path: Vec<Hop>,
}

/// A hop of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The port by which the worm leaves the node.
    pub port: Port,
    /// The cycle in which its head does. Unless it is named, that is as soon as the head is there.
    pub cycle: Option<Cycle>,
}

impl From<Port> for Hop {
    fn from(port: Port) -> Hop {
        Hop { port, cycle: None }
    }
}

/// A node's link ports in an order of those of a plane; further ports, and those of a line, in the order of their numbers.
pub(crate) fn ports_from(plane: [usize; 4], ports: usize) -> Vec<Port> {
    let plane = plane.into_iter().filter(|_| ports >= 4);
    let rest = if ports >= 4 { 4..ports } else { 0..ports };
    plane.chain(rest).map(|port| Port(port as u8)).collect()
}
