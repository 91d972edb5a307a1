//! What can be wrong with one node's record.

use flitwork_types::{Cycle, NodeId};

/// A node's record cannot be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node}, cycle {cycle}: {fault}")]
pub struct Corrupt {
    /// The node.
    pub node: NodeId,
    /// The node's local cycle: of the chunk's start, the latest good token, or the call.
    pub cycle: Cycle,
    /// What is wrong there.
    pub fault: WhyCorrupt,
}

/// Why a node's record cannot be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhyCorrupt {
    /// The chunk is another node's.
    #[error("a chunk of node {found}")]
    Node {
        /// The chunk's node.
        found: NodeId,
    },
    /// The chunk does not start where the previous one ended.
    #[error("a chunk that starts at cycle {found}")]
    From {
        /// Its first cycle.
        found: Cycle,
    },
    /// The chunk ends before it starts, covers nothing, or continues after [`Cycle::LAST`].
    #[error(
        "a chunk that ends before cycle {found}, not later than its start and at most {}",
        Cycle::LAST
    )]
    Upto {
        /// The cycle after its last.
        found: Cycle,
    },
    /// The chunk's check bytes are too many or too few for its cycles.
    #[error("a chunk with {found} check bytes, where its cycles need {due}")]
    Checks {
        /// How many there are.
        found: usize,
        /// How many its cycles need.
        due: usize,
    },
    /// The bytes are not a token.
    #[error("bytes that are no token")]
    Token,
    /// The tokens of a cycle are not in the order of their symbols.
    #[error("tokens of one cycle out of order")]
    Order,
    /// A token's cycle is not in its chunk.
    #[error("a token of cycle {cycle} in a chunk that ends before {upto}")]
    Beyond {
        /// The token's cycle.
        cycle: Cycle,
        /// The cycle after the chunk's last.
        upto: Cycle,
    },
    /// The bytes do not say which packets' heads arrived.
    #[error("bytes that don't say which packets arrived")]
    Heads,
    /// The cycle has already been taken or skipped.
    #[error("asked for again")]
    Taken,
    /// No chunk so far covers the cycle.
    #[error("not covered by the chunks so far")]
    NotCovered,
    /// Something arrived in a cycle that was skipped.
    #[error("asked for before cycle {next}")]
    Skipped {
        /// The first cycle in which something arrived.
        next: Cycle,
    },
}
