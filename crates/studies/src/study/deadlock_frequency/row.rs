//! A row of the table: a place on an axis with all of its runs, against the place from which the axis starts.

use super::places::{Place, Run};
use crate::lifetimes::{LEVEL, Lifetimes, RunOf, RunsOf, Watched, lifetimes};
use crate::seeds::over_seeds;
use flitwork_measure::{Constancy, Estimate, Interval, LogRank, Rate, holm};
use flitwork_report::{Column, column};

/// Rates are of so many cycles.
pub(super) const RATE_CYCLES: f64 = 100_000.0;
/// Or of so many packets.
const RATE_PACKETS: f64 = 1_000_000.0;

/// What else is seen of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Knotted {
    /// Packets that were delivered until then, or until the deadline.
    pub(super) delivered: u64,
    /// Links of the circle.
    pub(super) circle: Option<u32>,
    /// Waits of the knot.
    pub(super) stuck: Option<u32>,
}

/// A place against the one from which all axes start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Against {
    /// How many times as often it deadlocks.
    pub(super) ratio: Option<Interval>,
    /// The same by delivered packets instead of cycles.
    pub(super) by_packets: Option<Interval>,
    /// How likely it is that the times differ so by chance, by the log-rank test.
    pub(super) probability: Option<f64>,
    /// The same, corrected for all comparisons of a router on an axis.
    pub(super) corrected: Option<f64>,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(in crate::study) struct FrequencyRow {
    pub(super) place: Place,
    pub(super) lifetimes: Lifetimes<Knotted>,
    /// Over all runs.
    pub(super) rate: Rate,
    pub(super) constancy: Option<Constancy>,
    /// None of the start itself.
    pub(super) against: Option<Against>,
    nodes: f64,
}

impl FrequencyRow {
    pub(super) fn deadlocked(&self) -> u64 {
        self.rate.count
    }

    fn deadlocked_part(&self) -> Option<Interval> {
        Interval::of_part(self.rate.count, self.lifetimes.runs.len() as u64, LEVEL)
    }

    /// Of 100,000 cycles.
    pub(super) fn mean_rate(&self) -> Option<f64> {
        Some(self.rate.mean()? * RATE_CYCLES)
    }

    pub(super) fn rate_interval(&self) -> Option<Interval> {
        Some(self.rate.interval(LEVEL)?.scaled(RATE_CYCLES))
    }

    /// Of so many delivered packets.
    fn by_packets(&self) -> Rate {
        by_packets(self.rate, &self.lifetimes.runs)
    }

    /// What is delivered until the deadlock, or the deadline, in words per node and cycle.
    pub(super) fn accepted(&self) -> Option<Estimate> {
        let words = f64::from(self.place.point.words) / self.nodes;
        let deadline = self.rate.exposure;
        let runs = self.lifetimes.runs.iter();
        // Short runs say little: the mean is weighted by their time.
        let packets: f64 = runs.map(|run| run.seen.delivered as f64).sum();
        over_seeds((deadline > 0.0).then(|| packets * words / deadline))
    }

    fn mean_of(&self, of: impl Fn(&Knotted) -> Option<u32>) -> Option<f64> {
        let all = self.lifetimes.runs.iter();
        over_seeds(all.filter_map(|run| Some(of(&run.seen)?.into()))).map(|it| it.mean)
    }

    pub(super) fn circle(&self) -> Option<f64> {
        self.mean_of(|seen| seen.circle)
    }
}

/// A rate of as many events by delivered packets.
fn by_packets(rate: Rate, runs: &[Watched<Knotted>]) -> Rate {
    let packets: f64 = runs.iter().map(|run| run.seen.delivered as f64).sum();
    Rate {
        exposure: packets,
        ..rate
    }
}

