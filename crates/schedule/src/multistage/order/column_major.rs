//! By source, column by column (Symvonis and Tidswell 1994, section 4.1, 2).

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "column-major";
pub(super) const SUMMARY: &str = "by source, column by column";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.nodes())
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    super::column_by_column(packet.mesh, packet.source)
}
