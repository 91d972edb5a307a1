//! Neighbour: d_x = s_x + 1 mod k, in every dimension (Dally and Towles 2004, section 3.2).
//!
//! Where nodes have no coordinates the terminals are a ring of k: d = s + 1 mod k.
//!
//! On a mesh, too, the last node of a line sends to the first. No node is silent, because some side is at least 2.

use super::mapped::{on_by, shifted, with_coordinates};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbour;

impl PatternParameters for Neighbour {
    const NAME: &'static str = "neighbour";
    const HELP: &'static str = "one node on in every dimension, wrapping around";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        if topology.grid().is_none() {
            return Ok(on_by(topology, 1));
        }
        let network = with_coordinates::<Self>(topology)?;
        Ok(shifted(network, |_| 1))
    }
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{grid, images, numbers, on_line};

    #[test]
    fn a_small_plane_by_hand() {
        // Rows 0 1 2 and 3 4 5: one east and one south, around the end.
        let expected = [4, 5, 3, 1, 2, 0].map(Some);
        assert_eq!(numbers("neighbour", &grid(&[3, 2])), expected);
    }

    #[test]
    fn terminals_without_coordinates_are_a_ring() {
        assert_eq!(on_line("neighbour", 5).unwrap(), [1, 2, 3, 4, 0]);
        assert_eq!(on_line("neighbour", 2).unwrap(), [1, 0]);
    }

    #[test]
    fn no_node_is_silent() {
        for sides in [&[2][..], &[1, 2], &[3, 1, 5], &[2; 6]] {
            assert!(
                images("neighbour", &grid(sides))
                    .iter()
                    .all(|(_, image)| image.is_some())
            );
        }
    }
}