/// The rows of all places whose runs are whole, and whose start's are.
pub(super) fn rows_of(
    places: Vec<Place>,
    starts: &[Run],
    ran: &[RunsOf<Run, Knotted>],
    deadline: u32,
) -> Vec<FrequencyRow> {
    let runs_of = |run: &Run| -> Option<&Vec<Watched<Knotted>>> {
        let found = ran.iter().find(|(it, _)| it == run)?;
        Some(&found.1)
    };
    let rows = places.into_iter().filter_map(|place| {
        let start = starts.iter().find(|it| it.kind == place.point.kind)?;
        let (runs, of_start) = (runs_of(&place.point)?, runs_of(start)?);
        let own = lifetimes(runs, deadline);
        let rate = Rate::of(&own);
        let against = (place.point != *start).then(|| {
            let others = lifetimes(of_start, deadline);
            let of_others = Rate::of(&others);
            let per_packet = by_packets(rate, runs);
            Against {
                ratio: rate.ratio(&of_others, LEVEL),
                by_packets: per_packet.ratio(&by_packets(of_others, of_start), LEVEL),
                probability: LogRank::of(&own, &others).map(|it| it.probability),
                corrected: None,
            }
        });
        let side = f64::from(place.point.side);
        Some(FrequencyRow {
            lifetimes: Lifetimes::new(runs.clone(), deadline),
            constancy: Constancy::of(&own),
            nodes: side * side,
            rate,
            against,
            place,
        })
    });
    let mut rows: Vec<FrequencyRow> = rows.collect();
    correct(&mut rows);
    rows
}

/// Corrects the probabilities of a router's comparisons on an axis, all together.
fn correct(rows: &mut [FrequencyRow]) {
    let family = |row: &FrequencyRow| (row.place.axis, row.place.point.kind);
    let families = crate::seeds::distinct(rows.iter().map(family));
    for of in families {
        let own = rows.iter_mut().filter(|row| family(row) == of);
        let tested =
            own.filter_map(|row| row.against.as_mut().filter(|it| it.probability.is_some()));
        let mut tested: Vec<&mut Against> = tested.collect();
        let probabilities: Vec<f64> = tested.iter().filter_map(|it| it.probability).collect();
        for (against, corrected) in tested.iter_mut().zip(holm(&probabilities)) {
            against.corrected = Some(corrected);
        }
    }
}

/// The columns of a place.
#[rustfmt::skip]
pub(super) fn place_columns<R: 'static>(of: impl Fn(&R) -> &Place + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("axis", "", "what is varied", move |it| of(it).axis),
        column("value", "", "its value", move |it| of(it).value.clone()),
        column("router", "", "`minimal-chaos` or `wormhole`", move |it| of(it).point.router()),
        column("multiqueue_frames", "packets", "frames of the multiqueue; missing of wormholes", move |it| of(it).point.frames()),
        column("stall_threshold_cycles", "cycles", "of Chaos; missing of wormholes", move |it| of(it).point.threshold()),
        column("vcs", "", "virtual channels of a link; missing of Chaos", move |it| of(it).point.channels()),
        column("adaptivity", "", "where packets may go", move |it| of(it).point.adaptivity.name()),
        column("packet_words", "words", "per packet", move |it| of(it).point.words),
        column("topology", "", "`mesh` or `torus`", move |it| of(it).point.topology),
        column("side", "nodes", "of the square network", move |it| of(it).point.side),
        column("pattern", "", "the traffic pattern", move |it| of(it).point.pattern.clone()),
        column("load_words_per_node_cycle", "words/node/cycle", "what each source offers", move |it| of(it).point.load),
        column("timing", "", "what makes nodes differ", move |it| of(it).point.timed.timing.name()),
        column("timing_value", "", "how much: percent of a period, or parts per million for `drift`; missing for others", move |it| of(it).point.timed.shown_value()),
        column("synchronizer_edges", "edges", "of the receiver's clock at a crossing; missing without clocks that differ", move |it| of(it).point.timed.shown_edges()),
    ]
}

