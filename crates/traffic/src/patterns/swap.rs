//! Swap: in every dimension lines are cut into blocks of 2L nodes, and the halves of each block are swapped. d_x = s_x + L in
//! the first half of a block, s_x - L in the second. L is `locality`.
//!
//! Every packet moves exactly L nodes in every dimension, on a mesh as on a torus, and none crosses the end of a line: a
//! problem of locality L in the sense of Kaufmann and Sibeyn 1991, section 9. Every side must be a multiple of 2L. No node is
//! silent.

use super::locality::{LOCALITY, locality_key};
use super::mapped::{by_coordinate, with_coordinates};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_schema::Key;
use flitwork_topology::Topology;

/// How far packets go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwapParameters {
    /// Nodes in half a block: how far packets go in every dimension.
    pub locality: Option<u32>,
}

impl PatternParameters for SwapParameters {
    const NAME: &'static str = "swap";
    const HELP: &'static str =
        "the halves of blocks swapped in every dimension: a set distance away";
    const KEYS: &'static [Key<SwapParameters>] = &[locality_key(|it| &mut it.locality)];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let network = with_coordinates::<Self>(topology)?;
        let sides = network.grid.sides();
        if !sides.iter().all(|side| side.is_multiple_of(2)) {
            return Err(Self::unsuited("even sides", topology));
        }
        let locality = self.locality.ok_or(Self::missing(LOCALITY))?;
        if !sides.iter().all(|side| (side / 2).is_multiple_of(locality)) {
            let needs = "a locality that divides half of every side";
            return Err(Self::unfit(LOCALITY, locality, needs, topology));
        }
        Ok(by_coordinate(network, move |at, _| {
            let is_first_half = (at / locality).is_multiple_of(2);
            if is_first_half {
                at + locality
            } else {
                at - locality
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::SwapParameters;
    use crate::patterns::tests::{
        grid, grids_up_to, hold_permutation, named, numbers_of, refusal, refused,
    };
    use crate::{AnyPattern, PatternError};

    fn swap(locality: u32) -> AnyPattern {
        let locality = Some(locality);
        AnyPattern::from(SwapParameters { locality })
    }

    #[test]
    fn lines_and_a_plane_by_hand() {
        // Blocks 0 1 | 2 3 and 4 5 | 6 7.
        let line = grid(&[8]);
        let expected = [2, 3, 0, 1, 6, 7, 4, 5].map(Some);
        assert_eq!(numbers_of(&swap(2), &line), expected);
        let expected = [1, 0, 3, 2, 5, 4, 7, 6].map(Some);
        assert_eq!(numbers_of(&swap(1), &line), expected);
        let expected = [4, 5, 6, 7, 0, 1, 2, 3].map(Some);
        assert_eq!(numbers_of(&swap(4), &line), expected);
        // Rows 0 1 2 3 and 4 5 6 7: blocks of 2 x 2, in which opposite corners are swapped.
        let expected = [5, 4, 7, 6, 1, 0, 3, 2].map(Some);
        assert_eq!(numbers_of(&swap(1), &grid(&[4, 2])), expected);
    }

    #[test]
    fn every_packet_moves_by_the_locality_in_every_dimension() {
        let mut allowed = 0;
        for grid in grids_up_to(8) {
            for locality in 1..=4 {
                let suits = |side: &u32| side.is_multiple_of(2 * locality);
                if !grid.sides().iter().all(suits) {
                    continue;
                }
                allowed += 1;
                let images = hold_permutation(&swap(locality), &grid);
                for (from, to) in &images {
                    for dimension in 0..grid.sides().len() {
                        assert_eq!(grid.distance_in(dimension, *from, *to), locality);
                        let of = |node| grid.coordinates(node)[dimension];
                        // Not around an end.
                        assert_eq!(of(*from).abs_diff(of(*to)), locality);
                    }
                    // The nodes of a pair send to each other.
                    assert_eq!(images[to.index()], (*to, *from));
                }
            }
        }
        // Sides of 2, 4, 6 and 8 for 1; 4 and 8 for 2; 6 for 3; 8 for 4.
        let grids = |sides| sides + sides * sides + sides * sides * sides;
        assert_eq!(allowed, 2 * (grids(4) + grids(2) + grids(1) + grids(1)));
    }

    #[test]
    fn what_does_not_suit_the_sides_is_refused() {
        assert_eq!(
            refusal("swap", &[8, 3]),
            "swap needs even sides; the network is a grid of 8 x 3"
        );
        let missing = PatternError::Missing {
            pattern: "swap",
            parameter: "locality",
        };
        assert_eq!(refused(&named("swap"), &grid(&[8, 4])), missing);
        for locality in [0, 3, 4, u32::MAX] {
            let found = refused(&swap(locality), &grid(&[8, 4])).to_string();
            let rest = "on a grid of 8 x 4; swap needs a locality that divides half of every side";
            assert_eq!(found, format!("locality is {locality} {rest}"));
        }
    }
}
