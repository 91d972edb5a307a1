//! Figures of odd and of ordinary values, in both formats.

mod curves;
mod diagrams;
mod maps;
mod panels;

use super::*;
use std::io;

fn decoded(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(io::Cursor::new(bytes))
        .read_info()
        .expect("a PNG header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("a PNG image");
    (frame.width, frame.height, pixels)
}

/// Draws in both formats; returns the SVG.
fn drawn_svg(figure: &impl Drawable) -> String {
    let picture = figure.picture();
    let (width, height, pixels) = decoded(&figure.png_with(&[]));
    assert_eq!((width, height), (2 * picture.width, 2 * picture.height));
    assert_eq!(pixels.len(), width as usize * height as usize * 3);
    let svg = figure.svg();
    let start = format!(
        "<svg width=\"{}\" height=\"{}\" viewBox=",
        picture.width, picture.height
    );
    assert!(svg.starts_with(&start), "{}", &svg[..200]);
    assert!(svg.trim_end().ends_with("</svg>"));
    svg
}

fn sheet(label: &str, values: &[f64]) -> Sheet {
    Sheet {
        label: label.into(),
        values: values.to_vec(),
    }
}

fn map(width: usize, height: usize, values: &[f64]) -> HeatMap<'static> {
    HeatMap {
        title: "Packets in a node, cycle 4000",
        width,
        height,
        sheets: vec![sheet("", values)],
        across: 1,
        unit: "packets",
        palette: Palette::Viridis,
    }
}

/// Congestion about the corner's diagonal.
fn hot_spot(width: usize, height: usize) -> Vec<f64> {
    (0..width * height)
        .map(|node| {
            (
                (node % width) as f64 / width as f64,
                (node / width) as f64 / height as f64,
            )
        })
        .map(|(x, y)| {
            1.0 + 13.0 * (-4.0 * (x * x + y * y)).exp() * (0.5 + 0.5 * (40.0 * x * y).cos())
        })
        .collect()
}
