//! Latency, in cycles and in ps, and accepted load over the offered load.
//!
//! One curve for each combination of the other axes. A point is the mean over its seeds with the interval
//! of Student's t, or with one seed the run's own mean and batch means. Over the load it is drawn at what its sources
//! offered, not at the configured load: silent sources offer nothing. A point is open if at least half of its runs
//! weren't steady.

use crate::axis::Value;
use crate::drawn::files_of;
use crate::error::Error;
use crate::figures::Mean;
use crate::folder::Finished;
use crate::plan::{LOAD, Plan};
use crate::row::{Row, Status};
use flitwork_files::write;
use flitwork_measure::Estimate;
use flitwork_plot::Drawable;
use flitwork_plot::load_curves::{LoadCurves, Point, Shown};
use flitwork_report::{Provenance, load_unit};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most curves of a figure: as many as its legend has room for.
const MOST_CURVES: usize = 18;
const LEVEL: f64 = 0.95;

/// The runs of a point, by seed.
#[derive(Default)]
struct Runs {
    offered: Vec<f64>,
    /// Of the steady runs, and of all: in cycles, and in ps where nodes have clocks of their own.
    latency: [Vec<Mean>; 2],
    latency_ps: [Vec<Mean>; 2],
    accepted: Vec<Mean>,
    unsteady: usize,
    saturated: usize,
    runs: usize,
}

impl Runs {
    fn add(&mut self, row: &Row) {
        let complete = row.figures.as_ref();
        let Some(figures) = complete.filter(|_| row.status == Status::Complete) else {
            return;
        };
        let steady = row.steady_figures().is_some();
        self.runs += 1;
        self.unsteady += usize::from(!steady);
        self.saturated += usize::from(figures.is_saturated());
        self.offered.extend(figures.offered());
        let both = [("cycles", &mut self.latency), ("ps", &mut self.latency_ps)];
        for (unit, [of_steady, of_all]) in both {
            let latency = figures.latency(unit);
            of_steady.extend(latency.filter(|_| steady));
            of_all.extend(latency);
        }
        self.accepted.extend(figures.accepted());
    }

    fn is_steady(&self) -> bool {
        2 * self.unsteady < self.runs
    }

    /// What is shown of the runs; a latency is that of the steady runs, or of all runs where most aren't steady.
    fn shown(&self, shown: Shown) -> &[Mean] {
        let which = usize::from(!self.is_steady());
        match shown {
            Shown::Latency => &self.latency[which],
            Shown::LatencyPs => &self.latency_ps[which],
            Shown::Accepted => &self.accepted,
        }
    }

    fn point(&self, x: f64, of: &[Mean]) -> Option<Point> {
        let Mean { mean, half_width } = over(of)?;
        Some(Point {
            x,
            y: mean,
            half_width,
            steady: self.is_steady(),
            saturated: 2 * self.saturated >= self.runs,
        })
    }
}

/// The mean over runs, with its interval; one run has its own.
fn over(means: &[Mean]) -> Option<Mean> {
    match means {
        [] => None,
        [one] => Some(*one),
        several => {
            let values: Vec<f64> = several.iter().map(|mean| mean.mean).collect();
            Mean::of(&Estimate::of_independent(&values, LEVEL))
        }
    }
}

/// A curve's points by the index of their value on the axis, with that value.
type Curve = BTreeMap<usize, (f64, Runs)>;

/// All curves over an axis, ordered by the indices of the other axes' values.
fn curves(plan: &Plan, finished: &Finished, over: usize) -> Result<Vec<(String, Curve)>, Error> {
    let axes = 0..plan.axes.len();
    let others = axes.filter(|axis| *axis != over && !plan.is_seed(*axis));
    let others: Vec<usize> = others.collect();
    let mut curves: BTreeMap<Vec<usize>, (String, Curve)> = BTreeMap::new();
    finished.each(|row| {
        let (places, values) = (plan.places(row.point), plan.values(row.point));
        let key = others.iter().map(|axis| places[*axis]).collect();
        let curve = curves.entry(key);
        let (_, curve) = curve.or_insert_with(|| (name(plan, &others, &values), Curve::new()));
        let x = Value::of(values[over]).number().unwrap_or(f64::NAN);
        let point = curve.entry(places[over]);
        point.or_insert_with(|| (x, Runs::default())).1.add(&row);
        Ok(())
    })?;
    Ok(curves.into_values().collect())
}

