//! A map's values, reduced to as many as can be seen.

use crate::heat_map::HeatMap;

/// More cells than this in a row or a column are averaged in square blocks.
const MOST_CELLS: usize = 400;

/// The values to draw: the map's, or means over square blocks of it. `None` if there is none.
pub(crate) struct Cells {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) means: Vec<Option<f64>>,
}

impl Cells {
    pub(crate) fn of(map: &HeatMap<'_>) -> Cells {
        let block = map.width.max(map.height).div_ceil(MOST_CELLS).max(1);
        let (columns, rows) = (map.width.div_ceil(block), map.height.div_ceil(block));
        let value = |x: usize, y: usize| map.values.get(y * map.width + x).copied();
        let mean = |column: usize, row: usize| {
            let (mut sum, mut count) = (0.0, 0.0);
            for y in (row * block..(row + 1) * block).take_while(|y| *y < map.height) {
                for x in (column * block..(column + 1) * block).take_while(|x| *x < map.width) {
                    if let Some(value) = value(x, y).filter(|value| value.is_finite()) {
                        sum += value;
                        count += 1.0;
                    }
                }
            }
            (count > 0.0)
                .then(|| sum / count)
                .filter(|mean| mean.is_finite())
        };
        let means = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        Cells {
            columns,
            rows,
            means: means.map(|(column, row)| mean(column, row)).collect(),
        }
    }
}
