//! Random permutation: d = pi(s), for a pi drawn from the seed (Fisher and Yates 1938, in the form of Durstenfeld 1964).
//!
//! The stream is that of the papers' experiments; `permutation` without a file draws another for the same seed. Fixed points
//! are silent.

use super::mapped::listed_images;
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;
use flitwork_types::draws::shuffle;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomPermutation;

impl PatternParameters for RandomPermutation {
    const NAME: &'static str = "random-permutation";
    const HELP: &'static str = "a permutation drawn from the seed, as papers' experiments draw it";

    fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError> {
        Ok(listed_images(drawn(topology.terminals(), seed)))
    }

    /// One of n nodes silences all of them in one of n! seeds.
    fn is_surely_buildable(&self, topology: &dyn Topology) -> bool {
        topology.terminals() > 1000
    }
}

/// Of the remainders of 2^64 draws none is more frequent than another by more than one.
fn drawn(terminals: u32, seed: u64) -> Vec<TerminalId> {
    let mut draws = Pcg64Mcg::seed_from_u64(seed);
    let mut images: Vec<TerminalId> = (0..terminals).map(TerminalId).collect();
    shuffle(&mut images, |bound| {
        (draws.next_u64() % bound as u64) as usize
    });
    images
}

#[cfg(test)]
mod tests {
    use flitwork_types::TerminalId;

    /// A change here changes the results of every seed. The numbers come from the published recurrences of the generator (PCG,
    /// 64 bits of XSL-RR, its state by PCG 32 from the seed), computed apart from this program with Python's integers.
    #[test]
    fn what_is_drawn_lasts() {
        let expected = [8, 7, 6, 4, 3, 2, 5, 0, 1, 9].map(TerminalId);
        assert_eq!(super::drawn(10, 1), expected);
    }
}