/// A curve's name in the legend: the other axes' values, with the last part of their keys.
fn name(plan: &Plan, others: &[usize], values: &[&str]) -> String {
    let short = |axis: usize| plan.axes[axis].key.rsplit('.').next().unwrap_or_default();
    let named = others.iter();
    let named = named.map(|axis| format!("{} {}", short(*axis), values[*axis]));
    named.collect::<Vec<_>>().join(", ")
}

/// A curve's points, in the order of the axis.
fn points(curve: &Curve, over_load: bool, shown: Shown) -> Vec<Point> {
    let point = |(value, runs): &(f64, Runs)| {
        let x = match over_load {
            true => runs.offered.iter().sum::<f64>() / runs.offered.len() as f64,
            false => *value,
        };
        runs.point(x, runs.shown(shown))
    };
    curve.values().filter_map(point).collect()
}

/// A curve's points with its name. One whose nodes share a clock has no points in ps and says so; it keeps its place, and
/// so its colour, in all figures.
fn named_points(name: &str, curve: &Curve, over_load: bool, shown: Shown) -> (String, Vec<Point>) {
    let found = points(curve, over_load, shown);
    let cycles_only = shown == Shown::LatencyPs
        && found.is_empty()
        && !points(curve, over_load, Shown::Latency).is_empty();
    let name = match cycles_only {
        true => format!("{name} (cycles only)"),
        false => name.to_owned(),
    };
    (name, found)
}

