//! By source, column by column as a snake goes: every other column backwards (Symvonis and Tidswell 1994, section 4.1, 3).

use super::Ranked;
use crate::multistage::Mesh;

pub(super) const NAME: &str = "column-snake";
pub(super) const SUMMARY: &str = "by source, column by column, every other column backwards";

pub(super) fn ranks(mesh: &Mesh) -> Option<u32> {
    Some(mesh.nodes())
}

#[inline]
pub(super) fn rank(packet: Ranked<'_>) -> u32 {
    let [x, y] = packet.source;
    let last = (packet.mesh.rows - 1) as u16;
    let y = if x % 2 == 0 { y } else { last - y };
    super::column_by_column(packet.mesh, [x, y])
}
