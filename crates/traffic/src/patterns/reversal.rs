//! Reversal: d = N - 1 - s, by node number (Chinn 1995; on a mesh each coordinate is reflected).
//!
//! On 2^b nodes it is the bit complement. The node in the middle of an odd number is silent.

use super::mapped::mapped;
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reversal;

impl PatternParameters for Reversal {
    const NAME: &'static str = "reversal";
    const HELP: &'static str = "node i to the last node but i: through the middle of a mesh";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let last = topology.terminals() - 1;
        Ok(mapped(move |source| {
            TerminalId(last.saturating_sub(source.0))
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{grid, images, numbers};

    #[test]
    fn coordinates_are_reflected() {
        let expected = [8, 7, 6, 5].map(Some).into_iter().chain([None]);
        let expected: Vec<_> = expected.chain([3, 2, 1, 0].map(Some)).collect();
        assert_eq!(numbers("reversal", &grid(&[3, 3])), expected);
        let powers = grid(&[4, 8]);
        assert_eq!(
            images("reversal", &powers),
            images("bit-complement", &powers)
        );
    }
}
