//! Reflection: in two dimensions d_x = s_x + L mod n_x; d_y = 2r - s_y in the rows within L / 2 of row r, and s_y in all others.
//! L is `locality`, r the middle row, n_y / 2 rounded down.
//!
//! A reconstruction of Figure 6 of Kaufmann and Sibeyn 1991, section 9.2, "a distribution of packets that may lead to a long
//! phase 2", from the text alone. Suppose that each packet is first sent to a random row within half of its own vertical way.
//! The way of a packet delta rows from r is 2 delta, so it comes to row r with probability 1 / (2 delta + 1). There are two such
//! packets in a column, one on each side, and one that is in row r and stays there. Row r expects
//!
//! ```text
//! 1 + sum over delta = 1 .. L / 2 of 2 / (2 delta + 1)
//! ```
//!
//! packets a column, about ln L, all of which then go L columns on. With one range for all packets it expects one a column.
//!
//! L is even, so that the longest vertical way is L, too: an odd L would have the rows of L - 1. It is at most half of the shorter
//! side, so that a torus has no shorter ways around, and the rows within L / 2 of r are all there. The figure is of a torus. On a
//! mesh the packets of the last L columns go back to the first L. No node is silent, because every packet changes its column.

use super::locality::{LOCALITY, locality_key};
use super::mapped::{by_node, with_coordinates};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_schema::Key;
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// How far packets go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReflectionParameters {
    /// How many columns packets go on; the longest vertical way.
    pub locality: Option<u32>,
}

