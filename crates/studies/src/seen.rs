//! What runs come to, seed by seed: their figures, means over seeds, and differences by pairs of runs with one seed.

#[cfg(test)]
mod tests;

use crate::seeds::over_seeds;
use flitwork_measure::{Estimate, Shares};
use flitwork_report::{Column, column, estimate};
use flitwork_results::Results;

/// The figures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) seed: u64,
    pub(crate) offered: Option<f64>,
    pub(crate) accepted: Option<f64>,
    pub(crate) served: Served,
    pub(crate) latency: Option<f64>,
    pub(crate) deroutes_per_hop: Option<f64>,
    /// Links that a packet crosses, mean.
    pub(crate) hops: Option<f64>,
    pub(crate) is_steady: bool,
    pub(crate) is_saturated: bool,
    pub(crate) has_failed: bool,
    /// Words per cycle that were delivered from each terminal.
    pub(crate) sent: Vec<f64>,
    /// And to each.
    pub(crate) got: Vec<f64>,
}

/// Who is served in a run, and whether that lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Served {
    /// By how much the second half of the window accepted more than the first, as a part of that.
    pub(crate) change: Option<f64>,
    pub(crate) source_jain: Option<f64>,
    /// What the worst source got of the mean.
    pub(crate) worst_source: Option<f64>,
    pub(crate) worst_destination: Option<f64>,
    pub(crate) longest_wait: Option<f64>,
}

impl Served {
    pub(crate) fn of(results: &Results) -> Served {
        let fairness = &results.fairness;
        let worst = |shares: Option<Shares>| {
            let shares = shares?;
            Some(shares.min.value / shares.mean).filter(|part| part.is_finite())
        };
        let halves = results.load.as_ref().and_then(|load| load.halves);
        Served {
            change: halves
                .map(|halves| halves.change.mean)
                .filter(|it| it.is_finite()),
            source_jain: fairness.by_source.and_then(|shares| shares.jain),
            worst_source: worst(fairness.by_source),
            worst_destination: worst(fairness.by_destination),
            longest_wait: fairness.longest_wait.map(|wait| wait.cycles.into()),
        }
    }
}

impl std::ops::Deref for Seen {
    type Target = Served;

    fn deref(&self) -> &Served {
        &self.served
    }
}

/// A figure of a run.
pub(crate) type Of = fn(&Seen) -> Option<f64>;

impl Seen {
    pub(crate) fn of(results: &Results) -> Seen {
        let finite = |estimate: Estimate| Some(estimate.mean).filter(|mean| mean.is_finite());
        let load = results.load.as_ref();
        let fairness = &results.fairness;
        let has_failed = results.failure.is_some();
        let is_unsteady = results.steady.is_some_and(|steady| !steady.is_steady());
        let cycles = f64::from(results.measured_cycles.max(1));
        let per_cycle = |words: &[u64]| words.iter().map(|it| *it as f64 / cycles).collect();
        Seen {
            seed: results.seed,
            offered: load.and_then(|load| finite(load.offered)),
            accepted: load.and_then(|load| finite(load.accepted)),
            served: Served::of(results),
            // Of an overloaded network, that of its window, which grows with the window's length.
            latency: results.latency.mean_or_window().and_then(finite),
            deroutes_per_hop: results.deroutes_per_hop,
            hops: results.hops_per_packet,
            is_steady: !has_failed && !is_unsteady,
            is_saturated: results.steady.is_some() && results.is_saturated(),
            has_failed,
            sent: per_cycle(&fairness.sent),
            got: per_cycle(&fairness.got),
        }
    }
}

impl Seen {
    /// The same of a run at any point.
    pub(crate) fn found<P>(_: &P, results: &Results) -> Option<Seen> {
        Some(Seen::of(results))
    }
}

/// How many runs are so.
pub(crate) fn count(runs: &[Seen], is: fn(&Seen) -> bool) -> u32 {
    runs.iter().filter(|run| is(run)).count() as u32
}

/// Whether most runs were steady.
pub(crate) fn is_steady(runs: &[Seen]) -> bool {
    2 * count(runs, |run| run.is_steady) as usize > runs.len()
}

/// A figure's mean over the runs that have it.
pub(crate) fn over(runs: &[Seen], of: Of) -> Option<Estimate> {
    over_seeds(runs.iter().filter_map(of))
}

/// The latency of the steady runs, where they are most of them; elsewhere of all, which reflects the length of the window.
pub(crate) fn latency(runs: &[Seen]) -> Option<Estimate> {
    let all = !is_steady(runs);
    let counted = runs.iter().filter(|run| run.is_steady || all);
    over_seeds(counted.filter_map(|run| run.latency))
}

/// By how much a figure is more in some runs than in others, as a part of the others', seed by seed: a seed that only one has doesn't
/// count, nor does a figure of 0 there.
pub(crate) fn more(
    runs: &[Seen],
    than: &[Seen],
    of: impl Fn(&Seen) -> Option<f64>,
) -> Option<Estimate> {
    let ratio = |run: &Seen| {
        let other = than.iter().find(|other| other.seed == run.seed)?;
        Some(of(run)? / of(other)? - 1.0).filter(|it| it.is_finite())
    };
    over_seeds(runs.iter().filter_map(ratio))
}

