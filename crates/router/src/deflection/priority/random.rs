//! A random order, drawn anew in each node and cycle.
//!
//! A word on a node with m links is before all others, a side buffer's among them, with a probability of
//! at least 1/(m + 1), whatever happened before. In each cycle the probability that it goes straight home
//! from there on is therefore at least (m + 1)^-(D + 1), D being the diameter: it gets home with probability
//! 1, but no number of cycles is enough for certain.

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
    Livelock::ProbabilityZero("whose word is deflected is drawn".into())
}
