//! Permutations of a square mesh, one worm from each node.

use crate::options::name_of;
use crate::statics;
use clap::ValueEnum;
use flitwork_schedule::Request;
use flitwork_schedule::multistage::count::random_permutation;
use flitwork_topology::Grid;
use flitwork_types::NodeId;

/// A kind of permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Pattern {
    /// Each node to the one whose number has its bits in reverse order; the side is a power of two.
    BitReversal,
    /// A random one, another for each seed.
    Random,
    /// Node i to the last node but i.
    Reversal,
    /// Columns become rows.
    Transpose,
}

impl Pattern {
    /// The pattern of `[traffic]` of that kind.
    pub(super) fn pattern(self) -> String {
        match self {
            Pattern::Random => "random-permutation".into(),
            other => name_of(other),
        }
    }

    /// Whether another seed gives another.
    pub(super) fn is_drawn(self) -> bool {
        self == Pattern::Random
    }

    /// Whether there is such a permutation of a mesh of that side.
    pub(super) fn fits(self, side: u32) -> bool {
        self != Pattern::BitReversal || side.is_power_of_two()
    }

    /// Where the worm of each node goes, on a mesh of a side that [fits](Pattern::fits).
    fn destinations(self, side: u32, seed: u64) -> Vec<u32> {
        let nodes = side * side;
        if self.is_drawn() {
            let mut to = vec![0; nodes as usize];
            random_permutation(seed, 0, &mut to);
            return to;
        }
        let grid = Grid::mesh(&[side, side]).expect("a mesh of that side");
        let packets = statics::packets(&self.pattern(), &grid, seed);
        packets.iter().map(|(_, to)| to.0).collect()
    }

    /// The worms of a mesh of that side, in the order of their sources.
    pub(super) fn worms(self, side: u32, words: u32, seed: u64) -> Vec<Request> {
        requests(words, (0..).zip(self.destinations(side, seed)))
    }
}

/// Worms of so many words, from where to where they go.
pub(super) fn requests(words: u32, ends: impl Iterator<Item = (u32, u32)>) -> Vec<Request> {
    let worm = |(source, destination)| Request {
        source: NodeId(source),
        destination: NodeId(destination),
        words,
    };
    ends.map(worm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_by_four_by_hand() {
        let of = |pattern: Pattern| pattern.destinations(4, 1);
        // Bits b3 b2 b1 b0 become b0 b1 b2 b3.
        let reversed = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
        assert_eq!(of(Pattern::BitReversal), reversed);
        let transposed = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
        assert_eq!(of(Pattern::Transpose), transposed);
        let last: Vec<u32> = (0..16).rev().collect();
        assert_eq!(of(Pattern::Reversal), last);
    }

    #[test]
    fn each_is_a_permutation() {
        for pattern in Pattern::value_variants() {
            for side in (2..=33).filter(|side| pattern.fits(*side)) {
                let to = pattern.destinations(side, 7);
                let mut sorted = to.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..side * side).collect::<Vec<_>>());
                let others = pattern.destinations(side, 8);
                // Two of the 24 random permutations of 4 nodes may be equal.
                assert!(side < 4 || (others != to) == pattern.is_drawn());
            }
        }
        let sides: Vec<u32> = (2..=33)
            .filter(|side| Pattern::BitReversal.fits(*side))
            .collect();
        assert_eq!(sides, [2, 4, 8, 16, 32]);
    }
}
