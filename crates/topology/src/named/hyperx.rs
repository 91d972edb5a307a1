//! `topology = "hyperx"` and `topology = "flattened-butterfly"`: a link between each two nodes of a line, along each dimension.
//!
//! ```text
//!   0 ─── 1 ─── 2 ─── 3       a side of 4: each node is linked to each other of its line,
//!   └───────────┘     │       by as many links as its dimension is wide
//!   └─────────────────┘
//! ```
//!
//! A HyperX has sides and widths of its own in each dimension (Ahn and others 2009); a k-ary n-flat has n - 1 dimensions of k nodes, and k terminals a
//! node (Kim, Dally and Abts 2007).

use super::{built, joined_in};
use crate::distances::Distances;
use crate::{
    Graph, GraphBuilder, GraphError, MAX_COMPUTED_NODES, MAX_DIMENSIONS, MAX_LINK_CYCLES,
    TopologyEntry, keys, layout,
};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::{MAX_PORTS, NodeId};

#[derive(Clone, Debug, Default)]
struct HyperX {
    sides: Vec<u32>,
    widths: Vec<u32>,
    concentration: Option<u32>,
    place_cycles: Option<u32>,
}

const WIDTHS: Allowed = Allowed::List(1, MAX_DIMENSIONS, &Allowed::Whole(1, MAX_PORTS as u64));

#[rustfmt::skip]
const KEYS: &[Key<HyperX>] = &[
    keys::sides(|it| &mut it.sides),
    key("widths", |it| &mut it.widths, WIDTHS, "1 in each dimension", "links between each two nodes of a line, by dimension"),
    keys::concentration(|it| &mut it.concentration),
    keys::place_cycles(|it| &mut it.place_cycles),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a link, or several, between each two nodes of a line, along each dimension";
    TopologyEntry::new("hyperx", help, KEYS, |given, table| {
        let mut given = given.clone();
        if given.widths.is_empty() {
            given.widths = vec![1; given.sides.len()];
        }
        if given.widths.len() != given.sides.len() {
            let allowed = format!("a number for each of the {} sides", given.sides.len());
            return Err(table.conflict("widths", allowed));
        }
        if given.sides.contains(&1) {
            return Err(table.conflict("sides", "sides of at least 2"));
        }
        let nodes = counted(&given.sides, table, "sides")?;
        hold_lengths(given.place_cycles, &given.sides, table)?;
        let concentration = given.concentration.unwrap_or(1);
        let each = (&given.widths[..], given.place_cycles);
        built(
            table,
            "sides",
            lines(nodes, &given.sides, each, concentration),
        )
    })
}

/// Refuses links that are so long that they take too many cycles.
pub(super) fn hold_lengths(
    place_cycles: Option<u32>,
    sides: &[u32],
    table: &RawTable<'_>,
) -> Result<(), Refusal> {
    let longest = sides.iter().max().map_or(1, |side| side - 1);
    let most = MAX_LINK_CYCLES / longest;
    // Nodes don't have ports for lines that are too long for any number of cycles.
    if most > 0 && place_cycles.is_some_and(|cycles| cycles > most) {
        let allowed = format!("1 to {most}: the longest link goes {longest} places");
        return Err(table.conflict("place_cycles", allowed));
    }
    Ok(())
}

/// How many nodes there are.
pub(super) fn counted(sides: &[u32], table: &RawTable<'_>, key: &str) -> Result<u32, Refusal> {
    let nodes = sides
        .iter()
        .try_fold(1u32, |nodes, side| nodes.checked_mul(*side));
    let nodes = nodes.filter(|nodes| *nodes <= MAX_COMPUTED_NODES);
    nodes.ok_or_else(|| {
        table.conflict(
            key,
            format!("so many that there are at most {MAX_COMPUTED_NODES} nodes"),
        )
    })
}

/// Nodes numbered by their coordinates, the first changing fastest. The ports of a dimension are by the distance around its line, and then by link: port d
/// leads d + 1 nodes on. Links have widths by dimension, and take so many cycles for each node that they are long.
pub(super) fn lines(
    nodes: u32,
    sides: &[u32],
    (widths, place_cycles): (&[u32], Option<u32>),
    concentration: u32,
) -> Result<GraphBuilder, GraphError> {
    let mut graph = Graph::of_known(nodes, ByLines(sides.to_vec()))?;
    let (mut stride, mut first, mut names) = (1, 0, Vec::new());
    for ((side, width), dimension) in sides.iter().zip(widths).zip(1..) {
        for node in 0..nodes {
            let at = node / stride % side;
            for on in 1..*side {
                let far = (at + on) % side;
                if at < far {
                    let cycles = place_cycles.map(|cycles| cycles * (far - at));
                    let far = node + (far - at) * stride;
                    for link in 0..*width {
                        let port = |on: u32| first + ((on - 1) * width + link) as usize;
                        joined_in(&mut graph, (node, port(on)), (far, port(side - on)), cycles)?;
                    }
                }
            }
        }
        for on in 1..*side {
            names.extend((0..*width).map(|link| match width {
                1 => format!("d{dimension} +{on}"),
                _ => format!("d{dimension} +{on}.{link}"),
            }));
        }
        first += ((side - 1) * width) as usize;
        stride *= side;
    }
    graph.set_terminals((0..nodes * concentration).map(|it| NodeId(it / concentration)))?;
    graph.set_coordinates(sides.to_vec())?;
    graph.name_ports(names)?;
    graph.name_nodes((0..nodes).map(|node| named(node, sides)).collect())?;
    graph.place_nodes(layout::of_sides(sides))?;
    Ok(graph)
}

/// Distances by the sides: a link leads to any node of a line, so there is one for each coordinate that differs.
#[derive(Clone, Debug)]
struct ByLines(Vec<u32>);

impl Distances for ByLines {
    fn between(&self, from: NodeId, to: NodeId) -> u32 {
        let (mut from, mut to) = (from.0, to.0);
        let differing = self.0.iter().filter(|side| {
            let differs = from % **side != to % **side;
            (from, to) = (from / **side, to / **side);
            differs
        });
        differing.count() as u32
    }

    fn longest(&self) -> u32 {
        self.0.len() as u32
    }
}

fn named(node: u32, sides: &[u32]) -> String {
    let mut rest = node;
    let coordinates = sides.iter().map(|side| {
        let at = rest % side;
        rest /= side;
        at.to_string()
    });
    format!("{node} ({})", coordinates.collect::<Vec<_>>().join(", "))
}
