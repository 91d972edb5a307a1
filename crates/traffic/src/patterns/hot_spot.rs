//! Hot spot: with probability `hot_fraction` d is one of `hot_nodes`, all equally likely; otherwise any node but s
//! (Pfister and Norton 1985, with several hot nodes and without packets to the source itself).
//!
//! A hot node sends to the other hot nodes with that probability; if it is the only one, it sends uniformly. Two draws
//! per packet. No node is silent.

use super::uniform::any_other;
use super::{Pattern, PatternError, PatternParameters, checked_list};
use crate::Draws;
use flitwork_schema::{Allowed, Key, key};
use flitwork_topology::{Spread, Topology};
use flitwork_types::TerminalId;

struct HotSpot {
    /// Ascending.
    hot: Vec<TerminalId>,
    fraction: f64,
    terminals: u32,
}

impl HotSpot {
    /// A hot node other than `source`, all equally likely; `None`, without a draw, if there is no other.
    fn other_hot(&self, source: TerminalId, draws: &mut Draws) -> Option<TerminalId> {
        let hot = self.hot.len() as u32;
        match self.hot.binary_search(&source) {
            Ok(_) if hot == 1 => None,
            Ok(own) => {
                let drawn = draws.below(hot - 1) as usize;
                Some(self.hot[drawn + usize::from(drawn >= own)])
            }
            Err(_) => Some(self.hot[draws.below(hot) as usize]),
        }
    }
}

impl Pattern for HotSpot {
    fn destination(&self, source: TerminalId, draws: &mut Draws) -> Option<TerminalId> {
        let hot = draws.toss(self.fraction);
        let chosen = if hot {
            self.other_hot(source, draws)
        } else {
            None
        };
        Some(chosen.unwrap_or_else(|| any_other(source, self.terminals, draws)))
    }

    fn silent(&self, _: TerminalId) -> bool {
        false
    }

    fn spread(&self, source: TerminalId) -> Option<Spread> {
        let others = self.hot.iter().copied().filter(|hot| *hot != source);
        let mut hot = Spread::alike(others);
        // A sole hot node sends to all others alike.
        let fraction = if hot.is_nothing() { 0.0 } else { self.fraction };
        hot.single.iter_mut().for_each(|it| it.1 *= fraction);
        hot.others = 1.0 - fraction;
        Some(hot)
    }
}

/// The parameters of a hot spot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HotSpotParameters {
    /// The nodes that receive more than their share.
    pub hot_nodes: Option<Vec<TerminalId>>,
    /// The fraction of packets that go to a hot node, from 0 to 1.
    pub hot_fraction: Option<f64>,
}

impl PatternParameters for HotSpotParameters {
    const NAME: &'static str = "hot-spot";
    const HELP: &'static str = "a fraction of packets goes to hot nodes, the rest to any node";
    #[rustfmt::skip]
    const KEYS: &'static [Key<HotSpotParameters>] = &[
        key("hot_nodes", |it| &mut it.hot_nodes, Allowed::list(&Allowed::Node), "required for hot-spot", "the nodes that receive more than their share; hot-spot only"),
        key("hot_fraction", |it| &mut it.hot_fraction, Allowed::Number(0.0, 1.0, "of all packets"), "required for hot-spot", "the fraction of packets that go to a hot node; hot-spot only"),
    ];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let hot = self.hot_nodes.as_ref();
        let hot = hot.ok_or(Self::missing("hot_nodes"))?;
        let hot = checked_list("hot_nodes", hot, topology)?;
        let fraction = self.hot_fraction.ok_or(Self::missing("hot_fraction"))?;
        if !(0.0..=1.0).contains(&fraction) {
            return Err(PatternError::Fraction {
                parameter: "hot_fraction",
                found: fraction,
            });
        }
        Ok(Box::new(HotSpot {
            hot,
            fraction,
            terminals: topology.terminals(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::HotSpotParameters;
    use crate::patterns::tests::{built, grid, named, refused};
    use crate::{AnyPattern, Draws, PatternError};
    use flitwork_types::TerminalId;

    fn hot_spot(nodes: &[u32], fraction: f64) -> AnyPattern {
        let parameters = HotSpotParameters {
            hot_nodes: Some(nodes.iter().copied().map(TerminalId).collect()),
            hot_fraction: Some(fraction),
        };
        parameters.into()
    }

    fn counts(nodes: &[u32], fraction: f64, source: u32) -> [u32; 16] {
        let pattern = built(&hot_spot(nodes, fraction), &grid(&[4, 4]));
        let mut draws = Draws::new(5, TerminalId(source));
        let mut counts = [0; 16];
        for _ in 0..15_000 {
            counts[pattern
                .destination(TerminalId(source), &mut draws)
                .unwrap()
                .index()] += 1;
        }
        assert_eq!(counts[source as usize], 0);
        counts
    }

    #[test]
    fn hot_nodes_get_their_fraction_and_the_share_of_everyone() {
        // From a cold node: half over 3 hot ones, half over 15: 2,500 + 500 a hot one, 500 a cold one;
        // standard deviations 49 and 22.
        for (node, count) in counts(&[9, 2, 4], 0.5, 7).into_iter().enumerate() {
            let (law, bound) = match node {
                2 | 4 | 9 => (3000, 245),
                7 => (0, 1),
                _ => (500, 110),
            };
            assert!(u32::abs_diff(count, law) < bound, "{node}: {count}");
        }
        // From a hot node: half over the 2 others: 3,750 + 500, standard deviation 55.
        let from_hot = counts(&[9, 2, 4], 0.5, 4);
        assert!(from_hot[2].abs_diff(4250) < 275 && from_hot[9].abs_diff(4250) < 275);
    }

    #[test]
    fn the_ends_of_the_fraction() {
        assert_eq!(counts(&[3], 1.0, 0)[3], 15_000);
        // A sole hot node sends uniformly; nobody is hot at 0: 1,000 each, standard deviation 31.
        for counts in [counts(&[3], 1.0, 3), counts(&[0], 0.0, 3)] {
            for count in [&counts[..3], &counts[4..]].concat() {
                assert!(count.abs_diff(1000) < 155, "{counts:?}");
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let grid = grid(&[4, 4]);
        let parameter = "hot_nodes";
        let off = PatternError::OffNetwork {
            parameter,
            node: TerminalId(16),
            nodes: 16,
        };
        assert_eq!(refused(&hot_spot(&[1, 16, 2], 0.5), &grid), off);
        let twice = PatternError::Repeated {
            parameter,
            node: TerminalId(1),
        };
        assert_eq!(refused(&hot_spot(&[1, 2, 1], 0.5), &grid), twice);
        assert_eq!(
            refused(&hot_spot(&[], 0.5), &grid),
            PatternError::Empty { parameter }
        );
        for fraction in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
            let found = refused(&hot_spot(&[1], fraction), &grid);
            assert!(matches!(found, PatternError::Fraction { .. }), "{found}");
        }
        let missing = PatternError::Missing {
            pattern: "hot-spot",
            parameter,
        };
        assert_eq!(refused(&named("hot-spot"), &grid), missing);
        let missing = PatternError::Missing {
            pattern: "hot-spot",
            parameter: "hot_fraction",
        };
        let half = HotSpotParameters {
            hot_nodes: Some(vec![TerminalId(1)]),
            hot_fraction: None,
        };
        assert_eq!(refused(&half.into(), &grid), missing);
    }
}
