//! By source, row by row (Symvonis and Tidswell 1994, section 4.1, 1).

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "row-major";
pub(super) const SUMMARY: &str = "by source, row by row";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.nodes())
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    super::row_by_row(packet.mesh, packet.source)
}
