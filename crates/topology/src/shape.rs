//! The two static kinds of network.

use crate::{Graph, Grid, Topology};
use flitwork_types::{NodeId, Port, PortSet};
use std::ops::RangeInclusive;

/// A network's shape, of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A mesh or a torus, whose properties are computed.
    Grid(Box<Grid>),
    /// Anything else, whose properties are looked up in tables.
    Graph(Graph),
}

/// Why a part of a run is refused: it needs coordinates, and the network's nodes have none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} needs a mesh or a torus, whose nodes have coordinates")]
pub struct NeedsGrid {
    /// What needs them.
    pub what: String,
}

/// Evaluates an expression on a shape as the kind that it is, compiled for both.
///
/// ```
/// use flitwork_topology::{Grid, Shape, Topology, on_shape};
///
/// fn links<T: Topology>(topology: &T) -> usize {
///     let nodes = (0..topology.nodes()).map(flitwork_types::NodeId);
///     nodes.map(|node| topology.links(node).len()).sum()
/// }
///
/// let shape = Shape::from(Grid::mesh(&[3, 3]).unwrap());
/// assert_eq!(on_shape!(&shape, topology => links(topology)), 24);
/// ```
#[macro_export]
macro_rules! on_shape {
    ($shape:expr, $topology:ident => $answer:expr) => {
        match $shape {
            $crate::Shape::Grid(grid) => {
                let $topology: &$crate::Grid = grid;
                $answer
            }
            $crate::Shape::Graph($topology) => $answer,
        }
    };
}

impl Shape {
    /// The grid, if it is one.
    pub fn grid(&self) -> Option<&Grid> {
        match self {
            Shape::Grid(grid) => Some(grid),
            Shape::Graph(_) => None,
        }
    }

    /// The grid, for what needs coordinates.
    ///
    /// # Errors
    /// [`NeedsGrid`] if nodes have no coordinates.
    pub fn grid_for(&self, what: impl Into<String>) -> Result<&Grid, NeedsGrid> {
        self.grid().ok_or_else(|| NeedsGrid { what: what.into() })
    }
}

impl From<Grid> for Shape {
    fn from(grid: Grid) -> Shape {
        Shape::Grid(Box::new(grid))
    }
}

impl From<&Grid> for Shape {
    fn from(grid: &Grid) -> Shape {
        Shape::from(grid.clone())
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Shape {
        shape.clone()
    }
}

impl From<&Graph> for Shape {
    fn from(graph: &Graph) -> Shape {
        Shape::Graph(graph.clone())
    }
}

impl From<Graph> for Shape {
    fn from(graph: Graph) -> Shape {
        Shape::Graph(graph)
    }
}

impl Topology for Shape {
    fn grid(&self) -> Option<&Grid> {
        Shape::grid(self)
    }

    #[inline]
    fn nodes(&self) -> u32 {
        on_shape!(self, it => it.nodes())
    }

    #[inline]
    fn ports(&self) -> usize {
        on_shape!(self, it => it.ports())
    }

    #[inline]
    fn links(&self, node: NodeId) -> PortSet {
        on_shape!(self, it => it.links(node))
    }

    #[inline]
    fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        on_shape!(self, it => it.far(node, port))
    }

    #[inline]
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        on_shape!(self, it => it.neighbour(node, port))
    }

    #[inline]
    fn link_cycles(&self, node: NodeId, port: Port) -> Option<u32> {
        on_shape!(self, it => it.link_cycles(node, port))
    }

    #[inline]
    fn has_own_latencies(&self) -> bool {
        on_shape!(self, it => it.has_own_latencies())
    }

    #[inline]
    fn latencies(&self, usual: u32) -> RangeInclusive<u32> {
        on_shape!(self, it => it.latencies(usual))
    }

    #[inline]
    fn is_terminal(&self, node: NodeId) -> bool {
        on_shape!(self, it => it.is_terminal(node))
    }

    #[inline]
    fn terminals(&self) -> u32 {
        on_shape!(self, it => it.terminals())
    }

    #[inline]
    fn productive(&self, here: NodeId, destination: NodeId) -> PortSet {
        on_shape!(self, it => it.productive(here, destination))
    }

    #[inline]
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        on_shape!(self, it => it.distance(from, to))
    }

    #[inline]
    fn diameter_hops(&self) -> u32 {
        on_shape!(self, it => it.diameter_hops())
    }

    #[inline]
    fn port_name(&self, port: Port) -> String {
        on_shape!(self, it => it.port_name(port))
    }

    #[inline]
    fn node_name(&self, node: NodeId) -> String {
        on_shape!(self, it => it.node_name(node))
    }
}
