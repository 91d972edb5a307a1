//! `topology = "shuffle-exchange"`: nodes are linked where the last bit differs, and where the bits are rotated by a place.
//!
//! ```text
//!   3 dimensions       011 ─ exchange ─▶ 010       011 ─ shuffle ─▶ 110       011 ─ unshuffle ─▶ 101
//! ```
//!
//! A node of equal bits has no shuffle link, and two that are each other's shuffles have two links. Stone 1971; Leighton
//! 1992, section 3.3.

use super::de_bruijn::{counted, written};
use super::{built, joined};
use crate::{Graph, GraphBuilder, GraphError, TopologyEntry, keys};
use flitwork_schema::Key;

#[derive(Clone, Debug, Default)]
struct ShuffleExchange {
    dimensions: u32,
}

const KEYS: &[Key<ShuffleExchange>] = &[keys::dimensions(|it| &mut it.dimensions)];

pub(crate) fn entry() -> TopologyEntry {
    let help = "2 ^ dimensions nodes, linked where their last bits differ, and where their bits are rotated by a place";
    TopologyEntry::new("shuffle-exchange", help, KEYS, |given, table| {
        let nodes = counted(2, given.dimensions, table)?;
        built(table, "dimensions", shuffles(nodes))
    })
}

const EXCHANGE: usize = 0;
const SHUFFLE: usize = 1;
const UNSHUFFLE: usize = 2;

fn shuffles(nodes: u32) -> Result<GraphBuilder, GraphError> {
    let mut graph = Graph::of_nodes(nodes)?;
    for node in 0..nodes {
        let (exchanged, rotated) = (node ^ 1, node * 2 % nodes + node * 2 / nodes);
        if node < exchanged {
            joined(&mut graph, (node, EXCHANGE), (exchanged, EXCHANGE))?;
        }
        if rotated != node {
            joined(&mut graph, (node, SHUFFLE), (rotated, UNSHUFFLE))?;
        }
    }
    graph.name_ports(
        ["exchange", "shuffle", "unshuffle"]
            .map(String::from)
            .into(),
    )?;
    graph.name_nodes((0..nodes).map(|node| written(node, 2, nodes)).collect())?;
    Ok(graph)
}
