//! `topology = "de-bruijn"`: nodes are linked where one's digits are the other's, shifted by a place.
//!
//! ```text
//!   radix 2, 3 dimensions       001 ─ left 0 ─▶ 010        001 ─ left 1 ─▶ 011        001 ─ right 1 ─▶ 100
//! ```
//!
//! Links go both ways. A node of equal digits has no link to itself, and two that are each other's shifts have two links.
//! Leighton 1992, section 3.3.

use super::{built, joined};
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES, TopologyEntry, keys};
use flitwork_schema::{Key, RawTable, Refusal};

#[derive(Clone, Debug)]
struct DeBruijn {
    radix: u32,
    dimensions: u32,
}

impl Default for DeBruijn {
    fn default() -> DeBruijn {
        DeBruijn {
            radix: 2,
            dimensions: 0,
        }
    }
}

const DIMENSIONS: &str = "dimensions";

const KEYS: &[Key<DeBruijn>] = &[
    keys::radix(|it| &mut it.radix),
    keys::dimensions(|it| &mut it.dimensions),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "radix ^ dimensions nodes, linked where the digits of one are those of the other, shifted by a place";
    TopologyEntry::new("de-bruijn", help, KEYS, |given, table| {
        let nodes = counted(given.radix, given.dimensions, table)?;
        built(table, DIMENSIONS, shifts(given.radix, nodes))
    })
}

/// How many numbers have so many digits.
pub(super) fn counted(radix: u32, dimensions: u32, table: &RawTable<'_>) -> Result<u32, Refusal> {
    let nodes = |digits: u32| {
        let nodes = radix.checked_pow(digits);
        nodes.filter(|nodes| *nodes <= MAX_GRAPH_NODES)
    };
    nodes(dimensions).ok_or_else(|| {
        let most = (1..dimensions).rfind(|digits| nodes(*digits).is_some());
        let most = most.unwrap_or(1);
        let allowed = format!("1 to {most}: a graph has at most {MAX_GRAPH_NODES} nodes");
        table.conflict(DIMENSIONS, allowed)
    })
}

fn shifts(radix: u32, nodes: u32) -> Result<GraphBuilder, GraphError> {
    let mut graph = Graph::of_nodes(nodes)?;
    let (base, top) = (radix as usize, nodes / radix);
    for node in 0..nodes {
        // The digit that leaves on the left is the one that comes back on the right.
        let out = (node / top) as usize;
        for digit in 0..radix {
            let far = node % top * radix + digit;
            if far != node {
                joined(&mut graph, (node, digit as usize), (far, base + out))?;
            }
        }
    }
    let left = (0..radix).map(|digit| format!("left {digit}"));
    let right = (0..radix).map(|digit| format!("right {digit}"));
    graph.name_ports(left.chain(right).collect())?;
    let digits = |node| written(node, radix, nodes);
    graph.name_nodes((0..nodes).map(digits).collect())?;
    Ok(graph)
}

/// A node's number and its digits, of as many as the last node has.
pub(super) fn written(node: u32, radix: u32, nodes: u32) -> String {
    let mut digits = Vec::new();
    let (mut rest, mut left) = (node, nodes);
    while left > 1 {
        digits.extend(char::from_digit(rest % radix, radix));
        (rest, left) = (rest / radix, left / radix);
    }
    let digits: String = digits.into_iter().rev().collect();
    format!("{node} ({digits})")
}
