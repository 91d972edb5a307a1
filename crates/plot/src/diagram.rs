//! A network as a drawing: spots and the lines between them.

use crate::Drawable;
use crate::label::short;
use crate::page::TITLE;
use crate::palette::{INK, PAPER, heat};
use crate::picture::{Anchor, Color, Picture};
use crate::plot::LABEL;
use std::collections::HashMap;

/// A place on a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// To the right and down, in any unit.
    pub at: (f64, f64),
    /// Whether it is filled.
    pub is_filled: bool,
    /// What is written in it, if there is room.
    pub label: String,
    /// Where small squares stand around it: how far to the right and down of its middle, as parts of its radius.
    pub marks: Vec<(f64, f64)>,
}

/// A line between two spots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The number of the spot at which it begins.
    pub from: usize,
    /// The number of the spot at which it ends.
    pub to: usize,
    /// Whether it has an arrow at its end.
    pub is_arrow: bool,
    /// What it carries, where the diagram has a scale: its colour and its width. One that carries nothing is grey.
    pub load: f64,
}

/// What the colours of lines mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineScale<'a> {
    /// The most that a line carries, more than 0.
    pub most: f64,
    /// What lines carry, with its unit.
    pub unit: &'a str,
    /// When they carry that.
    pub under: &'a str,
}

/// Spots and the lines between them. A line that would touch a spot on its way, or lie on another one, is bent.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram<'a> {
    /// The title above it.
    pub title: &'a str,
    /// The spots. One whose place isn't finite isn't drawn.
    pub spots: Vec<Spot>,
    /// The lines. One with an end that isn't there isn't drawn.
    pub lines: Vec<Line>,
    /// The scale of what lines carry, which is shown below; without one they are grey.
    pub scale: Option<LineScale<'a>>,
}

/// The longer side of the drawing.
const SIDE: f64 = 640.0;
const MARGIN: f64 = 36.0;
const TOP: f64 = 48.0;
/// The largest spots, and the smallest.
const RADII: (f64, f64) = (13.0, 1.5);
/// From a spot to a line that passes it, if there is room.
const GAP: f64 = 2.5;
/// Beyond so many spots lines aren't bent around them: too many to look at.
const MOST_AVOIDED: usize = 512;
/// Half of the side of a mark, as a part of the radius.
const MARK: f64 = 0.26;
const LINE: Color = Color(120, 120, 120);
/// Below the drawing, for the scale; the bar in it, and by how much the lines that carry most are wider.
const SCALE: f64 = 76.0;
const BAR: (f64, f64) = (200.0, 12.0);
const WIDER: f64 = 1.5;
const FILLED: Color = Color(173, 209, 237);

type Point = (f64, f64);

impl Drawable for Diagram<'_> {
    fn picture(&self) -> Picture {
        let layout = Layout::of(self);
        let mut picture = Picture::new(layout.width, layout.height + layout.below);
        let (title, room) = ((layout.width / 2.0, 14.0), (TITLE, layout.width - 20.0));
        picture.text(title, Anchor::Top, room, self.title);
        // By their ends, the bends of the lines so far.
        let mut drawn: HashMap<[usize; 2], Vec<i32>> = HashMap::new();
        for line in &self.lines {
            let ends = [line.from.min(line.to), line.from.max(line.to)];
            let [Some(Some(from)), Some(Some(to))] = ends.map(|end| layout.at.get(end)) else {
                continue;
            };
            let beside = drawn.entry(ends).or_default();
            let way = Way {
                from: *from,
                to: *to,
            };
            let bend = layout.bend(&way, ends, beside);
            beside.push(bend);
            let mut curve = way.curve(layout.off(bend));
            let (width, color) = self.stroke(line);
            if line.is_arrow {
                if line.from > line.to {
                    curve.reverse();
                }
                layout.point_arrow(&curve, color, &mut picture);
            }
            picture.path(curve, width, color);
        }
        for (spot, at) in self.spots.iter().zip(&layout.at) {
            let Some(at) = *at else { continue };
            picture.disc(at, layout.radius, INK);
            let inner = if spot.is_filled { FILLED } else { PAPER };
            picture.disc(at, layout.radius - 1.0, inner);
            for (right, down) in &spot.marks {
                let middle = (at.0 + right * layout.radius, at.1 + down * layout.radius);
                layout.mark(middle, &mut picture);
            }
            if layout.radius >= 9.0 && spot.label.len() <= 3 {
                let at = (at.0, at.1 - LABEL / 2.0);
                picture.text(at, Anchor::Top, (LABEL, 2.0 * layout.radius), &spot.label);
            }
        }
        if let Some(scale) = &self.scale {
            layout.show(scale, &mut picture);
        }
        picture
    }
}

