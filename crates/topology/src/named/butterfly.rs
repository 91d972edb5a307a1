//! `topology = "butterfly"`: levels of rows, linked straight on and to the row whose number differs in one bit.
//!
//! ```text
//!   row 0   ( ) ─── ( ) ─── ( )      dimensions + 1 levels of 2 ^ dimensions rows; between levels l and l + 1
//!               ╲ ╱     ╲   ╱        rows are crossed whose numbers differ in bit l
//!   row 1   ( ) ─── ( ) ── ╳ ─ …
//! ```
//!
//! Packets enter at level 0 and leave at the last level of their row; they have one path (Leighton 1992, section 3.2.1).

use super::{built, joined};
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES, TopologyEntry, keys, layout};
use flitwork_schema::Key;
use flitwork_types::NodeId;

#[derive(Clone, Debug, Default)]
struct Butterfly {
    dimensions: u32,
}

/// With more there are more nodes than a graph has.
const MOST: u32 = 9;

const DIMENSIONS: &str = "dimensions";

const KEYS: &[Key<Butterfly>] = &[keys::dimensions(|it| &mut it.dimensions)];

pub(crate) fn entry() -> TopologyEntry {
    let help = "levels of rows, linked straight on and to the row whose number differs in the bit of the level";
    TopologyEntry::new("butterfly", help, KEYS, |given, table| {
        if given.dimensions > MOST {
            let allowed = format!("1 to {MOST}: a graph has at most {MAX_GRAPH_NODES} nodes");
            return Err(table.conflict(DIMENSIONS, allowed));
        }
        built(table, DIMENSIONS, leveled(given.dimensions))
    })
}

const STRAIGHT: usize = 0;
const CROSS: usize = 1;
/// The ports to the level before.
const BACK: usize = 2;

fn leveled(dimensions: u32) -> Result<GraphBuilder, GraphError> {
    let rows = 1 << dimensions;
    let nodes = rows * (dimensions + 1);
    let mut graph = Graph::of_nodes(nodes)?;
    for level in 0..dimensions {
        for row in 0..rows {
            let from = level * rows + row;
            for (port, far) in [(STRAIGHT, row), (CROSS, row ^ 1 << level)] {
                joined(
                    &mut graph,
                    (from, port),
                    ((level + 1) * rows + far, BACK + port),
                )?;
            }
        }
    }
    graph.set_terminals((0..rows).map(|row| NodeId(dimensions * rows + row)))?;
    graph.set_entries((0..rows).map(NodeId))?;
    graph.set_levels((0..nodes).map(|node| (node / rows) as u16).collect())?;
    let names = ["straight", "cross", "back straight", "back cross"];
    graph.name_ports(names.map(String::from).into())?;
    let name = |node: u32| format!("{node} (level {}, row {})", node / rows, node % rows);
    graph.name_nodes((0..nodes).map(name).collect())?;
    graph.place_nodes(layout::of_stages(dimensions + 1, rows))?;
    Ok(graph)
}
