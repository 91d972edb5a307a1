//! Nodes with their own clocks: with equal clocks the clocked engine gives the plain engine's events, the order
//! within an instant doesn't matter, and with any clocks nothing is lost, duplicated or overfull.

use crate::common::clocks::self_timed;
use crate::common::machine::{Shown, chaos, machine, machines, run, run_clocked, watch_clocked};
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::Ended;
use flitwork_network::{Clock, Clocks, LinkTiming, Periodic};
use flitwork_node::{Place, Wait, WaitsFor};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{BatchParameters, BernoulliParameters, ManyToOneParameters, OnceParameters};
use flitwork_types::NodeId;
use proptest::prelude::*;

const NOMINAL_PS: u64 = 1000;

pub(crate) fn steady(period_ps: u64, phase_ps: u64) -> Clock {
    Clock::Periodic(Periodic {
        period_ps,
        phase_ps,
        drift_ppb: 0,
        jitter_ps: 0,
    })
}

/// The assignment of nodes to domains: all in one, each in its own, or islands.
fn domains(nodes: u32) -> impl Strategy<Value = Vec<u32>> {
    let nodes = nodes as usize;
    prop_oneof![
        Just(vec![0; nodes]),
        Just((0..nodes as u32).collect::<Vec<_>>()),
        prop::collection::vec(0u32..4, nodes..=nodes),
    ]
}

fn count(domain_of: &[u32]) -> usize {
    domain_of.iter().max().map_or(0, |last| *last as usize + 1)
}

/// A machine, and clocks that all tick every nominal period, on links that never fill.
pub(crate) fn one_clock() -> impl Strategy<Value = (Resolved, Clocks)> {
    machines()
        .prop_flat_map(|resolved| {
            let nodes = resolved.network.nodes();
            let period = (1u64..5000, 0.0..1.0f64);
            let links = (0u32..20, 0u32..4);
            (Just(resolved), domains(nodes), period, links, any::<u64>())
        })
        .prop_map(
            |(resolved, domain_of, (period_ps, phase), (more, edges), seed)| {
                let phase_ps = (phase * period_ps as f64) as u64;
                let latency_cycles = resolved.network.link_latency_cycles;
                let clocks = Clocks {
                    nominal_ps: period_ps,
                    domains: vec![steady(period_ps, phase_ps); count(&domain_of)],
                    domain_of,
                    links: LinkTiming {
                        latency_ps: u64::from(latency_cycles) * period_ps,
                        // The sender knows that a word was taken two latencies after sending it.
                        capacity_words: 2 * latency_cycles + more,
                        synchronizer_edges: edges,
                    },
                    seed,
                };
                (resolved, clocks)
            },
        )
}

/// Oscillators with periods up to a factor of 3 apart, drifting, jittering; and self-timed nodes.
fn clock() -> impl Strategy<Value = Clock> {
    let drift = prop_oneof![Just(0), -100_000..100_000, -100_000_000..100_000_000];
    let jitter = prop_oneof![Just(0.0), 0.0..0.5f64];
    let period = prop_oneof![400u64..=1200, 995u64..=1005];
    let phase = prop_oneof![0u64..3000, Just(0)];
    prop_oneof![
        3 => (period, phase, drift, jitter).prop_map(|(period_ps, phase_ps, drift_ppb, jitter)| {
            Clock::Periodic(Periodic {
                period_ps,
                phase_ps,
                drift_ppb,
                jitter_ps: (jitter * period_ps as f64) as u64,
            })
        }),
        1 => self_timed().prop_map(Clock::SelfTimed),
    ]
}

/// A machine with any clocks; the links of nodes that must send have the least room that they need, or a
/// little more.
fn many_clocks() -> impl Strategy<Value = (Resolved, Clocks)> {
    machines()
        .prop_flat_map(|resolved| {
            let nodes = resolved.network.nodes();
            let domains = domains(nodes).prop_flat_map(|domain_of| {
                let domains = count(&domain_of);
                (
                    prop::collection::vec(clock(), domains..=domains),
                    Just(domain_of),
                )
            });
            let links = (1u64..5000, 1u32..20, 0u32..4);
            (Just(resolved), domains, links, any::<u64>())
        })
        .prop_map(
            |(mut resolved, (domains, domain_of), (latency_ps, capacity, edges), seed)| {
                resolved.run.drain_cycles = 2_000;
                resolved.run.deadline_cycles = 4_000;
                let mut clocks = Clocks {
                    nominal_ps: NOMINAL_PS,
                    domains,
                    domain_of,
                    links: LinkTiming {
                        latency_ps,
                        capacity_words: capacity,
                        synchronizer_edges: edges,
                    },
                    seed,
                };
                if resolved.router.credit_words().is_none() {
                    clocks.links.capacity_words += clocks.least_capacity_words() as u32 - 1;
                }
                (resolved, clocks)
            },
        )
}

/// Few packets at a time, a router that has a path for each of them, and time for them to arrive.
fn lighten(resolved: &mut Resolved) {
    resolved.run.drain_cycles = 50_000;
    resolved.run.deadline_cycles = 100_000;
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
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn one_clock_gives_the_plain_engines_events((resolved, clocks) in one_clock()) {
        let plain = run(&resolved, EngineChoice::SyncPlain);
        assert_same(&plain, &run_clocked(&resolved, &clocks, 1));
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
    let mut resolved = machine(grid, GreedyHpParameters.into(), 1.0, 100, 1);
    resolved.run.drain_cycles = 2000;
    for latency_ps in [1, 1000, 1001, 3500] {
        let mut clocks = Clocks {
            nominal_ps: NOMINAL_PS,
            domains: vec![steady(1000, 0)],
            domain_of: vec![0; 2],
            links: LinkTiming {
                latency_ps,
                capacity_words: 1,
                synchronizer_edges: 2,
            },
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

/// The cycles of node 0 in which its words leave for node 1, over links with room for some words between
/// clocks of 1,000 ps that are 500 ps apart.
fn leaving(capacity_words: u32, synchronizer_edges: u32) -> Vec<u32> {
    let mut parameters = ChaosParameters::chinn_1995(2);
    parameters.packet_words = 5;
    parameters.frame_words = 5;
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
        links: LinkTiming {
            latency_ps: 1000,
            capacity_words,
            synchronizer_edges,
        },
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
