//! Latency and accepted load over the offered load.
//!
//! One curve for each combination of the other axes. A point is the mean over its seeds with the interval
//! of Student's t, or with one seed the run's own mean and batch means. A point of which at least half of the
//! runs weren't steady has no latency worth drawing; its accepted load is an open circle.

use crate::error::Error;
use crate::folder::Finished;
use crate::plan::Plan;
use crate::row::{Mean, Row, Status};
use flitwork_experiment::figure::{Curves, Figure, Scale, Series, Style};
use flitwork_files::write;
use flitwork_measure::Estimate;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most curves of a figure: as many as its legend has room for.
const MOST_CURVES: usize = 18;
/// Colours repeat after that many series.
const COLOURS: usize = 7;
const LEVEL: f64 = 0.95;

/// The runs of a point, by seed.
#[derive(Default)]
struct Runs {
    latency: Vec<Mean>,
    accepted: Vec<Mean>,
    unsteady: usize,
    runs: usize,
}

impl Runs {
    fn add(&mut self, row: &Row) {
        let Some(figures) = row
            .figures
            .as_ref()
            .filter(|_| row.status == Status::Complete)
        else {
            return;
        };
        self.runs += 1;
        self.unsteady += usize::from(row.steady_figures().is_none());
        self.latency.extend(figures.latency);
        self.accepted.extend(figures.accepted);
    }

    fn is_steady(&self) -> bool {
        2 * self.unsteady < self.runs
    }
}

/// The mean over runs, with its whisker; one run has its own.
fn over(means: &[Mean]) -> Option<(f64, (f64, f64))> {
    let mean = match means {
        [] => return None,
        [one] => *one,
        several => {
            let values: Vec<f64> = several.iter().map(|mean| mean.mean).collect();
            Mean::of(&Estimate::of_independent(&values, LEVEL))?
        }
    };
    Some((mean.mean, mean.ends().unwrap_or((mean.mean, mean.mean))))
}

/// Points with whiskers.
#[derive(Default)]
struct Drawn {
    points: Vec<(f64, f64)>,
    whiskers: Vec<(f64, f64)>,
}

impl Drawn {
    fn add(&mut self, x: f64, mean: Option<(f64, (f64, f64))>) {
        if let Some((y, whisker)) = mean {
            self.points.push((x, y));
            self.whiskers.push(whisker);
        }
    }

    fn series(self, name: &str, style: Style) -> Series {
        Series {
            name: name.into(),
            points: self.points,
            style,
            whiskers: Some(self.whiskers),
        }
    }
}

/// A curve's points by the place of their value on the axis, with that value.
type Curve = BTreeMap<usize, (f64, Runs)>;

/// All curves, by the places of the other axes' values; `None` where no axis has numbers to draw over.
fn curves(plan: &Plan, finished: &Finished) -> Result<Option<Vec<(String, Curve)>>, Error> {
    let Some(abscissa) = plan.abscissa() else {
        return Ok(None);
    };
    let mut curves: BTreeMap<Vec<usize>, (String, Curve)> = BTreeMap::new();
    finished.each(|row| {
        let values = plan.values(row.point);
        let place = |axis: usize| {
            plan.axes[axis]
                .values
                .iter()
                .position(|value| value == values[axis])
                .unwrap_or(0)
        };
        let others: Vec<usize> = (0..values.len())
            .filter(|axis| *axis != abscissa && !plan.is_seed(*axis))
            .collect();
        let key = others.iter().map(|axis| place(*axis)).collect();
        let (_, curve) = curves
            .entry(key)
            .or_insert_with(|| (name(plan, &others, &values), Curve::new()));
        let x = crate::axis::Value::of(values[abscissa])
            .number()
            .unwrap_or(f64::NAN);
        let (_, runs) = curve
            .entry(place(abscissa))
            .or_insert_with(|| (x, Runs::default()));
        runs.add(&row);
        Ok(())
    })?;
    Ok(Some(curves.into_values().collect()))
}

/// What a legend calls a curve: the other axes' values, with the last part of their keys.
fn name(plan: &Plan, others: &[usize], values: &[&str]) -> String {
    let short = |axis: usize| plan.axes[axis].key.rsplit('.').next().unwrap_or_default();
    let named: Vec<String> = others
        .iter()
        .map(|axis| format!("{} {}", short(*axis), values[*axis]))
        .collect();
    named.join(", ")
}

fn latency(curves: &[(String, Curve)]) -> Vec<Series> {
    let series = curves.iter().map(|(name, curve)| {
        let mut drawn = Drawn::default();
        for (x, runs) in curve.values().filter(|(_, runs)| runs.is_steady()) {
            drawn.add(*x, over(&runs.latency));
        }
        drawn.series(name, Style::LineWithCircles)
    });
    series.collect()
}

fn accepted(curves: &[(String, Curve)]) -> Vec<Series> {
    let mut series = Vec::new();
    for (name, curve) in curves {
        let mut drawn = Drawn::default();
        curve
            .values()
            .for_each(|(x, runs)| drawn.add(*x, over(&runs.accepted)));
        series.push(drawn.series(name, Style::LineWithCircles));
    }
    // The circles that are opened must have the colours of their curves, which go by the place in the list.
    while !series.len().is_multiple_of(COLOURS) {
        series.push(Series::new("", Style::Line, Vec::new()));
    }
    for (_, curve) in curves {
        let mut opened = Drawn::default();
        for (x, runs) in curve
            .values()
            .filter(|(_, runs)| runs.runs > 0 && !runs.is_steady())
        {
            opened.add(*x, over(&runs.accepted));
        }
        series.push(opened.series("", Style::OpenCircles));
    }
    series
}

/// Draws both figures, as SVG and PNG, where there is an axis to draw them over; gives their files.
pub(crate) fn draw(folder: &Path, plan: &Plan, finished: &Finished) -> Result<Vec<PathBuf>, Error> {
    let (Some(abscissa), Some(mut curves)) = (plan.abscissa(), curves(plan, finished)?) else {
        return Ok(Vec::new());
    };
    let all = curves.len();
    curves.truncate(MOST_CURVES);
    let key = plan.axes[abscissa].key.as_str();
    let x_label = match key {
        "traffic.load" => "offered load (words/node/cycle)",
        key => key,
    };
    let shown = match all {
        0..=MOST_CURVES => String::new(),
        all => format!(", the first {MOST_CURVES} of {all} curves"),
    };
    let title = |what: &str| format!("{what}{shown}");
    let mut files = Vec::new();
    let figures = [
        (
            "latency",
            title("Mean latency of steady runs"),
            "latency (cycles)",
            latency(&curves),
        ),
        (
            "accepted",
            title("Accepted load (open circles: not steady)"),
            "accepted load (words/node/cycle)",
            accepted(&curves),
        ),
    ];
    for (stem, title, y_label, series) in figures {
        let figure = Curves {
            title: &title,
            x_label,
            y_label,
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series,
        };
        let (svg, png) = (
            folder.join(format!("{stem}.svg")),
            folder.join(format!("{stem}.png")),
        );
        write(&svg, figure.svg().as_bytes())?;
        write(&png, &figure.png())?;
        files.extend([svg, png]);
    }
    Ok(files)
}
