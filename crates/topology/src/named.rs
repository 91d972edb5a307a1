//! The topologies that configurations name, one file each.

mod sides;

use crate::{GraphBuilder, GraphError, MAX_DIMENSIONS, Shape, TopologyEntry};
use flitwork_schema::{Allowed, Field, Key, RawTable, Refusal, key};
use flitwork_types::{MAX_NODES, NodeId, Port};

pub use sides::SIDES;

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
    circulant,
    de_bruijn,
    express_mesh,
    fully_connected,
    hypercube,
    links,
    mesh,
    random_regular,
    ring,
    shuffle_exchange,
    torus,
}

/// How many nodes there are, for all topologies that are told so.
const fn nodes<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(2, MAX_NODES as u64);
    key(
        "nodes",
        field,
        allowed,
        "required",
        "how many nodes there are",
    )
}

/// How many digits nodes' numbers have.
const fn dimensions<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(1, MAX_DIMENSIONS as u64);
    let meaning = "how many digits nodes' numbers have, of base 2 unless there is a radix: 2 ^ dimensions nodes";
    key("dimensions", field, allowed, "required", meaning)
}

/// A link that a topology has, without a latency of its own.
fn joined(
    graph: &mut GraphBuilder,
    (one, through): (u32, usize),
    (other, into): (u32, usize),
) -> Result<(), GraphError> {
    let end = |node, port| (NodeId(node), Port(u8::try_from(port).unwrap_or(u8::MAX)));
    graph.link(end(one, through), end(other, into), None)
}

/// The shape of a graph that was built from a key's value, or a refusal of that key.
fn built(
    table: &RawTable<'_>,
    key: &str,
    graph: Result<GraphBuilder, GraphError>,
) -> Result<Shape, Refusal> {
    let graph = graph.and_then(GraphBuilder::build);
    let graph = graph.map_err(|error| table.conflict(key, error.to_string()))?;
    Ok(Shape::from(graph))
}
