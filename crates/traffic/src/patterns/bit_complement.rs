//! Bit complement: d_i = not s_i (Dally and Towles 2004, section 3.2).
//!
//! If the number of nodes is a power of two, so is every side, and the formula reflects each coordinate:
//! d_x = k - 1 - s_x. No node is silent.

use super::mapped::{mapped, node_bits};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitComplement;

impl PatternParameters for BitComplement {
    const NAME: &'static str = "bit-complement";
    const HELP: &'static str = "every bit of the node inverted; needs 2^b nodes";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let bits = node_bits::<Self>(topology)?;
        let ones = u32::MAX >> (u32::BITS - bits);
        Ok(mapped(move |source| TerminalId(source.0 ^ ones)))
    }
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{grid, images, refusal};

    #[test]
    fn coordinates_are_reflected() {
        for sides in [&[2][..], &[8, 4], &[2, 4, 8], &[1, 16]] {
            let grid = grid(sides);
            for (source, image) in images("bit-complement", &grid) {
                let reflected: Vec<u32> = grid
                    .coordinates(source)
                    .iter()
                    .zip(sides)
                    .map(|(here, side)| side - 1 - here)
                    .collect();
                assert_eq!(image, Some(grid.node_at(&reflected)));
            }
        }
    }

    #[test]
    fn other_numbers_of_nodes_are_refused() {
        let needs =
            "bit-complement needs a power-of-two number of nodes; the network is a grid of 4 x 3";
        assert_eq!(refusal("bit-complement", &[4, 3]), needs);
    }
}
