//! Series of points. They are distinguished by colour, and in black and white by the marker's shape and the line's dashes.

use crate::palette::{self, PAPER};
use crate::picture::{Color, Picture};

const RADIUS: f64 = 4.0;
/// The thickness of lines.
pub(crate) const LINE: f64 = 1.5;

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

    /// Its appearance as the series with that number in a list.
    pub(crate) fn appearance(&self, index: usize) -> Appearance {
        let (shape, dashes) = match self.style {
            Style::Curve => (SHAPES[index % SHAPES.len()], DASHES[index % DASHES.len()]),
            Style::Dashed => (SHAPES[0], &[6.0, 4.2][..]),
            _ => (SHAPES[0], DASHES[0]),
        };
        Appearance {
            color: palette::series(index),
            shape,
            dashes,
        }
    }

    pub(crate) fn is_open(&self, place: usize) -> bool {
        self.style == Style::OpenCircles || self.open.get(place).is_some_and(|open| *open)
    }

    /// Whether it has markers.
    pub(crate) fn is_marked(&self) -> bool {
        !matches!(self.style, Style::Line | Style::Dashed)
    }

    /// Whether it has a line.
    pub(crate) fn is_lined(&self) -> bool {
        !matches!(self.style, Style::FilledCircles | Style::OpenCircles)
    }

    /// The points that have a whisker, with its ends. An end may be missing: then it is NaN.
    pub(crate) fn whiskers(&self) -> impl Iterator<Item = ((f64, f64), (f64, f64))> + '_ {
        let points = self.points.iter().copied();
        points.zip(self.whiskers.iter().flatten().copied())
    }
}

/// The appearance of a series. The pair of shape and dashes differs for each of 42 curves, because the numbers of shapes
/// and of dashes have no common divisor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Appearance {
    pub(crate) color: Color,
    shape: &'static [(f64, f64)],
    dashes: &'static [f64],
}

impl Appearance {
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
        let curve = Series::new("", Style::Curve, Vec::new());
        let appearances: Vec<Appearance> = (0..42).map(|index| curve.appearance(index)).collect();
        for (place, one) in appearances.iter().enumerate() {
            for other in &appearances[..place] {
                assert!((one.shape, one.dashes) != (other.shape, other.dashes));
            }
        }
    }
}
