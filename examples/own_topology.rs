//! A topology from another crate, a ring with chords: it registers itself, and every command of the program knows it.
//!
//! ```text
//!        0 ─── 1 ─── 2         each node has links to the next one around the ring, and to the one
//!      ╱   ╲       ╱   ╲       `chord` nodes further on, which take longer: ports cw, ccw, chord and back
//!     7     ╲─────╱     3
//!      ╲               ╱
//!        6 ─── 5 ─── 4
//! ```
//!
//! ```sh
//! cargo run --release --example own_topology -- run examples/own_topology.toml
//! ```

use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, key};
use flitwork_topology::{Graph, GraphError, MAX_LINK_CYCLES, Shape, TopologyEntry};
use flitwork_types::{NodeId, Port};
use std::process::ExitCode;

fn main() -> ExitCode {
    flitwork::main_with(parts())
}

/// The program's parts, and this topology.
pub(crate) fn parts() -> Parts {
    let help = "a ring whose nodes also have links to those some nodes further on";
    Parts::new().with(TopologyEntry::new("chordal-ring", help, KEYS, build))
}

#[derive(Clone, Default)]
struct Chords {
    nodes: u32,
    chord: u32,
    chord_cycles: u32,
}

#[rustfmt::skip]
const KEYS: &[Key<Chords>] = &[
    key("nodes", |it| &mut it.nodes, Allowed::Whole(5, 4096), "required", "nodes of the ring"),
    key("chord", |it| &mut it.chord, Allowed::Whole(2, 2047), "required", "how many nodes further on a chord leads: fewer than half of the ring"),
    key("chord_cycles", |it| &mut it.chord_cycles, Allowed::Whole(1, MAX_LINK_CYCLES as u64), "required", "cycles that a word takes over a chord"),
];

fn build(parameters: &Chords, given: &RawTable<'_>) -> Result<Shape, Refusal> {
    let half = (parameters.nodes - 1) / 2;
    if parameters.chord > half {
        let allowed = format!("2 to {half}: chords of half of the ring or more would meet");
        return Err(given.conflict("chord", allowed));
    }
    let graph = ring(parameters).map_err(|error| given.conflict("nodes", error.to_string()))?;
    Ok(Shape::from(graph))
}

fn ring(parameters: &Chords) -> Result<Graph, GraphError> {
    let nodes = parameters.nodes;
    let mut graph = Graph::of_nodes(nodes)?;
    graph.name_ports(["cw", "ccw", "chord", "back"].map(str::to_owned).to_vec())?;
    for node in 0..nodes {
        let on = |steps| NodeId((node + steps) % nodes);
        graph.link((NodeId(node), Port(0)), (on(1), Port(1)), None)?;
        graph.link(
            (NodeId(node), Port(2)),
            (on(parameters.chord), Port(3)),
            parameters.chord_cycles,
        )?;
    }
    graph.build()
}
