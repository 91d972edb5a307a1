//! How maps are drawn.

use crate::Drawable;
use crate::axis::{Axis, GREATEST};
use crate::cells::Cells;
use crate::heat_map::{HeatMap, MOST_SHEETS, Sheet};
use crate::label::short;
use crate::page::{BAR_WIDTH, LABEL_ROW, Page, TITLE, Ticks, node_ticks};
use crate::palette::INK;
use crate::picture::{Anchor, Picture, text_width};
use crate::plot::{LABEL, TEXT};

const NO_LIMIT: f64 = f64::INFINITY;

impl Drawable for HeatMap<'_> {
    fn picture(&self) -> Picture {
        if self.sheets.is_empty() || self.sheets.len() > MOST_SHEETS {
            return self.refusal();
        }
        let cells = |sheet: &Sheet| Cells::of(self.width, self.height, &sheet.values);
        let cells: Vec<Cells> = self.sheets.iter().map(cells).collect();
        let scale = scale(&cells);
        let bar_ticks = bar_ticks(&scale);
        let page = Page::of(self, &cells[0], &bar_ticks);
        let mut picture = Picture::new(page.width, page.height);
        let (title, room) = ((page.width / 2.0, 14.0), (TITLE, page.width - 20.0));
        picture.text(title, Anchor::Top, room, self.title);
        for (index, (sheet, cells)) in self.sheets.iter().zip(&cells).enumerate() {
            let at = page.map_at(index);
            self.draw_cells(&mut picture, cells, (at, page.map), &scale);
            let is_lowest = index + page.across >= self.sheets.len();
            // A line has no y.
            let is_first = index % page.across == 0 && self.height > 1;
            self.draw_ticks(&mut picture, (at, page.map), (is_lowest, is_first));
            let (above, room) = (
                (at.0 + page.map.0 / 2.0, at.1 - LABEL_ROW),
                page.pitch.0 - 4.0,
            );
            picture.text(above, Anchor::Top, (LABEL, room), &sheet.label);
        }
        let [below, beside] = page.names;
        picture.text(below, Anchor::Top, (TEXT, NO_LIMIT), "x (east)");
        if self.height > 1 {
            picture.text(beside, Anchor::Rotated, (TEXT, NO_LIMIT), "y (south)");
        }
        self.draw_bar(&mut picture, &page, &bar_ticks);
        picture
    }
}

impl HeatMap<'_> {
    fn draw_cells(
        &self,
        picture: &mut Picture,
        cells: &Cells,
        (at, size): ((f64, f64), (f64, f64)),
        scale: &Axis,
    ) {
        let color = |mean: Option<f64>| {
            self.palette
                .color(mean.map(|mean| scale.share(mean).clamp(0.0, 1.0)))
        };
        let place = |cell: usize, cells: usize, length: f64| {
            // Whole pixels of the PNG, so that there are no visible seams.
            (2.0 * length * cell as f64 / cells as f64).round() / 2.0
        };
        let across = |x| at.0 + place(x, cells.columns, size.0);
        let down = |y| at.1 + place(y, cells.rows, size.1);
        for y in 0..cells.rows {
            let row = &cells.means[y * cells.columns..][..cells.columns];
            let mut x = 0;
            // Neighbours of one colour form one rectangle. It extends slightly under those drawn later, so that there
            // are no visible seams.
            for run in row.chunk_by(|one, next| color(*one) == color(*next)) {
                let right = (across(x + run.len()) + 0.5).min(across(cells.columns));
                let bottom = (down(y + 1) + 0.5).min(down(cells.rows));
                picture.rectangle((across(x), down(y)), (right, bottom), color(run[0]));
                x += run.len();
            }
        }
    }

    /// Draws the frame and, if requested, the numbers of nodes: below, and at the left.
    fn draw_ticks(
        &self,
        picture: &mut Picture,
        ((left, top), size): ((f64, f64), (f64, f64)),
        (below, beside): (bool, bool),
    ) {
        let (right, bottom) = (left + size.0, top + size.1);
        picture.frame((left, top), (right, bottom), INK);
        let room = (LABEL, NO_LIMIT);
        for (share, label) in node_ticks(self.width, size.0).into_iter().filter(|_| below) {
            let x = left + share * size.0;
            picture.line((x, bottom), (x, bottom + 5.0), INK);
            picture.text((x, bottom + 8.0), Anchor::Top, room, &label);
        }
        for (share, label) in node_ticks(self.height, size.1)
            .into_iter()
            .filter(|_| beside)
        {
            let y = top + share * size.1;
            picture.line((left - 5.0, y), (left, y), INK);
            picture.text((left - 8.0, y), Anchor::Right, room, &label);
        }
    }

    fn draw_bar(&self, picture: &mut Picture, page: &Page, ticks: &Ticks) {
        const STEPS: usize = 128;
        let ((left, top), height) = (page.bar, page.bar_height);
        let right = left + BAR_WIDTH;
        // From the top, each down to the bottom and then partly covered by the next: there are no visible seams.
        for step in (0..STEPS).rev() {
            let share = (step as f64 + 0.5) / STEPS as f64;
            let upper = top + height * (1.0 - (step + 1) as f64 / STEPS as f64);
            let color = self.palette.color(Some(share));
            picture.rectangle((left, upper), (right, top + height), color);
        }
        picture.frame((left, top), (right, top + height), INK);
        for (share, label) in ticks {
            let y = top + height * (1.0 - share);
            picture.line((right, y), (right + 4.0, y), INK);
            picture.text((right + 7.0, y), Anchor::Left, (LABEL, NO_LIMIT), label);
        }
        let room = (TEXT, page.height - 20.0);
        let middle = (right + 7.0 + page.bar_labels + 18.0, top + height / 2.0);
        picture.text(middle, Anchor::Rotated, room, self.unit);
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
            picture.text((width / 2.0, y), Anchor::Top, (size, width), line);
        }
        picture
    }
}

/// The range of values that the colours cover.
fn scale(cells: &[Cells]) -> Axis {
    let finite = || cells.iter().flat_map(|one| &one.means).flatten();
    let low = finite().copied().fold(0.0, f64::min);
    let greatest = finite().copied().fold(f64::NEG_INFINITY, f64::max);
    let high = match greatest > low {
        true => greatest,
        false => low + 1.0f64.max(low.abs()),
    };
    Axis::exact(
        low.clamp(-GREATEST, GREATEST),
        high.clamp(-GREATEST, GREATEST),
    )
}

/// Ticks of the colour bar: positions from 0 at the low end to 1 at the high end, and labels. Both ends have one.
fn bar_ticks(scale: &Axis) -> Ticks {
    const NEAR: f64 = 0.08;
    let ticks = scale.ticks(5.0).into_iter();
    let mut ticks: Ticks = ticks
        .map(|tick| (scale.share(tick.value), tick.label))
        .collect();
    if ticks.first().is_none_or(|(share, _)| *share > 1e-9) {
        ticks.retain(|(share, _)| *share > NEAR);
        ticks.insert(0, (0.0, short(scale.low)));
    }
    if ticks.last().is_none_or(|(share, _)| *share < 1.0 - 1e-9) {
        ticks.retain(|(share, _)| *share < 1.0 - NEAR);
        ticks.push((1.0, short(scale.high)));
    }
    ticks
}
