//! Random numbers from a seed, the same with any version of any library.

use flitwork_types::draws;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers: 64 raw bits of a PCG generator at a time, scaled by multiplication.
pub(crate) struct Draws(Pcg64Mcg);

impl Draws {
    pub(crate) fn new(seed: u64) -> Draws {
        Draws(Pcg64Mcg::seed_from_u64(seed))
    }

    /// The stream of that number among those of a seed.
    pub(crate) fn of_stream(seed: u64, number: u64) -> Draws {
        Draws::new(draws::split_mix(seed) ^ number)
    }

    /// A number below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        draws::below(self.0.next_u64(), bound as u64) as usize
    }

    /// Puts a list into any order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        draws::shuffle(list, |bound| self.below(bound));
    }
}
