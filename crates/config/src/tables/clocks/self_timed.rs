//! Nodes without clocks: `[clocks.self-timed]` and `[clocks.arbiter]`.

use super::common::{MAX_PERIOD_PS, SpreadLaw, spread_of};
use crate::clocks::table::Stage;
use crate::clocks::{GivenStages, SelfTimedParameters, Spread};
use flitwork_network::{Arbiter, Delay, Law};
use flitwork_schema::{
    Allowed, Between, Datum, Entry, Key, RawTable, Refusal, entries, key, only_with, settings,
};

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
struct GivenSteps {
    word: GivenDelay,
    decision: GivenDelay,
    allocation: GivenDelay,
    credit: GivenDelay,
    count_ps: u64,
    corner_percent: f64,
    spread: Option<SpreadLaw>,
    spread_percent: Option<f64>,
}

/// The stages that must be given, by keys or a table.
const NEEDED: [(&str, Stage); 2] = [("word_ps", Stage::Word), ("decision_ps", Stage::Decision)];

const DELAY: Allowed = Allowed::Range(1, MAX_PERIOD_PS);
const LAW: Allowed = Allowed::Choice(LawChoice::NAMES);

#[rustfmt::skip]
const SELF_TIMED: &[Key<GivenSteps>] = &[
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
const ARBITER: &[Key<Arbiter>] = &[
    key("window_ps", |it| &mut it.window_ps, Allowed::Whole(0, MAX_PERIOD_PS), "required", "requests that arrive within this many ps of each other leave the arbiter undecided for a time"),
    key("tau_ps", |it| &mut it.tau_ps, Allowed::Whole(1, MAX_PERIOD_PS), "required", "the mean of that time in ps; it is distributed exponentially, and drawn from the node's stream"),
];

/// The two tables.
#[rustfmt::skip]
pub(super) fn tables() -> [Entry; 2] {
    [
        Entry::table("self-timed", "nodes have oscillators", "all nodes but those of islands step without a clock: a step begins when something has come or is left to do and the last one is over, and lasts as long as the longest of the delays of what is done in it; instead of phase, spread, drift_ppm, jitter_ps, domains and block_sides", entries(SELF_TIMED)),
        Entry::table("arbiter", "decides at once", "the mutual exclusion between requests that come to a self-timed node without a common clock", entries(ARBITER)),
    ]
}

/// `[clocks.self-timed]`; `in_table` says whether a table gives a stage.
///
/// # Errors
/// A stage that is missing, a spread without its percentage.
pub(super) fn self_timed(
    given: &RawTable<'_>,
    in_table: impl Fn(Stage) -> bool,
) -> Result<SelfTimedParameters, Refusal> {
    for (key, stage) in NEEDED {
        if !in_table(stage) {
            given.needed::<Between>(key)?;
        }
    }
    let mut own = GivenSteps::default();
    given.set(SELF_TIMED, &mut own);
    let spread = spread_of(given, (own.spread.unwrap_or_default(), own.spread_percent))?;
    Ok(own.parameters(spread))
}

/// `[clocks.arbiter]`.
///
/// # Errors
/// A key that is missing.
pub(super) fn arbiter(given: &RawTable<'_>) -> Result<Arbiter, Refusal> {
    let mut arbiter = Arbiter {
        window_ps: given.needed("window_ps")?,
        tau_ps: given.needed("tau_ps")?,
    };
    given.set(ARBITER, &mut arbiter);
    Ok(arbiter)
}

impl SelfTimedParameters {
    /// The values of the keys that give these nodes.
    pub(super) fn settings(&self) -> Datum {
        let delays = &self.delays;
        let (spread, spread_percent) = self.spread.given();
        let given = GivenSteps {
            word: GivenDelay::of(delays.word),
            decision: GivenDelay::of(delays.decision),
            allocation: GivenDelay::of(delays.allocation),
            credit: GivenDelay::of(delays.credit),
            count_ps: self.count_ps,
            corner_percent: self.corner_percent,
            spread: Some(spread),
            spread_percent,
        };
        Datum::table(settings(SELF_TIMED, &given))
    }
}

/// The values of the keys that give an arbiter.
pub(super) fn of_arbiter(arbiter: &Arbiter) -> Datum {
    Datum::table(settings(ARBITER, arbiter))
}

impl GivenSteps {
    /// The nodes, with this spread.
    fn parameters(&self, spread: Spread) -> SelfTimedParameters {
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
