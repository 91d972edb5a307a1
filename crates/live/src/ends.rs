//! What the workers of a replay return.

use crate::chunk_reader::RecordEnd;
use crate::timing::Difference;
use flitwork_network::Source;
use flitwork_node::Wait;
use flitwork_trace::Digest;
use flitwork_types::{Cycle, NodeId};

/// What a replayed node ends with.
pub(crate) struct NodeEnd {
    pub(crate) node: NodeId,
    /// The first cycle that it has not run.
    pub(crate) cycle: Cycle,
    pub(crate) digest: Digest,
    /// What it waited for in vain.
    pub(crate) lack: Option<Difference>,
    pub(crate) waits: Vec<Wait>,
    pub(crate) source: Source,
    /// Packets that its source has put into the network less those delivered to it.
    pub(crate) entered: i64,
    /// The first arrival that was not possible.
    pub(crate) impossible: Option<Difference>,
}

/// What a replay's workers return.
pub(crate) struct Ends<P> {
    pub(crate) nodes: Vec<NodeEnd>,
    pub(crate) probes: Vec<P>,
    pub(crate) record_end: Option<RecordEnd>,
}

impl<P> Default for Ends<P> {
    fn default() -> Ends<P> {
        Ends {
            nodes: Vec::new(),
            probes: Vec::new(),
            record_end: None,
        }
    }
}
