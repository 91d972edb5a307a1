//! Shift: d_x = s_x + `shift` mod k, in every dimension; by default `shift` is k / 2, the large shift LS of Kaufmann and Sibeyn
//! 1991, section 2.
//!
//! Without the key the sides must be even, and every packet moves half a side in every dimension, on a mesh as on a torus. On a
//! mesh half of all packets cross the middle of each dimension each way. The paper's k-LS, k such packets a node, is a worst case
//! of its bisection bound and of its connection availability bound. Coordinates wrap on a mesh, too: the last nodes of a line send
//! to the first.
//!
//! A side that divides `shift` doesn't move. If all do, every node would be silent, which is refused; otherwise no node is
//! silent.

use super::mapped::{shifted, with_coordinates};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_schema::{Allowed, Key, key};
use flitwork_topology::Topology;
use flitwork_types::MAX_NODES;

/// How far packets go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShiftParameters {
    /// Nodes further on in every dimension; by default half of each side.
    pub shift: Option<u32>,
}

impl PatternParameters for ShiftParameters {
    const NAME: &'static str = "shift";
    const HELP: &'static str = "half a side on in every dimension, or as many nodes as configured";
    #[rustfmt::skip]
    const KEYS: &'static [Key<ShiftParameters>] = &[
        key("shift", |it| &mut it.shift, Allowed::Whole(1, MAX_NODES as u64), "half of each side", "how many nodes further on packets go in every dimension; shift only"),
    ];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let network = with_coordinates::<Self>(topology)?;
        match self.shift {
            Some(shift) => Ok(shifted(network, move |side| shift % side)),
            None if network
                .grid
                .sides()
                .iter()
                .all(|side| side.is_multiple_of(2)) =>
            {
                Ok(shifted(network, |side| side / 2))
            }
            None => Err(Self::unsuited("even sides, or the key shift", topology)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ShiftParameters;
    use crate::AnyPattern;
    use crate::patterns::tests::{
        grid, grids_up_to, hold_permutation, images_of, numbers, numbers_of, refusal, refused,
    };

    fn by(shift: u32) -> AnyPattern {
        AnyPattern::from(ShiftParameters { shift: Some(shift) })
    }

    #[test]
    fn half_of_each_side_by_hand() {
        assert_eq!(numbers("shift", &grid(&[6])), [3, 4, 5, 0, 1, 2].map(Some));
        // Rows 0 1 2 3 and 4 5 6 7: two east and one south, around the ends.
        let expected = [6, 7, 4, 5, 2, 3, 0, 1].map(Some);
        assert_eq!(numbers("shift", &grid(&[4, 2])), expected);
    }

    #[test]
    fn a_given_shift_by_hand() {
        // Rows 0 1 2 and 3 4 5.
        let plane = grid(&[3, 2]);
        let expected = [4, 5, 3, 1, 2, 0].map(Some);
        assert_eq!(numbers_of(&by(1), &plane), expected);
        assert_eq!(numbers_of(&by(7), &plane), expected);
        // A side of 2 divides 2, a side of 3 divides 3.
        let expected = [2, 0, 1, 5, 3, 4].map(Some);
        assert_eq!(numbers_of(&by(2), &plane), expected);
        let expected = [3, 4, 5, 0, 1, 2].map(Some);
        assert_eq!(numbers_of(&by(3), &plane), expected);
    }

    /// The large shift: half a side in every dimension, and over the middle of each in both directions half of all packets.
    #[test]
    fn the_large_shift_is_the_worst_for_the_middle_and_for_all_links() {
        let even = |side: &u32| side.is_multiple_of(2);
        let large = AnyPattern::from(ShiftParameters::default());
        let mut allowed = 0;
        for grid in grids_up_to(8).filter(|grid| grid.sides().iter().all(even)) {
            let images = hold_permutation(&large, &grid);
            for (dimension, side) in grid.sides().iter().enumerate() {
                let at = |node| grid.coordinates(node)[dimension];
                let moves = images
                    .iter()
                    .all(|(from, to)| grid.distance_in(dimension, *from, *to) == side / 2);
                let onward = images.iter().filter(|(from, to)| at(*from) < at(*to));
                assert!(moves && 2 * onward.count() == images.len());
            }
            allowed += 1;
        }
        assert_eq!(allowed, 2 * (4 + 4 * 4 + 4 * 4 * 4));
    }

    #[test]
    fn every_shift_is_a_permutation_that_moves_by_it() {
        for grid in grids_up_to(5) {
            for shift in 1..8 {
                let sides = grid.sides();
                if sides.iter().all(|side| shift % side == 0) {
                    continue;
                }
                for (from, to) in hold_permutation(&by(shift), &grid) {
                    let (from, to) = (grid.coordinates(from), grid.coordinates(to));
                    for (dimension, side) in sides.iter().enumerate() {
                        assert_eq!(to[dimension], (from[dimension] + shift) % side);
                    }
                }
            }
        }
    }

    #[test]
    fn no_node_is_silent() {
        for (shift, sides) in [(3, &[3, 2][..]), (1, &[1, 2]), (4, &[2, 4, 8])] {
            let images = images_of(&by(shift), &grid(sides));
            assert!(images.iter().all(|(_, image)| image.is_some()));
        }
    }

    #[test]
    fn what_moves_nothing_or_has_no_half_is_refused() {
        let needs = "shift needs even sides, or the key shift; the network is a grid of 4 x 5";
        assert_eq!(refusal("shift", &[4, 5]), needs);
        let silent =
            "shift makes every node of this network send to itself; no packet would be made";
        for (shift, sides) in [(6, &[3, 2][..]), (5, &[5]), (4, &[1, 4]), (0, &[3])] {
            assert_eq!(refused(&by(shift), &grid(sides)).to_string(), silent);
        }
        // No number overflows.
        hold_permutation(&by(u32::MAX), &grid(&[4, 7]));
    }
}
