//! A network whose measurement has shown an overload needn't admit the packets that are left in its sources. What is
//! known at the end of the window agrees with a run to the end, on any network, and every engine ends in the same way.

use crate::common::machine::machines;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_experiment::simulate::{Simulated, simulate};
use flitwork_results::Results;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::ops::ControlFlow;

const ENGINES: [EngineChoice; 4] = [
    EngineChoice::Sync,
    EngineChoice::SyncStepped,
    EngineChoice::SyncPlain,
    EngineChoice::Clocked,
];

fn run(resolved: &Resolved, engine: EngineChoice, stop_at_overload: bool) -> (Simulated, Results) {
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    resolved.run.stop_at_overload = stop_at_overload;
    let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    let results = Results::new(&resolved, &simulated);
    (simulated, results)
}

/// The results that only the window determines.
fn of_window(results: &Results) -> String {
    let load = results
        .load
        .as_ref()
        .map(|load| (load.offered, load.accepted));
    let (utilisation, nodes) = (results.link_utilisation_mean, results.node_packets_mean);
    format!("{:?} {load:?} {utilisation} {nodes:?}", results.steady)
}

#[test]
fn an_overload_is_known_at_the_end_of_the_window() {
    let mut runner = TestRunner::deterministic();
    let (mut stopped, mut whole) = (0, 0);
    for case in 0..400 {
        let resolved = machines().new_tree(&mut runner).unwrap().current();
        if !resolved.traffic.process.is_open_loop() {
            continue;
        }
        let (full, results) = run(&resolved, EngineChoice::Sync, false);
        let overloaded = results
            .steady
            .and_then(|steady| steady.reason())
            .is_some_and(|reason| reason.is_overload());
        let (first, cut) = run(&resolved, EngineChoice::Sync, true);
        assert_eq!(
            of_window(&cut),
            of_window(&results),
            "case {case}: {resolved:?}"
        );
        assert_eq!(cut.packets.created, results.packets.created, "case {case}");
        if overloaded {
            stopped += u32::from(cut.packets.in_sources > results.packets.in_sources);
            assert!(cut.packets.in_sources >= results.packets.in_sources);
        } else {
            whole += 1;
            assert_eq!(first.digest, full.digest, "case {case}: {resolved:?}");
            assert_eq!(first.observation, full.observation, "case {case}");
            assert_eq!(first.outcome, full.outcome, "case {case}");
        }
        for engine in ENGINES {
            let (mut again, _) = run(&resolved, engine, true);
            // Only nodes with clocks of their own have latencies in ps, and ticks; these are in step.
            let seen = &mut again.observation;
            let (exact, clocking) = (seen.exact.take(), seen.clocking.take());
            assert_eq!(exact.is_some(), engine == EngineChoice::Clocked);
            let node_cycles = u64::from(resolved.network.nodes()) * u64::from(seen.measured_cycles);
            let ticks = clocking.map(|it| it.clock_ticks);
            assert_eq!(ticks, exact.map(|_| node_cycles), "case {case}, {engine:?}");
            assert_eq!(
                again.digest, first.digest,
                "case {case}, {engine:?}: {resolved:?}"
            );
            assert_eq!(
                again.observation, first.observation,
                "case {case}, {engine:?}"
            );
            assert_eq!(again.cycles, first.cycles, "case {case}, {engine:?}");
        }
    }
    // Both kinds occur; otherwise this test would show nothing.
    assert!(
        stopped > 30 && whole > 30,
        "{stopped} stopped, {whole} whole"
    );
}
