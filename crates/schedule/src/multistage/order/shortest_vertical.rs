//! The shortest lexicographically-vertical distance first (Symvonis and Tidswell 1994, section 4.1, 8).

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "shortest-vertical";
pub(super) const SUMMARY: &str = "the fewest links along the column first";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.rows)
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    packet.vertical()
}
