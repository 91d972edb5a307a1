//! Shuffle: d_i = s_(i - 1 mod b), the bits rotated left by one (Dally and Towles 2004, section 3.2).
//!
//! Nodes 0 and 2^b - 1 are silent.

use super::mapped::{mapped, node_bits};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shuffle;

impl PatternParameters for Shuffle {
    const NAME: &'static str = "shuffle";
    const HELP: &'static str = "the bits of the node rotated left by one; needs 2^b nodes";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let bits = node_bits::<Self>(topology)?;
        let ones = topology.terminals() - 1;
        Ok(mapped(move |source| {
            TerminalId((source.0 << 1 | source.0 >> (bits - 1)) & ones)
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{grid, images, numbers, refusal};

    #[test]
    fn eight_nodes_by_hand() {
        // 001 -> 010 -> 100 -> 001, 011 -> 110 -> 101 -> 011.
        let expected = [
            None,
            Some(2),
            Some(4),
            Some(6),
            Some(1),
            Some(3),
            Some(5),
            None,
        ];
        assert_eq!(numbers("shuffle", &grid(&[2, 4])), expected);
    }

    #[test]
    fn only_the_first_and_the_last_node_are_silent() {
        for sides in [&[2, 2][..], &[8, 4], &[2; 9]] {
            let found = images("shuffle", &grid(sides));
            let last = found.len() - 1;
            for (place, (_, image)) in found.iter().enumerate() {
                assert_eq!(image.is_none(), place == 0 || place == last);
            }
        }
    }

    #[test]
    fn what_has_no_bits_is_refused() {
        let needs = "shuffle needs a power-of-two number of nodes; the network is a grid of 3 x 2";
        assert_eq!(refusal("shuffle", &[3, 2]), needs);
        assert!(refusal("shuffle", &[2]).contains("no packet"));
    }
}
