//! Series of points and lines over a common axis.

use crate::Figure;
use crate::appearance::Appearance;
use crate::axis::{Axis, Scale, Tick};
use crate::legend::Legend;
use crate::palette::{GRID, INK};
use crate::picture::{Anchor, Picture, widest};

pub(crate) const PLOT_WIDTH: f64 = 560.0;
pub(crate) const PLOT_HEIGHT: f64 = 370.0;
pub(crate) const TOP: f64 = 48.0;
pub(crate) const BELOW: f64 = 62.0;
/// Half the width of the widest label of the x axis.
const RIGHT: f64 = 32.0;
const TEXT: f64 = 15.0;
pub(crate) const LABEL: f64 = 13.0;
pub(crate) const RADIUS: f64 = 4.0;
pub(crate) const LINE: f64 = 1.5;
/// The dashes of [`Style::Dashed`].
pub(crate) const DASHES: &[f64] = &[6.0, 4.2];
const NOTE: f64 = 12.0;
const NOTE_ROW: f64 = 17.0;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A filled circle at every point.
    FilledCircles,
    /// An open circle at every point.
    OpenCircles,
    /// A line through the points.
    Line,
    /// A dashed line through the points.
    Dashed,
    /// A line through the points, with a marker at each. The dashes and the marker's shape depend on the series' position
    /// in the list, so that series can be distinguished in black and white.
    Curve,
}

/// Points (x, y) that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; a series without a name isn't listed.
    pub name: String,
    /// The points, in the order in which a line connects them. A point that isn't finite, or not positive on a logarithmic
    /// axis, is left out, and the line has a gap there.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub style: Style,
    /// For each point, the lower and upper end of its whisker, as values of y. Missing ones aren't drawn.
    pub whiskers: Option<Vec<(f64, f64)>>,
    /// For each point, whether its marker is open even if the style's are filled; by default it isn't.
    pub open: Vec<bool>,
    /// The position of a vertical line of the series on the x axis.
    pub mark: Option<f64>,
}

impl Series {
    /// Points without whiskers.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<(f64, f64)>) -> Series {
        Series {
            name: name.into(),
            points,
            style,
            whiskers: None,
            open: Vec::new(),
            mark: None,
        }
    }
}

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

impl Figure for Curves<'_> {
    fn picture(&self) -> Picture {
        let plot = Plot::of(self);
        let legend = Legend::of(self, &plot);
        let right = if legend.outside {
            legend.width + 16.0
        } else {
            0.0
        };
        let width = plot.left + PLOT_WIDTH + RIGHT + right;
        let notes = NOTE_ROW * self.note.lines().count() as f64;
        let mut picture = Picture::new(width, TOP + PLOT_HEIGHT + BELOW + notes);
        self.draw_axes(&mut picture, &plot);
        self.draw_note(&mut picture, &plot);
        for (index, one) in self.series.iter().enumerate() {
            draw_series(&mut picture, &plot, one, one.appearance(index));
        }
        legend.draw(&mut picture, &self.series);
        picture
    }
}

impl Curves<'_> {
    fn draw_axes(&self, picture: &mut Picture, plot: &Plot) {
        let (left, right, bottom) = (plot.left, plot.left + PLOT_WIDTH, TOP + PLOT_HEIGHT);
        for tick in plot.x.ticks(7.0) {
            let x = plot.across(tick.value);
            picture.line((x, TOP), (x, bottom), 1.0, GRID);
            picture.line((x, bottom), (x, bottom + 5.0), 1.0, INK);
            picture.text(
                (x, bottom + 8.0),
                Anchor::Top,
                (LABEL, 90.0),
                &tick.label,
                INK,
            );
        }
        for tick in plot.y.ticks(6.0) {
            let y = plot.down(tick.value);
            picture.line((left, y), (right, y), 1.0, GRID);
            picture.line((left - 5.0, y), (left, y), 1.0, INK);
            picture.text(
                (left - 8.0, y),
                Anchor::Right,
                (LABEL, 120.0),
                &tick.label,
                INK,
            );
        }
        for x in plot
            .x
            .minor_ticks()
            .into_iter()
            .map(|value| plot.across(value))
        {
            picture.line((x, bottom), (x, bottom + 3.0), 1.0, INK);
        }
        for y in plot
            .y
            .minor_ticks()
            .into_iter()
            .map(|value| plot.down(value))
        {
            picture.line((left - 3.0, y), (left, y), 1.0, INK);
        }
        picture.frame((left, TOP), (right, bottom), 1.0, INK);
        let middle = ((left + right) / 2.0, TOP + PLOT_HEIGHT / 2.0);
        picture.text(
            (middle.0, 14.0),
            Anchor::Top,
            (18.0, PLOT_WIDTH + 60.0),
            self.title,
            INK,
        );
        let below = (middle.0, bottom + 32.0);
        picture.text(below, Anchor::Top, (TEXT, PLOT_WIDTH), self.x_label, INK);
        let beside = (18.0, middle.1);
        picture.text(
            beside,
            Anchor::Rotated,
            (TEXT, PLOT_HEIGHT + 60.0),
            self.y_label,
            INK,
        );
    }
}

impl Curves<'_> {
    fn draw_note(&self, picture: &mut Picture, plot: &Plot) {
        let middle = plot.left + PLOT_WIDTH / 2.0;
        for (row, line) in self.note.lines().enumerate() {
            let y = TOP + PLOT_HEIGHT + BELOW - 6.0 + NOTE_ROW * row as f64;
            let room = (NOTE, PLOT_WIDTH + 80.0);
            picture.text((middle, y), Anchor::Top, room, line, INK);
        }
    }
}

impl Series {
    pub(crate) fn appearance(&self, index: usize) -> Appearance {
        match self.style {
            Style::Curve => Appearance::of(index),
            _ => Appearance::plain(index),
        }
    }

