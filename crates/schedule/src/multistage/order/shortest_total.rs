//! The shortest total distance first (Symvonis and Tidswell 1994, section 4.1, 8).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// The shortest total distance first (Symvonis and Tidswell 1994, section 4.1, 8).
#[derive(Clone, Copy, Debug)]
pub struct ShortestTotal;

impl Ranking for ShortestTotal {
    const NAME: &'static str = "shortest-total";
    const HELP: &'static str = "the fewest links first";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.columns + mesh.rows - 1)
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        packet.total()
    }
}
