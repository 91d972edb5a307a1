//! A contest in pictures: for each panel the latency and the accepted load over the offered load.

use super::{Contest, ContestRow};
use flitwork_experiment::figure::{Curves, Figure, Scale, Series, Style};
use flitwork_measure::Estimate;

/// A picture.
#[derive(Clone, Debug)]
pub struct ContestFigure {
    /// What its file is called, without an ending.
    pub stem: String,
    /// The picture as SVG.
    pub svg: String,
}

/// What a kind of picture's file and axis are called, and what it shows of a row.
type Kind<'a> = (
    &'a str,
    &'a str,
    &'a dyn Fn(&ContestRow) -> Option<Estimate>,
);

/// Two pictures for each panel.
pub fn contest_figures(asked: &Contest, rows: &[ContestRow]) -> Vec<ContestFigure> {
    let mut figures = Vec::new();
    for (place, panel) in asked.panels.iter().enumerate() {
        let latency = |row: &ContestRow| row.latency_cycles;
        let accepted = |row: &ContestRow| Some(row.accepted_load);
        let kinds: [Kind<'_>; 2] = [
            ("latency", "latency (cycles)", &latency),
            ("accepted", "accepted load (words/node/cycle)", &accepted),
        ];
        for (stem, y_label, of) in kinds {
            let series = asked.contenders.iter().enumerate().map(|(contender, it)| {
                let own = rows.iter();
                let own = own.filter(|row| row.panel == place && row.contender == contender);
                series(&it.name, own, of)
            });
            let curves = Curves {
                title: &panel.title,
                x_label: "offered load (words/node/cycle)",
                y_label,
                x_scale: Scale::Linear,
                y_scale: Scale::Linear,
                series: series.collect(),
            };
            figures.push(ContestFigure {
                stem: format!("{}-{stem}", panel.stem),
                svg: curves.svg(),
            });
        }
    }
    figures
}

/// A contender's curve, with whiskers.
fn series<'r>(
    name: &str,
    rows: impl Iterator<Item = &'r ContestRow>,
    of: &dyn Fn(&ContestRow) -> Option<Estimate>,
) -> Series {
    let (mut points, mut whiskers) = (Vec::new(), Vec::new());
    for row in rows {
        let Some(Estimate {
            mean, half_width, ..
        }) = of(row)
        else {
            continue;
        };
        let half = half_width.unwrap_or(0.0);
        points.push((row.offered_load, mean));
        whiskers.push((mean - half, mean + half));
    }
    Series {
        whiskers: Some(whiskers),
        ..Series::new(name, Style::LineWithCircles, points)
    }
}
