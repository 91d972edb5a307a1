//! Points of a study, each measured with several seeds over threads.

use crate::context::{Context, Failed};
use crate::contract::{Ran, as_done};
use crate::options::{Repeats, Seeds, jobs_or_cores};
use crate::seeds::over_seeds;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory::Together;
use flitwork_measure::Estimate;
use flitwork_results::Results;
use flitwork_sweep::pool::Stop;
use flitwork_sweep::{Error, run_patiently};
use std::sync::Mutex;

/// What a point's runs come to, seed by seed; none if the user asked to stop before all of them were done.
pub(crate) type OfPoint<T> = Option<Vec<T>>;

/// What `run` comes to at each point with each seed.
pub(crate) fn repeat<P: Sync, T: Send, const SEEDS: u32>(
    context: &mut dyn Context,
    points: &[P],
    (over, jobs): (&Seeds<SEEDS>, Option<usize>),
    run: impl Fn(&P, u64, &Stop) -> Option<T> + Sync,
) -> Result<Vec<OfPoint<T>>, Failed> {
    let runs = points.len() as u64 * u64::from(over.seeds);
    let runs = u32::try_from(runs).unwrap_or(u32::MAX);
    let one = |number: u32, stop: &Stop| {
        let point = &points[(number / over.seeds) as usize];
        run(point, over.seed(number % over.seeds), stop)
    };
    let mut done = as_done(context, jobs_or_cores(jobs), runs, one)?.into_iter();
    let of_point = |_: &P| {
        let runs: Vec<Option<T>> = done.by_ref().take(over.seeds as usize).collect();
        runs.into_iter().collect()
    };
    Ok(points.iter().map(of_point).collect())
}

/// What `figures` finds in the runs of all points, each with all seeds. Runs that may wait are repeated for longer where they may be
/// unsteady only by chance.
pub(crate) fn measure<P: Sync, T: Send, const SEEDS: u32>(
    context: &mut dyn Context,
    points: &[P],
    repeats: &Repeats<SEEDS>,
    resolve: impl Fn(&P, u64, &[Override]) -> Result<Resolved, Error> + Sync,
    may_wait: impl Fn(&P) -> bool + Sync,
    figures: impl Fn(&P, &Results) -> Option<T> + Sync,
) -> Result<Vec<OfPoint<T>>, Failed> {
    let first = points
        .iter()
        .map(|point| resolve(point, repeats.first_seed, &[]));
    admit(jobs_or_cores(repeats.jobs), repeats.seeds, first)?;
    let run = |point: &P, seed: u64, stop: &Stop| {
        let longer = |more: &[Override]| resolve(point, seed, more);
        let decided = run_patiently(longer, may_wait(point), || stop.flow())?;
        Ok(decided.and_then(|decided| figures(point, &decided.results)))
    };
    repeat_fallibly(context, points, (&repeats.over, repeats.jobs), run)
}

/// The same as `repeat` of runs that may turn out to be refused.
pub(crate) fn repeat_fallibly<P: Sync, T: Send, const SEEDS: u32>(
    context: &mut dyn Context,
    points: &[P],
    over: (&Seeds<SEEDS>, Option<usize>),
    run: impl Fn(&P, u64, &Stop) -> Result<Option<T>, Error> + Sync,
) -> Result<Vec<OfPoint<T>>, Failed> {
    let refused = Mutex::new(None);
    let run = |point: &P, seed: u64, stop: &Stop| {
        run(point, seed, stop).unwrap_or_else(|error| {
            // A thread that panics ends the program.
            *refused.lock().ok()? = Some(error);
            None
        })
    };
    let found = repeat(context, points, over, run)?;
    match refused.into_inner().ok().flatten() {
        Some(error) => Err(error.into()),
        None => Ok(found),
    }
}

/// The rows of places whose runs are done. Those that are the `same` are compared with each other: they are left out together.
pub(crate) fn rows_of<P, R>(
    places: &[P],
    same: impl Fn(&P, &P) -> bool,
    row: impl Fn(&P) -> Option<R>,
) -> Ran<R> {
    let whole = |group: &[P]| -> Option<Vec<R>> { group.iter().map(&row).collect() };
    let rows = places.chunk_by(same).filter_map(whole).flatten();
    as_far(rows.collect(), places.len())
}

/// Places of which each has a row of its own.
pub(crate) fn alone<P>(_: &P, _: &P) -> bool {
    false
}

