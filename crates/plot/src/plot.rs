//! The rectangle of a plot between its axes.

use crate::axis::{Axis, Tick};
use crate::palette::{GRID, INK};
use crate::picture::{Anchor, Picture, widest};

/// The size of the letters at ticks and in legends.
pub(crate) const LABEL: f64 = 13.0;
/// The size of the letters along axes.
pub(crate) const TEXT: f64 = 15.0;

/// Two axes and their position.
pub(crate) struct Plot {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// How axes are labelled.
pub(crate) struct Ticks {
    /// About how many ticks the x axis and the y axis have.
    pub(crate) counts: (f64, f64),
    pub(crate) length: f64,
    /// Whether the x axis has numbers.
    pub(crate) below: bool,
}

/// The room left of a plot: for the label of its y axis, and for the labels of the ticks.
pub(crate) fn left_margin(ticks: impl IntoIterator<Item = Tick>) -> f64 {
    let labels = ticks.into_iter().map(|tick| tick.label);
    (48.0 + widest(labels, LABEL).clamp(20.0, 120.0)).ceil()
}

impl Plot {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(crate) fn across(&self, x: f64) -> f64 {
        self.left + self.width * self.x.share(x)
    }

    fn down(&self, y: f64) -> f64 {
        self.top + self.height * (1.0 - self.y.share(y))
    }

    /// The position of a point, if it can be shown; it is above the plot if the y axis ends below it.
    pub(crate) fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let shows = self.x.scale.shows(x) && self.y.scale.shows(y);
        shows.then(|| (self.across(x), self.down(y)))
    }

    /// Draws the grid, the ticks with their numbers and the frame.
    pub(crate) fn draw(&self, picture: &mut Picture, ticks: &Ticks) {
        let (left, right, top, bottom) = (self.left, self.right(), self.top, self.bottom());
        for tick in self.x.ticks(ticks.counts.0) {
            let x = self.across(tick.value);
            picture.line((x, top), (x, bottom), GRID);
            picture.line((x, bottom), (x, bottom + ticks.length), INK);
            if ticks.below {
                let (at, room) = ((x, bottom + 8.0), (LABEL, 90.0));
                picture.text(at, Anchor::Top, room, &tick.label);
            }
        }
        for tick in self.y.ticks(ticks.counts.1) {
            let y = self.down(tick.value);
            picture.line((left, y), (right, y), GRID);
            picture.line((left - ticks.length, y), (left, y), INK);
            let (at, room) = ((left - 8.0, y), (LABEL, 120.0));
            picture.text(at, Anchor::Right, room, &tick.label);
        }
        for x in self.x.minor_ticks() {
            let x = self.across(x);
            picture.line((x, bottom), (x, bottom + 3.0), INK);
        }
        for y in self.y.minor_ticks() {
            let y = self.down(y);
            picture.line((left - 3.0, y), (left, y), INK);
        }
        picture.frame((left, top), (right, bottom), INK);
    }
}
