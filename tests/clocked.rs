//! Nodes with their own clocks: with equal clocks the clocked engine gives the plain engine's events, the order
//! within an instant doesn't matter, and with any clocks nothing is lost, duplicated or overfull.

use crate::common::machine::{Shown, chaos, machine, run, run_clocked, watch_clocked};
use crate::common::many_clocks::{NOMINAL_PS, fast_handshakes};
pub(crate) use crate::common::many_clocks::{clocked_of, many_clocks, one_clock, steady};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::Ended;
use flitwork_network::{Clock, Clocks, LinkTiming, Periodic};
use flitwork_node::{Place, Wait, WaitsFor};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{BatchParameters, BernoulliParameters, ManyToOneParameters, OnceParameters};
use flitwork_types::{NodeId, TerminalId};
use proptest::prelude::*;

/// Few packets at a time, a router that has a path for each of them, and time for them to arrive.
fn lighten(resolved: &mut Resolved) {
    resolved.run.drain_cycles = 400_000;
    resolved.run.deadline_cycles = 500_000;
    let process = &mut resolved.traffic.process;
    if let Some(coins) = process.get_mut::<BernoulliParameters>() {
        coins.load *= 0.1;
    }
    // Replies made after the end aren't delivered.
    let batch = process.get_mut::<BatchParameters>();
    if let Some(reply) = batch.and_then(|batch| batch.reply.as_mut()) {
        reply.service_cycles = reply.service_cycles.min(1000);
    }
    if let Some(parameters) = resolved.router.get::<ChaosParameters>() {
        let mut parameters = parameters.clone();
        parameters.derouting = true;
        parameters.multiqueue_frames = parameters.multiqueue_frames.max(2);
        resolved.router = parameters.into();
    }
}

/// Whether two Chaos neighbours want to send to each other, and each has a packet from the other in the input
/// frame. Such a packet leaves its frame for the multiqueue only together with a decision for the paired
/// output, which is occupied: if the packets in the outputs were decided on before those in the inputs were
/// ready, neither node can continue. A decision later than the last by a link's latency is enough for that,
/// with one clock as well; the engine isn't the cause.
fn exchange_stuck(grid: &Grid, waits: &[Wait]) -> bool {
    let at = |node, place| {
        waits
            .iter()
            .find(|wait| (wait.node, wait.place) == (node, place))
    };
    let blocked = |node, port| {
        let output = at(node, Place::Output(port));
        let waits = output.is_some_and(|wait| wait.waits_for == WaitsFor::Neighbour(port));
        waits && at(node, Place::Input(port)).is_some()
    };
    (0..grid.nodes()).map(NodeId).any(|node| {
        grid.links(node).iter().any(|port| {
            let far = grid.neighbour(node, port).expect("a link");
            blocked(node, port) && blocked(far, grid.opposite(port))
        })
    })
}

fn assert_same(one: &Shown, other: &Shown) {
    assert_eq!(one.digest, other.digest);
    assert_eq!(one.observation, other.observation);
    assert_eq!((one.ended, one.cycle), (other.ended, other.cycle));
    assert_eq!(one.backlog, other.backlog);
}

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn one_clock_gives_the_plain_engines_events((resolved, clocks) in one_clock()) {
        let plain = run(&resolved, EngineChoice::SyncPlain);
        assert_same(&plain, &run_clocked(&resolved, &clocks, 1));
    }

    #[test]
    fn fast_handshakes_under_one_clock_give_the_plain_engines_events((resolved, clocks) in fast_handshakes()) {
        prop_assume!(clocks.nominal_ps >= 4);
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let shaken = run_clocked(&resolved, &clocks, 1);
        // Observations differ in the transitions of handshakes.
        prop_assert_eq!(plain.digest, shaken.digest);
        prop_assert_eq!((plain.ended, plain.cycle), (shaken.ended, shaken.cycle));
        prop_assert_eq!(plain.backlog, shaken.backlog);
    }

    #[test]
    fn the_order_within_an_instant_does_not_matter((resolved, clocks) in many_clocks()) {
        assert_same(&run_clocked(&resolved, &clocks, 1), &run_clocked(&resolved, &clocks, 2));
    }

    #[test]
    fn everything_is_delivered_whatever_the_clocks((resolved, clocks) in many_clocks()) {
        let mut resolved = resolved;
        lighten(&mut resolved);
        let shown = run_clocked(&resolved, &clocks, 1);
        if shown.ended == Ended::Empty {
            prop_assert_eq!(shown.backlog, 0);
            return Ok(());
        }
        let (_, (), waits) = watch_clocked(&resolved, &clocks, 1, ());
        prop_assert!(resolved.router.credit_words().is_some());
        prop_assert!(exchange_stuck(resolved.network.grid(), &waits), "{:?}", waits);
    }
}

