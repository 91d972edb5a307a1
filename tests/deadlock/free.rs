//! Every random machine that `check` calls free of deadlock is run at full load for a while, and must drain.
//!
//! Each machine comes from a seed, which a failure prints; `DEADLOCK_SEED` runs one again.

#![expect(
    clippy::print_stderr,
    reason = "a long run says how far it is, and its seeds"
)]

use super::asynchrony::{Asynchrony, asynchronies};
use super::patterns_of_grids;
use crate::common::deflections::any_parameters;
use crate::common::machine::{any_router, chaos_readings, duplexes, hot_potatoes, machine};
use crate::common::queueings::queueings;
use crate::common::wormholes::wormholes;
use flitwork_config::{AnyRouter, EngineChoice, NetworkParameters, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::examine::{Deadlock, Livelock, examine};
use flitwork_experiment::simulate::{demand, execute};
use flitwork_node::{Event, Probe};
use flitwork_router::chaos::{ChaosParameters, Delivery, InitialPointer, MultiqueuePolicy};
use flitwork_router::scheduled::ScheduleParameters;
use flitwork_router::wormhole::RoutedWormhole;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{
    AnyPattern, HotSpotParameters, LengthLaw, ListedParameters, ManyToOneParameters, OnceParameters,
};
use flitwork_types::{Cycle, NodeId, TerminalId};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cycles in which a network has to empty, in the first attempt and the last.
const PATIENCE: [u32; 2] = [200_000, 4_000_000];

fn grids() -> BoxedStrategy<Grid> {
    let sides = prop_oneof![
        6 => prop::collection::vec(2u32..5, 2..=2),
        2 => prop::collection::vec(2u32..9, 1..=1),
        1 => Just(vec![2, 2, 2]),
        1 => Just(vec![3, 2, 2]),
    ];
    (sides, any::<bool>())
        .prop_map(|(sides, wraps)| match wraps {
            true => Grid::torus(&sides).expect("sides of 2 and more"),
            false => Grid::mesh(&sides).expect("sides of 2 and more"),
        })
        .boxed()
}

/// Chaos routers, mostly with boundary values: few frames, short packets, no patience.
fn chaos_routers(ports: usize) -> BoxedStrategy<ChaosParameters> {
    let words = prop_oneof![3 => 1u16..4, 2 => 4u16..11];
    let frames = prop_oneof![4 => 1usize..4, 1 => 4usize..7];
    let cycles = (prop_oneof![Just(0u32), Just(2), 1u32..12], 1u32..5, 0u32..4);
    let policy = prop_oneof![
        Just(MultiqueuePolicy::OldestFirst),
        Just(MultiqueuePolicy::NewestFirst),
        Just(MultiqueuePolicy::Random),
    ];
    let pointer = prop_oneof![Just(InitialPointer::Fixed), Just(InitialPointer::Random)];
    let delivery = prop_oneof![3 => Just(Delivery::Frame), 1 => Just(Delivery::Vanish)];
    let order = Just(ChaosParameters::usual_scan_order(ports)).prop_shuffle();
    let bits = (
        prop::bool::weighted(0.9),
        any::<bool>(),
        any::<bool>(),
        0u16..3,
    );
    (
        (words, frames, cycles),
        (policy, pointer, delivery),
        order,
        (bits, chaos_readings()),
    )
        .prop_map(
            move |(
                (words, frames, (stall, decision, release)),
                choices,
                order,
                (bits, readings),
            )| {
                let mut chaos = ChaosParameters::chinn_1995(ports);
                chaos.packet_words = words;
                chaos.multiqueue_frames = frames;
                chaos.stall_threshold_cycles = stall;
                chaos.decision_latency_cycles = decision;
                chaos.input_release_cycles = chaos.least_release_cycles() + release;
                (
                    chaos.output_reopen_cycles,
                    chaos.deroute_among,
                    chaos.multiqueue_freed_at,
                ) = readings;
                (
                    chaos.multiqueue_policy,
                    chaos.initial_pointer,
                    chaos.delivery,
                ) = choices;
                (chaos.derouting, chaos.bypass, chaos.cut_through) = (bits.0, bits.1, bits.2);
                chaos
                    .set_scan_order(order, ports)
                    .expect("a shuffled order");
                chaos.check().expect("drawn from what is allowed");
                chaos
            },
        )
        .boxed()
}

fn routers(grid: &Grid) -> BoxedStrategy<AnyRouter> {
    prop_oneof![
        8 => chaos_routers(grid.ports()).prop_map(any_router),
        1 => hot_potatoes(),
        8 => wormholes(grid),
        2 => any_parameters().prop_map(any_router),
        1 => Just(any_router(ScheduleParameters::OneBend)),
        3 => queueings(true).prop_map(any_router),
    ]
    .boxed()
}

/// A machine at full load, and the same one with a clock for every node.
#[derive(Clone, Debug)]
struct Case {
    resolved: Resolved,
    asynchrony: Asynchrony,
}

fn cases(cycles: u32) -> BoxedStrategy<Case> {
    let machines = grids().prop_flat_map(|grid| (routers(&grid), Just(grid)));
    let latency = prop_oneof![2 => Just(1u32), 3 => 2u32..6, 1 => 6u32..14];
    let links = (latency, duplexes());
    let traffic = (0..patterns_of_grids().len(), 1u16..12, links);
    let machines = machines.prop_flat_map(|(router, grid)| {
        let asynchrony = asynchronies(grid.nodes());
        (Just((router, grid)), asynchrony)
    });
    (machines, traffic, any::<u64>())
        .prop_map(
            move |(((router, grid), asynchrony), (pattern, words, (latency, duplex)), seed)| {
                let mut resolved = machine(grid.clone(), router, 1.0, cycles, seed);
                let ahead = resolved.router.credit_words();
                resolved.network = NetworkParameters::new(grid, latency, ahead);
                if resolved.router.facts().takes_half_duplex {
                    resolved.network.duplex = duplex;
                }
                if resolved.router.fixed_words().is_none()
                    && !resolved.router.is::<RoutedWormhole>()
                {
                    resolved.traffic.lengths = LengthLaw::Fixed { words };
                }
                set_pattern(&mut resolved, patterns_of_grids()[pattern].name);
                if resolved.router.is::<ScheduleParameters>() {
                    resolved.traffic.process = OnceParameters { packets: 3 }.into();
                    resolved.run.deadline_cycles = 1_000_000;
                }
                Case {
                    resolved,
                    asynchrony,
                }
            },
        )
        .boxed()
}

/// Sets a pattern with its keys, or uniform traffic if the pattern doesn't suit the grid.
fn set_pattern(resolved: &mut Resolved, name: &str) {
    let nodes = resolved.network.nodes();
    let mut pattern = AnyPattern::named(&flitwork_schema::Parts::new(), name).expect("a pattern");
    if let Some(spot) = pattern.get_mut::<HotSpotParameters>() {
        spot.hot_nodes = Some(vec![TerminalId(0), TerminalId(nodes / 2)]);
        spot.hot_fraction = Some(0.3);
    }
    if let Some(list) = pattern.get_mut::<ListedParameters>() {
        list.destinations = Some((0..nodes).map(|node| TerminalId(node / 2)).collect());
    }
    if let Some(to) = pattern.get_mut::<ManyToOneParameters>() {
        to.destination = Some(TerminalId(nodes / 2));
    }
    let built = pattern.build(resolved.network.grid(), resolved.run.seed);
    if built.is_ok() {
        resolved.traffic.pattern = pattern;
    }
}

impl Case {
    fn of(seed: u64, cycles: u32) -> Case {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let drawn = cases(cycles).new_tree(&mut runner);
        drawn.expect("every draw is a machine").current()
    }

    fn clocked(&self) -> Option<Resolved> {
        if self.resolved.router.is::<ScheduleParameters>() {
            return None;
        }
        Some(self.asynchrony.give(self.resolved.clone()))
    }
}

/// The cycle in which a head last left a node.
#[derive(Default)]
struct LastHead(Cycle);

impl Probe for LastHead {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        if let Event::Head { .. } = event {
            self.0 = self.0.max(cycle);
        }
    }
}

