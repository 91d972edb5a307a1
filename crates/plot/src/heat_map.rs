//! A value for every node of a grid, as a colour: one map, or several with a common scale, for a grid of more than two
//! dimensions or for several values per node.

use crate::palette::{GRID, greys, viridis};
use crate::picture::Color;

/// More sheets than this can't be distinguished on one page.
pub(crate) const MOST_SHEETS: usize = 256;

/// From values to colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Viridis: perceptually uniform, from violet to yellow. Cells without a value are light grey.
    #[default]
    Viridis,
    /// From white for the least value to nearly black, as in Figure 4.4 of Chinn's thesis ("dark areas
    /// are heavily congested, whereas white nodes have just one packet in them"). Cells without a value
    /// are light blue.
    Greys,
}

impl Palette {
    pub(crate) fn color(self, share: Option<f64>) -> Color {
        match (self, share) {
            (Palette::Viridis, Some(share)) => viridis(share),
            (Palette::Greys, Some(share)) => greys(share),
            (Palette::Viridis, None) => GRID,
            (Palette::Greys, None) => Color(176, 208, 240),
        }
    }
}

/// One map.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// The label above it; a map without one is drawn larger if it is the only one.
    pub label: String,
    /// A value for every node, at y * width + x. A node beyond the end, or whose value isn't finite, has no value; values
    /// beyond the last node are ignored.
    pub values: Vec<f64>,
}

/// A value for every node of a grid, x to the east and y to the south, on one or more maps of one size with a common
/// scale. It extends from the least of 0 and all values to the greatest.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap<'a> {
    /// The title above the maps.
    pub title: &'a str,
    /// Nodes in a row.
    pub width: usize,
    /// Nodes in a column.
    pub height: usize,
    /// The maps. If there are more than 256, none is drawn, and the figure says so.
    pub sheets: Vec<Sheet>,
    /// How many of them are in a row.
    pub across: usize,
    /// What the values are, with their unit: the label of the colour bar.
    pub unit: &'a str,
    /// The colours.
    pub palette: Palette,
}
