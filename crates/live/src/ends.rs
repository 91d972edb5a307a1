//! What the workers of a replay return.

use crate::chunk_reader::RecordEnd;
use crate::timing::Difference;
use flitwork_engine::Ended;
use flitwork_network::{Aim, Source};
use flitwork_node::{AnyProbe, Wait};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, NodeId};

/// The state in which a replayed node ends.
pub(crate) struct NodeEnd {
    pub(crate) node: NodeId,
    /// The first cycle that it has not run.
    pub(crate) cycle: Cycle,
    pub(crate) digest: Digest,
    /// What it waited for and never got.
    pub(crate) lack: Option<Difference>,
    pub(crate) waits: Vec<Wait>,
    pub(crate) source: Source,
    /// Packets that its source has put into the network less those delivered to it.
    pub(crate) entered: i64,
    /// The first arrival that was not possible.
    pub(crate) impossible: Option<Difference>,
}

impl NodeEnd {
    /// Its source, and the cycle before which it would have put packets into the network.
    pub(crate) fn source(&self, ended: Ended, aim: Aim) -> (NodeId, Cycle, Source) {
        let end = match ended {
            Ended::Interrupted => self.cycle,
            _ => aim.end,
        };
        (self.node, end, self.source)
    }
}

/// What a replay's workers return.
pub(crate) struct Ends {
    pub(crate) nodes: Vec<NodeEnd>,
    pub(crate) probes: Vec<AnyProbe>,
    pub(crate) record_end: Option<RecordEnd>,
}
