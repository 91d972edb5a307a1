//! The load at which a network saturates, by bisection.
//!
//! The loads that are tried stand on a decimal grid, `low`, `low` + `tolerance`, ... and `high`, so that
//! results repeat and seeds share loads. Each seed is bisected for itself: `low` first, then `high`, then the
//! middle of what is left, until a load that isn't saturated and one that is are neighbours on the grid. That
//! supposes that no load above a saturated one is unsaturated.

mod text;
mod tried;

pub use text::saturation_text;
pub use tried::Tried;

use crate::base::{self, Base};
use crate::decimal::Decimal;
use crate::error::Error;
use crate::pool::{self, Stop};
use crate::row::Mean;
use crate::seeds;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory;
use flitwork_measure::Estimate;
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

const LEVEL: f64 = 0.95;
/// The most loads of a grid.
const MAX_LOADS: u128 = 1_000_000;

/// What saturated means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Not in a steady state, by the rules of `flitwork run`; where it is only latency that moves, not in eight
    /// times the cycles either. Too few packets to judge by are no saturation.
    Steady,
    /// A mean latency above so many times that at the lowest load; an overloaded run is saturated in any
    /// case.
    Latency(f64),
}

/// What is asked for.
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

/// What a seed's bisection gave.
#[derive(Clone, Debug, Serialize)]
pub struct OfSeed {
    /// The seed.
    pub seed: u64,
    /// The largest load that isn't saturated; none where the lowest is.
    pub unsaturated_load: Option<f64>,
    /// The smallest load that is; none where the highest isn't.
    pub saturated_load: Option<f64>,
    /// The load that the sources offered at the largest that isn't saturated.
    pub unsaturated_offered: Option<f64>,
    /// What they offered at the smallest that is.
    pub saturated_offered: Option<f64>,
    /// The accepted load at the largest that isn't saturated.
    pub accepted: Option<f64>,
    /// Whether the two loads are neighbours on the grid, or an end of it was reached.
    pub done: bool,
    /// All runs, by load.
    pub tried: Vec<Tried>,
}

/// Where a network saturates. Loads are in words a node and cycle.
#[derive(Clone, Debug, Serialize)]
pub struct Saturation {
    /// The configuration's name.
    pub name: String,
    /// What saturated means.
    pub criterion: Criterion,
    /// The lowest load of the grid, the highest one, and the distance of two.
    pub grid: [f64; 3],
    /// The largest load that most seeds aren't saturated at; none where most are at the lowest.
    pub unsaturated_load: Option<f64>,
    /// The next load of the grid; none where most seeds aren't saturated at the highest.
    pub saturated_load: Option<f64>,
    /// The saturation load as configured: the mean over seeds of the middle between both loads.
    pub load: Option<f64>,
    /// Its interval: the 95 % interval of Student's t over the seeds, and half a step of the grid on both
    /// sides; with one seed that half step alone.
    pub interval: Option<[f64; 2]>,
    /// The same of the loads that were offered: less than configured where some sources are silent.
    pub offered_load: Option<f64>,
    /// Its interval, with half of the widest distance of a seed's two offered loads on both sides.
    pub offered_interval: Option<[f64; 2]>,
    /// The accepted load at each seed's largest load that isn't saturated, over seeds.
    pub accepted_at_saturation: Option<Estimate>,
    /// The accepted load at the highest load, over seeds.
    pub accepted_at_highest: Option<Estimate>,
    /// Each seed's.
    pub seeds: Vec<OfSeed>,
    /// Whether it was interrupted.
    pub partial: bool,
    /// The configuration at the lowest load with the first seed, with every default: a part of the provenance.
    #[serde(skip)]
    pub configuration: String,
    /// The first seed.
    #[serde(skip)]
    pub first_seed: u64,
}

