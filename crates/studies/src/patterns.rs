//! Where the packets of static problems go, by the names that `flitwork route`, `flitwork schedule` and papers' experiments
//! have for it.

use flitwork_types::draws::shuffle;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A packet from each node, and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A random permutation.
    Random,
    /// A destination for each node, any of them as likely.
    RandomDestinations,
    /// Node i sends to the last node but i.
    Reversal,
    /// Each node sends to the one whose number has its bits in reverse order.
    BitReversal,
    /// Columns of a square become rows.
    Transpose,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Pattern; 5] = [
        Pattern::Random,
        Pattern::RandomDestinations,
        Pattern::Reversal,
        Pattern::BitReversal,
        Pattern::Transpose,
    ];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Random => "random",
            Pattern::RandomDestinations => "random-destinations",
            Pattern::Reversal => "reversal",
            Pattern::BitReversal => "bit-reversal",
            Pattern::Transpose => "transpose",
        }
    }

    /// The pattern of that name.
    pub fn find(name: &str) -> Option<Pattern> {
        Pattern::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether another seed gives another.
    pub fn is_drawn(self) -> bool {
        matches!(self, Pattern::Random | Pattern::RandomDestinations)
    }

    /// Where the packet of each node goes; the side is that of a square mesh or torus.
    ///
    /// # Errors
    /// What the network would have to be for the pattern.
    pub fn destinations(
        self,
        nodes: u32,
        side: Option<u32>,
        seed: u64,
    ) -> Result<Vec<u32>, &'static str> {
        Ok(match (self, side) {
            (Pattern::Random, _) => random(nodes, seed),
            (Pattern::RandomDestinations, _) => random_destinations(nodes, seed),
            (Pattern::Reversal, _) => (0..nodes).rev().collect(),
            (Pattern::BitReversal, _) if nodes.is_power_of_two() => {
                let bits = nodes.trailing_zeros();
                let reversed = |node: u32| node.reverse_bits().checked_shr(32 - bits).unwrap_or(0);
                (0..nodes).map(reversed).collect()
            }
            (Pattern::BitReversal, _) => return Err("on a power of two nodes"),
            (Pattern::Transpose, Some(side)) => {
                (0..nodes).map(|it| it % side * side + it / side).collect()
            }
            (Pattern::Transpose, None) => return Err("on a square mesh or torus"),
        })
    }
}

/// Of the remainders of 2^64 draws none is more frequent than another by more than one.
fn random(nodes: u32, seed: u64) -> Vec<u32> {
    let mut draws = Pcg64Mcg::seed_from_u64(seed);
    let mut to: Vec<u32> = (0..nodes).collect();
    shuffle(&mut to, |bound| (draws.next_u64() % bound as u64) as usize);
    to
}

fn random_destinations(nodes: u32, seed: u64) -> Vec<u32> {
    let mut draws = Pcg64Mcg::seed_from_u64(seed);
    let draw = |_| (draws.next_u64() % u64::from(nodes)) as u32;
    (0..nodes).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: Pattern, nodes: u32, side: Option<u32>, seed: u64) -> Vec<u32> {
        pattern.destinations(nodes, side, seed).unwrap()
    }

    #[test]
    fn four_by_four_by_hand() {
        let of = |pattern| of(pattern, 16, Some(4), 1);
        // Bits b3 b2 b1 b0 become b0 b1 b2 b3.
        let reversed = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
        assert_eq!(of(Pattern::BitReversal), reversed);
        let transposed = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
        assert_eq!(of(Pattern::Transpose), transposed);
        let last: Vec<u32> = (0..16).rev().collect();
        assert_eq!(of(Pattern::Reversal), last);
    }

    /// A change here changes the results of every seed. The numbers come from the published recurrences of the generator (PCG,
    /// 64 bits of XSL-RR, its state by PCG 32 from the seed), computed apart from this program with Python's integers.
    #[test]
    fn what_is_drawn_lasts() {
        let drawn = of(Pattern::Random, 10, None, 1);
        assert_eq!(drawn, [8, 7, 6, 4, 3, 2, 5, 0, 1, 9]);
        let drawn = of(Pattern::RandomDestinations, 10, None, 1);
        assert_eq!(drawn, [9, 9, 2, 0, 6, 3, 1, 6, 0, 9]);
    }

    #[test]
    fn what_a_network_has_no_pattern_for() {
        let why = Pattern::BitReversal.destinations(12, None, 1);
        assert_eq!(why, Err("on a power of two nodes"));
        assert_eq!(of(Pattern::BitReversal, 1, Some(1), 1), [0]);
        let why = Pattern::Transpose.destinations(12, None, 1);
        assert_eq!(why, Err("on a square mesh or torus"));
        for pattern in Pattern::ALL {
            assert_eq!(Pattern::find(pattern.name()), Some(pattern));
            let changes = of(pattern, 64, Some(8), 1) != of(pattern, 64, Some(8), 2);
            assert_eq!(changes, pattern.is_drawn());
        }
    }
}
