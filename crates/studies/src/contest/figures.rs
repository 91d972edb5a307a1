//! A contest in pictures: for each panel the latency and the accepted load over the offered load.

use super::{Contest, ContestRow};
use crate::study::Picture;
use flitwork_plot::Figure;
use flitwork_plot::load_curves::{LoadCurves, Point, Shown};

/// Two pictures for each panel.
pub(super) fn contest_figures(asked: &Contest, rows: &[ContestRow]) -> Vec<Picture> {
    let places = 0..asked.panels.len();
    let all = places.flat_map(|place| Shown::ALL.map(|shown| figure(asked, rows, place, shown)));
    all.collect()
}

fn figure(asked: &Contest, rows: &[ContestRow], place: usize, shown: Shown) -> Picture {
    let panel = &asked.panels[place];
    let contenders = asked.contenders.iter().enumerate();
    let curve = |(contender, name): (usize, &String)| {
        let own = |row: &&ContestRow| (row.panel, row.contender) == (place, contender);
        let points = rows.iter().filter(own).filter_map(|row| point(row, shown));
        (name.clone(), points.collect())
    };
    let curves = LoadCurves {
        title: &panel.title,
        over: None,
        shown,
        seeds: asked.seeds as usize,
        curves: &contenders
            .map(|(place, it)| curve((place, &it.name)))
            .collect::<Vec<_>>(),
    };
    Picture {
        name: format!("{}-{}.svg", panel.stem, shown.name()),
        svg: curves.svg(),
    }
}

/// A row's point, at what its sources offered.
fn point(row: &ContestRow, shown: Shown) -> Option<Point> {
    let of = match shown {
        Shown::Latency => row.latency_cycles,
        Shown::Accepted => Some(row.accepted_load),
    };
    let shown = of.filter(|shown| shown.mean.is_finite())?;
    Some(Point {
        x: row.offered_load.mean,
        y: shown.mean,
        half_width: shown.half_width,
        steady: row.steady,
        saturated: 2 * row.saturated_seeds as usize >= row.accepted_by_seed.len(),
    })
}
