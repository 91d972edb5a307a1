//! What `--out` writes.

use super::tables::{self, measured_cycles};
use super::{Results, Status, maps, node_means};
use flitwork_config::Resolved;
use flitwork_experiment::intervals::{self, OverTime};
use flitwork_experiment::simulate::Simulated;
use flitwork_files::{WriteError, clear};
use flitwork_plot::Figure;
use flitwork_report::{Provenance, Sourced};
use std::path::{Path, PathBuf};

/// The file that is written first, since it summarises all others.
const FIRST: &str = "results.json";

/// Whether a run with `--out` may write a file of that name.
pub fn is_result(name: &str) -> bool {
    let picture =
        |stem: &str| stem.starts_with("heatmap") || ["intervals", "links"].contains(&stem);
    match name.rsplit_once('.') {
        Some((stem, "png" | "svg")) => picture(stem),
        Some((stem, "json")) => stem == "results",
        Some((stem, "csv")) => TABLES.contains(&stem),
        _ => false,
    }
}

/// The tables of a run, without their extension.
const TABLES: [&str; 9] = [
    "energy",
    "intervals",
    "latency",
    "latency_by_class",
    "latency_by_distance",
    "links",
    "nodes",
    "results",
    "waits",
];

/// A run to be written to files.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// The configuration.
    pub resolved: &'a Resolved,
    /// Its outcome.
    pub run: &'a Simulated,
    /// Its figures.
    pub results: &'a Results,
    /// Where they come from.
    pub provenance: &'a Provenance,
    /// The run over time, if requested.
    pub over_time: Option<&'a OverTime>,
}

/// The most nodes whose tables and pictures take only a tenth of a second or two to write.
const MOST_HURRIED_NODES: u32 = 100_000;

/// Whether a run was interrupted, so that its user is waiting, and its network has too many nodes and links to write
/// a row for each.
pub fn is_hurried(resolved: &Resolved, results: &Results) -> bool {
    results.status == Status::Partial && resolved.network.nodes() > MOST_HURRIED_NODES
}

/// Writes results.json, results.csv, links.csv, nodes.csv, latency.csv, latency_by_class.csv,
/// latency_by_distance.csv, energy.csv, heatmap.png and .svg, links.png and
/// .svg, after a failure waits.csv, and of a run over
/// time intervals.csv and .svg; returns their names. Each carries its provenance. Files that an earlier run left there are removed.
/// An interrupted run of a large network ([`is_hurried`]) writes no links.csv, nodes.csv and pictures.
///
/// # Errors
/// The first file that cannot be written.
pub fn write_all(folder: &Path, files: &Files<'_>) -> Result<Vec<PathBuf>, WriteError> {
    let Files {
        resolved,
        run,
        results,
        provenance,
        over_time,
    } = *files;
    let mut written = Vec::new();
    let mut write = |name: &str, mut bytes: Vec<u8>| {
        assert!(is_result(name), "{name} would stay among later results");
        let path = folder.join(name);
        if name.ends_with(".csv") {
            bytes = provenance.on_csv(&bytes);
        }
        flitwork_files::write(&path, &bytes)?;
        written.push(path);
        Ok::<(), WriteError>(())
    };
    let found = results;
    let json = Sourced { provenance, found };
    let json = serde_json::to_vec_pretty(&json).expect("results hold only what JSON has");
    write(FIRST, json)?;
    // From here on, no file of an earlier run stands beside them.
    clear(folder, |name| is_result(name) && name != FIRST)?;
    write("results.csv", tables::results(results))?;
    let hurried = is_hurried(resolved, results);
    if !hurried {
        write("links.csv", tables::links_of(resolved, run))?;
        write("nodes.csv", tables::nodes(resolved, run, results))?;
    }
    write("latency.csv", tables::latency(&run.observation.latency))?;
    write("latency_by_class.csv", tables::latency_by_class(results))?;
    let by_distance = tables::latency_by_distance(results);
    write("latency_by_distance.csv", by_distance)?;
    let maybe = [
        ("energy.csv", tables::energy(results)),
        ("waits.csv", tables::waits(results)),
        ("intervals.csv", over_time.map(intervals::csv)),
    ];
    for (name, bytes) in maybe {
        if let Some(bytes) = bytes {
            write(name, bytes)?;
        }
    }
    let values = node_means(&run.observation.node_packet_cycles, measured_cycles(run));
    let mut draw = |stem: &str, figure: &dyn Figure| {
        let png = figure.png_with(&provenance.metadata());
        write(&format!("{stem}.png"), png)?;
        let svg = provenance.in_svg(&figure.svg());
        write(&format!("{stem}.svg"), svg.into_bytes())
    };
    // A map needs coordinates.
    if let Some(grid) = resolved.network.shape.grid().filter(|_| !hurried) {
        draw("heatmap", &maps::occupancy(grid, &values))?;
        draw("links", &maps::link_use(grid, run))?;
    }
    if let Some(over_time) = over_time {
        // A bitmap would take longer than many a run.
        let figure = intervals::over_time(over_time).svg();
        write("intervals.svg", provenance.in_svg(&figure).into_bytes())?;
    }
    Ok(written)
}