/// How a network that was loaded for some cycles ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Empty,
    /// Nothing moves.
    Stuck,
    /// Packets move, and are never delivered, however long the run.
    Moving,
}

/// Full load for `cycles`; then packets that wait in the sources stay there, and the network must drain.
fn run(resolved: &Resolved, cycles: u32) -> End {
    let mut last = None;
    for patience in PATIENCE {
        let mut given = demand(resolved);
        if !resolved.router.is::<ScheduleParameters>() {
            given.inject_until = Cycle(cycles);
        }
        given.end = Cycle(cycles + patience);
        let go_on = &mut |_| ControlFlow::Continue(());
        let done = execute(resolved, given, LastHead::default(), go_on);
        match done.outcome.ended {
            Ended::Empty => return End::Empty,
            Ended::Deadline if last != Some(done.probe.0) => last = Some(done.probe.0),
            // No head has left in all the time that was added.
            _ => return End::Stuck,
        }
    }
    End::Moving
}

/// The outcome of a seed: on how many engines `check` calls it free of deadlock and it ran, and on how many of these
/// `check` calls it free of livelock, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ran {
    free_of_deadlock: u64,
    free_of_both: u64,
}

fn hold(seed: u64, cycles: u32) -> Result<Ran, String> {
    let case = Case::of(seed, cycles);
    let mut ran = Ran::default();
    for resolved in [Some(case.resolved.clone()), case.clocked()]
        .into_iter()
        .flatten()
    {
        let found = examine(&resolved);
        let Deadlock::Free(why) = found.deadlock else {
            continue;
        };
        let may_livelock = matches!(found.livelock, Livelock::Unknown(_));
        let engine = resolved.run.engine;
        match run(&resolved, cycles) {
            End::Empty => {}
            // Nothing was promised.
            End::Moving if may_livelock => {}
            end => {
                return Err(format!(
                    "DEADLOCK_SEED={seed}: {end:?} on {engine:?} where check says {why:?} and {:?}: {resolved:?}",
                    found.livelock
                ));
            }
        }
        ran.free_of_deadlock += 1;
        ran.free_of_both += u64::from(!may_livelock);
    }
    Ok(ran)
}

