//! Cycle counts derived by hand, on both engines.

use crate::common::machine::{chaos, run, watch};
use crate::common::recorder::Recorder;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_node::{Event, Place};
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{ManyToOneParameters, OnceParameters, PermutationParameters};
use flitwork_types::{Cycle, NodeId, Port, TerminalId};

const ENGINES: [EngineChoice; 2] = [EngineChoice::SyncPlain, EngineChoice::Sync];

/// A static problem: the given packets, all made in cycle 0.
fn packets(grid: Grid, parameters: ChaosParameters, pairs: &[(u32, u32)]) -> Resolved {
    let mut resolved = chaos(grid, parameters, 0.0, 100_000, 1);
    resolved.traffic.process = OnceParameters { packets: 1 }.into();
    let pairs = pairs
        .iter()
        .map(|(from, to)| (TerminalId(*from), TerminalId(*to)));
    resolved.traffic.pattern = PermutationParameters::listed(pairs.collect()).into();
    resolved
}

/// A packet whose head is decided on at t has its head in the output frame at t + 3; it leaves then, and can
/// be decided on by the neighbour at t + 4: 4 cycles per node (Chinn 1995, section 4.1). From injection in
/// cycle 0 over h links the head reaches the processor in cycle 4 (h + 1), and the last of L words L - 1
/// cycles later: 4 (h + 1) + L - 1.
#[test]
fn an_unobstructed_head_takes_four_cycles_per_node() {
    for words in [10, 20] {
        let mut parameters = ChaosParameters::chinn_1995(4);
        if words == 20 {
            parameters = ChaosParameters::chaos_chip(4);
        }
        assert_eq!(parameters.packet_words, words);
        for hops in 1..=14 {
            let grid = Grid::mesh(&[15, 2]).unwrap();
            let resolved = packets(grid, parameters.clone(), &[(0, hops)]);
            for engine in ENGINES {
                let shown = run(&resolved, engine);
                let last = shown.observation.last_delivery.unwrap().get();
                assert_eq!(last, 4 * (hops + 1) + u32::from(words) - 1);
            }
        }
    }
}

/// Without cut-through a packet waits for its tail in every frame: in the injection or input frame and in the
/// output frame (or delivery frame) of each node, L - 1 cycles each, in addition to the 4 for its head. The
/// last word then leaves another L - 1 cycles after the head.
#[test]
fn a_stored_packet_waits_for_its_tail_in_each_frame() {
    let mut parameters = ChaosParameters::chinn_1995(4);
    parameters.cut_through = false;
    for hops in 1..=6 {
        let grid = Grid::mesh(&[7, 2]).unwrap();
        let resolved = packets(grid, parameters.clone(), &[(0, hops)]);
        for engine in ENGINES {
            let shown = run(&resolved, engine);
            let last = shown.observation.last_delivery.unwrap().get();
            assert_eq!(last, (hops + 1) * (4 + 2 * 9) + 9);
        }
    }
}

/// A longer link and a slower decision add their cycles at each hop: a node takes d + l cycles, d for the
/// decision and l for the link; the processor is 1 cycle away.
#[test]
fn latencies_add_up() {
    for (decision, link) in [(1, 1), (3, 4), (5, 2)] {
        let mut parameters = ChaosParameters::chinn_1995(4);
        parameters.decision_latency_cycles = decision;
        parameters.input_release_cycles = parameters.least_release_cycles() + 1;
        let hops = 5;
        let mut resolved = packets(Grid::mesh(&[7, 2]).unwrap(), parameters, &[(0, hops)]);
        resolved.network.link_latency_cycles = link;
        for engine in ENGINES {
            let last = run(&resolved, engine)
                .observation
                .last_delivery
                .unwrap()
                .get();
            assert_eq!(last, hops * (decision + link) + decision + 1 + 9);
        }
    }
}

/// Cycles between heads on one busy link.
fn head_spacing(resolved: &Resolved, node: NodeId, port: Port) -> Vec<u32> {
    let recorder: Recorder = watch(resolved, Recorder::default()).probe;
    let mut heads: Vec<Cycle> = recorder
        .events
        .iter()
        .filter(|(_, at, event)| {
            *at == node && matches!(event, Event::Head { port: through, .. } if *through == port)
        })
        .map(|(cycle, _, _)| *cycle)
        .collect();
    heads.sort_unstable();
    heads
        .windows(2)
        .map(|pair| pair[1].since(pair[0]))
        .collect()
}

/// A head that leaves at s is decided on at s + 1 at the earliest. That releases the input frame, whose next
/// packet can be sent from (s + 1) + release on: every 14 cycles with a release of 13, every 13 with 12. The
/// output frame itself is open again at s + 10 and has its next head at s + 13, so with a release of 13 the
/// input frame is the limit, and with 12 both are.
#[test]
fn a_loaded_link_carries_a_packet_every_14_cycles_and_13_with_release_12() {
    // A line of three nodes: the first floods the last, the middle one forwards.
    for (release, spacing) in [(13, 14), (12, 13), (20, 21)] {
        let mut parameters = ChaosParameters::chinn_1995(2);
        parameters.input_release_cycles = release;
        let grid = Grid::mesh(&[3]).unwrap();
        let east = Port(0);
        assert_eq!(grid.port_name(east), "east");
        let mut resolved = chaos(grid, parameters, 1.0, 4000, 1);
        let to = ManyToOneParameters {
            destination: Some(TerminalId(2)),
            sources: Some(vec![TerminalId(0)]),
        };
        resolved.traffic.pattern = to.into();
        for engine in ENGINES {
            resolved.run.engine = engine;
            let found = head_spacing(&resolved, NodeId(1), east);
            assert!(found.len() > 100);
            assert!(
                found.iter().skip(3).all(|cycles| *cycles == spacing),
                "{found:?}"
            );
        }
    }
}

