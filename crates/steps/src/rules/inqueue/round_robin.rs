//! From each neighbour in turn: the port after that by which the last packet came is first (Chinn 1995, section 2.1).

use super::{Incoming, Inqueue, InqueueEntry};
use flitwork_types::{NodeId, Port};

/// From each neighbour in turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobin;

pub(super) const ENTRY: InqueueEntry = InqueueEntry::of::<RoundRobin>(
    "round-robin",
    "from each neighbour in turn: first the port after that of the last packet",
);

impl Inqueue for RoundRobin {
    /// The port that is first.
    type State = u8;
    const HAS_STATE: bool = true;

    fn begin(&self, _: NodeId) -> u8 {
        0
    }

    #[inline]
    fn rank(&self, first: &u8, offer: &Incoming) -> u64 {
        offer.through.0.wrapping_sub(*first).into()
    }

    fn came(&self, first: &mut u8, through: &mut dyn Iterator<Item = Port>) {
        let turn = |port: &Port| port.0.wrapping_sub(*first);
        if let Some(last) = through.max_by_key(turn) {
            *first = last.0 + 1;
        }
    }
}
