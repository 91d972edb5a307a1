//! What `--out` writes.

use super::{Results, links, node_means};
use crate::config::Resolved;
use crate::figure::{Figure, FigureError, HeatMap, Palette};
use crate::simulate::Simulated;
use flitwork_measure::Histogram;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that can't be written.
#[derive(Debug)]
pub struct WriteError {
    /// Which.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: can't be written: {}",
            self.path.display(),
            self.source
        )
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl From<FigureError> for WriteError {
    fn from(error: FigureError) -> WriteError {
        WriteError {
            path: error.path,
            source: error.source,
        }
    }
}

/// Makes the folder and sees that a file can be written there, so that a long run doesn't end in vain.
///
/// # Errors
/// When that fails.
pub fn prepare(folder: &Path) -> Result<(), WriteError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| WriteError { path, source }
    };
    fs::create_dir_all(folder).map_err(at(folder))?;
    let probe = folder.join(".flitwork-can-write");
    fs::write(&probe, b"").map_err(at(&probe))?;
    fs::remove_file(&probe).map_err(at(&probe))
}

/// Writes results.json, results.csv, links.csv, nodes.csv, latency.csv, heatmap.png and .svg, and after a
/// failure waits.csv; gives their names.
///
/// # Errors
/// The first file that can't be written.
pub fn write_all(
    folder: &Path,
    resolved: &Resolved,
    run: &Simulated,
    results: &Results,
) -> Result<Vec<PathBuf>, WriteError> {
    let mut written = Vec::new();
    let mut write = |name: &str, bytes: Vec<u8>| {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|source| WriteError {
            path: path.clone(),
            source,
        })?;
        written.push(path);
        Ok::<(), WriteError>(())
    };
    let json = serde_json::to_vec_pretty(results).expect("results hold only what JSON has");
    write("results.json", json)?;
    write("results.csv", results_csv(results))?;
    write("links.csv", links_csv(resolved, run))?;
    write("nodes.csv", nodes_csv(resolved, run))?;
    write("latency.csv", latency_csv(&run.observation.latency))?;
    // A folder may hold the waits of an earlier run.
    let stale = folder.join("waits.csv");
    if results.failure.is_none() && stale.is_file() {
        fs::remove_file(&stale).map_err(|source| WriteError {
            path: stale,
            source,
        })?;
    }
    if let Some(failure) = &results.failure {
        let mut rows = csv::Writer::from_writer(Vec::new());
        for wait in &failure.waits {
            rows.serialize(wait)
                .expect("rows of equal length in memory");
        }
        write("waits.csv", bytes(rows))?;
    }
    let values = node_means(&run.observation.node_packet_cycles, measured_cycles(run));
    let map = heat_map(resolved, &values);
    write("heatmap.png", map.png())?;
    write("heatmap.svg", map.svg().into_bytes())?;
    Ok(written)
}

fn put<const N: usize>(rows: &mut csv::Writer<Vec<u8>>, row: [impl AsRef<[u8]>; N]) {
    rows.write_record(row)
        .expect("rows of equal length in memory");
}

fn bytes(rows: csv::Writer<Vec<u8>>) -> Vec<u8> {
    rows.into_inner().expect("rows in memory")
}

