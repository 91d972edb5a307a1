//! From each neighbour in turn: the port after that by which the last packet came is first (Chinn 1995, section 2.1).

use super::{Incoming, Inqueue, InqueueEntry};
use flitwork_types::Port;

/// From each neighbour in turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobin;

pub(super) const ENTRY: InqueueEntry = InqueueEntry::of::<RoundRobin>(
    "round-robin",
    "from each neighbour in turn: first the port after that of the last packet",
);

/// The number is that of the port that is first.
impl Inqueue for RoundRobin {
    #[inline]
    fn rank(&self, first: u64, offer: &Incoming) -> u64 {
        u64::from(offer.through.0).wrapping_sub(first)
    }

    fn has_state(&self) -> bool {
        true
    }

    fn came(&self, first: u64, through: &mut dyn Iterator<Item = Port>) -> u64 {
        let turn = |port: &Port| u64::from(port.0).wrapping_sub(first);
        let last = through.max_by_key(turn);
        last.map_or(first, |last| u64::from(last.0) + 1)
    }
}
