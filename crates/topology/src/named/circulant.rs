//! `topology = "circulant"`: nodes in a circle, each linked to those so many places on and back.
//!
//! ```text
//!   8 nodes, jumps 1 and 3        0 is linked to 1, 7, 3 and 5
//! ```
//!
//! Ports: for each jump one on and one back; a jump of half of the circle has one port. Elspas and Turner 1970.

use super::{built, check_nodes, joined};
use crate::distances::Distances;
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES, TopologyEntry, keys};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::{MAX_PORTS, NodeId};
use std::collections::VecDeque;

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
    let mut graph = Graph::of_known(nodes, AroundCircle::of(nodes, jumps))?;
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

/// Distances by how many places there are between two nodes: they are the same from each node on.
#[derive(Clone, Debug)]
struct AroundCircle(Vec<u16>);

impl AroundCircle {
    fn of(nodes: u32, jumps: &[u32]) -> AroundCircle {
        let mut found: Vec<Option<u16>> = vec![None; nodes as usize];
        found[0] = Some(0);
        let mut queue = VecDeque::from([(0, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            for jump in jumps.iter().flat_map(|jump| [*jump, nodes - jump]) {
                let far = (at + jump) % nodes;
                let known = &mut found[far as usize];
                if known.is_none() {
                    *known = Some(distance + 1);
                    queue.push_back((far, distance + 1));
                }
            }
        }
        // No jumps that lead to all nodes are refused.
        AroundCircle(found.into_iter().map(Option::unwrap_or_default).collect())
    }
}

impl Distances for AroundCircle {
    fn between(&self, from: NodeId, to: NodeId) -> u32 {
        let places = match to >= from {
            true => to.0 - from.0,
            false => to.0 + self.0.len() as u32 - from.0,
        };
        self.0[places as usize].into()
    }

    fn longest(&self) -> u32 {
        self.0.iter().copied().max().unwrap_or_default().into()
    }
}
