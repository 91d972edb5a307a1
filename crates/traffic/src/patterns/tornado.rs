//! Tornado: d_x = s_x + ceil(k / 2) - 1 mod k, in every dimension (Dally and Towles 2004, section 3.2).
//!
//! Where nodes have no coordinates the terminals are a ring of k: d = s + ceil(k / 2) - 1 mod k.
//!
//! Sides of 1 and 2 don't move. If no side is longer, every node would be silent, which is refused; otherwise no node is
//! silent.

use super::mapped::{on_by, shifted, with_coordinates};
use super::{Pattern, PatternError, PatternParameters};
use flitwork_topology::Topology;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tornado;

impl PatternParameters for Tornado {
    const NAME: &'static str = "tornado";
    const HELP: &'static str = "just under halfway around in every dimension";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let terminals = topology.terminals();
        if topology.grid().is_none() {
            return match terminals {
                0..=2 => Err(Self::unsuited("at least 3 terminals", topology)),
                _ => Ok(on_by(topology, terminals.div_ceil(2) - 1)),
            };
        }
        let network = with_coordinates::<Self>(topology)?;
        if network.grid.sides().iter().all(|side| *side <= 2) {
            return Err(Self::unsuited("a side of at least 3", topology));
        }
        Ok(shifted(network, |side| side.div_ceil(2) - 1))
    }
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{grid, images, numbers, on_line, refusal};

    #[test]
    fn rings_by_hand() {
        // k = 8 moves by 3, k = 5 by 2, k = 3 by 1.
        assert_eq!(
            numbers("tornado", &grid(&[8])),
            [3, 4, 5, 6, 7, 0, 1, 2].map(Some)
        );
        assert_eq!(numbers("tornado", &grid(&[5])), [2, 3, 4, 0, 1].map(Some));
        // Rows 0 1 2 and 3 4 5: a side of 2 doesn't move.
        assert_eq!(
            numbers("tornado", &grid(&[3, 2])),
            [1, 2, 0, 4, 5, 3].map(Some)
        );
    }

    #[test]
    fn no_node_is_silent() {
        for sides in [&[3][..], &[1, 4], &[2, 7, 1], &[4, 4, 4]] {
            assert!(
                images("tornado", &grid(sides))
                    .iter()
                    .all(|(_, image)| image.is_some())
            );
        }
    }

    #[test]
    fn terminals_without_coordinates_are_a_ring() {
        assert_eq!(on_line("tornado", 5).unwrap(), [2, 3, 4, 0, 1]);
        assert_eq!(on_line("tornado", 8).unwrap(), [3, 4, 5, 6, 7, 0, 1, 2]);
        let needs = "tornado needs at least 3 terminals; the network is a graph of 2 terminals";
        assert_eq!(on_line("tornado", 2).unwrap_err(), needs);
    }

    #[test]
    fn short_sides_are_refused() {
        let needs = "tornado needs a side of at least 3; the network is a grid of 2 x 1 x 2";
        assert_eq!(refusal("tornado", &[2, 1, 2]), needs);
    }
}
