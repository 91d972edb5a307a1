//! Open-loop traffic: in each cycle each source tosses a coin.
//!
//! The cycles from one success to the next are geometric, so one draw stands for a whole run of tosses
//! and an idle source costs nothing (Devroye 1986, section X.2): with V uniform on (0, 1), the failures
//! before the next success at probability p are
//!
//! ```text
//! gap = floor(ln(1 - V) / ln(1 - p)),    P(gap >= k) = (1 - p)^k
//! ```
//!
//! Both logarithms come from `libm`, which gives the same bits on every machine.

use crate::{Birth, Draws, Next, Pattern, Workload};
use flitwork_types::{Cycle, NodeId};
use std::fmt;

/// Sources whose state is made together, when the first of them is asked.
const BLOCK: usize = 256;

/// A rate that is no probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateError {
    /// The packets a cycle that were asked for.
    pub packets_per_cycle: f64,
}

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} packets a cycle; a source makes 0 to 1",
            self.packets_per_cycle
        )
    }
}

impl std::error::Error for RateError {}

/// In each cycle each source that isn't silent makes a packet with a fixed probability.
///
/// Takes 20 bytes a source, and none before one of its block of sources is asked. Each packet takes one
/// draw for its cycle, then what the pattern draws for its destination, from the source's own stream.
pub struct Bernoulli {
    pattern: Box<dyn Pattern>,
    /// ln(1 - p): the logarithm of the probability that a cycle brings no packet; at most 0.
    log_miss: f64,
    /// The first cycle without packets.
    until: Cycle,
    seed: u64,
    nodes: u32,
    words: u16,
    blocks: Vec<Option<Box<Block>>>,
}

/// The state of consecutive sources.
struct Block {
    draws: [Draws; BLOCK],
    /// The first cycle whose coin hasn't been tossed, for each source.
    untossed: [Cycle; BLOCK],
}

impl Block {
    fn new(seed: u64, first: u32) -> Box<Block> {
        let draws =
            std::array::from_fn(|place| Draws::new(seed, NodeId(first.wrapping_add(place as u32))));
        Box::new(Block {
            draws,
            untossed: [Cycle::ZERO; BLOCK],
        })
    }
}

impl Bernoulli {
    /// Traffic on a network of `nodes` nodes from cycle 0 to the cycle before `until`.
    ///
    /// # Errors
    /// A [`RateError`] where `packets_per_cycle` doesn't lie in 0 to 1.
    pub fn new(
        pattern: Box<dyn Pattern>,
        packets_per_cycle: f64,
        until: Cycle,
        seed: u64,
        nodes: u32,
    ) -> Result<Bernoulli, RateError> {
        if !(0.0..=1.0).contains(&packets_per_cycle) {
            return Err(RateError { packets_per_cycle });
        }
        let blocks = (nodes as usize).div_ceil(BLOCK);
        Ok(Bernoulli {
            pattern,
            // The sign of a rate of -0.0 must not turn the infinite gap around.
            log_miss: -libm::log1p(-packets_per_cycle).abs(),
            until,
            seed,
            nodes,
            words: 1,
            blocks: std::iter::repeat_with(|| None).take(blocks).collect(),
        })
    }

    /// The same with `words` words a packet; a network whose packets all have the same length keeps to
    /// that.
    #[must_use]
    pub fn of_words(self, words: u16) -> Bernoulli {
        Bernoulli { words, ..self }
    }

    /// The next packet of a node.
    #[inline]
    fn birth(&mut self, node: NodeId) -> Option<Birth> {
        if node.0 >= self.nodes || self.pattern.silent(node) {
            return None;
        }
        let (block, place) = (node.index() / BLOCK, node.index() % BLOCK);
        let state =
            self.blocks[block].get_or_insert_with(|| Block::new(self.seed, (block * BLOCK) as u32));
        let (draws, untossed) = (&mut state.draws[place], &mut state.untossed[place]);
        if *untossed >= self.until {
            return None;
        }
        let Some(created) = toss_until_success(draws, self.log_miss, *untossed, self.until) else {
            *untossed = self.until;
            return None;
        };
        *untossed = created + 1;
        let destination = self.pattern.destination(node, draws)?;
        Some(Birth {
            created,
            destination,
            words: self.words,
            class: 0,
        })
    }
}

