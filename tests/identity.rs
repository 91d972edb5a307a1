//! One digest: for any network, parameters, load and seed, the plain and the fast engine produce the same events
//! and the same statistics; so do the clocked engine with equal clocks, and live runs in lockstep. The replay of a
//! live run reproduces its events, on either runtime.

use crate::common::live_runs::{Memory, live, observation, options, replay};
use crate::common::machine::{machines, run};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_live::Runtime;
use flitwork_types::NodeId;
use proptest::prelude::*;

properties! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_engine_gives_the_plain_engines_events(resolved in machines()) {
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let fast = run(&resolved, EngineChoice::Sync);
        if plain.digest != fast.digest {
            let key = |e: &(flitwork_types::Cycle, NodeId, flitwork_node::Event)| {
                (e.0, e.1, format!("{:?}", e.2))
            };
            let mut one: Vec<_> = plain.recorder.events.iter().map(key).collect();
            let mut other: Vec<_> = fast.recorder.events.iter().map(key).collect();
            one.sort();
            other.sort();
            let first = one.iter().zip(&other).find(|(a, b)| a != b);
            prop_assert!(false, "first difference, plain and fast: {first:?}");
        }
        let stepped = run(&resolved, EngineChoice::SyncStepped);
        prop_assert_eq!(stepped.digest, plain.digest);
        prop_assert_eq!(&plain.observation, &fast.observation);
        prop_assert_eq!(&plain.observation, &stepped.observation);
        prop_assert_eq!(plain.backlog, fast.backlog);
        prop_assert_eq!(plain.backlog, stepped.backlog);
    }
}

/// A live run in lockstep and its replay against the plain engine.
fn lockstep(resolved: &Resolved, runtime: Runtime, workers: usize) -> Result<(), TestCaseError> {
    let plain = run(resolved, EngineChoice::SyncPlain);
    let options = options(runtime, Some(0), workers, 4);
    let memory = Memory::default();
    let live = live(resolved, &options, Some(memory.clone()));
    prop_assert_eq!(&live.fault, &None);
    prop_assert_eq!(live.digest(), plain.digest);
    prop_assert_eq!(live.outcome.backlog, plain.backlog);
    let again = replay(resolved, &memory.bytes(), 1);
    prop_assert_eq!(&again.verdict.difference, &None);
    prop_assert_eq!(again.digest(), plain.digest);
    let observed = observation(resolved, live.probes);
    prop_assert_eq!(&observed, &plain.observation);
    prop_assert_eq!(observation(resolved, again.probes), observed);
    Ok(())
}

/// A free-running live run's replays, on one thread and on several, against the run.
fn free(
    resolved: &Resolved,
    runtime: Runtime,
    slack: Option<u32>,
    workers: usize,
) -> Result<(), TestCaseError> {
    let options = options(runtime, slack, workers, 4);
    let memory = Memory::default();
    let live = live(resolved, &options, Some(memory.clone()));
    prop_assert_eq!(&live.fault, &None);
    let observed = observation(resolved, live.probes);
    for threads in [1, 2, 3] {
        let again = replay(resolved, &memory.bytes(), threads);
        prop_assert_eq!(&again.verdict.difference, &None);
        prop_assert_eq!(&again.nodes, &live.nodes);
        prop_assert_eq!(again.outcome, live.outcome);
        prop_assert_eq!(&observation(resolved, again.probes), &observed);
    }
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn every_engine_gives_one_digest(resolved in machines()) {
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let fast = run(&resolved, EngineChoice::Sync);
        let clocked = run(&resolved, EngineChoice::Clocked);
        prop_assert_eq!(fast.digest, plain.digest);
        prop_assert_eq!(clocked.digest, plain.digest);
        prop_assert_eq!(&clocked.observation, &plain.observation);
        prop_assert_eq!(clocked.backlog, plain.backlog);
        for runtime in [Runtime::Threads, Runtime::Tokio] {
            for workers in [1, 2, 4] {
                lockstep(&resolved, runtime, workers)?;
            }
        }
    }

    #[test]
    fn every_live_run_replays(resolved in machines()) {
        for runtime in [Runtime::Threads, Runtime::Tokio] {
            for slack in [Some(1), Some(4), Some(16), None] {
                for workers in [1, 2, 4] {
                    free(&resolved, runtime, slack, workers)?;
                }
            }
        }
    }
}
