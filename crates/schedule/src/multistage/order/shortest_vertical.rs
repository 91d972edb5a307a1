//! The shortest lexicographically-vertical distance first (Symvonis and Tidswell 1994, section 4.1, 8).

use super::{Ranked, Ranking};
use crate::multistage::Mesh;

/// The shortest lexicographically-vertical distance first (Symvonis and Tidswell 1994, section 4.1, 8).
#[derive(Clone, Copy, Debug)]
pub struct ShortestVertical;

impl Ranking for ShortestVertical {
    const NAME: &'static str = "shortest-vertical";
    const HELP: &'static str = "the fewest links along the column first";

    fn ranks(mesh: &Mesh) -> Option<u32> {
        Some(mesh.rows)
    }

    #[inline]
    fn rank(packet: Ranked<'_>) -> u32 {
        packet.vertical()
    }
}
