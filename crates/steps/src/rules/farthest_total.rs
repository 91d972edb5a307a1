//! The one that has the farthest to go in all, then the one that came first (Kaufmann and Sibeyn 1991, section 2).

use super::Order;
use crate::{Distances, Link, Seen};

/// The one that has the farthest to go in all dimensions, or on all its legs, then the one that came first (Kaufmann and
/// Sibeyn 1991, section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FarthestTotal;

impl Order for FarthestTotal {
    const NAME: &'static str = "farthest-total";
    const HELP: &'static str = "dimension order, the farthest to go in all dimensions first";

    type Sight = Distances;
    const STAYS: bool = true;

    #[inline]
    fn rank<P>(&self, _: &Link<'_>, packet: &Seen<'_, Distances, P>) -> u64 {
        let links = packet
            .leg
            .map_or(packet.to_go.links(), |leg| leg.links + leg.beyond);
        u64::from(u32::MAX - links) << 32 | u64::from(packet.arrived)
    }
}