/// The outcome of a study with so many of its rows.
pub(crate) fn as_far<R>(rows: Vec<R>, of: usize) -> Ran<R> {
    match rows.len() {
        all if all == of => Ran::Whole(rows),
        0 => Ran::Nothing,
        _ => Ran::AsFar(rows),
    }
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

/// Refuses overrides of keys that the study sets itself or that are in tables which it makes itself, of keys that are given twice, and of routers that none of the configurations has.
pub(crate) fn refuse_set(
    asked: &[Override],
    own: &[Override],
    configurations: &[&str],
) -> Result<(), Failed> {
    for (place, it) in asked.iter().enumerate() {
        let key = &it.key;
        let refused = |why: &str| Err(Failed::BadInput(format!("{it}: {why}")));
        if own.iter().any(|own| is_in(key, &own.key)) {
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

/// Refuses overrides of what a thesis' experiment is: all but its Chaos routers, and those of their keys that the study sets itself.
pub(crate) fn refuse_set_of_thesis(asked: &[Override], own: &[&str]) -> Result<(), Failed> {
    const ROUTER: &str = "router.chaos.";
    let own: Vec<Override> = own
        .iter()
        .map(|key| set(&format!("{ROUTER}{key}"), ""))
        .collect();
    let mut others = asked.iter().filter(|it| !it.key.starts_with(ROUTER));
    match others.next() {
        Some(it) => Err(Failed::BadInput(format!(
            "{it}: the networks and their packets are the thesis'; allowed: keys of {ROUTER}*"
        ))),
        None => refuse_set(asked, &own, &["[router.chaos]"]),
    }
}

/// Whether a key is this one, or in this table.
fn is_in(key: &str, own: &str) -> bool {
    let rest = key.strip_prefix(own);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
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
    use crate::context::tests::Silent;

    const CHAOS: &str = "[router.chaos]\n";
    const WORMS: &str = "[router.wormhole]\n";

    /// Of three points with two seeds each, in this order, three runs are done when the user stops: those of the first point, and one of the
    /// second.
    #[test]
    fn a_point_is_kept_if_all_of_its_seeds_have_run() {
        let over = Seeds::<1> {
            first_seed: 5,
            seeds: 2,
        };
        let run = |point: &u64, seed: u64, stop: &Stop| {
            assert!((5..7).contains(&seed), "{seed} is none of the seeds");
            let is_later = 2 * point + seed - 5 >= 3;
            while is_later && stop.flow().is_continue() {
                std::thread::yield_now();
            }
            (!is_later).then_some(100 * point + seed)
        };
        let found = |stops_at| {
            let mut context = Silent::new(stops_at);
            repeat(&mut context, &[0, 1, 2], (&over, Some(1)), run).unwrap()
        };
        assert_eq!(found(3), [Some(vec![5, 6]), None, None]);
        assert_eq!(found(0), [None, None, None]);
    }

    #[test]
    fn a_run_that_is_refused_is_no_missing_row() {
        let over = Seeds::<2>::default();
        let over = Seeds { seeds: 2, ..over };
        let run = |point: &u32, _: u64, _: &Stop| match point {
            0 => Ok(Some(())),
            _ => Err(Error::BadValue("so it is".into())),
        };
        let found = repeat_fallibly(&mut Silent::new(u32::MAX), &[0, 1], (&over, Some(1)), run);
        let Err(Failed::BadInput(why) | Failed::Failure(why)) = found else {
            panic!("{found:?}")
        };
        assert!(why.contains("so it is"), "{why}");
    }

    /// Of a1, a2 and b1, a2 isn't done: alone, a1 and b1 have rows; if those of a letter are compared with each other, b1 has.
    #[test]
    fn what_is_compared_is_left_out_together() {
        let places = ["a1", "a2", "b1"];
        let row = |place: &&'static str| (*place != "a2").then_some(*place);
        let rows = |ran| match ran {
            Ran::AsFar(rows) => rows,
            other => panic!("{other:?}"),
        };
        assert_eq!(rows(rows_of(&places, alone, row)), ["a1", "b1"]);
        let letter = |one: &&str, other: &&str| one[..1] == other[..1];
        assert_eq!(rows(rows_of(&places, letter, row)), ["b1"]);
        assert!(matches!(rows_of(&places[..1], letter, row), Ran::Whole(_)));
        assert!(matches!(rows_of(&places[1..2], alone, row), Ran::Nothing));
    }

    /// Two of three are most, half of them aren't.
    #[test]
    fn a_latency_is_that_of_most() {
        let mean = |all: &[Option<f64>]| of_most(all).map(|it| it.mean);
        assert_eq!(mean(&[Some(3.0), None, Some(5.0)]), Some(4.0));
        assert_eq!(mean(&[Some(3.0), None]), None);
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn keys_of_tables_that_a_study_makes_are_refused() {
        let own = [set("clocks", "")];
        let refused = |key| refuse_set(&[set(key, 1)], &own, &[CHAOS]).is_err();
        assert!(refused("clocks") && refused("clocks.period_ps"));
        assert!(!refused("clock") && !refused("network.clocks"));
    }

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

    /// Each of the keys is looked at, wherever it stands; a router whose name only begins like the thesis' is another one.
    #[test]
    fn a_thesis_has_its_networks_and_its_router() {
        let refused = |asked: &[Override]| match refuse_set_of_thesis(asked, &["derouting"]) {
            Ok(()) => String::new(),
            Err(Failed::BadInput(why) | Failed::Failure(why)) => why,
        };
        let allowed = set("router.chaos.stall_threshold_cycles", 3);
        assert_eq!(refused(std::slice::from_ref(&allowed)), "");
        for key in [
            "network.sides",
            "run.seed",
            "router.chaosx.a",
            "router.wormhole.vcs",
        ] {
            let why = refused(&[allowed.clone(), set(key, 2)]);
            let is_said = why.ends_with("allowed: keys of router.chaos.*");
            assert!(
                is_said && why.starts_with(&format!("--set {key}=2: ")),
                "{why}"
            );
        }
        let own = refused(&[allowed.clone(), set("router.chaos.derouting", true)]);
        assert!(own.contains("sets this key itself"), "{own}");
        assert!(refused(&[allowed.clone(), allowed]).contains("given twice"));
    }
}
