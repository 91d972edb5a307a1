//! Who is whose neighbour, through which port, and which ports bring a packet closer.
//!
//! May depend on `types`. Must never know a router, a packet or a cycle.

mod grid;

pub use grid::{Grid, GridError, MAX_DIMENSIONS, MAX_NODES};

use flitwork_types::{NodeId, Port, PortSet};

/// A network's shape.
///
/// Ports 0 to `ports() - 1` are links; port `ports()` is the local one of every node.
pub trait Topology: Sync {
    /// How many nodes there are.
    fn nodes(&self) -> u32;

    /// How many link ports a node has at the most.
    fn ports(&self) -> usize;

    /// The local port: injection and delivery.
    #[inline]
    fn local(&self) -> Port {
        Port(self.ports() as u8)
    }

    /// The ports of `node` that have a link.
    fn links(&self, node: NodeId) -> PortSet;

    /// The other end of the link at `port`, where there is one: the node, and the port at which it comes in.
    fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)>;

    /// The node at the other end of the link at `port`, where there is one.
    #[inline]
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        self.far(node, port).map(|(far, _)| far)
    }

    /// The link ports of `here` that bring a packet closer to `destination`; none at the destination.
    fn productive(&self, here: NodeId, destination: NodeId) -> PortSet;

    /// Links on a shortest path.
    fn distance(&self, from: NodeId, to: NodeId) -> u32;

    /// What users call a port.
    fn port_name(&self, port: Port) -> String;

    /// What users call a node: its number and where it lies.
    fn node_name(&self, node: NodeId) -> String;
}
