//! Kaufmann and Sibeyn 1991 on the command line: the steps of its algorithms beside what it promises, and its lemmas.

mod cases;
mod figures;
mod lemmas;
mod row;
mod run;
#[cfg(test)]
mod tests;
mod workload;

use super::entry::PaperEntry;
use crate::context::{Context, Failed};
use crate::contract::{Plot, Ran, Study, StudyFigure, over_threads};
use crate::options::{jobs, jobs_or_cores, named, or, seeds, side, whole};
use cases::Case;
use clap::Args;
use clap::builder::PossibleValue;
use flitwork_config::Catalogue;
use flitwork_report::{Column, Table};
use flitwork_steps::multi_packet::algorithms::StripsOf;
use flitwork_steps::multi_packet::{AnyAlgorithm, Phases, Priority};
use row::Row;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use workload::Workload;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[PaperEntry::of::<KaufmannSibeyn>(
    "kaufmann-sibeyn",
    "randomised algorithms for many packets a node, beside their promises",
)];

/// Its options.
#[derive(Clone, Debug, Args)]
struct KaufmannSibeyn {
    /// Algorithms.
    #[arg(long, value_name = "NAME,…", default_value = "nowrap,wrap", value_parser = algorithms())]
    algorithm: Vec<String>,
    /// Meshes or tori; by default both, as far as the algorithm is for them.
    #[arg(long, value_name = "NAME,…", value_parser = ["mesh", "torus"])]
    topology: Vec<String>,
    /// Dimensions.
    #[arg(long, value_name = "D,…", default_value = "2", value_parser = |text: &str| whole(text, 1..=16))]
    d: Vec<u32>,
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// Packets a node; of worms their flits.
    #[arg(long, value_name = "K,…", default_value = "8,32", value_parser = |text: &str| whole(text, 1..=1 << 16))]
    k: Vec<u32>,
    /// What is routed.
    #[arg(long, value_name = "NAME,…", default_value = "k-ls,k-pr,random", value_parser = named(Workload::ALL.iter().map(|it| (PossibleValue::new(it.name()).help(it.help()), *it))))]
    workload: Vec<Workload>,
    /// L of the workloads shift, blocks and figure-6, in nodes; n/8 unless given.
    #[arg(long, value_name = "L", value_parser = |text: &str| whole(text, 1..=1 << 24))]
    l: Option<u32>,
    /// The width of the strips of strips, level, level-improved and level-superior, in nodes; n/8 unless given.
    #[arg(long, value_name = "NODES", value_parser = |text: &str| whole(text, 1..=1 << 24))]
    epsilon: Option<u32>,
    /// Which packet a link takes.
    #[arg(long, value_name = "NAME,…", default_value = "farthest-first", value_parser = named(Priority::ALL.into_iter().map(|it| (it.name().into(), it))))]
    priority: Vec<Priority>,
    /// When phases end: once all packets are done, or at once for each.
    #[arg(long, value_name = "WHEN,…", default_value = "barrier,coalesced", value_parser = named(Phases::ALL.into_iter().map(|it| (it.name().into(), it))))]
    phases: Vec<Phases>,
    /// One worm of k flits a node in place of k packets; of nowrap and wrap.
    #[arg(long)]
    worms: bool,
    /// Spread packets evenly over neighbouring nodes after each phase but the last; with barriers.
    #[arg(long)]
    smear: bool,
    /// Leave out the first phases of nowrap, which spread packets (section 7.4).
    #[arg(long)]
    without_randomising: bool,
    /// The strips of no-l: as wide as the locality that nodes have learnt, or as the packet's own move (Figure 6).
    #[arg(long, value_name = "WHICH", default_value = "learnt", value_parser = named(StripsOf::ALL.into_iter().map(|it| (it.name().into(), it))))]
    strips: StripsOf,
    /// Count the packets that cross the middle of the rows in each phase, by strips of ε rows (section 6.1); of strips and levels.
    #[arg(long)]
    cuts: bool,
    /// Check the paper's lemmas of lines and rings in place of routing.
    #[arg(long)]
    lemmas: bool,
    /// Random instances of each lemma.
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, value_parser = |text: &str| whole(text, 1..=100_000_000))]
    instances: u32,
    /// The number of seeds. Means and intervals are over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
    /// Concurrent runs; by default one per core. The rows are the same with any number.
    #[arg(long, value_name = "N", value_parser = jobs)]
    jobs: Option<usize>,
}

