//! The rows of `flitwork study crossing` as text and figures.

use super::places::starts;
use super::{Crossing, CrossingRow};
use crate::axes::base_text;
use crate::contract::StudyFigure;
use crate::seeds::{counted, dash, distinct, with_whiskers};
use crate::seen;
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::Aligned;

fn by_axis(rows: &[CrossingRow]) -> impl Iterator<Item = &[CrossingRow]> {
    rows.chunk_by(|one, other| one.place.axis == other.place.axis)
}

fn percent(part: Option<Estimate>) -> String {
    dash(part.map(|it| it.scaled(100.0)))
}

/// A table for each axis.
pub(super) fn crossing_text(asked: &Crossing, rows: &[CrossingRow]) -> String {
    let mut out = format!(
        "Crossing from clock to clock against one clock, {}, {} measured cycles; differences seed by seed, ± 95 % intervals\n",
        counted(asked.repeats.seeds as usize, "seed"),
        asked.cycles,
    );
    out += &base_text(starts(asked).unwrap_or_default(), &asked.repeats.set);
    let latency = format!("latency at {}\ncycles", asked.low_load);
    let columns = Aligned::<CrossingRow>::new()
        .left("", 16, |it| it.place.value.clone())
        .behind(2)
        .left("router", 15, |it| it.place.point.router())
        .right("accepted\nwords/node/cycle", 18, |it| {
            dash(seen::over(&it.crossed[0], |run| run.accepted))
        })
        .right("lost\n%", 13, |it| percent(it.lost()))
        .right("by as long a trip\n%", 17, |it| {
            percent(it.lost_by_length())
        })
        .right("predicted\n%", 9, |it| {
            dash(
                it.place
                    .point
                    .predicted()
                    .map(|part| format!("{:.1}", 100.0 * part)),
            )
        })
        .right(&latency, 15, |it| dash(seen::latency(&it.crossed[1])))
        .right("more a hop\ncycles", 14, |it| dash(it.added_per_hop()));
    for axis in by_axis(rows) {
        out += &format!("\n{}\n{}", axis[0].place.axis, columns.text(axis));
    }
    out + "\nlost: of what is accepted under one clock, at overload. by as long a trip: the same under one clock, whose links are\n\
           longer, so that a word and its credit take as long as over the crossing. predicted: a loaded link of Chaos.\n"
}

/// What is lost over each axis of numbers; dashed, what as long a round trip loses under one clock.
pub(super) fn crossing_figures(rows: &[CrossingRow]) -> Vec<StudyFigure> {
    let mut all = Vec::new();
    for axis in by_axis(rows) {
        let name = axis[0].place.axis;
        let x_label = match name {
            "packet" => "packet length (words)",
            "edges" => "edges of a synchronizer",
            "buffer" => "words of a virtual channel",
            _ => continue,
        };
        let of = |router: &str, lost: fn(&CrossingRow) -> Option<Estimate>| {
            let own = axis.iter().filter(|row| row.place.point.router() == router);
            let means = own.filter_map(|row| Some((row.place.x, lost(row)?.scaled(100.0))));
            means.collect::<Vec<_>>()
        };
        let mut series: Vec<Series> = Vec::new();
        for router in distinct(axis.iter().map(|row| row.place.point.router())) {
            series.push(with_whiskers(
                router,
                Style::Curve,
                of(router, CrossingRow::lost),
            ));
            let by_length = of(router, CrossingRow::lost_by_length);
            let points = by_length
                .into_iter()
                .map(|(x, lost)| (x, lost.mean))
                .collect();
            let label = format!("{router}, one clock, as long a trip");
            series.push(Series::new(label, Style::Dashed, points));
        }
        let curves = Curves {
            title: "What crossing from clock to clock costs",
            x_label,
            y_label: "lost of the throughput under one clock (%)",
            series,
            ..Curves::default()
        };
        all.push((format!("crossing-{name}.svg"), curves.svg()));
    }
    all
}
