//! Points of a study, each measured with several seeds over threads.

use crate::context::{Context, Failed};
use crate::contract::over_threads;
use crate::options::{Repeats, jobs_or_cores};
use crate::seeds::over_seeds;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory::Together;
use flitwork_measure::Estimate;
use flitwork_results::Results;
use flitwork_sweep::pool::Stop;
use flitwork_sweep::{Error, run_patiently};

/// What `figures` finds in the runs of all points, each with all seeds: point by point and seed by seed; none if the user asks to stop. Runs that may wait are repeated for longer where they may be
/// unsteady only by chance.
pub(crate) fn measure<P: Sync, T: Send, const SEEDS: u32>(
    context: &mut dyn Context,
    points: &[P],
    repeats: &Repeats<SEEDS>,
    resolve: impl Fn(&P, u64, &[Override]) -> Result<Resolved, Error> + Sync,
    may_wait: impl Fn(&P) -> bool + Sync,
    figures: impl Fn(&P, &Results) -> Option<T> + Sync,
) -> Result<Option<Vec<T>>, Failed> {
    let (jobs, seeds) = (jobs_or_cores(repeats.jobs), repeats.seeds);
    let first = points
        .iter()
        .map(|point| resolve(point, repeats.first_seed, &[]));
    admit(jobs, seeds, first)?;
    let work = |run: u32, stop: &Stop| {
        let point = &points[(run / seeds) as usize];
        let seed = repeats.seed(run % seeds);
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

/// The overrides of `--set` that apply to a configuration: those of another router don't.
pub(crate) fn set_for(asked: &[Override], configuration: &str) -> Vec<Override> {
    let applies = |it: &&Override| {
        let router = router_of(&it.key);
        router.is_none_or(|router| runs(configuration, router))
    };
    asked.iter().filter(applies).cloned().collect()
}

/// Refuses overrides of keys that the study sets itself, of keys that are given twice, and of routers that none of the configurations has.
pub(crate) fn refuse_set(
    asked: &[Override],
    own: &[Override],
    configurations: &[&str],
) -> Result<(), Failed> {
    for (place, it) in asked.iter().enumerate() {
        let key = &it.key;
        let refused = |why: &str| Err(Failed::BadInput(format!("{it}: {why}")));
        if own.iter().any(|own| own.key == *key) {
            return refused(
                "the study sets this key itself; allowed: other keys, and the study's own options",
            );
        }
        if asked[..place].iter().any(|other| other.key == *key) {
            return refused("the key is given twice; allowed: each key once");
        }
        let unknown =
            router_of(key).filter(|router| !configurations.iter().any(|it| runs(it, router)));
        if let Some(router) = unknown {
            return refused(&format!(
                "the study runs no router `{router}`; allowed: keys of its routers, and of other tables"
            ));
        }
    }
    Ok(())
}

/// The router whose key it is.
fn router_of(key: &str) -> Option<&str> {
    key.strip_prefix("router.")?.split('.').next()
}

fn runs(configuration: &str, router: &str) -> bool {
    configuration.contains(&format!("[router.{router}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    const CHAOS: &str = "[router.chaos]\n";
    const WORMS: &str = "[router.wormhole]\n";

    #[test]
    fn keys_of_a_router_apply_where_it_runs() {
        let asked = [
            set("router.chaos.multiqueue_frames", 3),
            set("run.drain_cycles", 7),
        ];
        let keys = |text| -> Vec<String> {
            let all = set_for(&asked, text).into_iter();
            all.map(|it| it.key).collect()
        };
        assert_eq!(keys(CHAOS).len(), 2);
        assert_eq!(keys(WORMS), ["run.drain_cycles"]);
    }

    #[test]
    fn keys_that_nothing_would_read_are_refused() {
        let own = [set("traffic.load", 1)];
        let refused = |asked: &[Override]| match refuse_set(asked, &own, &[CHAOS]) {
            Ok(()) => String::new(),
            Err(Failed::BadInput(why) | Failed::Failure(why)) => why,
        };
        assert_eq!(refused(&[set("router.chaos.multiqueue_frames", 3)]), "");
        let load = refused(&[set("traffic.load", 0.5)]);
        assert!(
            load.starts_with("--set traffic.load=0.5: ") && load.contains("sets this key itself"),
            "{load}"
        );
        assert!(refused(&[set("router.wormhole.vcs", 2)]).contains("no router `wormhole`"));
        let twice = [set("run.drain_cycles", 2), set("run.drain_cycles", 3)];
        assert!(refused(&twice).contains("given twice"));
    }
}
