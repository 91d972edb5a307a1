//! The shortest lexicographically-horizontal distance first (Symvonis and Tidswell 1994, section 4.1, 8).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// The shortest lexicographically-horizontal distance first (Symvonis and Tidswell 1994, section 4.1, 8).
#[derive(Clone, Copy, Debug)]
pub struct ShortestHorizontal;

impl Ranking for ShortestHorizontal {
    const NAME: &'static str = "shortest-horizontal";
    const HELP: &'static str = "the fewest links along the row first";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.columns)
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        packet.horizontal()
    }
}