/// Seeds from the first on, until `wanted` machines that are called free have been run on every engine.
fn check_all(first: u64, wanted: u64, cycles: u32) {
    let (next, machines) = (AtomicU64::new(first), AtomicU64::new(0));
    // Machines that may livelock, as `check` says, but not deadlock.
    let others = AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(2));
    let work = || {
        let mut failures = Vec::new();
        while machines.load(Ordering::Relaxed) < wanted {
            match hold(next.fetch_add(1, Ordering::Relaxed), cycles) {
                Ok(ran) => {
                    others.fetch_add(
                        u64::from(ran.free_of_both == 0 && ran.free_of_deadlock > 0),
                        Ordering::Relaxed,
                    );
                    if ran.free_of_both == 0 {
                        continue;
                    }
                    let held = 1 + machines.fetch_add(1, Ordering::Relaxed);
                    if held.is_multiple_of(100) {
                        eprintln!("{held} of {wanted} machines");
                    }
                }
                Err(failure) => {
                    eprintln!("{failure}");
                    failures.push(failure);
                }
            }
        }
        failures
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let done = spawned.into_iter();
        done.flat_map(|worker| worker.join().expect("a worker ends"))
            .collect()
    });
    let seeds = first..next.into_inner();
    eprintln!(
        "{machines:?} machines of seeds {seeds:?}, and {others:?} more that are free of deadlock only"
    );
    assert!(
        failures.is_empty(),
        "{} failed: {failures:#?}",
        failures.len()
    );
}

