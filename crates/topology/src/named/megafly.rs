//! `topology = "megafly"`: groups of leaves and spines, each leaf linked to each spine of its group, with global links between spines.
//!
//! ```text
//!   spines     ( )   ( )      h global links each, s a group; up to s h + 1 groups
//!               │ ╲ ╱ │
//!               │ ╱ ╲ │
//!   leaves     ( )   ( )      p terminals each, s a group
//! ```
//!
//! Flajslik, Borch and Parker 2018; also called dragonfly+ (Shpiner and others 2017). Link n of group g leads to group n, or n + 1 from n = g on.

use super::{built, dragonfly, joined, joined_in};
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES, TopologyEntry, keys};
use flitwork_schema::{Allowed, Key, key};
use flitwork_types::NodeId;

#[derive(Clone, Debug, Default)]
struct Megafly {
    leaves: u32,
    global: u32,
    concentration: Option<u32>,
    groups: Option<u32>,
    global_cycles: Option<u32>,
}

#[rustfmt::skip]
const KEYS: &[Key<Megafly>] = &[
    key("leaves", |it| &mut it.leaves, Allowed::Whole(1, 64), "required", "leaves of a group, and spines"),
    keys::global_links(|it| &mut it.global),
    keys::concentration(|it| &mut it.concentration),
    keys::groups(|it| &mut it.groups),
    keys::global_cycles(|it| &mut it.global_cycles),
];

pub(crate) fn entry() -> TopologyEntry {
    let help =
        "groups of leaves, with terminals, below spines, with global links between the groups";
    TopologyEntry::new("megafly", help, KEYS, |given, table| {
        let of_group = (given.leaves, given.global);
        let groups = dragonfly::counted(of_group, given.groups, MAX_GRAPH_NODES, table)?;
        built(table, "leaves", megafly(given, groups))
    })
}

fn megafly(given: &Megafly, groups: u32) -> Result<GraphBuilder, GraphError> {
    let Megafly { leaves, global, .. } = *given;
    let concentration = given.concentration.unwrap_or(leaves);
    let nodes = 2 * leaves;
    let mut graph = Graph::of_nodes(groups * nodes)?;
    for group in 0..groups {
        let first = group * nodes;
        for leaf in 0..leaves {
            for spine in 0..leaves {
                joined(
                    &mut graph,
                    (first + leaf, spine as usize),
                    (first + leaves + spine, leaf as usize),
                )?;
            }
        }
    }
    let end = |group: u32, link: u32| {
        (
            group * nodes + leaves + link / global,
            (leaves + link % global) as usize,
        )
    };
    for ((one, from), (other, to)) in dragonfly::absolute(groups, leaves * global) {
        joined_in(
            &mut graph,
            end(one, from),
            end(other, to),
            given.global_cycles,
        )?;
    }
    let of_group = leaves * concentration;
    let home = |terminal: u32| {
        let (group, leaf) = (terminal / of_group, terminal % of_group / concentration);
        NodeId(group * nodes + leaf)
    };
    graph.set_terminals((0..groups * of_group).map(home))?;
    graph.set_groups((0..groups * nodes).map(|node| node / nodes).collect())?;
    let own = (0..leaves).map(|port| format!("group {port}"));
    let links = (0..global).map(|port| format!("global {port}"));
    graph.name_ports(own.chain(links).collect())?;
    // Leaves are outside, spines inside.
    let before = 0.5 * (f64::from(leaves) - 1.0);
    dragonfly::name_and_place(&mut graph, groups, nodes, before)?;
    Ok(graph)
}
