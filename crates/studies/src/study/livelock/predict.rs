//! What is predicted of a setting's seeds, beside what was seen.

use super::Seen;
use super::drift::drift_median_cycles;
use super::rounds::{Rules, first_escape_ps};
use super::setting::{Router, Setting};
use crate::lifetimes::Watched;
use crate::timing::Timing;
use flitwork_config::Resolved;
use flitwork_measure::{Lifetime, Survival};
use flitwork_network::{Clock, Periodic};

/// From a decision until the head is in its new frame, of the preset that the study's routers have.
pub(super) const DECISION_CYCLES: u64 = 3;

/// What is known of all seeds of a setting, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Prediction {
    /// The first delivery of half of the seeds.
    pub(super) first: Option<u64>,
    /// When a packet of half of them gets past its neighbour by their clocks.
    pub(super) median: Option<u64>,
    /// The least, the median and the most of what was seen over what is predicted, by seed.
    pub(super) ratios: Option<(f64, f64, f64)>,
    /// The median by the mean lengths of rounds.
    pub(super) drift: Option<f64>,
}

impl Prediction {
    pub(super) fn new(setting: &Setting, runs: &[Watched<Seen>], deadline: u32) -> Prediction {
        let median = |of: &dyn Fn(&Seen) -> Option<u32>| {
            let lifetime = |run: &Watched<Seen>| Lifetime {
                time: of(&run.seen).unwrap_or(deadline).into(),
                ended: of(&run.seen).is_some(),
            };
            let all: Vec<Lifetime> = runs.iter().map(lifetime).collect();
            Survival::of(&all, crate::lifetimes::LEVEL).median()
        };
        let ratio = |run: &Watched<Seen>| {
            let predicted = run.seen.predicted.filter(|it| *it > 0)?;
            Some(f64::from(run.seen.first?) / f64::from(predicted))
        };
        let mut ratios: Vec<f64> = runs.iter().filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let middle = ratios.get(ratios.len() / 2).copied();
        Prediction {
            first: median(&|seen| seen.first),
            median: median(&|seen| seen.predicted),
            ratios: middle.and_then(|middle| Some((*ratios.first()?, middle, *ratios.last()?))),
            drift: drift_median_cycles(setting),
        }
    }

    /// What was seen, of routers with other rules.
    pub(super) fn only_seen(self) -> Prediction {
        Prediction {
            first: self.first,
            ..Prediction::default()
        }
    }
}

/// Whether each packet is known to go to and fro: one packet a node on a ring, at least two nodes on and no further east than west,
/// with one frame.
pub(super) fn goes_to_and_fro(setting: &Setting) -> bool {
    let network = &setting.network;
    let shift = network.ring_shift().map(u64::from);
    let goes_east = shift.is_some_and(|shift| shift >= 2 && 2 * shift <= network.sides.nodes());
    goes_east && network.packets == 1 && setting.router.frames == 1
}

/// Whether its rounds are known, too: those of clocks that keep their periods.
pub(super) fn has_rounds(setting: &Setting) -> bool {
    let timing = setting.timed.timing;
    let keeps = matches!(timing, Timing::Phases | Timing::Drift | Timing::Spread);
    keeps && goes_to_and_fro(setting)
}

/// When the first packet gets past its neighbour by a seed's clocks, in cycles.
pub(super) fn predicted_cycles(
    setting: &Setting,
    resolved: &Resolved,
    deadline: u32,
) -> Option<u32> {
    if !has_rounds(setting) {
        return None;
    }
    let clocks = resolved.clocks();
    let of_node = |domain: &u32| match &clocks.domains[*domain as usize] {
        Clock::Periodic(clock) => Some(clock.clone()),
        Clock::SelfTimed(_) => None,
    };
    let all: Option<Vec<Periodic>> = clocks.domain_of.iter().map(of_node).collect();
    let until_ps = u64::from(deadline) * clocks.nominal_ps;
    let rules = rules(setting, clocks.links.latency_ps);
    let escape_ps = first_escape_ps(&all?, rules, until_ps)?;
    u32::try_from(escape_ps / clocks.nominal_ps).ok()
}

/// The rules of a setting's rounds.
pub(super) fn rules(setting: &Setting, link_ps: u64) -> Rules {
    let Router {
        threshold, words, ..
    } = setting.router;
    let shift = setting.network.ring_shift().map(u64::from);
    Rules {
        words: words.into(),
        decision: DECISION_CYCLES,
        release: DECISION_CYCLES + u64::from(words),
        reopen: 0,
        threshold: threshold.into(),
        edges: setting.timed.edges.into(),
        link_ps,
        opposite: shift.is_some_and(|shift| 2 * shift == setting.network.sides.nodes()),
    }
}
