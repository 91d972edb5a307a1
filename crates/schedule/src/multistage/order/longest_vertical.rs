//! The longest lexicographically-vertical distance first (Symvonis and Tidswell 1994, section 4.1, 7): only the column counts, and the rest
//! are ties.

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "longest-vertical";
pub(super) const SUMMARY: &str = "the most links along the column first";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.rows)
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    packet.mesh.rows - 1 - packet.vertical()
}
