//! The longest total distance first (Symvonis and Tidswell 1994, section 4.1, 5).

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "longest-total";
pub(super) const SUMMARY: &str = "the most links first";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.columns + mesh.rows - 1)
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    packet.mesh.columns + packet.mesh.rows - 2 - packet.total()
}
