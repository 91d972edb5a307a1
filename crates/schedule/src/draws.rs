//! Random numbers from a seed, the same with any version of any library.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers: 64 raw bits of a PCG generator at a time, scaled by multiplication.
pub(crate) struct Draws(Pcg64Mcg);

impl Draws {
    pub(crate) fn new(seed: u64) -> Draws {
        Draws(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A number below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts a list into any order (Fisher and Yates 1938).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}
