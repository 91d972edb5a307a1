//! A picture as SVG and as PNG, through plotters.

use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontStyle, FontTransform, register_font};

use crate::palette::INK;
use crate::picture::{Anchor, Color, Picture, Shape};

/// The parameters that differ between the formats.
struct Format {
    /// Pixels per unit: several, because plotters draws with integers.
    scale: u32,
    /// The factor from an em to plotters' font size.
    font: f64,
    /// How far plotters' baseline lies too high, in ems, for texts that should be centred on the height
    /// of a digit.
    centered: f64,
    /// The same for texts that are placed below their point.
    hanging: f64,
}

/// plotters-svg divides the size by 1.24, and puts the baseline at 0.5 ex (0.27 em) and 0.76 em under the point.
const SVG: Format = Format {
    scale: 8,
    font: 1.24,
    centered: 0.09,
    hanging: 0.0,
};

/// Here the "size" is DejaVu's ascent and descent, 1.164 em, and the baseline lies 0.11 em and 0.58 em
/// under the point.
const PNG: Format = Format {
    scale: 4,
    font: 1.164,
    centered: 0.25,
    hanging: 0.18,
};

/// The side of the square of drawn pixels that becomes one pixel of the PNG, which smooths all edges equally.
const PNG_BLOCK: u32 = 2;

const FONT: &str = "sans-serif";
static DEJAVU_SANS: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

pub(crate) fn svg(picture: &Picture) -> String {
    let (width, height) = (picture.width, picture.height);
    let size = (width * SVG.scale, height * SVG.scale);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(picture, &area, &SVG);
    }
    // The root element has the size on paper; its viewBox keeps the finer units.
    text.replacen(
        &format!("<svg width=\"{}\" height=\"{}\"", size.0, size.1),
        &format!("<svg width=\"{width}\" height=\"{height}\""),
        1,
    )
}

pub(crate) fn png(picture: &Picture, texts: &[(String, String)]) -> Vec<u8> {
    let drawn = (picture.width * PNG.scale, picture.height * PNG.scale);
    let mut pixels = vec![0; drawn.0 as usize * drawn.1 as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, drawn).into_drawing_area();
        draw(picture, &area, &PNG);
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, drawn.0 / PNG_BLOCK, drawn.1 / PNG_BLOCK);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    for (keyword, text) in texts {
        let added = encoder.add_itxt_chunk(keyword.clone(), text.clone());
        added.expect("a header isn't written yet");
    }
    let mut writer = encoder.write_header().expect("a vector takes every byte");
    let image = averaged(&pixels, drawn.0 as usize);
    writer
        .write_image_data(&image)
        .expect("the buffer holds width x height pixels");
    writer.finish().expect("a vector takes every byte");
    bytes
}

/// The means of square blocks of an RGB image whose sides are multiples of the block's.
fn averaged(pixels: &[u8], width: usize) -> Vec<u8> {
    let block = PNG_BLOCK as usize;
    let mut sums = vec![0u16; width / block * 3];
    let mut means = Vec::with_capacity(pixels.len() / block / block);
    for rows in pixels.chunks_exact(width * 3 * block) {
        sums.fill(0);
        for row in rows.chunks_exact(width * 3) {
            for (sum, pixels) in sums.chunks_exact_mut(3).zip(row.chunks_exact(3 * block)) {
                for (channel, value) in pixels.iter().enumerate() {
                    sum[channel % 3] += u16::from(*value);
                }
            }
        }
        let count = (block * block) as u16;
        means.extend(sums.iter().map(|sum| ((sum + count / 2) / count) as u8));
    }
    means
}

/// Both backends draw into memory, and the font is built in, so nothing can fail.
fn draw<B: DrawingBackend>(picture: &Picture, area: &DrawingArea<B, Shift>, format: &Format) {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let registered = register_font(FONT, FontStyle::Normal, DEJAVU_SANS);
        assert!(registered.is_ok(), "DejaVu Sans is a valid font");
    });
    area.fill(&WHITE).expect("drawing in memory");
    for shape in &picture.shapes {
        draw_shape(shape, area, format);
    }
    area.present().expect("drawing in memory");
}

fn draw_shape<B: DrawingBackend>(shape: &Shape, area: &DrawingArea<B, Shift>, format: &Format) {
    let scale = f64::from(format.scale);
    let units = |length: f64| (length * scale).round() as i32;
    let place = |(x, y): (f64, f64)| (units(x), units(y));
    let drawn = match shape {
        Shape::Rectangle { from, to, color } => area.draw(&Rectangle::new(
            [place(*from), place(*to)],
            rgb(*color).filled(),
        )),
        Shape::Path {
            points,
            width,
            color,
        } => {
            let style = rgb(*color).stroke_width(units(*width).max(1) as u32);
            area.draw(&PathElement::new(
                points.iter().copied().map(place).collect::<Vec<_>>(),
                style,
            ))
        }
        Shape::Polygon { corners, color } => {
            let corners: Vec<(i32, i32)> = corners.iter().copied().map(place).collect();
            area.draw(&Polygon::new(corners, rgb(*color).filled()))
        }
        Shape::Disc {
            center,
            radius,
            color,
        } => area.draw(&Circle::new(
            place(*center),
            units(*radius).max(1),
            rgb(*color).filled(),
        )),
        Shape::Text {
            at,
            anchor,
            size,
            text,
        } => {
            let (horizontal, vertical, transform) = match anchor {
                Anchor::Left => (HPos::Left, VPos::Center, FontTransform::None),
                Anchor::Right => (HPos::Right, VPos::Center, FontTransform::None),
                Anchor::Top => (HPos::Center, VPos::Top, FontTransform::None),
                Anchor::Rotated => (HPos::Center, VPos::Center, FontTransform::Rotate270),
            };
            let at = match anchor {
                Anchor::Left | Anchor::Right => (at.0, at.1 + format.centered * size),
                Anchor::Top => (at.0, at.1 + format.hanging * size),
                // Down, for the rotated text, is right on the paper.
                Anchor::Rotated => (at.0 + format.centered * size, at.1),
            };
            let style = (FONT, size * format.font * scale)
                .into_font()
                .transform(transform)
                .color(&rgb(INK))
                .pos(Pos::new(horizontal, vertical));
            area.draw(&Text::new(text.as_str(), place(at), style))
        }
    };
    drawn.expect("drawing in memory");
}

fn rgb(Color(red, green, blue): Color) -> RGBColor {
    RGBColor(red, green, blue)
}