impl Diagram<'_> {
    /// The width and the colour of a line.
    fn stroke(&self, line: &Line) -> (f64, Color) {
        let share = self.scale.map(|scale| line.load / scale.most);
        match share.filter(|share| *share > 0.0) {
            Some(share) => (1.0 + WIDER * share.min(1.0), heat(share.min(1.0))),
            None => (1.0, LINE),
        }
    }
}

/// Where everything is.
struct Layout {
    at: Vec<Option<Point>>,
    radius: f64,
    width: f64,
    height: f64,
    /// What is below that height.
    below: f64,
}

impl Layout {
    fn of(diagram: &Diagram<'_>) -> Layout {
        let is_known = |at: &Point| at.0.is_finite() && at.1.is_finite();
        let known = || diagram.spots.iter().map(|spot| spot.at).filter(is_known);
        let range = |of: fn(Point) -> f64| {
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
        let at: Vec<Option<Point>> = diagram.spots.iter().map(place).collect();
        let nearest = nearest(&at).min(SIDE);
        Layout {
            radius: (0.36 * nearest).clamp(RADII.1, RADII.0),
            width: (across * scale + 2.0 * MARGIN).max(280.0),
            height: down * scale + TOP + 2.0 * MARGIN,
            below: if diagram.scale.is_some() { SCALE } else { 0.0 },
            at,
        }
    }

    /// The head of an arrow, in the direction of a curve's last piece.
    fn point_arrow(&self, curve: &[Point], color: Color, picture: &mut Picture) {
        const LONG: f64 = 9.0;
        const WIDE: f64 = 3.5;
        if let [.., before, end] = *curve {
            let along = (end.0 - before.0, end.1 - before.1);
            let length = along.0.hypot(along.1).max(f64::MIN_POSITIVE);
            let (x, y) = (along.0 / length, along.1 / length);
            let at = |back: f64, aside: f64| {
                let back = self.radius + back;
                (end.0 - back * x - aside * y, end.1 - back * y + aside * x)
            };
            let corners = vec![at(0.0, 0.0), at(LONG, WIDE), at(LONG, -WIDE)];
            picture.polygon(corners, color);
        }
    }

    /// A bar of the colours from nothing to the most, with both ends and the unit.
    fn show(&self, scale: &LineScale<'_>, picture: &mut Picture) {
        const STEPS: usize = 100;
        let (left, top) = ((self.width - BAR.0) / 2.0, self.height);
        // From the left, each up to the end and then partly covered by the next: there are no visible seams.
        for step in 0..STEPS {
            let from = left + BAR.0 * step as f64 / STEPS as f64;
            let color = heat((step as f64 + 0.5) / STEPS as f64);
            picture.rectangle((from, top), (left + BAR.0, top + BAR.1), color);
        }
        let middle = top + BAR.1 / 2.0;
        let room = (LABEL, left);
        picture.text((left - 6.0, middle), Anchor::Right, room, "0");
        let end = (left + BAR.0 + 6.0, middle);
        picture.text(end, Anchor::Left, room, &short(scale.most));
        for (row, text) in [scale.unit, scale.under].into_iter().enumerate() {
            let below = (self.width / 2.0, top + BAR.1 + 8.0 + 18.0 * row as f64);
            picture.text(below, Anchor::Top, (LABEL, self.width - 20.0), text);
        }
    }

    /// A small square.
    fn mark(&self, (x, y): Point, picture: &mut Picture) {
        let half = MARK * self.radius;
        for (half, color) in [(half, INK), (half - 0.7, FILLED)] {
            picture.rectangle((x - half, y - half), (x + half, y + half), color);
        }
    }

    /// How far a bend is off the straight line at its middle.
    fn off(&self, bend: i32) -> f64 {
        0.7 * (self.radius + GAP) * f64::from(bend)
    }

    /// The least bend that keeps a line off other spots and other lines between its ends; otherwise that which keeps it farthest off.
    fn bend(&self, way: &Way, ends: [usize; 2], beside: &[i32]) -> i32 {
        let room = self.radius + GAP;
        let most = (0.4 * way.length() / self.off(1)).floor().clamp(2.0, 16.0) as i32;
        // Rather towards the middle of the drawing.
        let middle = (self.width / 2.0, (self.height + TOP) / 2.0);
        let inwards = if way.place(middle).1 >= 0.0 { 1 } else { -1 };
        let bends = std::iter::once(0).chain((1..=most).flat_map(|bend| [bend, -bend]));
        let free = bends.map(|bend| inwards * bend);
        let free = free.filter(|bend| !beside.contains(bend) && self.is_inside(way, *bend));
        let near = self.near(way, ends, self.off(most) + room);
        let mut best = (f64::NEG_INFINITY, 0);
        for bend in free {
            let apart = near.iter().map(|spot| way.apart(*spot, self.off(bend)));
            let apart = apart.fold(f64::INFINITY, f64::min);
            if apart >= room {
                return bend;
            }
            if apart > best.0 {
                best = (apart, bend);
            }
        }
        best.1
    }

    /// Whether a curve stays on the drawing.
    fn is_inside(&self, way: &Way, bend: i32) -> bool {
        let (x, y) = way.at(0.5, self.off(bend));
        let margin = MARGIN / 4.0;
        let down = TOP + margin..self.height - margin;
        (margin..self.width - margin).contains(&x) && down.contains(&y)
    }

    /// The spots beside a line, except those at its ends, in its own coordinates.
    fn near(&self, way: &Way, ends: [usize; 2], within: f64) -> Vec<Point> {
        if self.at.len() > MOST_AVOIDED {
            return Vec::new();
        }
        let others = self.at.iter().enumerate();
        let others = others.filter(|(spot, _)| !ends.contains(spot));
        let places = others.filter_map(|(_, at)| Some(way.place((*at)?)));
        let is_near = |place: &Point| (0.0..=1.0).contains(&place.0) && place.1.abs() <= within;
        places.filter(is_near).collect()
    }
}

/// The distance of the two spots that are nearest to each other; of many, about that.
fn nearest(at: &[Option<Point>]) -> f64 {
    let known: Vec<Point> = at.iter().flatten().copied().collect();
    if known.len() > MOST_AVOIDED {
        return SIDE / (known.len() as f64).sqrt();
    }
    let apart = |one: &Point, other: &Point| (one.0 - other.0).hypot(one.1 - other.1);
    let pairs = known.iter().enumerate().flat_map(|(place, one)| {
        let others = known[place + 1..].iter();
        others.map(|other| apart(one, other)).collect::<Vec<_>>()
    });
    pairs.fold(f64::INFINITY, f64::min)
}

/// From a point to another, straight or in a parabola.
struct Way {
    from: Point,
    to: Point,
}

impl Way {
    fn length(&self) -> f64 {
        (self.to.0 - self.from.0).hypot(self.to.1 - self.from.1)
    }

