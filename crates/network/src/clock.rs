//! When nodes step and when links deliver, in networks whose nodes share no clock.
//!
//! Times are whole picoseconds from the start of the run. Each clock belongs to a domain, and each node to one
//! domain.

use crate::delay::SelfTimed;
#[cfg(test)]
use crate::delay::{Delay, StageDelays};
use crate::oscillator::Periodic;

/// The clocks of a network's nodes and the timing of its links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The period of the nominal clock, in ps: what is reported in cycles is in cycles of this clock.
    pub nominal_ps: u64,
    /// The clock of each domain.
    pub domains: Vec<Clock>,
    /// The domain of each node, an index into `domains`.
    pub domain_of: Vec<u32>,
    /// The timing of all links; a link with a latency of its own takes that, in nominal cycles.
    pub links: LinkTiming,
    /// Keys jitter and the delays of self-timed nodes.
    pub seed: u64,
}

/// What makes the nodes of a domain step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clock {
    /// An oscillator.
    Periodic(Periodic),
    /// None: events drive each node of the domain by itself.
    SelfTimed(SelfTimed),
}

/// A link between two nodes, each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTiming {
    /// From the tick in which a word or a credit leaves until it is at the far end, in ps; at least 1.
    pub latency_ps: u64,
    /// How many words may be under way or wait at the far end, at least 1.
    pub capacity_words: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing; none if both ends share a
    /// clock.
    pub synchronizer_edges: u32,
}

impl Clock {
    /// Whether it is a clock, and not events, that makes the nodes step.
    pub fn ticks(&self) -> bool {
        matches!(self, Clock::Periodic(_))
    }

    /// The least and the most that may lie between two ticks in a row, in ps; at least 1. A self-timed node's ticks are
    /// the steps in which words move or a decision is made, one right after the other.
    pub fn step_ps(&self) -> (u64, u64) {
        self.span_ps(1)
    }

    /// The least and the most that may lie between a tick and the one `ticks` later, in ps; at least 1.
    pub fn span_ps(&self, ticks: u32) -> (u64, u64) {
        match self {
            Clock::Periodic(clock) => clock.span_ps(ticks),
            Clock::SelfTimed(node) => {
                let ticks = u64::from(ticks.max(1));
                let span = |step_ps: u64| step_ps.saturating_mul(ticks);
                (span(node.least_word_ps()), span(node.longest_ps()))
            }
        }
    }
}

impl Clocks {
    /// Whether two domains tick at the same instants, so that nothing between them needs to be synchronized.
    pub fn share(&self, one: u32, other: u32) -> bool {
        let steady = |domain: u32| match &self.domains[domain as usize] {
            Clock::Periodic(clock) if clock.jitter_ps == 0 => Some(*clock),
            _ => None,
        };
        one == other || steady(one).is_some_and(|clock| steady(other) == Some(clock))
    }

    /// The longest cycle of any clock, in cycles of the nominal one, rounded up.
    pub fn longest_cycle(&self) -> u32 {
        let longest_ps = self.domains.iter().map(|clock| clock.step_ps().1).max();
        let cycles = longest_ps
            .unwrap_or(1)
            .div_ceil(self.nominal_ps.max(1))
            .max(1);
        u32::try_from(cycles).unwrap_or(u32::MAX)
    }

    /// The least capacity, in words, with which nodes that are held while one of their links is full never
    /// wait for each other forever, if no link takes longer than `links.latency_ps`.
    ///
    /// Nodes that do so form a ring, each with a full link to the next. Consider the last step of any of them
    /// that took no word from the ring's link to it: all words on that link were too young to be seen, so
    /// they had left within a latency and a synchronizer's edges. There are at most
    ///
    /// ```text
    /// young = ceil((latency + edges * longest step) / shortest step)
    /// ```
    ///
    /// of them, and one more if the sender is self-timed: the word of the step that isn't over, which counts from the
    /// step's begin on. There are at most `capacity` on each other link of the ring. From then on each step of each
    /// node takes a word from the ring and sends at most one, so that the ring of n never holds more than
    /// (n - 1) * capacity + young. With a capacity of young + 1 it can't be full: n * capacity is more.
    /// Two nodes with a capacity of `young` can fill both their links, and wait forever.
    pub fn least_capacity_words(&self) -> u64 {
        let steps = self.domains.iter().map(Clock::step_ps);
        let shortest_ps = steps.map(|(shortest, _)| shortest).min().unwrap_or(1);
        let clocks = self.domains.iter().filter(|clock| clock.ticks());
        let longest_ps = clocks.map(|clock| clock.step_ps().1).max().unwrap_or(0);
        let is_self_timed = self.domains.iter().any(|clock| !clock.ticks());
        let crosses = (1..self.domains.len()).any(|domain| !self.share(0, domain as u32));
        let edges = if crosses {
            self.links.synchronizer_edges
        } else {
            0
        };
        let hidden_ps =
            u128::from(self.links.latency_ps) + u128::from(edges) * u128::from(longest_ps);
        let young = hidden_ps.div_ceil(u128::from(shortest_ps)) + u128::from(is_self_timed);
        u64::try_from(young).unwrap_or(u64::MAX).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_timed_steps_add_up() {
        let clock = Clock::SelfTimed(SelfTimed::new(StageDelays {
            word: Delay::uniform(300, 500),
            decision: Delay::uniform(400, 900),
            allocation: Some(Delay::fixed(50)),
            credit: Some(Delay::uniform(200, 250)),
        }));
        assert_eq!(clock.span_ps(7), (7 * 300, 7 * 950));
    }
}
