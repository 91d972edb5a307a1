//! Small networks, exhaustively: every permutation of four and of six nodes, on both engines.

use crate::common::machine::{any_router, chaos, run};
use flitwork_config::{AnyRouter, EngineChoice};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_results::{FailureKind, Results};
use flitwork_router::chaos::{ChaosParameters, Delivery};
use flitwork_router::greedy_hp::{Assignment, GreedyHpParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{OnceParameters, PermutationParameters};
use flitwork_types::TerminalId;
use std::ops::ControlFlow;

/// Every order of 0 to `count` - 1 (Heap's algorithm).
fn orders(count: u32) -> Vec<Vec<u32>> {
    fn permute(items: &mut Vec<u32>, fixed: usize, all: &mut Vec<Vec<u32>>) {
        if fixed + 1 >= items.len() {
            all.push(items.clone());
            return;
        }
        for next in fixed..items.len() {
            items.swap(fixed, next);
            permute(items, fixed + 1, all);
            items.swap(fixed, next);
        }
    }
    let mut all = Vec::new();
    permute(&mut (0..count).collect(), 0, &mut all);
    all
}

/// Routes every permutation; the checker watches each run, and both engines agree.
fn all_permutations(grid: &Grid, router: &AnyRouter) {
    for order in orders(grid.nodes()) {
        let pairs = order
            .iter()
            .enumerate()
            .map(|(from, to)| (TerminalId(from as u32), TerminalId(*to)));
        let pairs: Vec<_> = pairs.filter(|(from, to)| from != to).collect();
        if pairs.is_empty() {
            continue;
        }
        let parameters = ChaosParameters::chinn_1995(grid.ports());
        let mut resolved = chaos(grid.clone(), parameters, 0.0, 1000, 1);
        resolved.router = router.clone();
        resolved.traffic.process = OnceParameters { packets: 1 }.into();
        resolved.traffic.pattern = PermutationParameters::listed(pairs.clone()).into();
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let fast = run(&resolved, EngineChoice::Sync);
        assert_eq!(plain.digest, fast.digest, "{grid:?} {order:?}");
        assert_eq!(plain.ended, Ended::Empty, "{grid:?} {order:?} {router:?}");
        assert_eq!(plain.observation.delivered, pairs.len() as u64);
    }
}

#[test]
fn every_permutation_of_small_networks_is_delivered() {
    let grids = [
        Grid::mesh(&[2, 2]),
        Grid::torus(&[2, 2]),
        Grid::mesh(&[4]),
        Grid::torus(&[4]),
        Grid::mesh(&[3, 2]),
        Grid::torus(&[2, 3]),
    ];
    for grid in grids.map(Result::unwrap) {
        let mut small = ChaosParameters::chinn_1995(grid.ports());
        small.multiqueue_frames = 2;
        small.stall_threshold_cycles = 0;
        let mut stored = ChaosParameters::chinn_1995(grid.ports());
        stored.cut_through = false;
        stored.bypass = false;
        stored.delivery = Delivery::Vanish;
        let preset = ChaosParameters::chinn_1995(grid.ports());
        for parameters in [preset, small, stored] {
            all_permutations(&grid, &any_router(parameters));
        }
        for assignment in &Assignment::ALL {
            let parameters = GreedyHpParameters {
                assignment: *assignment,
            };
            all_permutations(&grid, &any_router(parameters));
        }
    }
}

/// Chaos is free of livelock only with probability 1, because a full multiqueue deroutes a random packet. With a single
/// frame there is no choice to make, and on a ring whose nodes all do the same, packets circulate forever: a livelock,
/// which the run must detect and report as one.
#[test]
fn a_single_frame_can_livelock_and_is_reported() {
    let grid = Grid::torus(&[4]).unwrap();
    for (frames, livelock) in [(1, true), (2, false)] {
        let mut parameters = ChaosParameters::chinn_1995(grid.ports());
        parameters.multiqueue_frames = frames;
        parameters.stall_threshold_cycles = 0;
        let mut resolved = chaos(grid.clone(), parameters, 0.0, 1000, 1);
        resolved.traffic.process = OnceParameters { packets: 1 }.into();
        let opposite = |node| (TerminalId(node), TerminalId((node + 2) % 4));
        let pairs = (0..4).map(opposite).collect();
        resolved.traffic.pattern = PermutationParameters::listed(pairs).into();
        for engine in [EngineChoice::SyncPlain, EngineChoice::Sync] {
            resolved.run.engine = engine;
            let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
            let failure = Results::new(&resolved, &simulated).failure;
            let kind = failure.map(|failure| failure.kind);
            assert_eq!(
                kind,
                livelock.then_some(FailureKind::Livelock),
                "{frames} frames"
            );
        }
    }
}
