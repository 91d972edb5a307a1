//! What `--out` writes.

use super::figures::figures;
use super::tables::{self, TABLES};
use super::{Results, Status, maps, node_means, over_time};
use flitwork_config::Resolved;
use flitwork_experiment::intervals::OverTime;
use flitwork_experiment::simulate::Simulated;
use flitwork_files::{WriteError, clear};
use flitwork_plot::Drawable;
use flitwork_report::{Column, Formats, Provenance, write_rows};
use std::borrow::Borrow;
use std::path::{Path, PathBuf};

/// The table of all figures, of one row, and the file of that name that is written first, since it summarises all others.
const FIGURES: &str = "results";
const FIRST: &str = "results.json";

/// Whether a run with `--out` may write a file of that name, in whatever format.
pub fn is_result(formats: &Formats, name: &str) -> bool {
    let picture =
        |stem: &str| stem.starts_with("heatmap") || ["intervals", "links"].contains(&stem);
    // An option names the file of packets.
    let table = |stem: &str| stem != "packets" && TABLES.iter().any(|table| table.0 == stem);
    match name.rsplit_once('.') {
        Some((stem, "png" | "svg")) => picture(stem),
        Some((stem, ending)) if formats.may_write(ending) => stem == FIGURES || table(stem),
        _ => name == FIRST,
    }
}

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
    /// What tables are written in.
    pub formats: &'a Formats,
    /// The run over time, if requested.
    pub over_time: Option<&'a OverTime>,
}

impl Files<'_> {
    /// The cycles that a mean over the window is divided by.
    pub(super) fn cycles(&self) -> f64 {
        f64::from(self.run.observation.measured_cycles.max(1))
    }
}

/// The most nodes whose tables and pictures take only a tenth of a second or two to write.
const MOST_HURRIED_NODES: u32 = 100_000;

/// Whether a run was interrupted, so that its user is waiting, and its network has too many nodes and links to write
/// a row for each.
pub fn is_hurried(resolved: &Resolved, results: &Results) -> bool {
    results.status == Status::Partial && resolved.network.nodes() > MOST_HURRIED_NODES
}

/// Files of a run that are written.
struct Written<'a> {
    folder: &'a Path,
    formats: &'a Formats,
    provenance: &'a Provenance,
    paths: Vec<PathBuf>,
}

impl Written<'_> {
    fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        assert!(
            is_result(self.formats, name),
            "{name} would stay among later results"
        );
        let path = self.folder.join(name);
        flitwork_files::write(&path, bytes)?;
        self.paths.push(path);
        Ok(())
    }

    fn table<'c, R: 'c>(
        &mut self,
        name: &str,
        columns: impl IntoIterator<Item = &'c Column<R>>,
        rows: impl IntoIterator<Item = impl Borrow<R>>,
    ) -> Result<(), WriteError> {
        let files = write_rows(
            self.formats,
            (self.folder, name),
            columns,
            rows,
            self.provenance,
        )?;
        self.paths.extend(files);
        Ok(())
    }

    fn svg(&mut self, stem: &str, figure: &dyn Drawable) -> Result<(), WriteError> {
        let svg = self.provenance.in_svg(&figure.svg());
        self.file(&format!("{stem}.svg"), svg.as_bytes())
    }

    fn picture(&mut self, stem: &str, figure: &dyn Drawable) -> Result<(), WriteError> {
        let png = figure.png_with(&self.provenance.metadata());
        self.file(&format!("{stem}.png"), &png)?;
        self.svg(stem, figure)
    }
}

/// Writes `results.json`; the tables `results`, `links`, `nodes`, `latency`, `latency_by_class`, `latency_by_distance`,
/// `energy`, after a failure `waits`, and of a run over time `intervals`, in every format that the program was built
/// with; maps of nodes and links, and the run over time, as pictures. Returns the files. Each carries its provenance.
/// Files that an earlier run left there are removed. An interrupted run of a large network ([`is_hurried`]) writes no
/// tables and maps of nodes and links.
///
/// # Errors
/// The first file that cannot be written.
pub fn write_all(folder: &Path, files: &Files<'_>) -> Result<Vec<PathBuf>, WriteError> {
    let Files {
        resolved,
        run,
        results,
        provenance,
        formats,
        over_time,
    } = *files;
    let mut to = Written {
        folder,
        formats,
        provenance,
        paths: Vec::new(),
    };
    let json = serde_json::to_vec_pretty(&provenance.with(results))
        .expect("results hold only what JSON has");
    to.file(FIRST, &json)?;
    // From here on, no file of an earlier run is left beside them.
    clear(folder, |name| is_result(formats, name) && name != FIRST)?;
    to.table(FIGURES, figures().iter().map(|it| &it.column), [results])?;
    let hurried = is_hurried(resolved, results);
    if !hurried {
        to.table("links", &tables::link_columns(), tables::links_of(files))?;
        to.table("nodes", &tables::node_columns(), tables::nodes(files))?;
    }
    let bins = run.observation.latency.bins();
    to.table("latency", &tables::bin_columns(), bins)?;
    let by_class = &results.latency_by_class;
    to.table("latency_by_class", &tables::class_columns(), by_class)?;
    let (columns, rows) = (tables::distance_columns(), &results.latency_by_distance);
    to.table("latency_by_distance", &columns, rows)?;
    if let Some(energy) = &results.energy {
        to.table("energy", &tables::energy_columns(), tables::energy(energy))?;
    }
    if let Some(failure) = &results.failure {
        to.table("waits", &tables::wait_columns(), &failure.waits)?;
    }
    if let Some(run) = over_time {
        let rows = run.intervals.iter().map(|interval| (run, interval));
        to.table("intervals", &over_time::columns(), rows)?;
    }
    // A map needs coordinates.
    if let Some(grid) = resolved.network.shape.grid().filter(|_| !hurried) {
        let values = node_means(&run.observation.node_packet_cycles, files.cycles());
        to.picture("heatmap", &maps::occupancy(grid, &values))?;
        to.picture("links", &maps::link_use(grid, run, files.cycles()))?;
    }
    if let Some(over_time) = over_time {
        // A bitmap would take longer than many a run.
        to.svg("intervals", &over_time::figure(over_time))?;
    }
    Ok(to.paths)
}
