//! Every figure that a run prints and writes is compared with one computed separately from its events: every
//! column, every key and every line, on random machines.

#[path = "figures/account.rs"]
mod account;
#[path = "figures/clocking.rs"]
mod clocking;
#[path = "figures/compare.rs"]
mod compare;
#[path = "figures/draws.rs"]
mod draws;
#[path = "figures/json.rs"]
mod json;
#[path = "figures/ledger.rs"]
mod ledger;
#[path = "figures/lives.rs"]
mod lives;
#[path = "figures/noise.rs"]
mod noise;
#[path = "figures/outputs.rs"]
mod outputs;
#[path = "figures/over_time.rs"]
mod over_time;
#[path = "figures/statistics.rs"]
mod statistics;
#[path = "figures/steady.rs"]
mod steady;
#[path = "figures/tables.rs"]
mod tables;
#[path = "figures/text.rs"]
mod text;

use self::account::Account;
use self::compare::Differences;
use self::draws::{clocked_runs, runs};
use self::ledger::Ledger;
use self::outputs::{Figures, Reported};
use crate::common::clocks::{changes, stages, wander};
use crate::common::machine::{any_router, machine, machines};
use crate::common::properties::properties;
use flitwork_config::{
    ClockParameters, DelayParameters, Domains, EnergyParameters, EngineChoice, IslandParameters,
    Oscillators, Phase, Resolved, SelfTimedParameters, Spread, Stepping,
};
use flitwork_engine::{Ended, Progress};
use flitwork_experiment::extras::Extras;
use flitwork_experiment::intervals::{Intervals, OverTime};
use flitwork_experiment::live::simulate_live_with;
use flitwork_experiment::simulate::{
    Finished, Simulated, demand, execute, simulate, simulate_with,
};
use flitwork_network::{Arbiter, Wander};
use flitwork_report::{Formats, Program};
use flitwork_results::Results;
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::Grid;
use flitwork_trace::Digest;
use flitwork_traffic::BernoulliParameters;
use flitwork_types::NodeId;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRunner};
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The outcome of a comparison.
struct Compared {
    differences: Vec<String>,
    interrupted: bool,
    /// Whether the run was steady, and its network latency has a confidence interval.
    has_intervals: bool,
}

/// Whether a live run found that nothing moves any more, and ended; how soon depends on the host. The plain
/// engine continues to the deadline.
fn is_called_stuck(run: &Simulated, watched: &Finished<(Digest, Ledger)>) -> bool {
    (run.outcome.ended, watched.outcome.ended) == (Ended::Stuck, Ended::Deadline)
}

/// What moved after that nevertheless, according to the plain engine's events.
fn moved_after(run: &Simulated, watched: &Finished<(Digest, Ledger)>) -> Vec<String> {
    let cycle = run.outcome.cycle.get().into();
    let events = watched.probe.1.events.iter();
    let after = events.filter(|event| event.0 >= cycle);
    after
        .map(|event| format!("called stuck in cycle {cycle}: {event:?}"))
        .collect()
}

/// Runs a configuration twice, once as the program does and once for the ledger, and compares everything that
/// the first reports with the second's account.
fn compared(resolved: &Resolved) -> Compared {
    compared_until(resolved, u32::MAX)
}

