//! Clocks that change, are gated and wander: deliveries by hand, the digest of clocks that change alike, and how runs end.

use crate::common::machine::{any_router, machine, run, run_clocked};
use crate::exact_latency::{latencies_ps, pair, worms};
use flitwork_config::{AnyRouter, EngineChoice, NetworkParameters, Resolved};
use flitwork_engine::Ended;
use flitwork_network::{Clock, Clocks, LinkTiming, Periodic, Wander};
use flitwork_observe::Observation;
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::deflection::DeflectionParameters;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{BernoulliParameters, LengthLaw, OnceParameters};

/// Packets from node 0, which ticks at 100, 1,400, 2,700, … ps, to node 1 with some clock.
fn to(receiver: Periodic, router: AnyRouter, packets: u32) -> Observation {
    let sender = Periodic::new(1300, 100);
    let domains = [sender, receiver].map(Clock::Periodic);
    pair(router, 1000, domains, packets)
}

/// The receiver ticks at 50 and 1,750 ps unless it is gated.
fn receiver() -> Periodic {
    Periodic::new(1700, 50)
}

/// Hot potato: the word leaves at node 0's first tick, at 100 ps, and is at the far end at 1,100. Node 1 is gated from
/// 1,000 ps on; its next tick is at 20,000, and then every 900 ps. Two edges later, at 21,800, it sees the word.
#[test]
fn a_word_waits_at_the_port_of_a_gated_node() {
    let gated = receiver()
        .with_gate_from(1000)
        .with_period_from(20_000, 900);
    let seen = to(gated.clone(), GreedyHpParameters::default().into(), 1);
    assert_eq!(latencies_ps(&seen), (21_800, 21_700));
    // Words leave at 100, 1,400 and 2,700, and all are at the far end by 20,000. One is taken in each tick from 21,800
    // on, each delivered at once: 21,800, 22,700 and 23,600.
    let seen = to(gated, GreedyHpParameters::default().into(), 3);
    let latency = &seen.exact.as_ref().unwrap().latency.latency;
    assert_eq!(latency.sum(), 21_800 + 22_700 + 23_600);
    assert_eq!((latency.min(), latency.max()), (Some(21_800), Some(23_600)));
}

/// The gate lies between the edges that the word waits for: it is at the far end at 1,100, and ticks at 1,750 and 3,450
/// pass; the next one, the second edge, is at 20,000.
#[test]
fn a_gate_may_lie_between_the_edges_of_a_synchronizer() {
    let gated = receiver()
        .with_gate_from(5150)
        .with_period_from(20_000, 900);
    let seen = to(gated, GreedyHpParameters::default().into(), 1);
    assert_eq!(latencies_ps(&seen), (20_000, 19_900));
    // A ps later it isn't gated in time: the edge is at 5,150.
    let late = receiver()
        .with_gate_from(5151)
        .with_period_from(20_000, 900);
    let seen = to(late, GreedyHpParameters::default().into(), 1);
    assert_eq!(latencies_ps(&seen), (5150, 5050));
}

/// A sender that is gated sends nothing: its first tick is at 9,000. The word is at the far end at 10,000; node 1 ticks at
/// 50 + 6 * 1,700 = 10,250, and sees it two edges later, at 13,650.
#[test]
fn a_gated_node_sends_nothing() {
    let sender = Periodic::new(1300, 100)
        .with_gate_from(0)
        .with_period_from(9000, 1300);
    let domains = [sender, receiver()].map(Clock::Periodic);
    let seen = pair(GreedyHpParameters::default().into(), 1000, domains, 1);
    assert_eq!(latencies_ps(&seen), (13_650, 13_650 - 9000));
}

/// A slower period from 2,000 ps on: ticks at 1,750, 3,450 (the first at or after), 6,450. The second edge after 1,750 is
/// there.
#[test]
fn a_period_changes_at_the_first_tick_from_then_on() {
    let seen = to(
        receiver().with_period_from(2000, 3000),
        GreedyHpParameters::default().into(),
        1,
    );
    assert_eq!(latencies_ps(&seen), (6450, 6350));
    // At 1,750 exactly: ticks at 1,750, 4,750 and 7,750.
    let seen = to(
        receiver().with_period_from(1750, 3000),
        GreedyHpParameters::default().into(),
        1,
    );
    assert_eq!(latencies_ps(&seen), (7750, 7650));
}

