//! By source, row by row as a snake goes: every other row backwards (Symvonis and Tidswell 1994, section 4.1, 3).

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "row-snake";
pub(super) const SUMMARY: &str = "by source, row by row, every other row backwards";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.nodes())
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    let [x, y] = packet.source;
    let last = (packet.mesh.columns - 1) as u16;
    let x = if y % 2 == 0 { x } else { last - x };
    super::row_by_row(packet.mesh, [x, y])
}
