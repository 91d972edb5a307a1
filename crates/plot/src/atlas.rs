//! Maps of several planes side by side, with a common scale: of a grid of more than two dimensions, or of several values
//! per node.

use crate::Figure;
use crate::cells::Cells;
use crate::heat_map::{
    BAR_HEIGHT, BAR_WIDTH, HeatMap, LABEL, Layout, Palette, TEXT, bar_ticks, map_size, widest_label,
};
use crate::palette::INK;
use crate::picture::{Anchor, Picture, text_width, widest};

/// More sheets than this can't be distinguished on one page.
pub const MOST_SHEETS: usize = 256;
/// The greatest width and height of all maps together, in units.
const MAPS: f64 = 640.0;
/// The greatest side of a cell.
const GREATEST_CELL: f64 = 32.0;
/// The gap between neighbouring maps; each has its label above it.
const GAP: f64 = 14.0;
const LABEL_ROW: f64 = 18.0;
/// The size of the title's letters.
const TITLE: f64 = 18.0;
const TOP: f64 = 48.0;
const BELOW: f64 = 60.0;

/// The map of one plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// The label above it.
    pub label: String,
    /// A value for every node of the plane, at y * width + x; a value that isn't finite is missing.
    pub values: Vec<f64>,
}

/// Maps of planes of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Atlas<'a> {
    /// The title above them.
    pub title: &'a str,
    /// Nodes in a row of a plane.
    pub width: usize,
    /// Nodes in a column of a plane.
    pub height: usize,
    /// The planes. If there are more than [`MOST_SHEETS`], none is drawn, and the figure says so.
    pub sheets: Vec<Sheet>,
    /// How many of them are in a row.
    pub across: usize,
    /// What the values are, with their unit: the label of the colour bar.
    pub unit: &'a str,
}

impl Figure for Atlas<'_> {
    fn picture(&self) -> Picture {
        if self.sheets.is_empty() || self.sheets.len() > MOST_SHEETS {
            return self.refusal();
        }
        let maps: Vec<HeatMap<'_>> = self.sheets.iter().map(|sheet| self.map(sheet)).collect();
        let cells: Vec<Cells> = maps.iter().map(Cells::of).collect();
        let all = Cells {
            columns: 1,
            rows: 1,
            means: cells.iter().flat_map(|one| one.means.clone()).collect(),
        };
        let range = maps[0].range(&all);
        let ticks = bar_ticks(&range);
        let page = Page::of(self, &cells[0], &ticks);
        let mut picture = Picture::new(page.width, page.height);
        let title = ((page.width / 2.0, 14.0), (TITLE, page.width - 20.0));
        picture.text(title.0, Anchor::Top, title.1, self.title, INK);
        for (index, (map, cells)) in maps.iter().zip(&cells).enumerate() {
            let layout = page.layout(index);
            map.draw_cells(&mut picture, cells, &layout, &range);
            let is_lowest = index + page.across >= maps.len();
            let is_first = index % page.across == 0 && self.height > 1;
            map.draw_ticks(&mut picture, &layout, (is_lowest, is_first));
            let above = (layout.left + layout.map_width / 2.0, layout.top - LABEL_ROW);
            let room = (LABEL, page.pitch.0 - 4.0);
            let label = &self.sheets[index].label;
            picture.text(above, Anchor::Top, room, label, INK);
        }
        self.draw_names(&mut picture, &page);
        maps[0].draw_bar(&mut picture, &page.layout(0), &ticks);
        picture
    }
}

