//! A reproduced experiment next to the published one, as text and as a figure.

use super::published::{Algorithm, Published};
use super::{Row, published};
use flitwork_measure::fit::PowerLaw;
use flitwork_plot::{Curves, Figure, Scale, Series, Style};
use flitwork_report::Aligned;
use std::fmt::Write;

/// The rows as a table, with relative errors, the refit and the published fit.
pub fn text(experiment: &str, rows: &[Row]) -> String {
    let Some(table) = published()
        .into_iter()
        .find(|table| table.name == experiment)
    else {
        return String::new();
    };
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}\n(Chinn 1995, {}, {})",
        table.title, table.section, table.figure
    );
    let error = |error: f64| format!("{:+.1} %", 100.0 * error);
    let dash = |shown: Option<String>| shown.unwrap_or("-".into());
    let columns = Aligned::<Row>::new()
        .right("n", 6, |it| it.n)
        .right("cn", 5, |it| it.cn)
        .left("algorithm", 13, |it| it.algorithm.name())
        .behind(2)
        .right("cycles", 12, |it| format!("{:.1}", it.cycles))
        .right("published", 11, |it| {
            dash(it.published.map(|cycles| format!("{cycles:.0}")))
        })
        .right("error", 8, |it| dash(it.error().map(error)))
        .right("min … max", 19, |it| {
            format!("{} … {}", it.cycles_min, it.cycles_max)
        })
        .behind(2)
        .right("deroutes", 12, |it| format!("{:.0}", it.deroutes))
        .right("seconds", 8, |it| format!("{:.2}", it.seconds));
    out.push('\n');
    out.push_str(&columns.text(rows));
    for algorithm in [
        Algorithm::MinimalChaos,
        Algorithm::Chaos,
        Algorithm::GreedyHp,
    ] {
        out.push_str(&summary(&table, rows, algorithm));
    }
    out.push_str("\nDigests, one a row over all its seeds:\n");
    for row in rows {
        let name = row.algorithm.name();
        let _ = writeln!(
            out,
            "{:>6}  {name:<13} {}  {} seed{}",
            row.n,
            row.digest,
            row.seeds,
            plural(row.seeds as usize)
        );
    }
    out
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// An algorithm's mean error, and its fits.
fn summary(table: &Published, rows: &[Row], algorithm: Algorithm) -> String {
    let rows: Vec<&Row> = rows
        .iter()
        .filter(|row| row.algorithm == algorithm)
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}: ", algorithm.name());
    let errors: Vec<f64> = rows.iter().filter_map(|row| row.error()).collect();
    if errors.is_empty() {
        out.push_str("none of these rows was published\n");
    } else {
        let count = errors.len();
        let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / count as f64;
        let worst = errors
            .iter()
            .fold(0.0f64, |worst, error| worst.max(error.abs()));
        let _ = writeln!(
            out,
            "mean error {:.1} %, largest {:.1} %, over {count} published row{}",
            100.0 * mean,
            100.0 * worst,
            plural(count)
        );
    }
    let ours = rows.iter().map(|row| (row.n, row.cn, row.cycles));
    let theirs = table
        .rows
        .iter()
        .filter_map(|row| row.cycles(algorithm).map(|cycles| (row.n, row.cn, cycles)));
    let distance = table.distance.unwrap_or(0.0);
    let curve = |what: &str, fit: Option<PowerLaw>| {
        fit.map_or(String::new(), |fit| {
            let term = if distance == 0.0 {
                String::new()
            } else {
                format!("{distance} cn + ")
            };
            format!(
                "  {what:<26} {term}{:.4} n^{:.3}\n",
                fit.coefficient, fit.exponent
            )
        })
    };
    out.push_str(&curve("fit to these rows:", congestion_fit(distance, ours)));
    out.push_str(&curve(
        "fit to the printed rows:",
        congestion_fit(distance, theirs),
    ));
    if algorithm != Algorithm::MinimalChaos {
        let printed = table.fit.map(|fit| PowerLaw {
            coefficient: fit.a,
            exponent: fit.x,
        });
        out.push_str(&curve("published fit:", printed));
    }
    out
}

/// a n^x through the cycles that are left without the distance (section 4.2.2).
fn congestion_fit(distance: f64, rows: impl Iterator<Item = (u32, u32, f64)>) -> Option<PowerLaw> {
    let points: Vec<(f64, f64)> = rows
        .map(|(n, cn, cycles)| (f64::from(n), cycles - distance * f64::from(cn)))
        .collect();
    PowerLaw::fit(&points).ok()
}

/// The figure: cycles over n, reproduced and published, as an SVG document.
pub fn figure(experiment: &str, rows: &[Row]) -> Option<String> {
    let table = published()
        .into_iter()
        .find(|table| table.name == experiment)?;
    let mut series = Vec::new();
    for (algorithm, style) in [
        (Algorithm::MinimalChaos, Style::FilledCircles),
        (Algorithm::Chaos, Style::OpenCircles),
        (Algorithm::GreedyHp, Style::OpenCircles),
    ] {
        let ours: Vec<&Row> = rows
            .iter()
            .filter(|row| row.algorithm == algorithm)
            .collect();
        let points = ours
            .iter()
            .map(|row| (f64::from(row.n), row.cycles))
            .collect::<Vec<_>>();
        let whiskers = ours
            .iter()
            .map(|row| (f64::from(row.cycles_min), f64::from(row.cycles_max)));
        let theirs: Vec<(f64, f64)> = table
            .rows
            .iter()
            .filter_map(|row| {
                row.cycles(algorithm)
                    .map(|cycles| (f64::from(row.n), cycles))
            })
            .collect();
        if !points.is_empty() {
            let whiskers = Some(whiskers.collect());
            let name = format!("{}, Flitwork", algorithm.name());
            series.push(Series {
                whiskers,
                ..Series::new(name, style, points)
            });
        }
        if !theirs.is_empty() {
            let name = format!("{}, Chinn 1995", algorithm.name());
            series.push(Series::new(name, Style::Dashed, theirs));
        }
    }
    let curves = Curves {
        title: &table.title,
        x_label: "side of the mesh, n (nodes)",
        y_label: "time (cycles)",
        x_scale: Scale::default(),
        y_scale: Scale::default(),
        series,
        ..Curves::default()
    };
    Some(curves.svg())
}
