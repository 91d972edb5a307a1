//! `topology = "fully-connected"`: a link between each two nodes.

use super::{built, circulant, nodes};
use crate::TopologyEntry;
use flitwork_schema::Key;

#[derive(Clone, Debug, Default)]
struct FullyConnected {
    nodes: u32,
}

const KEYS: &[Key<FullyConnected>] = &[nodes(|it| &mut it.nodes)];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a link between each two nodes";
    TopologyEntry::new("fully-connected", help, KEYS, |given, table| {
        // A circle with all jumps. More than a node has ports for aren't built.
        let most = (given.nodes / 2).min(u32::from(u8::MAX));
        let jumps: Vec<u32> = (1..=most).collect();
        built(table, "nodes", circulant::circle(given.nodes, &jumps))
    })
}
