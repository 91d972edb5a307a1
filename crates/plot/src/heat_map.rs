//! A value for every node of a grid, as a colour.

use crate::Figure;
use crate::axis::{Axis, GREATEST, Tick};
use crate::cells::Cells;
use crate::label::short;
use crate::palette::{GRID, INK, greys, viridis};
use crate::picture::{Anchor, Color, Picture, widest};

/// The greatest width and height of the map itself, in units.
const MAP: f64 = 560.0;
/// The greatest side of a cell.
const GREATEST_CELL: f64 = 48.0;
pub(crate) const BAR_WIDTH: f64 = 16.0;
pub(crate) const BAR_HEIGHT: f64 = 180.0;
pub(crate) const TEXT: f64 = 15.0;
pub(crate) const LABEL: f64 = 13.0;
const NO_ROOM: f64 = f64::INFINITY;

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
    fn color(self, share: Option<f64>) -> Color {
        match (self, share) {
            (Palette::Viridis, Some(share)) => viridis(share),
            (Palette::Greys, Some(share)) => greys(share),
            (Palette::Viridis, None) => GRID,
            (Palette::Greys, None) => Color(176, 208, 240),
        }
    }
}

/// A value for every node of a grid, x to the east and y to the south.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatMap<'a> {
    /// The title above the map.
    pub title: &'a str,
    /// Nodes in a row.
    pub width: usize,
    /// Nodes in a column.
    pub height: usize,
    /// A value for every node, at y * width + x. A node beyond the end of the slice, or whose value isn't finite, has no
    /// value; values beyond the last node are ignored.
    pub values: &'a [f64],
    /// What the values are, with their unit: the label of the colour bar.
    pub unit: &'a str,
    /// The value at the low end of the scale; by default the least of 0 and all values. Smaller values have the same
    /// colour.
    pub min: Option<f64>,
    /// The value at the high end of the scale; by default the greatest of all values. Greater values have the same colour,
    /// and the label at the top of the scale says so.
    pub max: Option<f64>,
    /// The colours.
    pub palette: Palette,
}

impl Figure for HeatMap<'_> {
    fn picture(&self) -> Picture {
        let cells = Cells::of(self);
        let range = self.range(&cells);
        let bar_ticks = bar_ticks(&range);
        let layout = Layout::of(self, &cells, &bar_ticks);
        let mut picture = Picture::new(layout.width, layout.height);
        let title_room = (18.0, layout.width - 20.0);
        picture.text(
            (layout.width / 2.0, 14.0),
            Anchor::Top,
            title_room,
            self.title,
            INK,
        );
        self.draw_cells(&mut picture, &cells, &layout, &range);
        self.draw_axes(&mut picture, &layout);
        self.draw_bar(&mut picture, &layout, &bar_ticks);
        picture
    }
}

/// The range of values that the colours cover.
pub(crate) struct Range {
    axis: Axis,
    low: f64,
    high: f64,
    /// Whether a value lies above it.
    exceeded: bool,
}

