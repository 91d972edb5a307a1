//! Intervals as a figure: loads, latency, backlog and use of links over time.

use super::{Interval, OverTime};
use flitwork_plot::{Band, Panel, Panels, Series, Style};

/// The most points drawn per line: beyond it, neighbours are merged.
const MOST_POINTS: usize = 1000;

/// A run over time; cycles outside the measured window are shaded.
pub fn over_time(run: &OverTime) -> Panels<'static> {
    let together = run.intervals.len().div_ceil(MOST_POINTS).max(1);
    let drawn: Vec<Interval> = run.intervals.chunks(together).map(as_one).collect();
    let series = |name: &str, style, value: &dyn Fn(&Interval) -> Option<f64>| {
        let middle = |interval: &Interval| {
            let (from, to) = (interval.from.get(), interval.to.get());
            (f64::from(from) + f64::from(to)) / 2.0
        };
        let point = |interval: &Interval| (middle(interval), value(interval).unwrap_or(f64::NAN));
        Series::new(name, style, drawn.iter().map(point).collect())
    };
    let panel = |y_label, series| Panel { y_label, series };
    Panels {
        title: "The run over time",
        x_label: "cycle",
        bands: bands(run),
        panels: vec![
            panel(
                "words/node/cycle",
                vec![
                    series("offered", Style::Line, &|one| Some(run.offered(one))),
                    series("accepted", Style::Dashed, &|one| Some(run.accepted(one))),
                ],
            ),
            panel(
                "latency (cycles)",
                vec![
                    series("mean", Style::Line, &Interval::latency_mean_cycles),
                    series(
                        "in the network",
                        Style::Dashed,
                        &Interval::network_latency_mean_cycles,
                    ),
                ],
            ),
            panel(
                "packets",
                vec![
                    series("in sources", Style::Line, &|one| {
                        Some(one.backlog_packets as f64)
                    }),
                    series("in the network", Style::Dashed, &|one| {
                        Some(one.in_network_packets as f64)
                    }),
                ],
            ),
            panel(
                "words/link/cycle",
                vec![series("links", Style::Line, &|one| {
                    Some(run.link_utilisation(one))
                })],
            ),
        ],
    }
}

fn as_one(intervals: &[Interval]) -> Interval {
    let mut all = intervals.iter().copied();
    let first = all.next().expect("a chunk has an element");
    all.fold(first, |all, next| all.with(&next))
}

/// The cycles outside the measured window.
fn bands(run: &OverTime) -> Vec<Band<'static>> {
    let end = run.intervals.last().map_or(0, |last| last.to.get());
    let (start, stop) = (run.window.start().get(), run.window.end().get());
    let cut = |cycle: u32| f64::from(cycle.min(end));
    let phases = [
        (0, start, "warm-up", true),
        (start, stop, "measured", false),
        (stop, end, "drain", true),
    ];
    let phases = phases.into_iter().filter(|(from, to, ..)| from < to);
    phases
        .map(|(from, to, name, is_shaded)| Band {
            from: cut(from),
            to: cut(to),
            name,
            is_shaded,
        })
        .filter(|band| band.from < band.to)
        .collect()
}
