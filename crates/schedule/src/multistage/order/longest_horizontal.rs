//! The longest lexicographically-horizontal distance first (Symvonis and Tidswell 1994, section 4.1, 6): only the row counts, and the rest
//! are ties.

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "longest-horizontal";
pub(super) const SUMMARY: &str = "the most links along the row first";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.columns)
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    packet.mesh.columns - 1 - packet.horizontal()
}
