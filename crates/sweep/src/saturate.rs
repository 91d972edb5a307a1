//! The load at which a network saturates, by bisection.
//!
//! The loads that are tried lie on a decimal grid, `low`, `low` + `tolerance`, ... and `high`, so that
//! results repeat and seeds share loads. Each seed is bisected independently: `low` first, then `high`, then the
//! middle of what is left, until a load that isn't saturated and one that is are neighbours on the grid. That
//! assumes that no load above a saturated one is unsaturated.

mod columns;
mod text;
mod tried;

pub use text::saturation_text;
pub use tried::Tried;

use crate::base::{self, Base};
use crate::decimal::Decimal;
use crate::error::Error;
use crate::plan::LOAD;
use crate::pool::{self, Stop};
use crate::seeds;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory;
use flitwork_measure::Estimate;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

const LEVEL: f64 = 0.95;
/// The most loads of a grid.
const MAX_LOADS: u128 = 1_000_000;

/// What saturated means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// Not in a steady state, by the rules of `flitwork run`; where it is only latency that moves, not in eight
    /// times the cycles either. Too few packets to judge by, or too short a window, are no saturation.
    Steady,
    /// A mean latency above this many times that at the lowest load; an overloaded run is always saturated.
    Latency(f64),
}

/// As on the command line.
impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Criterion::Steady => f.write_str("steady"),
            Criterion::Latency(factor) => write!(f, "latency={factor}"),
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Saturate {
    /// The configuration; its load is replaced.
    pub base: Base,
    /// How many seeds, from the configuration's on.
    pub seeds: u32,
    /// The distance of two loads of the grid.
    pub tolerance: Decimal,
    /// The lowest load.
    pub low: Decimal,
    /// The highest load.
    pub high: Decimal,
    /// What saturated means.
    pub criterion: Criterion,
    /// Threads, at least 1.
    pub jobs: usize,
}

/// The outcome of a seed's bisection; `columns.rs` says what is what.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedOutcome {
    pub(crate) seed: u64,
    pub(crate) unsaturated_load: Option<f64>,
    pub(crate) saturated_load: Option<f64>,
    pub(crate) unsaturated_offered: Option<f64>,
    pub(crate) saturated_offered: Option<f64>,
    pub(crate) accepted: Option<f64>,
    pub(crate) done: bool,
    pub(crate) tried: Vec<Tried>,
}

/// Where a network saturates; `columns.rs` says what is what.
#[derive(Clone, Debug, PartialEq)]
pub struct Saturation {
    pub(crate) name: String,
    pub(crate) criterion: Criterion,
    pub(crate) grid: [f64; 3],
    pub(crate) unsaturated_load: Option<f64>,
    pub(crate) saturated_load: Option<f64>,
    pub(crate) load: Option<f64>,
    pub(crate) interval: Option<[f64; 2]>,
    pub(crate) offered_load: Option<f64>,
    pub(crate) offered_interval: Option<[f64; 2]>,
    pub(crate) accepted_at_saturation: Option<Estimate>,
    pub(crate) accepted_at_highest: Option<Estimate>,
    pub(crate) seeds: Vec<SeedOutcome>,
    /// Runs whose networks failed.
    pub failed: u32,
    /// Whether there are more or fewer terminals than nodes: loads are said to be of terminals then.
    pub(crate) counts_terminals: bool,
    /// Whether it was interrupted.
    pub partial: bool,
    /// The configuration at the lowest load with the first seed, with every default: a part of the provenance.
    pub configuration: String,
    /// The first seed.
    pub first_seed: u64,
}

/// Finds where a network saturates. The watcher sees how many runs are done and how many there may be; a
/// search that it stops returns what there is.
///
/// # Errors
/// A configuration or a grid that makes no sense.
pub fn saturate(
    asked: &Saturate,
    watcher: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> Result<Saturation, Error> {
    let grid = Grid::of(asked)?;
    let from = format!("the search gives {LOAD} to every run");
    let allowed = "--low and --high, between which it searches";
    asked.base.refuse_given(LOAD, &from, allowed)?;
    let first = asked.resolve(&grid.texts[0], None, &[])?;
    let last = grid.texts.len() - 1;
    let heaviest = asked.resolve(&grid.texts[last], None, &[])?;
    memory::admit(&heaviest, asked.jobs.min(asked.seeds as usize) as f64)?;
    let seeds: Vec<u64> = seeds::row("--seeds", first.run.seed, asked.seeds)?.collect();
    // Both ends, and a run for each halving.
    let most = asked.seeds * (2 + grid.texts.len().next_power_of_two().ilog2());
    let done = AtomicU32::new(0);
    let found: Mutex<Vec<SeedOutcome>> = Mutex::new(Vec::new());
    let flow = pool::each(
        asked.jobs,
        0..asked.seeds,
        |index, stop| {
            let search = Search {
                asked,
                grid: &grid,
                seed: seeds[index as usize],
                stop,
                done: &done,
            };
            // What a stopped search has found counts too, and the pool would drop it.
            let kept = search
                .run()
                .map(|of_seed| found.lock().map(|mut found| found.push(of_seed)));
            Some(kept.map(drop))
        },
        |batch: Vec<Result<(), Error>>| {
            batch.into_iter().collect::<Result<(), Error>>()?;
            Ok(watcher(done.load(Ordering::Relaxed), most))
        },
    )?;
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|of_seed| seeds.iter().position(|seed| *seed == of_seed.seed));
    let partial = flow.is_break() || found.iter().any(|of_seed| !of_seed.done);
    Ok(conclude(asked, &grid, found, (partial, &first)))
}

