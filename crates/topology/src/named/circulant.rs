//! `topology = "circulant"`: nodes in a circle, each linked to those so many places on and back.
//!
//! ```text
//!   8 nodes, jumps 1 and 3        0 is linked to 1, 7, 3 and 5
//! ```
//!
//! Ports: for each jump one on and one back; a jump of half of the circle has one port. Elspas and Turner 1970.

use super::{built, check_nodes, joined};
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES, TopologyEntry, keys};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::MAX_PORTS;

#[derive(Clone, Debug, Default)]
struct Circulant {
    nodes: u32,
    jumps: Vec<u32>,
}

const JUMPS: &str = "jumps";

/// As many as nodes have ports for.
const MAX_JUMPS: usize = (MAX_PORTS - 1) / 2;

#[rustfmt::skip]
const KEYS: &[Key<Circulant>] = &[
    keys::nodes(|it| &mut it.nodes),
    key(JUMPS, |it| &mut it.jumps, Allowed::List(1, MAX_JUMPS, &Allowed::Whole(1, MAX_GRAPH_NODES as u64 / 2)), "required", "each node is linked to those so many places on and back: different numbers, each at most half of the nodes; no number above 1 may divide all of them and the nodes"),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "nodes in a circle, each linked to those so many places on and back (jumps)";
    TopologyEntry::new("circulant", help, KEYS, |given, table| {
        check(given, table)?;
        built(table, JUMPS, circle(given.nodes, &given.jumps))
    })
}

fn check(given: &Circulant, table: &RawTable<'_>) -> Result<(), Refusal> {
    check_nodes(given.nodes, 2..=MAX_GRAPH_NODES, table)?;
    let (half, jumps) = (given.nodes / 2, &given.jumps);
    if jumps.iter().any(|jump| *jump > half) {
        let allowed = format!("jumps of 1 to {half}, half of the nodes");
        return Err(table.conflict(JUMPS, allowed));
    }
    let is_new = |(place, jump)| !jumps[..place].contains(jump);
    if !jumps.iter().enumerate().all(is_new) {
        return Err(table.conflict(JUMPS, "each jump once"));
    }
    match jumps.iter().copied().fold(given.nodes, common_divisor) {
        1 => Ok(()),
        common => {
            let allowed = format!(
                "jumps that lead from each node to all others: {common} divides these and the {} nodes",
                given.nodes
            );
            Err(table.conflict(JUMPS, allowed))
        }
    }
}

/// The greatest.
fn common_divisor(one: u32, other: u32) -> u32 {
    match other {
        0 => one,
        other => common_divisor(other, one % other),
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