/// Finds where a network saturates. The watcher is told the runs that are done and the most there will be; a
/// search that it breaks off gives what there is.
///
/// # Errors
/// A configuration or a grid that makes no sense.
pub fn saturate(
    asked: &Saturate,
    watcher: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> Result<Saturation, Error> {
    let grid = Grid::of(asked)?;
    let first = asked.resolve(&grid.texts[0], None, &[])?;
    let last = grid.texts.len() - 1;
    let heaviest = asked.resolve(&grid.texts[last], None, &[])?;
    memory::admit(&heaviest, asked.jobs.min(asked.seeds as usize) as f64)?;
    let seeds: Vec<u64> = seeds::row("--seeds", first.run.seed, asked.seeds)?.collect();
    // Both ends, and a halving a run.
    let most = asked.seeds * (2 + grid.texts.len().next_power_of_two().ilog2());
    let done = AtomicU32::new(0);
    let found: Mutex<Vec<OfSeed>> = Mutex::new(Vec::new());
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
            // What there is of a search that is broken off counts too, and the pool would drop it.
            let kept = search
                .run()
                .map(|of_seed| found.lock().map(|mut found| found.push(of_seed)));
            Some(kept.map(drop))
        },
        |batch: Vec<Result<(), Error>>| match batch.into_iter().collect() {
            Ok(()) => watcher(done.load(Ordering::Relaxed), most).map_break(Ok),
            Err(error) => ControlFlow::Break(Err(error)),
        },
    )
    .map_err(Error::Threads)?;
    if let ControlFlow::Break(Err(error)) = flow {
        return Err(error);
    }
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
            Error::Asked(format!("{found}\n  allowed: {allowed}"))
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
        if steps.count() > MAX_LOADS {
            let found = format!("--tolerance {tolerance}: {} loads", steps.count());
            return Err(Error::Asked(format!(
                "{found}\n  allowed: at most {MAX_LOADS} loads"
            )));
        }
        let mut all: Vec<Decimal> = (0..steps.count() as u32)
            .map(|index| steps.get(index))
            .collect();
        if !steps.hits_last() {
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
        let mut over = vec![Override::new("traffic.load", load)];
        over.extend(seed.map(base::seed_override));
        over.extend_from_slice(more);
        let named = |reason| Error::Point {
            point: format!("load {load}"),
            reason,
        };
        self.base.repeatable(&over).map_err(named)
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
    /// Bisects; what there is where it is broken off.
    fn run(&self) -> Result<OfSeed, Error> {
        let mut tried: Vec<Tried> = Vec::new();
        let done = self.bisect(&mut tried)?.is_some();
        tried.sort_by(|a, b| a.load.total_cmp(&b.load));
        let below = tried.iter().rev().find(|tried| !tried.saturated);
        let above = tried.iter().find(|tried| tried.saturated);
        let mean = |load: Option<Mean>| load.map(|load| load.mean);
        Ok(OfSeed {
            seed: self.seed,
            unsaturated_load: below.map(|tried| tried.load),
            saturated_load: above.map(|tried| tried.load),
            unsaturated_offered: mean(below.and_then(|tried| tried.offered)),
            saturated_offered: mean(above.and_then(|tried| tried.offered)),
            accepted: mean(below.and_then(|tried| tried.accepted)),
            done,
            tried,
        })
    }

    /// Gives nothing where it is broken off.
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

    /// A load of the grid; nothing where it is broken off.
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

/// What the seeds' bisections say together.
fn conclude(
    asked: &Saturate,
    grid: &Grid,
    seeds: Vec<OfSeed>,
    (partial, first): (bool, &Resolved),
) -> Saturation {
    let ends = [
        grid.loads[0],
        grid.loads[grid.loads.len() - 1],
        asked.tolerance.to_f64(),
    ];
    let (unsaturated_load, saturated_load) = majority(grid, &seeds);
    let (load, interval) = middle(&seeds, |of_seed| {
        Some((of_seed.unsaturated_load?, of_seed.saturated_load?))
    })
    .unzip();
    let (offered_load, offered_interval) = middle(&seeds, |of_seed| {
        Some((of_seed.unsaturated_offered?, of_seed.saturated_offered?))
    })
    .unzip();
    let over =
        |values: Vec<f64>| (!values.is_empty()).then(|| Estimate::of_independent(&values, LEVEL));
    let highest = |of_seed: &OfSeed| {
        of_seed
            .tried
            .iter()
            .find(|tried| tried.load == ends[1])?
            .accepted
            .map(|mean| mean.mean)
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
            seeds
                .iter()
                .filter_map(|of_seed| of_seed.accepted)
                .collect(),
        ),
        accepted_at_highest: over(seeds.iter().filter_map(highest).collect()),
        partial,
        configuration: first.to_toml(),
        first_seed: first.run.seed,
        seeds,
    }
}

/// The mean over the seeds of the middle between two loads, where every seed has both, and its interval: that
/// of Student's t over the seeds, and half of the widest distance of two on both sides, which is what bisection
/// leaves open.
fn middle(
    seeds: &[OfSeed],
    ends: impl Fn(&OfSeed) -> Option<(f64, f64)>,
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
    Some((middle.mean, [middle.mean - half, middle.mean + half]))
}

/// The largest load at which more than half of the seeds aren't saturated, and the next one. A seed counts as
/// unsaturated up to its own largest such load.
fn majority(grid: &Grid, seeds: &[OfSeed]) -> (Option<f64>, Option<f64>) {
    let mut below: Vec<f64> = seeds
        .iter()
        .map(|of_seed| of_seed.unsaturated_load.unwrap_or(-1.0))
        .collect();
    below.sort_by(|a, b| b.total_cmp(a));
    let Some(&load) = below.get(seeds.len() / 2) else {
        return (None, None);
    };
    let unsaturated = (load > 0.0).then_some(load);
    let next = grid.loads.iter().copied().find(|other| *other > load);
    (unsaturated, next)
}

#[cfg(test)]
mod tests;
