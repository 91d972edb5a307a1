//! Points of a study, each measured with several seeds over threads.

use crate::context::{Context, Failed};
use crate::contract::over_threads;
use crate::options::jobs_or_cores;
use crate::seeds::over_seeds;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory::Together;
use flitwork_measure::Estimate;
use flitwork_results::Results;
use flitwork_sweep::pool::Stop;
use flitwork_sweep::{Error, run_patiently};

/// What `figures` finds in the runs of all points, each with so many seeds, from 1 on, and so many runs at a time: point by
/// point and seed by seed; none if the user asks to stop. Runs that may wait are repeated for longer where they may be
/// unsteady only by chance.
pub(crate) fn measure<P: Sync, T: Send>(
    context: &mut dyn Context,
    points: &[P],
    (seeds, jobs): (u32, Option<usize>),
    resolve: impl Fn(&P, u64, &[Override]) -> Result<Resolved, Error> + Sync,
    may_wait: impl Fn(&P) -> bool + Sync,
    figures: impl Fn(&P, &Results) -> Option<T> + Sync,
) -> Result<Option<Vec<T>>, Failed> {
    let jobs = jobs_or_cores(jobs);
    let first = points.iter().map(|point| resolve(point, 1, &[]));
    admit(jobs, seeds, first)?;
    let work = |run: u32, stop: &Stop| {
        let point = &points[(run / seeds) as usize];
        let seed = 1 + u64::from(run % seeds);
        let longer = |more: &[Override]| resolve(point, seed, more);
        let decided = run_patiently(longer, may_wait(point), || stop.flow()).ok()??;
        figures(point, &decided.results)
    };
    let runs = points.len() as u64 * u64::from(seeds);
    let runs = u32::try_from(runs).unwrap_or(u32::MAX);
    over_threads(context, jobs, runs, work)
}

/// Refuses runs that the host has no room for, so many of them at a time. Each takes place so many times.
pub(crate) fn admit(
    jobs: usize,
    times: u32,
    runs: impl Iterator<Item = Result<Resolved, Error>>,
) -> Result<(), Failed> {
    let mut together = Together::new(jobs);
    for (point, resolved) in (0..).zip(runs) {
        let resolved = resolved?;
        let at_once = jobs.min(times as usize);
        (0..at_once).for_each(|_| together.add(point, &resolved));
    }
    Ok(together.admit().map_err(Error::from)?)
}

/// A key with its value.
pub(crate) fn set(key: &str, value: impl ToString) -> Override {
    Override::new(key, &value.to_string())
}

/// A run's latency if it was steady.
pub(crate) fn if_steady(results: &Results, latency: Option<f64>) -> Option<f64> {
    let steady = results.steady.filter(|_| results.failure.is_none());
    let is_steady = steady.is_some_and(|steady| steady.is_steady());
    latency.filter(|mean| is_steady && mean.is_finite())
}

/// The latency of the steady runs, if most were.
pub(crate) fn of_most(latencies: &[Option<f64>]) -> Option<Estimate> {
    let steady = over_seeds(latencies.iter().flatten().copied());
    steady.filter(|mean| 2 * mean.observations > latencies.len() as u64)
}
