//! The layout of maps on their page: a single map as large as possible, or several with labels, in rows.

use crate::axis::Axis;
use crate::cells::Cells;
use crate::heat_map::HeatMap;
use crate::picture::{text_width, widest};
use crate::plot::LABEL;

/// The size of the title's letters.
pub(crate) const TITLE: f64 = 18.0;
pub(crate) const BAR_WIDTH: f64 = 16.0;
const BAR_HEIGHT: f64 = 180.0;
/// The height of a map's label.
pub(crate) const LABEL_ROW: f64 = 18.0;
/// The gap between neighbouring maps; each has its label above it.
const GAP: f64 = 14.0;
const TOP: f64 = 48.0;
const BELOW: f64 = 60.0;

/// Ticks of a side or of a bar: positions as shares of the length, and labels.
pub(crate) type Ticks = Vec<(f64, String)>;

/// The positions of all parts.
pub(crate) struct Page {
    /// Maps in a row.
    pub(crate) across: usize,
    /// Left and top of the first map.
    first: (f64, f64),
    /// The distance from map to map, to the right and down.
    pub(crate) pitch: (f64, f64),
    /// The width and height of a map.
    pub(crate) map: (f64, f64),
    /// Where x is named, and y.
    pub(crate) names: [(f64, f64); 2],
    /// Left and top of the colour bar.
    pub(crate) bar: (f64, f64),
    pub(crate) bar_height: f64,
    /// The width of its widest label.
    pub(crate) bar_labels: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Page {
    pub(crate) fn of(map: &HeatMap<'_>, cells: &Cells, bar_ticks: &Ticks) -> Page {
        match &map.sheets[..] {
            [only] if only.label.is_empty() => Page::of_one(map, cells, widest_of(bar_ticks)),
            _ => Page::of_several(map, cells, widest_of(bar_ticks)),
        }
    }

    fn of_one(map: &HeatMap<'_>, cells: &Cells, bar_labels: f64) -> Page {
        let size = map_size(cells, (1, 1), 560.0, 48.0);
        let labels = widest_of(&node_ticks(map.height, size.1));
        let bar_height = size.1.max(BAR_HEIGHT);
        let (left, right) = (44.0 + labels, 32.0 + BAR_WIDTH + 7.0 + bar_labels + 40.0);
        // A small map is centred in the width that its title and bar need.
        let spare = (440.0 - left - size.0 - right).max(0.0);
        let left = left + (spare / 2.0).floor();
        let top = TOP + ((bar_height - size.1) / 2.0).floor();
        let below = (left + size.0 / 2.0, top + size.1 + 30.0);
        Page {
            across: 1,
            first: (left, top),
            pitch: size,
            map: size,
            names: [below, (left - labels - 24.0, top + size.1 / 2.0)],
            bar: (left + size.0 + 32.0 + (spare / 4.0).floor(), TOP),
            bar_height,
            bar_labels,
            width: left + size.0 + right + (spare / 2.0).ceil(),
            height: TOP + bar_height + BELOW,
        }
    }

    fn of_several(map: &HeatMap<'_>, cells: &Cells, bar_labels: f64) -> Page {
        let across = map.across.clamp(1, map.sheets.len());
        let down = map.sheets.len().div_ceil(across);
        let size = map_size(cells, (across, down), 640.0, 32.0);
        let labels = widest(map.sheets.iter().map(|sheet| &sheet.label), LABEL);
        let pitch = (size.0 + GAP).max(labels.min(160.0) + 6.0);
        let pitch = (pitch, size.1 + GAP + LABEL_ROW);
        let (maps_width, maps_height) = (pitch.0 * across as f64, pitch.1 * down as f64);
        let bar_height = maps_height.clamp(BAR_HEIGHT, 2.0 * BAR_HEIGHT);
        let tick_room = text_width(&map.height.to_string(), LABEL);
        let right = 20.0 + BAR_WIDTH + 7.0 + bar_labels + 40.0;
        let needed = 46.0 + tick_room + maps_width + right;
        // Few or narrow maps are centred under their title.
        let width = needed.max(text_width(map.title, TITLE) + 40.0);
        let left = 46.0 + tick_room + ((width - needed) / 2.0).floor();
        let bottom = TOP + maps_height;
        let beside = (left - 28.0 - tick_room, (TOP + bottom) / 2.0);
        Page {
            across,
            first: (left + ((pitch.0 - size.0) / 2.0).floor(), TOP + LABEL_ROW),
            pitch,
            map: size,
            names: [(left + maps_width / 2.0, bottom + 20.0), beside],
            bar: (left + maps_width + 20.0, TOP + LABEL_ROW),
            bar_height: bar_height - LABEL_ROW,
            bar_labels,
            width,
            height: TOP + maps_height.max(bar_height) + BELOW,
        }
    }

    /// Left and top of a map.
    pub(crate) fn map_at(&self, index: usize) -> (f64, f64) {
        let (column, row) = (index % self.across, index / self.across);
        let ((left, top), (right, down)) = (self.first, self.pitch);
        (left + right * column as f64, top + down * row as f64)
    }
}

/// The width and height of a map, given how many there are across and down. Its cells are square; all maps together are
/// at most `most` wide and high, and a cell at most `greatest`. A strip is thick enough for its colours to be seen.
fn map_size(cells: &Cells, (across, down): (usize, usize), most: f64, greatest: f64) -> (f64, f64) {
    const THINNEST: f64 = 14.0;
    let side = |maps: usize, cells: usize| most / (maps as f64 * cells.max(1) as f64);
    let cell = side(across, cells.columns)
        .min(side(down, cells.rows))
        .min(greatest);
    // Cells of equal size if they are large enough to be seen: half a unit is a pixel.
    let cell = match cell {
        cell if cell >= 0.5 => (2.0 * cell).floor() / 2.0,
        cell => cell,
    };
    let length = |cells: usize| (cell * cells.max(1) as f64).max(THINNEST);
    (length(cells.columns), length(cells.rows))
}

fn widest_of(ticks: &Ticks) -> f64 {
    widest(ticks.iter().map(|(_, label)| label), LABEL)
}

/// Ticks for the nodes of a side: positions, as shares of the side at the middle of a node's cell, and labels.
pub(crate) fn node_ticks(nodes: usize, length: f64) -> Ticks {
    if nodes <= 1 {
        return (0..nodes).map(|node| (0.5, node.to_string())).collect();
    }
    let count = (length / 44.0).clamp(1.0, 11.0);
    let ticks = Axis::exact(0.0, nodes as f64 - 1.0).whole_ticks(count);
    let place = |value: f64| (value + 0.5) / nodes as f64;
    ticks
        .into_iter()
        .map(|tick| (place(tick.value), tick.label))
        .collect()
}
