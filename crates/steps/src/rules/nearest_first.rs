//! The one that has the nearest to go in the link's dimension, then the one that came first (Chinn 1995, section 2.4.5).

use super::Order;
use crate::{Distances, Link, Seen};

/// The one that has the nearest to go in the link's dimension, then the one that came first (Chinn 1995, section 2.4.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NearestFirst;

impl Order for NearestFirst {
    const NAME: &'static str = "nearest-first";
    const HELP: &'static str = "dimension order, the nearest to go in the link's dimension first";

    type Sight = Distances;
    const STAYS: bool = true;

    #[inline]
    fn rank<P>(&self, link: &Link<'_>, packet: &Seen<'_, Distances, P>) -> u64 {
        u64::from(packet.to_go.along(link.dimension)) << 32 | u64::from(packet.arrived)
    }
}
