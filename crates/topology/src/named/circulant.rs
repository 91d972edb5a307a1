//! `topology = "circulant"`: nodes in a circle, each linked to those so many places on and back.
//!
//! ```text
//!   8 nodes, jumps 1 and 3        0 is linked to 1, 7, 3 and 5
//! ```
//!
//! Ports: for each jump one on and one back; a jump of half of the circle has one port. Elspas and Turner 1970.

use super::{built, joined, nodes};
use crate::{Graph, GraphBuilder, GraphError, TopologyEntry};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::MAX_NODES;

#[derive(Clone, Debug, Default)]
struct Circulant {
    nodes: u32,
    jumps: Vec<u32>,
}

const JUMPS: &str = "jumps";

#[rustfmt::skip]
const KEYS: &[Key<Circulant>] = &[
    nodes(|it| &mut it.nodes),
    key(JUMPS, |it| &mut it.jumps, Allowed::list(&Allowed::Whole(1, MAX_NODES as u64 / 2)), "required", "how many places on each node is linked to others: each at most half of the nodes, no two the same, and with no common divisor that divides the nodes, too"),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "nodes in a circle, each linked to those so many places on and back (jumps)";
    TopologyEntry::new("circulant", help, KEYS, |given, table| {
        check(given, table)?;
        built(table, JUMPS, circle(given.nodes, &given.jumps))
    })
}

fn check(given: &Circulant, table: &RawTable<'_>) -> Result<(), Refusal> {
    let (half, jumps) = (given.nodes / 2, &given.jumps);
    if jumps.iter().any(|jump| *jump > half) {
        let allowed = format!("jumps of 1 to {half}, half of the nodes");
        return Err(table.conflict(JUMPS, allowed));
    }
    let is_new = |(place, jump)| !jumps[..place].contains(jump);
    match jumps.iter().enumerate().all(is_new) {
        true => Ok(()),
        false => Err(table.conflict(JUMPS, "each jump once")),
    }
}

/// A circle of nodes with these jumps, each at most half of it, no two the same.
pub(super) fn circle(nodes: u32, jumps: &[u32]) -> Result<GraphBuilder, GraphError> {
    let mut graph = Graph::of_nodes(nodes)?;
    let mut names = Vec::new();
    for jump in jumps {
        let port = names.len();
        let is_half = 2 * jump == nodes;
        for node in 0..nodes {
            let far = (node + jump) % nodes;
            match is_half {
                true if node < far => joined(&mut graph, (node, port), (far, port))?,
                true => {}
                false => joined(&mut graph, (node, port), (far, port + 1))?,
            }
        }
        names.push(format!("+{jump}"));
        if !is_half {
            names.push(format!("-{jump}"));
        }
    }
    graph.name_ports(names)?;
    Ok(graph)
}
