//! Compares routers: several configurations under the same traffic, over the same loads.
//!
//! Each contender runs in each panel (a network and a pattern) at each load with the same seeds. Sources draw
//! by seed and node, so contenders whose packets have one length see the same packets. At the highest load,
//! which is meant to be an overload, the accepted load is the contender's throughput.

mod built_in;
mod figures;
mod text;

pub(crate) use built_in::{Text, contenders, panel, text};
use figures::contest_figures;
use text::contest_text;

use crate::context::{Context, Failed};
use crate::options::{Curves, ascending, jobs_or_cores};
use crate::study::{Picture, Ran, Study, Tasks};
use clap::Args;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory::Together;
use flitwork_measure::Estimate;
use flitwork_report::{Column, column, estimate};
use flitwork_results::Results;
use flitwork_sweep::pool::{self, Stop};
use flitwork_sweep::{Base, Error, run_patiently, seed_override};
use std::collections::BTreeMap;

/// The confidence of every interval.
pub(crate) const LEVEL: f64 = 0.95;

/// A router that takes part.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its name in figures and tables.
    pub name: String,
    /// Its configuration; network, pattern, load and seed are replaced.
    pub base: Base,
}

/// A network and a pattern.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Its name in file names.
    pub stem: String,
    /// Its title.
    pub title: String,
    /// What all contenders have in common.
    pub set: Vec<Override>,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Offered loads, ascending, in words a node and cycle; the last is an overload.
    pub loads: Vec<f64>,
    /// How many seeds, from 1 on.
    pub seeds: u32,
    /// Threads, at least 1.
    pub jobs: usize,
}

/// A contender at a load in a panel, over all seeds: see [`columns`].
#[derive(Clone, Debug)]
pub struct ContestRow {
    /// The panel's place.
    panel: usize,
    /// The contender's place.
    contender: usize,
    network_and_pattern: String,
    router: String,
    configured_load: f64,
    offered_load: Estimate,
    accepted_load: Estimate,
    latency_cycles: Option<Estimate>,
    steady: bool,
    deroutes_per_hop: Option<Estimate>,
    steady_seeds: u32,
    saturated_seeds: u32,
    failed_seeds: u32,
    /// The accepted load of each seed.
    accepted_by_seed: Vec<f64>,
}

#[rustfmt::skip]
fn columns() -> Vec<Column<ContestRow>> {
    const LOAD: &str = "words/node/cycle";
    let mut all = vec![
        column("network_and_pattern", "", "the panel", |it: &ContestRow| it.network_and_pattern.clone()),
        column("router", "", "the contender", |it: &ContestRow| it.router.clone()),
        column("configured_load_words_per_node_cycle", LOAD, "what the configuration asks for", |it: &ContestRow| it.configured_load),
    ];
    all.extend(estimate(("offered_load", "offered_load"), LOAD, "what the sources made in the window: less than configured where some of them are silent", |it: &ContestRow| Some(it.offered_load)));
    all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window", |it: &ContestRow| Some(it.accepted_load)));
    all.push(column("steady", "", "whether the runs of most seeds were steady; a run that chance calls unsteady is made again for longer", |it: &ContestRow| it.steady));
    all.extend(estimate(("latency_mean", "latency"), "cycles", "from creation to delivery, of the seeds whose runs were steady, where they are most of them; elsewhere of all seeds, and then it says how long the window is", |it: &ContestRow| it.latency_cycles));
    all.extend(estimate(("deroutes_per_hop", "deroutes_per_hop"), "", "of all hops in the window", |it: &ContestRow| it.deroutes_per_hop));
    all.extend([
        column("steady_seeds", "", "seeds whose run was steady", |it: &ContestRow| it.steady_seeds),
        column("saturated_seeds", "", "seeds whose network was saturated", |it: &ContestRow| it.saturated_seeds),
        column("failed_seeds", "", "seeds whose network failed", |it: &ContestRow| it.failed_seeds),
    ]);
    all
}

impl Contest {
    /// How many runs it takes.
    pub fn runs(&self) -> u32 {
        let seeds = self.seeds as usize;
        let all = self.contenders.len() * self.panels.len() * self.loads.len() * seeds;
        u32::try_from(all).unwrap_or(u32::MAX)
    }

    /// The panel, the contender, the load and the seed of a run.
    fn place(&self, run: u32) -> (usize, usize, usize, u64) {
        let (run, seeds) = (run as usize, self.seeds as usize);
        let (rest, seed) = (run / seeds, run % seeds);
        let (rest, load) = (rest / self.loads.len(), rest % self.loads.len());
        let (panel, contender) = (rest / self.contenders.len(), rest % self.contenders.len());
        (panel, contender, load, 1 + seed as u64)
    }

