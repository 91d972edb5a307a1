//! `k-k`: k random permutations in cycle 0.

use super::{Arrivals, Destinations, ProcessParameters, k_key};
use crate::{Lengths, ReadContext, RunContext, StaticPacket, k_k};
use flitwork_schema::{Key, RawTable, Refusal};

/// The size of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KKParameters {
    /// Permutations, at least 1.
    pub k: u32,
}

impl ProcessParameters for KKParameters {
    const NAME: &'static str = "k-k";
    const HELP: &'static str = "k random permutations in cycle 0";
    const KEYS: &'static [Key<KKParameters>] = &[k_key(|it| &mut it.k)];
    const ARRIVALS: Arrivals = Arrivals::AtOnce;
    const DESTINATIONS: Destinations = Destinations::Process("its packets go to random nodes");

    fn read(given: &RawTable<'_>, _: &Lengths, _: &ReadContext<'_>) -> Result<Self, Refusal> {
        let mut problem = KKParameters { k: 1 };
        given.set(Self::KEYS, &mut problem);
        Ok(problem)
    }

    fn problem(&self, context: &RunContext<'_>) -> Option<Vec<StaticPacket>> {
        let packets = k_k(self.k, &context.lengths, context.seed, context.terminals());
        Some(packets.expect("a resolved configuration's traffic"))
    }

    fn packets_at_once(&self) -> Option<u32> {
        Some(self.k)
    }
}
