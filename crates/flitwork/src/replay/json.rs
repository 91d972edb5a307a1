//! A replay as JSON.

use flitwork_experiment::live::replay::{ReplayedNode, Wait};
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
    pub(super) nodes: Vec<Node>,
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

#[derive(Serialize)]
pub(super) struct Node {
    node: u32,
    cycles: u32,
    digest: String,
    recorded_cycles: Option<u32>,
    recorded_digest: Option<String>,
}

impl Node {
    pub(super) fn of((node, did): &(NodeId, ReplayedNode)) -> Node {
        Node {
            node: node.0,
            cycles: did.cycles.get(),
            digest: did.digest.to_string(),
            recorded_cycles: did.recorded.map(|(cycles, _)| cycles.get()),
            recorded_digest: did.recorded.map(|(_, digest)| digest.to_string()),
        }
    }
}

/// The node of `--until`, and the packets in it.
#[derive(Serialize)]
pub(super) struct Until {
    pub(super) node: u32,
    pub(super) cycle: u32,
    /// Whether the node reached that cycle.
    pub(super) reached: bool,
    pub(super) packets: Vec<Packet>,
}

#[derive(Serialize)]
pub(super) struct Packet {
    source: u32,
    serial: u32,
    destination: u32,
    place: String,
}

impl Packet {
    pub(super) fn of(wait: &Wait) -> Packet {
        Packet {
            source: wait.packet.source.0,
            serial: wait.packet.serial,
            destination: wait.destination.0,
            place: wait.place.to_string(),
        }
    }
}