    fn is_open(&self, place: usize) -> bool {
        self.style == Style::OpenCircles || self.open.get(place).is_some_and(|open| *open)
    }

    /// Whether it has markers.
    pub(crate) fn is_marked(&self) -> bool {
        !matches!(self.style, Style::Line | Style::Dashed)
    }
}

impl Curves<'_> {
    fn shows(&self, &(x, y): &(f64, f64)) -> bool {
        self.x_scale.shows(x) && self.y_scale.shows(y)
    }
}

/// The y axis: all points and whiskers up to [`Curves::y_top`]; whiskers don't extend it below 0 if no point is there.
fn y_axis(curves: &Curves<'_>) -> Axis {
    let points = || curves.series.iter().flat_map(|one| &one.points);
    let shown = points().filter(|point| curves.shows(point));
    let ys = shown.map(|(_, y)| *y);
    let floor = match ys.clone().all(|y| y >= 0.0) {
        true => 0.0,
        false => f64::NEG_INFINITY,
    };
    let whiskers = curves.series.iter().flat_map(|one| {
        let drawn = one.points.iter().zip(one.whiskers.iter().flatten());
        drawn
            .filter(|(point, _)| curves.shows(point))
            .flat_map(|(_, &(low, high))| [low, high])
    });
    // A missing whisker is NaN.
    let whiskers = whiskers.filter(|end| !end.is_nan());
    let ends = ys.chain(whiskers.map(|end| end.max(floor)));
    let top = curves.y_top.unwrap_or(f64::INFINITY);
    Axis::around(curves.y_scale, ends.map(|y| y.min(top)))
}

/// The x axis: the visible parts of the series, as the y axis may end below some of their points.
fn x_axis(curves: &Curves<'_>, y: &Axis) -> Axis {
    let is_seen = |&(_, at): &(f64, f64)| at <= y.high();
    let seen = curves.series.iter().flat_map(|one| {
        let points = one.points.iter().copied();
        let points: Vec<(f64, f64)> = points.filter(|point| curves.shows(point)).collect();
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
    Axis::close_around(curves.x_scale, seen)
}

/// The room left of a plot: for the label of its y axis, and for the labels of the ticks.
pub(crate) fn left_margin(ticks: impl IntoIterator<Item = Tick>) -> f64 {
    let labels = ticks.into_iter().map(|tick| tick.label);
    (48.0 + widest(labels, LABEL).clamp(20.0, 120.0)).ceil()
}

/// The axes and their position.
pub(crate) struct Plot {
    x: Axis,
    y: Axis,
    scales: (Scale, Scale),
    pub(crate) left: f64,
}

impl Plot {
    fn of(curves: &Curves<'_>) -> Plot {
        let scales = (curves.x_scale, curves.y_scale);
        let y = y_axis(curves);
        let x = x_axis(curves, &y);
        Plot {
            x,
            y,
            scales,
            left: left_margin(y.ticks(6.0)),
        }
    }

    /// The least value of the y axis.
    fn y_low(&self) -> f64 {
        self.y.low()
    }

    fn across(&self, x: f64) -> f64 {
        self.left + PLOT_WIDTH * self.x.share(x)
    }

    fn down(&self, y: f64) -> f64 {
        TOP + PLOT_HEIGHT * (1.0 - self.y.share(y))
    }

    /// The position of a point, if it can be shown; it is above the plot if the y axis ends below it.
    pub(crate) fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        (self.scales.0.shows(x) && self.scales.1.shows(y)).then(|| (self.across(x), self.down(y)))
    }
}

fn draw_series(picture: &mut Picture, plot: &Plot, one: &Series, appearance: Appearance) {
    let places: Vec<Option<(f64, f64)>> = one.points.iter().map(|p| plot.place(*p)).collect();
    if let Some((x, _)) = one.mark.and_then(|x| plot.place((x, plot.y_low()))) {
        appearance.line(picture, &[(x, TOP + PLOT_HEIGHT), (x, TOP)], 1.0);
    }
    for run in places.split(|place| place.is_none()) {
        let run: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
        for run in below_top(&run) {
            match one.style {
                Style::Line | Style::Curve => appearance.line(picture, &run, LINE),
                Style::Dashed => picture.dashes(&run, DASHES, LINE, appearance.color),
                Style::FilledCircles | Style::OpenCircles => {}
            }
        }
    }
    for (point, &(low, high)) in one.points.iter().zip(one.whiskers.iter().flatten()) {
        let ends = (plot.place((point.0, low)), plot.place((point.0, high)));
        if let (Some(_), (Some(low), Some(high))) = (plot.place(*point), ends) {
            draw_whisker(picture, low, high, appearance);
        }
    }
    let places = places.into_iter().enumerate();
    let places = places.filter_map(|(place, at)| Some((place, at?)));
    for (place, at) in places.filter(|(_, at)| one.is_marked() && is_below_top(*at)) {
        appearance.marker(picture, at, one.is_open(place));
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
fn draw_whisker(picture: &mut Picture, low: (f64, f64), high: (f64, f64), appearance: Appearance) {
    const CAP: f64 = 3.5;
    if !is_below_top(low) {
        return;
    }
    let bottom = TOP + PLOT_HEIGHT;
    let ends = ((low.0, low.1.min(bottom)), (high.0, high.1.max(TOP)));
    picture.line(ends.0, ends.1, 1.0, appearance.color);
    let is_seen = |end: &(f64, f64)| is_below_top(*end) && end.1 <= bottom + 1e-6;
    for (x, y) in [low, high].into_iter().filter(is_seen) {
        picture.line((x - CAP, y), (x + CAP, y), 1.0, appearance.color);
    }
}
