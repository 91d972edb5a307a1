//! The constructions: Lemma 2.12 holds for each, on both engines, and each gives a permutation.

use crate::common::machine::{any_router, chaos, chaos_readings, watch};
use crate::common::properties::properties;
use flitwork_adversary::{Class, Direction, Fraction, Instant, Plan, clt, packets};
use flitwork_config::{AnyRouter, EngineChoice, Resolved};
use flitwork_experiment::simulate::execute;
use flitwork_experiment::worst_case::{self, Construction, WorstCaseError};
use flitwork_network::Demand;
use flitwork_router::chaos::{ChaosParameters, Delivery, InitialPointer, MultiqueuePolicy};
use flitwork_router::greedy_hp::{Assignment, GreedyHpParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{Once, OnceParameters, PermutationParameters};
use flitwork_types::{Cycle, NodeId, TerminalId};
use proptest::prelude::*;
use std::collections::HashSet;
use std::ops::ControlFlow;

fn go_on(_: flitwork_engine::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn minimal(ports: usize) -> ChaosParameters {
    let mut parameters = ChaosParameters::chinn_1995(ports);
    parameters.derouting = false;
    parameters
}

/// Lemma 2.12 (Chinn 1995, section 2.3.2): on the constructed permutation, without exchanges, the router does the same
/// at the same node in the same cycle as in the construction. The digest covers all decisions and no destination.
fn lemma_2_12(resolved: &Resolved, plan: &Plan, instant: Instant, unique: bool) -> u64 {
    let grid = resolved.network.grid();
    let classes = plan.place(resolved.run.seed);
    let pairs = match unique {
        true => clt::to_unique(grid, plan, &classes, resolved.run.seed),
        false => clt::to_the_edge(grid, plan, &classes),
    };
    let end = Cycle(1_000_000);
    let run = |demand, probe| worst_case::run_with(instant, resolved, demand, probe, &mut go_on);
    let done = clt::construct(grid, plan, classes, &pairs, instant, end, run);
    assert_eq!(done.outcome.ended, flitwork_engine::Ended::Empty);
    check_classes(grid, plan, &done.classes, &done.pairs);
    for engine in [EngineChoice::Sync, EngineChoice::SyncPlain] {
        let mut again = resolved.clone();
        again.run.engine = engine;
        let demand = Demand::until(Box::new(Once::new(&packets(grid, &done.pairs))), end);
        let digest = execute(&again, demand, Digest::default(), &mut go_on).probe;
        assert_eq!(digest, done.digest, "{engine:?}, {resolved:?}");
    }
    done.exchanges
}

/// Exchanges preserve the number of packets of each class, and keep each packet's destination in its class's
/// line.
fn check_classes(grid: &Grid, plan: &Plan, classes: &[Class], pairs: &[(NodeId, NodeId)]) {
    for (place, count) in plan.counts.iter().enumerate() {
        let found = classes
            .iter()
            .filter(|class| class.place() == place)
            .count();
        assert_eq!(found, *count as usize);
    }
    for (class, (_, destination)) in classes.iter().zip(pairs) {
        let at = grid.coordinates(*destination);
        let line = plan.corner - 2 + class.index;
        let (on, along) = if class.kind == Direction::N {
            (at[0], at[1])
        } else {
            (at[1], at[0])
        };
        assert_eq!(on, line);
        assert!(along > line);
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lemma_2_12_holds_for_any_minimal_deterministic_chaos(
        corner in 2u32..5,
        (wide, seed) in (any::<bool>(), any::<u64>()),
        (queue, stall, decision, later) in (1usize..6, 0u32..10, 1u32..5, 0u32..3),
        (reopen, among, freed) in chaos_readings(),
        (at_link, d) in (any::<bool>(), prop_oneof![Just("1/3"), Just("0"), Just("1/7")]),
        (bypass, cut_through, newest, random, unique) in any::<(bool, bool, bool, bool, bool)>(),
        link in 1u32..3,
    ) {
        let side = 14 * corner;
        let sides = if wide { [side + 3, side] } else { [side, side + 5] };
        let grid = Grid::mesh(&sides).unwrap();
        let mut parameters = minimal(4);
        parameters.multiqueue_frames = queue;
        parameters.stall_threshold_cycles = stall;
        parameters.decision_latency_cycles = decision;
        parameters.input_release_cycles = parameters.least_release_cycles() + later;
        (parameters.output_reopen_cycles, parameters.deroute_among) = (reopen, among);
        parameters.multiqueue_freed_at = freed;
        parameters.bypass = bypass;
        parameters.cut_through = cut_through;
        parameters.delivery = if unique { Delivery::Frame } else { Delivery::Vanish };
        if newest {
            parameters.multiqueue_policy = MultiqueuePolicy::NewestFirst;
        }
        if random {
            parameters.initial_pointer = InitialPointer::Random;
        }
        let mut resolved = chaos(grid, parameters, 0.0, 100, seed);
        resolved.network.link_latency_cycles = link;
        resolved.traffic.process = OnceParameters { packets: 1 }.into();
        let d: Fraction = d.parse().unwrap();
        let plan = Plan::with_d(side, Plan::queue_positions(queue), corner, d).unwrap();
        let instant = if at_link { Instant::Link } else { Instant::Decision };
        lemma_2_12(&resolved, &plan, instant, unique);
    }
}

#[test]
fn the_thesis_construction_exchanges_and_repeats() {
    let plan = Plan::new(480, 8, 28).unwrap();
    let grid = Grid::mesh(&[2 * plan.corner; 2]).unwrap();
    let mut parameters = minimal(4);
    parameters.delivery = Delivery::Vanish;
    let resolved = chaos(grid, parameters, 0.0, 100, 1);
    for instant in [Instant::Decision, Instant::Link] {
        let exchanges = lemma_2_12(&resolved, &plan, instant, false);
        assert!(exchanges > 0, "{instant:?}");
    }
}

/// The output of `flitwork adversary` can be routed unchanged: unequal sides, other multiqueues, further
/// dimensions, greedy-hp.
#[test]
fn permutations_have_unique_ends_and_repeat() {
    let matching = GreedyHpParameters {
        assignment: Assignment::Matching,
    };
    let configurations: Vec<(Vec<u32>, AnyRouter)> = vec![
        (vec![60, 60], any_router(minimal(4))),
        (vec![9, 8], any_router(minimal(4))),
        (vec![90, 70], any_router(minimal(4))),
        (vec![70, 90, 2], any_router(minimal(6))),
        (vec![60, 80], any_router(GreedyHpParameters::default())),
        (vec![60, 80], any_router(matching)),
    ];
    for (sides, router) in configurations {
        let grid = Grid::mesh(&sides).unwrap();
        let mut resolved = chaos(grid.clone(), minimal(grid.ports()), 0.0, 100, 4);
        resolved.router = router;
        resolved.traffic.process = OnceParameters { packets: 1 }.into();
        resolved.run.deadline_cycles = 1_000_000;
        let made = worst_case::construct(&resolved, &Construction::default(), &mut go_on).unwrap();
        assert_ne!(made.lemma_2_12, Some(false));
        let sources: HashSet<u32> = made.packets.iter().map(|packet| packet.0).collect();
        let destinations: HashSet<u32> = made.packets.iter().map(|packet| packet.1).collect();
        assert_eq!(sources.len(), (made.corner * made.corner) as usize);
        assert_eq!(destinations.len(), sources.len(), "{sides:?}");
        assert!(destinations.iter().all(|node| *node < grid.nodes()));
        let pairs = made
            .packets
            .iter()
            .map(|(from, to)| (TerminalId(*from), TerminalId(*to)));
        resolved.traffic.pattern = PermutationParameters::listed(pairs.collect()).into();
        let done = watch(&resolved, Digest::default());
        assert_eq!(done.outcome.ended, flitwork_engine::Ended::Empty);
        if made.lemma_2_12.is_some() {
            assert_eq!(done.probe.to_string(), made.digest);
        }
    }
}

#[test]
fn configurations_that_the_construction_is_not_made_for_are_refused() {
    let refused = |grid: Grid, change: &dyn Fn(&mut ChaosParameters), key: &str| {
        let mut parameters = minimal(grid.ports());
        change(&mut parameters);
        let resolved = chaos(grid, parameters, 0.0, 100, 1);
        match worst_case::construct(&resolved, &Construction::default(), &mut go_on) {
            Err(WorstCaseError::Setting { key: found, .. }) => assert_eq!(found, key),
            Err(WorstCaseError::Plan(_)) => assert_eq!("plan", key),
            other => panic!("{key}: {other:?}"),
        }
    };
    let mesh = || Grid::mesh(&[60, 60]).unwrap();
    refused(mesh(), &|p| p.derouting = true, "router.chaos.derouting");
    let random = |p: &mut ChaosParameters| p.multiqueue_policy = MultiqueuePolicy::Random;
    refused(mesh(), &random, "router.chaos.multiqueue_policy");
    refused(Grid::torus(&[60, 60]).unwrap(), &|_| {}, "network");
    refused(Grid::mesh(&[60]).unwrap(), &|_| {}, "network");
    refused(Grid::mesh(&[3, 9]).unwrap(), &|_| {}, "plan");
}
