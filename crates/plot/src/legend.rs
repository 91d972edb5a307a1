//! The legend: the names of series, with samples of their lines and markers.

use crate::palette::{GRID, PAPER};
use crate::picture::{Anchor, Picture, widest};
use crate::plot::{LABEL, Plot};
use crate::series::{LINE, Series, Style};

/// The length of the samples of lines and markers: enough for every pattern of dashes.
const SAMPLE: f64 = 46.0;
const ROW: f64 = 21.0;
const TEXT: f64 = 260.0;
/// How close to the legend's frame a point or a line may come.
const MARGIN: f64 = 8.0;

/// The names of the series, in an empty corner of the plot, or to its right.
pub(crate) struct Legend {
    pub(crate) outside: bool,
    left: f64,
    top: f64,
    pub(crate) width: f64,
    height: f64,
}

impl Legend {
    pub(crate) fn of(series: &[Series], plot: &Plot) -> Legend {
        let named = || series.iter().filter(|one| !one.name.is_empty());
        let names = widest(named().map(|one| &one.name), LABEL);
        let width = SAMPLE + 24.0 + names.min(TEXT);
        let height = ROW * named().count() as f64 + 8.0;
        let (left, right) = (plot.left + 10.0, plot.right() - 10.0 - width);
        let (top, bottom) = (plot.top + 10.0, plot.bottom() - 10.0 - height);
        let free = [(left, top), (right, top), (right, bottom), (left, bottom)]
            .into_iter()
            .filter(|_| height < 0.6 * plot.height)
            .find(|&corner| !is_crossed(series, plot, corner, (width, height)));
        let outside = free.is_none() && named().next().is_some();
        let (left, top) = free.unwrap_or((plot.right() + 16.0, plot.top));
        Legend {
            outside,
            left,
            top,
            width,
            height,
        }
    }

    /// Draws it; rows that would be below `bottom` are left out.
    pub(crate) fn draw(&self, picture: &mut Picture, all: &[Series], bottom: f64) {
        let all = all.iter().enumerate();
        let named = all.filter(|(_, one)| !one.name.is_empty());
        let rows = (bottom - 10.0 - self.top) / ROW;
        if self.height > 8.0 && !self.outside {
            let to = (self.left + self.width, self.top + self.height);
            picture.rectangle((self.left, self.top), to, PAPER);
            picture.frame((self.left, self.top), to, GRID);
        }
        for (row, (index, one)) in named.take(rows as usize).enumerate() {
            let y = self.top + 4.0 + (row as f64 + 0.5) * ROW;
            let (from, to) = (self.left + 8.0, self.left + 8.0 + SAMPLE);
            let appearance = one.appearance(index);
            if one.is_lined() {
                appearance.line(picture, &[(from, y), (to, y)], LINE);
            }
            if one.is_marked() {
                let is_open = one.style == Style::OpenCircles;
                appearance.marker(picture, (from.midpoint(to), y), is_open);
            }
            picture.text((to + 8.0, y), Anchor::Left, (LABEL, TEXT), &one.name);
        }
    }
}

/// Whether anything is drawn in the rectangle with that corner and size: points, whiskers, or lines, which are sampled
/// every few units.
fn is_crossed(series: &[Series], plot: &Plot, corner: (f64, f64), size: (f64, f64)) -> bool {
    let inside = |(x, y): (f64, f64)| {
        (corner.0 - MARGIN..corner.0 + size.0 + MARGIN).contains(&x)
            && (corner.1 - MARGIN..corner.1 + size.1 + MARGIN).contains(&y)
    };
    let crossed = |pair: &[Option<(f64, f64)>]| {
        let [Some(from), Some(to)] = *pair else {
            return false;
        };
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let steps = (across.hypot(down) / MARGIN).ceil().clamp(1.0, 1000.0);
        let mut shares = (0..=steps as u32).map(|step| f64::from(step) / steps);
        shares.any(|share| inside((from.0 + share * across, from.1 + share * down)))
    };
    series.iter().any(|one| {
        let places: Vec<_> = one.points.iter().map(|point| plot.place(*point)).collect();
        let mut whiskers = one.whiskers();
        places.iter().flatten().any(|place| inside(*place))
            || (one.is_lined() && places.windows(2).any(crossed))
            || whiskers.any(|((x, _), (low, high))| {
                crossed(&[plot.place((x, low)), plot.place((x, high))])
            })
    })
}
