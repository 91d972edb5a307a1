//! Nodes with their own clocks: with equal clocks the clocked engine gives the plain engine's events, the order
//! within an instant doesn't matter, and with any clocks nothing is lost, duplicated or overfull.

use crate::common::clocks::{at_times, later, self_timed, wander};
use crate::common::machine::{Shown, chaos, machine, machines, run, run_clocked, watch_clocked};
use crate::common::timings::{crossings, suit, timings};
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::Ended;
use flitwork_network::{
    Clock, Clocks, Crossing, Handshake, LinkTiming, Periodic, Protocol, Segment,
};
use flitwork_node::{Place, Wait, WaitsFor};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{BatchParameters, BernoulliParameters, ManyToOneParameters, OnceParameters};
use flitwork_types::NodeId;
use proptest::prelude::*;

const NOMINAL_PS: u64 = 1000;

pub(crate) fn steady(period_ps: u64, phase_ps: u64) -> Clock {
    Clock::Periodic(Periodic::new(period_ps, phase_ps))
}

/// The assignment of nodes to domains: all in one, each in its own, or islands.
fn domains(nodes: u32) -> BoxedStrategy<Vec<u32>> {
    let nodes = nodes as usize;
    prop_oneof![
        Just(vec![0; nodes]),
        Just((0..nodes as u32).collect::<Vec<_>>()),
        prop::collection::vec(0u32..4, nodes..=nodes),
    ]
    .boxed()
}

fn count(domain_of: &[u32]) -> usize {
    domain_of.iter().max().map_or(0, |last| *last as usize + 1)
}

/// A machine, and clocks that all tick every nominal period, on links that never fill. Nothing crosses from clock to clock,
/// whatever lies there.
pub(crate) fn one_clock() -> BoxedStrategy<(Resolved, Clocks)> {
    machines()
        .prop_flat_map(|resolved| {
            let nodes = resolved.network.nodes();
            let period = (1u64..5000, 0.0..1.0f64);
            let links = (0u32..20, crossings());
            (Just(resolved), domains(nodes), period, links, any::<u64>())
        })
        .prop_map(
            |(resolved, domain_of, (period_ps, phase), (more, crossing), seed)| {
                let phase_ps = (phase * period_ps as f64) as u64;
                let latency_cycles = resolved.network.link_latency_cycles;
                let mut links = LinkTiming::wires(
                    u64::from(latency_cycles) * period_ps,
                    // The sender knows that a word was taken two latencies after sending it.
                    2 * latency_cycles + more,
                    0,
                );
                links.crossing = Crossing {
                    capacity_words: None,
                    pause: None,
                    ..crossing
                };
                let clocks = Clocks {
                    nominal_ps: period_ps,
                    domains: vec![steady(period_ps, phase_ps); count(&domain_of)],
                    domain_of,
                    links,
                    seed,
                };
                (resolved, clocks)
            },
        )
        .boxed()
}

/// The same over links whose handshakes take no longer than a period: each word is taken at the next tick, as over links of
/// a cycle.
fn fast_handshakes() -> BoxedStrategy<(Resolved, Clocks)> {
    let delays = (0.0..1.0f64, 0.0..1.0f64, any::<bool>());
    (one_clock(), delays)
        .prop_map(
            |((mut resolved, mut clocks), (whole, forward, is_four_phase))| {
                resolved.network.link_latency_cycles = 1;
                // Of whole packets less is known over handshakes, and the stall rule depends on it.
                if let Some(parameters) = resolved.router.get::<ChaosParameters>() {
                    let mut parameters = parameters.clone();
                    parameters.cut_through = true;
                    resolved.router = parameters.into();
                }
                // A request and an acknowledge, once or twice: parts of the period, at least 1 ps each.
                let rounds = if is_four_phase { 2 } else { 1 };
                let longest_ps = (clocks.nominal_ps / rounds).max(2);
                let both_ps = 2 + ((longest_ps - 2) as f64 * whole) as u64;
                let request_ps = 1 + ((both_ps - 2) as f64 * forward) as u64;
                let segment = Segment {
                    request_ps,
                    acknowledge_ps: both_ps - request_ps,
                };
                let protocol = match is_four_phase {
                    true => Protocol::FourPhase,
                    false => Protocol::TwoPhase,
                };
                clocks.links.handshake = Some(Handshake {
                    protocol,
                    bundling_ps: 0,
                    segments: vec![segment],
                });
                let least = clocks.least_capacity_words() as u32;
                clocks.links.capacity_words = clocks.links.capacity_words.max(least);
                (resolved, clocks)
            },
        )
        .boxed()
}

