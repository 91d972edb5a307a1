//! How series are distinguished: by colour, and in black and white by the marker's shape and the line's dashes.

use crate::curves::{LINE, RADIUS};
use crate::palette::{PAPER, series};
use crate::picture::{Color, Picture};

/// Lengths of ink and gap along a line, in units; empty for a solid line.
const DASHES: [&[f64]; 6] = [
    &[],
    &[7.0, 3.5],
    &[1.8, 2.8],
    &[10.0, 3.0, 2.0, 3.0],
    &[15.0, 4.0],
    &[10.0, 3.0, 2.0, 3.0, 2.0, 3.0],
];

/// The corners of markers, at radius 1, y down; empty for a circle.
const SHAPES: [&[(f64, f64)]; 7] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)],
    &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
    &[(0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)],
    &[(-1.25, 0.0), (0.85, 1.15), (0.85, -1.15)],
    &[(1.25, 0.0), (-0.85, 1.15), (-0.85, -1.15)],
];

/// The appearance of a series. The pair of shape and dashes differs for each of 42 series, because the numbers of shapes
/// and of dashes have no common divisor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Appearance {
    pub(crate) color: Color,
    shape: &'static [(f64, f64)],
    dashes: &'static [f64],
}

impl Appearance {
    /// The appearance of the series with that number: its colour, shape and dashes.
    pub(crate) fn of(index: usize) -> Appearance {
        Appearance {
            shape: SHAPES[index % SHAPES.len()],
            dashes: DASHES[index % DASHES.len()],
            ..Appearance::plain(index)
        }
    }

    /// The appearance with circles and solid lines: only the colour differs.
    pub(crate) fn plain(index: usize) -> Appearance {
        Appearance {
            color: series(index),
            shape: SHAPES[0],
            dashes: DASHES[0],
        }
    }

    pub(crate) fn line(&self, picture: &mut Picture, points: &[(f64, f64)], width: f64) {
        match self.dashes {
            [] => picture.path(points.to_vec(), width, self.color),
            dashes => picture.dashes(points, dashes, width, self.color),
        }
    }

    /// A marker, filled or open.
    pub(crate) fn marker(&self, picture: &mut Picture, place: (f64, f64), open: bool) {
        self.filled(picture, place, RADIUS, self.color);
        if open {
            self.filled(picture, place, RADIUS - LINE, PAPER);
        }
    }

    fn filled(&self, picture: &mut Picture, (x, y): (f64, f64), radius: f64, color: Color) {
        if self.shape.is_empty() {
            picture.disc((x, y), radius, color);
            return;
        }
        let corners = self.shape.iter();
        let corners = corners.map(|(right, down)| (x + radius * right, y + radius * down));
        picture.polygon(corners.collect(), color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In black and white any two of the most series that a figure has differ, in marker and in line.
    #[test]
    fn appearances_differ_without_colours() {
        let appearances: Vec<Appearance> = (0..42).map(Appearance::of).collect();
        for (place, one) in appearances.iter().enumerate() {
            for other in &appearances[..place] {
                assert!((one.shape, one.dashes) != (other.shape, other.dashes));
            }
        }
    }
}
