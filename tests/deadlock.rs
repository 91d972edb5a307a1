//! Chaos never deadlocks; without derouting a torus does, and its run reports it. A network that `check`
//! calls free of deadlock never deadlocks.

#[path = "deadlock/asynchrony.rs"]
mod asynchrony;
#[path = "deadlock/free.rs"]
mod free;

use crate::common::machine::{any_router, chaos, machine, run, watch};
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_network::Duplex;
use flitwork_node::{Event, Probe, WaitsFor};
use flitwork_results::{Failure, FailureKind, Results, Status};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::routing::RoutingParameters;
use flitwork_router::wormhole::RoutedWormhole;
use flitwork_router::wormhole::WormholeParameters;
use flitwork_schema::{Part, Parts};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{
    AnyPattern, BitReversal, HotSpotParameters, LengthLaw, ListedParameters, ManyToOneParameters,
    OnceParameters, PatternEntry, ReflectionParameters, SwapParameters,
};
use flitwork_types::{Cycle, NodeId, Port, TerminalId};
use std::ops::ControlFlow;

/// The patterns that grids have: all but those of groups.
pub(crate) fn patterns_of_grids() -> Vec<PatternEntry> {
    let all = PatternEntry::built_in().into_iter();
    all.filter(|pattern| pattern.name != "adversarial")
        .collect()
}

/// Sets a pattern, and the keys that it needs on the network.
pub(crate) fn with_pattern(resolved: &mut Resolved, pattern: &str) {
    let mut pattern =
        AnyPattern::named(&flitwork_schema::Parts::new(), pattern).expect("a pattern");
    if let Some(spot) = pattern.get_mut::<HotSpotParameters>() {
        spot.hot_nodes = Some(vec![TerminalId(0), TerminalId(5)]);
        spot.hot_fraction = Some(0.3);
    }
    if let Some(list) = pattern.get_mut::<ListedParameters>() {
        // Several packets for one node, and none for others.
        let all = (0..resolved.network.nodes()).map(|node| TerminalId(node / 2));
        list.destinations = Some(all.collect());
    }
    if let Some(to) = pattern.get_mut::<ManyToOneParameters>() {
        to.destination = Some(TerminalId(3));
    }
    if let Some(reflection) = pattern.get_mut::<ReflectionParameters>() {
        reflection.locality = Some(2);
    }
    if let Some(swap) = pattern.get_mut::<SwapParameters>() {
        swap.locality = Some(1);
    }
    resolved.traffic.pattern = pattern;
    let pattern = &resolved.traffic.pattern;
    pattern
        .build(resolved.network.grid(), resolved.run.seed)
        .map(drop)
        .expect("the grid takes it");
}

/// Counts what enters and leaves, and refuses links that don't exist.
struct Balance {
    grid: Grid,
    injected: u64,
    delivered: u64,
    hops: u64,
}

impl Balance {
    fn new(grid: &Grid) -> Balance {
        Balance {
            grid: grid.clone(),
            injected: 0,
            delivered: 0,
            hops: 0,
        }
    }
}

impl Probe for Balance {
    fn event(&mut self, node: NodeId, _: Cycle, event: Event) {
        match event {
            Event::Injected { .. } => self.injected += 1,
            Event::Delivered { packet } => {
                assert_eq!(self.grid.home(packet.destination), node);
                self.delivered += 1;
            }
            Event::Head { port, .. } if port != self.grid.local() => {
                assert!(
                    self.grid.links(node).contains(port),
                    "node {node} has no link {port:?}"
                );
                self.hops += 1;
            }
            _ => {}
        }
    }
}

/// Full load for `cycles`, then sources are silent and the network must empty.
fn overload(grid: &Grid, pattern: &str, multiqueue_frames: usize, load: f64, cycles: u32) -> Ended {
    let mut parameters = ChaosParameters::chinn_1995(grid.ports());
    parameters.multiqueue_frames = multiqueue_frames;
    let mut resolved = chaos(grid.clone(), parameters, load, cycles, 7);
    with_pattern(&mut resolved, pattern);
    drained(resolved, cycles)
}

/// The same for a configuration.
pub(crate) fn drained(mut resolved: Resolved, cycles: u32) -> Ended {
    // Packets that wait in the sources stay there.
    resolved.run.drain_cycles = 1_000_000;
    let mut demand = flitwork_experiment::simulate::demand(&resolved);
    demand.inject_until = Cycle(cycles);
    let probe = Balance::new(resolved.network.grid());
    let control = &mut |_| ControlFlow::Continue(());
    let done = flitwork_experiment::simulate::execute(&resolved, demand, probe, control);
    if done.outcome.ended == Ended::Empty {
        assert_eq!(
            done.probe.injected, done.probe.delivered,
            "{:?}",
            resolved.traffic.pattern
        );
    }
    done.outcome.ended
}