/// The next cycle from `from` on in which the coin shows a packet; `None` if that isn't before `until`.
#[inline]
fn toss_until_success(
    draws: &mut Draws,
    log_miss: f64,
    from: Cycle,
    until: Cycle,
) -> Option<Cycle> {
    // At p = 0 the quotient is infinite and the conversion saturates; at p = 1 it is 0.
    let gap = (libm::log1p(-draws.open_unit()) / log_miss) as u64;
    let cycle = u64::from(from.get()).saturating_add(gap);
    u32::try_from(cycle)
        .ok()
        .map(Cycle)
        .filter(|cycle| *cycle < until)
}

impl Workload for Bernoulli {
    fn next(&mut self, node: NodeId, _: Cycle) -> Next {
        self.birth(node).map_or(Next::Never, Next::Packet)
    }

    /// Tosses every source's first packet afresh.
    fn sources(&self) -> Vec<NodeId> {
        let makes_any = |node: &NodeId| {
            let mut draws = Draws::new(self.seed, *node);
            !self.pattern.silent(*node)
                && toss_until_success(&mut draws, self.log_miss, Cycle::ZERO, self.until).is_some()
        };
        (0..self.nodes).map(NodeId).filter(makes_any).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everyone but node 3 sends to node 0 or, itself, to node 1; draws one number.
    struct Simple;

    impl Pattern for Simple {
        fn destination(&self, source: NodeId, draws: &mut Draws) -> Option<NodeId> {
            draws.below(2);
            (!self.silent(source)).then_some(NodeId(u32::from(source.0 == 0)))
        }

        fn silent(&self, source: NodeId) -> bool {
            source == NodeId(3)
        }
    }

    fn traffic(rate: f64, until: u32, nodes: u32) -> Bernoulli {
        Bernoulli::new(Box::new(Simple), rate, Cycle(until), 11, nodes)
            .ok()
            .unwrap()
    }

    fn cycles(traffic: &mut Bernoulli, node: u32) -> Vec<u32> {
        std::iter::from_fn(|| traffic.birth(NodeId(node)))
            .map(|birth| birth.created.0)
            .collect()
    }

    #[test]
    fn rates_that_are_no_probabilities_are_refused() {
        for rate in [-0.1, 1.000_001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let found = Bernoulli::new(Box::new(Simple), rate, Cycle(9), 0, 9)
                .err()
                .unwrap();
            assert!(found.to_string().ends_with("0 to 1"), "{found}");
        }
    }

    #[test]
    fn rate_0_makes_none_and_rate_1_makes_one_a_cycle() {
        for zero in [0.0, -0.0] {
            let mut none = traffic(zero, u32::MAX, 300);
            assert!((0..300).all(|node| none.birth(NodeId(node)).is_none()));
            assert!(none.sources().is_empty());
        }
        let mut all = traffic(1.0, 50, 300);
        for node in (0..300).filter(|node| *node != 3) {
            assert_eq!(cycles(&mut all, node), (0..50).collect::<Vec<_>>());
        }
        assert_eq!(all.sources().len(), 299);
        assert!(traffic(1.0, 0, 5).sources().is_empty());
        assert_eq!(traffic(1.0, 0, 5).next(NodeId(1), Cycle::ZERO), Next::Never);
    }

    #[test]
    fn tiny_rates_keep_their_mean() {
        // 20,000 sources for 10,000 cycles at 1e-6: 200 packets expected, standard deviation 14.
        let mut rare = traffic(1e-6, 10_000, 20_000);
        let packets: usize = (0..20_000).map(|node| cycles(&mut rare, node).len()).sum();
        assert!(packets.abs_diff(200) < 71, "{packets}");
        // Below the resolution of a run nothing comes, and nothing overflows.
        for rate in [f64::MIN_POSITIVE, 5e-324, 1e-30] {
            assert!(traffic(rate, u32::MAX, 1000).sources().is_empty());
        }
    }

    #[test]
    fn gaps_follow_the_geometric_law() {
        for rate in [0.02, 0.3, 0.9] {
            let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
            let mut traffic = traffic(rate, 40_000, 200);
            for node in (0..200).filter(|node| *node != 3) {
                let cycles = cycles(&mut traffic, node);
                assert!(cycles.is_sorted_by(|one, next| one < next));
                for pair in cycles.windows(2) {
                    let gap = f64::from(pair[1] - pair[0] - 1);
                    count += 1.0;
                    sum += gap;
                    squares += gap * gap;
                }
            }
            // Failures before a success: mean q / p, variance q / p^2, fourth central moment
            // variance^2 * (9 + p^2 / q). More than 150,000 gaps; bounds of five standard errors.
            let (mean, variance) = (sum / count, squares / count - (sum / count).powi(2));
            let miss = 1.0 - rate;
            let law = (miss / rate, miss / (rate * rate));
            let mean_error = (law.1 / count).sqrt();
            let variance_error = law.1 * ((8.0 + rate * rate / miss) / count).sqrt();
            assert!(count > 150_000.0);
            assert!(
                (mean - law.0).abs() < 5.0 * mean_error,
                "{rate}: {mean} for {}",
                law.0
            );
            assert!(
                (variance - law.1).abs() < 5.0 * variance_error,
                "{rate}: {variance}"
            );
        }
    }

    #[test]
    fn every_cycle_has_the_same_rate_from_the_first_to_the_last() {
        // 20,000 sources, 30 cycles at 0.25: 5,000 packets a cycle, standard deviation 61.
        let mut counts = [0u32; 30];
        let mut traffic = traffic(0.25, 30, 20_001);
        for node in 0..20_001 {
            for cycle in cycles(&mut traffic, node) {
                counts[cycle as usize] += 1;
            }
        }
        assert!(
            counts.iter().all(|count| count.abs_diff(5000) < 306),
            "{counts:?}"
        );
    }

    #[test]
    fn births_do_not_depend_on_the_order_of_calls() {
        let nodes = 700;
        let mut one_by_one = traffic(0.1, 100, nodes);
        let expected: Vec<Vec<Birth>> = (0..nodes)
            .map(|node| std::iter::from_fn(|| one_by_one.birth(NodeId(node))).collect())
            .collect();
        let mut in_turn = traffic(0.1, 100, nodes);
        let mut found = vec![Vec::new(); nodes as usize];
        for _ in 0..102 {
            for node in (0..nodes).rev() {
                found[node as usize].extend(in_turn.birth(NodeId(node)));
            }
        }
        assert_eq!(found, expected);
        let sources: Vec<NodeId> = (0..nodes)
            .map(NodeId)
            .filter(|node| !expected[node.index()].is_empty())
            .collect();
        assert_eq!(in_turn.sources(), sources);
        assert!(!sources.contains(&NodeId(3)));
    }

    #[test]
    fn a_node_off_the_network_makes_nothing() {
        assert_eq!(traffic(1.0, 10, 5).birth(NodeId(5)), None);
        assert_eq!(traffic(1.0, 10, 5).birth(NodeId(u32::MAX)), None);
        assert!(traffic(1.0, 10, 0).sources().is_empty());
    }

    #[test]
    fn state_is_small_and_late() {
        assert!(size_of::<Block>() <= 24 * BLOCK);
        let mut large = traffic(0.1, 100, 2_400_000);
        assert!(large.blocks.iter().all(Option::is_none));
        large.birth(NodeId(2_399_999));
        assert_eq!(large.blocks.iter().flatten().count(), 1);
    }
}
