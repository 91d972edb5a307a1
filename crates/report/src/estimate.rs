//! The columns of a mean and of how well it is known.

use crate::column::{Column, column};
use flitwork_measure::Estimate;

/// A mean over a sample, half the width of its interval, and the numbers behind it: `MEAN_UNIT`,
/// `STEM_half_width_UNIT`, `STEM_batches` and `STEM_observations`.
pub fn estimate<R: 'static>(
    (mean, stem): (&str, &str),
    unit: &'static str,
    description: impl Into<std::borrow::Cow<'static, str>>,
    of: impl Fn(&R) -> Option<Estimate> + Copy + Send + Sync + 'static,
) -> [Column<R>; 4] {
    let named = |name: &str| match unit {
        "" => name.to_owned(),
        // A rate is named by its unit.
        _ if mean.contains("_per_") => name.to_owned(),
        unit => format!(
            "{name}_{}",
            unit.replacen('/', "_per_", 1).replace('/', "_")
        ),
    };
    let half_width = "half the width of its 95 % interval; missing where none can be trusted";
    let batches = "batch means that the interval was computed from; 0 where the mean is exact";
    [
        column(named(mean), unit, description, move |row| {
            Some(of(row)?.mean)
        }),
        column(
            named(&format!("{stem}_half_width")),
            unit,
            half_width,
            move |row| of(row)?.half_width,
        ),
        column(format!("{stem}_batches"), "", batches, move |row| {
            Some(of(row)?.batches)
        }),
        column(
            format!("{stem}_observations"),
            "",
            "behind the mean",
            move |row| Some(of(row)?.observations),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_comes_last_in_a_name() {
        let of = |row: &f64| Some(Estimate::exact(*row));
        let names = |columns: [Column<f64>; 4]| columns.map(|column| column.header.name);
        let load = estimate(("load", "load"), "words/node/cycle", "", of);
        let all = [
            "load_words_per_node_cycle",
            "load_half_width_words_per_node_cycle",
            "load_batches",
            "load_observations",
        ];
        assert_eq!(names(load), all);
        let ratio = estimate(("ratio", "ratio"), "", "", of);
        assert_eq!(
            names(ratio),
            [
                "ratio",
                "ratio_half_width",
                "ratio_batches",
                "ratio_observations"
            ]
        );
    }
}
