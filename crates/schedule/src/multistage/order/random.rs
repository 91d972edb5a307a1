//! An order that looks random (Symvonis and Tidswell 1994, section 4.1, 4): by a number of the seed and the request's place.

use super::{Ranked, Ranking};
use crate::draws::mix;
use crate::multistage::Mesh;

/// An order that looks random (Symvonis and Tidswell 1994, section 4.1, 4): by a number of the seed and the request's place.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Ranking for Random {
    const NAME: &'static str = "random";
    const HELP: &'static str = "by a number that looks random, of a seed";

    fn ranks(_: &Mesh) -> Option<u32> {
        None
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        (mix(mix(packet.seed) ^ packet.number as u64) >> 32) as u32
    }
}
