//! Transpose: x and y swapped; d_x = s_(x + D / 2 mod D) in D dimensions (Dally and Towles 2004, section
//! 3.2, which states the same rotation by half for the bits of a node).
//!
//! Where nodes have no coordinates the terminals are a square of k x k, numbered row by row, and d = k (s mod k) + s / k; where k is a power of two
//! the halves of the bits of a terminal's number are swapped. Their number must be a square.
//!
//! With coordinates it needs an even number of dimensions, the second half with the sides of the first. What is on the diagonal is silent.

use super::mapped::{by_node, mapped, with_coordinates};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, TerminalId};

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transpose;

impl PatternParameters for Transpose {
    const NAME: &'static str = "transpose";
    const HELP: &'static str =
        "coordinates rotated by half the dimensions; x and y swapped on a square";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        if topology.grid().is_none() {
            let side = topology.terminals().isqrt();
            if side * side != topology.terminals() {
                return Err(Self::unsuited("a square number of terminals", topology));
            }
            return Ok(mapped(move |source| {
                TerminalId(source.0 % side * side + source.0 / side % side)
            }));
        }
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
    use crate::patterns::tests::{grid, images, on_line, refusal};

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

    /// 4 and 16 are even powers of two: the halves of the bits are swapped, as BookSim 2 does (traffic.cpp, `TransposeTrafficPattern`).
    #[test]
    fn terminals_without_coordinates_are_a_square() {
        assert_eq!(on_line("transpose", 4).unwrap(), [0, 2, 1, 3]);
        assert_eq!(
            on_line("transpose", 9).unwrap(),
            [0, 3, 6, 1, 4, 7, 2, 5, 8]
        );
        let halves = (0..16).map(|at: u32| at >> 2 | at << 2 & 0b1100);
        assert!(on_line("transpose", 16).unwrap().into_iter().eq(halves));
        let needs =
            "transpose needs a square number of terminals; the network is a graph of 8 terminals";
        assert_eq!(on_line("transpose", 8).unwrap_err(), needs);
    }

    #[test]
    fn sides_that_do_not_match_are_refused() {
        for sides in [&[4][..], &[4, 8], &[4, 4, 4], &[2, 3, 3, 2]] {
            assert!(refusal("transpose", sides).starts_with("transpose needs an even number"));
        }
    }
}
