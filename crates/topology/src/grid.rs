//! Meshes and tori of any dimension and unequal sides.
//!
//! ```text
//!            north (y - 1)
//!                 ▲
//!  west (x - 1) ◀─┼─▶ east (x + 1)         node = x + width * (y + height * (z + …))
//!                 ▼
//!            south (y + 1)
//! ```
//!
//! On a plane the ports are north, east, south and west, in that order (Chinn 1995, section 4.1). A line
//! has east and west only. Each further dimension adds a pair, towards 0 and away from it.

use crate::Topology;
use flitwork_types::{MAX_NODES, NodeId, Port, PortSet, TerminalId};
use std::fmt;

/// The most dimensions a grid may have.
///
/// Fewer than a node's ports allow: each copy of a grid has a table of its axes and one of its ports, and everything that goes along
/// dimensions has arrays of that length. With 2 nodes a dimension 16 make 65,536 nodes.
pub const MAX_DIMENSIONS: usize = 16;

/// Why a grid can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// No dimension, or more than [`MAX_DIMENSIONS`].
    #[error("{0} sides; a grid has 1 to {MAX_DIMENSIONS}")]
    Dimensions(usize),
    /// A side of 0, or a torus with a side of 1 (a node would be its own neighbour).
    #[error("side {} is {side}; the least is {least}", .dimension + 1)]
    Side {
        /// Which of the sides, from 0.
        dimension: usize,
        /// Its length in nodes.
        side: u32,
        /// The least that is allowed.
        least: u32,
    },
    /// Fewer than 2 nodes, or more than [`MAX_NODES`].
    #[error("{0} nodes; a grid has 2 to {MAX_NODES}")]
    Nodes(u128),
}

/// One dimension: its length and how to find a node's coordinate in it.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    side: u32,
    /// Nodes from one coordinate to the next.
    stride: u32,
    /// ceil(2^64 / side) and ceil(2^64 / stride): division by multiplication, exact for 32 bits
    /// (Lemire, Kaser and Kurz 2019). 0 stands for a divisor of 1.
    by_side: u64,
    by_stride: u64,
    towards: Port,
    away: Port,
}

/// A direction from a node: along which axis, and whether coordinates grow.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    axis: u8,
    grows: bool,
}

/// A mesh or torus.
#[derive(Clone)]
pub struct Grid {
    wraps: bool,
    dimensions: usize,
    nodes: u32,
    axes: [Axis; MAX_DIMENSIONS],
    steps: [Step; 2 * MAX_DIMENSIONS],
}

fn reciprocal(divisor: u32) -> u64 {
    if divisor == 1 {
        0
    } else {
        u64::MAX / u64::from(divisor) + 1
    }
}

#[inline]
fn divide(value: u32, reciprocal: u64) -> u32 {
    if reciprocal == 0 {
        value
    } else {
        ((u128::from(value) * u128::from(reciprocal)) >> 64) as u32
    }
}

impl Axis {
    #[inline]
    fn coordinate(&self, node: NodeId) -> u32 {
        let line = divide(node.0, self.by_stride);
        line - divide(line, self.by_side) * self.side
    }
}

impl Grid {
    /// A mesh: no link wraps around.
    ///
    /// # Errors
    /// A [`GridError`] for sides that make no grid.
    pub fn mesh(sides: &[u32]) -> Result<Grid, GridError> {
        Grid::new(sides, false)
    }

    /// A torus: every line of nodes is a ring.
    ///
    /// # Errors
    /// A [`GridError`] for sides that make no grid.
    pub fn torus(sides: &[u32]) -> Result<Grid, GridError> {
        Grid::new(sides, true)
    }

    fn new(sides: &[u32], wraps: bool) -> Result<Grid, GridError> {
        if sides.is_empty() || sides.len() > MAX_DIMENSIONS {
            return Err(GridError::Dimensions(sides.len()));
        }
        let least = if wraps { 2 } else { 1 };
        if let Some(dimension) = sides.iter().position(|side| *side < least) {
            return Err(GridError::Side {
                dimension,
                side: sides[dimension],
                least,
            });
        }
        let nodes = sides
            .iter()
            .fold(1u128, |nodes, side| nodes.saturating_mul((*side).into()));
        if nodes < 2 || nodes > u128::from(MAX_NODES) {
            return Err(GridError::Nodes(nodes));
        }
        let mut grid = Grid {
            wraps,
            dimensions: sides.len(),
            nodes: nodes as u32,
            axes: Default::default(),
            steps: Default::default(),
        };
        let mut stride = 1;
        for (dimension, side) in sides.iter().enumerate() {
            let (towards, away) = match (sides.len(), dimension) {
                (1, _) => (1, 0),
                (_, 0) => (3, 1),
                (_, 1) => (0, 2),
                _ => (2 * dimension, 2 * dimension + 1),
            };
            grid.axes[dimension] = Axis {
                side: *side,
                stride,
                by_side: reciprocal(*side),
                by_stride: reciprocal(stride),
                towards: Port(towards as u8),
                away: Port(away as u8),
            };
            grid.steps[towards] = Step {
                axis: dimension as u8,
                grows: false,
            };
            grid.steps[away] = Step {
                axis: dimension as u8,
                grows: true,
            };
            stride *= side;
        }
        Ok(grid)
    }

