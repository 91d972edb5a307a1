//! Figures over seeds.

use flitwork_measure::Estimate;
use flitwork_plot::{Series, Style};
use std::fmt::Display;

/// The confidence of every interval.
const LEVEL: f64 = 0.95;

/// The mean of a figure over seeds, with its interval; NaN without any value.
pub(crate) fn mean_of(values: impl IntoIterator<Item = f64>) -> Estimate {
    let values: Vec<f64> = values.into_iter().collect();
    Estimate::of_independent(&values, LEVEL)
}

/// The same, if there is any value.
pub(crate) fn over_seeds(values: impl IntoIterator<Item = f64>) -> Option<Estimate> {
    Some(mean_of(values)).filter(|mean| mean.observations > 0)
}

/// Each value once, in the order of their first occurrences.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Means over some axis, with their intervals as whiskers: a single seed has no interval, and no whisker.
pub(crate) fn with_whiskers(
    name: impl Into<String>,
    style: Style,
    means: impl IntoIterator<Item = (impl Into<f64>, Estimate)>,
) -> Series {
    let ends = means.into_iter().map(|(x, it)| {
        let half = it.half_width.unwrap_or(f64::NAN);
        ((x.into(), it.mean), (it.mean - half, it.mean + half))
    });
    let (points, whiskers) = ends.unzip();
    Series {
        whiskers: Some(whiskers),
        ..Series::new(name, style, points)
    }
}

/// "1 seed", "2 seeds".
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// What is known, or a dash.
pub(crate) fn dash(shown: Option<impl Display>) -> String {
    shown.map_or("-".into(), |it| it.to_string())
}

/// A part as a signed percentage: 0.25 is +25.0 %.
pub(crate) fn percent(part: f64) -> String {
    format!("{:+.1} %", 100.0 * part)
}
