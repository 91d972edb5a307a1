//! What can be wrong with one node's record.

use flitwork_types::{Cycle, NodeId};
use std::fmt;

/// A node's record cannot be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupt {
    /// The node.
    pub node: NodeId,
    /// The node's local cycle: of the chunk's start, the latest good token, or the call.
    pub cycle: Cycle,
    /// What is wrong there.
    pub fault: WhyCorrupt,
}

/// Why a node's record cannot be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyCorrupt {
    /// The chunk is another node's.
    Node {
        /// The chunk's node.
        found: NodeId,
    },
    /// The chunk does not start where the previous one ended.
    From {
        /// Its first cycle.
        found: Cycle,
    },
    /// The chunk ends before it starts, covers nothing, or continues after [`Cycle::LAST`].
    Upto {
        /// The cycle after its last.
        found: Cycle,
    },
    /// The chunk's check bytes are too many or too few for its cycles.
    Checks {
        /// How many there are.
        found: usize,
        /// How many its cycles need.
        due: usize,
    },
    /// The bytes are not a token.
    Token,
    /// The tokens of a cycle are not in the order of their symbols.
    Order,
    /// A token's cycle is not in its chunk.
    Beyond {
        /// The token's cycle.
        cycle: Cycle,
        /// The cycle after the chunk's last.
        upto: Cycle,
    },
    /// The bytes do not say which packets' heads arrived.
    Heads,
    /// The cycle has already been taken or skipped.
    Taken,
    /// No chunk so far covers the cycle.
    NotCovered,
    /// Something arrived in a cycle that was skipped.
    Skipped {
        /// The first cycle in which something arrived.
        next: Cycle,
    },
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}, cycle {}: ", self.node, self.cycle)?;
        match self.fault {
            WhyCorrupt::Node { found } => write!(f, "a chunk of node {found}"),
            WhyCorrupt::From { found } => write!(f, "a chunk that starts at cycle {found}"),
            WhyCorrupt::Upto { found } => write!(
                f,
                "a chunk that ends before cycle {found}, not later than its start and at most {}",
                Cycle::LAST
            ),
            WhyCorrupt::Checks { found, due } => {
                write!(
                    f,
                    "a chunk with {found} check bytes, where its cycles need {due}"
                )
            }
            WhyCorrupt::Token => write!(f, "bytes that are no token"),
            WhyCorrupt::Order => write!(f, "tokens of one cycle out of order"),
            WhyCorrupt::Beyond { cycle, upto } => {
                write!(
                    f,
                    "a token of cycle {cycle} in a chunk that ends before {upto}"
                )
            }
            WhyCorrupt::Heads => write!(f, "bytes that don't say which packets arrived"),
            WhyCorrupt::Taken => write!(f, "asked for again"),
            WhyCorrupt::NotCovered => write!(f, "not covered by the chunks so far"),
            WhyCorrupt::Skipped { next } => write!(f, "asked for before cycle {next}"),
        }
    }
}

impl std::error::Error for Corrupt {}
