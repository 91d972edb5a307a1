//! Pictures of results: curves over a parameter, maps over a network's nodes.
//!
//! A figure is laid out as a [`Picture`], a list of shapes independent of file formats, which is rendered as SVG or PNG.
//! Unusual values never cause a panic: a value that isn't finite (or, on a logarithmic axis, not positive) is left out.
//!
//! Uses only plotters, png and colorous. Must never know what a figure is about: no configuration, run or network.
//!
//! ```
//! use flitwork_plot::{Curves, Drawable, Series, Style};
//!
//! let points = vec![(0.1, 21.0), (0.2, 24.5), (0.3, 60.0)];
//! let curves = Curves {
//!     title: "Latency over load",
//!     x_label: "load, words per node and cycle",
//!     y_label: "latency, cycles",
//!     series: vec![Series::new("wormhole", Style::FilledCircles, points)],
//!     ..Curves::default()
//! };
//! assert!(curves.svg().contains("Latency over load"));
//! ```

mod axis;
mod cells;
mod curves;
mod diagram;
mod heat_map;
mod label;
mod legend;
pub mod load_curves;
mod map_figure;
mod page;
mod palette;
mod panels;
mod picture;
mod plot;
mod render;
mod series;

pub use axis::Scale;
pub use curves::Curves;
pub use diagram::{Diagram, Line, LineScale, Spot};
pub use heat_map::{HeatMap, Palette, Sheet};
pub use panels::{Band, Panel, Panels};
pub use picture::{Anchor, Color, Picture, Shape};
pub use series::{Series, Style};

/// Something that can be drawn.
pub trait Drawable {
    /// The figure as shapes.
    fn picture(&self) -> Picture;

    /// The figure as an SVG document. Its labels are text in the viewer's sans-serif font.
    fn svg(&self) -> String {
        render::svg(&self.picture())
    }

    /// The figure as a PNG file's bytes: 8-bit RGB, two pixels per unit of the picture, with keywords and their texts as
    /// metadata. A keyword has at most 79 Latin-1 characters.
    fn png_with(&self, texts: &[(String, String)]) -> Vec<u8> {
        render::png(&self.picture(), texts)
    }
}

#[cfg(test)]
mod tests;
