//! A contest in pictures: for each panel the latency and the accepted load over the offered load.

use super::{Contest, ContestRow};
use crate::study::Made;
use flitwork_measure::Estimate;
use flitwork_plot::load_curves::{self, Point};
use flitwork_plot::{Curves, Figure};

/// A kind of picture: what its file and its axis are called, what it shows of a row, and whether latencies are.
type Kind = (
    &'static str,
    &'static str,
    fn(&ContestRow) -> Option<Estimate>,
    bool,
);

const KINDS: [Kind; 2] = [
    (
        "latency",
        "latency (cycles)",
        |row| row.latency_cycles,
        true,
    ),
    (
        "accepted",
        "accepted load (words/node/cycle)",
        |row| Some(row.accepted_load),
        false,
    ),
];

/// Two pictures for each panel.
pub(super) fn contest_figures(asked: &Contest, rows: &[ContestRow]) -> Vec<Made> {
    let places = 0..asked.panels.len();
    let all = places.flat_map(|place| KINDS.map(|kind| figure(asked, rows, place, kind)));
    all.collect()
}

fn figure(
    asked: &Contest,
    rows: &[ContestRow],
    place: usize,
    (stem, y_label, of, is_latency): Kind,
) -> Made {
    let panel = &asked.panels[place];
    let own = |contender| {
        let own = rows.iter();
        own.filter(move |row| (row.panel, row.contender) == (place, contender))
    };
    let contenders = 0..asked.contenders.len();
    let points: Vec<Vec<Point>> = contenders
        .map(|contender| own(contender).filter_map(|row| point(row, of)).collect())
        .collect();
    let named = asked.contenders.iter().zip(&points);
    let every = points.iter().flatten();
    let curves = Curves {
        title: &panel.title,
        x_label: load_curves::OFFERED,
        y_label,
        series: named
            .map(|(contender, points)| load_curves::series(&contender.name, points, true))
            .collect(),
        y_top: load_curves::latency_top(every.clone()).filter(|_| is_latency),
        note: &load_curves::note(is_latency, asked.seeds as usize, every),
        ..Curves::default()
    };
    Made::svg(format!("{}-{stem}.svg", panel.stem), curves.svg())
}

/// A row's point, at what its sources offered.
fn point(row: &ContestRow, of: fn(&ContestRow) -> Option<Estimate>) -> Option<Point> {
    let shown = of(row).filter(|shown| shown.mean.is_finite())?;
    Some(Point {
        x: row.offered_load.mean,
        y: shown.mean,
        half_width: shown.half_width,
        steady: row.steady,
        saturated: 2 * row.saturated_seeds as usize >= row.accepted_by_seed.len(),
    })
}
