//! By the port: the lowest first.

use super::{Incoming, Inqueue, InqueueEntry};

/// By the port: the lowest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

pub(super) const ENTRY: InqueueEntry =
    InqueueEntry::of::<Fixed>("fixed", "by port, the lowest first");

impl Inqueue for Fixed {
    #[inline]
    fn rank(&self, _: u64, offer: &Incoming) -> u64 {
        offer.through.0.into()
    }
}