/// The same, interrupted after the run has polled its control this many times.
fn compared_until(resolved: &Resolved, calls: u32) -> Compared {
    let Runs {
        simulated,
        over_time,
        watched,
    } = both_runs(resolved, calls);
    if is_called_stuck(&simulated, &watched) {
        return Compared {
            differences: moved_after(&simulated, &watched),
            interrupted: false,
            has_intervals: false,
        };
    }
    let results = Results::new(resolved, &simulated);
    let (digest, ledger) = watched.probe;
    let outcome = watched.outcome;
    let cycle = outcome.cycle.get().into();
    let account = Account::of(resolved, &ledger, outcome.ended, cycle);
    let program = Program {
        version: "1".into(),
        revision: "unknown".into(),
        command: "flitwork run".into(),
    };
    let provenance = program.ran(resolved.to_toml(), resolved.run.seed);
    let described = Reported {
        digest: digest.to_string(),
        configuration: resolved.to_toml(),
        provenance: serde_json::to_value(&provenance).unwrap(),
        seed: resolved.run.seed,
        configured_load: resolved.traffic.process.mean_load(),
        seconds: simulated.elapsed.as_secs_f64(),
        steps: simulated.outcome.steps,
        failure: serde_json::to_value(&results.failure).unwrap(),
        owed_replies: outcome.owed.replies,
        ideal: results.ideal,
    };
    let figures = Figures::of(&account, &described);
    let folder = tempfile::tempdir().unwrap();
    let files = flitwork_results::Files {
        resolved,
        run: &simulated,
        results: &results,
        provenance: &provenance,
        formats: &Formats::default(),
        over_time: over_time.as_ref(),
    };
    let written = flitwork_results::write_all(folder.path(), &files).unwrap();
    let mut found = Differences::default();
    compare_files(resolved, &written, &figures, &mut found);
    assert_eq!(
        over_time.is_some(),
        written.iter().any(|path| path.ends_with("intervals.csv"))
    );
    found.text(&flitwork_results::text(&results), &figures);
    // Shown only if it decides the verdict.
    let window = account.window;
    let backlog = [account.backlog(window.start), account.backlog(window.end)];
    if simulated.observation.backlog != backlog {
        let seen = simulated.observation.backlog;
        found
            .0
            .push(format!("backlog {seen:?}, by events {backlog:?}"));
    }
    Compared {
        differences: found.0,
        interrupted: outcome.ended == Ended::Interrupted,
        has_intervals: results
            .network_latency
            .mean
            .is_some_and(|mean| mean.batches > 0 && mean.half_width.is_some()),
    }
}

/// A configuration's run as the program does it, in some cases cut into intervals, and the same run for the ledger.
struct Runs {
    simulated: Simulated,
    over_time: Option<OverTime>,
    watched: Finished<(Digest, Ledger)>,
}

/// Cycles of an interval, if a run has intervals.
fn every(resolved: &Resolved) -> Option<u32> {
    let seed = resolved.run.seed;
    seed.is_multiple_of(2).then_some(1 + (seed / 2 % 90) as u32)
}

