//! Nodes without clocks: `[clocks.self-timed]` and `[clocks.arbiter]`.

use super::common::{MAX_PERIOD_PS, hold_spread};
use crate::clocks::table::Stage;
use crate::clocks::{SelfTimedParameters, SpreadLaw};
use flitwork_network::{Arbiter, Law};
use flitwork_schema::{Allowed, Between, Entry, Key, RawTable, Refusal, entries, key, only_with};

/// The stages that must be given, by keys or a table.
const NEEDED: [(&str, Stage); 2] = [("word_ps", Stage::Word), ("decision_ps", Stage::Decision)];

const DELAY: Allowed = Allowed::Range(1, MAX_PERIOD_PS);
const LAW: Allowed = Allowed::Choice(Law::NAMES);

#[rustfmt::skip]
pub(super) const SELF_TIMED: &[Key<SelfTimedParameters>] = &[
    key("word_ps", |it| &mut it.delays[Stage::Word as usize].ps, DELAY, "required unless clocks.delays.file gives it", "ps that a word takes through a frame or buffer: to arrive, to leave, or to move from frame to frame within a node"),
    only_with("clocks.self-timed.word_ps = [least, most]", key("word_law", |it| &mut it.delays[Stage::Word as usize].law, LAW, "\"uniform\"", "how a delay between a least and a most is drawn: uniform and normal, anew in each step, normal with the least and the most three standard deviations from the mean; data, by the word or the packet that it is spent on")),
    key("decision_ps", |it| &mut it.delays[Stage::Decision as usize].ps, DELAY, "required unless clocks.delays.file gives it", "ps of a decision that sends a packet on within the node"),
    only_with("clocks.self-timed.decision_ps = [least, most]", key("decision_law", |it| &mut it.delays[Stage::Decision as usize].law, LAW, "\"uniform\"", "the same for decisions")),
    key("allocation_ps", |it| &mut it.delays[Stage::Allocation as usize].ps, DELAY, "no time", "ps that a decision takes in addition if it allocates a virtual channel or a frame of the multiqueue"),
    only_with("clocks.self-timed.allocation_ps = [least, most]", key("allocation_law", |it| &mut it.delays[Stage::Allocation as usize].law, LAW, "\"uniform\"", "the same for allocations")),
    key("credit_ps", |it| &mut it.delays[Stage::Credit as usize].ps, DELAY, "no time", "ps to make a credit that leaves"),
    only_with("clocks.self-timed.credit_ps = [least, most]", key("credit_law", |it| &mut it.delays[Stage::Credit as usize].law, LAW, "\"uniform\"", "the same for credits")),
    key("count_ps", |it| &mut it.count_ps, Allowed::Whole(0, MAX_PERIOD_PS), "0", "ps of a cycle in which a router only counts: towards a packet's stall threshold, or through a pipeline stage of several cycles"),
    key("corner_percent", |it| &mut it.corner_percent, Allowed::Number(-99.0, 1000.0, "percent of the delays"), "0", "how much longer (positive) or shorter all of these delays are in every node: the corner of process, voltage and temperature"),
    key("spread", |it| &mut it.spread.law, Allowed::Choice(SpreadLaw::NAMES), "\"none\"", "how the delays of a node, all together, are distributed around those of the corner; drawn for each node"),
    only_with("clocks.self-timed.spread = \"uniform\" or \"normal\"", key("spread_percent", |it| &mut it.spread.percent, Allowed::Below(0.0, 100.0, "percent of the delays"), "required for uniform and normal", "how far the delays of nodes lie from the corner's: at most this far for uniform; for normal it is the standard deviation, and none lies further than three of them")),
];

#[rustfmt::skip]
pub(super) const ARBITER: &[Key<Arbiter>] = &[
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
    let mut own: SelfTimedParameters = given.parameters(SELF_TIMED)?;
    for stage in &mut own.delays {
        // What is always the same is drawn by no law.
        let is_drawn = stage.ps.is_some_and(|ps| ps.least < ps.most);
        stage.law = is_drawn.then(|| stage.law.unwrap_or_default());
    }
    hold_spread(given, &mut own.spread)?;
    Ok(own)
}
