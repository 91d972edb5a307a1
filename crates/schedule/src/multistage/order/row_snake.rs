//! By source, row by row as a snake goes: every other row backwards (Symvonis and Tidswell 1994, section 4.1, 3).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// By source, row by row as a snake goes: every other row backwards (Symvonis and Tidswell 1994, section 4.1, 3).
#[derive(Clone, Copy, Debug)]
pub struct RowSnake;

impl Ranking for RowSnake {
    const NAME: &'static str = "row-snake";
    const HELP: &'static str = "by source, row by row, every other row backwards";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.nodes())
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        let [x, y] = packet.source;
        let last = (packet.mesh.columns - 1) as u16;
        let x = if y % 2 == 0 { x } else { last - x };
        super::row_by_row(packet.mesh, [x, y])
    }
}