/// One line of the figures that are compared most.
fn results_csv(results: &Results) -> Vec<u8> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let count = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let load = results.load.as_ref();
    let latency = &results.latency;
    let columns: Vec<(&str, String)> = vec![
        ("status", format!("{:?}", results.status).to_lowercase()),
        ("seed", results.seed.to_string()),
        ("digest", results.digest.clone()),
        ("cycles", results.cycles.to_string()),
        ("measured_cycles", results.measured_cycles.to_string()),
        (
            "configured_load_words_per_node_cycle",
            number(load.and_then(|load| load.configured)),
        ),
        (
            "offered_load_words_per_node_cycle",
            number(load.map(|load| load.offered.mean)),
        ),
        (
            "accepted_load_words_per_node_cycle",
            number(load.map(|load| load.accepted.mean)),
        ),
        (
            "steady",
            results
                .steady
                .map_or(String::new(), |steady| steady.is_steady().to_string()),
        ),
        ("packets_created", results.packets.created.to_string()),
        ("packets_delivered", results.packets.delivered.to_string()),
        (
            "latency_mean_cycles",
            number(latency.mean.as_ref().map(|mean| mean.mean)),
        ),
        (
            "latency_half_width_cycles",
            number(latency.mean.as_ref().and_then(|mean| mean.half_width)),
        ),
        ("latency_p50_cycles", count(latency.p50)),
        ("latency_p99_cycles", count(latency.p99)),
        ("latency_max_cycles", count(latency.max)),
        (
            "network_latency_mean_cycles",
            number(results.network_latency.mean.as_ref().map(|mean| mean.mean)),
        ),
        ("hops_per_packet", number(results.hops_per_packet)),
        ("deroutes_per_packet", number(results.deroutes_per_packet)),
        (
            "multiqueue_mean_packets",
            results.multiqueue_mean.to_string(),
        ),
        ("multiqueue_max_packets", results.multiqueue_max.to_string()),
        (
            "link_utilisation_mean",
            results.link_utilisation_mean.to_string(),
        ),
        (
            "link_utilisation_max",
            results.link_utilisation_max.to_string(),
        ),
        ("packet_hops", results.packet_hops.to_string()),
        ("seconds", results.seconds.to_string()),
    ];
    let mut rows = csv::Writer::from_writer(Vec::new());
    let (names, values): (Vec<&str>, Vec<String>) = columns.into_iter().unzip();
    rows.write_record(names)
        .expect("rows of equal length in memory");
    rows.write_record(values)
        .expect("rows of equal length in memory");
    bytes(rows)
}

fn links_csv(resolved: &Resolved, run: &Simulated) -> Vec<u8> {
    let grid = &resolved.network.grid;
    let seen = &run.observation;
    let cycles = measured_cycles(run);
    let mut rows = csv::Writer::from_writer(Vec::new());
    put(&mut rows, ["node", "port", "to", "words", "utilisation"]);
    for (node, port) in links(grid) {
        let words = seen.link_words[node as usize * grid.ports() + port as usize];
        let port = Port(port);
        let to = grid
            .neighbour(NodeId(node), port)
            .expect("only links that exist are listed");
        let utilisation = words as f64 / cycles;
        put(
            &mut rows,
            [
                node.to_string(),
                grid.port_name(port),
                to.to_string(),
                words.to_string(),
                format!("{utilisation:.6}"),
            ],
        );
    }
    bytes(rows)
}

fn nodes_csv(resolved: &Resolved, run: &Simulated) -> Vec<u8> {
    let grid = &resolved.network.grid;
    let seen = &run.observation;
    let cycles = measured_cycles(run);
    let packets = node_means(&seen.node_packet_cycles, cycles);
    let queues = node_means(&seen.queue_packet_cycles, cycles);
    let mut rows = csv::Writer::from_writer(Vec::new());
    let head = [
        "node",
        "coordinates",
        "packets_mean",
        "multiqueue_mean_packets",
        "multiqueue_max_packets",
        "packets_delivered",
    ];
    put(&mut rows, head);
    for node in 0..grid.nodes() {
        let at = node as usize;
        let coordinates: Vec<String> = grid
            .coordinates(NodeId(node))
            .iter()
            .map(u32::to_string)
            .collect();
        put(
            &mut rows,
            [
                node.to_string(),
                coordinates.join(" "),
                format!("{:.6}", packets[at]),
                format!("{:.6}", queues[at]),
                seen.queue_max[at].to_string(),
                seen.node_deliveries[at].to_string(),
            ],
        );
    }
    bytes(rows)
}

fn latency_csv(latency: &Histogram) -> Vec<u8> {
    let mut rows = csv::Writer::from_writer(Vec::new());
    put(&mut rows, ["from_cycles", "to_cycles", "packets"]);
    for bin in latency.bins() {
        put(
            &mut rows,
            [bin.low, bin.high, bin.count].map(|value| value.to_string()),
        );
    }
    bytes(rows)
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

fn measured_cycles(run: &Simulated) -> f64 {
    f64::from(run.observation.measured_cycles.max(1))
}