/// The columns of the table.
#[rustfmt::skip]
pub(super) fn row_columns() -> Vec<Column<FrequencyRow>> {
    type Row = FrequencyRow;
    let against = |of: fn(&Against) -> Option<f64>| move |it: &Row| it.against.as_ref().and_then(of);
    let mut all = place_columns(|it: &Row| &it.place);
    all.extend([
        column("seeds", "", "runs: one per seed", |it: &Row| it.lifetimes.runs.len() as u64),
        column("deadlocked_seeds", "", "of them, those with a deadlock by the deadline", Row::deadlocked),
        column("deadlocked_part_low", "", "the lower end of the exact 95 % interval of their part (Clopper and Pearson 1934)", |it: &Row| it.deadlocked_part().map(|it| it.low)),
        column("deadlocked_part_high", "", "its upper end", |it: &Row| it.deadlocked_part().map(|it| it.high)),
        column("deadlock_median_cycles", "cycles", "until the first knot of half of the seeds; missing if more have none", |it: &Row| it.lifetimes.survival.median()),
        column("watched_cycles", "cycles", "over all seeds, until their deadlocks or the deadline", |it: &Row| it.rate.exposure),
        column("deadlocks_per_100000_cycles", "", "deadlocks of all seeds over the cycles for which they were watched", Row::mean_rate),
        column("deadlocks_per_100000_cycles_low", "", "the lower end of its 95 % interval, exact for a constant rate (Garwood 1936)", |it: &Row| it.rate_interval().map(|it| it.low)),
        column("deadlocks_per_100000_cycles_high", "", "its upper end", |it: &Row| it.rate_interval().map(|it| it.high)),
        column("deadlocks_per_million_packets", "", "the same over the packets that were delivered meanwhile", |it: &Row| Some(it.by_packets().mean()? * RATE_PACKETS)),
        column("deadlocks_per_million_packets_low", "", "the lower end of its 95 % interval", |it: &Row| Some(it.by_packets().interval(LEVEL)?.low * RATE_PACKETS)),
        column("deadlocks_per_million_packets_high", "", "its upper end", |it: &Row| Some(it.by_packets().interval(LEVEL)?.high * RATE_PACKETS)),
        column("total_time_part", "", "up to which part of all watched cycles deadlocks come, in the mean: 1/2 at a constant rate, more if it rises with age", |it: &Row| it.constancy.map(|it| it.mean_part)),
        column("constant_rate_probability", "", "how likely that part is to be as far from 1/2 at a constant rate (Epstein 1960); missing with fewer than four deadlocks", |it: &Row| it.constancy.map(|it| it.probability)),
        column("ratio_low", "", "how many times as often it deadlocks as the router does at the point from which axes start: the lower end of the exact 95 % interval (Przyborowski and Wilenski 1940); missing at that point", against(|it| it.ratio.map(|it| it.low))),
        column("ratio_high", "", "its upper end; missing where the router doesn't deadlock there", against(|it| it.ratio.map(|it| it.high).filter(|it| it.is_finite()))),
        column("ratio_by_packets_low", "", "the same as ratio_low by delivered packets instead of cycles", against(|it| it.by_packets.map(|it| it.low))),
        column("ratio_by_packets_high", "", "its upper end", against(|it| it.by_packets.map(|it| it.high).filter(|it| it.is_finite()))),
        column("logrank_probability", "", "how likely such a difference of times is by chance (log-rank test, Mantel 1966)", against(|it| it.probability)),
        column("logrank_probability_corrected", "", "the same, corrected for all values of the axis with the router (Holm 1979)", against(|it| it.corrected)),
        column("accepted_load_words_per_node_cycle", "words/node/cycle", "what was delivered meanwhile", |it: &Row| it.accepted().map(|it| it.mean)),
        column("circle_links_mean", "links", "of the circle in which packets wait for each other, mean over the deadlocks", Row::circle),
        column("knot_waits_mean", "", "waits of the packets that never move again when the first knot closes, mean over the deadlocks", |it: &Row| it.mean_of(|seen| seen.stuck)),
    ]);
    all
}

/// The columns of what else is seen of a run.
#[rustfmt::skip]
pub(super) fn seen_columns() -> Vec<Column<RunOf<Place, Knotted>>> {
    vec![
        column("delivered_packets", "packets", "until then, or until the deadline", |it: &RunOf<Place, Knotted>| it.1.seen.delivered),
        column("circle_links", "links", "of the circle in which packets wait for each other; missing without a deadlock", |it: &RunOf<Place, Knotted>| it.1.seen.circle),
        column("knot_waits", "", "waits of the packets that never move again when the first knot closes; missing without a deadlock", |it: &RunOf<Place, Knotted>| it.1.seen.stuck),
    ]
}
