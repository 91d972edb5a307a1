//! A reproduced experiment next to the published one, as text and as a figure.

use super::published::{Algorithm, Published};
use super::reading::Reading;
use super::row::{Kind, Row};
use crate::seeds::{counted, dash, percent};
use flitwork_measure::fit::PowerLaw;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::Aligned;
use std::fmt::Write;

/// The rows as a table, with relative errors, the refit and the published fit.
pub(super) fn text(
    published: &Published,
    reading: &Reading,
    kinds: &[Kind],
    rows: &[Row],
) -> String {
    let mut out = format!(
        "{}\n(Chinn 1995, {}, {})\n",
        published.title, published.section, published.figure
    );
    if let Some(line) = reading.line() {
        let _ = writeln!(out, "{line}");
    }
    out.push('\n');
    let mut columns = Aligned::<Row>::new()
        .right("n", 6, |it| it.n)
        .right("cn", 5, |it| it.cn)
        .left("algorithm", 13, |it| it.kind.algorithm.name())
        .behind(2);
    if kinds.iter().any(|kind| kind.committed_by.is_some()) {
        let by = |it: &Row| dash(it.kind.committed_by.map(Algorithm::name));
        columns = columns.left("committed by", 12, by);
    }
    let columns = columns
        .right("cycles", 12, |it| format!("{:.1}", it.cycles()))
        .right("published", 11, |it| {
            dash(it.published.map(|cycles| format!("{cycles:.0}")))
        })
        .right("error", 8, |it| dash(it.error().map(percent)))
        .right("min … max", 19, |it| {
            let (least, most) = it.range();
            format!("{least} … {most}")
        })
        .behind(2)
        .right("deroutes", 12, |it| format!("{:.0}", it.deroutes()))
        .right("seconds", 8, |it| format!("{:.2}", it.seconds()));
    out += &columns.text(rows);
    for kind in kinds {
        out += &summary(published, rows, *kind);
    }
    out += "\nDigests, one a row over all its seeds:\n";
    let widest = kinds.iter().map(|kind| kind.label().len()).max();
    let width = widest.unwrap_or(0).max(13);
    for row in rows {
        let (n, name, digest) = (row.n, row.kind.label(), row.digest());
        let seeds = counted(row.runs.len(), "seed");
        let _ = writeln!(out, "{n:>6}  {name:<width$} {digest}  {seeds}");
    }
    out
}

/// The mean error of a kind of rows, and its fits.
fn summary(published: &Published, rows: &[Row], kind: Kind) -> String {
    let rows = of(rows, kind);
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}: ", kind.label());
    let errors = rows.iter().filter_map(|row| row.error().map(f64::abs));
    let errors: Vec<f64> = errors.collect();
    let count = errors.len();
    match count {
        0 => out += "none of these rows was published\n",
        _ => {
            let mean = errors.iter().sum::<f64>() / count as f64;
            let worst = errors.into_iter().fold(0.0, f64::max);
            let _ = writeln!(
                out,
                "mean error {:.1} %, largest {:.1} %, over {}",
                100.0 * mean,
                100.0 * worst,
                counted(count, "published row")
            );
        }
    }
    let distance = published.distance;
    let mut curve = |what: &str, fit: Option<PowerLaw>| {
        let Some(fit) = fit else { return };
        let term = match distance {
            0.0 => String::new(),
            _ => format!("{distance} cn + "),
        };
        let (a, x) = (fit.coefficient, fit.exponent);
        let _ = writeln!(out, "  {what:<26} {term}{a:.4} n^{x:.3}");
    };
    let ours = rows.iter().map(|row| (row.n, row.cn, row.cycles()));
    let theirs = kind.published(published);
    curve("fit to these rows:", congestion_fit(distance, ours));
    curve("fit to the printed rows:", congestion_fit(distance, theirs));
    let is_published = kind.published(published).next().is_some();
    if is_published && kind.algorithm != Algorithm::MinimalChaos {
        let printed = published.fit.map(|[coefficient, exponent]| PowerLaw {
            coefficient,
            exponent,
        });
        curve("published fit:", printed);
    }
    out
}

/// The rows of a kind.
fn of(rows: &[Row], kind: Kind) -> Vec<&Row> {
    let rows = rows.iter();
    rows.filter(|row| row.kind == kind).collect()
}

/// a n^x through the cycles that are left without the distance (section 4.2.2).
fn congestion_fit(distance: f64, rows: impl Iterator<Item = (u32, u32, f64)>) -> Option<PowerLaw> {
    let points: Vec<(f64, f64)> = rows
        .map(|(n, cn, cycles)| (f64::from(n), cycles - distance * f64::from(cn)))
        .collect();
    PowerLaw::fit(&points).ok()
}

/// The figure: cycles over n, reproduced and published, as an SVG document.
pub(super) fn figure(published: &Published, kinds: &[Kind], rows: &[Row]) -> String {
    let mut series = Vec::new();
    for kind in kinds {
        // The legend has little room.
        let (label, ours) = (kind.label(), of(rows, *kind));
        let name = label.trim_end_matches(" permutation");
        let style = match kind.algorithm {
            Algorithm::MinimalChaos | Algorithm::MatchingHp => Style::FilledCircles,
            Algorithm::Chaos | Algorithm::GreedyHp => Style::OpenCircles,
        };
        let points = ours.iter().map(|row| (f64::from(row.n), row.cycles()));
        let ranges = ours.iter().map(|row| row.range());
        let whiskers = ranges.map(|(least, most)| (least.into(), most.into()));
        series.push(Series {
            whiskers: Some(whiskers.collect()),
            ..Series::new(format!("{name}, Flitwork"), style, points.collect())
        });
        let theirs = kind.published(published);
        let theirs = theirs
            .map(|(n, _, cycles)| (f64::from(n), cycles))
            .collect();
        series.push(Series::new(
            format!("{name}, Chinn 1995"),
            Style::Dashed,
            theirs,
        ));
    }
    series.retain(|it| !it.points.is_empty());
    let curves = Curves {
        title: &published.title,
        x_label: "side of the mesh, n (nodes)",
        y_label: "time (cycles)",
        series,
        ..Curves::default()
    };
    curves.svg()
}
