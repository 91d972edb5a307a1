//! Series of points and lines over a common axis.

use crate::Drawable;
use crate::axis::{Axis, Scale};
use crate::legend::Legend;
use crate::picture::{Anchor, Picture};
use crate::plot::{Plot, TEXT, Ticks, left_margin};
use crate::series::{Appearance, LINE, Series};

pub(crate) const PLOT_WIDTH: f64 = 560.0;
const PLOT_HEIGHT: f64 = 370.0;
const TOP: f64 = 48.0;
const BELOW: f64 = 62.0;
/// Half the width of the widest label of the x axis.
const RIGHT: f64 = 32.0;
const NOTE: f64 = 12.0;
const NOTE_ROW: f64 = 17.0;
/// About how many ticks the axes have.
const TICKS: (f64, f64) = (7.0, 6.0);

/// Series over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// What x is, with its unit.
    pub x_label: &'a str,
    /// What y is, with its unit.
    pub y_label: &'a str,
    /// The x axis.
    pub x_scale: Scale,
    /// The y axis.
    pub y_scale: Scale,
    /// The series, drawn in this order, which also determines their colours.
    pub series: Vec<Series>,
    /// The y axis reaches just far enough to show this value. Points above it aren't drawn, and lines to them leave the
    /// plot at its top.
    pub y_top: Option<f64>,
    /// A note in small letters under the plot, one or more lines.
    pub note: &'a str,
}

impl Drawable for Curves<'_> {
    fn picture(&self) -> Picture {
        let plot = self.plot();
        let legend = Legend::of(&self.series, &plot);
        let right = match legend.outside {
            true => legend.width + 16.0,
            false => 0.0,
        };
        let bottom = plot.bottom() + BELOW;
        let notes = NOTE_ROW * self.note.lines().count() as f64;
        let mut picture = Picture::new(plot.right() + RIGHT + right, bottom + notes);
        let ticks = Ticks {
            counts: TICKS,
            length: 5.0,
            below: true,
        };
        plot.draw(&mut picture, &ticks);
        self.draw_texts(&mut picture, &plot);
        for (index, one) in self.series.iter().enumerate() {
            draw_series(&mut picture, &plot, one, one.appearance(index));
        }
        legend.draw(&mut picture, &self.series, bottom);
        picture
    }
}

impl Curves<'_> {
    fn plot(&self) -> Plot {
        let y = self.y_axis();
        Plot {
            left: left_margin(y.ticks(TICKS.1)),
            top: TOP,
            width: PLOT_WIDTH,
            height: PLOT_HEIGHT,
            x: self.x_axis(&y),
            y,
        }
    }

    fn draw_texts(&self, picture: &mut Picture, plot: &Plot) {
        let middle = plot.left + PLOT_WIDTH / 2.0;
        let title = (18.0, PLOT_WIDTH + 60.0);
        picture.text((middle, 14.0), Anchor::Top, title, self.title);
        let below = (middle, plot.bottom() + 32.0);
        picture.text(below, Anchor::Top, (TEXT, PLOT_WIDTH), self.x_label);
        let beside = (18.0, TOP + PLOT_HEIGHT / 2.0);
        let room = (TEXT, PLOT_HEIGHT + 60.0);
        picture.text(beside, Anchor::Rotated, room, self.y_label);
        for (row, line) in self.note.lines().enumerate() {
            let y = plot.bottom() + BELOW - 6.0 + NOTE_ROW * row as f64;
            let room = (NOTE, PLOT_WIDTH + 80.0);
            picture.text((middle, y), Anchor::Top, room, line);
        }
    }

    fn shows(&self, (x, y): (f64, f64)) -> bool {
        self.x_scale.shows(x) && self.y_scale.shows(y)
    }

    /// The y axis: all points and whiskers up to [`Curves::y_top`]; whiskers don't extend it below 0 if no point is there.
    fn y_axis(&self) -> Axis {
        let points = self
            .series
            .iter()
            .flat_map(|one| one.points.iter().copied());
        let ys = points.filter(|point| self.shows(*point)).map(|(_, y)| y);
        let floor = match ys.clone().all(|y| y >= 0.0) {
            true => 0.0,
            false => f64::NEG_INFINITY,
        };
        let whiskers = self.series.iter().flat_map(Series::whiskers);
        let whiskers = whiskers.filter(|(point, _)| self.shows(*point));
        let ends = whiskers.flat_map(|(_, (low, high))| [low, high]);
        let ends = ends.filter(|end| !end.is_nan()).map(|end| end.max(floor));
        let top = self.y_top.unwrap_or(f64::INFINITY);
        Axis::around(self.y_scale, ys.chain(ends).map(|y| y.min(top)))
    }

    /// The x axis: the visible parts of the series, as the y axis may end below some of their points.
    fn x_axis(&self, y: &Axis) -> Axis {
        let is_seen = |&(_, at): &(f64, f64)| at <= y.high;
        let seen = self.series.iter().flat_map(|one| {
            let points = one.points.iter().copied();
            let points: Vec<(f64, f64)> = points.filter(|point| self.shows(*point)).collect();
            let crossings = points.windows(2).filter_map(|pair| {
                let (from, to) = (pair[0], pair[1]);
                (is_seen(&from) != is_seen(&to)).then(|| {
                    let share = (1.0 - y.share(from.1)) / (y.share(to.1) - y.share(from.1));
                    from.0 + share * (to.0 - from.0)
                })
            });
            let crossings: Vec<f64> = crossings.collect();
            let points = points.into_iter().filter(is_seen).map(|(x, _)| x);
            points.chain(crossings).chain(one.mark)
        });
        Axis::close_around(self.x_scale, seen)
    }
}

