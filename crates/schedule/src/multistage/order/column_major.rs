//! By source, column by column (Symvonis and Tidswell 1994, section 4.1, 2).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// By source, column by column (Symvonis and Tidswell 1994, section 4.1, 2).
#[derive(Clone, Copy, Debug)]
pub struct ColumnMajor;

impl Ranking for ColumnMajor {
    const NAME: &'static str = "column-major";
    const HELP: &'static str = "by source, column by column";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.nodes())
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        super::column_by_column(packet.mesh, packet.source)
    }
}
