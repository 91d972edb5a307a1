//! A map's values, reduced to as many as can be seen.

/// More cells than this in a row or a column are averaged in square blocks.
const MOST_CELLS: usize = 400;

/// The values to draw: those of a map, or means over square blocks of them. `None` if there is none.
pub(crate) struct Cells {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) means: Vec<Option<f64>>,
}

impl Cells {
    pub(crate) fn of(width: usize, height: usize, values: &[f64]) -> Cells {
        let block = width.max(height).div_ceil(MOST_CELLS).max(1);
        let (columns, rows) = (width.div_ceil(block), height.div_ceil(block));
        let mean = |column: usize, row: usize| {
            let (mut sum, mut count) = (0.0, 0.0);
            for y in row * block..height.min((row + 1) * block) {
                for x in column * block..width.min((column + 1) * block) {
                    let value = values.get(y * width + x).copied();
                    if let Some(value) = value.filter(|value| value.is_finite()) {
                        sum += value;
                        count += 1.0;
                    }
                }
            }
            Some(sum / count).filter(|mean| mean.is_finite())
        };
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        Cells {
            columns,
            rows,
            means: places.map(|(column, row)| mean(column, row)).collect(),
        }
    }
}