/// Oscillators with periods up to a factor of 3 apart, drifting and jittering.
fn oscillator() -> BoxedStrategy<Periodic> {
    let drift = prop_oneof![Just(0), -100_000..100_000, -100_000_000..100_000_000];
    let jitter = prop_oneof![Just(0.0), 0.0..0.5f64];
    let period = prop_oneof![400u64..=1200, 995u64..=1005];
    let phase = prop_oneof![0u64..3000, Just(0)];
    (period, phase, drift, jitter)
        .prop_map(|(period_ps, phase_ps, drift_ppb, jitter)| {
            let jitter_ps = (jitter * period_ps as f64) as u64;
            let clock = Periodic::new(period_ps, phase_ps).with_drift(drift_ppb);
            clock.with_jitter(jitter_ps)
        })
        .boxed()
}

/// The same, wandering and changing, and gated for up to as long as others run.
fn changing() -> BoxedStrategy<Periodic> {
    let changes = prop_oneof![later(400, 9000), later(400, 3_000_000)];
    (oscillator(), wander(150), changes)
        .prop_map(|(clock, wander, changes)| {
            // Periods are 360 ps and more, with their drift.
            let jitter_ps = clock.jitter_ps.min(200);
            let clock = clock.with_jitter(jitter_ps).with_wander(wander);
            let changes = at_times(&changes).into_iter();
            changes.fold(clock, |clock, (at_ps, period_ps)| match period_ps {
                Some(period_ps) => clock.with_period_from(at_ps, period_ps),
                None => clock.with_gate_from(at_ps),
            })
        })
        .boxed()
}

/// Any clock, and self-timed nodes. Boxed: strategies are built on the stack.
fn clock() -> BoxedStrategy<Clock> {
    prop_oneof![
        2 => oscillator().prop_map(Clock::Periodic),
        2 => changing().prop_map(Clock::Periodic),
        1 => self_timed().prop_map(Clock::SelfTimed),
    ]
    .boxed()
}

/// The same with nodes of which some, or all, have no clock, each or in islands of others that share one.
fn islands(nodes: u32) -> BoxedStrategy<(Vec<Clock>, Vec<u32>)> {
    let alone = (prop::collection::vec(clock(), 1..=4), domains(nodes)).prop_map(
        move |(clocks, domain_of)| {
            let all = (0..count(&domain_of)).map(|domain| clocks[domain % clocks.len()].clone());
            (all.collect(), domain_of)
        },
    );
    let self_timed = (
        self_timed(),
        clock(),
        prop::collection::vec(any::<bool>(), nodes as usize),
    )
        .prop_map(|(node, island, is_island)| {
            let domain_of = is_island.into_iter().map(u32::from).collect();
            (vec![Clock::SelfTimed(node), island], domain_of)
        });
    let own = domains(nodes).prop_flat_map(|domain_of| {
        let domains = count(&domain_of);
        let clocks = prop::collection::vec(clock(), domains..=domains);
        (clocks, Just(domain_of))
    });
    prop_oneof![3 => own, 1 => alone, 1 => self_timed].boxed()
}

/// A machine with any clocks and any links; those of nodes that must send have the least room that they need, or a
/// little more.
pub(crate) fn clocked_of(
    machines: impl Strategy<Value = Resolved> + 'static,
) -> BoxedStrategy<(Resolved, Clocks)> {
    machines
        .prop_flat_map(|resolved| {
            let clocks = islands(resolved.network.nodes());
            let links = timings(resolved.network.grid());
            let more = prop_oneof![Just(0u32), 0u32..20];
            (Just(resolved), clocks, links, more, any::<u64>())
        })
        .prop_map(|(mut resolved, (domains, domain_of), links, more, seed)| {
            resolved.run.drain_cycles = 2_000;
            resolved.run.deadline_cycles = 4_000;
            let mut clocks = Clocks {
                nominal_ps: NOMINAL_PS,
                domains,
                domain_of,
                links,
                seed,
            };
            let needs_room = resolved.router.credit_words().is_none();
            suit(&mut clocks, resolved.network.grid(), needs_room, more);
            (resolved, clocks)
        })
        .boxed()
}

pub(crate) fn many_clocks() -> BoxedStrategy<(Resolved, Clocks)> {
    clocked_of(machines()).boxed()
}

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

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
        destination: Some(NodeId(1)),
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