    /// What each contender runs: in the first panel, at the lowest load, with the first seed.
    pub fn configurations(&self) -> BTreeMap<String, String> {
        let runs = self.loads.len() as u32 * self.seeds;
        let contenders = (0..).zip(&self.contenders);
        contenders
            .filter_map(|(place, contender)| {
                let resolved = self.resolve(place * runs, &[]).ok()?;
                Some((contender.name.clone(), resolved.to_toml()))
            })
            .collect()
    }

    fn resolve(&self, run: u32, more: &[Override]) -> Result<Resolved, Error> {
        let (panel, contender, load, seed) = self.place(run);
        let mut over = self.panels[panel].set.clone();
        over.push(Override::new("traffic.load", &self.loads[load].to_string()));
        over.push(seed_override(seed));
        over.extend_from_slice(more);
        let contender = &self.contenders[contender];
        contender
            .base
            .repeatable(&over)
            .map_err(|reason| Error::Point {
                point: format!("{}, {}", contender.name, self.panels[panel].title),
                reason,
            })
    }
}

/// Runs it; if the watcher stops it, there is no result.
///
/// # Errors
/// A configuration that is refused, before anything runs; no contender, or no panel.
fn contest(asked: &Contest, watcher: Tasks<'_>) -> Result<Option<Vec<ContestRow>>, Error> {
    if asked.runs() == 0 {
        return Err(Error::Asked(
            "nothing to run: contenders, panels, loads and seeds must be there".into(),
        ));
    }
    let mut together = Together::new(asked.jobs);
    for run in 0..asked.runs() {
        together.add(run, &asked.resolve(run, &[])?);
    }
    together.admit()?;
    let work = |run, stop: &Stop| one(asked, run, stop);
    let runs = pool::all(asked.jobs, asked.runs(), work, watcher)?;
    let rows = |runs: Vec<Run>| {
        let seeds = runs.chunks(asked.seeds as usize);
        seeds.map(|runs| summed(asked, runs)).collect()
    };
    Ok(runs.map(rows))
}

/// The figures of a run of a contest.
struct Run {
    place: u32,
    offered: Option<f64>,
    accepted: Option<f64>,
    latency: Option<f64>,
    deroutes_per_hop: Option<f64>,
    has_failed: bool,
    is_steady: bool,
    is_saturated: bool,
}

impl Run {
    fn of(place: u32, results: &Results) -> Run {
        let finite = |estimate: Estimate| Some(estimate.mean).filter(|mean| mean.is_finite());
        let load = results.load.as_ref();
        let has_failed = results.failure.is_some();
        let is_unsteady = results.steady.is_some_and(|steady| !steady.is_steady());
        Run {
            place,
            offered: load.and_then(|load| finite(load.offered)),
            accepted: load.and_then(|load| finite(load.accepted)),
            // Of an overloaded network that of its window, which says how long that is.
            latency: results.latency.mean_or_window().and_then(finite),
            deroutes_per_hop: results.deroutes_per_hop,
            has_failed,
            is_steady: !has_failed && !is_unsteady,
            is_saturated: results.steady.is_some() && results.is_saturated(),
        }
    }
}

/// A run's figures, unless it is stopped.
fn one(asked: &Contest, place: u32, stop: &Stop) -> Option<Run> {
    let longer = |more: &[Override]| asked.resolve(place, more);
    let decided = run_patiently(longer, true, || stop.flow()).ok()??;
    Some(Run::of(place, &decided.results))
}

/// One row of the runs of all seeds.
fn summed(asked: &Contest, runs: &[Run]) -> ContestRow {
    let (panel, contender, load, _) = asked.place(runs[0].place);
    let count = |is: fn(&Run) -> bool| runs.iter().filter(|run| is(run)).count();
    let steady_seeds = count(|run| run.is_steady);
    let steady = 2 * steady_seeds > runs.len();
    let over =
        |values: Vec<f64>| (!values.is_empty()).then(|| Estimate::of_independent(&values, LEVEL));
    let all = |value: fn(&Run) -> Option<f64>| runs.iter().filter_map(value).collect::<Vec<f64>>();
    let latencies = runs.iter().filter(|run| run.is_steady || !steady);
    ContestRow {
        panel,
        contender,
        network_and_pattern: asked.panels[panel].title.clone(),
        router: asked.contenders[contender].name.clone(),
        configured_load: asked.loads[load],
        offered_load: Estimate::of_independent(&all(|run| run.offered), LEVEL),
        accepted_load: Estimate::of_independent(&all(|run| run.accepted), LEVEL),
        latency_cycles: over(latencies.filter_map(|run| run.latency).collect()),
        steady,
        deroutes_per_hop: over(all(|run| run.deroutes_per_hop)),
        steady_seeds: steady_seeds as u32,
        saturated_seeds: count(|run| run.is_saturated) as u32,
        failed_seeds: count(|run| run.has_failed) as u32,
        accepted_by_seed: all(|run| run.accepted),
    }
}

