//! A source's own random stream, keyed by (seed, terminal).
//!
//! Every mapping from raw draws to results is our own and not a library's, so that results don't change with
//! the versions of dependencies: 64 raw bits of a PCG generator (O'Neill 2014, pcg64_mcg) are scaled by multiplication.

use flitwork_types::TerminalId;
use flitwork_types::draws::{self, GOLDEN, mix, split_mix};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// Keeps traffic's streams apart from those that routers derive from the same seed.
const TRAFFIC: u64 = u64::from_be_bytes(*b"traffic.");
/// The key of draws for the network as a whole; greater than every terminal's number.
const NETWORK: u64 = 1 << 32;

/// A stream of random draws; 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draws {
    stream: Pcg64Mcg,
}

impl Draws {
    /// The stream of `terminal` under `seed`, at its start.
    pub fn new(seed: u64, terminal: TerminalId) -> Draws {
        Draws::keyed(seed, terminal.0.into())
    }

    /// The stream under `seed` for what is drawn once for the whole network.
    pub fn of_network(seed: u64) -> Draws {
        Draws::keyed(seed, NETWORK)
    }

    fn keyed(seed: u64, key: u64) -> Draws {
        let place = mix(key.wrapping_add(split_mix(seed ^ TRAFFIC)));
        let high = split_mix(place);
        let low = mix(place.wrapping_add(GOLDEN.wrapping_mul(2)));
        Draws {
            stream: Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low)),
        }
    }

    /// A number from 0 to `bound` - 1, within 2^-32 of uniform; 0 for a bound of 0. Takes one draw.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        draws::below(self.stream.next_u64(), bound.into()) as u32
    }

    /// Puts a list of at most 2^32 - 1 items into a random order. Takes a draw for each item but one.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        draws::shuffle(items, |bound| self.below(bound as u32) as usize);
    }

    /// True with the given probability: never at 0, always at 1. Takes one draw.
    #[inline]
    pub fn toss(&mut self, probability: f64) -> bool {
        let unit = (self.stream.next_u64() >> 11) as f64 * TWO_TO_MINUS_53;
        unit < probability
    }

    /// A uniform number above 0 and below 1. Small numbers keep their full precision, down to 2^-65. Takes one draw.
    #[inline]
    pub fn open_unit(&mut self) -> f64 {
        let unit = (self.stream.next_u64() as f64 + 0.5) * TWO_TO_MINUS_64;
        unit.min(1.0 - TWO_TO_MINUS_53)
    }
}

const TWO_TO_MINUS_53: f64 = 1.0 / (1u64 << 53) as f64;
const TWO_TO_MINUS_64: f64 = TWO_TO_MINUS_53 / 2048.0;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn streams_differ_by_seed_and_node() {
        let firsts: HashSet<u64> = (0..100)
            .flat_map(|seed| (0..100).map(move |node| Draws::new(seed, TerminalId(node))))
            .chain((0..100).map(Draws::of_network))
            .map(|mut draws| draws.stream.next_u64())
            .collect();
        assert_eq!(firsts.len(), 100 * 100 + 100);
    }

    #[test]
    fn first_draws_of_neighbours_are_spread() {
        // 10,000 streams, one draw each, 10 bins: 1,000 expected each, standard deviation 30.
        let mut counts = [0u32; 10];
        for node in 0..10_000 {
            counts[Draws::new(1, TerminalId(node)).below(10) as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| count.abs_diff(1000) < 150),
            "{counts:?}"
        );
    }

    #[test]
    fn draws_keep_their_bounds() {
        let mut draws = Draws::new(7, TerminalId(3));
        for bound in [0, 1, 2, 3, 1000, u32::MAX] {
            for _ in 0..1000 {
                let drawn = draws.below(bound);
                assert!(drawn < bound.max(1), "{drawn} of {bound}");
                let unit = draws.open_unit();
                assert!(unit > 0.0 && unit < 1.0);
                assert!(!draws.toss(0.0));
                assert!(draws.toss(1.0));
            }
        }
    }

    /// Pins the streams themselves: a change here changes every result ever published. The numbers come from the
    /// published recurrence (state * 0x2360ED051FC65DA44385DF649FCCF645 mod 2^128, XSL-RR), computed independently of
    /// this crate with Python's integers.
    #[test]
    fn the_streams_last() {
        let mut draws = Draws::new(42, TerminalId(5));
        let drawn: Vec<u32> = (0..6).map(|_| draws.below(1000)).collect();
        assert_eq!(drawn, GOLDEN_DRAWS);
    }

    /// The same of orders: from the last of ten places down, each changes with one drawn by that recurrence.
    #[test]
    fn the_orders_last() {
        let mut items: Vec<u32> = (0..10).collect();
        Draws::new(42, TerminalId(5)).shuffle(&mut items);
        assert_eq!(items, GOLDEN_ORDER);
    }

    const GOLDEN_ORDER: [u32; 10] = [2, 4, 9, 1, 5, 6, 7, 8, 3, 0];
    const GOLDEN_DRAWS: [u32; 6] = [45, 409, 446, 533, 583, 764];
}
