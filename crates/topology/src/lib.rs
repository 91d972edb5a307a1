//! Which nodes are linked, through which ports, and which ports bring a packet closer to its destination.
//!
//! Two kinds are static, so that code generic over a topology is compiled at most twice: [`Grid`], by
//! arithmetic, and [`Graph`], by tables, which every other topology builds. A [`Shape`] is either. Topologies
//! that configurations name are in one table of [`TopologyEntry`]s.
//!
//! May depend on `types` and `schema`. Must never know a router, a packet or a run.
//!
//! ```
//! use flitwork_topology::{Graph, Grid, Topology};
//! use flitwork_types::NodeId;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Node 5 is at x = 1, y = 1, and node 3 in the corner at x = 3, y = 0.
//! let mesh = Grid::mesh(&[4, 3])?;
//! assert_eq!(mesh.distance(NodeId(5), NodeId(3)), 3);
//! assert_eq!(mesh.productive(NodeId(5), NodeId(3)).iter().count(), 2);
//!
//! let mut ring = Graph::of_nodes(5)?;
//! for node in 0..5 {
//!     ring.join(NodeId(node), NodeId((node + 1) % 5))?;
//! }
//! assert_eq!(ring.build()?.distance(NodeId(0), NodeId(3)), 2);
//! # Ok(())
//! # }
//! ```

mod builder;
mod distances;
mod entry;
mod failed;
mod graph;
mod grid;
pub mod keys;
mod layout;
mod measures;
mod named;
pub mod rows;
mod shape;
mod spread;

pub use builder::{GraphBuilder, GraphError, MAX_LINK_CYCLES};
pub use distances::MAX_COMPUTED_NODES;
pub use entry::{Built, NetworkReading, TopologyEntry};
pub use graph::{Graph, MAX_GRAPH_NODES};
pub use grid::{Grid, GridError, MAX_DIMENSIONS, first_dimension};
pub use keys::SIDES;
pub use layout::positions;
pub use measures::{Bisection, Measures, busiest_link, shortest_path_load};
pub use shape::{NeedsGrid, Shape};
pub use spread::Spread;

pub use flitwork_types::MAX_NODES;

use flitwork_types::{NodeId, Port, PortSet, TerminalId};
use std::ops::RangeInclusive;

/// A network's shape: nodes, which route packets, links between them, and terminals at them, which send and receive
/// packets.
///
/// Ports 0 to `ports() - 1` are links. Those from `ports()` on are local: each has a terminal or none, those of a node in the
/// order of their numbers. By default each node has one terminal, of the node's number.
pub trait Topology: Send + Sync {
    /// How many nodes there are.
    fn nodes(&self) -> u32;

    /// The most link ports of a node.
    fn ports(&self) -> usize;

    /// The first local port: injection and delivery.
    #[inline]
    fn local(&self) -> Port {
        Port(self.ports() as u8)
    }

    /// All local ports.
    #[inline]
    fn local_ports(&self) -> PortSet {
        let all = PortSet::first(self.ports() + self.locals());
        PortSet(all.0 & !PortSet::first(self.ports()).0)
    }

    /// Whether a port is a local one.
    #[inline]
    fn is_local(&self, port: Port) -> bool {
        port.index() >= self.ports()
    }

    /// The ports of `node` that have a link.
    fn links(&self, node: NodeId) -> PortSet;