/// Offered load 1 for `cycles`, then a drain to empty: every pattern, mesh and torus.
fn drains_after_every_overload(cycles: u32) {
    for grid in [Grid::mesh(&[8, 8]).unwrap(), Grid::torus(&[8, 8]).unwrap()] {
        for pattern in patterns_of_grids() {
            let ended = overload(&grid, pattern.name, 5, 1.0, cycles);
            assert_eq!(ended, Ended::Empty, "{grid:?} {}", pattern.name);
        }
    }
}

/// The best-known simulator's Chaos router deadlocks here.
fn drains_under_bit_complement(cycles: u32) {
    let grid = Grid::torus(&[16, 16]).unwrap();
    for load in [0.3, 1.0] {
        assert_eq!(
            overload(&grid, "bit-complement", 5, load, cycles),
            Ended::Empty
        );
    }
}

/// The network is full within a few hundred cycles.
#[test]
fn chaos_drains_after_every_overload() {
    drains_after_every_overload(20_000);
}

#[test]
fn chaos_drains_on_a_16_x_16_torus_under_bit_complement() {
    drains_under_bit_complement(40_000);
}

#[test]
#[ignore = "half a minute: ten times as long"]
fn chaos_drains_after_long_overloads() {
    drains_after_every_overload(200_000);
    drains_under_bit_complement(200_000);
}

/// Derouting uses only links that exist, on both engines, checked from outside; nodes at a mesh's border have
/// fewer.
#[test]
fn deroutes_stay_on_links_that_a_mesh_has() {
    for sides in [vec![4, 4], vec![2, 7], vec![3, 3, 3]] {
        let grid = Grid::mesh(&sides).unwrap();
        let mut parameters = ChaosParameters::chinn_1995(grid.ports());
        parameters.multiqueue_frames = 1;
        let mut resolved = chaos(grid.clone(), parameters, 1.0, 3000, 3);
        resolved.run.drain_cycles = 10_000;
        for engine in [EngineChoice::Sync, EngineChoice::SyncPlain] {
            // The checker refuses a missing link.
            let shown = run(&resolved, engine);
            assert!(
                shown.observation.all_deroutes > 100,
                "{grid:?}: too few to test anything"
            );
        }
    }
}

/// Every size from 1 to 8 drains under the load that fills it.
#[test]
fn every_multiqueue_drains() {
    for frames in 1..=8 {
        for grid in [Grid::mesh(&[6, 6]).unwrap(), Grid::torus(&[6, 6]).unwrap()] {
            for pattern in ["uniform", "tornado", "transpose"] {
                let ended = overload(&grid, pattern, frames, 1.0, 20_000);
                assert_eq!(ended, Ended::Empty, "{grid:?} {pattern}, {frames} frames");
            }
        }
    }
}

/// Minimal Chaos on a torus: rings of packets that wait for each other. The run must find and name
/// them.
#[test]
fn without_derouting_a_torus_deadlocks_and_names_the_circle() {
    for engine in [EngineChoice::Sync, EngineChoice::SyncPlain] {
        let mut parameters = ChaosParameters::chinn_1995(4);
        parameters.derouting = false;
        let grid = Grid::torus(&[8, 8]).unwrap();
        let mut resolved = chaos(grid.clone(), parameters, 1.0, 5000, 1);
        resolved.traffic.pattern = BitReversal.into();
        resolved.run.engine = engine;
        resolved.run.drain_cycles = 20_000;
        let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        let results = Results::new(&resolved, &simulated);
        assert_eq!(results.status, Status::Failed);
        let failure = results.failure.expect("a failed run says why");
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert_eq!(failure.packets, results.packets.in_network);
        assert!(
            failure
                .waits
                .iter()
                .any(|wait| wait.waits_for.contains("to free its input frame"))
        );
        is_a_circle(&grid, &failure);
    }
}

/// In an overloaded network no packet in a delivery frame waits for anybody, and none whose head already stands in the next
/// node.
#[test]
fn a_packet_on_its_way_waits_for_nobody() {
    let grid = Grid::torus(&[4, 4]).unwrap();
    for duplex in [
        Duplex::Full,
        Duplex::Half {
            turnaround_cycles: 0,
        },
    ] {
        for engine in [EngineChoice::SyncPlain, EngineChoice::Sync] {
            let parameters = ChaosParameters::chaos_chip(4);
            let mut resolved = chaos(grid.clone(), parameters, 1.0, 5000, 1);
            resolved.network.duplex = duplex;
            resolved.run.engine = engine;
            resolved.run.drain_cycles = 0;
            let waits = watch(&resolved, ()).waits;
            let mut held_up = 0;
            for wait in &waits {
                let (WaitsFor::Neighbour(port) | WaitsFor::Turn(port)) = wait.waits_for else {
                    continue;
                };
                assert_ne!(port, grid.local(), "{wait:?}");
                let far = grid.neighbour(wait.node, port).expect("a link");
                let mut there = waits.iter().filter(|other| other.node == far);
                assert!(there.all(|other| other.packet != wait.packet), "{wait:?}");
                held_up += 1;
            }
            assert!(held_up > 0, "{duplex:?} {engine:?}");
        }
    }
}