    /// Whether the grid is a torus.
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// What users call it: "mesh" or "torus".
    pub fn kind(&self) -> &'static str {
        if self.wraps { "torus" } else { "mesh" }
    }

    /// The lengths of the sides, in nodes.
    pub fn sides(&self) -> Vec<u32> {
        self.axes().iter().map(|axis| axis.side).collect()
    }

    /// A node's coordinates: x, y, and so on.
    pub fn coordinates(&self, node: NodeId) -> Vec<u32> {
        self.axes()
            .iter()
            .map(|axis| axis.coordinate(node))
            .collect()
    }

    /// The node at the given coordinates, one for each dimension, each below its side.
    pub fn node_at(&self, coordinates: &[u32]) -> NodeId {
        assert_eq!(
            coordinates.len(),
            self.dimensions,
            "one coordinate per dimension"
        );
        let node = self
            .axes()
            .iter()
            .zip(coordinates)
            .map(|(axis, coordinate)| {
                assert!(*coordinate < axis.side, "{coordinates:?} lies off the grid");
                axis.stride * coordinate
            });
        NodeId(node.sum())
    }

    /// The port in the opposite direction, which is the port at which the far end of a link arrives.
    #[inline]
    pub fn opposite(&self, port: Port) -> Port {
        let step = self.steps[port.index()];
        let axis = &self.axes[step.axis as usize];
        if step.grows { axis.towards } else { axis.away }
    }

    /// The dimension in which the link at `port` leads, 0 for x.
    #[inline]
    pub fn dimension(&self, port: Port) -> usize {
        self.steps[port.index()].axis.into()
    }

    /// The links of a shortest path that lead in a dimension.
    #[inline]
    pub fn distance_in(&self, dimension: usize, from: NodeId, to: NodeId) -> u32 {
        self.links_in(&self.axes()[dimension], from, to)
    }

    #[inline]
    fn links_in(&self, axis: &Axis, from: NodeId, to: NodeId) -> u32 {
        let apart = axis.coordinate(from).abs_diff(axis.coordinate(to));
        match self.wraps {
            true => apart.min(axis.side - apart),
            false => apart,
        }
    }

    #[inline]
    fn axes(&self) -> &[Axis] {
        &self.axes[..self.dimensions]
    }
}

/// The productive link of the lowest dimension; of two ways around, and where there are no dimensions, the lower port.
#[inline]
pub fn first_dimension(productive: PortSet, grid: Option<&Grid>) -> Option<Port> {
    let dimension = |port: &Port| grid.map_or(port.index(), |grid| grid.dimension(*port));
    productive.iter().min_by_key(dimension)
}

impl PartialEq for Grid {
    fn eq(&self, other: &Grid) -> bool {
        // Everything else follows from these.
        self.wraps == other.wraps && self.sides() == other.sides()
    }
}

impl Eq for Grid {}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.kind(), self.sides())
    }
}

impl Topology for Grid {
    // The loops of engines over local ports compile to none.
    #[inline]
    fn source(&self, node: NodeId, local: usize) -> Option<TerminalId> {
        (local == 0).then_some(TerminalId(node.0))
    }

    fn grid(&self) -> Option<&Grid> {
        Some(self)
    }

    fn nodes(&self) -> u32 {
        self.nodes
    }

    #[inline]
    fn ports(&self) -> usize {
        2 * self.dimensions
    }

    fn links(&self, node: NodeId) -> PortSet {
        if self.wraps {
            return PortSet::first(self.ports());
        }
        let mut links = PortSet::EMPTY;
        for axis in self.axes() {
            let here = axis.coordinate(node);
            if here > 0 {
                links.insert(axis.towards);
            }
            if here + 1 < axis.side {
                links.insert(axis.away);
            }
        }
        links
    }

    #[inline]
    fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        let far = self.neighbour(node, port)?;
        Some((far, self.opposite(port)))
    }

    #[inline]
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        let step = self.steps[..self.ports()].get(port.index())?;
        let axis = &self.axes[step.axis as usize];
        let here = axis.coordinate(node);
        let around = (axis.side - 1) * axis.stride;
        match (step.grows, here) {
            (true, _) if here + 1 < axis.side => Some(NodeId(node.0 + axis.stride)),
            (false, 1..) => Some(NodeId(node.0 - axis.stride)),
            (true, _) if self.wraps => Some(NodeId(node.0 - around)),
            (false, 0) if self.wraps => Some(NodeId(node.0 + around)),
            _ => None,
        }
    }

    #[inline]
    fn productive(&self, here: NodeId, destination: NodeId) -> PortSet {
        let mut ports = PortSet::EMPTY;
        for axis in self.axes() {
            let (from, to) = (axis.coordinate(here), axis.coordinate(destination));
            if from == to {
                continue;
            }
            // The distance if coordinates grow; a mesh never goes the long way around.
            let (up, down) = if self.wraps {
                let up = if to > from {
                    to - from
                } else {
                    to + axis.side - from
                };
                (up, axis.side - up)
            } else if to > from {
                (1, 2)
            } else {
                (2, 1)
            };
            if up <= down {
                ports.insert(axis.away);
            }
            if down <= up {
                ports.insert(axis.towards);
            }
        }
        ports
    }

    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        let axes = self.axes().iter();
        axes.map(|axis| self.links_in(axis, from, to)).sum()
    }

    fn diameter_hops(&self) -> u32 {
        let along = |axis: &Axis| match self.wraps {
            true => axis.side / 2,
            false => axis.side - 1,
        };
        self.axes().iter().map(along).sum()
    }

    fn port_name(&self, port: Port) -> String {
        if port == self.local() {
            return "local".into();
        }
        let step = self.steps[port.index()];
        match (step.axis, step.grows) {
            (0, true) => "east".into(),
            (0, false) => "west".into(),
            (1, true) => "south".into(),
            (1, false) => "north".into(),
            (axis, grows) => format!("{}d{}", if grows { '+' } else { '-' }, axis + 1),
        }
    }

    fn node_name(&self, node: NodeId) -> String {
        let coordinates: Vec<String> = self.coordinates(node).iter().map(u32::to_string).collect();
        format!("{node} ({})", coordinates.join(", "))
    }
}

#[cfg(test)]
mod tests;
