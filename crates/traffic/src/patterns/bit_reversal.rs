//! Bit reversal: d_i = s_(b - i - 1) (Dally and Towles 2004, section 3.2).
//!
//! Nodes whose bits read the same both ways are silent.

use super::mapped::{mapped, node_bits};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitReversal;

impl PatternParameters for BitReversal {
    const NAME: &'static str = "bit-reversal";
    const HELP: &'static str = "the bits of the node in reverse order; needs 2^b nodes";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let bits = node_bits::<Self>(topology)?;
        Ok(mapped(move |source| {
            TerminalId(source.0.reverse_bits() >> (u32::BITS - bits))
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{grid, images, numbers, refusal};

    #[test]
    fn eight_nodes_by_hand() {
        // 000 001 010 011 100 101 110 111 turn into 000 100 010 110 001 101 011 111.
        let expected =
            [None, Some(4), None, Some(6), Some(1), None, Some(3), None].map(Option::<u32>::from);
        assert_eq!(numbers("bit-reversal", &grid(&[4, 2])), expected);
    }

    #[test]
    fn palindromes_are_silent() {
        // Of 2^b numbers 2^ceil(b / 2) read the same both ways.
        for (sides, silent) in [(&[4, 4][..], 4), (&[8, 4], 8), (&[2; 10], 32)] {
            let found = images("bit-reversal", &grid(sides));
            assert_eq!(
                found.iter().filter(|(_, image)| image.is_none()).count(),
                silent
            );
        }
    }

    #[test]
    fn what_has_no_bits_is_refused() {
        let needs = "bit-reversal needs a power-of-two number of nodes; the network is a grid of 6";
        assert_eq!(refusal("bit-reversal", &[6]), needs);
        // With a single bit every node is its own image.
        assert!(refusal("bit-reversal", &[2]).contains("no packet"));
    }
}
