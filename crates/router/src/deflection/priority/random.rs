//! A random order, drawn anew in each node and cycle.
//!
//! A word on a node with m links precedes all others, including a side buffer's, with a probability of at
//! least 1/(m + 1), whatever happened before. In each cycle the probability that it goes straight to its
//! destination from there on is therefore at least (m + 1)^-(D + 1), D being the diameter: it is delivered
//! with probability 1, but no number of cycles is certain to suffice.

use super::{Candidate, Here, Priority, PriorityEntry, Rank};
use crate::parameters::Livelock;
use flitwork_node::draw;

pub(super) const ENTRY: PriorityEntry = PriorityEntry {
    name: "random",
    summary: "a random order, drawn anew in each cycle",
    priority: Priority::Random,
};

#[inline]
pub(super) fn rank(candidate: Candidate<'_>, here: Here) -> Rank {
    Rank::from(draw(here.seed, here.node, here.now, candidate.draw))
}

pub(super) fn bound_cycles(_: u64, _: u32, _: u64) -> Option<u64> {
    None
}

pub(super) fn livelock(_: bool) -> Livelock {
    Livelock::ProbabilityZero("which word is deflected is drawn at random".into())
}