/// A study that is a contest: its contenders and panels.
pub trait Contested: Args {
    /// Its loads, and how long each runs.
    fn curves(&self) -> &Curves;

    /// The contenders.
    fn contenders(&self) -> Vec<Contender>;

    /// The panels.
    fn panels(&self) -> Vec<Panel>;

    /// The contest.
    fn contest(&self) -> Contest {
        let Curves { loads, many } = self.curves();
        Contest {
            contenders: self.contenders(),
            panels: self.panels(),
            loads: loads.clone(),
            seeds: many.seeds,
            jobs: jobs_or_cores(many.jobs),
        }
    }
}

impl<T: Contested> Study for T {
    type Row = ContestRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<ContestRow>, Failed> {
        ascending("--loads", &self.curves().loads)?;
        context.over_tasks(|watcher| contest(&self.contest(), watcher))
    }

    fn columns(&self) -> Vec<Column<ContestRow>> {
        columns()
    }

    fn configurations(&self) -> BTreeMap<String, String> {
        self.contest().configurations()
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.curves().many.seeds)
    }

    fn text(&self, rows: &[ContestRow]) -> String {
        contest_text(&self.contest(), rows)
    }

    fn figures(&self, rows: &[ContestRow]) -> Vec<Picture> {
        contest_figures(&self.contest(), rows)
    }

    fn owns(&self, name: &str) -> bool {
        let begins = |panel: &Panel| name.starts_with(&format!("{}-", panel.stem));
        name.ends_with(".svg") && self.panels().iter().any(begins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    #[test]
    fn every_run_has_a_place_of_its_own() {
        let base = |name: &str, text: &str| Contender {
            name: name.into(),
            base: Base::of_text(name, text, Vec::new()),
        };
        let short = "[run]\nwarmup_cycles = 500\nmeasure_cycles = 3000\n[traffic]\n";
        let greedy = format!("{short}[router.greedy-hp]");
        let worms = format!("{short}packet_words = 1\n[router.wormhole]");
        let network = [("network.topology", "mesh"), ("network.sides", "[4, 4]")];
        let set = network
            .map(|(key, value)| Override::new(key, value))
            .to_vec();
        let panel = |pattern: &str| Panel {
            stem: pattern.into(),
            title: pattern.into(),
            set: set
                .iter()
                .cloned()
                .chain([Override::new("traffic.pattern", pattern)])
                .collect(),
        };
        let asked = Contest {
            contenders: vec![base("greedy", &greedy), base("worms", &worms)],
            panels: vec![panel("uniform"), panel("tornado")],
            loads: vec![0.05, 1.0],
            seeds: 2,
            jobs: 2,
        };
        let rows = contest(&asked, &mut |_, _| ControlFlow::Continue(()))
            .unwrap()
            .unwrap();
        let places: Vec<_> = rows
            .iter()
            .map(|row| (row.panel, row.contender, row.configured_load))
            .collect();
        let all = (0..2)
            .flat_map(|panel| (0..2).flat_map(move |one| [(panel, one, 0.05), (panel, one, 1.0)]));
        assert_eq!(places, all.collect::<Vec<_>>());
        for row in rows.iter().filter(|row| row.configured_load == 0.05) {
            assert!((row.accepted_load.mean - 0.05).abs() < 0.01, "{row:?}");
            assert_eq!((row.steady_seeds, row.failed_seeds), (2, 0), "{row:?}");
        }
        let text = contest_text(&asked, &rows);
        assert!(
            text.contains("greedy") && text.contains("tornado"),
            "{text}"
        );
        assert_eq!(contest_figures(&asked, &rows).len(), 4);
        let broken = contest(&asked, &mut |_, _| ControlFlow::Break(()));
        assert!(broken.unwrap().is_none());
    }
}
