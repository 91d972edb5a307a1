//! A random order, drawn anew in each node and cycle.
//!
//! A word on a node with m links is before all others, a side buffer's among them, with a probability of
//! at least 1/(m + 1), whatever happened before. In each cycle the probability that it goes straight home
//! from there on is therefore at least (m + 1)^-(D + 1), D being the diameter: it gets home with probability
//! 1, but no number of cycles is enough for certain.

use super::{Candidate, Here, Rank};
use flitwork_node::draw;

#[inline]
pub(super) fn rank(candidate: Candidate<'_>, here: Here) -> Rank {
    Rank::from(draw(here.seed, here.node, here.now, candidate.draw))
}
