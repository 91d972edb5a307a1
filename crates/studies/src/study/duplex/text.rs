//! The study of duplex as text, with its verdict, and as figures.

use super::{Duplex, DuplexRow, Place, SHOWN, StudyFigure};
use crate::axes::base_text;
use crate::seeds::{counted, dash, distinct, over_seeds, with_whiskers};
use crate::seen::served_over;
use flitwork_measure::Estimate;
use flitwork_plot::load_curves::{LoadCurves, Point, Shown};
use flitwork_plot::{Curves, Drawable, Style};
use flitwork_report::{Aligned, load_unit};
use std::fmt::Write;

/// The runs at one value of an axis with one router: at the low load and at overload, or at one of several loads.
type Pair<'a> = &'a [DuplexRow];

fn by_axis(rows: &[DuplexRow]) -> impl Iterator<Item = &[DuplexRow]> {
    rows.chunk_by(|one, other| one.place.axis == other.place.axis)
}

fn pairs(axis: &[DuplexRow]) -> impl Iterator<Item = Pair<'_>> {
    axis.chunk_by(|one, other| is_pair(&one.place, &other.place))
}

/// Whether both are of one router at one value of an axis.
pub(super) fn is_pair(one: &Place, other: &Place) -> bool {
    let key = |it: &Place| (it.axis, it.value.clone(), it.point.contender.name);
    key(one) == key(other)
}

fn router(pair: Pair<'_>) -> &'static str {
    pair[0].place.point.contender.name
}

/// At the lowest load of the pair.
fn low(pair: Pair<'_>) -> &DuplexRow {
    &pair[0]
}

/// At the highest.
fn high(pair: Pair<'_>) -> &DuplexRow {
    &pair[pair.len() - 1]
}

/// A table for each axis, and what they say about the claim.
pub(super) fn duplex_text(asked: &Duplex, rows: &[DuplexRow]) -> String {
    let mut out = format!(
        "{}, {} measured cycles, ± 95 % intervals. A half-duplex wire is as wide as the two full-duplex\n\
         ones in its place together: full-duplex packets have twice as many words, and all loads are in wide words.\n\
         change: of what is accepted at overload, from the first to the second half of the window.\n\
         Unless varied: packets of 20 wide words, 5 multiqueue frames, threshold 1, turnaround 0, {}, {}.\n",
        counted(asked.repeats.seeds as usize, "seed"),
        asked.cycles,
        first_network(asked),
        asked.patterns.first().map_or("", |pattern| pattern),
    );
    out += &base_text([""; 0], &asked.repeats.set);
    for axis in by_axis(rows) {
        let name = axis[0].place.axis;
        let table = match name {
            "load" => over_loads(axis),
            _ => at_both_loads(asked, axis),
        };
        let _ = write!(out, "\n{name}\n{table}");
        if name == "pattern" {
            out += &claim(axis);
        }
    }
    out
}

fn first_network(asked: &Duplex) -> String {
    let topology = asked.topologies.first().map_or("", |name| name);
    format!("{topology} of {0} x {0}", asked.side)
}

fn at_both_loads(asked: &Duplex, axis: &[DuplexRow]) -> String {
    let latency = format!("latency at {}\ncycles", asked.low_load);
    let columns = Aligned::<Pair<'_>>::new()
        .left("", 28, |it| it[0].place.value.clone())
        .behind(2)
        .left("router", 22, |it| router(it))
        .right(&latency, 18, |it| dash(low(it).latency))
        .right("accepted at overload\nwide words/node/cycle", 22, |it| {
            high(it).accepted
        })
        .right("change\n%", 13, |it| {
            let change = served_over(&high(it).served, |run| run.change);
            dash(change.map(|it| it.scaled(100.0)))
        })
        .right("wires used\n%", 12, |it| {
            format!("{:.1}", 100.0 * high(it).utilisation.mean)
        })
        .right("worst source\n/mean", 16, |it| {
            dash(served_over(&high(it).served, |run| run.worst_source))
        });
    columns.text(&pairs(axis).collect::<Vec<_>>())
}

fn over_loads(axis: &[DuplexRow]) -> String {
    let columns = Aligned::<DuplexRow>::new()
        .left("offered", 8, |it| it.place.value.clone())
        .left("router", 22, |it| it.place.point.contender.name)
        .right("latency\ncycles", 18, |it| dash(it.latency))
        .right("accepted\nwide words/node/cycle", 22, |it| it.accepted);
    columns.text(axis)
}

/// A pattern on a network, on Chaos with both kinds of links: by how many percent half duplex differs from full, seed by
/// seed.
struct Compared {
    value: String,
    /// Of the seeds that were steady on both, if any were.
    latency: Option<Estimate>,
    accepted: Option<Estimate>,
}

/// Whether an interval lies below 0, or above it, or says neither.
fn side(of: Option<Estimate>) -> Option<bool> {
    let of = of?;
    let half = of.half_width?;
    (of.mean.abs() > half).then_some(of.mean > 0.0)
}

impl Compared {
    /// Lower latency and more throughput, each beyond its interval.
    fn verdict(&self) -> &'static str {
        match (side(self.latency), side(self.accepted)) {
            (Some(false), Some(true)) => "yes",
            (Some(true), Some(false)) => "no: neither",
            (Some(true), _) => "no: higher latency",
            (_, Some(false)) => "no: less throughput",
            _ if self.latency.is_none() => "no steady latency",
            _ => "not distinguishable",
        }
    }
}

/// The difference in percent of values that belong together.
fn percent(values: impl Iterator<Item = (Option<f64>, Option<f64>)>) -> Option<Estimate> {
    let both = values.filter_map(|(half, full)| half.zip(full));
    over_seeds(both.map(|(half, full)| 100.0 * (half / full - 1.0)))
}

