//! By source, column by column as a snake goes: every other column backwards (Symvonis and Tidswell 1994, section 4.1, 3).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// By source, column by column as a snake goes: every other column backwards (Symvonis and Tidswell 1994, section 4.1, 3).
#[derive(Clone, Copy, Debug)]
pub struct ColumnSnake;

impl Ranking for ColumnSnake {
    const NAME: &'static str = "column-snake";
    const HELP: &'static str = "by source, column by column, every other column backwards";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.nodes())
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        let [x, y] = packet.source;
        let last = (packet.mesh.rows - 1) as u16;
        let y = if x % 2 == 0 { y } else { last - y };
        super::column_by_column(packet.mesh, [x, y])
    }
}
