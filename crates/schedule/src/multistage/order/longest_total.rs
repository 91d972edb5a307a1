//! The longest total distance first (Symvonis and Tidswell 1994, section 4.1, 5).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// The longest total distance first (Symvonis and Tidswell 1994, section 4.1, 5).
#[derive(Clone, Copy, Debug)]
pub struct LongestTotal;

impl Ranking for LongestTotal {
    const NAME: &'static str = "longest-total";
    const HELP: &'static str = "the most links first";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.columns + mesh.rows - 1)
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        packet.mesh.columns + packet.mesh.rows - 2 - packet.total()
    }
}
