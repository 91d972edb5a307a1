//! Chaos drains after every overload of half-duplex links too, on one clock, on clocks of its nodes' own, and live.

use crate::common::live_runs::options;
use crate::common::machine::{chaos, shown_observer};
use crate::deadlock::{drained, patterns_of_grids, with_pattern};
use flitwork_config::{
    ClockParameters, EngineChoice, Oscillators, Phase, Resolved, Spread, Stepping,
};
use flitwork_engine::Ended;
use flitwork_experiment::live::execute_live;
use flitwork_experiment::simulate::demand;
use flitwork_live::Runtime;
use flitwork_network::Duplex;
use flitwork_router::chaos::ChaosParameters;
use flitwork_schema::Part;
use flitwork_topology::{Grid, Topology};
use flitwork_types::Cycle;
use std::ops::ControlFlow;

/// Every pattern on a mesh and a torus, at load 1, with packets of 20 words.
fn overloads(turnaround_cycles: u32, cycles: u32) -> impl Iterator<Item = Resolved> {
    let grids = [Grid::mesh(&[8, 8]).unwrap(), Grid::torus(&[8, 8]).unwrap()];
    grids.into_iter().flat_map(move |grid| {
        patterns_of_grids().into_iter().map(move |pattern| {
            let parameters = ChaosParameters::chaos_chip(grid.ports());
            let mut resolved = chaos(grid.clone(), parameters, 1.0, cycles, 7);
            with_pattern(&mut resolved, pattern.name());
            resolved.network.duplex = Duplex::Half { turnaround_cycles };
            resolved
        })
    })
}

/// Clocks of the nodes' own: 5 % apart, out of phase, drifting and jittering.
fn own_clocks() -> ClockParameters {
    ClockParameters {
        stepping: Stepping::Oscillators(Oscillators {
            phase: Phase::Random,
            spread: Spread::uniform(5.0),
            drift_ppm: 100.0,
            jitter_ps: 20,
            ..Oscillators::default()
        }),
        ..ClockParameters::default()
    }
}

fn drain_on_one_clock(cycles: u32) {
    for turnaround in [0, 1] {
        for resolved in overloads(turnaround, cycles) {
            let pattern = resolved.traffic.pattern.clone();
            assert_eq!(drained(resolved, cycles), Ended::Empty, "{pattern:?}");
        }
    }
}

fn drain_on_own_clocks(cycles: u32) {
    for mut resolved in overloads(0, cycles) {
        resolved.run.engine = EngineChoice::Clocked;
        resolved.clocks = own_clocks();
        let pattern = resolved.traffic.pattern.clone();
        assert_eq!(drained(resolved, cycles), Ended::Empty, "{pattern:?}");
    }
}

fn drain_live(cycles: u32) {
    for (resolved, runtime) in
        overloads(0, cycles).zip([Runtime::Threads, Runtime::Tokio].into_iter().cycle())
    {
        let mut resolved = resolved;
        resolved.run.drain_cycles = 1_000_000;
        let mut demand = demand(&resolved);
        demand.inject_until = Cycle(cycles);
        let options = options(runtime, Some(4), 2, 8);
        let control = &mut |_| ControlFlow::Continue(());
        let probes = || shown_observer(&resolved);
        let lived = execute_live(&resolved, demand, &options, None, probes, control).unwrap();
        assert_eq!(lived.fault, None);
        assert_eq!(
            lived.outcome.ended,
            Ended::Empty,
            "{:?}",
            resolved.traffic.pattern
        );
    }
}

#[test]
fn half_duplex_links_drain() {
    drain_on_one_clock(4000);
    drain_on_own_clocks(1000);
    drain_live(300);
}

#[test]
#[ignore = "minutes: 200,000 cycles of overload"]
fn half_duplex_links_drain_after_long_overloads() {
    drain_on_one_clock(200_000);
    drain_on_own_clocks(200_000);
    drain_live(200_000);
}
