//! `topology = "express-mesh"`: a mesh with links that skip nodes.
//!
//! ```text
//!   0 ── 1 ── 2 ── 3 ── 4 ── 5 ── 6 ── 7 ── 8        interval 4
//!   └───────────────────┴───────────────────┘        express links
//! ```
//!
//! Along each dimension every node whose coordinate is a multiple of the interval is linked to the next of these, too.
//! Dally 1991 (express cubes), without interchanges of their own.

use super::{built, joined, sides};
use crate::{
    Graph, GraphBuilder, GraphError, Grid, MAX_GRAPH_NODES, Topology, TopologyEntry, keys, layout,
};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::{MAX_PORTS, NodeId, Port};

#[derive(Clone, Debug)]
struct ExpressMesh {
    sides: Vec<u32>,
    interval: u32,
}

impl Default for ExpressMesh {
    fn default() -> ExpressMesh {
        ExpressMesh {
            sides: Vec::new(),
            interval: 4,
        }
    }
}

const INTERVAL: &str = "interval";
/// Along each a node has up to four links.
const MAX_SIDES: usize = (MAX_PORTS - 1) / 4;

#[rustfmt::skip]
const KEYS: &[Key<ExpressMesh>] = &[
    keys::sides(|it| &mut it.sides),
    key(INTERVAL, |it| &mut it.interval, Allowed::Whole(2, MAX_GRAPH_NODES as u64 - 1), "4", "links that an express link runs beside; less than the longest side"),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a mesh whose nodes at multiples of an interval are also linked to each other, along each dimension";
    TopologyEntry::new("express-mesh", help, KEYS, |given, table| {
        let mesh = Grid::mesh(&given.sides);
        let mesh = mesh.map_err(|error| sides::refused(&error, table))?;
        check(given, &mesh, table)?;
        built(table, "sides", with_express(&mesh, given.interval))
    })
}

fn check(given: &ExpressMesh, mesh: &Grid, table: &RawTable<'_>) -> Result<(), Refusal> {
    let (nodes, longest) = (mesh.nodes(), given.sides.iter().max());
    let most = longest.map_or(0, |side| side.saturating_sub(1));
    let of_sides = |allowed: String| Err(table.conflict("sides", allowed));
    if given.sides.len() > MAX_SIDES {
        of_sides(format!("1 to {MAX_SIDES} sides of an express mesh"))
    } else if nodes > MAX_GRAPH_NODES {
        of_sides(format!(
            "2 to {MAX_GRAPH_NODES} nodes of an express mesh; these sides have {nodes}"
        ))
    } else if most < 2 {
        of_sides("a side of at least 3 nodes, along which an express link skips one".into())
    } else if given.interval > most {
        let allowed = format!("2 to {most}: a longer link fits along no side");
        let refusal = table.conflict(INTERVAL, allowed);
        Err(match table.has(INTERVAL) {
            true => refusal,
            false => {
                let key = table.key(INTERVAL);
                refusal.found(format!("{key} is {} by default", given.interval))
            }
        })
    } else {
        Ok(())
    }
}

fn with_express(mesh: &Grid, interval: u32) -> Result<GraphBuilder, GraphError> {
    let mut graph = Graph::of_nodes(mesh.nodes())?;
    let own = mesh.ports();
    let nodes = || (0..mesh.nodes()).map(NodeId);
    for node in nodes() {
        for port in mesh.links(node).iter() {
            let Some((far, back)) = mesh.far(node, port) else {
                continue;
            };
            if node < far {
                joined(&mut graph, (node.0, port.index()), (far.0, back.index()))?;
            }
            let skipped = express_end(mesh, node, port, interval);
            if let Some(far) = skipped.filter(|far| node < *far) {
                let ends = [port, back].map(|port| own + port.index());
                joined(&mut graph, (node.0, ends[0]), (far.0, ends[1]))?;
            }
        }
    }
    let names = (0..own as u8).map(|port| mesh.port_name(Port(port)));
    let names: Vec<String> = names.collect();
    let express = names.iter().map(|name| format!("express {name}"));
    graph.name_ports(names.iter().cloned().chain(express).collect())?;
    graph.name_nodes(nodes().map(|node| mesh.node_name(node)).collect())?;
    graph.place_nodes(layout::of_grid(mesh))?;
    Ok(graph)
}

/// The node an interval further on through a port, if the node is where an express link begins.
fn express_end(mesh: &Grid, from: NodeId, port: Port, interval: u32) -> Option<NodeId> {
    let next = mesh.neighbour(from, port)?;
    let [here, there] = [from, next].map(|node| mesh.coordinates(node));
    let mut along = here.iter().zip(&there);
    let dimension = along.position(|(one, other)| one != other)?;
    if here[dimension] % interval != 0 {
        return None;
    }
    let mut on = (0..interval).map_while({
        let mut at = from;
        move |_| {
            at = mesh.neighbour(at, port)?;
            Some(at)
        }
    });
    on.nth(interval as usize - 1)
}