impl HeatMap<'_> {
    pub(crate) fn range(&self, cells: &Cells) -> Range {
        let finite = || cells.means.iter().flatten().copied();
        let given = |end: Option<f64>| end.filter(|end| end.is_finite());
        let greatest = finite().fold(f64::NEG_INFINITY, f64::max);
        let low = given(self.min).unwrap_or_else(|| finite().fold(0.0, f64::min));
        let high = given(self.max).unwrap_or(greatest);
        let high = if high > low {
            high
        } else {
            low + 1.0f64.max(low.abs())
        };
        let low = low.clamp(-GREATEST, GREATEST);
        let high = high.clamp(-GREATEST, GREATEST);
        Range {
            axis: Axis::exact(low, high),
            low,
            high,
            exceeded: greatest > high,
        }
    }

    pub(crate) fn draw_cells(
        &self,
        picture: &mut Picture,
        cells: &Cells,
        layout: &Layout,
        range: &Range,
    ) {
        let color = |mean: Option<f64>| {
            self.palette
                .color(mean.map(|mean| range.axis.share(mean).clamp(0.0, 1.0)))
        };
        let place = |cell: usize, cells: usize, length: f64| {
            // Whole pixels of the PNG, so that there are no visible seams.
            (2.0 * length * cell as f64 / cells as f64).round() / 2.0
        };
        let across = |x| layout.left + place(x, cells.columns, layout.map_width);
        let down = |y| layout.top + place(y, cells.rows, layout.map_height);
        for y in 0..cells.rows {
            let row = &cells.means[y * cells.columns..][..cells.columns];
            let mut x = 0;
            // Neighbours of one colour form one rectangle. It extends slightly under those drawn later, so that there
            // are no visible seams.
            while x < row.len() {
                let shade = color(row[x]);
                let run = row[x..]
                    .iter()
                    .take_while(|mean| color(**mean) == shade)
                    .count();
                let right = (across(x + run) + 0.5).min(across(cells.columns));
                let bottom = (down(y + 1) + 0.5).min(down(cells.rows));
                picture.rectangle((across(x), down(y)), (right, bottom), shade);
                x += run;
            }
        }
    }

    fn draw_axes(&self, picture: &mut Picture, layout: &Layout) {
        // A line has no y.
        let is_plane = self.height > 1;
        self.draw_ticks(picture, layout, (true, is_plane));
        let (left, top) = (layout.left, layout.top);
        let (middle_x, middle_y) = (left + layout.map_width / 2.0, top + layout.map_height / 2.0);
        let below = (middle_x, top + layout.map_height + 30.0);
        picture.text(below, Anchor::Top, (TEXT, NO_ROOM), "x (east)", INK);
        if is_plane {
            let beside = (left - layout.labels - 24.0, middle_y);
            picture.text(beside, Anchor::Rotated, (TEXT, NO_ROOM), "y (south)", INK);
        }
    }

    /// Draws the frame and, if requested, the numbers of nodes: below, and at the left.
    pub(crate) fn draw_ticks(
        &self,
        picture: &mut Picture,
        layout: &Layout,
        (below, beside): (bool, bool),
    ) {
        let (left, top) = (layout.left, layout.top);
        let (right, bottom) = (left + layout.map_width, top + layout.map_height);
        picture.frame((left, top), (right, bottom), 1.0, INK);
        let room = (LABEL, NO_ROOM);
        for (share, label) in node_ticks(self.width, layout.map_width) {
            let x = left + share * layout.map_width;
            if below {
                picture.line((x, bottom), (x, bottom + 5.0), 1.0, INK);
                picture.text((x, bottom + 8.0), Anchor::Top, room, &label, INK);
            }
        }
        for (share, label) in node_ticks(self.height, layout.map_height) {
            let y = top + share * layout.map_height;
            if beside {
                picture.line((left - 5.0, y), (left, y), 1.0, INK);
                picture.text((left - 8.0, y), Anchor::Right, room, &label, INK);
            }
        }
    }

    pub(crate) fn draw_bar(&self, picture: &mut Picture, layout: &Layout, ticks: &[(f64, String)]) {
        const STEPS: usize = 128;
        let (left, right) = (layout.bar_left, layout.bar_left + BAR_WIDTH);
        let (top, height) = (layout.bar_top, layout.bar_height);
        // From the top, each down to the bottom and then partly covered by the next: there are no visible seams.
        for step in (0..STEPS).rev() {
            let share = (step as f64 + 0.5) / STEPS as f64;
            let upper = top + height * (1.0 - (step + 1) as f64 / STEPS as f64);
            let color = self.palette.color(Some(share));
            picture.rectangle((left, upper), (right, top + height), color);
        }
        picture.frame((left, top), (right, top + height), 1.0, INK);
        for (share, label) in ticks {
            let y = top + height * (1.0 - share);
            picture.line((right, y), (right + 4.0, y), 1.0, INK);
            picture.text((right + 7.0, y), Anchor::Left, (LABEL, NO_ROOM), label, INK);
        }
        let room = (TEXT, layout.height - 20.0);
        let middle = (right + 7.0 + layout.bar_labels + 18.0, top + height / 2.0);
        picture.text(middle, Anchor::Rotated, room, self.unit, INK);
    }
}