impl PatternParameters for ReflectionParameters {
    const NAME: &'static str = "reflection";
    const HELP: &'static str = "columns on, and the rows around the middle one reflected in it";
    const KEYS: &'static [Key<ReflectionParameters>] = &[locality_key(|it| &mut it.locality)];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let network = with_coordinates::<Self>(topology)?;
        let (width, height) = match network.grid.sides()[..] {
            [width, height] if width.min(height) >= 4 => (width, height),
            _ => {
                return Err(Self::unsuited(
                    "two dimensions, with sides of at least 4",
                    topology,
                ));
            }
        };
        let locality = self.locality.ok_or(Self::missing(LOCALITY))?;
        let most = width.min(height) / 2;
        if !locality.is_multiple_of(2) || !(2..=most).contains(&locality) {
            let needs = "an even locality of at most half of the shorter side";
            return Err(Self::unfit(LOCALITY, locality, needs, topology));
        }
        let middle = height / 2;
        Ok(by_node(network, move |source| {
            let (x, y) = (source.0 % width, source.0 / width % height);
            let row = match y.abs_diff(middle) <= locality / 2 {
                true => 2 * middle - y,
                false => y,
            };
            NodeId((x + locality) % width + row * width)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::ReflectionParameters;
    use crate::patterns::tests::{
        grid, grids_up_to, hold_permutation, named, numbers_of, refusal, refused,
    };
    use crate::{AnyPattern, PatternError};
    use flitwork_topology::Grid;

    fn reflection(locality: u32) -> AnyPattern {
        let locality = Some(locality);
        AnyPattern::from(ReflectionParameters { locality })
    }

    /// The grids that suit the pattern, with each locality that suits them.
    fn suited() -> impl Iterator<Item = (Grid, u32)> {
        let planes = grids_up_to(11).filter(|grid| grid.sides().len() == 2);
        planes.flat_map(|grid| {
            let most = *grid.sides().iter().min().unwrap() / 2;
            let all = (2..=most).step_by(2);
            all.map(move |locality| (grid.clone(), locality))
        })
    }

    #[test]
    fn a_small_plane_by_hand() {
        // L = 2, r = 2: all two columns on; rows 1 and 3 are exchanged, rows 0 and 2 stay.
        #[rustfmt::skip]
        let expected = [
             2,  3,  0,  1,
            14, 15, 12, 13,
            10, 11,  8,  9,
             6,  7,  4,  5,
        ];
        let expected = expected.map(Some);
        assert_eq!(numbers_of(&reflection(2), &grid(&[4, 4])), expected);
    }

    #[test]
    fn ways_are_the_locality_across_and_twice_the_distance_from_the_middle_up_or_down() {
        let mut allowed = 0;
        for (grid, locality) in suited() {
            allowed += 1;
            let middle = grid.sides()[1] / 2;
            let mut longest = 0;
            for (from, to) in hold_permutation(&reflection(locality), &grid) {
                let (start, end) = (grid.coordinates(from), grid.coordinates(to));
                assert_eq!(end[0], (start[0] + locality) % grid.sides()[0]);
                let off = start[1].abs_diff(middle);
                let way = if off <= locality / 2 { 2 * off } else { 0 };
                assert_eq!(start[1].abs_diff(end[1]), way);
                // No way around is shorter.
                assert_eq!(grid.distance_in(1, from, to), way);
                if grid.wraps() {
                    assert_eq!(grid.distance_in(0, from, to), locality);
                }
                longest = longest.max(way);
            }
            assert_eq!(longest, locality);
        }
        // Sides of 4 to 11 each way for 2, of 8 to 11 for 4.
        assert_eq!(allowed, 2 * (8 * 8 + 4 * 4));
    }

    /// How many packets each row of each column of a torus expects if every packet goes to a random row within half of its own
    /// vertical way, all equally likely.
    fn expected_packets(grid: &Grid, locality: u32) -> Vec<Vec<f64>> {
        let (width, height) = (grid.sides()[0] as usize, grid.sides()[1] as usize);
        let mut expected = vec![vec![0.0; height]; width];
        for (from, to) in hold_permutation(&reflection(locality), grid) {
            let (start, end) = (grid.coordinates(from), grid.coordinates(to));
            let (x, y) = (start[0] as usize, start[1] as usize);
            let half = (start[1].abs_diff(end[1]) / 2) as usize;
            for row in y + height - half..=y + height + half {
                expected[x][row % height] += 1.0 / (2 * half + 1) as f64;
            }
        }
        expected
    }

    #[test]
    fn the_middle_row_expects_a_harmonic_sum() {
        // 1 + 2/3; + 2/5; + 2/7 + 2/9.
        for (locality, side, law) in [
            (2, 4, 5.0 / 3.0),
            (4, 8, 31.0 / 15.0),
            (4, 9, 31.0 / 15.0),
            (8, 16, 811.0 / 315.0),
        ] {
            let torus = Grid::torus(&[side, side]).unwrap();
            for column in expected_packets(&torus, locality) {
                let middle = side as usize / 2;
                assert!(
                    (column[middle] - law).abs() < 1e-12,
                    "{locality}: {column:?}"
                );
                // No row expects more, and no packet is lost.
                assert!(column.iter().all(|row| *row <= law + 1e-12));
                assert!((column.iter().sum::<f64>() - f64::from(side)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_does_not_suit_the_sides_is_refused() {
        let needs = "reflection needs two dimensions, with sides of at least 4";
        for (sides, named) in [
            (&[8][..], "8"),
            (&[4, 3], "4 x 3"),
            (&[4, 4, 4], "4 x 4 x 4"),
        ] {
            let expected = format!("{needs}; the network is a grid of {named}");
            assert_eq!(refusal("reflection", sides), expected);
        }
        let missing = PatternError::Missing {
            pattern: "reflection",
            parameter: "locality",
        };
        assert_eq!(refused(&named("reflection"), &grid(&[8, 9])), missing);
        for locality in [0, 1, 3, 6, u32::MAX] {
            for (sides, named) in [([12, 9], "12 x 9"), ([9, 12], "9 x 12")] {
                let found = refused(&reflection(locality), &grid(&sides)).to_string();
                let rest = "reflection needs an even locality of at most half of the shorter side";
                let expected = format!("locality is {locality} on a grid of {named}; {rest}");
                assert_eq!(found, expected);
            }
        }
    }
}
