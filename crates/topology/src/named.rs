//! The topologies that configurations name, one file each.

mod concentrated;
mod sides;
mod stages;

use crate::{GraphBuilder, GraphError, Shape, TopologyEntry};
use flitwork_schema::{RawTable, Refusal};
use flitwork_types::{NodeId, Port};
use std::ops::RangeInclusive;

/// Declares the topologies' files, and puts their entries into the table.
macro_rules! topologies {
    ($($file:ident),+ $(,)?) => {
        $(mod $file;)+

        /// Every topology that the program comes with, sorted by name.
        pub(crate) fn built_in() -> Vec<TopologyEntry> {
            vec![$($file::entry()),+]
        }
    };
}

topologies! {
    benes,
    butterfly,
    circulant,
    concentrated_mesh,
    concentrated_torus,
    de_bruijn,
    dragonfly,
    express_mesh,
    fat_tree,
    file,
    flattened_butterfly,
    fly,
    folded_torus,
    fully_connected,
    hypercube,
    hyperx,
    links,
    megafly,
    mesh,
    random_regular,
    ring,
    shuffle_exchange,
    slim_fly,
    torus,
}

/// Refuses more nodes than a topology may have, or fewer.
fn check_nodes(
    nodes: u32,
    allowed: RangeInclusive<u32>,
    table: &RawTable<'_>,
) -> Result<(), Refusal> {
    if allowed.contains(&nodes) {
        return Ok(());
    }
    let (least, most) = allowed.into_inner();
    Err(table.conflict("nodes", format!("{least} to {most} nodes")))
}

/// A link that a topology has, without a latency of its own.
fn joined(
    graph: &mut GraphBuilder,
    one: (u32, usize),
    other: (u32, usize),
) -> Result<(), GraphError> {
    joined_in(graph, one, other, None)
}

/// The same, of so many cycles.
fn joined_in(
    graph: &mut GraphBuilder,
    (one, through): (u32, usize),
    (other, into): (u32, usize),
    cycles: Option<u32>,
) -> Result<(), GraphError> {
    let end = |node, port| (NodeId(node), Port(u8::try_from(port).unwrap_or(u8::MAX)));
    graph.link(end(one, through), end(other, into), cycles)
}

/// The shape of a graph that was built from a key's value, or a refusal of that key.
fn built(
    table: &RawTable<'_>,
    key: &str,
    graph: Result<GraphBuilder, GraphError>,
) -> Result<Shape, Refusal> {
    let graph = graph.and_then(GraphBuilder::build);
    let refused = |error| format!("a smaller network: this one has {error}");
    let graph = graph.map_err(|error| table.conflict(key, refused(error)))?;
    Ok(Shape::from(graph))
}
