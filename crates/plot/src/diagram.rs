//! A network as a drawing: spots and the lines between them.

use crate::Drawable;
use crate::page::TITLE;
use crate::palette::{INK, PAPER};
use crate::picture::{Anchor, Color, Picture};
use crate::plot::LABEL;
use std::collections::HashSet;

/// A place on a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// To the right and down, in any unit.
    pub at: (f64, f64),
    /// Whether it is filled.
    pub is_filled: bool,
    /// What is written in it, if there is room.
    pub label: String,
}

/// Spots and the lines between them. A line that would cross a spot, or that isn't the first between its ends, is bent.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram<'a> {
    /// The title above it.
    pub title: &'a str,
    /// The spots. One whose place isn't finite isn't drawn.
    pub spots: Vec<Spot>,
    /// Lines, by the numbers of the spots at their ends; one with an end that isn't there isn't drawn.
    pub lines: Vec<(usize, usize)>,
}

/// The longer side of the drawing.
const SIDE: f64 = 640.0;
const MARGIN: f64 = 36.0;
const TOP: f64 = 48.0;
/// Beyond so many spots lines aren't bent around them: too many to look at.
const MOST_AVOIDED: usize = 1024;
const LINE: Color = Color(120, 120, 120);
const FILLED: Color = Color(173, 209, 237);

impl Drawable for Diagram<'_> {
    fn picture(&self) -> Picture {
        let layout = Layout::of(self);
        let mut picture = Picture::new(layout.width, layout.height);
        let (title, room) = ((layout.width / 2.0, 14.0), (TITLE, layout.width - 20.0));
        picture.text(title, Anchor::Top, room, self.title);
        let mut drawn = HashSet::new();
        for (one, other) in &self.lines {
            let ends = (layout.at.get(*one), layout.at.get(*other));
            if let (Some(Some(from)), Some(Some(to))) = ends {
                let is_first = drawn.insert((one.min(other), one.max(other)));
                let is_bent = !is_first || layout.is_crossed((*one, *from), (*other, *to));
                let points = match is_bent {
                    true => bent(*from, *to, layout.middle()),
                    false => vec![*from, *to],
                };
                picture.path(points, 1.0, LINE);
            }
        }
        for (spot, at) in self.spots.iter().zip(&layout.at) {
            let Some(at) = *at else { continue };
            picture.disc(at, layout.radius, INK);
            let inner = if spot.is_filled { FILLED } else { PAPER };
            picture.disc(at, layout.radius - 1.0, inner);
            if layout.radius >= 9.0 && spot.label.len() <= 3 {
                let at = (at.0, at.1 - LABEL / 2.0);
                picture.text(at, Anchor::Top, (LABEL, 2.0 * layout.radius), &spot.label);
            }
        }
        picture
    }
}

/// Where everything is.
struct Layout {
    at: Vec<Option<(f64, f64)>>,
    radius: f64,
    width: f64,
    height: f64,
}

impl Layout {
    fn of(diagram: &Diagram<'_>) -> Layout {
        let is_known = |at: &(f64, f64)| at.0.is_finite() && at.1.is_finite();
        let known = || diagram.spots.iter().map(|spot| spot.at).filter(is_known);
        let range = |of: fn((f64, f64)) -> f64| {
            let least = known().map(of).fold(f64::INFINITY, f64::min);
            let most = known().map(of).fold(f64::NEG_INFINITY, f64::max);
            (least, (most - least).max(0.0))
        };
        let ((left, across), (top, down)) = (range(|at| at.0), range(|at| at.1));
        let scale = SIDE / across.max(down).max(f64::MIN_POSITIVE);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let place = |spot: &Spot| {
            let (x, y) = spot.at;
            let at = (
                MARGIN + (x - left) * scale,
                TOP + MARGIN + (y - top) * scale,
            );
            is_known(&spot.at).then_some(at)
        };
        // What a line of the spots has for each.
        let pitch = SIDE / (known().count().max(1) as f64).sqrt();
        Layout {
            at: diagram.spots.iter().map(place).collect(),
            radius: (pitch / 5.0).clamp(2.0, 13.0),
            width: (across * scale + 2.0 * MARGIN).max(280.0),
            height: down * scale + TOP + 2.0 * MARGIN,
        }
    }

    /// The middle of the drawing.
    fn middle(&self) -> (f64, f64) {
        (self.width / 2.0, (self.height + TOP) / 2.0)
    }

    /// Whether a straight line passes a spot that isn't at its ends.
    fn is_crossed(&self, from: (usize, (f64, f64)), to: (usize, (f64, f64))) -> bool {
        if self.at.len() > MOST_AVOIDED {
            return false;
        }
        let mut others = self.at.iter().enumerate();
        others.any(|(spot, at)| {
            let is_other = spot != from.0 && spot != to.0;
            at.is_some_and(|at| is_other && apart(at, from.1, to.1) < 0.8 * self.radius)
        })
    }
}

/// How far a point is from a line between two others.
fn apart(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let along = (to.0 - from.0, to.1 - from.1);
    let off = (point.0 - from.0, point.1 - from.1);
    let length = along.0 * along.0 + along.1 * along.1;
    let part = match length > 0.0 {
        true => ((off.0 * along.0 + off.1 * along.1) / length).clamp(0.0, 1.0),
        false => 0.0,
    };
    (off.0 - part * along.0).hypot(off.1 - part * along.1)
}

/// A curve between two points, an eighth of its length off the straight line at its middle, to the side of a third point.
fn bent(from: (f64, f64), to: (f64, f64), near: (f64, f64)) -> Vec<(f64, f64)> {
    const STEPS: u32 = 16;
    let off = ((from.1 - to.1) / 4.0, (to.0 - from.0) / 4.0);
    let half = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    let is_near = off.0 * (near.0 - half.0) + off.1 * (near.1 - half.1) >= 0.0;
    let off = if is_near { off } else { (-off.0, -off.1) };
    let middle = ((from.0 + to.0) / 2.0 + off.0, (from.1 + to.1) / 2.0 + off.1);
    let at = |step: u32| {
        let part = f64::from(step) / f64::from(STEPS);
        let of = |a: f64, b: f64, c: f64| {
            (1.0 - part).powi(2) * a + 2.0 * part * (1.0 - part) * b + part.powi(2) * c
        };
        (of(from.0, middle.0, to.0), of(from.1, middle.1, to.1))
    };
    (0..=STEPS).map(at).collect()
}
