//! Random destinations: each node has one destination, drawn from the seed, any node as likely: several may have the same.
//!
//! A node that draws itself is silent.

use super::mapped::listed_images;
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomDestinations;

impl PatternParameters for RandomDestinations {
    const NAME: &'static str = "random-destinations";
    const HELP: &'static str = "a destination for each node, drawn once from the seed";

    fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError> {
        Ok(listed_images(drawn(topology.terminals(), seed)))
    }

    /// All of n nodes draw themselves in one of n^n seeds.
    fn is_surely_buildable(&self, topology: &dyn Topology) -> bool {
        topology.terminals() > 1000
    }
}

fn drawn(terminals: u32, seed: u64) -> Vec<TerminalId> {
    let mut draws = Pcg64Mcg::seed_from_u64(seed);
    let draw = |_| TerminalId((draws.next_u64() % u64::from(terminals)) as u32);
    (0..terminals).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use flitwork_types::TerminalId;

    /// The numbers come from the published recurrences, as for random permutations.
    #[test]
    fn what_is_drawn_lasts() {
        let expected = [9, 9, 2, 0, 6, 3, 1, 6, 0, 9].map(TerminalId);
        assert_eq!(super::drawn(10, 1), expected);
    }
}
