//! Routers without buffers over links with handshakes: their nodes are held while a link takes no word.

use crate::clocked::{clocked_of, steady};
use crate::common::clocks::self_timed;
use crate::common::deflections::any_parameters;
use crate::common::machine::{any_router, hot_potatoes, machine, run_clocked};
use crate::common::properties::properties;
use crate::common::timings::{handshakes, suit};
use flitwork_config::Resolved;
use flitwork_engine::Ended;
use flitwork_network::{
    Clock, Clocks, Delay, Handshake, LinkTiming, Protocol, Segment, SelfTimed, StageDelays,
};
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::Grid;
use proptest::prelude::*;

/// Rings, lines and tori of nodes that send in every cycle.
fn overloaded() -> BoxedStrategy<Resolved> {
    let sides = prop_oneof![
        2 => prop::collection::vec(2u32..7, 1..=1),
        1 => prop::collection::vec(2u32..4, 2..=2),
    ];
    let router = prop_oneof![
        2 => hot_potatoes(),
        1 => any_parameters().prop_map(any_router),
    ];
    (sides, any::<bool>(), router, 50u32..300, any::<u64>())
        .prop_map(|(sides, wraps, router, cycles, seed)| {
            let grid = match wraps {
                true => Grid::torus(&sides).expect("sides of 2 and more"),
                false => Grid::mesh(&sides).expect("sides of 2 and more"),
            };
            machine(grid, router, 1.0, cycles, seed)
        })
        .boxed()
}

/// The same with time to drain, whose links may all have handshakes.
fn shaken() -> BoxedStrategy<(Resolved, Clocks)> {
    (clocked_of(overloaded()).boxed(), handshakes())
        .prop_map(|((mut resolved, mut clocks), handshake)| {
            clocks.links.handshake.get_or_insert(handshake);
            suit(&mut clocks, resolved.network.grid(), true, 0);
            resolved.run.drain_cycles = 1_000_000;
            resolved.run.deadline_cycles = 2_000_000;
            (resolved, clocks)
        })
        .boxed()
}

/// All nodes without clocks.
fn shaken_self_timed() -> BoxedStrategy<(Resolved, Clocks)> {
    (shaken().boxed(), self_timed().boxed())
        .prop_map(|((resolved, mut clocks), node)| {
            clocks.domains = vec![Clock::SelfTimed(node)];
            clocks.domain_of = vec![0; resolved.network.nodes() as usize];
            suit(&mut clocks, resolved.network.grid(), true, 0);
            (resolved, clocks)
        })
        .boxed()
}

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn links_with_the_least_room_never_stick((resolved, clocks) in shaken()) {
        let shown = run_clocked(&resolved, &clocks, 1);
        prop_assert_eq!(shown.ended, Ended::Empty);
    }

    /// [`Clocks::least_capacity_words`] counts one word more for a self-timed sender, that of the step that isn't over: over a
    /// wire others may have left in the last latency meanwhile. With handshakes a node only begins a step while no word
    /// waits for the first latch of any of its links, so the word of the step has the place of that one. A FIFO of a
    /// single word is therefore enough, and the default of two has one to spare.
    #[test]
    fn a_fifo_of_a_word_is_enough_without_clocks((resolved, clocks) in shaken_self_timed()) {
        let mut clocks = clocks;
        clocks.links.capacity_words -= 1;
        let shown = run_clocked(&resolved, &clocks, 1);
        prop_assert_eq!(shown.ended, Ended::Empty);
    }
}

/// Two nodes that send to each other in every step, over links with no latches but the senders' own, whose handshakes take
/// longer than a step. Without a FIFO words stand at both ends, the next ones wait for latch 0, and neither node takes one
/// before its own has been taken.
#[test]
fn a_link_without_a_fifo_sticks_at_once() {
    let segment = Segment {
        request_ps: 700,
        acknowledge_ps: 600,
    };
    let handshake = Handshake {
        protocol: Protocol::TwoPhase,
        bundling_ps: 0,
        segments: vec![segment],
    };
    let grid = Grid::mesh(&[2]).unwrap();
    let mut resolved = machine(grid, GreedyHpParameters::default().into(), 1.0, 100, 1);
    resolved.run.drain_cycles = 2000;
    let fixed = Delay::fixed(700);
    let steps = SelfTimed::new(StageDelays {
        word: fixed,
        decision: fixed,
        allocation: None,
        credit: None,
    });
    for (clock, least) in [(steady(1000, 0), 3), (Clock::SelfTimed(steps), 4)] {
        let mut clocks = Clocks {
            nominal_ps: 1000,
            domains: vec![clock],
            domain_of: vec![0; 2],
            links: LinkTiming {
                handshake: Some(handshake.clone()),
                ..LinkTiming::wires(1, 1, 2)
            },
            seed: 1,
        };
        assert_eq!(clocks.least_capacity_words(), least);
        for capacity_words in 2..=4 {
            clocks.links.capacity_words = capacity_words;
            let shown = run_clocked(&resolved, &clocks, 1);
            let room = format!("{capacity_words} of {least} words");
            assert_eq!(shown.ended == Ended::Empty, capacity_words > 2, "{room}");
        }
    }
}