/// The positions of all parts.
pub(crate) struct Layout {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) map_width: f64,
    pub(crate) map_height: f64,
    pub(crate) bar_left: f64,
    pub(crate) bar_top: f64,
    pub(crate) bar_height: f64,
    /// The widest label of the y axis, and of the bar.
    pub(crate) labels: f64,
    pub(crate) bar_labels: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Layout {
    fn of(map: &HeatMap<'_>, cells: &Cells, bar_ticks: &[(f64, String)]) -> Layout {
        const TOP: f64 = 48.0;
        const BELOW: f64 = 60.0;
        let (columns, rows) = (cells.columns.max(1) as f64, cells.rows.max(1) as f64);
        let cell = (MAP / columns.max(rows)).min(GREATEST_CELL);
        let (map_width, map_height) = map_size(cell, cells);
        let labels = widest_label(&node_ticks(map.height, map_height));
        let bar_labels = widest_label(bar_ticks);
        let bar_height = map_height.max(BAR_HEIGHT);
        let (left, right) = (44.0 + labels, 32.0 + BAR_WIDTH + 7.0 + bar_labels + 40.0);
        // A small map is centred in the width that its title and bar need.
        let spare = (440.0 - left - map_width - right).max(0.0);
        let left = left + (spare / 2.0).floor();
        let height = TOP + bar_height + BELOW;
        Layout {
            left,
            top: TOP + ((bar_height - map_height) / 2.0).floor(),
            map_width,
            map_height,
            bar_left: left + map_width + 32.0 + (spare / 4.0).floor(),
            bar_top: TOP,
            bar_height,
            labels,
            bar_labels,
            width: left + map_width + right + (spare / 2.0).ceil(),
            height,
        }
    }
}

/// The width and height of a map with square cells; a strip is thick enough for its colours to be seen.
pub(crate) fn map_size(cell: f64, cells: &Cells) -> (f64, f64) {
    const THINNEST: f64 = 14.0;
    // Cells of equal size if they are large enough to be seen: half a unit is a pixel.
    let cell = match cell {
        cell if cell >= 0.5 => (2.0 * cell).floor() / 2.0,
        cell => cell,
    };
    let length = |cells: usize| (cell * cells.max(1) as f64).max(THINNEST);
    (length(cells.columns), length(cells.rows))
}

/// The width of the widest label of some ticks.
pub(crate) fn widest_label(ticks: &[(f64, String)]) -> f64 {
    widest(ticks.iter().map(|(_, label)| label), LABEL)
}

/// Ticks for the nodes of a side: positions, as shares of the side at the middle of a node's cell, and labels.
fn node_ticks(nodes: usize, length: f64) -> Vec<(f64, String)> {
    if nodes <= 1 {
        return (0..nodes).map(|node| (0.5, node.to_string())).collect();
    }
    let count = (length / 44.0).clamp(1.0, 11.0);
    Axis::exact(0.0, nodes as f64 - 1.0)
        .whole_ticks(count)
        .into_iter()
        .map(|tick| ((tick.value + 0.5) / nodes as f64, tick.label))
        .collect()
}

/// Ticks of the colour bar: positions from 0 at the low end to 1 at the high end, and labels. Both ends have one.
pub(crate) fn bar_ticks(range: &Range) -> Vec<(f64, String)> {
    const NEAR: f64 = 0.08;
    let place = |tick: Tick| (range.axis.share(tick.value), tick.label);
    let mut ticks: Vec<_> = range.axis.ticks(5.0).into_iter().map(place).collect();
    if ticks.first().is_none_or(|(share, _)| *share > 1e-9) {
        ticks.retain(|(share, _)| *share > NEAR);
        ticks.insert(0, (0.0, short(range.low)));
    }
    if range.exceeded || ticks.last().is_none_or(|(share, _)| *share < 1.0 - 1e-9) {
        ticks.retain(|(share, _)| *share < 1.0 - NEAR);
        let high = short(range.high);
        ticks.push((
            1.0,
            if range.exceeded {
                format!("≥ {high}")
            } else {
                high
            },
        ));
    }
    ticks
}
