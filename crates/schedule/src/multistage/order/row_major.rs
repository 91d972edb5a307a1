//! By source, row by row (Symvonis and Tidswell 1994, section 4.1, 1).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// By source, row by row (Symvonis and Tidswell 1994, section 4.1, 1).
#[derive(Clone, Copy, Debug)]
pub struct RowMajor;

impl Ranking for RowMajor {
    const NAME: &'static str = "row-major";
    const HELP: &'static str = "by source, row by row";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.nodes())
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        super::row_by_row(packet.mesh, packet.source)
    }
}
