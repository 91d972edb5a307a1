//! The one that has the farthest to go in the link's dimension, then the one that came first (Leighton 1992, page 159).

use super::Order;
use crate::{Distances, Link, Seen};

/// The one that has the farthest to go in the link's dimension, then the one that came first (Leighton 1992, page 159).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FarthestFirst;

impl Order for FarthestFirst {
    const NAME: &'static str = "farthest-first";
    const HELP: &'static str = "dimension order, the farthest to go in the link's dimension first";

    type Sight = Distances;
    const STAYS: bool = true;

    #[inline]
    fn rank<P>(&self, link: &Link<'_>, packet: &Seen<'_, Distances, P>) -> u64 {
        u64::from(u32::MAX - packet.to_go.along(link.dimension)) << 32 | u64::from(packet.arrived)
    }
}