/// A parser of algorithms' names.
fn algorithms() -> impl clap::builder::TypedValueParser<Value = String> {
    let all = AnyAlgorithm::all().into_iter();
    named(all.map(|it| {
        (
            PossibleValue::new(it.name()).help(it.help()),
            it.name().to_owned(),
        )
    }))
}

impl KaufmannSibeyn {
    fn sides(&self) -> &[u32] {
        or(&self.n, &[32, 64])
    }

    fn jobs(&self) -> usize {
        jobs_or_cores(self.jobs)
    }

    /// Rows of the cases, over threads: all, or those that were done when the user asked to stop.
    fn rows(&self, cases: &[Case], context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let count = u32::try_from(cases.len()).unwrap_or(u32::MAX);
        let done = Mutex::new(BTreeMap::new());
        let finished = over_threads(context, self.jobs(), count, |number, stop| {
            let go_on = &mut |_| stop.flow().is_continue();
            let row = run::run(&cases[number as usize], go_on)?;
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.insert(number, row);
            Some(())
        })?;
        let rows = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rows: Result<Vec<_>, Failed> = rows.into_values().collect();
        Ok(as_far(finished.is_some(), rows?))
    }
}

/// All rows, or those that are done.
fn as_far(is_finished: bool, rows: Vec<row::Routed>) -> Ran<Row> {
    let rows: Vec<Row> = rows
        .into_iter()
        .map(|row| Row::Run(Box::new(row)))
        .collect();
    match (is_finished, rows.is_empty()) {
        (true, _) => Ran::Whole(rows),
        (false, false) => Ran::AsFar(rows),
        (false, true) => Ran::Nothing,
    }
}

impl Study for KaufmannSibeyn {
    type Row = Row;

    const PLOT: Plot =
        Plot::Folder("Draw steps and excess over the side into SVG files in this folder");
    const FIGURES: Option<&'static str> = Some("kaufmann-sibeyn-");

    fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        let has = |option: &str| given.iter().any(|it| it == option);
        let of_lemmas = ["lemmas", "instances", "jobs", "json", "out", "force"];
        if self.lemmas {
            let unread = given.iter().find(|it| !of_lemmas.contains(&it.as_str()));
            let why = "the lemmas don't read it; allowed: with --lemmas --instances, --jobs, --json, --out and --force";
            return unread.map_or(Ok(()), |it| Err(Failed::option(&format!("--{it}"), why)));
        }
        match has("instances") {
            true => Err(Failed::option(
                "--instances",
                "only the lemmas read it; allowed: with --lemmas",
            )),
            false => self.check_options(has("strips")),
        }
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        if self.lemmas {
            return lemmas::check(self.instances, self.jobs(), context);
        }
        let cases = self.cases()?;
        self.rows(&cases, context)
    }

    fn columns(&self) -> Vec<Column<Row>> {
        match self.lemmas {
            true => row::lemma_columns(),
            false => row::run_columns(),
        }
    }

    fn text(&self, rows: &[Row]) -> String {
        match self.lemmas {
            true => Table::new("rows", &self.columns(), rows).text(),
            false => row::text(rows) + &row::cuts_text(rows, self.cuts),
        }
    }

    fn details(&self, rows: &[Row]) -> Vec<Table> {
        match self.lemmas {
            true => Vec::new(),
            false if self.cuts => vec![row::phases(rows), row::cuts(rows)],
            false => vec![row::phases(rows)],
        }
    }

    /// Networks, algorithms and packets, as `flitwork route` reads them.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        if self.lemmas {
            return BTreeMap::new();
        }
        let cases = self.cases().unwrap_or_default();
        cases
            .iter()
            .map(|it| (it.to_string(), it.to_toml()))
            .collect()
    }

    fn figures(&self, rows: &[Row]) -> Vec<StudyFigure> {
        figures::figures(rows)
    }
}
