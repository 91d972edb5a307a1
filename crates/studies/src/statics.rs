//! Static problems: their packets, by the patterns of `[traffic]`, and the text that `flitwork route` and `flitwork schedule`
//! read.

use flitwork_schema::Parts;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::AnyPattern;
use flitwork_types::{NodeId, TerminalId};
use std::path::Path;

/// The packets of a pattern that has one destination for each node; from a node to itself too.
///
/// # Panics
/// For a pattern that isn't one of the program's, that has other destinations, or that doesn't suit the grid.
pub(crate) fn packets(pattern: &str, grid: &Grid, seed: u64) -> Vec<(NodeId, NodeId)> {
    let named = AnyPattern::named(&Parts::new(), pattern);
    let built = named.and_then(|pattern| pattern.build(grid, seed));
    let built = built.unwrap_or_else(|error| panic!("{error}"));
    let packets = built.packets(grid.terminals());
    between_nodes(&packets.expect("a list"))
}

/// These packets between the nodes of a grid: its terminals have their numbers.
pub(crate) fn between_nodes(packets: &[(TerminalId, TerminalId)]) -> Vec<(NodeId, NodeId)> {
    let node = |terminal: &TerminalId| NodeId(terminal.0);
    let packets = packets.iter();
    packets.map(|(from, to)| (node(from), node(to))).collect()
}

/// These packets between the terminals of a grid, which have the numbers of their nodes.
pub(crate) fn between_terminals(packets: &[(NodeId, NodeId)]) -> Vec<(TerminalId, TerminalId)> {
    let terminal = |node: &NodeId| TerminalId(node.0);
    let packets = packets.iter();
    packets
        .map(|(from, to)| (terminal(from), terminal(to)))
        .collect()
}

/// `[network]` of a mesh or a torus.
pub(crate) fn network(topology: &str, sides: [u32; 2]) -> String {
    format!("[network]\ntopology = \"{topology}\"\nsides = {sides:?}\n")
}

/// `[traffic]` of a pattern, with further lines, and `[run]` of a seed.
pub(crate) fn traffic(pattern: &str, lines: &str, seed: u64) -> String {
    format!("[traffic]\nprocess = \"once\"\npattern = \"{pattern}\"\n{lines}[run]\nseed = {seed}\n")
}

/// `[traffic]` with the packets of a file.
pub(crate) fn listed(path: &Path) -> String {
    let path = toml::Value::String(path.display().to_string());
    format!("[traffic]\nprocess = \"once\"\npattern = \"listed\"\nfile = {path}\n")
}
