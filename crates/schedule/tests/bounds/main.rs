//! Lower and upper bounds of schedules, held to each other, to the checker and to all schedules of tiny problems.

mod brute;
mod known;
mod limits;
mod order;
mod product;

use flitwork_schedule::Request;
use flitwork_schedule::bounds::Model;
use flitwork_schedule::multistage::{Mesh, Paths};
use flitwork_topology::Grid;
use flitwork_types::NodeId;
use proptest::prelude::*;

fn grid(rows: u32, columns: u32) -> Grid {
    Grid::mesh(&[columns, rows]).expect("a grid")
}

fn mesh(rows: u32, columns: u32) -> Mesh {
    Mesh::new(&grid(rows, columns)).expect("a mesh")
}

fn request(source: u32, destination: u32, words: u32) -> Request {
    Request {
        source: NodeId(source),
        destination: NodeId(destination),
        words,
    }
}

/// With shortest paths or any, and nobody or one that waits.
fn models() -> [Model; 4] {
    let model = |(waiting, paths)| Model { waiting, paths };
    [
        (0, Paths::Shortest),
        (1, Paths::Shortest),
        (0, Paths::Any),
        (1, Paths::Any),
    ]
    .map(model)
}

/// Any packets between nodes.
fn packets(nodes: u32, words: u32, most: usize) -> impl Strategy<Value = Vec<Request>> {
    let one = (0..nodes, 0..nodes, 1..=words);
    let one = one.prop_map(|(source, destination, words)| request(source, destination, words));
    prop::collection::vec(one, 1..=most)
}

/// Any permutation of nodes.
fn permutation(nodes: u32) -> impl Strategy<Value = Vec<Request>> {
    let destinations = Just((0..nodes).collect::<Vec<u32>>()).prop_shuffle();
    destinations.prop_map(|destinations| Mesh::permutation(&destinations))
}
