//! `topology = "folded-torus"`: a torus laid out so that no link is long.
//!
//! ```text
//!   0 ══ 7 ── 1 ── 6 ── 2 ── 5 ── 3 ══ 4       along a side of 8: places from left to right; from each node to the next of its
//!   └─────────┘         └─────────┘            ring it is two places, but for the two pairs at the ends
//! ```
//!
//! Dally and Towles 2004, section 5.4.

use super::{built, sides};
use crate::{Graph, GraphBuilder, GraphError, Grid, Topology, TopologyEntry, keys};
use flitwork_schema::Key;
use flitwork_types::NodeId;

#[derive(Clone, Debug)]
struct FoldedTorus {
    sides: Vec<u32>,
    place_cycles: u32,
}

impl Default for FoldedTorus {
    fn default() -> FoldedTorus {
        FoldedTorus {
            sides: Vec::new(),
            place_cycles: 1,
        }
    }
}

#[rustfmt::skip]
const KEYS: &[Key<FoldedTorus>] = &[
    keys::sides(|it| &mut it.sides),
    keys::place_cycles(|it| &mut it.place_cycles),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a torus, each ring folded so that neighbours are at most two places apart; the lengths of links are those of the places";
    TopologyEntry::new("folded-torus", help, KEYS, |given, table| {
        let torus = Grid::torus(&given.sides);
        let torus = torus.map_err(|error| sides::refused(&error, table))?;
        built(table, "sides", folded(&torus, given.place_cycles))
    })
}

fn folded(torus: &Grid, place_cycles: u32) -> Result<GraphBuilder, GraphError> {
    let sides = torus.sides();
    let mut graph = Graph::nodes_of(torus)?;
    for node in (0..torus.nodes()).map(NodeId) {
        for port in torus.links(node).iter() {
            let Some(far) = torus.far(node, port).filter(|far| (node, port) < *far) else {
                continue;
            };
            let ends = [node, far.0].map(|node| places(torus, &sides, node));
            let apart = ends[0].iter().zip(&ends[1]);
            let apart: u32 = apart.map(|(one, other)| one.abs_diff(*other)).sum();
            graph.link((node, port), far, apart * place_cycles)?;
        }
    }
    let at = (0..torus.nodes()).map(|node| {
        let places = places(torus, &sides, NodeId(node));
        (
            f64::from(places[0]),
            f64::from(places.get(1).copied().unwrap_or(0)),
        )
    });
    graph.place_nodes(at.collect())?;
    Ok(graph)
}

/// Where a node lies along each dimension: the first half of a ring goes out, the second comes back between.
fn places(torus: &Grid, sides: &[u32], node: NodeId) -> Vec<u32> {
    let along = torus.coordinates(node).into_iter().zip(sides);
    let place = |(at, side): (u32, &u32)| match at < side.div_ceil(2) {
        true => 2 * at,
        false => 2 * (side - at) - 1,
    };
    along.map(place).collect()
}
