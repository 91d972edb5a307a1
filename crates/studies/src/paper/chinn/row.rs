//! Rows of the reproduced tables, and their columns.

use crate::paper::{Algorithm, Snapshot};
use flitwork_report::{Column, Table, column};

/// One run of a row.
#[derive(Clone, Debug)]
pub struct SeedRun {
    /// The seed.
    pub seed: u64,
    /// The last cycle in which a packet left.
    pub cycles: u32,
    /// Hops through unproductive ports.
    pub deroutes: u64,
    /// The run's digest.
    pub digest: String,
}

/// A row of a reproduced table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The experiment's name.
    pub experiment: String,
    /// The side of the mesh.
    pub n: u32,
    /// The side of the corner.
    pub cn: u32,
    /// What ran.
    pub algorithm: Algorithm,
    /// Cycles until the last packet has left, mean over the seeds.
    pub cycles: f64,
    /// The least of them.
    pub cycles_min: u32,
    /// The greatest of them.
    pub cycles_max: u32,
    /// How many seeds.
    pub seeds: u32,
    /// The published cycles, if this row was published.
    pub published: Option<f64>,
    /// Packets a run.
    pub packets: u64,
    /// Hops through unproductive ports a run, mean over the seeds.
    pub deroutes: f64,
    /// Host time of the row's runs, constructions not counted, in seconds.
    pub seconds: f64,
    /// The sum of the runs' digests.
    pub digest: String,
    /// The runs.
    pub runs: Vec<SeedRun>,
    /// The occupancy of the corner at the requested cycle.
    pub snapshot: Option<Snapshot>,
}

impl Row {
    /// The relative deviation of the mean from the published figure.
    pub fn error(&self) -> Option<f64> {
        self.published
            .map(|published| self.cycles / published - 1.0)
    }
}

/// The columns of the rows.
#[rustfmt::skip]
pub(in crate::paper) fn columns() -> Vec<Column<Row>> {
    vec![
        column("experiment", "", "the experiment", |it: &Row| it.experiment.clone()),
        column("n", "nodes", "the side of the mesh", |it: &Row| it.n),
        column("cn", "nodes", "the side of the corner", |it: &Row| it.cn),
        column("algorithm", "", "what routed", |it: &Row| it.algorithm.name()),
        column("time_mean_cycles", "cycles", "until the last packet has left, mean over the seeds", |it: &Row| it.cycles),
        column("time_min_cycles", "cycles", "the least of them", |it: &Row| it.cycles_min),
        column("time_max_cycles", "cycles", "the greatest of them", |it: &Row| it.cycles_max),
        column("seeds", "", "runs: one a seed", |it: &Row| it.seeds),
        column("published_time_cycles", "cycles", "the published time, if this row was published", |it: &Row| it.published),
        column("packets", "packets", "a run", |it: &Row| it.packets),
        column("deroutes_mean", "hops", "through unproductive ports, mean over the seeds", |it: &Row| it.deroutes),
        column("seconds", "s", "host time of the row's runs, constructions not counted", |it: &Row| it.seconds),
        column("digest", "", "the sum of the runs' digests", |it: &Row| it.digest.clone()),
    ]
}

/// The runs of all rows.
#[rustfmt::skip]
pub(in crate::paper) fn runs(rows: &[Row]) -> Table {
    let runs = rows.iter().flat_map(|row| row.runs.iter().map(move |run| (row.clone(), run.clone())));
    let columns = [
        column("experiment", "", "the experiment", |it: &(Row, SeedRun)| it.0.experiment.clone()),
        column("n", "nodes", "the side of the mesh", |it: &(Row, SeedRun)| it.0.n),
        column("algorithm", "", "what routed", |it: &(Row, SeedRun)| it.0.algorithm.name()),
        column("seed", "", "the seed of everything random", |it: &(Row, SeedRun)| it.1.seed),
        column("time_cycles", "cycles", "until the last packet has left", |it: &(Row, SeedRun)| it.1.cycles),
        column("deroutes", "hops", "through unproductive ports", |it: &(Row, SeedRun)| it.1.deroutes),
        column("digest", "", "the digest of all events", |it: &(Row, SeedRun)| it.1.digest.clone()),
    ];
    Table::new("runs", &columns, runs)
}
