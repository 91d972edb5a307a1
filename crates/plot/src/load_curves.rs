//! Points of a curve over the load, as figures show them.
//!
//! A point that isn't steady has an open marker. A vertical line marks saturation, midway between the last load at which
//! the network isn't saturated and the next one. An axis of latencies ends a little above those of steady networks: the
//! curve of an overloaded network leaves the plot at its top, because its height depends only on the length of the
//! measurement.

use crate::{Curves, Drawable, Picture, Series, Style};

/// The end of the axis of latencies, relative to the greatest latency of a steady network.
const TIMES_STEADY: f64 = 3.0;

/// A point of a curve over the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The load that was offered, in words per node and cycle, or the value on another axis.
    pub x: f64,
    /// The value shown there.
    pub y: f64,
    /// Half the length of its whisker, if it has one.
    pub half_width: Option<f64>,
    /// Whether the network was steady there.
    pub steady: bool,
    /// Whether it was saturated.
    pub saturated: bool,
}

/// What curves over the load show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Mean latencies, in cycles.
    Latency,
    /// The same in picoseconds, where nodes have clocks of their own.
    LatencyPs,
    /// Accepted loads.
    Accepted,
}

impl Shown {
    /// All of them.
    pub const ALL: [Shown; 3] = [Shown::Latency, Shown::LatencyPs, Shown::Accepted];

    /// What files call it.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Latency => "latency",
            Shown::LatencyPs => "latency_ps",
            Shown::Accepted => "accepted",
        }
    }
}

/// Curves over the load, or over another axis.
#[derive(Clone, Copy, Debug)]
pub struct LoadCurves<'a> {
    /// The title.
    pub title: &'a str,
    /// What they are drawn over, if not over the load.
    pub over: Option<&'a str>,
    /// What they show.
    pub shown: Shown,
    /// The unit of loads.
    pub load_unit: &'a str,
    /// Runs behind a point: one per seed.
    pub seeds: usize,
    /// The curves' names and points.
    pub curves: &'a [(String, Vec<Point>)],
}

impl Drawable for LoadCurves<'_> {
    fn picture(&self) -> Picture {
        let is_latency = self.shown != Shown::Accepted;
        let points = self.curves.iter().flat_map(|(_, points)| points);
        let curves = self.curves.iter();
        let series = curves.map(|(name, points)| series(name, points, self.over.is_none()));
        let unit = self.load_unit;
        let [offered, accepted] = ["offered", "accepted"].map(|it| format!("{it} load ({unit})"));
        let curves = Curves {
            title: self.title,
            x_label: self.over.unwrap_or(&offered),
            y_label: match self.shown {
                Shown::Latency => "latency (cycles)",
                Shown::LatencyPs => "latency (ps)",
                Shown::Accepted => &accepted,
            },
            series: series.collect(),
            y_top: latency_top(points.clone()).filter(|_| is_latency),
            note: &note(is_latency, self.seeds, points),
            ..Curves::default()
        };
        curves.picture()
    }
}

/// A curve through points, in their order. `marked` says whether a vertical line marks saturation.
fn series(name: &str, points: &[Point], marked: bool) -> Series {
    let whisker = |point: &Point| {
        let half = point.half_width.unwrap_or(f64::NAN);
        (point.y - half, point.y + half)
    };
    Series {
        whiskers: Some(points.iter().map(whisker).collect()),
        open: points.iter().map(|point| !point.steady).collect(),
        mark: saturation(points).filter(|_| marked),
        ..Series::new(
            name,
            Style::Curve,
            points.iter().map(|point| (point.x, point.y)).collect(),
        )
    }
}

/// The middle between the first saturated point and the one before it.
fn saturation(points: &[Point]) -> Option<f64> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let first = points.iter().position(|point| point.saturated)?;
    let before = points[..first].last()?;
    Some(before.x.midpoint(points[first].x))
}

/// The end of the axis of latencies, if some points are steady and some aren't.
fn latency_top<'p>(points: impl Iterator<Item = &'p Point> + Clone) -> Option<f64> {
    let steady = points.clone().filter(|point| point.steady);
    let greatest = steady.map(|point| point.y).reduce(f64::max);
    let all_steady = points.clone().all(|point| point.steady);
    greatest
        .map(|greatest| TIMES_STEADY * greatest)
        .filter(|_| !all_steady)
}

