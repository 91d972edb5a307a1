//! The study's figures.

use super::{by_network, network};
use crate::contract::StudyFigure;
use crate::seeds::{distinct, with_whiskers};
use crate::study::self_timed::SelfTimedRow;
use crate::study::self_timed::costs::Spent;
use crate::study::self_timed::pairs::{Pair, pairs};
use crate::study::self_timed::place::{Design, Load, Timing};
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Style};

/// What is drawn over the spread, as a change in percent.
struct Shown {
    name: &'static str,
    label: &'static str,
    of: fn(&Pair<'_>) -> Option<Estimate>,
}

const SHOWN: [Shown; 2] = [
    Shown {
        name: "accepted",
        label: "accepted at overload, self-timed against (%)",
        of: |it| it.accepted(),
    },
    Shown {
        name: "latency",
        label: "latency at the low load, self-timed against (%)",
        of: |it| it.latency(),
    },
];

/// For each router, network and link length: what self-timing changes about throughput and latency over the spread, and energy.
pub(in crate::study::self_timed) fn self_timed_figures(rows: &[SelfTimedRow]) -> Vec<StudyFigure> {
    by_network(rows)
        .flat_map(|rows| {
            let changes = SHOWN.iter().map(move |shown| changes(rows, shown));
            changes.chain([energy(rows)])
        })
        .collect()
}

fn name(rows: &[SelfTimedRow], what: &str) -> String {
    let place = &rows[0].place;
    let (router, topology, length) = (place.router.name, &place.topology, place.length);
    format!("self-timed-{router}-{topology}-{length}-{what}.svg")
}

/// A curve for each clock and corner: gates change neither latency nor throughput.
fn changes(rows: &[SelfTimedRow], shown: &Shown) -> StudyFigure {
    let all = pairs(rows);
    let key = |pair: &Pair<'_>| (pair.against.place.design.timing, pair.own.place.corner);
    let curve = |of: (Timing, Option<f64>)| {
        let own = all.iter().filter(|pair| key(pair) == of);
        let points = own.filter_map(|pair| {
            let ratio = (shown.of)(pair)?;
            let change = Estimate {
                mean: ratio.mean - 1.0,
                ..ratio
            };
            Some((pair.own.place.spread, change.scaled(100.0)))
        });
        // A clock with gates and one without have the same points.
        let mut points: Vec<(f64, Estimate)> = points.collect();
        points.dedup_by(|one, other| one.0 == other.0);
        let clock = match of.0 {
            Timing::Clocked => "a clock for the slowest corner",
            Timing::Binned => "the chip's own clock",
            Timing::Average | Timing::SelfTimed => "a clock of the mean step",
        };
        let corner = of.1.unwrap_or_default();
        let name = format!("{clock}, chip at {corner:+} %");
        with_whiskers(name, Style::Curve, points)
    };
    let curves = Curves {
        title: &network(rows),
        x_label: "spread of nodes' delays (%)",
        y_label: shown.label,
        series: distinct(all.iter().map(key))
            .into_iter()
            .map(curve)
            .collect(),
        ..Curves::default()
    };
    (name(rows, shown.name), curves.svg())
}

/// All energy at the low load over the spread, of each design in the corner nearest to the typical one: at overload clocks tick for
/// words, and curves lie on each other.
fn energy(rows: &[SelfTimedRow]) -> StudyFigure {
    let corners = rows.iter().filter_map(|row| row.place.corner);
    let typical = corners.min_by(|one, other| one.abs().total_cmp(&other.abs()));
    let is_shown = |row: &&SelfTimedRow| row.place.corner.is_none() || row.place.corner == typical;
    let shown: Vec<&SelfTimedRow> = rows.iter().filter(is_shown).collect();
    let designs = distinct(shown.iter().map(|row| row.place.design));
    let curve = |design: Design| {
        let own = shown.iter().filter(|row| row.place.design == design);
        let points = own.filter_map(|row| {
            let spent = row.energy(Load::Low, Spent::total)?;
            Some((row.place.spread, spent))
        });
        with_whiskers(design.name(), Style::Curve, points)
    };
    let curves = Curves {
        title: &network(rows),
        x_label: "spread of nodes' delays (%)",
        y_label: "energy at the low load (pJ/word)",
        series: designs.into_iter().map(curve).collect(),
        ..Curves::default()
    };
    (name(rows, "energy"), curves.svg())
}
