//! When nodes step and when links deliver, in networks whose nodes share no clock.
//!
//! Times are whole picoseconds from the start of the run. Each clock belongs to a domain, and each node to one
//! domain.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// An oscillator.
    Periodic(Periodic),
    /// No oscillator: the end of a step begins the next. Each node is a domain of its own.
    SelfTimed(SelfTimed),
}

/// A self-timed node: each step takes the longest of the delays for what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfTimed {
    /// When the first step begins, in ps.
    pub phase_ps: u64,
    /// A step in which a word arrived or left.
    pub word: Delay,
    /// A step in which a decision was made.
    pub decision: Delay,
    /// A step in which nothing was done.
    pub nothing: Delay,
}

/// A delay drawn uniformly from a range, in ps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The shortest, at least 1.
    pub least_ps: u64,
    /// The longest.
    pub most_ps: u64,
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
    /// The least and the most that may lie between two ticks in a row, in ps; at least 1.
    pub fn step_ps(&self) -> (u64, u64) {
        self.span_ps(1)
    }

    /// The least and the most that may lie between a tick and the one `ticks` later, in ps; at least 1.
    pub fn span_ps(&self, ticks: u32) -> (u64, u64) {
        match self {
            Clock::Periodic(clock) => clock.span_ps(ticks),
            Clock::SelfTimed(clock) => {
                let delays = [clock.word, clock.decision, clock.nothing];
                let least = delays.iter().map(|delay| delay.least_ps).min();
                let most = delays.iter().map(|delay| delay.most_ps).max();
                let ticks = u64::from(ticks.max(1));
                let span = |step: Option<u64>| step.unwrap_or(1).max(1).saturating_mul(ticks);
                (span(least), span(most))
            }
        }
    }
}

impl Clocks {
    /// Whether two domains tick at the same instants, so that nothing between them needs to be synchronized.
    pub fn share(&self, one: u32, other: u32) -> bool {
        let steady = |domain: u32| match self.domains[domain as usize] {
            Clock::Periodic(clock) if clock.jitter_ps == 0 => Some(clock),
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
    /// they had been sent within a latency and a synchronizer's edges. There are at most
    ///
    /// ```text
    /// young = ceil((latency + edges * longest step) / shortest step)
    /// ```
    ///
    /// of them, and at most `capacity` on each other link of the ring. From then on each step of each node
    /// takes a word from the ring and sends at most one, so that the ring of n never holds more than
    /// (n - 1) * capacity + young. With a capacity of young + 1 it can't be full: n * capacity is more.
    /// Two nodes with a capacity of `young` can fill both their links, and wait forever.
    pub fn least_capacity_words(&self) -> u64 {
        let steps = || self.domains.iter().map(Clock::step_ps);
        let shortest_ps = steps().map(|(shortest, _)| shortest).min().unwrap_or(1);
        let longest_ps = steps().map(|(_, longest)| longest).max().unwrap_or(1);
        let crosses = (1..self.domains.len()).any(|domain| !self.share(0, domain as u32));
        let edges = if crosses {
            self.links.synchronizer_edges
        } else {
            0
        };
        let hidden_ps =
            u128::from(self.links.latency_ps) + u128::from(edges) * u128::from(longest_ps);
        let young = hidden_ps.div_ceil(u128::from(shortest_ps));
        u64::try_from(young).unwrap_or(u64::MAX).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_timed_steps_add_up() {
        let delay = |least_ps, most_ps| Delay { least_ps, most_ps };
        let clock = Clock::SelfTimed(SelfTimed {
            phase_ps: 5,
            word: delay(300, 500),
            decision: delay(400, 900),
            nothing: delay(200, 250),
        });
        assert_eq!(clock.span_ps(7), (7 * 200, 7 * 900));
    }
}
