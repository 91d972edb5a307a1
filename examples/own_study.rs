//! A study and a paper's experiment from another crate: they register themselves, and the whole program runs them.
//!
//! ```sh
//! cargo run --release --example own_study -- study low-load --sides 4,8
//! cargo run --release --example own_study -- paper mean-distance --out /tmp/distance
//! ```

use clap::Args;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_experiment::simulate::simulate;
use flitwork_report::{Aligned, Column, column, estimate};
use flitwork_results::Results;
use flitwork_schema::Parts;
use flitwork_studies::paper::PaperEntry;
use flitwork_studies::study::{Ran, Steps, Study, StudyEntry};
use flitwork_studies::{Context, Failed};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    flitwork::main_with(parts())
}

/// The program's parts, and these two.
pub(crate) fn parts() -> Parts {
    Parts::new()
        .with(StudyEntry::of::<LowLoad>(
            "low-load",
            "Latency at a low load, over the side of a mesh",
        ))
        .with(PaperEntry::of::<MeanDistance>(
            "mean-distance",
            "hops per packet of uniform traffic",
        ))
}

/// The network of both.
const TEXT: &str = "\
[network]
topology = \"mesh\"
sides = [4, 4]
[router.chaos]
[traffic]
load = 0.05
[run]
warmup_cycles = 500
measure_cycles = 5000
";

/// The network with this many nodes per side.
fn network(catalogue: &Catalogue, side: u32) -> Result<Resolved, Failed> {
    let sides = Override::new("network.sides", &format!("[{side}, {side}]"));
    let name = "the study's configuration";
    let resolved = catalogue.resolve(TEXT, name, Path::new(""), &[sides]);
    resolved.map_err(|error| Failed::option("--sides", error))
}

/// The results of a run on each mesh, as far as the user lets it run.
fn on_each(sides: &[u32], context: &mut dyn Context) -> Result<Ran<(u32, Results)>, Failed> {
    let network = |side: &u32| Ok((*side, network(context.catalogue(), *side)?));
    let networks = sides.iter().map(network);
    let networks = networks.collect::<Result<Vec<(u32, Resolved)>, Failed>>()?;
    let mut steps = Steps::new(context, Some(networks.len()));
    let rows = networks.iter().map_while(|(side, resolved)| {
        let name = format!("{side} x {side}");
        let run = steps.run(&name, |control| simulate(resolved, control))?;
        Some((*side, Results::new(resolved, &run)))
    });
    Ok(Ran::AsFar(rows.collect()))
}

fn configurations(catalogue: &Catalogue, sides: &[u32]) -> BTreeMap<String, String> {
    let named = |side: &u32| {
        let resolved = network(catalogue, *side).ok()?;
        Some((format!("side {side}"), resolved.to_toml()))
    };
    sides.iter().filter_map(named).collect()
}

/// Latency at a low load. Its fields are its options; columns make its JSON, CSV, Parquet and text.
#[derive(Debug, Args)]
struct LowLoad {
    /// Sides of the meshes, in nodes.
    #[arg(long, value_delimiter = ',', default_value = "2,3")]
    sides: Vec<u32>,
}

impl Study for LowLoad {
    type Row = (u32, Results);

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Self::Row>, Failed> {
        on_each(&self.sides, context)
    }

    fn columns(&self) -> Vec<Column<Self::Row>> {
        let mut all = vec![column("side", "nodes", "of the mesh", |row: &Self::Row| {
            row.0
        })];
        let latency = |row: &Self::Row| row.1.latency.mean;
        all.extend(estimate(
            ("latency_mean", "latency"),
            "cycles",
            "from creation to delivery",
            latency,
        ));
        all
    }

    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        configurations(catalogue, &self.sides)
    }
}

/// The mean distance of two nodes of a k x k mesh is 2k / 3 (Dally and Towles, Principles and Practices of
/// Interconnection Networks, 2004), and without deroutes a packet takes that many hops.
#[derive(Debug, Args)]
struct MeanDistance {
    /// Sides of the meshes, in nodes.
    #[arg(long, value_delimiter = ',', default_value = "2,4")]
    sides: Vec<u32>,
}

impl MeanDistance {
    fn published(row: &(u32, Results)) -> f64 {
        2.0 * f64::from(row.0) / 3.0
    }
}

impl Study for MeanDistance {
    type Row = (u32, Results);

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Self::Row>, Failed> {
        on_each(&self.sides, context)
    }

    fn columns(&self) -> Vec<Column<Self::Row>> {
        vec![
            column("side", "nodes", "of the mesh", |row: &Self::Row| row.0),
            column(
                "hops_per_packet",
                "hops",
                "links crossed per packet",
                |row: &Self::Row| row.1.hops_per_packet,
            ),
            column(
                "published_hops",
                "hops",
                "the published mean",
                MeanDistance::published,
            ),
        ]
    }

    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        configurations(catalogue, &self.sides)
    }

    fn text(&self, rows: &[Self::Row]) -> String {
        let columns = Aligned::<Self::Row>::new()
            .right("side", 4, |row| row.0)
            .right("hops", 8, |row| {
                format!("{:.3}", row.1.hops_per_packet.unwrap_or(f64::NAN))
            })
            .right("published", 10, |row| {
                format!("{:.3}", MeanDistance::published(row))
            });
        columns.text(rows)
    }
}
