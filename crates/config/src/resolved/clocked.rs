//! A configuration on the clocked engine.

use super::network::{Timing, handed_over_words};
use super::{EngineChoice, Resolved};
use crate::clocks::{ClockParameters, Stepping};
use flitwork_network::{Handshake, LinkTiming};

impl Resolved {
    /// The most that a step of any self-timed node may take by its delays, in ps, as long as arbiters decide at once;
    /// `None` if no node is self-timed.
    pub fn longest_step_ps(&self) -> Option<u64> {
        let is_self_timed = matches!(self.clocks.stepping, Stepping::SelfTimed(_));
        if self.run.engine != EngineChoice::Clocked || !is_self_timed {
            return None;
        }
        let pace = self.clocks.pace(&self.network.shape, self.run.seed);
        pace.map(|pace| pace.longest_ps)
    }

    /// The same on the clocked engine with these clocks and synchronizers. A link's latency is
    /// that in cycles of the nominal clock, and its capacity is the default for these clocks.
    pub fn clocked(mut self, clocks: ClockParameters, synchronizer_edges: u32) -> Resolved {
        let network = &self.network;
        let timing = Timing {
            credit_words: self.router.credit_words(),
            period_ps: clocks.period_ps,
            pace: clocks.whole_pace(&network.shape, self.run.seed),
            drawn: Some((&clocks, self.run.seed)),
            clocks: None,
        };
        let latency_ps = u64::from(network.link_latency_cycles) * clocks.period_ps;
        let mut links = LinkTiming::wires(latency_ps, 1, synchronizer_edges);
        (links.capacity_words, _) = timing.capacity_words(&network.shape, &links);
        self.network.links = links;
        self.network.crossings.clear();
        self.run.engine = EngineChoice::Clocked;
        self.clocks = clocks;
        self.network.unread = self.network.unread_keys(&self.clocks, &self.clocks());
        self
    }

    /// The same on the clocked engine with links over which words are handed over, and the capacity that they need.
    #[must_use]
    pub fn handing_over(mut self, handshake: Handshake) -> Resolved {
        self.network.links.handshake = Some(handshake);
        let (words, _) = handed_over_words(self.router.credit_words(), &self.clocks());
        self.network.links.capacity_words = words;
        self
    }
}
