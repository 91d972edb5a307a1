//! What `--out` writes.

use super::tables::{self, measured_cycles};
use super::{Results, node_means};
use crate::config::Resolved;
use crate::figure::{Figure, HeatMap, Palette};
use crate::provenance::{Provenance, Sourced};
use crate::simulate::Simulated;
use flitwork_files::WriteError;
use flitwork_topology::Topology;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes results.json, results.csv, links.csv, nodes.csv, latency.csv, latency_by_class.csv,
/// latency_by_distance.csv, energy.csv, heatmap.png and .svg, and after a failure waits.csv; gives their
/// names. Each carries its provenance.
///
/// # Errors
/// The first file that can't be written.
pub fn write_all(
    folder: &Path,
    resolved: &Resolved,
    run: &Simulated,
    results: &Results,
    provenance: &Provenance,
) -> Result<Vec<PathBuf>, WriteError> {
    let mut written = Vec::new();
    let mut write = |name: &str, mut bytes: Vec<u8>| {
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
    write("results.json", json)?;
    write("results.csv", tables::results(results))?;
    write("links.csv", tables::links_of(resolved, run))?;
    write("nodes.csv", tables::nodes(resolved, run, results))?;
    write("latency.csv", tables::latency(&run.observation.latency))?;
    write("latency_by_class.csv", tables::latency_by_class(results))?;
    let by_distance = tables::latency_by_distance(results);
    write("latency_by_distance.csv", by_distance)?;
    // A folder may hold such a file of an earlier run.
    let maybe = [
        ("energy.csv", tables::energy(results)),
        ("waits.csv", tables::waits(results)),
    ];
    for (name, bytes) in maybe {
        let stale = folder.join(name);
        match bytes {
            Some(bytes) => write(name, bytes)?,
            None if stale.is_file() => {
                fs::remove_file(&stale).map_err(WriteError::writing(&stale))?;
            }
            None => {}
        }
    }
    let values = node_means(&run.observation.node_packet_cycles, measured_cycles(run));
    let map = heat_map(resolved, &values);
    write("heatmap.png", map.png_with(&provenance.metadata()))?;
    write("heatmap.svg", provenance.in_svg(&map.svg()).into_bytes())?;
    Ok(written)
}

/// Node occupancy as a map: of a plane as it is, of other grids with all further dimensions below each
/// other.
fn heat_map<'a>(resolved: &Resolved, values: &'a [f64]) -> HeatMap<'a> {
    let grid = &resolved.network.grid;
    let width = grid.sides()[0] as usize;
    HeatMap {
        title: "Packets in a node, mean",
        width,
        height: grid.nodes() as usize / width,
        values,
        unit: "packets",
        min: None,
        max: None,
        palette: Palette::Viridis,
    }
}