/// The loads that may be tried, as text and as numbers.
struct Grid {
    texts: Vec<String>,
    loads: Vec<f64>,
}

impl Grid {
    fn of(asked: &Saturate) -> Result<Grid, Error> {
        let (low, high, tolerance) = (asked.low, asked.high, asked.tolerance);
        let refused = |found: String| {
            let allowed =
                "--tolerance above 0, and --low above 0 and below --high, which is at most 1";
            Error::BadValue(format!("{found}\n  allowed: {allowed}"))
        };
        let steps = Decimal::steps(low, high, tolerance);
        let fits = low.is_positive()
            && tolerance.is_positive()
            && low.to_f64() < high.to_f64()
            && high.to_f64() <= 1.0;
        let steps = steps.filter(|_| fits).ok_or_else(|| {
            refused(format!(
                "--low {low}, --high {high}, --tolerance {tolerance}: no loads to try"
            ))
        })?;
        if steps.count > MAX_LOADS {
            let found = format!("--tolerance {tolerance}: {} loads", steps.count);
            return Err(Error::BadValue(format!(
                "{found}\n  allowed: at most {MAX_LOADS} loads"
            )));
        }
        let mut all: Vec<Decimal> = (0..steps.count as u32)
            .map(|index| steps.get(index))
            .collect();
        if !steps.hits_last {
            all.push(high);
        }
        Ok(Grid {
            texts: all.iter().map(Decimal::to_string).collect(),
            loads: all.iter().map(|load| load.to_f64()).collect(),
        })
    }
}

impl Saturate {
    fn resolve(&self, load: &str, seed: Option<u64>, more: &[Override]) -> Result<Resolved, Error> {
        let tried = Override::by_command("the load that saturate tries", LOAD, load);
        let mut over = vec![tried];
        over.extend(seed.map(base::seed_override));
        over.extend_from_slice(more);
        self.base.repeatable(format!("load {load}"), &over)
    }
}

/// A seed's search.
struct Search<'a> {
    asked: &'a Saturate,
    grid: &'a Grid,
    seed: u64,
    stop: &'a Stop,
    done: &'a AtomicU32,
}

impl Search<'_> {
    /// Bisects; returns what there is if it is stopped.
    fn run(&self) -> Result<SeedOutcome, Error> {
        let mut tried: Vec<Tried> = Vec::new();
        let done = self.bisect(&mut tried)?.is_some();
        tried.sort_by(|a, b| a.load.total_cmp(&b.load));
        let below = tried.iter().rev().find(|tried| !tried.saturated);
        let above = tried.iter().find(|tried| tried.saturated);
        Ok(SeedOutcome {
            seed: self.seed,
            unsaturated_load: below.map(|tried| tried.load),
            saturated_load: above.map(|tried| tried.load),
            unsaturated_offered: below.and_then(|tried| tried.figures.offered()),
            saturated_offered: above.and_then(|tried| tried.figures.offered()),
            accepted: below.and_then(accepted),
            done,
            tried,
        })
    }

    /// Returns nothing if it is stopped.
    fn bisect(&self, tried: &mut Vec<Tried>) -> Result<Option<()>, Error> {
        let (mut low, mut high) = (0, self.grid.loads.len() as u32 - 1);
        // The lowest load first, since the criterion of latency compares with it.
        let Some(first) = self.at(low, None)? else {
            return Ok(None);
        };
        let zero_load = first.judged_latency;
        let saturated = first.saturated;
        tried.push(first);
        let Some(last) = self.at(high, zero_load)? else {
            return Ok(None);
        };
        let unsaturated = !last.saturated;
        tried.push(last);
        if saturated || unsaturated {
            return Ok(Some(()));
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            let Some(found) = self.at(middle, zero_load)? else {
                return Ok(None);
            };
            if found.saturated {
                high = middle;
            } else {
                low = middle;
            }
            tried.push(found);
        }
        Ok(Some(()))
    }

    /// A load of the grid; nothing if it is stopped.
    fn at(&self, index: u32, zero_load: Option<f64>) -> Result<Option<Tried>, Error> {
        let (text, load) = (
            &self.grid.texts[index as usize],
            self.grid.loads[index as usize],
        );
        let resolve = |over: &[Override]| self.asked.resolve(text, Some(self.seed), over);
        let flow = || self.stop.flow();
        let tried = tried::try_load(self.asked.criterion, (load, zero_load), resolve, flow)?;
        self.done
            .fetch_add(u32::from(tried.is_some()), Ordering::Relaxed);
        Ok(tried)
    }
}

