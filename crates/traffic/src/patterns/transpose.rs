//! Transpose: x and y swapped; d_x = s_(x + D / 2 mod D) in D dimensions (Dally and Towles 2004, section
//! 3.2, which states the same rotation by half for the bits of a node).
//!
//! Needs an even number of dimensions, the second half with the sides of the first. Nodes on the diagonal are silent.

use super::mapped::{by_node, with_coordinates};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transpose;

impl PatternParameters for Transpose {
    const NAME: &'static str = "transpose";
    const HELP: &'static str =
        "coordinates rotated by half the dimensions; x and y swapped on a square";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let network = with_coordinates::<Self>(topology)?;
        let sides = network.grid.sides();
        let (first, second) = sides.split_at(sides.len() / 2);
        if first != second {
            let needs = "an even number of dimensions, the second half with the sides of the first";
            return Err(Self::unsuited(needs, topology));
        }
        // Both halves have the same sides, so the two halves of a node's number are swapped.
        let half: u32 = first.iter().product();
        let nodes = network.grid.nodes();
        Ok(by_node(network, move |source| {
            NodeId(source.0 % half * half + source.0 / half % (nodes / half))
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{grid, images, refusal};

    #[test]
    fn coordinates_rotate_by_half() {
        for sides in [&[2, 2][..], &[5, 5], &[3, 4, 3, 4], &[2; 6], &[1, 3, 1, 3]] {
            let grid = grid(sides);
            for (source, image) in images("transpose", &grid) {
                let mut rotated = grid.coordinates(source);
                rotated.rotate_left(sides.len() / 2);
                let rotated = grid.node_at(&rotated);
                assert_eq!(image, (rotated != source).then_some(rotated));
            }
        }
    }

    #[test]
    fn the_diagonal_is_silent() {
        let found = images("transpose", &grid(&[7, 7]));
        assert_eq!(found.iter().filter(|(_, image)| image.is_none()).count(), 7);
    }

    #[test]
    fn sides_that_do_not_match_are_refused() {
        for sides in [&[4][..], &[4, 8], &[4, 4, 4], &[2, 3, 3, 2]] {
            assert!(refusal("transpose", sides).starts_with("transpose needs an even number"));
        }
    }
}