impl Atlas<'_> {
    fn map<'s>(&'s self, sheet: &'s Sheet) -> HeatMap<'s> {
        HeatMap {
            title: &sheet.label,
            width: self.width,
            height: self.height,
            values: &sheet.values,
            unit: self.unit,
            min: None,
            max: None,
            palette: Palette::Viridis,
        }
    }

    /// Draws the names of x and y, once for all maps.
    fn draw_names(&self, picture: &mut Picture, page: &Page) {
        let middle = page.left + page.across as f64 * page.pitch.0 / 2.0;
        let bottom = TOP + page.maps_height;
        let room = (TEXT, f64::INFINITY);
        picture.text((middle, bottom + 20.0), Anchor::Top, room, "x (east)", INK);
        if self.height > 1 {
            let at = (page.left - 28.0 - page.labels, (TOP + bottom) / 2.0);
            picture.text(at, Anchor::Rotated, room, "y (south)", INK);
        }
    }

    fn refusal(&self) -> Picture {
        let why = format!(
            "{} maps aren't drawn: at most {MOST_SHEETS} fit. The tables have all values.",
            self.sheets.len()
        );
        let lines = [(self.title, TITLE, 14.0), (&why, TEXT, 60.0)];
        let widths = lines.map(|(line, size, _)| text_width(line, size));
        let width = 40.0 + widths[0].max(widths[1]);
        let mut picture = Picture::new(width, 110.0);
        for (line, size, y) in lines {
            picture.text((width / 2.0, y), Anchor::Top, (size, width), line, INK);
        }
        picture
    }
}

/// The layout of the maps.
struct Page {
    across: usize,
    left: f64,
    /// The widest label of the y axis.
    labels: f64,
    /// The distance from map to map, to the right and down.
    pitch: (f64, f64),
    map: (f64, f64),
    maps_height: f64,
    bar_height: f64,
    bar_labels: f64,
    width: f64,
    height: f64,
}

impl Page {
    fn of(atlas: &Atlas<'_>, cells: &Cells, bar_ticks: &[(f64, String)]) -> Page {
        let across = atlas.across.clamp(1, atlas.sheets.len());
        let down = atlas.sheets.len().div_ceil(across);
        let (columns, rows) = (cells.columns.max(1) as f64, cells.rows.max(1) as f64);
        let cell = (MAPS / (across as f64 * columns)).min(MAPS / (down as f64 * rows));
        let map = map_size(cell.min(GREATEST_CELL), cells);
        let labels = widest(atlas.sheets.iter().map(|sheet| &sheet.label), LABEL);
        let labels = labels.min(160.0);
        let pitch = ((map.0 + GAP).max(labels + 6.0), map.1 + GAP + LABEL_ROW);
        let tick_room = text_width(&atlas.height.to_string(), LABEL);
        let bar_labels = widest_label(bar_ticks);
        let maps_height = pitch.1 * down as f64;
        let bar_height = maps_height.clamp(BAR_HEIGHT, 2.0 * BAR_HEIGHT);
        let right = 20.0 + BAR_WIDTH + 7.0 + bar_labels + 40.0;
        let needed = 46.0 + tick_room + pitch.0 * across as f64 + right;
        // Few or narrow maps are centred under their title.
        let width = needed.max(text_width(atlas.title, TITLE) + 40.0);
        Page {
            across,
            left: 46.0 + tick_room + ((width - needed) / 2.0).floor(),
            labels: tick_room,
            pitch,
            map,
            maps_height,
            bar_height,
            bar_labels,
            width,
            height: TOP + maps_height.max(bar_height) + BELOW,
        }
    }

    /// The layout of one map, and of the common colour bar.
    fn layout(&self, index: usize) -> Layout {
        let (column, row) = (index % self.across, index / self.across);
        let maps_width = self.pitch.0 * self.across as f64;
        let left = self.left + self.pitch.0 * column as f64;
        Layout {
            left: left + ((self.pitch.0 - self.map.0) / 2.0).floor(),
            top: TOP + LABEL_ROW + self.pitch.1 * row as f64,
            map_width: self.map.0,
            map_height: self.map.1,
            bar_left: self.left + maps_width + 20.0,
            bar_top: TOP + LABEL_ROW,
            bar_height: self.bar_height - LABEL_ROW,
            labels: 0.0,
            bar_labels: self.bar_labels,
            width: self.width,
            height: self.height,
        }
    }
}
