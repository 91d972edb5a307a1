//! Stacked plots over one x axis.

use crate::Figure;
use crate::axis::{Axis, Scale};
use crate::curves::{DASHES, LABEL, LINE, Series, Style, left_margin};
use crate::palette::{GRID, INK, SHADE, series};
use crate::picture::{Anchor, Color, Picture, text_width, widest};

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 120.0;
const GAP: f64 = 18.0;
const TOP: f64 = 70.0;
const BELOW: f64 = 58.0;
const TEXT: f64 = 15.0;
/// The length of the legend's samples of lines.
const SAMPLE: f64 = 26.0;
const LEGEND_ROW: f64 = 19.0;

/// A stretch of the x axis with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band<'a> {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The name above it.
    pub name: &'a str,
    /// Whether it is shaded.
    pub is_shaded: bool,
}

/// One of the plots.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel<'a> {
    /// What y is, with its unit.
    pub y_label: &'a str,
    /// The series; circles of their styles aren't drawn.
    pub series: Vec<Series>,
}

/// Stacked plots over one x axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Panels<'a> {
    /// The title above them.
    pub title: &'a str,
    /// What x is, with its unit.
    pub x_label: &'a str,
    /// Stretches of x; the axis spans them and all points.
    pub bands: Vec<Band<'a>>,
    /// The plots, from the top.
    pub panels: Vec<Panel<'a>>,
}

/// The positions of all parts.
struct Layout {
    x: Axis,
    left: f64,
    legend: f64,
}

impl Figure for Panels<'_> {
    fn picture(&self) -> Picture {
        let axes: Vec<Axis> = self.panels.iter().map(y_axis).collect();
        let layout = self.layout(&axes);
        let rows = self.panels.len() as f64;
        let bottom = TOP + rows * (HEIGHT + GAP) - GAP;
        let width = layout.left + WIDTH + 16.0 + layout.legend;
        let mut picture = Picture::new(width, bottom + BELOW);
        let middle = layout.left + WIDTH / 2.0;
        let title = (18.0, width - 20.0);
        picture.text((middle, 12.0), Anchor::Top, title, self.title, INK);
        self.draw_bands(&mut picture, &layout);
        for (row, (panel, y)) in self.panels.iter().zip(&axes).enumerate() {
            let top = TOP + row as f64 * (HEIGHT + GAP);
            self.draw_panel(&mut picture, &layout, (panel, y, top));
        }
        for tick in layout.x.ticks(7.0) {
            let at = (layout.across(tick.value), bottom + 8.0);
            picture.text(at, Anchor::Top, (LABEL, 90.0), &tick.label, INK);
        }
        let below = (middle, bottom + 30.0);
        picture.text(below, Anchor::Top, (TEXT, WIDTH), self.x_label, INK);
        picture
    }
}

impl Layout {
    fn across(&self, x: f64) -> f64 {
        self.left + WIDTH * self.x.share(x)
    }
}

fn y_axis(panel: &Panel<'_>) -> Axis {
    let values = panel.series.iter().flat_map(|one| &one.points);
    let values = values.map(|(_, y)| *y).filter(|y| y.is_finite());
    // Values over time are shown from 0.
    Axis::around(Scale::Linear, values.chain([0.0]))
}

impl Panels<'_> {
    fn layout(&self, axes: &[Axis]) -> Layout {
        let ends = self.bands.iter().flat_map(|band| [band.from, band.to]);
        let points = self.panels.iter().flat_map(|panel| &panel.series);
        let points = points.flat_map(|one| one.points.iter().map(|(x, _)| *x));
        let finite = ends.chain(points).filter(|x| Scale::Linear.shows(*x));
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        let x = match low < high {
            true => Axis::exact(low, high),
            false => Axis::exact(0.0, 1.0),
        };
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let names = widest(series.map(|one| &one.name), LABEL);
        Layout {
            x,
            left: left_margin(axes.iter().flat_map(|y| y.ticks(4.0))),
            legend: SAMPLE + 20.0 + names.min(200.0),
        }
    }

    /// Draws shades, and names above the top plot.
    fn draw_bands(&self, picture: &mut Picture, layout: &Layout) {
        for band in &self.bands {
            let (from, to) = (layout.across(band.from), layout.across(band.to));
            for row in (0..self.panels.len()).filter(|_| band.is_shaded) {
                let top = TOP + row as f64 * (HEIGHT + GAP);
                picture.rectangle((from, top), (to, top + HEIGHT), SHADE);
            }
            let wide = text_width(band.name, LABEL);
            // A name wider than its stretch would overlap its neighbour.
            if wide <= to - from || band.is_shaded {
                let middle = ((from + to) / 2.0).max(layout.left + wide / 2.0);
                let at = (middle.min(layout.left + WIDTH - wide / 2.0), TOP - 20.0);
                picture.text(at, Anchor::Top, (LABEL, f64::INFINITY), band.name, INK);
            }
        }
    }

    fn draw_panel(
        &self,
        picture: &mut Picture,
        layout: &Layout,
        (panel, y, top): (&Panel<'_>, &Axis, f64),
    ) {
        let (left, right, bottom) = (layout.left, layout.left + WIDTH, top + HEIGHT);
        let down = |value: f64| top + HEIGHT * (1.0 - y.share(value));
        for tick in layout.x.ticks(7.0) {
            let x = layout.across(tick.value);
            picture.line((x, top), (x, bottom), 1.0, GRID);
            picture.line((x, bottom), (x, bottom + 4.0), 1.0, INK);
        }
        for tick in y.ticks(4.0) {
            let at = down(tick.value);
            picture.line((left, at), (right, at), 1.0, GRID);
            picture.line((left - 4.0, at), (left, at), 1.0, INK);
            let place = (left - 8.0, at);
            picture.text(place, Anchor::Right, (LABEL, 120.0), &tick.label, INK);
        }
        picture.frame((left, top), (right, bottom), 1.0, INK);
        let beside = (16.0, (top + bottom) / 2.0);
        let room = (LABEL, HEIGHT + GAP);
        picture.text(beside, Anchor::Rotated, room, panel.y_label, INK);
        for (index, one) in panel.series.iter().enumerate() {
            let places: Vec<Option<(f64, f64)>> = one
                .points
                .iter()
                .map(|(x, y)| {
                    let shows = Scale::Linear.shows(*x) && Scale::Linear.shows(*y);
                    shows.then(|| (layout.across(*x), down(*y)))
                })
                .collect();
            for run in places.split(Option::is_none) {
                let run: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
                draw_line(picture, one.style, run, series(index));
            }
            let at = top + 10.0 + (index as f64 + 0.5) * LEGEND_ROW;
            let (from, to) = ((right + 12.0, at), (right + 12.0 + SAMPLE, at));
            draw_line(picture, one.style, vec![from, to], series(index));
            let room = (LABEL, 200.0);
            picture.text((to.0 + 6.0, at), Anchor::Left, room, &one.name, INK);
        }
    }
}

fn draw_line(picture: &mut Picture, style: Style, points: Vec<(f64, f64)>, color: Color) {
    if style == Style::Dashed {
        picture.dashes(&points, DASHES, LINE, color);
    } else if let [only] = points[..] {
        // A single point between gaps.
        picture.disc(only, LINE, color);
    } else {
        picture.path(points, LINE, color);
    }
}
