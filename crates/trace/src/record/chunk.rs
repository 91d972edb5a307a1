//! A stretch of one node's record.

use flitwork_types::{Cycle, NodeId};

/// A check byte is kept each time a node has run this many cycles more.
pub const CHECK_CYCLES: u32 = 128;

/// What was recorded of one node in the cycles `from..upto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The node.
    pub node: NodeId,
    /// The first cycle it covers.
    pub from: Cycle,
    /// The first cycle after those it covers.
    pub upto: Cycle,
    /// The lowest byte of the node's digest when it had run `upto` cycles.
    pub digest_low: u8,
    /// The tokens, as [the format](super) has them.
    pub tokens: Vec<u8>,
    /// Where the record tells which packets came: the heads of these cycles, as [the format](super) has
    /// them. Otherwise empty.
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