fn both_runs(resolved: &Resolved, calls: u32) -> Runs {
    let until = || {
        let mut left = calls;
        move |_: Progress| {
            left -= 1;
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    };
    let lives = resolved.run.engine == EngineChoice::Live;
    let mut over_time = None;
    let simulated = match (lives, every(resolved)) {
        (true, _) => {
            let extras = Extras::default();
            let run = simulate_live_with(resolved, None, extras, &mut until());
            run.unwrap().0.simulated
        }
        (false, Some(every)) if calls == u32::MAX => {
            let intervals = Some(Intervals::new(resolved.network.grid(), every));
            let extras = Extras {
                intervals,
                ..Extras::default()
            };
            let (simulated, extras) = simulate_with(resolved, extras, &mut until());
            let intervals = extras.intervals.expect("intervals were requested");
            over_time = Some(OverTime::of(&intervals, resolved, simulated.cycles));
            simulated
        }
        _ => simulate(resolved, &mut until()),
    };
    // A live run in lockstep has the events of the plain engine.
    let demand = demand(resolved);
    // The same engine as before, which polls its control as often.
    let ledger = Ledger::new(
        resolved.router.name() == "chaos"
            && resolved.run.engine == EngineChoice::Sync
            && demand.workload.foresees(),
    );
    let probe = (Digest::default(), ledger);
    let watched = execute(resolved, demand, probe, &mut until());
    let ends_early = is_called_stuck(&simulated, &watched);
    assert!(ends_early || watched.outcome.ended == simulated.outcome.ended);
    assert!(lives || watched.outcome == simulated.outcome);
    Runs {
        simulated,
        over_time,
        watched,
    }
}

/// Compares every file by its name.
fn compare_files(
    resolved: &Resolved,
    written: &[PathBuf],
    figures: &Figures<'_>,
    found: &mut Differences,
) {
    for path in written {
        match path.file_name().unwrap().to_str().unwrap() {
            "results.json" => {
                let text = std::fs::read(path).unwrap();
                let json: Value = serde_json::from_slice(&text).unwrap();
                found.json("results.json", &json, &figures.json());
            }
            "results.csv" => found.table(path, &[figures.results_csv()], None),
            "nodes.csv" => found.table(path, &figures.nodes_csv(), Some(6)),
            "links.csv" => found.table(path, &figures.links_csv(), Some(6)),
            "latency.csv" => found.table(path, &figures.latency_csv(), None),
            "latency_by_class.csv" => found.table(path, &figures.by_class_csv(), None),
            "latency_by_distance.csv" => found.table(path, &figures.by_distance_csv(), None),
            "energy.csv" => found.table(path, &figures.energy_csv(), None),
            "waits.csv" => found.waits(path, figures.account),
            "intervals.csv" => {
                let every = every(resolved).expect("intervals were requested").into();
                found.table(path, &figures.account.intervals_csv(every), None);
            }
            // Images have tests of their own, and Parquet files are compared with CSV.
            name if [".png", ".svg", ".parquet"]
                .iter()
                .any(|end| name.ends_with(end)) => {}
            other => found.0.push(format!("{other} isn't compared with events")),
        }
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn every_figure_follows_from_events(resolved in runs()) {
        let found = compared(&resolved).differences;
        prop_assert!(found.is_empty(), "{:#?}\n{}", found, resolved.to_toml());
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn every_figure_with_a_clock_for_each_node(resolved in clocked_runs()) {
        let found = compared(&resolved).differences;
        prop_assert!(found.is_empty(), "{:#?}\n{}", found, resolved.to_toml());
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Several observers add up its figures.
    #[test]
    fn every_figure_of_a_live_run_in_lockstep(resolved in runs(), workers in 1usize..4) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Live;
        resolved.run.drain_cycles = resolved.run.drain_cycles.min(1000);
        resolved.run.deadline_cycles = resolved.run.deadline_cycles.min(2000);
        (resolved.live.slack.0, resolved.live.workers) = (Some(0), workers);
        let found = compared(&resolved).differences;
        prop_assert!(found.is_empty(), "{:#?}\n{}", found, resolved.to_toml());
    }
}

/// Runs interrupted within their window: engines poll their control only now and then, so these are large.
#[test]
fn every_figure_of_an_interrupted_run() {
    let engines = [
        EngineChoice::Sync,
        EngineChoice::SyncStepped,
        EngineChoice::SyncPlain,
    ];
    for (case, engine) in engines.into_iter().cycle().take(6).enumerate() {
        let router = match case / 3 {
            0 => any_router(ChaosParameters::chinn_1995(4)),
            _ => any_router(GreedyHpParameters::default()),
        };
        let mut resolved = machine(
            Grid::mesh(&[8, 8]).unwrap(),
            router,
            0.2,
            10_000,
            case as u64,
        );
        let window = [(0, 20_000), (100, 7_000)][case / 3];
        (resolved.run.warmup_cycles, resolved.run.measure_cycles) = window;
        resolved.run.engine = engine;
        // Before the first cycle, early in the first batch, and some batches later.
        for calls in [1, 2, 8] {
            let found = compared_until(&resolved, calls);
            assert!(found.interrupted, "case {case}, call {calls}");
            let differences = found.differences;
            assert!(differences.is_empty(), "{case}, {calls}: {differences:#?}");
        }
    }
}

/// Light loads over long windows: latencies with intervals, which few of the random runs above have.
#[test]
fn every_figure_of_steady_runs_too() {
    const CASES: usize = 12;
    let mut runner = TestRunner::new(Config {
        rng_algorithm: RngAlgorithm::ChaCha,
        ..Config::default()
    });
    let light = (runs(), 0.02..0.12, 1000u32..6000).prop_map(|(mut resolved, load, cycles)| {
        resolved.traffic.process = BernoulliParameters { load }.into();
        (resolved.run.warmup_cycles, resolved.run.measure_cycles) = (500, cycles);
        resolved
    });
    let mut with_intervals = 0;
    for _ in 0..CASES {
        let resolved = light.new_tree(&mut runner).unwrap().current();
        let found = compared(&resolved);
        assert!(
            found.differences.is_empty(),
            "{:#?}\n{}",
            found.differences,
            resolved.to_toml()
        );
        with_intervals += usize::from(found.has_intervals);
    }
    assert!(with_intervals > CASES / 10, "{with_intervals} of {CASES}");
}
