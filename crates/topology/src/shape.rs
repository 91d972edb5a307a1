//! The two static kinds of network.

use crate::{Graph, Grid, Topology};
use flitwork_types::{NodeId, Port, PortSet, TerminalId};
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

/// Evaluates an expression on a shape as the kind that it is.
macro_rules! on_shape {
    ($shape:expr, $topology:ident => $answer:expr) => {
        match $shape {
            Shape::Grid($topology) => $answer,
            Shape::Graph($topology) => $answer,
        }
    };
}

impl Shape {
    /// The grid, if nodes have coordinates.
    pub fn grid(&self) -> Option<&Grid> {
        on_shape!(self, it => it.grid())
    }

    /// The grid, if each of its nodes is a terminal: nothing but a mesh or a torus.
    pub fn plain_grid(&self) -> Option<&Grid> {
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

impl<T: Clone + Into<Shape>> From<&T> for Shape {
    fn from(kind: &T) -> Shape {
        kind.clone().into()
    }
}

impl From<Graph> for Shape {
    fn from(graph: Graph) -> Shape {
        Shape::Graph(graph)
    }
}

/// Methods of a topology that a shape passes on to the kind that it is.
macro_rules! passed_on {
    ($(fn $name:ident($($arg:ident: $of:ty),*) -> $answer:ty;)+) => {
        $(#[inline]
        fn $name(&self, $($arg: $of),*) -> $answer {
            on_shape!(self, it => it.$name($($arg),*))
        })+
    };
}

impl Topology for Shape {
    fn grid(&self) -> Option<&Grid> {
        Shape::grid(self)
    }

    fn lines(&self) -> Option<&[u32]> {
        on_shape!(self, it => it.lines())
    }

    passed_on! {
        fn level(node: NodeId) -> Option<u32>;
        fn group(node: NodeId) -> Option<u32>;
        fn nodes() -> u32;
        fn ports() -> usize;
        fn links(node: NodeId) -> PortSet;
        fn far(node: NodeId, port: Port) -> Option<(NodeId, Port)>;
        fn neighbour(node: NodeId, port: Port) -> Option<NodeId>;
        fn link_cycles(node: NodeId, port: Port) -> Option<u32>;
        fn has_own_latencies() -> bool;
        fn latencies(usual: u32) -> RangeInclusive<u32>;
        fn terminals() -> u32;
        fn home(terminal: TerminalId) -> NodeId;
        fn entry(terminal: TerminalId) -> NodeId;
        fn source_at(node: NodeId, port: Port) -> Option<TerminalId>;
        fn source(node: NodeId, local: usize) -> Option<TerminalId>;
        fn terminal_at(node: NodeId, port: Port) -> Option<TerminalId>;
        fn local_of(terminal: TerminalId) -> Port;
        fn locals() -> usize;
        fn has_plain_terminals() -> bool;
        fn productive(here: NodeId, destination: NodeId) -> PortSet;
        fn is_joined(from: NodeId, to: NodeId) -> bool;
        fn distance(from: NodeId, to: NodeId) -> u32;
        fn diameter_hops() -> u32;
        fn port_name(port: Port) -> String;
        fn node_name(node: NodeId) -> String;
    }
}