/// Whether an estimate differs from 0 by more than its interval, and by more than `least`.
pub(crate) fn differs(change: Estimate, least: f64) -> bool {
    let chance = change.half_width.unwrap_or(f64::INFINITY);
    change.mean.abs() > chance.max(least)
}

/// The changes that matter: more than a hundredth.
pub(crate) const MATERIAL: f64 = 0.01;

/// The columns of a run with one seed.
#[rustfmt::skip]
pub(crate) fn seed_columns<R>(of: impl Fn(&R) -> &Seen + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    const LOAD: &str = "words/node/cycle";
    vec![
        column("seed", "", "the seed of all random draws", move |it| of(it).seed),
        column("offered_load_words_per_node_cycle", LOAD, "what the sources made in the window", move |it| of(it).offered),
        column("accepted_load_words_per_node_cycle", LOAD, "what was delivered in the window", move |it| of(it).accepted),
        column("accepted_change", "", CHANGE, move |it| of(it).change),
        column("latency_mean_cycles", "cycles", "from creation to delivery; of an overload that of the packets delivered in the window", move |it| of(it).latency),
        column("deroutes_per_hop", "", "of all hops in the window", move |it| of(it).deroutes_per_hop),
        column("source_jain", "", JAIN, move |it| of(it).source_jain),
        column("source_worst_part", "", WORST_SOURCE, move |it| of(it).worst_source),
        column("destination_worst_part", "", WORST_DESTINATION, move |it| of(it).worst_destination),
        column("source_longest_wait_cycles", "cycles", LONGEST_WAIT, move |it| of(it).longest_wait),
        column("steady", "", "whether the run was steady", move |it| of(it).is_steady),
        column("saturated", "", "whether its network was saturated", move |it| of(it).is_saturated),
        column("failed", "", "whether its network failed", move |it| of(it).has_failed),
    ]
}

const CHANGE: &str =
    "by how much the second half of the window accepted more than the first, as a part of that";
const JAIN: &str = "Jain's index of what was delivered from each source: 1 where all got the same";
const WORST_SOURCE: &str = "what was delivered from the worst source, as a part of the mean";
const WORST_DESTINATION: &str =
    "what was delivered to the worst destination, as a part of the mean";
const LONGEST_WAIT: &str = "the longest in the window that a source with a packet to send waited until it entered the network";

/// The columns of who is served in a run with one seed; waits are in this unit.
#[rustfmt::skip]
pub(crate) fn served_seed_columns<R>(unit: &'static str, of: impl Fn(&R) -> Served + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("accepted_change", "", CHANGE, move |it| of(it).change),
        column("source_jain", "", JAIN, move |it| of(it).source_jain),
        column("source_worst_part", "", WORST_SOURCE, move |it| of(it).worst_source),
        column("destination_worst_part", "", WORST_DESTINATION, move |it| of(it).worst_destination),
        column(format!("source_longest_wait_{unit}"), unit, LONGEST_WAIT, move |it| of(it).longest_wait),
    ]
}

/// The columns of who is served, over seeds, and of whether that lasts.
pub(crate) fn fairness_columns<R: 'static>(
    of: impl Fn(&R) -> &[Seen] + Copy + Send + Sync + 'static,
) -> Vec<Column<R>> {
    served_columns("cycles", move |it| {
        of(it).iter().map(|run| run.served).collect()
    })
}

/// The same of runs of which no more is known; waits are in this unit.
#[rustfmt::skip]
pub(crate) fn served_columns<R: 'static>(unit: &'static str, of: impl Fn(&R) -> Vec<Served> + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    let over = move |it: &R, figure: fn(&Served) -> Option<f64>| served_over(&of(it), figure);
    let mut all = Vec::new();
    all.extend(estimate(("accepted_change", "accepted_change"), "", CHANGE, move |it| over(it, |run| run.change)));
    all.extend(estimate(("source_jain", "source_jain"), "", JAIN, move |it| over(it, |run| run.source_jain)));
    all.extend(estimate(("source_worst_part", "source_worst_part"), "", WORST_SOURCE, move |it| over(it, |run| run.worst_source)));
    all.extend(estimate(("destination_worst_part", "destination_worst_part"), "", WORST_DESTINATION, move |it| over(it, |run| run.worst_destination)));
    all.extend(estimate(("source_longest_wait_mean", "source_longest_wait"), unit, LONGEST_WAIT, move |it| over(it, |run| run.longest_wait)));
    all
}

/// The mean over the runs that have a figure of who is served.
pub(crate) fn served_over(runs: &[Served], of: fn(&Served) -> Option<f64>) -> Option<Estimate> {
    over_seeds(runs.iter().filter_map(of))
}
