//! The rows of `flitwork study livelock` as text and figures.

use super::law::{Law, Line, laws};
use super::{Livelock, LivelockRow};
use crate::axes::base_text;
use crate::contract::StudyFigure;
use crate::lifetimes::survival_figure;
use crate::seeds::{counted, dash, distinct};
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::Aligned;

/// Text about rows, with the longest name of a network.
pub(super) fn livelock_text(of: &Livelock, rows: &[LivelockRow]) -> String {
    let name = |it: &LivelockRow| format!("{}{}", it.setting.network, it.setting.router);
    let widest = rows.iter().map(|row| name(row).chars().count()).max();
    let timed = |it: &LivelockRow| it.setting.timed;
    let value = |it: &LivelockRow| {
        let unit = timed(it).timing.unit();
        dash(unit.map(|unit| format!("{} {unit}", timed(it).value)))
    };
    // Where nothing is drawn all seeds are the same run, of which there is no interval.
    let part = |it: &LivelockRow| match it.setting.draws_nothing() {
        true => "one run".to_owned(),
        false => {
            let part = it.lifetimes.part_left();
            dash(part.map(|it| format!("{:.3} to {:.3}", it.low, it.high)))
        }
    };
    let columns = Aligned::<LivelockRow>::new()
        .left("network", widest.unwrap_or(0).max(7), name)
        .left("timing", 16, |it| timed(it).timing.name())
        .right("value", 9, value)
        .right("edges", 5, |it| dash(timed(it).shown_edges()))
        .right("livelocked", 12, |it| {
            format!("{} of {}", it.lifetimes.left(), it.lifetimes.runs.len())
        })
        .right("95 % interval", 14, part)
        .right("escape", 8, |it| dash(it.lifetimes.survival.median()))
        .right("first", 8, |it| dash(it.prediction.first))
        .right("rounds", 8, |it| dash(it.prediction.median))
        .right("first/rounds", 17, |it| {
            let ratios = it.prediction.ratios;
            dash(ratios.map(|(low, mid, high)| format!("{mid:.2} ({low:.2}-{high:.2})")))
        })
        .right("drift", 8, |it| {
            dash(it.prediction.drift.map(|it| format!("{it:.0}")))
        });
    let mut out = format!(
        "Chaos routers in livelock, {} cycles at most, {}\n{}\n{}",
        of.deadline,
        counted(of.repeats.seeds as usize, "seed"),
        base_text([""; 0], &of.repeats.set),
        columns.text(rows)
    );
    out += "\nlivelocked: seeds of which a packet hadn't arrived by the deadline, with the exact interval of their part; where nothing is\n\
            drawn all seeds are one run. Medians over the seeds, in cycles: escape, until all packets had arrived; first, until the first had; rounds, until a packet gets past its\n\
            neighbour by the rounds of all packets under each seed's clocks, and what the first delivery of each seed is of that (least\n\
            to most); drift, the same for all clocks by the mean lengths of rounds.\n";
    for Law {
        line,
        law,
        interval,
        points,
        range,
    } in laws(rows)
    {
        out += &format!(
            "\n{line}: escape in {:.0} cycles x value^{:.3}, 95 % interval {:.3} to {:.3}, from {points} values, {} to {}\n",
            law.coefficient, law.exponent, interval.low, interval.high, range.0, range.1
        );
    }
    out
}

/// The time to escape over what makes nodes differ, a line for each network and what is predicted of it; and who is left over time.
pub(super) fn livelock_figures(rows: &[LivelockRow]) -> Vec<StudyFigure> {
    let mut all = Vec::new();
    for timing in distinct(rows.iter().map(|row| row.setting.timed.timing)) {
        let own: Vec<LivelockRow> = rows
            .iter()
            .filter(|row| row.setting.timed.timing == timing)
            .cloned()
            .collect();
        let name = timing.name();
        let values = distinct(own.iter().map(|row| row.setting.timed.value)).len();
        if let Some(unit) = timing.unit().filter(|_| values > 1) {
            let curves = Curves {
                title: &format!("Time to escape from livelock: {name}"),
                x_label: &format!("value ({unit})"),
                y_label: "half of the seeds (cycles)",
                x_scale: Scale::Logarithmic,
                y_scale: Scale::Logarithmic,
                series: Line::all(&own)
                    .iter()
                    .flat_map(|line| series(line, &own))
                    .collect(),
                ..Curves::default()
            };
            all.push((format!("livelock-escape-{name}.svg"), curves.svg()));
        }
        let title = format!("Seeds in livelock over time: {name}");
        let curves = own
            .iter()
            .map(|row| (row.setting.to_string(), &row.lifetimes));
        let figure = survival_figure(&title, "part of the seeds", curves);
        all.extend(figure.map(|figure| (format!("livelock-survival-{name}.svg"), figure)));
    }
    all
}

/// Those of a line: the escape, and what is predicted.
fn series(line: &Line, rows: &[LivelockRow]) -> Vec<Series> {
    let own = line.rows(rows);
    let of = |y: &dyn Fn(&LivelockRow) -> Option<f64>| -> Vec<(f64, f64)> {
        let point = |row: &&LivelockRow| Some((row.setting.timed.value, y(row)?));
        own.iter().filter_map(point).collect()
    };
    let named = format!("{}{}", line.network, line.router);
    let named = match line.timing.has_clocks() {
        true => format!("{named}, {} edges", line.edges),
        false => named,
    };
    let escapes = of(&|row| row.lifetimes.survival.median().map(|it| it as f64));
    let predicted = of(&|row| row.prediction.drift);
    let dashed = format!("{named}: first packet, predicted");
    let predicted = Series::new(dashed, Style::Dashed, predicted);
    let mut all = vec![Series::new(named, Style::Curve, escapes)];
    all.extend(Some(predicted).filter(|it| !it.points.is_empty()));
    all
}
