//! By the port: the lowest first.

use super::{Incoming, Inqueue, InqueueEntry};
use flitwork_types::NodeId;

/// By the port: the lowest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

pub(super) const ENTRY: InqueueEntry =
    InqueueEntry::of::<Fixed>("fixed", "by port, the lowest first");

impl Inqueue for Fixed {
    type State = ();
    const HAS_STATE: bool = false;

    fn begin(&self, _: NodeId) {}

    #[inline]
    fn rank(&self, (): &(), offer: &Incoming) -> u64 {
        offer.through.0.into()
    }
}