/// Two nodes that send to each other in every cycle, with room for as many words as a link's latency hides:
/// both fill their links before a word is seen, and wait forever. One more is enough.
#[test]
fn nodes_that_must_send_need_room_for_what_is_under_way() {
    let grid = Grid::mesh(&[2]).unwrap();
    let mut resolved = machine(grid, GreedyHpParameters::default().into(), 1.0, 100, 1);
    resolved.run.drain_cycles = 2000;
    for latency_ps in [1, 1000, 1001, 3500] {
        let mut clocks = Clocks {
            nominal_ps: NOMINAL_PS,
            domains: vec![steady(1000, 0)],
            domain_of: vec![0; 2],
            links: LinkTiming::wires(latency_ps, 1, 2),
            seed: 1,
        };
        let least = clocks.least_capacity_words() as u32;
        assert_eq!(u64::from(least), latency_ps.div_ceil(1000) + 1);
        for (capacity_words, ended) in [(least - 1, Ended::Deadline), (least, Ended::Empty)] {
            clocks.links.capacity_words = capacity_words;
            let shown = run_clocked(&resolved, &clocks, 1);
            assert_eq!(
                shown.ended, ended,
                "{latency_ps} ps, {capacity_words} words"
            );
        }
    }
}

/// Links with room for a round trip, the least that configurations allow, keep all nodes of a torus going at the highest
/// load, whatever the jitter.
#[test]
fn a_round_trip_of_words_is_enough_room_under_jitter() {
    let grid = Grid::torus(&[3, 3]).unwrap();
    let mut resolved = machine(grid, GreedyHpParameters::default().into(), 1.0, 300, 1);
    resolved.run.drain_cycles = 20_000;
    for (jitter_ps, latency_ps) in [(0, 1), (500, 1000), (999, 1), (999, 3500)] {
        for synchronizer_edges in 0..3 {
            let clock = |node: u64| {
                let clock = Periodic::new(1000 + 100 * (node % 3), 70 * node);
                Clock::Periodic(clock.with_jitter(jitter_ps))
            };
            let longest_ps = 1200 + jitter_ps;
            let wait_ps = u64::from(synchronizer_edges + 1) * longest_ps;
            let round_trip = (2 * (latency_ps + wait_ps)).div_ceil(1000) + 2;
            let clocks = Clocks {
                nominal_ps: NOMINAL_PS,
                domains: (0..9).map(clock).collect(),
                domain_of: (0..9).collect(),
                links: LinkTiming::wires(latency_ps, round_trip as u32, synchronizer_edges),
                seed: 1,
            };
            let shown = run_clocked(&resolved, &clocks, 1);
            assert_eq!(shown.ended, Ended::Empty, "{jitter_ps}, {latency_ps} ps");
        }
    }
}

/// The cycles of node 0 in which its words leave for node 1, over links with room for some words between
/// clocks of 1,000 ps that are 500 ps apart.
fn leaving(capacity_words: u32, synchronizer_edges: u32) -> Vec<u32> {
    let mut parameters = ChaosParameters::chinn_1995(2);
    parameters.packet_words = 5;
    parameters.input_release_cycles = parameters.least_release_cycles();
    let mut resolved = chaos(Grid::mesh(&[2]).unwrap(), parameters, 0.0, 1000, 1);
    resolved.traffic.process = OnceParameters { packets: 1 }.into();
    let to = ManyToOneParameters {
        destination: Some(TerminalId(1)),
        sources: None,
    };
    resolved.traffic.pattern = to.into();
    let clocks = Clocks {
        nominal_ps: NOMINAL_PS,
        domains: vec![steady(1000, 0), steady(1000, 500)],
        domain_of: vec![0, 1],
        links: LinkTiming::wires(1000, capacity_words, synchronizer_edges),
        seed: 1,
    };
    let shown = run_clocked(&resolved, &clocks, 1);
    assert_eq!(shown.ended, Ended::Empty);
    let words = shown.recorder.words.iter();
    let words = words.filter(|(_, node, ..)| *node == NodeId(0));
    words.map(|(cycle, ..)| cycle.get()).collect()
}

/// A word that leaves at 0 is at the far end at 1,000 ps. The receiver ticks at 500, 1,500, …: it sees the
/// word at 1,500 or, two edges later, at 3,500. The report that it was taken is back at 2,500 or 4,500; the
/// sender's first tick from then on is at 3,000 or 5,000, and it sees the report there at once or at 7,000.
/// If a link holds one word, the next one leaves in that cycle, 3 or 7 after the one before. With room for
/// two, each word leaves that long after the one before the last, and at least one cycle after the last.
#[test]
fn credits_cross_a_synchronizer_too() {
    for (edges, round_trip) in [(0, 3), (1, 5), (2, 7), (3, 9)] {
        let one = leaving(1, edges);
        let spaces: Vec<u32> = one.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(spaces, [round_trip; 4], "{edges} edges: {one:?}");
        let two = leaving(2, edges);
        let from_first: Vec<u32> = two.iter().map(|cycle| cycle - two[0]).collect();
        let expected = [0, 1, round_trip, round_trip + 1, 2 * round_trip];
        assert_eq!(from_first, expected, "{edges} edges");
    }
}