fn draw_series(picture: &mut Picture, plot: &Plot, one: &Series, appearance: Appearance) {
    let places: Vec<Option<(f64, f64)>> = one.points.iter().map(|p| plot.place(*p)).collect();
    if let Some((x, _)) = one.mark.and_then(|x| plot.place((x, plot.y.low))) {
        appearance.line(picture, &[(x, plot.bottom()), (x, TOP)], 1.0);
    }
    for run in places.split(Option::is_none).filter(|_| one.is_lined()) {
        let run: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
        for part in below_top(&run) {
            appearance.line(picture, &part, LINE);
        }
    }
    for (point, (low, high)) in one.whiskers() {
        let ends = (plot.place((point.0, low)), plot.place((point.0, high)));
        if let (Some(_), (Some(low), Some(high))) = (plot.place(point), ends) {
            draw_whisker(picture, plot, (low, high), appearance);
        }
    }
    for (place, at) in places.into_iter().enumerate() {
        if let Some(at) = at.filter(|at| one.is_marked() && is_below_top(*at)) {
            appearance.marker(picture, at, one.is_open(place));
        }
    }
}

/// Whether a position lies within the plot's top, up to rounding.
fn is_below_top((_, y): (f64, f64)) -> bool {
    y >= TOP - 1e-6
}

/// The parts of a line that lie in the plot: it is cut at the plot's top.
fn below_top(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut parts = Vec::new();
    let mut part: Vec<(f64, f64)> = Vec::new();
    for (place, &to) in points.iter().enumerate() {
        let from = place.checked_sub(1).map(|before| points[before]);
        let crossing = |from: (f64, f64)| {
            let share = (TOP - from.1) / (to.1 - from.1);
            (from.0 + share * (to.0 - from.0), TOP)
        };
        match (from.map(is_below_top), is_below_top(to)) {
            (None | Some(true), true) => part.push(to),
            (Some(false), true) => part.extend(from.map(crossing).into_iter().chain([to])),
            (Some(true), false) => {
                part.extend(from.map(crossing));
                parts.push(std::mem::take(&mut part));
            }
            (None | Some(false), false) => {}
        }
    }
    parts.push(part);
    parts
}

/// Draws a whisker with its caps, clipped to the plot.
fn draw_whisker(
    picture: &mut Picture,
    plot: &Plot,
    (low, high): ((f64, f64), (f64, f64)),
    appearance: Appearance,
) {
    const CAP: f64 = 3.5;
    if !is_below_top(low) {
        return;
    }
    let bottom = plot.bottom();
    let ends = ((low.0, low.1.min(bottom)), (high.0, high.1.max(TOP)));
    picture.line(ends.0, ends.1, appearance.color);
    let is_seen = |end: &(f64, f64)| is_below_top(*end) && end.1 <= bottom + 1e-6;
    for (x, y) in [low, high].into_iter().filter(is_seen) {
        picture.line((x - CAP, y), (x + CAP, y), appearance.color);
    }
}
