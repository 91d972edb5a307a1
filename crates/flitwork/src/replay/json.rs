//! A replay as JSON.

use flitwork_experiment::live::replay::{ReplayedNode, Wait};
use flitwork_report::{Table, column};
use flitwork_results::Results;
use flitwork_types::NodeId;
use serde::Serialize;

/// The run's results, if all nodes were replayed, and the outcome of the replay.
#[derive(Serialize)]
pub(super) struct Found<'a> {
    #[serde(flatten)]
    pub(super) results: Option<&'a Results>,
    pub(super) replay: Replay,
}

/// The outcome of a replay.
#[derive(Serialize)]
pub(super) struct Replay {
    /// The verdict in a word or two.
    pub(super) verdict: &'static str,
    /// Where it differs from its record, or with --what-if the first arrival that wasn't possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) difference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cut: Option<Cut>,
    /// The selected nodes.
    pub(super) nodes: Table,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<Until>,
}

/// How much of a record that stops early was replayed.
#[derive(Serialize)]
pub(super) struct Cut {
    /// Bytes up to the end of the last whole block or mark.
    pub(super) whole_bytes: u64,
    /// The fewest and the most cycles that a node was replayed.
    pub(super) least_cycles: u32,
    pub(super) most_cycles: u32,
    /// The most cycles that whole blocks hold of a node.
    pub(super) recorded_cycles: u32,
}

#[rustfmt::skip]
pub(super) fn nodes<'a>(all: impl Iterator<Item = &'a (NodeId, ReplayedNode)>) -> Table {
    let columns = [
        column("node", "", "its number", |it: &(NodeId, ReplayedNode)| it.0.0),
        column("cycles", "cycles", "that it was replayed", |it: &(NodeId, ReplayedNode)| it.1.cycles.get()),
        column("digest", "", "of its events", |it: &(NodeId, ReplayedNode)| it.1.digest.to_string()),
        column("recorded_cycles", "cycles", "in the record", |it: &(NodeId, ReplayedNode)| Some(it.1.recorded?.0.get())),
        column("recorded_digest", "", "in the record", |it: &(NodeId, ReplayedNode)| Some(it.1.recorded?.1.to_string())),
    ];
    Table::new("nodes", &columns, all)
}

/// The node of `--until`, and the packets in it.
#[derive(Serialize)]
pub(super) struct Until {
    pub(super) node: u32,
    pub(super) cycle: u32,
    /// Whether the node reached that cycle.
    pub(super) reached: bool,
    pub(super) packets: Table,
}

#[rustfmt::skip]
pub(super) fn packets<'a>(all: impl Iterator<Item = &'a Wait>) -> Table {
    let columns = [
        column("source", "", "the node that made it", |it: &Wait| it.packet.source.0),
        column("serial", "", "its number among that node's packets", |it: &Wait| it.packet.serial),
        column("destination", "", "where it goes", |it: &Wait| it.destination.0),
        column("place", "", "where in the node it is", |it: &Wait| it.place.to_string()),
    ];
    Table::new("packets", &columns, all)
}
