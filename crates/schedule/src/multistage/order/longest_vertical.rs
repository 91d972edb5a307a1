//! The longest lexicographically-vertical distance first (Symvonis and Tidswell 1994, section 4.1, 7): only the column counts, and the rest
//! are ties.

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// The longest lexicographically-vertical distance first (Symvonis and Tidswell 1994, section 4.1, 7): only the column counts, and the rest
#[derive(Clone, Copy, Debug)]
pub struct LongestVertical;

impl Ranking for LongestVertical {
    const NAME: &'static str = "longest-vertical";
    const HELP: &'static str = "the most links along the column first";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.rows)
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        packet.mesh.rows - 1 - packet.vertical()
    }
}
