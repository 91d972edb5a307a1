//! A contest in pictures: for each panel the latency and the accepted load over the offered load.

use super::tuning::{AGAINST, Against, Candidate};
use super::{ContestRow, Panel, by_router, with_panels};
use crate::contract::StudyFigure;
use crate::seeds::distinct;
use crate::seen;
use flitwork_plot::load_curves::{LoadCurves, Point, Shown};
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::load_unit;

/// Contests take place under one clock.
const SHOWN: [Shown; 2] = [Shown::Latency, Shown::Accepted];

/// Two pictures for each panel.
pub(super) fn contest_figures(
    panels: &[Panel],
    seeds: u32,
    rows: &[ContestRow],
) -> Vec<StudyFigure> {
    let figure = |panel: &Panel, rows: &[ContestRow], shown: Shown| {
        let curves = by_router(rows).map(|rows| {
            let points = rows.iter().filter_map(|row| point(row, shown));
            (rows[0].router.to_owned(), points.collect())
        });
        let curves = LoadCurves {
            title: &panel.title(),
            over: None,
            shown,
            load_unit: load_unit(false),
            seeds: seeds as usize,
            curves: &curves.collect::<Vec<_>>(),
        };
        let name = format!("{}-{}.svg", panel.stem(), shown.name());
        (name, curves.svg())
    };
    let all = |(panel, rows): (&Panel, &[ContestRow])| {
        let curves = SHOWN.map(|shown| figure(panel, rows, shown));
        curves.into_iter().chain(fronts(panel, &rows[0].candidates))
    };
    with_panels(panels, rows).flat_map(all).collect()
}

/// All candidates by throughput and latency, and by throughput and what the worst source gets, with those that no other beats.
fn fronts(panel: &Panel, candidates: &[Candidate]) -> Vec<StudyFigure> {
    let figure = |it: Against| {
        let point = |candidate: &Candidate| ((it.shown)(candidate), candidate.throughput());
        let routers = distinct(candidates.iter().map(|it| it.router)).into_iter();
        let series = routers.map(|router| {
            let own = candidates.iter().filter(|it| it.router == router);
            Series::new(router, Style::FilledCircles, own.map(point).collect())
        });
        let front = it.front(candidates).into_iter().map(point).collect();
        let curves = Curves {
            title: &format!("{}, all candidates", panel.title()),
            x_label: it.axis,
            y_label: "accepted at overload (words/node/cycle)",
            series: series
                .chain([Series::new("no other beats", Style::Dashed, front)])
                .collect(),
            ..Curves::default()
        };
        let name = format!("{}-pareto-{}.svg", panel.stem(), it.name);
        (name, curves.svg())
    };
    match candidates.is_empty() {
        true => Vec::new(),
        false => AGAINST.map(figure).into(),
    }
}

/// A row's point, at what its sources offered.
fn point(row: &ContestRow, shown: Shown) -> Option<Point> {
    let of = match shown {
        Shown::Latency => seen::latency(&row.runs),
        Shown::LatencyPs => None,
        Shown::Accepted => Some(row.accepted()),
    };
    let shown = of.filter(|shown| shown.mean.is_finite())?;
    Some(Point {
        x: row.offered().mean,
        y: shown.mean,
        half_width: shown.half_width,
        steady: row.is_steady(),
        saturated: 2 * seen::count(&row.runs, |run| run.is_saturated) as usize >= row.runs.len(),
    })
}
