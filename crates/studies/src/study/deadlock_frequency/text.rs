//! The rows of `flitwork study deadlock-frequency` as text and figures.

use super::places::starts;
use super::row::{Against, FrequencyRow};
use super::{DeadlockFrequency, StudyFigure};
use crate::axes::base_text;
use crate::lifetimes::survival_figure;
use crate::seeds::{counted, dash, distinct};
use flitwork_measure::Interval;
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::Aligned;

/// The rows of an axis.
fn by_axis(rows: &[FrequencyRow]) -> impl Iterator<Item = &[FrequencyRow]> {
    rows.chunk_by(|one, other| one.place.axis == other.place.axis)
}

/// A table for each axis.
pub(super) fn frequency_text(asked: &DeadlockFrequency, rows: &[FrequencyRow]) -> String {
    let widest = rows.iter().map(|row| row.place.value.chars().count()).max();
    let rate = |it: &FrequencyRow| dash(it.mean_rate().map(shown));
    let interval = |it: &FrequencyRow| {
        let interval = it.rate_interval();
        dash(interval.map(|it| format!("{} to {}", shown(it.low), shown(it.high))))
    };
    let ratio = |of: fn(&Against) -> Option<Interval>| {
        move |it: &FrequencyRow| {
            let ratio = it.against.as_ref().and_then(of);
            dash(ratio.map(|it| match it.high.is_finite() {
                true => format!("{} to {}", shown(it.low), shown(it.high)),
                false => format!("above {}", shown(it.low)),
            }))
        }
    };
    let columns = Aligned::<FrequencyRow>::new()
        .left("", widest.unwrap_or(0).max(8), |it| it.place.value.clone())
        .behind(2)
        .left("router", 13, |it| it.place.point.router())
        .right("deadlocked", 11, |it| {
            format!("{} of {}", it.deadlocked(), it.lifetimes.runs.len())
        })
        .right("median\ncycles", 8, |it| {
            dash(it.lifetimes.survival.median())
        })
        .right("per 100,000\ncycles", 12, rate)
        .right("95 %\ninterval", 18, interval)
        .right("times as often\nas at the start", 18, ratio(|it| it.ratio))
        .right("the same\nby packets", 18, ratio(|it| it.by_packets))
        .right("chance,\ncorrected", 10, |it| {
            dash(it.against.and_then(|it| it.corrected).map(chance))
        })
        .right("constant\nrate", 9, |it| {
            dash(it.constancy.map(|it| chance(it.probability)))
        })
        .right("accepted\nwords/node/cycle", 17, |it| {
            dash(it.accepted().map(|it| format!("{:.4}", it.mean)))
        })
        .right("circle\nlinks", 7, |it| {
            dash(it.circle().map(|it| format!("{it:.1}")))
        });
    let mut out = format!(
        "First deadlocks, {}, watched for {} cycles\n",
        counted(asked.repeats.seeds as usize, "seed"),
        asked.deadline
    );
    out += &base_text(starts(asked), &asked.repeats.set);
    for axis in by_axis(rows) {
        out += &format!("\n{}\n{}", axis[0].place.axis, columns.text(axis));
    }
    out += "\nThe start has the first value of each option, shortest paths, one clock. times as often: the 95 % interval; by packets: of\n\
            deadlocks for each delivered packet. chance: how likely the times are to differ so from those at the start (log-rank), corrected\n\
            for the values of the axis (Holm). constant rate: how likely the deadlocks are to be spread so over the time if they come at a\n\
            constant rate. circle: links of the packets that wait for each other, mean.\n";
    out
}

/// With three digits that count.
fn shown(number: f64) -> String {
    match number {
        0.0 => "0".into(),
        it if it < 1.0 => format!("{it:.3}"),
        it if it < 10.0 => format!("{it:.2}"),
        it if it < 100.0 => format!("{it:.1}"),
        it => format!("{it:.0}"),
    }
}

fn chance(probability: f64) -> String {
    match probability {
        it if it < 0.001 => "< 0.001".into(),
        it => format!("{it:.3}"),
    }
}

/// Who is left over time, by axis and router; and how often networks deadlock over each axis of numbers.
pub(super) fn frequency_figures(rows: &[FrequencyRow]) -> Vec<StudyFigure> {
    let mut all = Vec::new();
    for axis in by_axis(rows) {
        let name = axis[0].place.axis;
        for kind in distinct(axis.iter().map(|row| row.place.point.kind)) {
            let own = || axis.iter().filter(|row| row.place.point.kind == kind);
            let title = format!("Without a deadlock: {}, by {name}", kind.name());
            let curves = own().map(|row| (row.place.value.clone(), &row.lifetimes));
            let figure = survival_figure(&title, "part of the seeds", curves);
            let file = format!("deadlock-frequency-survival-{name}-{}.svg", kind.name());
            all.extend(figure.map(|figure| (file, figure)));
        }
        all.extend(rate_figure(name, axis));
    }
    all
}

/// Rates over an axis of numbers, with their intervals: where none deadlocks, the whisker is its upper end.
fn rate_figure(axis: &str, rows: &[FrequencyRow]) -> Option<StudyFigure> {
    let x_label = match axis {
        "frames" => "frames of the multiqueue",
        "channels" => "virtual channels",
        "threshold" => "stall threshold (cycles)",
        "load" => "offered load (words/node/cycle)",
        "packet" => "packet (words)",
        "network" => "side of the network (nodes)",
        _ => return None,
    };
    let key = |row: &FrequencyRow| {
        let topology = (axis == "network").then_some(row.place.point.topology);
        (row.place.point.kind, topology)
    };
    let lines = distinct(rows.iter().map(key)).into_iter().map(|of| {
        let own: Vec<&FrequencyRow> = rows.iter().filter(|row| key(row) == of).collect();
        let label = match of.1 {
            Some(topology) => format!("{}, {topology}", of.0.name()),
            None => of.0.name().to_owned(),
        };
        rate_series(label, &own)
    });
    let curves = Curves {
        title: "How often networks deadlock",
        x_label,
        y_label: "deadlocks (per 100,000 cycles)",
        y_scale: Scale::Logarithmic,
        series: lines.collect(),
        ..Curves::default()
    };
    let has_points = curves
        .series
        .iter()
        .any(|it| it.points.iter().any(|point| point.1 > 0.0));
    has_points.then(|| (format!("deadlock-frequency-rate-{axis}.svg"), curves.svg()))
}

fn rate_series(label: String, rows: &[&FrequencyRow]) -> Series {
    let points = rows.iter().filter_map(|row| {
        let (rate, interval) = (row.mean_rate()?, row.rate_interval()?);
        Some(((row.place.x, rate), (interval.low, interval.high)))
    });
    let (points, whiskers) = points.unzip();
    Series {
        whiskers: Some(whiskers),
        ..Series::new(label, Style::Curve, points)
    }
}
