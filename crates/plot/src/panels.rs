//! Stacked plots over one x axis.

use crate::Drawable;
use crate::axis::{Axis, Scale, span};
use crate::palette::SHADE;
use crate::picture::{Anchor, Picture, text_width, widest};
use crate::plot::{LABEL, Plot, TEXT, Ticks, left_margin};
use crate::series::{Appearance, LINE, Series};

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 120.0;
const GAP: f64 = 18.0;
const TOP: f64 = 70.0;
const BELOW: f64 = 58.0;
/// About how many ticks the axes have.
const TICKS: (f64, f64) = (7.0, 4.0);
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
    /// The series, drawn as lines without markers.
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

impl Drawable for Panels<'_> {
    fn picture(&self) -> Picture {
        let plots = self.plots();
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let legend = SAMPLE + 20.0 + widest(series.map(|one| &one.name), LABEL).min(200.0);
        let left = plots.first().map_or(0.0, |plot| plot.left);
        let bottom = plots.last().map_or(TOP, Plot::bottom);
        let width = left + WIDTH + 16.0 + legend;
        let mut picture = Picture::new(width, bottom + BELOW);
        let middle = left + WIDTH / 2.0;
        let title = (18.0, width - 20.0);
        picture.text((middle, 12.0), Anchor::Top, title, self.title);
        for band in &self.bands {
            draw_band(&mut picture, &plots, band);
        }
        for (row, (panel, plot)) in self.panels.iter().zip(&plots).enumerate() {
            let ticks = Ticks {
                counts: TICKS,
                length: 4.0,
                below: row + 1 == plots.len(),
            };
            plot.draw(&mut picture, &ticks);
            draw_panel(&mut picture, panel, plot);
        }
        let below = (middle, bottom + 30.0);
        picture.text(below, Anchor::Top, (TEXT, WIDTH), self.x_label);
        picture
    }
}

impl Panels<'_> {
    fn plots(&self) -> Vec<Plot> {
        let ends = self.bands.iter().flat_map(|band| [band.from, band.to]);
        let points = self.panels.iter().flat_map(|panel| &panel.series);
        let points = points.flat_map(|one| one.points.iter().map(|(x, _)| *x));
        let (low, high) = span(Scale::Linear, ends.chain(points));
        let x = match low < high {
            true => Axis::exact(low, high),
            false => Axis::exact(0.0, 1.0),
        };
        let axes: Vec<Axis> = self.panels.iter().map(y_axis).collect();
        let left = left_margin(axes.iter().flat_map(|y| y.ticks(TICKS.1)));
        let plot = |(row, y)| Plot {
            x,
            y,
            left,
            top: TOP + row as f64 * (HEIGHT + GAP),
            width: WIDTH,
            height: HEIGHT,
        };
        axes.into_iter().enumerate().map(plot).collect()
    }
}

fn y_axis(panel: &Panel<'_>) -> Axis {
    let values = panel.series.iter().flat_map(|one| &one.points);
    // Values over time are shown from 0.
    Axis::around(Scale::Linear, values.map(|(_, y)| *y).chain([0.0]))
}

/// Draws a band's shade, and its name above the top plot.
fn draw_band(picture: &mut Picture, plots: &[Plot], band: &Band<'_>) {
    let Some(top) = plots.first() else {
        return;
    };
    let (from, to) = (top.across(band.from), top.across(band.to));
    for plot in plots.iter().filter(|_| band.is_shaded) {
        picture.rectangle((from, plot.top), (to, plot.bottom()), SHADE);
    }
    let wide = text_width(band.name, LABEL);
    // A name wider than its stretch would overlap its neighbour.
    if wide <= to - from || band.is_shaded {
        let middle = ((from + to) / 2.0).max(top.left + wide / 2.0);
        let at = (middle.min(top.right() - wide / 2.0), TOP - 20.0);
        picture.text(at, Anchor::Top, (LABEL, f64::INFINITY), band.name);
    }
}

fn draw_panel(picture: &mut Picture, panel: &Panel<'_>, plot: &Plot) {
    let beside = (16.0, (plot.top + plot.bottom()) / 2.0);
    let room = (LABEL, HEIGHT + GAP);
    picture.text(beside, Anchor::Rotated, room, panel.y_label);
    for (index, one) in panel.series.iter().enumerate() {
        let appearance = one.appearance(index);
        let places: Vec<Option<(f64, f64)>> = one.points.iter().map(|p| plot.place(*p)).collect();
        for run in places.split(Option::is_none) {
            let run: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
            draw_line(picture, &run, appearance);
        }
        let at = plot.top + 10.0 + (index as f64 + 0.5) * LEGEND_ROW;
        let (from, to) = (plot.right() + 12.0, plot.right() + 12.0 + SAMPLE);
        draw_line(picture, &[(from, at), (to, at)], appearance);
        let room = (LABEL, 200.0);
        picture.text((to + 6.0, at), Anchor::Left, room, &one.name);
    }
}

fn draw_line(picture: &mut Picture, points: &[(f64, f64)], appearance: Appearance) {
    match points {
        // A single point between gaps.
        [only] => picture.disc(*only, LINE, appearance.color),
        _ => appearance.line(picture, points, LINE),
    }
}
