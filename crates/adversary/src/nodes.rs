//! The nodes of the corner in which packets start, numbered row by row.

use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, TerminalId};

/// A node of the plane that the first two dimensions span.
pub(crate) fn at(grid: &Grid, [x, y]: [u32; 2]) -> NodeId {
    let mut coordinates = vec![0; grid.sides().len()];
    coordinates[..2].copy_from_slice(&[x, y]);
    grid.node_at(&coordinates)
}

/// The node of a corner of `corner` nodes per side with this number.
pub(crate) fn of_corner(grid: &Grid, corner: u32, number: u32) -> NodeId {
    at(grid, [number % corner, number / corner])
}

/// The terminal of a node.
pub(crate) fn terminal(grid: &Grid, node: NodeId) -> TerminalId {
    let terminal = grid.terminal_at(node, grid.local());
    terminal.expect("each node of a mesh has a terminal")
}

/// The packets of a permutation of a mesh's nodes: sources and destinations are the terminals of these nodes.
pub fn packets(grid: &Grid, pairs: &[(NodeId, NodeId)]) -> Vec<(TerminalId, TerminalId)> {
    let pairs = pairs.iter();
    pairs
        .map(|(from, to)| (terminal(grid, *from), terminal(grid, *to)))
        .collect()
}

/// The number of a node of the corner.
pub(crate) fn number(grid: &Grid, corner: u32, node: NodeId) -> usize {
    let at = grid.coordinates(node);
    (at[1] * corner + at[0]) as usize
}