    /// The other end of the link at `port`, if there is one: the node, and its port.
    fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)>;

    /// The node at the other end of the link at `port`, if there is one.
    #[inline]
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        self.far(node, port).map(|(far, _)| far)
    }

    /// Cycles that the link at `port` takes each way, if it has a latency of its own; all others have the
    /// network's.
    #[inline]
    fn link_cycles(&self, _node: NodeId, _port: Port) -> Option<u32> {
        None
    }

    /// Whether any link has a latency of its own.
    #[inline]
    fn has_own_latencies(&self) -> bool {
        false
    }

    /// The fewest and the most cycles of any link, if links without a latency of their own take `usual`.
    #[inline]
    fn latencies(&self, usual: u32) -> RangeInclusive<u32> {
        usual..=usual
    }

    /// The grid, if nodes have coordinates.
    fn grid(&self) -> Option<&Grid> {
        None
    }

    /// The sides of the grid, in nodes; one side with all nodes if they have no coordinates.
    fn sides(&self) -> Vec<u32> {
        match self.grid() {
            Some(grid) => grid.sides(),
            None => vec![self.nodes()],
        }
    }

    /// The level of a node, where nodes are in levels.
    fn level(&self, _node: NodeId) -> Option<u32> {
        None
    }

    /// The group of a node, where nodes are in groups.
    fn group(&self, _node: NodeId) -> Option<u32> {
        None
    }

    /// Nodes along each dimension, the first changing fastest, where each two nodes of a line are linked.
    fn lines(&self) -> Option<&[u32]> {
        None
    }

    /// How many terminals there are. Nodes without one are switches.
    fn terminals(&self) -> u32 {
        self.nodes()
    }

    /// The node of a terminal, where it takes delivery.
    #[inline]
    fn home(&self, terminal: TerminalId) -> NodeId {
        NodeId(terminal.0)
    }

    /// The node at which a terminal's packets enter, through the port of the same number: its home, but where links are used one
    /// way only.
    #[inline]
    fn entry(&self, terminal: TerminalId) -> NodeId {
        self.home(terminal)
    }

    /// The terminal that takes delivery at a local port of a node, if there is one.
    #[inline]
    fn terminal_at(&self, node: NodeId, port: Port) -> Option<TerminalId> {
        (port == self.local()).then_some(TerminalId(node.0))
    }

    /// The terminal whose packets enter at a local port of a node, if there is one.
    #[inline]
    fn source_at(&self, node: NodeId, port: Port) -> Option<TerminalId> {
        self.terminal_at(node, port)
    }

    /// The terminal whose packets enter at the local port of this number, from 0, of a node, if there is one.
    #[inline]
    fn source(&self, node: NodeId, local: usize) -> Option<TerminalId> {
        self.source_at(node, Port((self.ports() + local) as u8))
    }

    /// The local port of its node at which a terminal is.
    #[inline]
    fn local_of(&self, _terminal: TerminalId) -> Port {
        self.local()
    }

    /// The most terminals of a node.
    #[inline]
    fn locals(&self) -> usize {
        1
    }

    /// Whether each node has one terminal at the most, whose packets enter where it takes delivery.
    fn has_plain_terminals(&self) -> bool {
        self.locals() == 1
    }

    /// The terminals of a node, in the order of their ports.
    fn terminals_of(&self, node: NodeId) -> impl Iterator<Item = TerminalId>
    where
        Self: Sized,
    {
        let locals = self.local_ports().iter();
        locals.filter_map(move |port| self.terminal_at(node, port))
    }

    /// The local ports of a node that have a terminal.
    fn terminal_ports(&self, node: NodeId) -> PortSet {
        let is_used = |port: &Port| {
            self.terminal_at(node, *port).is_some() || self.source_at(node, *port).is_some()
        };
        self.local_ports().iter().filter(is_used).collect()
    }

    /// The ports of a node that have a link or a terminal.
    fn ports_of(&self, node: NodeId) -> PortSet {
        PortSet(self.links(node).0 | self.terminal_ports(node).0)
    }

    /// Whether a node has a terminal, which injects and takes delivery there.
    fn has_terminal(&self, node: NodeId) -> bool {
        !self.terminal_ports(node).is_empty()
    }

    /// The link ports of `here` that bring a packet closer to `destination`; none at the destination.
    fn productive(&self, here: NodeId, destination: NodeId) -> PortSet;

    /// Whether links that work lead from one node to another; they don't where [links have failed](Graph::without).
    fn is_joined(&self, _from: NodeId, _to: NodeId) -> bool {
        true
    }

    /// Links on a shortest path.
    fn distance(&self, from: NodeId, to: NodeId) -> u32;

    /// The most links of a shortest path between any two nodes.
    fn diameter_hops(&self) -> u32;

    /// What users call a port: the same at every node.
    fn port_name(&self, port: Port) -> String;

    /// What users call a node: its number and its position.
    fn node_name(&self, node: NodeId) -> String;
}