    /// A point in the coordinates of the straight line: which part of it is done, and how far off it the point is.
    fn place(&self, point: Point) -> Point {
        let along = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let from = (point.0 - self.from.0, point.1 - self.from.1);
        let length = self.length().max(f64::MIN_POSITIVE);
        let part = (from.0 * along.0 + from.1 * along.1) / (length * length);
        (part, (along.0 * from.1 - along.1 * from.0) / length)
    }

    /// How far about a point, in these coordinates, is from the parabola that is so far off the line at its middle.
    fn apart(&self, (part, aside): Point, off: f64) -> f64 {
        let slope = 4.0 * off * (1.0 - 2.0 * part) / self.length().max(f64::MIN_POSITIVE);
        (aside - 4.0 * off * part * (1.0 - part)).abs() / 1.0_f64.hypot(slope)
    }

    /// A point of that parabola.
    fn at(&self, part: f64, off: f64) -> Point {
        let along = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let aside = 4.0 * off * part * (1.0 - part) / self.length().max(f64::MIN_POSITIVE);
        (
            self.from.0 + part * along.0 - aside * along.1,
            self.from.1 + part * along.1 + aside * along.0,
        )
    }

    fn curve(&self, off: f64) -> Vec<Point> {
        let steps = if off == 0.0 { 1 } else { 16 };
        let parts = (0..=steps).map(|step| f64::from(step) / f64::from(steps));
        parts.map(|part| self.at(part, off)).collect()
    }
}