/// Draws the figures, as SVG and PNG, if there is an axis to draw them over; returns their files. Latencies in ps are
/// drawn if there are any.
pub(crate) fn draw(
    folder: &Path,
    plan: &Plan,
    finished: &Finished,
    provenance: &Provenance,
) -> Result<Vec<PathBuf>, Error> {
    let Some(abscissa) = plan.abscissa() else {
        return Ok(Vec::new());
    };
    let mut curves = curves(plan, finished, abscissa)?;
    let all = curves.len();
    curves.truncate(MOST_CURVES);
    let key = plan.axes[abscissa].key.as_str();
    let over_load = key == LOAD;
    let more = match all {
        0..=MOST_CURVES => String::new(),
        all => format!(", the first {MOST_CURVES} of {all} curves"),
    };
    let seeds = curves.iter().flat_map(|(_, curve)| curve.values());
    let seeds = seeds.map(|(_, runs)| runs.runs).max().unwrap_or(0);
    let counts_terminals = plan.first().is_some_and(|it| it.network.counts_terminals());
    let mut files = Vec::new();
    for shown in Shown::ALL {
        let title = match shown {
            Shown::Latency | Shown::LatencyPs => "Mean latency",
            Shown::Accepted => "Accepted load",
        };
        let named = curves.iter();
        let named = named.map(|(name, curve)| named_points(name, curve, over_load, shown));
        let named: Vec<(String, Vec<Point>)> = named.collect();
        if shown == Shown::LatencyPs && named.iter().all(|(_, points)| points.is_empty()) {
            continue;
        }
        let figure = LoadCurves {
            title: &format!("{title}{more}"),
            over: (!over_load).then_some(key),
            shown,
            load_unit: load_unit(counts_terminals),
            seeds,
            curves: &named,
        };
        let [svg, png] = files_of(shown).map(|name| folder.join(name));
        write(&svg, provenance.in_svg(&figure.svg()).as_bytes())?;
        write(&png, &figure.png_with(&provenance.metadata()))?;
        files.extend([svg, png]);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Figures;
    use crate::journal::tests::row;
    use flitwork_report::Cell;

    /// A run of a point: its latency, and whether it was steady and saturated.
    fn run(latency: f64, steady: bool, saturated: bool) -> Row {
        let row = row(1);
        let figures = Figures::known(&[
            ("steady", Cell::Truth(steady)),
            ("saturated", Cell::Truth(saturated)),
            ("offered_load_words_per_node_cycle", Cell::Number(0.5)),
            ("accepted_load_words_per_node_cycle", Cell::Number(0.25)),
            ("latency_mean_cycles", Cell::Number(latency)),
        ]);
        Row {
            figures: Some(figures),
            ..row
        }
    }

    fn runs(rows: &[Row]) -> Runs {
        let mut runs = Runs::default();
        rows.iter().for_each(|row| runs.add(row));
        runs
    }

    fn point(rows: &[Row]) -> Point {
        let runs = runs(rows);
        runs.point(0.1, runs.shown(Shown::Latency)).unwrap()
    }

    /// A point is steady if more than half of its runs were, and its latency is theirs. Any other point has the
    /// latency of all its runs, and is drawn open.
    #[test]
    fn half_of_the_runs_are_not_enough_for_a_steady_point() {
        let (calm, wild) = (run(40.0, true, false), run(100.0, false, true));
        let two = point(&[calm.clone(), calm.clone(), wild.clone()]);
        assert!(two.steady && !two.saturated && two.y == 40.0, "{two:?}");
        let half = point(&[calm.clone(), wild.clone()]);
        assert!(!half.steady && half.saturated && half.y == 70.0, "{half:?}");
        let one = point(&[calm.clone(), wild.clone(), wild.clone()]);
        assert!(!one.steady && one.saturated && one.y == 80.0, "{one:?}");
        // Too few packets: neither steady nor saturated.
        let few = point(&[run(40.0, false, false)]);
        assert!(!few.steady && !few.saturated);
    }

    /// Under one clock there is nothing in ps. Otherwise a point in ps is that of the same runs as in cycles: of the
    /// steady ones, at overload of the window, and with seeds the mean over them.
    #[test]
    fn latencies_in_ps_follow_the_same_rules() {
        let of = |row: Row, more: &[(&str, f64)]| {
            let mut cells = vec![
                ("steady", Cell::Truth(row.steady_figures().is_some())),
                ("offered_load_words_per_node_cycle", Cell::Number(0.5)),
            ];
            cells.extend(
                more.iter()
                    .map(|(name, value)| (*name, Cell::Number(*value))),
            );
            let figures = Some(Figures::known(&cells));
            Row { figures, ..row }
        };
        let cycles = ("latency_mean_cycles", 40.0);
        let ps = |mean| {
            [
                cycles,
                ("latency_mean_ps", mean),
                ("latency_half_width_ps", 7.0),
            ]
        };
        let steady = |more: &[(&str, f64)]| of(run(0.0, true, false), more);
        let in_ps = |rows: &[Row]| {
            points(
                &Curve::from([(0, (0.6, runs(rows)))]),
                true,
                Shown::LatencyPs,
            )
        };
        let one = in_ps(&[steady(&ps(40_300.0))]);
        assert_eq!(
            (one[0].x, one[0].y, one[0].half_width),
            (0.5, 40_300.0, Some(7.0))
        );
        let window = of(
            run(0.0, false, true),
            &[("latency_window_mean_ps", 90_000.0)],
        );
        let three = in_ps(&[steady(&ps(40_300.0)), steady(&ps(40_500.0)), window.clone()]);
        assert!(three[0].steady && three[0].y == 40_400.0, "{three:?}");
        let overload = in_ps(&[window]);
        assert!(
            !overload[0].steady && overload[0].y == 90_000.0 && overload[0].half_width.is_none()
        );
        // One clock.
        assert!(in_ps(&[steady(&[cycles])]).is_empty());
        let curve = |rows: &[Row]| Curve::from([(0, (0.6, runs(rows)))]);
        let name = |rows: &[Row], shown| named_points("a", &curve(rows), true, shown).0;
        assert_eq!(
            name(&[steady(&[cycles])], Shown::LatencyPs),
            "a (cycles only)"
        );
        assert_eq!(name(&[steady(&[cycles])], Shown::Latency), "a");
        assert_eq!(name(&[steady(&ps(1.0))], Shown::LatencyPs), "a");
        assert_eq!(name(&[], Shown::LatencyPs), "a");
    }

    /// A point is drawn at its offered load; over another axis, at the axis' value.
    #[test]
    fn points_are_drawn_at_the_load_that_was_offered() {
        let curve = || Curve::from([(0, (0.6, runs(&[run(40.0, true, false)])))]);
        assert_eq!(points(&curve(), true, Shown::Latency)[0].x, 0.5);
        assert_eq!(points(&curve(), false, Shown::Latency)[0].x, 0.6);
    }
}
