//! A stretch of one node's record.

use flitwork_types::{Cycle, NodeId};

/// A check byte is kept each time a node has run another this many cycles.
pub const CHECK_CYCLES: u32 = 128;

/// What was recorded of one node in the cycles `from..upto`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The node.
    pub node: NodeId,
    /// The first cycle it covers.
    pub from: Cycle,
    /// The first cycle after those it covers.
    pub upto: Cycle,
    /// The lowest byte of the node's digest when it had run `upto` cycles.
    pub digest_low: u8,
    /// The tokens, in [the format](super).
    pub tokens: Vec<u8>,
    /// The heads of these cycles in [the format](super), if the record says which packets arrived; otherwise empty.
    pub heads: Vec<u8>,
    /// The lowest byte of the node's digest when it had run each multiple of [`CHECK_CYCLES`] cycles
    /// above `from` and up to `upto`.
    pub checks: Vec<u8>,
}

impl Chunk {
    /// How many check bytes a chunk of these cycles has.
    pub(super) const fn checks_between(from: Cycle, upto: Cycle) -> usize {
        (upto.0 / CHECK_CYCLES).saturating_sub(from.0 / CHECK_CYCLES) as usize
    }
}
