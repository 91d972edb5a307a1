//! The legend: the names of series, with samples of their lines and markers.

use crate::curves::{
    BELOW, Curves, DASHES, LABEL, LINE, PLOT_HEIGHT, PLOT_WIDTH, Plot, RADIUS, Series, Style, TOP,
};
use crate::palette::{GRID, INK, PAPER};
use crate::picture::{Anchor, Picture, widest};

/// The length of the samples of lines and markers: enough for every pattern of dashes.
const SAMPLE: f64 = 46.0;
const LEGEND_ROW: f64 = 21.0;
const LEGEND_TEXT: f64 = 260.0;

/// The names of the series, in an empty corner of the plot, or to its right.
pub(crate) struct Legend {
    pub(crate) outside: bool,
    left: f64,
    top: f64,
    pub(crate) width: f64,
    height: f64,
}

impl Legend {
    pub(crate) fn of(curves: &Curves<'_>, plot: &Plot) -> Legend {
        let named: Vec<&Series> = curves
            .series
            .iter()
            .filter(|one| !one.name.is_empty())
            .collect();
        let names = widest(named.iter().map(|one| &one.name), LABEL);
        let width = SAMPLE + 24.0 + names.min(LEGEND_TEXT);
        let height = LEGEND_ROW * named.len() as f64 + 8.0;
        let (left, right) = (plot.left + 10.0, plot.left + PLOT_WIDTH - 10.0 - width);
        let (top, bottom) = (TOP + 10.0, TOP + PLOT_HEIGHT - 10.0 - height);
        let free = [(left, top), (right, top), (right, bottom), (left, bottom)]
            .into_iter()
            .filter(|_| height < 0.6 * PLOT_HEIGHT)
            .find(|&corner| !is_crossed(curves, plot, corner, (width, height)));
        let outside = free.is_none() && !named.is_empty();
        let (left, top) = free.unwrap_or((plot.left + PLOT_WIDTH + 16.0, TOP));
        Legend {
            outside,
            left,
            top,
            width,
            height,
        }
    }

    pub(crate) fn draw(&self, picture: &mut Picture, all: &[Series]) {
        let named = all
            .iter()
            .enumerate()
            .filter(|(_, one)| !one.name.is_empty());
        // Rows that don't fit on the paper are left out.
        let rows = (TOP + PLOT_HEIGHT + BELOW - 10.0 - self.top) / LEGEND_ROW;
        if self.height > 8.0 && !self.outside {
            let to = (self.left + self.width, self.top + self.height);
            picture.rectangle((self.left, self.top), to, PAPER);
            picture.frame((self.left, self.top), to, 1.0, GRID);
        }
        for (row, (index, one)) in named.take(rows as usize).enumerate() {
            let y = self.top + 4.0 + (row as f64 + 0.5) * LEGEND_ROW;
            let (from, to) = ((self.left + 8.0, y), (self.left + 8.0 + SAMPLE, y));
            let appearance = one.appearance(index);
            match one.style {
                Style::Line | Style::Curve => appearance.line(picture, &[from, to], LINE),
                Style::Dashed => picture.dashes(&[from, to], DASHES, LINE, appearance.color),
                Style::FilledCircles | Style::OpenCircles => {}
            }
            if one.is_marked() {
                let middle = ((from.0 + to.0) / 2.0, y);
                appearance.marker(picture, middle, one.style == Style::OpenCircles);
            }
            let room = (LABEL, LEGEND_TEXT);
            picture.text((to.0 + 8.0, y), Anchor::Left, room, &one.name, INK);
        }
    }
}

/// Whether anything is drawn in the rectangle with that corner and size: points, whiskers, or lines, which are sampled
/// every few units.
fn is_crossed(curves: &Curves<'_>, plot: &Plot, corner: (f64, f64), size: (f64, f64)) -> bool {
    let margin = RADIUS + 4.0;
    let inside = |(x, y): (f64, f64)| {
        (corner.0 - margin..corner.0 + size.0 + margin).contains(&x)
            && (corner.1 - margin..corner.1 + size.1 + margin).contains(&y)
    };
    let on_line = |from: (f64, f64), to: (f64, f64)| {
        let steps = ((to.0 - from.0).hypot(to.1 - from.1) / margin)
            .ceil()
            .clamp(1.0, 1000.0);
        (0..=steps as u32)
            .map(|step| f64::from(step) / steps)
            .any(|share| {
                inside((
                    from.0 + share * (to.0 - from.0),
                    from.1 + share * (to.1 - from.1),
                ))
            })
    };
    curves.series.iter().any(|one| {
        let places: Vec<_> = one.points.iter().map(|point| plot.place(*point)).collect();
        let lined = !matches!(one.style, Style::FilledCircles | Style::OpenCircles);
        let crossed = |pair: &[Option<(f64, f64)>]| {
            matches!(pair, [Some(from), Some(to)] if on_line(*from, *to))
        };
        let whisker = |(point, ends): (&(f64, f64), &(f64, f64))| {
            crossed(&[plot.place((point.0, ends.0)), plot.place((point.0, ends.1))])
        };
        places.iter().flatten().any(|place| inside(*place))
            || (lined && places.windows(2).any(crossed))
            || one.points.iter().zip(one.whiskers.iter().flatten()).any(whisker)
    })
}
