//! The study of self-timed routers as text and as figures.

use super::{Design, SelfTimed, SelfTimedRow, StudyFigure};
use crate::seeds::{counted, dash, distinct, with_whiskers};
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::Aligned;
use std::fmt::Write;

/// The rows of a router on a network with links of a length, over spreads and designs.
fn by_network(rows: &[SelfTimedRow]) -> impl Iterator<Item = &[SelfTimedRow]> {
    let key = |row: &SelfTimedRow| {
        (
            row.place.router.name,
            row.place.topology.clone(),
            row.place.length,
        )
    };
    rows.chunk_by(move |one, other| key(one) == key(other))
}

fn network(rows: &[SelfTimedRow]) -> String {
    let place = &rows[0].place;
    let segments = counted(place.length as usize, "segment");
    format!(
        "{}, {}, links of {segments}",
        place.router.name, place.topology
    )
}

/// What a design is called: "clocked, 1430 ps", "self-timed, typical".
fn design(row: &SelfTimedRow) -> String {
    match row.place.design {
        Design::Clocked { period_ps, .. } => format!("clocked, {period_ps} ps"),
        Design::SelfTimed { corner } => format!("self-timed, {corner:+} %"),
    }
}

/// The clocked design that a row is compared with, which comes first for each spread.
fn clocked<'a>(rows: &'a [SelfTimedRow], row: &SelfTimedRow) -> Option<&'a SelfTimedRow> {
    rows.iter().find(|other| {
        other.place.spread == row.place.spread
            && matches!(other.place.design, Design::Clocked { .. })
    })
}

/// How much more or less than the clocked design, in percent.
fn change(
    rows: &[SelfTimedRow],
    row: &SelfTimedRow,
    of: fn(&SelfTimedRow) -> Option<f64>,
) -> String {
    let base = clocked(rows, row).and_then(of);
    match (base, of(row), row.place.design) {
        (Some(base), Some(own), Design::SelfTimed { .. }) => {
            format!("{:+.1}", 100.0 * (own / base - 1.0))
        }
        _ => String::new(),
    }
}

/// A table for each router, network and link length.
pub(super) fn self_timed_text(asked: &SelfTimed, rows: &[SelfTimedRow]) -> String {
    let mut out = format!(
        "{0} x {0} nodes, packets of 10 words, uniform traffic, {1}, {2} ns measured, ± 95 % intervals.\n\
         A step takes {3} to {4} ps, a segment of a link {5} ps, in the typical corner. The clock covers the slowest node of\n\
         the slowest corner; self-timed links are {6}, with a latch between two segments. Latency and energy at {7}\n\
         words/node/ns; energy of clocks ({8} pJ a node and tick) or handshakes ({9} pJ a transition) alone.\n",
        asked.side,
        counted(asked.seeds as usize, "seed"),
        asked.time,
        asked.step.first().copied().unwrap_or_default(),
        asked.step.last().copied().unwrap_or_default(),
        asked.segment,
        asked.protocol,
        asked.low_load,
        asked.clock_pj,
        asked.transition_pj,
    );
    for rows in by_network(rows) {
        let columns = Aligned::<SelfTimedRow>::new()
            .left("spread\n%", 7, |it| it.place.spread)
            .left("design", 20, design)
            .right("latency\nns", 16, |it| dash(it.latency))
            .right("%", 7, |it| change(rows, it, |it| Some(it.latency?.mean)))
            .right("accepted\nwords/node/ns", 18, |it| it.accepted)
            .right("%", 7, |it| change(rows, it, |it| Some(it.accepted.mean)))
            .right("energy\npJ/word", 16, |it| dash(it.low_energy))
            .right("at overload\npJ/word", 16, |it| dash(it.overload_energy));
        let _ = write!(out, "\n{}\n{}", network(rows), columns.text(rows));
    }
    out
}

/// What is drawn over the spread.
struct Shown {
    name: &'static str,
    label: &'static str,
    of: fn(&SelfTimedRow) -> Option<Estimate>,
}

const SHOWN: [Shown; 3] = [
    Shown {
        name: "accepted",
        label: "accepted at overload (words/node/ns)",
        of: |it| Some(it.accepted),
    },
    Shown {
        name: "latency",
        label: "latency at the low load (ns)",
        of: |it| it.latency,
    },
    Shown {
        name: "energy",
        label: "energy of keeping time at the low load (pJ/word)",
        of: |it| it.low_energy,
    },
];

/// For each router, network and link length: throughput, latency and energy over the spread.
pub(super) fn self_timed_figures(rows: &[SelfTimedRow]) -> Vec<StudyFigure> {
    let figure = |rows: &[SelfTimedRow], shown: &Shown| {
        let place = &rows[0].place;
        let (router, topology, length) = (place.router.name, &place.topology, place.length);
        let title = network(rows);
        let curves = Curves {
            title: &title,
            x_label: "spread of nodes' delays (%)",
            y_label: shown.label,
            series: series(rows, shown),
            ..Curves::default()
        };
        let name = format!("self-timed-{router}-{topology}-{length}-{}.svg", shown.name);
        (name, curves.svg())
    };
    let all = by_network(rows);
    all.flat_map(|rows| SHOWN.iter().map(move |shown| figure(rows, shown)))
        .collect()
}

/// A curve for the clocked design, and one for each corner.
fn series(rows: &[SelfTimedRow], shown: &Shown) -> Vec<Series> {
    let corners = distinct(rows.iter().map(|row| row.place.corner()));
    let curve = |corner: Option<f64>| {
        let own = rows.iter().filter(|row| row.place.corner() == corner);
        let points = own.filter_map(|row| Some((row.place.spread, (shown.of)(row)?)));
        let name = match corner {
            None => "clocked for the slowest".into(),
            Some(corner) => format!("self-timed, delays {corner:+} %"),
        };
        with_whiskers(name, Style::Curve, points)
    };
    corners.into_iter().map(curve).collect()
}