/// Each of the circle's nodes waits for the next over the named link, and the last for the first; no node is
/// named twice. The waits of the circle come first, in the same order.
fn is_a_circle(grid: &Grid, failure: &Failure) {
    let steps = failure.circle.iter().map(|named| {
        let mut words = named.strip_prefix("node ").unwrap().split(' ');
        let node: u32 = words.next().unwrap().parse().unwrap();
        let link = named.rsplit_once(") ").unwrap().1;
        let port = link.split(' ').next().unwrap();
        let named_so = |number: &u8| grid.port_name(Port(*number)) == port;
        let port = (0..grid.ports() as u8).find(named_so).unwrap();
        (NodeId(node), link.to_owned(), Port(port))
    });
    let steps: Vec<_> = steps.collect();
    assert!(steps.len() >= 2, "{failure}");
    for (number, (node, link, port)) in steps.iter().enumerate() {
        let next = steps[(number + 1) % steps.len()].0;
        assert_eq!(grid.neighbour(*node, *port), Some(next), "{failure}");
        let wait = &failure.waits[number];
        assert_eq!(wait.node, node.0, "{failure}");
        let reported = format!("{wait}");
        // A wait for room names the far end's buffer.
        let far = format!("room in input {}", grid.port_name(grid.opposite(*port)));
        assert!(
            reported.contains(&**link) || reported.contains(&far),
            "{reported}: {link}"
        );
    }
    let mut nodes: Vec<(NodeId, &str)> = steps.iter().map(|step| (step.0, &*step.1)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), steps.len(), "{failure}");
}

/// Worms on a ring of one virtual channel hold what the next ones want. Each occupies several nodes, but is a
/// single packet.
#[test]
fn worms_that_block_each_other_are_counted_once() {
    let grid = Grid::torus(&[6, 6]).unwrap();
    let parameters = WormholeParameters {
        vcs: 1,
        buffer_words: 2,
        ..WormholeParameters::default()
    };
    let routing = RoutingParameters {
        name: "fully-adaptive".into(),
        channels: 1,
        ..RoutingParameters::default()
    };
    let router = any_router(RoutedWormhole {
        parameters,
        function: Parts::new().find(&routing.name).unwrap(),
        routing,
        allow_deadlock: true,
    });
    for engine in [EngineChoice::Sync, EngineChoice::SyncPlain] {
        let mut resolved = machine(grid.clone(), router.clone(), 1.0, 2000, 1);
        resolved.traffic.lengths = LengthLaw::Fixed { words: 12 };
        resolved.run.engine = engine;
        resolved.run.drain_cycles = 20_000;
        let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        let results = Results::new(&resolved, &simulated);
        let failure = results.failure.expect("it deadlocks");
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert_eq!(failure.packets, results.packets.in_network);
        let places = failure.waits.len() as u64;
        assert!(
            places > failure.packets,
            "worms of 12 words fill six buffers"
        );
        is_a_circle(&grid, &failure);
    }
}

/// The same network with derouting on drains: it is derouting that prevents the deadlock.
#[test]
fn with_derouting_the_same_torus_drains() {
    let grid = Grid::torus(&[8, 8]).unwrap();
    let mut resolved = chaos(grid.clone(), ChaosParameters::chinn_1995(4), 1.0, 5000, 1);
    resolved.traffic.pattern = BitReversal.into();
    let done = watch(&resolved, Balance::new(&grid));
    assert_eq!(done.outcome.ended, Ended::Empty);
    assert!(done.probe.hops > 0);
}

/// A static problem that can't end is a failure too, at its deadline.
#[test]
fn a_deadline_ends_a_static_problem() {
    let mut resolved = chaos(
        Grid::mesh(&[8, 8]).unwrap(),
        ChaosParameters::chinn_1995(4),
        0.0,
        100,
        1,
    );
    resolved.traffic.process = OnceParameters { packets: 1 }.into();
    resolved.run.deadline_cycles = 20;
    for engine in [EngineChoice::Sync, EngineChoice::SyncPlain] {
        resolved.run.engine = engine;
        let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        let results = Results::new(&resolved, &simulated);
        assert_eq!(results.status, Status::Failed);
        assert_eq!(results.cycles, 20);
        assert!(results.packets.in_network > 0);
    }
}
