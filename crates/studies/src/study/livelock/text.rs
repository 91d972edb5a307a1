//! The rows of `flitwork study livelock` as text and figures.

use super::{Livelock, LivelockRow, laws};
use crate::contract::StudyFigure;
use crate::seeds::{dash, distinct};
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::Aligned;

pub(super) fn livelock_text(of: &Livelock, rows: &[LivelockRow]) -> String {
    let Livelock {
        frames,
        threshold,
        words,
        deadline,
        seeds,
        ..
    } = of;
    let mut out = format!(
        "Rings of Chaos routers, a packet of {words} words a node to the opposite one; multiqueues of {frames}, stall threshold {threshold}; \
         {seeds} seeds, {deadline} cycles\n\n"
    );
    let value = |it: &LivelockRow| {
        let unit = it.setting.timing.unit();
        dash(unit.map(|unit| format!("{} {unit}", it.setting.value)))
    };
    let edges = |it: &LivelockRow| dash(it.setting.timing.has_clocks().then_some(it.setting.edges));
    let part = |it: &LivelockRow| {
        dash(
            it.part()
                .map(|it| format!("{:.2} to {:.2}", it.low, it.high)),
        )
    };
    let columns = Aligned::<LivelockRow>::new()
        .right("n", 4, |it| it.setting.n)
        .left("timing", 16, |it| it.setting.timing.name())
        .right("value", 8, value)
        .right("edges", 5, edges)
        .right("livelocked", 10, |it| {
            format!("{} of {}", it.livelocked(), it.runs.len())
        })
        .right("95 % interval", 13, part)
        .right("escape (cycles)", 15, |it| dash(it.survival.median()));
    out += &columns.text(rows);
    out += "\nlivelocked: seeds of which a packet hadn't arrived by the deadline, with the exact interval of their part. escape: the\n\
            time by which all packets of half of the seeds had arrived.\n";
    for (n, timing, edges, law) in laws(rows) {
        out += &format!(
            "\nring of {n}, {}, {edges} edges: escape in {:.0} cycles x value^{:.2}\n",
            timing.name(),
            law.coefficient,
            law.exponent
        );
    }
    out
}

/// The time to escape over what makes nodes differ, a line for each ring; and who is left over time.
pub(super) fn livelock_figures(rows: &[LivelockRow]) -> Vec<StudyFigure> {
    let mut all = Vec::new();
    for timing in distinct(rows.iter().map(|row| row.setting.timing)) {
        let own: Vec<&LivelockRow> = rows
            .iter()
            .filter(|row| row.setting.timing == timing)
            .collect();
        let name = timing.name();
        let values = distinct(own.iter().map(|row| row.setting.value)).len();
        if let Some(unit) = timing.unit().filter(|_| values > 1) {
            let lines = distinct(own.iter().map(|row| (row.setting.n, row.setting.edges)));
            let series = lines.into_iter().map(|(n, edges)| {
                let of_line = own
                    .iter()
                    .filter(|row| (row.setting.n, row.setting.edges) == (n, edges));
                let point =
                    |row: &&LivelockRow| Some((row.setting.value, row.survival.median()? as f64));
                let label = match timing.has_clocks() {
                    true => format!("ring of {n}, {edges} edges"),
                    false => format!("ring of {n}"),
                };
                Series::new(
                    label,
                    Style::Curve,
                    of_line.copied().filter_map(|row| point(&row)).collect(),
                )
            });
            let curves = Curves {
                title: &format!("Time to escape from livelock: {name}"),
                x_label: &format!("value ({unit})"),
                y_label: "until half of the seeds escaped (cycles)",
                x_scale: Scale::Logarithmic,
                y_scale: Scale::Logarithmic,
                series: series.collect(),
                ..Curves::default()
            };
            all.push((format!("livelock-escape-{name}.svg"), curves.svg()));
        }
        let series = own
            .iter()
            .filter(|row| !row.survival.steps().is_empty())
            .map(|row| {
                let mut points = vec![(1.0, 1.0)];
                let mut left = 1.0;
                for step in row.survival.steps() {
                    let time = step.time as f64;
                    points.extend([(time, left), (time, step.survival)]);
                    left = step.survival;
                }
                Series::new(row.setting.to_string(), Style::Line, points)
            });
        let series: Vec<Series> = series.collect();
        if !series.is_empty() {
            let curves = Curves {
                title: &format!("Seeds in livelock over time: {name}"),
                x_label: "time (cycles)",
                y_label: "part of the seeds",
                x_scale: Scale::Logarithmic,
                series,
                ..Curves::default()
            };
            all.push((format!("livelock-survival-{name}.svg"), curves.svg()));
        }
    }
    all
}