/// The accepted load of a run.
fn accepted(tried: &Tried) -> Option<f64> {
    Some(tried.figures.accepted()?.mean)
}

/// The conclusion from the seeds' bisections.
fn conclude(
    asked: &Saturate,
    grid: &Grid,
    seeds: Vec<SeedOutcome>,
    (partial, first): (bool, &Resolved),
) -> Saturation {
    let ends = [
        grid.loads[0],
        grid.loads[grid.loads.len() - 1],
        asked.tolerance.to_f64(),
    ];
    let (unsaturated_load, saturated_load) = majority(&seeds);
    // What a search that isn't done has left open is no result.
    let settled: &[SeedOutcome] = match seeds.iter().all(|of_seed| of_seed.done) {
        true => seeds.as_slice(),
        false => &[],
    };
    let (load, interval) = middle(settled, |of_seed| {
        Some((of_seed.unsaturated_load?, of_seed.saturated_load?))
    })
    .unzip();
    let (offered_load, offered_interval) = middle(settled, |of_seed| {
        Some((of_seed.unsaturated_offered?, of_seed.saturated_offered?))
    })
    .unzip();
    let over =
        |values: Vec<f64>| (!values.is_empty()).then(|| Estimate::of_independent(&values, LEVEL));
    let failed = seeds.iter().flat_map(|of_seed| &of_seed.tried);
    let failed = failed.filter(|tried| tried.failed).count() as u32;
    let highest = |of_seed: &SeedOutcome| {
        let mut tried = of_seed.tried.iter();
        accepted(tried.find(|tried| tried.load == ends[1])?)
    };
    Saturation {
        name: asked.base.name.clone(),
        criterion: asked.criterion,
        grid: ends,
        unsaturated_load,
        saturated_load,
        load,
        interval,
        offered_load,
        offered_interval,
        accepted_at_saturation: over(
            settled
                .iter()
                .filter_map(|of_seed| of_seed.accepted)
                .collect(),
        ),
        accepted_at_highest: over(seeds.iter().filter_map(highest).collect()),
        failed,
        counts_terminals: first.network.counts_terminals(),
        partial,
        configuration: first.to_toml(),
        first_seed: first.run.seed,
        seeds,
    }
}

/// The mean over the seeds of the middle between two loads, where every seed has both, and its interval: that
/// of Student's t over the seeds, and half of the widest distance of two on both sides, which is what bisection
/// leaves open. It is cut where no load can be: below 0, and above 1.
fn middle(
    seeds: &[SeedOutcome],
    ends: impl Fn(&SeedOutcome) -> Option<(f64, f64)>,
) -> Option<(f64, [f64; 2])> {
    let ends: Option<Vec<(f64, f64)>> = seeds.iter().map(ends).collect();
    let ends = ends.filter(|ends| !ends.is_empty())?;
    let middles: Vec<f64> = ends.iter().map(|(low, high)| low.midpoint(*high)).collect();
    let middle = Estimate::of_independent(&middles, LEVEL);
    let widest = ends
        .iter()
        .map(|(low, high)| high - low)
        .fold(0.0, f64::max);
    let half = middle.half_width.unwrap_or(0.0) + widest / 2.0;
    let lower = (middle.mean - half).max(0.0);
    // What is offered may exceed 1 by chance.
    let upper = (middle.mean + half).min(middle.mean.max(1.0));
    Some((middle.mean, [lower, upper]))
}

/// The largest load at which more than half of the seeds are known not to be saturated, and the smallest at which the
/// others are known to be: neighbours on the grid, where all searches are done. A seed counts as unsaturated up to its
/// own largest such load.
fn majority(seeds: &[SeedOutcome]) -> (Option<f64>, Option<f64>) {
    let below = |of_seed: &SeedOutcome| of_seed.unsaturated_load.unwrap_or(f64::NEG_INFINITY);
    let above = |of_seed: &SeedOutcome| {
        let load = of_seed.saturated_load;
        load.filter(|load| *load > below(of_seed))
            .unwrap_or(f64::INFINITY)
    };
    let mut all_below: Vec<f64> = seeds.iter().map(below).collect();
    let mut all_above: Vec<f64> = seeds.iter().map(above).collect();
    all_below.sort_by(|a, b| b.total_cmp(a));
    all_above.sort_by(f64::total_cmp);
    let at = |all: &[f64], place: usize| all.get(place).copied().filter(|load| load.is_finite());
    (
        at(&all_below, seeds.len() / 2),
        at(&all_above, seeds.len().saturating_sub(1) / 2),
    )
}

#[cfg(test)]
mod tests;