/// Wormhole: the word leaves for the processor at node 1's tick at 18,750, and is there at the end of that cycle, at
/// 20,450 (see the other tests of exact latencies). A gate after 18,750 changes nothing, unless the clock ticks again
/// before the cycle would have ended; one at 18,750 takes that tick, and the word leaves at the gate's end.
#[test]
fn a_cycle_under_way_ends_although_the_clock_is_gated() {
    let of = |from_ps, until_ps| {
        let gated = receiver()
            .with_gate_from(from_ps)
            .with_period_from(until_ps, 1700);
        latencies_ps(&to(gated, worms(), 1)).0
    };
    assert_eq!(of(19_000, 50_000), 20_450);
    assert_eq!(of(18_751, 20_450), 20_450);
    assert_eq!(of(19_000, 19_500), 19_500);
    assert_eq!(of(18_750, 30_000), 31_700);
    // For good.
    let stopped = latencies_ps(&to(receiver().with_gate_from(19_000), worms(), 1));
    assert_eq!(stopped.0, 20_450);
}

/// Routers of every kind, with packets of one word or of their own length.
fn routers(grid: &Grid) -> Vec<AnyRouter> {
    let mut chaos = ChaosParameters::chinn_1995(grid.ports());
    chaos.packet_words = 5;
    chaos.input_release_cycles = chaos.least_release_cycles();
    vec![
        any_router(chaos),
        any_router(GreedyHpParameters::default()),
        any_router(DeflectionParameters::flit_bless()),
        worms(),
    ]
}

/// Every node makes some packets at the start, so that nothing depends on the nominal clock.
fn at_the_start(router: AnyRouter, grid: &Grid, packets: u32) -> Resolved {
    let mut resolved = machine(grid.clone(), router, 0.0, 100, 7);
    resolved.traffic.process = OnceParameters { packets }.into();
    if resolved.router.fixed_words().is_none() {
        resolved.traffic.lengths = LengthLaw::Fixed { words: 3 };
    }
    resolved.run.deadline_cycles = 20_000;
    resolved
}

/// Each node with the same clock, as a domain of its own or with the others.
fn alike(clock: &Periodic, grid: &Grid, are_apart: bool, latency_ps: u64) -> Clocks {
    let nodes = grid.nodes();
    let domain_of: Vec<u32> = (0..nodes).map(|node| node * u32::from(are_apart)).collect();
    let domains = if are_apart { nodes as usize } else { 1 };
    Clocks {
        nominal_ps: 1000,
        domains: vec![Clock::Periodic(clock.clone()); domains],
        domain_of,
        links: LinkTiming::wires(latency_ps, 65_535, 2),
        seed: 1,
    }
}

/// All clocks change to the same periods at the same times, and are gated together. A link takes 400 ps, less than any
/// period, so whatever leaves at a tick is seen at the next one: in cycles nothing differs from one steady clock.
#[test]
fn clocks_that_change_alike_give_the_digest_of_sync() {
    let steady = Periodic::new(1000, 70);
    let clocks = [
        steady.clone().with_period_from(5000, 600),
        steady
            .clone()
            .with_period_from(5070, 3000)
            .with_period_from(20_001, 401),
        steady
            .clone()
            .with_gate_from(6000)
            .with_period_from(90_000, 1000),
        steady.clone().with_gate_from(0).with_period_from(500, 777),
        steady
            .with_drift(12_345_678)
            .with_period_from(9000, 450)
            .with_gate_from(30_000)
            .with_gate_from(30_001)
            .with_period_from(30_402, 2000)
            .with_gate_from(31_000)
            .with_period_from(31_500, 1000),
    ];
    let grid = Grid::mesh(&[4, 3]).unwrap();
    for router in routers(&grid) {
        let resolved = at_the_start(router, &grid, 5);
        let plain = run(&resolved, EngineChoice::SyncPlain);
        assert_eq!(plain.ended, Ended::Empty);
        for clock in &clocks {
            for are_apart in [false, true] {
                let shown = run_clocked(&resolved, &alike(clock, &grid, are_apart, 400), 1);
                assert_eq!(
                    shown.digest,
                    plain.digest,
                    "{} {clock:?}",
                    resolved.router.name()
                );
                assert_eq!(shown.ended, Ended::Empty);
            }
        }
    }
}

/// The change of a single clock among them is seen: the test above can fail.
#[test]
fn a_clock_that_changes_alone_gives_another_digest() {
    let grid = Grid::mesh(&[4, 3]).unwrap();
    for router in routers(&grid) {
        let resolved = at_the_start(router, &grid, 5);
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let mut clocks = alike(&Periodic::new(1000, 70), &grid, true, 400);
        let changed = Periodic::new(1000, 70).with_period_from(3000, 600);
        clocks.domains[5] = Clock::Periodic(changed);
        assert!(!clocks.share(4, 5));
        let shown = run_clocked(&resolved, &clocks, 1);
        assert_ne!(shown.digest, plain.digest, "{}", resolved.router.name());
    }
}

