//! How long the stages of a self-timed node take.

use std::sync::Arc;

/// How a delay that isn't fixed is drawn between its least and its most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Law {
    /// Uniformly, anew in each step.
    #[default]
    Uniform,
    /// Normally, anew in each step: the mean is in the middle, and the least and the most are three standard
    /// deviations away; what would lie beyond is drawn again.
    Normal,
    /// By the word or the packet that it is spent on, uniformly: the same packet's same word takes the same
    /// fraction of the range in every step.
    Data,
}

flitwork_schema::named!(Law { Uniform = "uniform", Normal = "normal", Data = "data" });

/// A delay, in ps: fixed if its least is its most, else drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    /// The shortest, at least 1.
    pub least_ps: u64,
    /// The longest.
    pub most_ps: u64,
    /// How it is drawn.
    pub law: Law,
}

impl Delay {
    /// One that is always the same.
    pub const fn fixed(ps: u64) -> Delay {
        Delay::uniform(ps, ps)
    }

    /// One that is drawn uniformly.
    pub const fn uniform(least_ps: u64, most_ps: u64) -> Delay {
        Delay {
            least_ps,
            most_ps,
            law: Law::Uniform,
        }
    }
}

/// The delays of the stages behind one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StageDelays {
    /// A word through a frame or buffer: it arrives at the port, leaves there, or moves within the node into the
    /// output frame there.
    pub word: Delay,
    /// A decision that sends a packet to the port.
    pub decision: Delay,
    /// What such a decision takes in addition where it allocates a virtual channel of the port, or a frame of the
    /// central queue; nothing if `None`.
    pub allocation: Option<Delay>,
    /// A credit that leaves at the port; no time if `None`.
    pub credit: Option<Delay>,
}

impl StageDelays {
    /// All that there are.
    pub fn all(&self) -> impl Iterator<Item = Delay> {
        let always = [self.word, self.decision].into_iter();
        always.chain(self.allocation).chain(self.credit)
    }

    /// The longest that a step with anything of this may take, in ps.
    pub fn longest_ps(&self) -> u64 {
        let allocation = self.allocation.map_or(0, |delay| delay.most_ps);
        let decision = self.decision.most_ps.saturating_add(allocation);
        let credit = self.credit.map_or(0, |delay| delay.most_ps);
        self.word.most_ps.max(decision).max(credit)
    }
}

/// The delays of a node's stages: one entry for all ports, or one for each, in their order, the local port after
/// the links and the central queue last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDelays(Vec<StageDelays>);

impl NodeDelays {
    /// The same for all ports.
    pub fn alike(delays: StageDelays) -> NodeDelays {
        NodeDelays(vec![delays])
    }

    /// One for each of the links, the local port and the central queue, in this order.
    ///
    /// # Panics
    /// If there is none.
    pub fn by_port(delays: Vec<StageDelays>) -> NodeDelays {
        assert!(!delays.is_empty(), "a node has ports");
        NodeDelays(delays)
    }

    /// Those of a port, by its number; the central queue has the one after the local port.
    #[inline]
    pub fn of(&self, port: usize) -> &StageDelays {
        match &self.0[..] {
            [alike] => alike,
            ports => &ports[port],
        }
    }

    /// All that there are.
    pub fn all(&self) -> &[StageDelays] {
        &self.0
    }
}

/// A mutual exclusion, which decides between requests that come without a common clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arbiter {
    /// Requests that lie no further apart than this, in ps, leave it undecided for a time.
    pub window_ps: u64,
    /// The mean of that time, in ps; it is distributed exponentially.
    pub tau_ps: u64,
}

impl Arbiter {
    /// The longest that it is ever undecided, in ps: a draw has 53 bits, and an exponential one is below 54 ln 2 = 37.4
    /// of its mean.
    pub const fn longest_ps(self) -> u64 {
        self.tau_ps.saturating_mul(38)
    }
}

/// A node without a clock. Its next step begins when something has come or is left to do and its last step is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTimed {
    /// What the stages take.
    pub delays: Arc<NodeDelays>,
    /// How much longer all of it takes in this node, in parts per billion: 10^9 leaves it as it is.
    pub scale_ppb: u64,
    /// A cycle in which the router only counts, in ps; 0 if such cycles take no time.
    pub count_ps: u64,
    /// What decides between requests; none if it is always decided at once.
    pub arbiter: Option<Arbiter>,
}

/// A billion: the scale of a node that is neither slow nor fast.
pub const ONE_PPB: u64 = 1_000_000_000;

impl SelfTimed {
    /// A node whose ports have these delays, and that takes them as they are.
    pub fn new(delays: StageDelays) -> SelfTimed {
        SelfTimed {
            delays: Arc::new(NodeDelays::alike(delays)),
            scale_ppb: ONE_PPB,
            count_ps: 0,
            arbiter: None,
        }
    }

    /// A delay as it is in this node: scaled, rounded to the ps, and at least 1 ps.
    #[inline]
    pub fn scaled_ps(&self, ps: u64) -> u64 {
        if self.scale_ppb == ONE_PPB {
            return ps;
        }
        let parts = u128::from(ps) * u128::from(self.scale_ppb) + u128::from(ONE_PPB / 2);
        u64::try_from(parts / u128::from(ONE_PPB)).map_or(u64::MAX, |ps| ps.max(1))
    }

    /// The least that a step in which a word moves may take, in ps.
    pub fn least_word_ps(&self) -> u64 {
        let words = self.delays.all().iter().map(|port| port.word.least_ps);
        self.scaled_ps(words.min().unwrap_or(1)).max(1)
    }

    /// The most that a step may take, in ps, as long as its arbiter decides at once.
    pub fn longest_ps(&self) -> u64 {
        let ports = self.delays.all().iter().map(StageDelays::longest_ps);
        self.scaled_ps(ports.max().unwrap_or(1)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 333 ps by 1.5 is 499.5, which rounds up; 1 ps by a tenth is still a ps.
    #[test]
    fn delays_are_scaled_to_the_ps() {
        let stages = StageDelays {
            word: Delay::uniform(333, 1000),
            decision: Delay::fixed(700),
            allocation: Some(Delay::fixed(400)),
            credit: None,
        };
        let scaled = |scale_ppb| SelfTimed {
            scale_ppb,
            ..SelfTimed::new(stages)
        };
        assert_eq!(scaled(1_500_000_000).scaled_ps(333), 500);
        assert_eq!(scaled(1_500_000_000).least_word_ps(), 500);
        assert_eq!(scaled(100_000_000).scaled_ps(1), 1);
        // A decision with its allocation takes 1,100 ps, longer than a word.
        assert_eq!(scaled(ONE_PPB).longest_ps(), 1100);
        assert_eq!(scaled(2 * ONE_PPB).longest_ps(), 2200);
        assert_eq!(scaled(u64::MAX).scaled_ps(u64::MAX), u64::MAX);
    }
}
