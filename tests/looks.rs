//! What a node holds at the beginning of one of its cycles is the same on every engine, under clocks that tick alike, and in
//! the record of a live run in lockstep. So are the packets that have entered the network.

use crate::clocked::one_clock;
use crate::common::live_runs::{options, recorded};
use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::{Ended, Simulation};
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, of_record, start, start_clocked};
use flitwork_live::Runtime;
use flitwork_node::{AnyProbe, View};
use flitwork_types::{Cycle, NodeId, PacketId};
use proptest::prelude::*;
use std::path::Path;

/// Cycles in which one looks, in order. Most runs are short.
fn cycles() -> BoxedStrategy<Vec<Cycle>> {
    let cycle = prop_oneof![3 => 0u32..300, 1 => 0u32..5000];
    prop::collection::vec(cycle.prop_map(Cycle), 1..8)
        .prop_map(|mut cycles| {
            cycles.sort();
            cycles
        })
        .boxed()
}

fn nobody() -> AnyProbe {
    AnyProbe::new(())
}

/// What all nodes hold at the beginning of each of these cycles, on an engine with one clock.
fn in_step(resolved: &Resolved, engine: EngineChoice, cycles: &[Cycle]) -> Vec<Vec<Option<View>>> {
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    let mut simulation = start(&resolved, Use::Views, demand(&resolved), nobody());
    let views = cycles.iter().map(|cycle| {
        simulation.advance(cycle.get().into());
        let nodes = (0..simulation.nodes()).map(NodeId);
        nodes.map(|node| simulation.look(node)).collect()
    });
    views.collect()
}

/// The same where nodes count for themselves: each is looked at when it comes to a cycle. Nothing where the run ends before
/// that. A cycle of a node takes `stride` or more.
fn each_by_itself(
    simulation: &mut Simulation,
    (end, stride): (u64, u64),
    cycles: &[Cycle],
) -> Vec<Vec<Option<View>>> {
    let nodes = simulation.nodes() as usize;
    let mut views = vec![vec![None; nodes]; cycles.len()];
    let mut ended = Ended::Deadline;
    loop {
        let mut left = None;
        for node in (0..nodes as u32).map(NodeId) {
            let local = simulation.local(node);
            for (place, cycle) in cycles.iter().enumerate() {
                if *cycle == local {
                    views[place][node.index()] = simulation.look(node);
                }
            }
            let next = cycles.iter().find(|cycle| **cycle > local);
            let more = next.map(|cycle| u64::from(cycle.since(local)));
            left = left.into_iter().chain(more).min();
        }
        let Some(left) = left.filter(|_| ended == Ended::Deadline && simulation.now() < end) else {
            return views;
        };
        // No node makes more steps in that time.
        ended = simulation.advance(simulation.now() + left * stride);
    }
}

/// Whether all that was seen is what was expected.
fn agrees(
    seen: &[Vec<Option<View>>],
    expected: &[Vec<Option<View>>],
    cycles: &[Cycle],
) -> Result<(), TestCaseError> {
    for ((seen, expected), cycle) in seen.iter().zip(expected).zip(cycles) {
        for (node, (seen, expected)) in seen.iter().zip(expected).enumerate() {
            if seen.is_some() {
                prop_assert_eq!(seen, expected, "node {} at {:?}", node, cycle);
            }
        }
    }
    Ok(())
}

/// A packet is in the network from the cycle after that in which it enters, also where an engine knows of it ahead.
#[test]
fn packets_enter_in_the_same_cycles_on_every_engine() {
    let text = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.2\n\
                [run]\nwarmup_cycles = 0\nmeasure_cycles = 400\n";
    let resolved = flitwork_config::resolve(text, "text", Path::new(""), &[]).unwrap();
    let entered = |engine: EngineChoice| {
        let mut resolved = resolved.clone();
        resolved.run.engine = engine;
        // Who asks for events alone may have the engine that works ahead.
        let mut simulation = start(&resolved, Use::Events, demand(&resolved), nobody());
        let mut entered: Vec<(u32, PacketId)> = Vec::new();
        for cycle in 1..300u32 {
            simulation.advance(cycle.into());
            for packet in simulation.packets() {
                assert!(
                    packet.injected < Cycle(cycle),
                    "{engine:?}: {packet:?} at {cycle}"
                );
                if packet.injected + 1 == Cycle(cycle) {
                    entered.push((cycle, packet.id));
                }
            }
        }
        entered.sort();
        entered
    };
    let plain = entered(EngineChoice::SyncPlain);
    // 300 cycles of 16 nodes, of whose packets of 10 words there is one in 50 cycles.
    assert!((48..192).contains(&plain.len()), "{} packets", plain.len());
    for engine in [EngineChoice::Sync, EngineChoice::SyncStepped] {
        assert_eq!(entered(engine), plain, "{engine:?}");
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn nodes_hold_the_same_on_every_engine(resolved in machines().boxed(), cycles in cycles()) {
        let plain = in_step(&resolved, EngineChoice::SyncPlain, &cycles);
        prop_assert!(plain.iter().flatten().all(Option::is_some));
        for engine in [EngineChoice::Sync, EngineChoice::SyncStepped] {
            prop_assert_eq!(&in_step(&resolved, engine, &cycles), &plain, "{:?} at {:?}", engine, cycles);
        }
    }

    #[test]
    fn nodes_with_equal_clocks_hold_the_same((resolved, clocks) in one_clock().boxed(), cycles in cycles()) {
        let plain = in_step(&resolved, EngineChoice::SyncPlain, &cycles);
        let period = clocks.nominal_ps;
        let mut clocked = start_clocked(&resolved, (clocks, 1), demand(&resolved), nobody());
        let end = u64::from(demand(&resolved).end.get()) * period;
        let clocked = each_by_itself(&mut *clocked, (end, period), &cycles);
        agrees(&clocked, &plain, &cycles)?;
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn nodes_of_a_record_in_lockstep_hold_the_same(resolved in machines().boxed(), cycles in cycles()) {
        let plain = in_step(&resolved, EngineChoice::SyncPlain, &cycles);
        let (_, parts) = recorded(&resolved, &options(Runtime::Threads, Some(0), 2, 1));
        let (mut replay, _) = of_record(&resolved, parts, nobody());
        let replay = each_by_itself(&mut *replay, (u64::MAX, 1), &cycles);
        agrees(&replay, &plain, &cycles)?;
    }
}
