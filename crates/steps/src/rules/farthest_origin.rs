//! The one that has come the farthest in the link's dimension, then the one that came first (Kaufmann and Sibeyn 1991, section 2).

use super::Order;
use crate::{Blind, Link, Seen};

/// The one that has come the farthest in the link's dimension, from where it or its leg began, then the one that came first
/// (Kaufmann and Sibeyn 1991, section 2). On graphs without dimensions the first to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FarthestOrigin;

impl Order for FarthestOrigin {
    const NAME: &'static str = "farthest-origin";
    const HELP: &'static str =
        "dimension order, the farthest from its source in the link's dimension first";

    type Sight = Blind;
    const STAYS: bool = true;

    #[inline]
    fn rank<P>(&self, link: &Link<'_>, packet: &Seen<'_, Blind, P>) -> u64 {
        let from_source = |grid: &flitwork_topology::Grid| {
            grid.distance_in(link.dimension, packet.source, link.node)
        };
        let crossed = match packet.leg {
            Some(leg) => leg.crossed,
            None => link.grid.map_or(0, from_source),
        };
        u64::from(u32::MAX - crossed) << 32 | u64::from(packet.arrived)
    }
}
