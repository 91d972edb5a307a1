//! Routers beside each other: several configurations under the same traffic, over the same loads.
//!
//! Each contender runs in each panel (a network and a pattern) at each load with the same seeds. Sources draw
//! by seed and node, so contenders whose packets have one length see the same packets. At the highest load,
//! which is meant to be an overload, the accepted load is the contender's throughput.

mod built_in;
mod figures;
mod text;

pub(crate) use built_in::{Text, contenders, panel, text};
use figures::contest_figures;
use text::{contest_csv, contest_text};

use crate::context::{Context, Failed};
use crate::options::{Curves, jobs_or_cores};
use crate::study::{Made, Output, Ran, Step, Study};
use clap::Args;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory::Together;
use flitwork_measure::Estimate;
use flitwork_results::Results;
use flitwork_sweep::pool::{self, Stop};
use flitwork_sweep::{Base, Error, run_patiently, seed_override};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The confidence of every interval.
pub(crate) const LEVEL: f64 = 0.95;

/// A router that takes part.
#[derive(Clone, Debug)]
pub struct Contender {
    /// What figures and tables call it.
    pub name: String,
    /// Its configuration; network, pattern, load and seed are replaced.
    pub base: Base,
}

/// A network and a pattern.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What files call it.
    pub stem: String,
    /// What people call it.
    pub title: String,
    /// What all contenders have in common.
    pub set: Vec<Override>,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Who takes part.
    pub contenders: Vec<Contender>,
    /// Where.
    pub panels: Vec<Panel>,
    /// Offered loads, ascending, in words a node and cycle; the last is an overload.
    pub loads: Vec<f64>,
    /// How many seeds, from 1 on.
    pub seeds: u32,
    /// Threads, at least 1.
    pub jobs: usize,
}

/// A contender at a load in a panel, over all seeds.
#[derive(Clone, Debug, Serialize)]
pub struct ContestRow {
    /// The panel's place.
    #[serde(skip)]
    pub panel: usize,
    /// The contender's place.
    #[serde(skip)]
    pub contender: usize,
    /// The panel's name.
    pub network_and_pattern: String,
    /// The contender's name.
    pub router: String,
    /// The configured load, in words a node and cycle.
    pub configured_load: f64,
    /// What the sources offered in the window, in words a node and cycle: less than configured where some of
    /// them are silent.
    pub offered_load: Estimate,
    /// The accepted load, in words a node and cycle.
    pub accepted_load: Estimate,
    /// The mean latency in cycles, from creation to delivery, of the seeds whose runs were steady, where they
    /// are most of them; of all seeds elsewhere, where it says how long the window is, and not what the network
    /// does. A run that chance calls unsteady is made again for longer.
    pub latency_cycles: Option<Estimate>,
    /// Whether the runs of most seeds were steady.
    pub steady: bool,
    /// Deroutes a hop, of all hops in the window.
    pub deroutes_per_hop: Option<Estimate>,
    /// Seeds whose run was steady.
    pub steady_seeds: u32,
    /// Seeds whose network was saturated.
    pub saturated_seeds: u32,
    /// Seeds whose network failed.
    pub failed_seeds: u32,
    /// The accepted load of each seed.
    #[serde(skip)]
    pub accepted_by_seed: Vec<f64>,
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

/// Runs it. The watcher is told the runs that are done and how many there are; what it breaks off gives
/// nothing.
///
/// # Errors
/// A configuration that is refused, before anything runs; no load, seed or contender.
fn contest(
    asked: &Contest,
    watcher: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> Result<Option<Vec<ContestRow>>, Error> {
    if asked.runs() == 0 {
        return Err(Error::Asked(
            "nothing to run: contenders, panels, loads and seeds must be there".into(),
        ));
    }
    if !asked.loads.is_sorted() {
        return Err(Error::Asked(
            "loads must ascend: the last one is the overload".into(),
        ));
    }
    let mut together = Together::new(asked.jobs);
    for run in 0..asked.runs() {
        together.add(run, &asked.resolve(run, &[])?);
    }
    together.admit()?;
    let mut runs = Vec::new();
    let (mut done, of) = (0, asked.runs());
    let work = |place, stop: &Stop| one(asked, place, stop);
    let flow = pool::each(asked.jobs, 0..of, work, |batch| {
        done += batch.len() as u32;
        runs.extend(batch);
        watcher(done, of)
    })
    .map_err(Error::Threads)?;
    if flow.is_break() || runs.len() < of as usize {
        return Ok(None);
    }
    runs.sort_by_key(|run: &Run| run.place);
    let seeds = asked.seeds as usize;
    let rows = runs.chunks(seeds).map(|runs| summed(asked, runs));
    Ok(Some(rows.collect()))
}

/// What a run of a contest gave.
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

/// A run's figures, unless it is broken off.
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

/// A study that is a contest: who takes part, and where.
pub trait Contested: Args {
    /// What its table is called, without an ending.
    const STEM: &'static str;

    /// Its loads, and how long each runs.
    fn curves(&self) -> &Curves;

    /// Who takes part.
    fn contenders(&self) -> Vec<Contender>;

    /// Where.
    fn panels(&self) -> Vec<Panel>;

    /// What runs.
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
        let rows = context.over_runs(|watcher| {
            let name = "";
            contest(&self.contest(), &mut |done, of| {
                watcher(Step { name, done, of })
            })
        });
        Ok(rows?.map_or(Ran::Nothing, Ran::Whole))
    }

    fn configurations(&self) -> BTreeMap<String, String> {
        self.contest().configurations()
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.curves().many.seeds)
    }

    fn json(&self) -> bool {
        self.curves().many.json
    }

    fn text(&self, rows: &[ContestRow]) -> String {
        contest_text(&self.contest(), rows)
    }

    fn output(&self) -> Option<Output<'_>> {
        self.curves().many.output()
    }

    fn owns(&self, name: &str) -> bool {
        let begins = |panel: &Panel| name.starts_with(&format!("{}-", panel.stem));
        name == format!("{}.csv", Self::STEM)
            || name.ends_with(".svg") && self.panels().iter().any(begins)
    }

    fn files(&self, rows: &[ContestRow]) -> Vec<Made> {
        let table = Made::csv(format!("{}.csv", Self::STEM), contest_csv(rows));
        let figures = contest_figures(&self.contest(), rows);
        std::iter::once(table).chain(figures).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(contest_csv(&rows).lines().count(), 1 + rows.len());
        assert_eq!(contest_figures(&asked, &rows).len(), 4);
        let broken = contest(&asked, &mut |_, _| ControlFlow::Break(()));
        assert!(broken.unwrap().is_none());
    }
}
