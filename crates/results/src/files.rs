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

/// The file that is written first, since it holds what all others tell in detail.
const FIRST: &str = "results.json";

/// Whether a file of that name is one that a run with `--out` may write.
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

/// The tables of a run, without their ending.
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

/// A run, as files tell of it.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// What was run.
    pub resolved: &'a Resolved,
    /// What came of it.
    pub run: &'a Simulated,
    /// Its figures.
    pub results: &'a Results,
    /// Where they come from.
    pub provenance: &'a Provenance,
    /// The run over time, where that was asked for.
    pub over_time: Option<&'a OverTime>,
}

/// Nodes whose tables and pictures are written in a tenth of a second or two.
const MOST_HURRIED_NODES: u32 = 100_000;

/// Whether somebody waits for the end of a run that was broken off, and what there is to write of each node and
/// link is too much for that.
pub fn is_hurried(resolved: &Resolved, results: &Results) -> bool {
    results.status == Status::Partial && resolved.network.nodes() > MOST_HURRIED_NODES
}

/// Writes results.json, results.csv, links.csv, nodes.csv, latency.csv, latency_by_class.csv,
/// latency_by_distance.csv, energy.csv, heatmap.png and .svg, links.png and
/// .svg, after a failure waits.csv, and of a run over
/// time intervals.csv and .svg; gives their names. Each carries its provenance. What an earlier run left there goes.
/// Of a network that is too large for that ([`is_hurried`]), a run that was broken off has no links.csv, nodes.csv
/// and pictures.
///
/// # Errors
/// The first file that can't be written.
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
    // From here on nothing of an earlier run stands beside them.
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
        draw("heatmap", maps::occupancy(grid, &values).as_ref())?;
        draw("links", &maps::link_use(grid, run))?;
    }
    if let Some(over_time) = over_time {
        // A picture of pixels would take longer than many a run.
        let figure = intervals::over_time(over_time).svg();
        write("intervals.svg", provenance.in_svg(&figure).into_bytes())?;
    }
    Ok(written)
}
