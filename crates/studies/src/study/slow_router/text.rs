//! The rows of `flitwork study slow-router` as text and figures.

use super::{SlowRouter, SlowRouterRow, places};
use crate::axes::base_text;
use crate::contract::StudyFigure;
use crate::seeds::{counted, dash, distinct, with_whiskers};
use crate::seen::{self, Of};
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::Aligned;

fn by_axis(rows: &[SlowRouterRow]) -> impl Iterator<Item = &[SlowRouterRow]> {
    rows.chunk_by(|one, other| one.place.axis == other.place.axis)
}

fn percent(part: Option<Estimate>) -> String {
    dash(part.map(|it| it.scaled(100.0)))
}

/// A table for each axis.
pub(super) fn slow_router_text(asked: &SlowRouter, rows: &[SlowRouterRow]) -> String {
    let mut out = format!(
        "A slow router against none, {}, {} measured cycles, packets of {} words, load {}; differences seed by seed, ± 95 % intervals\n",
        counted(asked.repeats.seeds as usize, "seed"),
        asked.cycles,
        asked.packet_words,
        asked.load,
    );
    let bases = places::starts(asked).unwrap_or_default();
    out += &base_text(bases, &asked.repeats.set);
    let served = |of: Of| move |it: &SlowRouterRow| dash(seen::over(&it.with, of));
    let mut columns = Aligned::<SlowRouterRow>::new()
        .left("", 18, |it| it.place.value.clone())
        .behind(2)
        .left("router", 15, |it| it.place.point.router())
        .right("accepted\nwords/node/cycle", 18, served(|run| run.accepted))
        .right("change\n%", 13, |it| {
            percent(seen::over(&it.with, |run| run.change))
        })
        .right("lost\n%", 14, |it| percent(it.lost_of_all()))
        .right("lost by others\n%", 14, |it| percent(it.lost_of_others()))
        .right("Jain,\nsources", 16, served(|run| run.source_jain))
        .right("worst source\n/mean", 16, served(|run| run.worst_source))
        .right("longest wait\ncycles", 12, served(|run| run.longest_wait));
    // At overload there is no latency.
    if rows.iter().any(|row| row.latency_without().is_some()) {
        columns = columns
            .right("latency\ncycles", 15, |it| dash(it.latency()))
            .right("longer by\n%", 14, |it| percent(it.longer()));
    }
    for axis in by_axis(rows) {
        out += &format!("\n{}\n{}", axis[0].place.axis, columns.text(axis));
    }
    out += "\nlost: of what is delivered without a slow router. by others: of words that neither come from it nor go to it.\n\
            change: of what is accepted, from the first to the second half of the window.\n";
    if rows.iter().any(|row| row.latency_without().is_some()) {
        out += "latency: of the steady runs, if they are most; longer by: than without a slow router.\n";
    }
    out + &distances(rows)
}

/// What sources lose by their distance from the slow router, at the point from which all axes start.
fn distances(rows: &[SlowRouterRow]) -> String {
    let starts = starts(rows);
    let Some(first) = starts.first() else {
        return String::new();
    };
    let name = |hops| match hops {
        0 => "slow one".to_owned(),
        1 => "1 hop away".to_owned(),
        hops => format!("{hops} away"),
    };
    let names: Vec<(u32, String)> = first.distances().map(|hops| (hops, name(hops))).collect();
    let mut columns = Aligned::<&SlowRouterRow>::new()
        .left("lost, % of words from sources", 30, |it| {
            it.place.point.router()
        })
        .behind(2);
    for (hops, name) in &names {
        columns = columns.right(name, 12, |it| percent(it.lost_at(*hops)));
    }
    let (axis, value) = (first.place.axis, &first.place.value);
    let table = columns.text(&starts);
    format!(
        "\nBy distance, {axis} {value}; of every row in the table `distances` of --out and --json\n{table}"
    )
}

/// The rows of the point from which all axes start, a router each: the first place of the first axis is not always there.
fn starts(rows: &[SlowRouterRow]) -> Vec<&SlowRouterRow> {
    let Some(axis) = rows
        .iter()
        .find(|row| row.place.axis == "factor")
        .or(rows.first())
    else {
        return Vec::new();
    };
    let own = rows.iter().filter(|row| row.place.axis == axis.place.axis);
    let own: Vec<&SlowRouterRow> = own.collect();
    // Of the factors the one that the other axes have.
    let others = rows.iter().find(|row| row.place.axis != "factor");
    let factor = others.map_or(axis.place.point.factor, |row| row.place.point.factor);
    let value = own.iter().find(|row| row.place.point.factor == factor);
    let value = value.map_or(&axis.place.value, |row| &row.place.value);
    own.iter()
        .filter(|row| row.place.value == *value)
        .copied()
        .collect()
}

/// What is lost over each axis of numbers, and over the distance.
pub(super) fn slow_router_figures(rows: &[SlowRouterRow]) -> Vec<StudyFigure> {
    let mut all = Vec::new();
    for axis in by_axis(rows) {
        let name = axis[0].place.axis;
        let x_label = match name {
            "factor" => "period of the slow router (others' periods)",
            "threshold" => "stall threshold (cycles)",
            "network" => "side of the network (nodes)",
            _ => continue,
        };
        let key = |row: &SlowRouterRow| {
            let topology = (name == "network").then(|| row.place.point.panel.topology.clone());
            (row.place.point.router(), topology)
        };
        let lines = distinct(axis.iter().map(key)).into_iter().map(|of| {
            let own = axis.iter().filter(|row| key(row) == of);
            let means = own.filter_map(|row| Some((row.place.x, row.lost_of_all()?.scaled(100.0))));
            let label = match &of.1 {
                Some(topology) => format!("{}, {topology}", of.0),
                None => of.0.to_owned(),
            };
            with_whiskers(label, Style::Curve, means)
        });
        all.push(figure(name, x_label, lines.collect()));
    }
    let starts = starts(rows);
    let lines = starts.iter().map(|row| {
        let means = row
            .distances()
            .filter_map(|hops| Some((hops, row.lost_at(hops)?.scaled(100.0))));
        with_whiskers(row.place.point.router(), Style::Curve, means)
    });
    let lines: Vec<Series> = lines.collect();
    if !lines.is_empty() {
        all.push(figure(
            "distance",
            "distance of the source from the slow router (hops)",
            lines,
        ));
    }
    all
}

fn figure(name: &str, x_label: &str, series: Vec<Series>) -> StudyFigure {
    let curves = Curves {
        title: "What is lost by a slow router",
        x_label,
        y_label: "lost of what is delivered without it (%)",
        series,
        ..Curves::default()
    };
    (format!("slow-router-{name}.svg"), curves.svg())
}
