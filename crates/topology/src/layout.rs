//! Where nodes are drawn.

use crate::{Grid, Shape, Topology};
use flitwork_types::NodeId;
use std::f64::consts::TAU;

/// Where each node of a network is drawn, to the right and down, by number: a grid by its coordinates, with blocks side by side and one below the
/// other for its third and fourth dimension and so on; a graph where its topology says, and a ring and any other graph as a circle.
pub fn positions(shape: &Shape) -> Vec<(f64, f64)> {
    let circle = || {
        let nodes = 0..shape.nodes();
        nodes.map(|node| on_circle(node, shape.nodes())).collect()
    };
    match shape {
        Shape::Grid(grid) if is_ring(grid) => circle(),
        Shape::Grid(grid) => of_grid(grid),
        Shape::Graph(graph) => graph.positions().map_or_else(circle, <[_]>::to_vec),
    }
}

/// Those of a grid that is no ring.
pub(crate) fn of_grid(grid: &Grid) -> Vec<(f64, f64)> {
    (0..grid.nodes()).map(|node| on_grid(grid, node)).collect()
}

fn is_ring(grid: &Grid) -> bool {
    grid.wraps() && grid.sides().len() == 1 && grid.nodes() > 2
}

/// From the top, clockwise; a node apart from the next.
fn on_circle(node: u32, nodes: u32) -> (f64, f64) {
    let nodes = f64::from(nodes);
    let (angle, radius) = (TAU * f64::from(node) / nodes, nodes / TAU);
    (radius * angle.sin(), -radius * angle.cos())
}

/// A block of two dimensions is a step of the next two, with a node's room between.
fn on_grid(grid: &Grid, node: u32) -> (f64, f64) {
    let (mut at, mut steps) = ([0.0, 0.0], [1.0, 1.0]);
    let coordinates = grid.coordinates(NodeId(node));
    for (dimension, (coordinate, side)) in coordinates.iter().zip(grid.sides()).enumerate() {
        let way = dimension % 2;
        at[way] += steps[way] * f64::from(*coordinate);
        steps[way] *= f64::from(side) + 0.6;
    }
    (at[0], at[1])
}
