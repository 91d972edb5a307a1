//! Where nodes are drawn.

use crate::{Grid, Shape, Topology};
use std::f64::consts::TAU;

/// Where each node of a network is drawn, to the right and down, by number.
///
/// A grid is drawn by its coordinates, with blocks side by side and one below the other for its third and fourth dimension and so
/// on, which are turned if it is a hypercube; a graph where its topology says; a ring and any other graph as a circle.
pub fn positions(shape: &Shape) -> Vec<(f64, f64)> {
    let circle = || {
        let nodes = 0..shape.nodes();
        nodes.map(|node| on_circle(node, shape.nodes())).collect()
    };
    match shape {
        Shape::Grid(grid) if is_ring(grid) => circle(),
        Shape::Grid(grid) if is_hypercube(grid) => (0..grid.nodes()).map(of_bits).collect(),
        Shape::Grid(grid) => of_grid(grid),
        Shape::Graph(graph) => graph.positions().map_or_else(circle, <[_]>::to_vec),
    }
}

/// Those of a grid that is no ring.
pub(crate) fn of_grid(grid: &Grid) -> Vec<(f64, f64)> {
    of_sides(&grid.sides())
}

/// Those of nodes numbered by their coordinates, the first of which changes fastest.
pub(crate) fn of_sides(sides: &[u32]) -> Vec<(f64, f64)> {
    let nodes = 0..sides.iter().product();
    nodes.map(|node| on_grid(sides, node)).collect()
}

/// Groups on a circle, each a smaller circle of so many nodes, clockwise. Its first node is so many places before the one farthest out.
pub(crate) fn of_groups(groups: u32, nodes: u32, before: f64) -> Vec<(f64, f64)> {
    let radius = f64::from(nodes) / TAU * 1.2 + 0.2;
    let circle = (f64::from(groups) * (2.0 * radius + 1.0) / TAU).max(2.0 * radius);
    let at = |node: u32| {
        let way = TAU * f64::from(node / nodes) / f64::from(groups);
        let own = way + TAU * (f64::from(node % nodes) - before) / f64::from(nodes);
        (
            circle * way.sin() + radius * own.sin(),
            -circle * way.cos() - radius * own.cos(),
        )
    };
    (0..groups * nodes).map(at).collect()
}

/// Stages of so many nodes each from left to right, a node of a stage below the one before it. The drawing is about as wide as it is high, so
/// that links between stages cross at readable angles.
pub(crate) fn of_stages(stages: u32, width: u32) -> Vec<(f64, f64)> {
    let step = (0.9 * f64::from(width) / f64::from(stages.max(2) - 1)).max(2.0);
    let at = |node: u32| (step * f64::from(node / width), f64::from(node % width));
    (0..stages * width).map(at).collect()
}

fn is_ring(grid: &Grid) -> bool {
    grid.wraps() && grid.sides().len() == 1 && grid.nodes() > 2
}

fn is_hypercube(grid: &Grid) -> bool {
    let sides = grid.sides();
    sides.len() > 2 && sides.iter().all(|side| *side == 2)
}

/// Each bit is a step: two of them make a square, and the steps of the next two are so much longer, and turned so far, that
/// no link of five dimensions passes another node.
fn of_bits(node: u32) -> (f64, f64) {
    const LONGER: f64 = 2.4;
    const TURNED: f64 = 27.0;
    let mut at = (0.0, 0.0);
    for bit in (0..u32::BITS).filter(|bit| node >> bit & 1 == 1) {
        let (level, is_down) = (f64::from(bit / 2), f64::from(bit % 2));
        let length = LONGER.powf(level);
        let angle = (TURNED * level + 90.0 * is_down).to_radians();
        at = (at.0 + length * angle.cos(), at.1 + length * angle.sin());
    }
    at
}

/// From the top, clockwise; a node apart from the next.
fn on_circle(node: u32, nodes: u32) -> (f64, f64) {
    let nodes = f64::from(nodes);
    let (angle, radius) = (TAU * f64::from(node) / nodes, nodes / TAU);
    (radius * angle.sin(), -radius * angle.cos())
}

/// A line of two dimensions, or a block of them, is a place of the next two, with some room between.
fn on_grid(sides: &[u32], node: u32) -> (f64, f64) {
    const ROOM: f64 = 1.6;
    // Of what a place has by now: where the node is in it, and how long it is.
    let (mut at, mut long, mut rest) = ([0.0, 0.0], [0.0, 0.0], node);
    for (dimension, side) in sides.iter().enumerate() {
        let (way, coordinate) = (dimension % 2, rest % side);
        rest /= side;
        let step = if dimension < 2 { 1.0 } else { long[way] + ROOM };
        at[way] += step * f64::from(coordinate);
        long[way] += step * f64::from(side - 1);
    }
    (at[0], at[1])
}
