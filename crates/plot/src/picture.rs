//! Shapes on paper, independent of file formats.

/// Red, green and blue, 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

/// The position of text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Right of the point, its middle at the point's height.
    Left,
    /// Left of the point, its middle at the point's height.
    Right,
    /// Centred below the point.
    Top,
    /// Centred on the point, rotated to read upwards.
    Rotated,
}

/// One shape. Units: x to the right, y down, from the picture's top left corner.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Rectangle {
        /// Left and top.
        from: (f64, f64),
        /// Right and bottom.
        to: (f64, f64),
        /// Its colour.
        color: Color,
    },
    /// A line through points.
    Path {
        /// The points, at least two.
        points: Vec<(f64, f64)>,
        /// Its thickness.
        width: f64,
        /// Its colour.
        color: Color,
    },
    /// A filled disc.
    Disc {
        /// Its centre.
        center: (f64, f64),
        /// Its radius.
        radius: f64,
        /// Its colour.
        color: Color,
    },
    /// A filled polygon.
    Polygon {
        /// Its corners, at least three.
        corners: Vec<(f64, f64)>,
        /// Its colour.
        color: Color,
    },
    /// A line of text.
    Text {
        /// The point to which it is anchored.
        at: (f64, f64),
        /// Its position relative to that point.
        anchor: Anchor,
        /// Height of an em.
        size: f64,
        /// The text, without control characters; it has the colour of ink.
        text: String,
    },
}

/// A laid-out figure: shapes, the later over the earlier, on white paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width of the paper, in units.
    pub width: u32,
    /// Height of the paper, in units.
    pub height: u32,
    /// The shapes.
    pub shapes: Vec<Shape>,
}

/// How wide straight lines and frames are.
const WIDTH: f64 = 1.0;

impl Picture {
    pub(crate) fn new(width: f64, height: f64) -> Picture {
        Picture {
            width: width.ceil() as u32,
            height: height.ceil() as u32,
            shapes: Vec::new(),
        }
    }

    pub(crate) fn rectangle(&mut self, from: (f64, f64), to: (f64, f64), color: Color) {
        self.shapes.push(Shape::Rectangle { from, to, color });
    }

    /// A straight line; upright and level ones have sharp edges.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: Color) {
        let half = WIDTH / 2.0;
        if from.0 == to.0 || from.1 == to.1 {
            let (across, down) = if from.0 == to.0 {
                (half, 0.0)
            } else {
                (0.0, half)
            };
            let low = (from.0.min(to.0) - across, from.1.min(to.1) - down);
            let high = (from.0.max(to.0) + across, from.1.max(to.1) + down);
            self.rectangle(low, high, color);
        } else {
            self.path(vec![from, to], WIDTH, color);
        }
    }

    pub(crate) fn path(&mut self, points: Vec<(f64, f64)>, width: f64, color: Color) {
        if points.len() >= 2 {
            self.shapes.push(Shape::Path {
                points,
                width,
                color,
            });
        }
    }

    pub(crate) fn frame(&mut self, from: (f64, f64), to: (f64, f64), color: Color) {
        let half = WIDTH / 2.0;
        for y in [from.1, to.1] {
            self.line((from.0 - half, y), (to.0 + half, y), color);
        }
        for x in [from.0, to.0] {
            self.line((x, from.1), (x, to.1), color);
        }
    }

    pub(crate) fn polygon(&mut self, corners: Vec<(f64, f64)>, color: Color) {
        self.shapes.push(Shape::Polygon { corners, color });
    }

    pub(crate) fn disc(&mut self, center: (f64, f64), radius: f64, color: Color) {
        self.shapes.push(Shape::Disc {
            center,
            radius,
            color,
        });
    }

    /// Text no wider than `room`: reduced in size down to 9 units, then truncated.
    pub(crate) fn text(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        (size, room): (f64, f64),
        text: &str,
    ) {
        let mut text: String = text.chars().filter(|c| !c.is_control()).collect();
        let wide = text_width(&text, size);
        let size = if wide > room {
            (size * room / wide).max(9.0f64.min(size))
        } else {
            size
        };
        if text_width(&text, size) > room {
            let keep = (room / text_width("n", size)).max(1.0) as usize - 1;
            text = text.chars().take(keep).chain(['…']).collect();
        }
        if !text.is_empty() {
            self.shapes.push(Shape::Text {
                at,
                anchor,
                size,
                text,
            });
        }
    }

    /// Dashes along a path: lengths of ink and of gap, in turn.
    pub(crate) fn dashes(
        &mut self,
        points: &[(f64, f64)],
        lengths: &[f64],
        width: f64,
        color: Color,
    ) {
        let mut lengths = lengths.iter().copied().cycle();
        let mut dash = Vec::new();
        let Some(mut left) = lengths.next() else {
            return;
        };
        let mut ink = true;
        for pair in points.windows(2) {
            let (mut from, to) = (pair[0], pair[1]);
            loop {
                if dash.is_empty() {
                    dash.push(from);
                }
                let length = (to.0 - from.0).hypot(to.1 - from.1);
                if length <= left {
                    left -= length;
                    dash.push(to);
                    break;
                }
                let share = left / length;
                from = (
                    from.0 + share * (to.0 - from.0),
                    from.1 + share * (to.1 - from.1),
                );
                dash.push(from);
                let done = std::mem::take(&mut dash);
                if ink {
                    self.path(done, width, color);
                }
                ink = !ink;
                left = lengths.next().unwrap_or(left);
            }
        }
        if ink {
            self.path(dash, width, color);
        }
    }
}

/// The width of the widest text; 0 if there is none.
pub(crate) fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, size: f64) -> f64 {
    let widths = texts
        .into_iter()
        .map(|text| text_width(text.as_ref(), size));
    widths.fold(0.0, f64::max)
}

/// The approximate width of text, never much too small: by the widths of DejaVu Sans, one of the widest fonts that a
/// viewer may use.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let ems = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ' ' | '\'' | 'I' | '|' | '!' => 0.32,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 0.98,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => 0.41,
        'A'..='Z' => 0.72,
        _ => 0.62,
    };
    text.chars().map(ems).sum::<f64>() * size
}
