//! Nodes without clocks as they are configured: `[clocks.self-timed]` and `[clocks.arbiter]`.

use super::Spread;
use super::keys::{MAX_PERIOD_PS, SpreadLaw};
use super::table::Stage;
use flitwork_network::{Arbiter, Delay, Law, StageDelays};
use flitwork_schema::{Allowed, Between, Datum, Entry, Key, entries, key, only_with, settings};

/// Self-timed nodes: what their stages take, and how that differs from node to node.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfTimedParameters {
    /// What the stages of a node take that is neither slow nor fast, at all its ports, unless a table says it.
    pub delays: GivenStages,
    /// A cycle in which the router only counts, in ps, 0 to 10^9.
    pub count_ps: u64,
    /// How much longer all of it takes in every node, in percent, -99 to 1,000.
    pub corner_percent: f64,
    /// How much longer it takes in each node, relative to the corner.
    pub spread: Spread,
}

/// What keys give of the stages' delays: all that no table gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenStages {
    /// A word through a frame or buffer.
    pub word: Option<Delay>,
    /// A decision.
    pub decision: Option<Delay>,
    /// An allocation; no time if nothing gives it.
    pub allocation: Option<Delay>,
    /// A credit; no time if nothing gives it.
    pub credit: Option<Delay>,
}

impl From<StageDelays> for GivenStages {
    fn from(delays: StageDelays) -> GivenStages {
        GivenStages {
            word: Some(delays.word),
            decision: Some(delays.decision),
            allocation: delays.allocation,
            credit: delays.credit,
        }
    }
}

impl SelfTimedParameters {
    /// Nodes that are all alike.
    pub fn new(delays: StageDelays) -> SelfTimedParameters {
        SelfTimedParameters {
            delays: delays.into(),
            count_ps: 0,
            corner_percent: 0.0,
            spread: Spread::None,
        }
    }
}

/// A [`Law`] as keys name it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum LawChoice {
    #[default]
    Uniform,
    Normal,
    Data,
}

flitwork_schema::named!(LawChoice { Uniform = "uniform", Normal = "normal", Data = "data" });

impl LawChoice {
    fn law(self) -> Law {
        match self {
            LawChoice::Uniform => Law::Uniform,
            LawChoice::Normal => Law::Normal,
            LawChoice::Data => Law::Data,
        }
    }

    fn of(law: Law) -> LawChoice {
        match law {
            Law::Uniform => LawChoice::Uniform,
            Law::Normal => LawChoice::Normal,
            Law::Data => LawChoice::Data,
        }
    }
}

/// What is given of a stage.
#[derive(Clone, Copy, Debug, Default)]
struct GivenDelay {
    ps: Option<Between>,
    law: Option<LawChoice>,
}

impl GivenDelay {
    fn of(delay: Option<Delay>) -> GivenDelay {
        let ps = delay.map(|delay| Between {
            least: delay.least_ps,
            most: delay.most_ps,
        });
        let is_drawn = |delay: &Delay| delay.least_ps < delay.most_ps;
        GivenDelay {
            ps,
            law: delay.filter(is_drawn).map(|it| LawChoice::of(it.law)),
        }
    }

    fn delay(self) -> Option<Delay> {
        self.ps.map(|ps| Delay {
            least_ps: ps.least,
            most_ps: ps.most,
            law: self.law.unwrap_or_default().law(),
        })
    }
}

/// What `[clocks.self-timed]` gives.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GivenSteps {
    word: GivenDelay,
    decision: GivenDelay,
    allocation: GivenDelay,
    credit: GivenDelay,
    count_ps: u64,
    corner_percent: f64,
    pub(crate) spread: Option<SpreadLaw>,
    pub(crate) spread_percent: Option<f64>,
}

/// The stages that must be given, by keys or a table.
pub(crate) const NEEDED: [(&str, Stage); 2] =
    [("word_ps", Stage::Word), ("decision_ps", Stage::Decision)];

const DELAY: Allowed = Allowed::Range(1, MAX_PERIOD_PS);
const LAW: Allowed = Allowed::Choice(LawChoice::NAMES);

