//! Energy of the window's work: the counts that it is proportional to, and joules by the user's table.

use flitwork_config::EnergyParameters;
use flitwork_node::Datapath;
use flitwork_observe::Activity;

/// Movements of words in the window, over all nodes.
#[derive(Clone, Debug)]
pub struct Energy {
    /// Words written into buffers.
    pub buffer_write_words: u64,
    /// Words read from buffers.
    pub buffer_read_words: u64,
    /// Words through crossbars.
    pub crossbar_words: u64,
    /// Words over links.
    pub link_words: u64,
    /// Heads, or packets, that were routed onward.
    pub decisions: u64,
    /// Nodes times cycles.
    pub node_cycles: u64,
    /// Words delivered.
    pub delivered_words: u64,
    /// Its cost, if the configuration has `[energy]`.
    pub joules: Option<Joules>,
}

/// Energy in joules; `None` for what the configuration does not price.
#[derive(Clone, Debug, PartialEq)]
pub struct Joules {
    /// Words written.
    pub buffer_write: Option<f64>,
    /// Words read.
    pub buffer_read: Option<f64>,
    /// Words through crossbars.
    pub crossbar: Option<f64>,
    /// Words over links.
    pub link: Option<f64>,
    /// Decisions.
    pub decision: Option<f64>,
    /// Nodes, whether they do anything or not.
    pub leak: Option<f64>,
    /// The sum of the priced parts.
    pub total: f64,
    /// The sum per delivered word.
    pub per_delivered_word: Option<f64>,
}

impl Energy {
    pub(super) fn of(
        activity: &Activity,
        datapath: &Datapath,
        node_cycles: u64,
        prices: &EnergyParameters,
    ) -> Energy {
        let work = activity.work(datapath);
        let mut energy = Energy {
            buffer_write_words: work.writes,
            buffer_read_words: work.reads,
            crossbar_words: work.crossings,
            link_words: activity.link_words,
            decisions: activity.decisions,
            node_cycles,
            delivered_words: activity.delivered_words,
            joules: None,
        };
        energy.joules = prices.any().then(|| energy.priced(prices));
        energy
    }

    fn priced(&self, prices: &EnergyParameters) -> Joules {
        let cost = |count: u64, pj: Option<f64>| pj.map(|pj| count as f64 * pj * 1e-12);
        let mut joules = Joules {
            buffer_write: cost(self.buffer_write_words, prices.buffer_write_pj),
            buffer_read: cost(self.buffer_read_words, prices.buffer_read_pj),
            crossbar: cost(self.crossbar_words, prices.crossbar_pj),
            link: cost(self.link_words, prices.link_pj),
            decision: cost(self.decisions, prices.decision_pj),
            leak: cost(self.node_cycles, prices.leak_pj_per_node_cycle),
            total: 0.0,
            per_delivered_word: None,
        };
        joules.total = joules.parts().iter().filter_map(|(_, part)| *part).sum();
        let delivered = (self.delivered_words > 0).then_some(self.delivered_words as f64);
        joules.per_delivered_word = delivered.map(|words| joules.total / words);
        joules
    }

    /// The counts, with their names and units.
    pub(super) fn counts(&self) -> [(&'static str, u64); 6] {
        [
            ("buffer_write_words", self.buffer_write_words),
            ("buffer_read_words", self.buffer_read_words),
            ("crossbar_words", self.crossbar_words),
            ("link_words", self.link_words),
            ("decisions", self.decisions),
            ("node_cycles", self.node_cycles),
        ]
    }
}

impl Joules {
    /// The parts of the sum.
    pub(super) fn parts(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("buffer writes", self.buffer_write),
            ("buffer reads", self.buffer_read),
            ("crossbars", self.crossbar),
            ("links", self.link),
            ("decisions", self.decision),
            ("leakage", self.leak),
        ]
    }
}
