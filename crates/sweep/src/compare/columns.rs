//! What a comparison found, as columns: figures that it has once, the analyses, and the pairs.

use super::{Analysis, Comparison, Pair, Value};
use flitwork_measure::Estimate;
use flitwork_report::{Column, Found, Table, column};

impl Comparison {
    /// What JSON and the tables have. What is compared is in the unit of the column `unit`.
    pub fn found(&self) -> Found {
        Found {
            once: Some(Table::new("comparison", &once(), [self])),
            tables: vec![
                Table::new("analyses", &of_analysis(), &self.analyses),
                Table::new("pairs", &of_pair(), &self.pairs),
            ],
        }
    }
}

#[rustfmt::skip]
fn once() -> Vec<Column<Comparison>> {
    let mut all = vec![
        column("a", "", "the first configuration", |it: &Comparison| it.names[0].clone()),
        column("b", "", "the second one", |it: &Comparison| it.names[1].clone()),
        column("measure", "", "what they are compared by", |it: &Comparison| it.measure.comparison.name),
        column("unit", "", "its unit", |it: &Comparison| it.measure.unit),
        column("verdict", "", "what came out", |it: &Comparison| it.verdict.name()),
        column("reason", "", "why it can't be compared", |it: &Comparison| it.reason.clone()),
        column("confidence", "", "of the verdict", |it: &Comparison| it.confidence),
        column("analysis_confidence", "", "of each analysis' interval, so that all that were planned hold together", |it: &Comparison| it.analysis_confidence),
        column("analyses_planned", "", "how many analyses were planned", |it: &Comparison| it.analyses_planned),
    ];
    for (place, name, meaning) in [
        (0, "mean_a", "of the measure in A over the pairs"),
        (1, "mean_b", "of the measure in B over the pairs"),
        (2, "difference", "the mean of B - A over the pairs"),
    ] {
        let of = move |it: &Comparison| -> Option<Estimate> { Some(it.means?[place]) };
        all.push(column(name, "", meaning, move |it| Some(of(it)?.mean)));
        all.push(column(format!("{name}_half_width"), "", "half the width of its interval at `analysis_confidence`", move |it| of(it)?.half_width));
    }
    all.extend([
        column("correlation", "", "of A and B over the seeds", |it: &Comparison| it.correlation),
        column("variance_reduction", "", "how many times as many runs independent seeds would need for as narrow an interval", |it: &Comparison| it.variance_reduction),
        column("cycle_ps_a", "ps", "how long a cycle of A's nominal clock takes; with the engine `clocked`", |it: &Comparison| it.cycle_ps[0]),
        column("cycle_ps_b", "ps", "of B's", |it: &Comparison| it.cycle_ps[1]),
        column("same_packets", "", "whether both saw the same packets, as far as was checked with the first seed", |it: &Comparison| it.same_packets),
        column("packets_differ", "", "why not", |it: &Comparison| it.packets_differ.clone()),
        column("not_steady_a", "", "runs of A that weren't steady", |it: &Comparison| it.not_steady[0]),
        column("not_steady_b", "", "runs of B that weren't steady", |it: &Comparison| it.not_steady[1]),
        column("window_too_short_a", "", "runs of A whose window was too short to tell whether they were steady; they aren't among those that weren't", |it: &Comparison| it.too_short[0]),
        column("window_too_short_b", "", "runs of B of that kind", |it: &Comparison| it.too_short[1]),
        column("seeds_change_nothing", "", "whether all runs of A are the same, and all of B: then there is no interval, and the confidence has no meaning", |it: &Comparison| it.seeds_change_nothing),
    ]);
    all
}

#[rustfmt::skip]
fn of_analysis() -> [Column<Analysis>; 4] {
    [
        column("pairs", "", "pairs so far", |it: &Analysis| it.pairs),
        column("difference", "", "the mean of B - A", |it: &Analysis| it.difference),
        column("difference_lower", "", "where its interval begins", |it: &Analysis| Some(it.interval?[0])),
        column("difference_upper", "", "where it ends", |it: &Analysis| Some(it.interval?[1])),
    ]
}

#[rustfmt::skip]
fn of_pair() -> [Column<Pair>; 7] {
    let measured = |value: Value| match value {
        Value::Of(number) => Some(number),
        _ => None,
    };
    let transient = |value: Value| match value {
        Value::Transient(number) => Some(number),
        _ => None,
    };
    [
        column("seed", "", "the seed of all random draws", |it: &Pair| it.seed),
        column("a", "", "the measure in A; missing where its network was overloaded", move |it: &Pair| measured(it.of[0])),
        column("b", "", "the measure in B, likewise", move |it: &Pair| measured(it.of[1])),
        column("transient_a", "", "where A's network was overloaded, the measure of the packets that happened to be delivered: it says how long the run was", move |it: &Pair| transient(it.of[0])),
        column("transient_b", "", "the same of B", move |it: &Pair| transient(it.of[1])),
        column("reason_a", "", "why A's run wasn't steady, isn't known to be steady, or failed", |it: &Pair| it.reason_a.clone()),
        column("reason_b", "", "the same of B's", |it: &Pair| it.reason_b.clone()),
    ]
}