fn number(name: &str) -> Option<u64> {
    let given = std::env::var(name).ok()?;
    Some(
        given
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

#[test]
fn what_check_calls_free_drains() {
    check_all(0, 12, 2_000);
}

/// The long version: 2,000 machines, 20,000 cycles.
#[test]
#[ignore = "takes 20 minutes; docs/src/contributing.md says how"]
fn thousands_that_check_calls_free_drain() {
    const CYCLES: u32 = 20_000;
    if let Some(seed) = number("DEADLOCK_SEED") {
        eprintln!("{:#?}", Case::of(seed, CYCLES));
        hold(seed, CYCLES).unwrap_or_else(|failure| panic!("{failure}"));
        return;
    }
    let first = number("DEADLOCK_FIRST_SEED").unwrap_or(1_000);
    check_all(first, number("DEADLOCK_CASES").unwrap_or(2_000), CYCLES);
}

/// Two distant nodes, whose packets of two words are ready long after the next has been decided on: seven of
/// twelve seeds ended with both output frames waiting for each other before the stall rule took this into
/// account.
#[test]
fn long_links_do_not_block_neighbours_forever() {
    for (latency, words, frames, threshold, seeds) in
        [(4, 2, 2, 7, 12), (5, 4, 2, 2, 3), (3, 1, 3, 0, 3)]
    {
        for seed in 1..=seeds {
            let grid = Grid::torus(&[4, 4]).unwrap();
            let mut parameters = ChaosParameters::chinn_1995(4);
            parameters.packet_words = words;
            parameters.multiqueue_frames = frames;
            parameters.stall_threshold_cycles = threshold;
            parameters.input_release_cycles = parameters.least_release_cycles() + 1;
            let router = any_router(parameters);
            let mut resolved = machine(grid.clone(), router, 1.0, 20_000, seed);
            resolved.network = NetworkParameters::new(grid, latency, Some(words.into()));
            resolved.run.engine = match seed {
                1 => EngineChoice::SyncStepped,
                _ => EngineChoice::Sync,
            };
            let end = run(&resolved, 20_000);
            assert_eq!(end, End::Empty, "{latency} {words} {seed}");
        }
    }
}

/// Links as long as the published rules bear, and a cycle longer: `check` says which rule holds, and all drain.
#[test]
fn an_output_that_stays_shut_bears_longer_links() {
    for (words, reopen, cut_through) in [(2, 2, true), (1, 3, true), (3, 4, false)] {
        let lag = if cut_through { 0 } else { u32::from(words) - 1 };
        let longest = u32::from(words) + reopen - lag;
        for (latency, seed) in (1..=6).flat_map(|seed| [(longest, seed), (longest + 1, seed)]) {
            let grid = Grid::torus(&[4, 4]).unwrap();
            let mut parameters = ChaosParameters::chinn_1995(4);
            parameters.packet_words = words;
            parameters.multiqueue_frames = 4;
            parameters.cut_through = cut_through;
            parameters.output_reopen_cycles = reopen;
            parameters.input_release_cycles = parameters.least_release_cycles();
            let mut resolved = machine(grid.clone(), any_router(parameters), 1.0, 10_000, seed);
            resolved.network = NetworkParameters::new(grid, latency, Some(words.into()));
            let Deadlock::Free(why) = examine(&resolved).deadlock else {
                panic!("derouting makes Chaos free of deadlock");
            };
            let by_the_book = why.contains("neighbours can exchange packets");
            assert_eq!(by_the_book, latency == longest, "{why}");
            assert_eq!(
                run(&resolved, 10_000),
                End::Empty,
                "{latency} {words} {seed}"
            );
        }
    }
}
