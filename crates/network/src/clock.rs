//! When nodes step and when links deliver, where there is no clock that all share.
//!
//! Time is in whole picoseconds from the start of the run. A clock belongs to a domain, and every node
//! to one domain.

/// The clocks of a network's nodes and the timing of its links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The period of the nominal clock, in ps: the unit in which time is told as cycles.
    pub nominal_ps: u64,
    /// The clock of each domain.
    pub domains: Vec<Clock>,
    /// The domain of each node, an index into `domains`.
    pub domain_of: Vec<u32>,
    /// What all links are like.
    pub links: LinkTiming,
    /// Keys jitter and the delays of self-timed nodes.
    pub seed: u64,
}

/// What makes the nodes of a domain step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// An oscillator.
    Periodic(Periodic),
    /// No oscillator: the end of a step begins the next. A domain of its own for each node.
    SelfTimed(SelfTimed),
}

/// An oscillator. Its tick k is at
/// `phase + floor(k * period * (1 + drift)) + (a draw from 0 to jitter)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// From one tick to the next, in ps; at least 1.
    pub period_ps: u64,
    /// The first tick, in ps.
    pub phase_ps: u64,
    /// How much slower (positive) or faster than its period the oscillator runs, in parts per billion.
    pub drift_ppb: i32,
    /// How late a tick may come, in ps; below the period, so that ticks stay in order.
    pub jitter_ps: u64,
}

/// A self-timed node: each step takes the longest of the delays for what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfTimed {
    /// When the first step begins, in ps.
    pub phase_ps: u64,
    /// A step in which a word came in or went out.
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
    /// From the tick in which a word or a credit leaves until it stands at the far end, in ps; at least 1.
    pub latency_ps: u64,
    /// How many words may be under way or wait at the far end, at least 1.
    pub capacity_words: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing; none where both ends
    /// share a clock.
    pub synchronizer_edges: u32,
}

impl Clocks {
    /// Whether two domains tick at the same instants, so that nothing need be synchronized between them.
    pub fn share(&self, one: u32, other: u32) -> bool {
        let steady = |domain: u32| match self.domains[domain as usize] {
            Clock::Periodic(clock) if clock.jitter_ps == 0 => Some(clock),
            _ => None,
        };
        one == other || steady(one).is_some_and(|clock| steady(other) == Some(clock))
    }
}
