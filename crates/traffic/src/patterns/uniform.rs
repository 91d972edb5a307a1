//! Uniform random: d is any node but s, each with probability 1 / (N - 1) (Dally and Towles 2004,
//! section 3.2, without packets to the source itself); with `own_node` any node, each with probability 1 / N (as in
//! BookSim 2, traffic.cpp, `UniformRandomTrafficPattern`).
//!
//! One draw per packet. No node is silent.

use super::{Pattern, PatternError, PatternParameters};
use crate::Draws;
use flitwork_schema::{Allowed, Key, key};
use flitwork_topology::{Spread, Topology};
use flitwork_types::TerminalId;

struct UniformPattern {
    terminals: u32,
    own_node: bool,
}

/// Any node but `source`, all equally likely; takes one draw.
#[inline]
pub(super) fn any_other(source: TerminalId, terminals: u32, draws: &mut Draws) -> TerminalId {
    let drawn = draws.below(terminals - 1);
    TerminalId(drawn + u32::from(drawn >= source.0))
}

impl Pattern for UniformPattern {
    fn destination(&self, source: TerminalId, draws: &mut Draws) -> Option<TerminalId> {
        Some(match self.own_node {
            true => TerminalId(draws.below(self.terminals)),
            false => any_other(source, self.terminals, draws),
        })
    }

    fn silent(&self, _: TerminalId) -> bool {
        false
    }

    fn spread(&self, source: TerminalId) -> Option<Spread> {
        let own = match self.own_node {
            true => 1.0 / f64::from(self.terminals),
            false => 0.0,
        };
        Some(Spread {
            others: 1.0 - own,
            single: self.own_node.then_some((source, own)).into_iter().collect(),
        })
    }
}

/// The pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uniform {
    /// Whether nodes also send to themselves.
    pub own_node: bool,
}

impl PatternParameters for Uniform {
    const NAME: &'static str = "uniform";
    const HELP: &'static str = "every other node, all equally likely";
    #[rustfmt::skip]
    const KEYS: &'static [Key<Uniform>] = &[
        key("own_node", |it| &mut it.own_node, Allowed::Truth, "false", "whether nodes also send to themselves, through their own routers; uniform only"),
    ];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        Ok(Box::new(UniformPattern {
            terminals: topology.terminals(),
            own_node: self.own_node,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::Uniform;
    use crate::Draws;
    use crate::patterns::tests::{built, grid, named};
    use flitwork_types::TerminalId;

    #[test]
    fn every_other_node_is_as_likely() {
        // 15 destinations, 15,000 draws: chi-square with 14 degrees of freedom, 99.9 % below 36.1.
        let uniform = built(&named("uniform"), &grid(&[4, 4]));
        for source in [0, 6, 15].map(TerminalId) {
            let mut draws = Draws::new(3, source);
            let mut counts = [0f64; 16];
            for _ in 0..15_000 {
                counts[uniform.destination(source, &mut draws).unwrap().index()] += 1.0;
            }
            assert_eq!(counts[source.index()], 0.0);
            let others = (0..16).filter(|node| *node != source.index());
            let chi_square: f64 = others
                .map(|node| (counts[node] - 1000.0).powi(2) / 1000.0)
                .sum();
            assert!(chi_square < 36.1, "{source}: {chi_square}");
        }
    }

    #[test]
    fn every_node_is_as_likely_with_the_own_one() {
        // 16 destinations, 16,000 draws: chi-square with 15 degrees of freedom, 99.9 % below 37.7.
        let uniform = built(&Uniform { own_node: true }.into(), &grid(&[4, 4]));
        for source in [0, 6, 15].map(TerminalId) {
            let mut draws = Draws::new(3, source);
            let mut counts = [0f64; 16];
            for _ in 0..16_000 {
                counts[uniform.destination(source, &mut draws).unwrap().index()] += 1.0;
            }
            let squares = counts.iter().map(|count| (count - 1000.0).powi(2) / 1000.0);
            let chi_square: f64 = squares.sum();
            assert!(chi_square < 37.7, "{source}: {chi_square}");
        }
    }

    #[test]
    fn two_nodes_send_to_each_other() {
        let uniform = built(&named("uniform"), &grid(&[2]));
        let mut draws = Draws::new(3, TerminalId(0));
        assert_eq!(
            uniform.destination(TerminalId(0), &mut draws),
            Some(TerminalId(1))
        );
        assert_eq!(
            uniform.destination(TerminalId(1), &mut draws),
            Some(TerminalId(0))
        );
    }
}