/// A note that explains open markers, vertical lines and whiskers.
fn note<'p>(
    is_latency: bool,
    seeds: usize,
    points: impl Iterator<Item = &'p Point> + Clone,
) -> String {
    let mut notes = Vec::new();
    if points.clone().any(|point| !point.steady) {
        notes.push(match is_latency {
            true => "open markers: not steady; if overloaded, mean over delivered packets",
            false => "open markers: not steady",
        });
    }
    if points.clone().any(|point| point.saturated) {
        notes.push("vertical line: saturation");
    }
    [notes.join("; "), whiskers(seeds, points)]
        .join("\n")
        .trim_start()
        .to_owned()
}

/// Explains the whiskers, and why some points have none.
fn whiskers<'p>(seeds: usize, points: impl Iterator<Item = &'p Point> + Clone) -> String {
    let all = points.clone().count();
    let missing = points.filter(|point| point.half_width.is_none()).count();
    let (what, why) = match seeds {
        0 | 1 => (
            "batch means of one run".to_owned(),
            "the batches are correlated, too few, or from an overloaded network",
        ),
        seeds => (format!("{seeds} seeds"), "only one run remains"),
    };
    let hidden = "; those shorter than a marker don't show";
    match missing {
        0 => format!("whiskers: 95 % interval of {what}{hidden}"),
        _ if missing == all => format!("no whiskers: at every point, {why}"),
        _ => format!(
            "whiskers: 95 % interval of {what}{hidden}\nno whisker ({missing} of {all} points): {why}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, half_width: Option<f64>, steady: bool, saturated: bool) -> Point {
        Point {
            x,
            y,
            half_width,
            steady,
            saturated,
        }
    }

    fn curve() -> Vec<Point> {
        vec![
            point(0.1, 40.0, Some(1.0), true, false),
            point(0.2, 50.0, None, true, false),
            point(0.3, 60.0, None, false, false),
            point(0.4, 900.0, None, false, true),
            point(0.5, 90.0, Some(2.0), true, false),
        ]
    }

    #[test]
    fn both_axes_of_loads_have_their_unit() {
        let curves = [("a".to_owned(), curve())];
        let drawn = |shown| LoadCurves {
            title: "",
            over: None,
            shown,
            load_unit: "words/terminal/cycle",
            seeds: 1,
            curves: &curves,
        };
        let units = |shown| drawn(shown).svg().matches("(words/terminal/cycle)").count();
        assert_eq!((units(Shown::Latency), units(Shown::Accepted)), (1, 2));
    }

    #[test]
    fn unsteady_points_are_open_and_saturation_is_marked() {
        let drawn = series("a", &curve(), true);
        assert_eq!(drawn.points.len(), 5);
        assert_eq!(drawn.open, [false, false, true, true, false]);
        // Between 0.3, which isn't steady but not saturated either, and 0.4.
        assert_eq!(drawn.mark, Some(0.35));
        assert_eq!(drawn.whiskers.as_ref().unwrap()[0], (39.0, 41.0));
        assert!(drawn.whiskers.unwrap()[1].0.is_nan());
        assert_eq!(series("a", &curve(), false).mark, None);
        // Always saturated, and never: no load to show.
        assert_eq!(saturation(&curve()[3..]), None);
        assert_eq!(saturation(&curve()[..3]), None);
        let descending: Vec<Point> = curve().into_iter().rev().collect();
        assert_eq!(saturation(&descending), Some(0.35));
    }

    #[test]
    fn the_axis_of_latencies_ends_above_the_steady_ones() {
        // 3 times 90; a whisker, however long, doesn't count.
        assert_eq!(latency_top(curve().iter()), Some(270.0));
        assert_eq!(latency_top(curve()[..2].iter()), None);
        assert_eq!(latency_top(curve()[2..4].iter()), None);
    }

    #[test]
    fn missing_whiskers_are_explained() {
        let text = whiskers(1, curve().iter());
        assert!(
            text.contains("no whisker (3 of 5 points): the batches"),
            "{text}"
        );
        assert!(whiskers(3, curve()[..1].iter()).starts_with("whiskers: 95 % interval of 3 seeds"));
        assert!(whiskers(1, curve()[1..3].iter()).starts_with("no whiskers: "));
    }
}
