//! An order that looks random (Symvonis and Tidswell 1994, section 4.1, 4): by a number of the seed and the request's place.

use super::Ranked;
use crate::draws::mix;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "random";
pub(super) const SUMMARY: &str = "by a number that looks random, of a seed";

pub(super) fn ranks(_: &Mesh) -> Option<u32> {
    None
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    (mix(mix(packet.seed) ^ packet.number as u64) >> 32) as u32
}