fn compared(axis: &[DuplexRow]) -> Vec<Compared> {
    let all: Vec<Pair<'_>> = pairs(axis).collect();
    let of = |half: &Pair<'_>| {
        let value = &half[0].place.value;
        let full = all.iter().find(|full| {
            let run = &full[0].place.point;
            full[0].place.value == *value && run.of_chaos(()).is_some() && !run.contender.is_half()
        })?;
        let (one, other) = (&low(half).latency_by_seed, &low(full).latency_by_seed);
        let latency = percent(one.iter().copied().zip(other.iter().copied()));
        let some = |row: &DuplexRow| row.accepted_by_seed.clone().into_iter().map(Some);
        Some(Compared {
            value: value.clone(),
            latency,
            accepted: percent(some(high(half)).zip(some(high(full)))),
        })
    };
    let halves = all
        .iter()
        .filter(|it| it[0].place.point.contender.is_half());
    halves.filter_map(of).collect()
}

/// The claim, pattern by pattern.
fn claim(axis: &[DuplexRow]) -> String {
    let compared = compared(axis);
    let columns = Aligned::<Compared>::new()
        .left("", 24, |it| it.value.clone())
        .behind(2)
        .right("latency\n%", 18, |it| signed(it.latency))
        .right("accepted\n%", 18, |it| signed(it.accepted))
        .right("holds", 22, Compared::verdict);
    let holds = compared.iter().filter(|it| it.verdict() == "yes").count();
    format!(
        "\nIzu, Beivide and Gregorio (2004): with as many wires, half duplex has the lower base latency and accepts\n\
         more than full duplex under most patterns. Chaos, half against full duplex, differences seed by seed:\n{}\
         It holds for {holds} of {}.\n",
        columns.text(&compared),
        compared.len(),
    )
}

fn signed(of: Option<Estimate>) -> String {
    dash(of.map(|of| match of.mean < 0.0 {
        true => of.to_string(),
        false => format!("+{of}"),
    }))
}

/// Over each axis that has numbers, what is accepted at overload, and the latency over the load; networks of each topology
/// in a figure of their own.
pub(super) fn duplex_figures(asked: &Duplex, rows: &[DuplexRow]) -> Vec<StudyFigure> {
    let axes = by_axis(rows).filter(|axis| axis[0].place.axis != "pattern");
    let topology = |row: &DuplexRow| row.place.point.panel.topology.clone();
    let parts = axes.flat_map(|axis| axis.chunk_by(|one, other| topology(one) == topology(other)));
    let figure = |axis: &[DuplexRow]| {
        let place = &axis[0].place;
        let name = match place.axis {
            "network" => format!("duplex-network-{}.svg", place.point.panel.topology),
            name => format!("duplex-{name}.svg"),
        };
        let svg = match place.axis {
            "load" => latency_figure(asked, axis),
            _ => accepted_figure(asked, axis),
        };
        (name, svg)
    };
    parts.map(figure).collect()
}

fn accepted_figure(asked: &Duplex, axis: &[DuplexRow]) -> String {
    let name = axis[0].place.axis;
    let curve_of = |row: &DuplexRow| {
        let run = &row.place.point;
        match name {
            "turnaround" if run.reopen == 1 => "decided on again after 1 cycle".to_owned(),
            "turnaround" => "after 1 cycle and the turnaround".to_owned(),
            _ => run.contender.name.to_owned(),
        }
    };
    let all: Vec<Pair<'_>> = pairs(axis).collect();
    let curves = distinct(all.iter().map(|it| curve_of(high(it))));
    let series = curves.iter().map(|curve| {
        let own = all.iter().map(|it| high(it));
        // Without a turnaround both are the same run.
        let is_of = |row: &&DuplexRow| {
            curve_of(row) == *curve || name == "turnaround" && row.place.point.turnaround == 0
        };
        let means = own.filter(is_of).map(|row| (row.place.x, row.accepted));
        with_whiskers(curve.clone(), Style::Curve, means)
    });
    let x_label = match name {
        "network" => "side of the network (nodes)",
        "packet" => "packet length (wide words)",
        "multiqueue" => "multiqueue (frames)",
        "threshold" => "stall threshold (cycles)",
        _ => "turnaround (cycles)",
    };
    let title = match name {
        "network" => format!(
            "Throughput at equal wires, {}",
            axis[0].place.point.panel.topology
        ),
        "turnaround" => format!("Chaos with half-duplex links, {}", first_network(asked)),
        _ => format!("Throughput at equal wires, {}", first_network(asked)),
    };
    let y_label = format!("accepted at overload ({SHOWN})");
    let curves = Curves {
        title: &title,
        x_label,
        y_label: &y_label,
        series: series.collect(),
        ..Curves::default()
    };
    curves.svg()
}

fn latency_figure(asked: &Duplex, axis: &[DuplexRow]) -> String {
    let names = distinct(axis.iter().map(|row| row.place.point.contender.name));
    let curves = names.into_iter().map(|name| {
        let own = axis
            .iter()
            .filter(|row| row.place.point.contender.name == name);
        let point = |row: &DuplexRow| {
            let latency = row.latency?;
            Some(Point {
                x: row.place.x,
                y: latency.mean,
                half_width: latency.half_width,
                steady: true,
                saturated: false,
            })
        };
        (name.to_owned(), own.filter_map(point).collect())
    });
    let title = format!("Latency at equal wires, {}", first_network(asked));
    let over = format!("offered load ({SHOWN})");
    let curves = LoadCurves {
        title: &title,
        over: Some(&over),
        shown: Shown::Latency,
        load_unit: load_unit(false),
        seeds: asked.repeats.seeds as usize,
        curves: &curves.collect::<Vec<_>>(),
    };
    curves.svg()
}
