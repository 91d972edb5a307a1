//! The permutations of a network's nodes, by number.

use flitwork_types::draws::{below, shuffle, split_mix};

/// All, in lexicographic order, or some drawn at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Permutations {
    nodes: u32,
    seed: u64,
    pub(super) count: u32,
    pub(super) is_all: bool,
}

impl Permutations {
    /// All of so many nodes, if those are no more than `most`, or else so many.
    pub(super) fn new(nodes: u64, most: u32, seed: u64) -> Permutations {
        let all = (1..=nodes).try_fold(1_u32, |all, it| all.checked_mul(u32::try_from(it).ok()?));
        let all = all.filter(|all| *all <= most);
        Permutations {
            nodes: u32::try_from(nodes).unwrap_or(u32::MAX),
            seed,
            count: all.unwrap_or(most),
            is_all: all.is_some(),
        }
    }

    /// The destinations of node 0 and so on in one of them, from 0 on.
    pub(super) fn of(&self, number: u32) -> Vec<u32> {
        let mut left: Vec<u32> = (0..self.nodes).collect();
        if !self.is_all {
            let mut state = split_mix(self.seed) ^ u64::from(number);
            shuffle(&mut left, |bound| {
                state = split_mix(state);
                below(state, bound as u64) as usize
            });
            return left;
        }
        let mut rest = number;
        let mut places: Vec<u32> = (1..=self.nodes)
            .map(|base| {
                let digit = rest % base;
                rest /= base;
                digit
            })
            .collect();
        places.reverse();
        let places = places.into_iter();
        places.map(|place| left.remove(place as usize)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_are_there_once_in_their_order() {
        let all = Permutations::new(3, 6, 1);
        assert_eq!((all.count, all.is_all), (6, true));
        let found: Vec<Vec<u32>> = (0..6).map(|number| all.of(number)).collect();
        let expected = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        assert_eq!(found, expected);
        let all = Permutations::new(6, 720, 1);
        let found: HashSet<Vec<u32>> = (0..720).map(|number| all.of(number)).collect();
        assert_eq!(found.len(), 720);
    }

    /// 13! doesn't fit, and 5! = 120 is more than 119.
    #[test]
    fn too_many_are_drawn() {
        for (nodes, most) in [(13, 50), (5, 119)] {
            let drawn = Permutations::new(nodes, most, 7);
            assert_eq!((drawn.count, drawn.is_all), (most, false));
            let found: HashSet<Vec<u32>> = (0..most).map(|number| drawn.of(number)).collect();
            assert!(found.len() > 40);
            for mut permutation in found {
                permutation.sort_unstable();
                assert!(permutation.into_iter().eq(0..nodes as u32));
            }
            assert_ne!(drawn.of(0), Permutations::new(nodes, most, 8).of(0));
        }
    }
}
