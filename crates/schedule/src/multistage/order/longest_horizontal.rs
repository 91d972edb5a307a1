//! The longest lexicographically-horizontal distance first (Symvonis and Tidswell 1994, section 4.1, 6): only the row counts, and the rest
//! are ties.

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// The longest lexicographically-horizontal distance first (Symvonis and Tidswell 1994, section 4.1, 6): only the row counts, and the rest
#[derive(Clone, Copy, Debug)]
pub struct LongestHorizontal;

impl Ranking for LongestHorizontal {
    const NAME: &'static str = "longest-horizontal";
    const HELP: &'static str = "the most links along the row first";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.columns)
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        packet.mesh.columns - 1 - packet.horizontal()
    }
}