/// A source of many packets for its neighbour is limited by its injection frame: a decision at t frees it at t + 12,
/// and the output frame (open at s + 10 = t + 13) and the link's input frame at the far end (decided on at t + 4, free
/// from t + 17, so heads leave every 14 cycles) allow no more.
#[test]
fn the_links_set_the_accepted_load_at_overload() {
    let grid = Grid::mesh(&[2]).unwrap();
    let resolved = chaos(grid, ChaosParameters::chinn_1995(2), 1.0, 140_000, 1);
    for engine in ENGINES {
        let seen = run(&resolved, engine).observation;
        // Both nodes send as much as they can to each other: a packet of 10 words every 14 cycles each.
        let accepted = seen.words_delivered.observations() as f64 * 10.0 / 2.0 / 105_000.0;
        assert!((accepted - 10.0 / 14.0).abs() < 0.001, "{accepted}");
    }
}

/// Decided on at 0, the head is in the output frame and leaves at 3, and is in node 1 at 4. Decided on there, it is in the
/// delivery frame at 7; the last word leaves it at 16, and the packet is delivered at 17. It is in node 0 for 4 cycles and
/// in node 1 for 13, never in a multiqueue. Both moves are decisions and pass the crossbar, and only one is a hop; its
/// words are written into an injection frame, an output frame, an input frame and the delivery frame.
#[test]
fn the_delivery_frame_counts_as_a_frame_of_its_node() {
    let grid = Grid::mesh(&[2]).unwrap();
    let mut resolved = packets(grid, ChaosParameters::chinn_1995(2), &[(0, 1)]);
    resolved.run.warmup_cycles = 0;
    for engine in ENGINES {
        let seen = run(&resolved, engine).observation;
        assert_eq!(seen.last_delivery, Some(Cycle(17)));
        assert_eq!(seen.node_packet_cycles, [4, 13]);
        assert_eq!(seen.queue_packet_cycles, [0, 0]);
        assert_eq!((seen.activity.decisions, seen.hops), (2, 1));
        assert_eq!(seen.activity.link_words, 10);
    }
}

/// Both ends of a line flood the middle: every link could bring a packet every 14 cycles, but the delivery frame, like any
/// output frame, takes a packet every D + L + O: 13 cycles in the first reading, 14 in the second. So packets wait at their
/// destination, in input frames and in the multiqueue. While the multiqueue is full none goes from an input frame straight
/// to delivery, and one is derouted, from its destination, if an output frame at a link is free.
#[test]
fn the_delivery_frame_takes_a_packet_every_d_l_o_cycles() {
    let mut without_bypass = ChaosParameters::chinn_1995(2);
    without_bypass.bypass = false;
    let parameters = [
        (ChaosParameters::chinn_1995(2), 13),
        (ChaosParameters::chinn_1995_b(2), 14),
        (without_bypass, 13),
    ];
    for (parameters, spacing) in parameters {
        let may_bypass = parameters.bypass;
        let frames = parameters.multiqueue_frames;
        let mut resolved = chaos(Grid::mesh(&[3]).unwrap(), parameters, 1.0, 4000, 1);
        let to = ManyToOneParameters {
            destination: Some(TerminalId(1)),
            sources: None,
        };
        resolved.traffic.pattern = to.into();
        for engine in ENGINES {
            resolved.run.engine = engine;
            let recorder: Recorder = watch(&resolved, Recorder::default()).probe;
            let mut events = recorder.events;
            events.retain(|(_, node, _)| *node == NodeId(1));
            events.sort_by_key(|(cycle, ..)| *cycle);
            let delivered = events.iter();
            let delivered = delivered.filter(|it| matches!(it.2, Event::Delivered { .. }));
            let delivered: Vec<u32> = delivered.map(|(cycle, ..)| cycle.get()).collect();
            let spaces = delivered.windows(2).map(|pair| pair[1] - pair[0]);
            let mut spaces: Vec<u32> = spaces.collect();
            spaces.sort_unstable();
            // Some take longer: another frame's decision comes first, or the network empties.
            assert_eq!([spaces[0], spaces[spaces.len() / 2]], [spacing; 2]);
            let (mut queued, mut full, mut bypasses, mut derouted) = (0, 0, 0, 0);
            for (_, _, event) in &events {
                let Event::Moved { from, to, .. } = event else {
                    continue;
                };
                match (from, to) {
                    (_, Place::Queue) => queued += 1,
                    (Place::Queue, _) => queued -= 1,
                    _ => {
                        assert!(queued < frames);
                        bypasses += 1;
                    }
                }
                derouted += u32::from(matches!(to, Place::Output(Port(0 | 1))));
                full += u32::from(queued == frames);
            }
            assert!(derouted > 0 && full > 0);
            assert_eq!(bypasses > 0, may_bypass);
        }
    }
}