/// Equal clocks that wander aren't one: each walks by draws of its own, and words wait for edges.
#[test]
fn clocks_that_wander_never_count_as_one() {
    let grid = Grid::mesh(&[4, 3]).unwrap();
    let wandering = Periodic::new(1000, 70).with_wander(Wander {
        most_ps: 1,
        bound_ps: Some(1),
    });
    let apart = alike(&wandering, &grid, true, 400);
    assert!(!apart.share(2, 3) && apart.share(2, 2));
    for router in routers(&grid) {
        let resolved = at_the_start(router, &grid, 5);
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let shown = run_clocked(&resolved, &apart, 1);
        assert_ne!(shown.digest, plain.digest, "{}", resolved.router.name());
        // One clock for all wanders as it likes.
        let one = alike(&wandering, &grid, false, 400);
        assert_eq!(run_clocked(&resolved, &one, 1).digest, plain.digest);
    }
}

/// Nodes that must send are gated in turn, for longer than anything else takes, at the highest load. With the room that
/// `least_capacity_words` states they go on.
#[test]
fn the_least_room_includes_the_times_of_gates() {
    let grid = Grid::torus(&[3, 3]).unwrap();
    let mut resolved = machine(grid, GreedyHpParameters::default().into(), 1.0, 300, 1);
    resolved.network = NetworkParameters::new(Grid::torus(&[3, 3]).unwrap(), 1, None);
    resolved.traffic.process = BernoulliParameters { load: 1.0 }.into();
    resolved.run.drain_cycles = 20_000;
    for (gate_ps, edges) in [(700, 1), (5000, 2), (40_000, 1), (40_000, 2)] {
        let gated = |node: u64| {
            let clock = Periodic::new(1000 + 100 * (node % 3), 70 * node);
            let clock = (0..4).fold(clock, |clock, gate| {
                let from_ps = 9000 * node + gate * (gate_ps + 50_000) + 10_000;
                clock
                    .with_gate_from(from_ps)
                    .with_period_from(from_ps + gate_ps, 1000)
            });
            Clock::Periodic(clock)
        };
        let mut clocks = Clocks {
            nominal_ps: 1000,
            domains: (0..9).map(gated).collect(),
            domain_of: (0..9).collect(),
            links: LinkTiming::wires(1000, 1, edges),
            seed: 1,
        };
        // ceil((1000 + edges * 1200 + as many gates as edges) / shortest) + 1.
        let hidden_ps = 1000 + u64::from(edges) * (1200 + gate_ps);
        let shortest_ps = 1000.min(gate_ps + 1);
        let least = clocks.least_capacity_words();
        assert_eq!(least, hidden_ps.div_ceil(shortest_ps) + 1);
        clocks.links.capacity_words = least as u32;
        let shown = run_clocked(&resolved, &clocks, 1);
        assert_eq!(shown.ended, Ended::Empty, "{gate_ps} ps, {edges} edges");
    }
}

/// All clocks are gated for good with packets in the network: the run ends at once, and as a failure of the engine.
#[test]
fn a_network_without_clocks_is_stuck() {
    let grid = Grid::mesh(&[4, 3]).unwrap();
    for router in routers(&grid) {
        let resolved = at_the_start(router, &grid, 5);
        let stopped = Periodic::new(1000, 0).with_gate_from(4000);
        let shown = run_clocked(&resolved, &alike(&stopped, &grid, true, 400), 1);
        assert_eq!(shown.ended, Ended::Stuck, "{}", resolved.router.name());
        assert_eq!(shown.cycle.get(), resolved.run.deadline_cycles);
        assert!(shown.observation.injected > shown.observation.delivered);
        // From the start: nothing is in the network, and the task isn't done.
        let never = Periodic::new(1000, 0).with_gate_from(0);
        let shown = run_clocked(&resolved, &alike(&never, &grid, true, 400), 1);
        assert_eq!(
            (shown.ended, shown.observation.injected),
            (Ended::Deadline, 0)
        );
        // When all is done, a gate is no failure.
        let late = Periodic::new(1000, 0).with_gate_from(10_000_000);
        let shown = run_clocked(&resolved, &alike(&late, &grid, true, 400), 1);
        assert_eq!(shown.ended, Ended::Empty);
    }
}

/// Ticks after a gate that lasts longer than the run don't count: it ends at its deadline.
#[test]
fn a_run_may_end_while_clocks_are_gated() {
    let grid = Grid::mesh(&[4, 3]).unwrap();
    for router in routers(&grid) {
        let resolved = at_the_start(router, &grid, 5);
        let end_ps = u64::from(resolved.run.deadline_cycles) * 1000;
        for (until_ps, ended) in [(end_ps, Ended::Deadline), (end_ps / 2, Ended::Empty)] {
            let gated = Periodic::new(1000, 0)
                .with_gate_from(4000)
                .with_period_from(until_ps, 1000);
            let shown = run_clocked(&resolved, &alike(&gated, &grid, true, 400), 1);
            assert_eq!(shown.ended, ended, "{}", resolved.router.name());
        }
    }
}
