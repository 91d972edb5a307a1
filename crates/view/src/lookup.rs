//! Nodes, packets and columns of a run that are asked for: where to look for them, and what is said if they aren't there.

use crate::shown::named;
use flitwork_debug::language::Columns;
use flitwork_debug::rows::{Nodes, PacketRow};
use flitwork_types::{Cycle, NodeId, PacketId, TerminalId};

/// From when on a packet is followed in a run that isn't a record: before its injection, by the nominal clock. A node's
/// own may be a cycle off.
pub fn followed_from(injected: Option<Cycle>, cycle_time: u64) -> u64 {
    let cycle = injected.map_or(0, |injected| u64::from(injected.get()));
    cycle.saturating_sub(1).saturating_mul(cycle_time)
}

/// That the network has no such node.
pub fn no_node(node: NodeId, nodes: &Nodes) -> String {
    let last = nodes.count() - 1;
    format!("there is no node {node}; allowed: 0 to {last}")
}

/// That the network has no such terminal.
pub fn no_terminal(terminal: TerminalId, nodes: &Nodes) -> String {
    let last = nodes.terminals() - 1;
    format!("there is no node {terminal}; allowed: 0 to {last}")
}

/// That a node has no such cycle.
pub fn no_cycle(node: NodeId, cycle: Cycle, last: Cycle) -> String {
    format!("node {node} never reaches cycle {cycle}; allowed: 0 to {last}")
}

/// That none of these packets is the one.
pub fn no_packet(packet: PacketId, rows: &[PacketRow]) -> String {
    let source = packet.source;
    let of_source = rows.iter().filter(|row| row.source == source);
    let allowed = match of_source.filter_map(|row| row.serial).max() {
        Some(last) => format!("{source}.0 to {source}.{last}"),
        None => format!("no packet of node {source} enters the network"),
    };
    let name = named(packet);
    format!("packet {name} never enters the network; allowed: {allowed}")
}

/// The place of the column of this name.
///
/// # Errors
/// If there is none.
pub fn column(columns: &Columns, name: &str) -> Result<usize, String> {
    let allowed = || format!("there is no column {name}; allowed: {}", columns.names());
    columns.find(name).ok_or_else(allowed)
}
