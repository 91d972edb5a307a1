//! `topology = "fully-connected"`: a link between each two nodes.

use super::{built, check_nodes, circulant};
use crate::{TopologyEntry, keys};
use flitwork_schema::Key;
use flitwork_types::MAX_PORTS;

#[derive(Clone, Debug, Default)]
struct FullyConnected {
    nodes: u32,
}

const KEYS: &[Key<FullyConnected>] = &[keys::nodes(|it| &mut it.nodes)];

/// Each has a port for every other one, and the local one.
const MAX_NODES: u32 = MAX_PORTS as u32;

pub(crate) fn entry() -> TopologyEntry {
    let help = "a link between each two nodes, of which there are at most 64";
    TopologyEntry::new("fully-connected", help, KEYS, |given, table| {
        check_nodes(given.nodes, 2..=MAX_NODES, table)?;
        // A circle with all jumps.
        let jumps: Vec<u32> = (1..=given.nodes / 2).collect();
        built(table, "nodes", circulant::circle(given.nodes, &jumps))
    })
}