#[rustfmt::skip]
pub(crate) const SELF_TIMED: &[Key<GivenSteps>] = &[
    key("word_ps", |it| &mut it.word.ps, DELAY, "required unless clocks.delays.file gives it", "ps that a word takes through a frame or buffer: to arrive, to leave, or to move from frame to frame within a node"),
    only_with("clocks.self-timed.word_ps = [least, most]", key("word_law", |it| &mut it.word.law, LAW, "\"uniform\"", "how a delay between a least and a most is drawn: uniform and normal, anew in each step, normal with the least and the most three standard deviations from the mean; data, by the word or the packet that it is spent on")),
    key("decision_ps", |it| &mut it.decision.ps, DELAY, "required unless clocks.delays.file gives it", "ps of a decision that sends a packet on within the node"),
    only_with("clocks.self-timed.decision_ps = [least, most]", key("decision_law", |it| &mut it.decision.law, LAW, "\"uniform\"", "the same for decisions")),
    key("allocation_ps", |it| &mut it.allocation.ps, DELAY, "no time", "ps that a decision takes in addition if it allocates a virtual channel or a frame of the multiqueue"),
    only_with("clocks.self-timed.allocation_ps = [least, most]", key("allocation_law", |it| &mut it.allocation.law, LAW, "\"uniform\"", "the same for allocations")),
    key("credit_ps", |it| &mut it.credit.ps, DELAY, "no time", "ps to make a credit that leaves"),
    only_with("clocks.self-timed.credit_ps = [least, most]", key("credit_law", |it| &mut it.credit.law, LAW, "\"uniform\"", "the same for credits")),
    key("count_ps", |it| &mut it.count_ps, Allowed::Whole(0, MAX_PERIOD_PS), "0", "ps of a cycle in which a router only counts: towards a packet's stall threshold, or through a pipeline stage of several cycles"),
    key("corner_percent", |it| &mut it.corner_percent, Allowed::Number(-99.0, 1000.0, "percent of the delays"), "0", "how much longer (positive) or shorter all of these delays are in every node: the corner of process, voltage and temperature"),
    key("spread", |it| &mut it.spread, Allowed::Choice(SpreadLaw::NAMES), "\"none\"", "how the delays of a node, all together, are distributed around those of the corner; drawn for each node"),
    only_with("clocks.self-timed.spread = \"uniform\" or \"normal\"", key("spread_percent", |it| &mut it.spread_percent, Allowed::Below(0.0, 100.0, "percent of the delays"), "required for uniform and normal", "how far the delays of nodes lie from the corner's: at most this far for uniform; for normal it is the standard deviation, and none lies further than three of them")),
];

#[rustfmt::skip]
pub(crate) const ARBITER: &[Key<Arbiter>] = &[
    key("window_ps", |it| &mut it.window_ps, Allowed::Whole(0, MAX_PERIOD_PS), "required", "requests that arrive within this many ps of each other leave the arbiter undecided for a time"),
    key("tau_ps", |it| &mut it.tau_ps, Allowed::Whole(1, MAX_PERIOD_PS), "required", "the mean of that time in ps; it is distributed exponentially, and drawn from the node's stream"),
];

/// The two tables.
#[rustfmt::skip]
pub(crate) fn tables() -> [Entry; 2] {
    [
        Entry::table("self-timed", "nodes have oscillators", "all nodes but those of islands step without a clock: a step begins when something has come or is left to do and the last one is over, and lasts as long as the longest of the delays of what is done in it; instead of phase, spread, drift_ppm, jitter_ps, domains and block_sides", entries(SELF_TIMED)),
        Entry::table("arbiter", "decides at once", "the mutual exclusion between requests that come to a self-timed node without a common clock", entries(ARBITER)),
    ]
}

impl GivenSteps {
    /// The values of the keys that give these nodes.
    pub(crate) fn settings(steps: &SelfTimedParameters) -> Vec<(&'static str, Datum)> {
        let delays = &steps.delays;
        let (spread, spread_percent) = steps.spread.given();
        let given = GivenSteps {
            word: GivenDelay::of(delays.word),
            decision: GivenDelay::of(delays.decision),
            allocation: GivenDelay::of(delays.allocation),
            credit: GivenDelay::of(delays.credit),
            count_ps: steps.count_ps,
            corner_percent: steps.corner_percent,
            spread: Some(spread),
            spread_percent,
        };
        settings(SELF_TIMED, &given)
    }

    /// The nodes, with this spread.
    pub(crate) fn parameters(&self, spread: Spread) -> SelfTimedParameters {
        SelfTimedParameters {
            delays: GivenStages {
                word: self.word.delay(),
                decision: self.decision.delay(),
                allocation: self.allocation.delay(),
                credit: self.credit.delay(),
            },
            count_ps: self.count_ps,
            corner_percent: self.corner_percent,
            spread,
        }
    }
}
