//! The figure: how many of a million permutations miss the distance, over the nodes of the mesh.

use super::cases::Sample;
use super::row::Row;
use crate::seeds::distinct;
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};

/// The quantile of the normal distribution for an interval of 95 %.
const QUANTILE: f64 = 1.959_964;
const MILLION: f64 = 1e6;

/// The share of permutations that miss, with its interval of 95 % (Wilson 1927).
pub(super) fn wilson(misses: u64, permutations: u64) -> (f64, f64) {
    let (misses, all) = (misses as f64, permutations as f64);
    let (share, squared) = (misses / all, QUANTILE * QUANTILE);
    let middle = share + squared / (2.0 * all);
    let half = QUANTILE * (share * (1.0 - share) / all + squared / (4.0 * all * all)).sqrt();
    let scale = 1.0 + squared / all;
    let low = if misses == 0.0 {
        0.0
    } else {
        (middle - half) / scale
    };
    (low, (middle + half) / scale)
}

/// A point with its whisker, and whether its marker is open.
type Point = ((f64, f64), (f64, f64), bool);

/// A row's point; none if its mesh has no permutation that misses.
fn point(row: &Row) -> Option<Point> {
    let counts = &row.found.counts;
    let nodes = f64::from(row.case.shape.nodes());
    let share = MILLION * counts.misses as f64 / counts.permutations as f64;
    let is_sample = matches!(row.case.sample, Sample::Random(_));
    let (low, high) = wilson(counts.misses, counts.permutations);
    let none = (f64::NAN, f64::NAN);
    match counts.misses {
        0 if is_sample => Some(((nodes, MILLION * high), none, true)),
        0 => None,
        _ if is_sample => Some(((nodes, share), (MILLION * low, MILLION * high), false)),
        _ => Some(((nodes, share), none, false)),
    }
}

/// Misses in a million over nodes, by rules, as an SVG document.
pub(super) fn figure(rows: &[Row]) -> String {
    let names = |row: &Row| row.case.rules();
    let all = distinct(rows.iter().map(names));
    // The legend has little room: it names what differs.
    let differs = |place: usize| all.iter().any(|it| it[place] != all[0][place]);
    let series = all.iter().map(|rules| {
        let own = rows.iter().filter(|row| names(row) == *rules);
        let points: Vec<Point> = own.filter_map(point).collect();
        let parts = (0..3).filter(|place| differs(*place));
        let parts: Vec<&str> = parts.map(|place| rules[place]).collect();
        let name = match parts.is_empty() {
            true => rules[0].to_owned(),
            false => parts.join(", "),
        };
        let whiskers = points.iter().map(|it| it.1).collect();
        Series {
            whiskers: Some(whiskers),
            open: points.iter().map(|it| it.2).collect(),
            ..Series::new(
                name,
                Style::FilledCircles,
                points.iter().map(|it| it.0).collect(),
            )
        }
    });
    let curves = Curves {
        title: "Permutations that miss the longest distance",
        x_label: "nodes of the mesh",
        y_label: "misses in a million permutations",
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series: series.filter(|it| !it.points.is_empty()).collect(),
        note: "Whiskers: 95 % interval. Open markers: no random permutation misses; upper end of the interval.",
        ..Curves::default()
    };
    curves.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newcombe (1998), Statistics in Medicine 17, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    #[test]
    fn intervals_are_the_published_ones() {
        for (misses, all, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (its_low, its_high) = wilson(misses, all);
            assert!((its_low - low).abs() < 6e-5, "{misses} of {all}: {its_low}");
            assert!(
                (its_high - high).abs() < 6e-5,
                "{misses} of {all}: {its_high}"
            );
        }
    }
}
