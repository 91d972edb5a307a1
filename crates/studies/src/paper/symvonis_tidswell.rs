//! Symvonis and Tidswell 1994 on the command line: how many permutations of a mesh the multistage method schedules in more
//! steps than the longest distance.
//!
//! The paper scheduled random permutations (Tables 1 to 9) and all of small meshes (Theorem 3), and found none that misses the
//! longest distance. Of the small meshes some do miss it: 19,964 of the 479,001,600 permutations of 3 rows x 4 columns.

mod cases;
mod count;
mod figure;
mod row;
mod shape;
mod tables;
#[cfg(test)]
mod tests;

use super::entry::PaperEntry;
use crate::context::{Context, Failed};
use crate::contract::{Plot, Ran, Study};
use crate::options::{jobs, jobs_or_cores, named, whole};
use cases::{Case, MOST_EXHAUSTIVE_NODES};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use count::count;
use flitwork_config::Catalogue;
use flitwork_experiment::memory::{self, PROGRAM_BYTES};
use flitwork_report::{Column, Table};
use flitwork_schedule::multistage::{Selection, Ties};
use row::Row;
use shape::Shape;
use std::collections::BTreeMap;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[PaperEntry::of::<SymvonisTidswell>(
    "symvonis-tidswell",
    "permutations whose multistage schedule is longer than the longest distance (Theorem 3, Tables 1 to 9)",
)];

/// Its options.
#[derive(Clone, Debug, Args)]
struct SymvonisTidswell {
    /// Meshes as ROWSxCOLUMNS, e.g. 3x4,10x10.
    #[arg(long, value_name = "MESH,…", value_parser = Shape::read)]
    mesh: Vec<Shape>,
    /// Schedule all permutations of each mesh, of 12 nodes at most, in place of random ones.
    #[arg(long)]
    exhaustive: bool,
    /// Schedule all permutations of every mesh of 2 to this many nodes, at most 12.
    #[arg(long, value_name = "NODES", value_parser = |text: &str| whole(text, 2..=MOST_EXHAUSTIVE_NODES))]
    nodes: Option<u32>,
    /// How many random permutations of each mesh are scheduled; by default 100000, and of a table's mesh as many as were printed.
    #[arg(long, value_name = "COUNT", value_parser = |text: &str| whole(text, 1..=4_000_000_000))]
    permutations: Option<u32>,
    /// Schedule this permutation of the mesh alone: where the packet of each node goes, row by row, with nodes numbered from 0.
    #[arg(long, value_name = "NODE,…", value_parser = |text: &str| whole(text, 0..=shape::MOST_NODES - 1))]
    permutation: Vec<u32>,
    /// The seed of random permutations, of random orders and of random ties.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// In which order packets get their paths (`flitwork list orders`).
    #[arg(long, value_name = "ORDER,…", default_value = "longest-total")]
    order: Vec<String>,
    /// Which paths are tried; `path`, `horizontal` and `vertical` will do.
    #[arg(long, value_name = "PATHS,…", default_value = "path-selection", value_parser = choices(Selection::ALL, Selection::short_name))]
    select: Vec<Selection>,
    /// Which of two packets of the same rank is first; `row-major` and `column-major` are by source.
    #[arg(long, value_name = "BY,…", default_value = "source-row-major", value_parser = choices(Ties::ALL, Ties::short_name))]
    ties: Vec<Ties>,
    /// Schedule as many random permutations of the meshes of Tables 1 to 9 as the paper did.
    #[arg(long)]
    tables: bool,
    /// As --tables, but for these tables only.
    #[arg(long, value_name = "NUMBER,…", value_parser = |text: &str| whole(text, 1..=tables::LAST.into()))]
    table: Vec<u32>,
    /// Transpose the tables' meshes, so that the long side lies along the columns.
    #[arg(long)]
    turned: bool,
    /// For each permutation that misses the distance, try this many random tie orders, as many random orders, then waiting and detours.
    #[arg(long, value_name = "TRIES", value_parser = |text: &str| whole(text, 1..=1_000_000))]
    mend: Option<u32>,
    /// Threads that schedule; by default one per core. The rows are the same with any number.
    #[arg(long, value_name = "N", value_parser = jobs)]
    threads: Option<usize>,
}

/// A parser of names; what is shorter will do.
fn choices<T: Copy + Send + Sync + 'static>(
    all: &'static [(&'static str, T)],
    short: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let value = move |(name, it): &(&'static str, T)| {
        let short = Some(short(*it)).filter(|short| short != name);
        (PossibleValue::new(*name).aliases(short), *it)
    };
    named(all.iter().map(value))
}

impl SymvonisTidswell {
    /// Refuses meshes that the host has no room for on so many threads.
    fn admit(cases: &[Case], threads: usize) -> Result<(), Failed> {
        let most = cases.iter().map(|case| case.shape.need_bytes()).max();
        let needs = PROGRAM_BYTES + threads as u64 * most.unwrap_or(0);
        memory::admit_bytes(needs, &["--mesh", "--threads"]).map_err(Failed::bad_input)
    }
}

impl Study for SymvonisTidswell {
    type Row = Row;

    const PLOT: Plot =
        Plot::File("Draw how many permutations miss the distance into this SVG file");

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let cases = self.cases(context.catalogue().parts())?;
        let threads = jobs_or_cores(self.threads);
        SymvonisTidswell::admit(&cases, threads)?;
        Ok(Ran::AsFar(count(&cases, threads, self.mend, context)?))
    }

    fn columns(&self) -> Vec<Column<Row>> {
        row::columns(self.is_of_tables(), self.mend.is_some())
    }

    fn details(&self, rows: &[Row]) -> Vec<Table> {
        vec![row::first_misses(rows)]
    }

    /// The meshes, the rules and the permutations, as a row has them.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let cases = self.cases(catalogue.parts()).unwrap_or_default();
        let all = cases.iter().map(|case| (case.to_string(), case.to_toml()));
        all.collect()
    }

    fn figure(&self, rows: &[Row]) -> Option<String> {
        Some(figure::figure(rows))
    }
}
