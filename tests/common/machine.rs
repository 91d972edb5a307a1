//! Random networks and loads, printed in full when a test on one fails.

use flitwork_config::{
    AnyRouter, ClockParameters, EnergyParameters, EngineChoice, FaultPlan, FileTexts,
    NetworkParameters, Resolved, RunParameters, TrafficParameters,
};
use flitwork_engine::{Ended, Outcome};
use flitwork_experiment::simulate::{Finished, demand, execute};
use flitwork_experiment::simulation::start_clocked;
use flitwork_live::Options;
use flitwork_measure::Window;
use flitwork_network::{Clocks, Demand};
use flitwork_node::{AnyProbe, Probe, Wait};
use flitwork_observe::{Observation, Observer};
use flitwork_router::chaos::{
    ChaosParameters, Delivery, DerouteAmong, InitialPointer, MultiqueueFreed, MultiqueuePolicy,
};
use flitwork_router::deflection::DeflectionParameters;
use flitwork_router::greedy_hp::{Assignment, GreedyHpParameters};
use flitwork_router::queueing::QueueingParameters;
use flitwork_router::wormhole::{RoutedWormhole, Switching};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{AnyPattern, BernoulliParameters, LengthLaw, Uniform};
use flitwork_types::{Cycle, Duplex};
use proptest::prelude::*;
use std::any::Any;
use std::ops::ControlFlow;

use super::checker::{Rules, check};
use super::deflections::any_parameters;
use super::queueings::{check_queues, is_free_of_deadlock, queueings};
use super::recorder::Recorder;
use super::timings::shortest_link_ps;
use super::workloads::{lengths, processes};
use super::worm_checker::check_worms;
use super::wormholes::wormholes;

/// A router of the table. `AnyRouter::from` would compile its engines once more here.
pub(crate) fn any_router(parameters: impl Any) -> AnyRouter {
    AnyRouter::built_in(&parameters).expect("a router of the table")
}

/// A configuration of open-loop traffic on a Chaos network.
pub(crate) fn chaos(
    grid: Grid,
    parameters: ChaosParameters,
    load: f64,
    cycles: u32,
    seed: u64,
) -> Resolved {
    machine(grid, any_router(parameters), load, cycles, seed)
}

/// A configuration of open-loop uniform traffic.
pub(crate) fn machine(
    grid: Grid,
    router: AnyRouter,
    load: f64,
    cycles: u32,
    seed: u64,
) -> Resolved {
    Resolved {
        texts: FileTexts::default(),
        network: NetworkParameters::new(grid, 1, router.credit_words()),
        traffic: TrafficParameters {
            process: BernoulliParameters { load }.into(),
            lengths: LengthLaw::Fixed {
                words: packet_words_of(&router, seed),
            },
            pattern: Uniform::default().into(),
            resend_after_cycles: None,
        },
        faults: FaultPlan::default(),
        router,
        run: RunParameters {
            seed,
            engine: EngineChoice::Sync,
            warmup_cycles: cycles / 4,
            measure_cycles: cycles - cycles / 4,
            drain_cycles: 20 * cycles + 10_000,
            stop_at_overload: false,
            deadline_cycles: 30 * cycles + 10_000,
        },
        clocks: ClockParameters::default(),
        live: Options::new(1),
        energy: EnergyParameters::default(),
    }
}

/// Words per packet: the router's own number, or one chosen by the seed.
fn packet_words_of(router: &AnyRouter, seed: u64) -> u16 {
    let drawn = 1 + (seed % u64::from(most_words(router))) as u16;
    router.fixed_words().unwrap_or(drawn)
}

/// The longest random packets for a router.
fn most_words(router: &AnyRouter) -> u16 {
    match router.get::<RoutedWormhole>().map(|it| &it.parameters) {
        Some(wormhole) if wormhole.switching != Switching::Wormhole => wormhole.buffer_words,
        _ => 12,
    }
}

pub(crate) fn grids() -> BoxedStrategy<Grid> {
    let sides = prop_oneof![
        4 => prop::collection::vec(2u32..6, 2..=2),
        1 => prop::collection::vec(2u32..12, 1..=1),
        2 => prop::collection::vec(2u32..4, 3..=4),
    ];
    (sides, any::<bool>())
        .prop_map(|(sides, wraps)| {
            let grid = if wraps {
                Grid::torus(&sides)
            } else {
                Grid::mesh(&sides)
            };
            grid.expect("sides of 2 and more make a grid")
        })
        .boxed()
}

/// When an output frame is decided on again, what a deroute is drawn among, and when a multiqueue frame is free.
pub(crate) fn chaos_readings() -> BoxedStrategy<(u32, DerouteAmong, MultiqueueFreed)> {
    let reopen = prop_oneof![3 => Just(0u32), 2 => Just(1), 1 => 2u32..6];
    let among = prop_oneof![3 => Just(DerouteAmong::Ready), 2 => Just(DerouteAmong::All)];
    let freed = prop_oneof![3 => Just(MultiqueueFreed::Decision), 2 => Just(MultiqueueFreed::Tail)];
    (reopen, among, freed).boxed()
}

fn chaos_parameters(ports: usize) -> BoxedStrategy<ChaosParameters> {
    let sizes = (1u16..14, 1usize..8, 0u32..12, 1u32..6, 0u32..4);
    let order = Just(ChaosParameters::usual_scan_order(ports)).prop_shuffle();
    let policy = prop_oneof![
        4 => Just(MultiqueuePolicy::OldestFirst),
        1 => Just(MultiqueuePolicy::NewestFirst),
        1 => Just(MultiqueuePolicy::Random),
    ];
    let switches = (
        any::<bool>(),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.8),
    );
    (
        (sizes, chaos_readings()),
        order,
        policy,
        switches,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            move |(
                (sizes, readings),
                order,
                multiqueue_policy,
                (derouting, bypass, cut_through),
                random,
                frame,
            )| {
                let (packet_words, multiqueue_frames, stall, latency, later) = sizes;
                let mut parameters = ChaosParameters::chinn_1995(ports);
                parameters.packet_words = packet_words;
                parameters.multiqueue_frames = multiqueue_frames;
                parameters.stall_threshold_cycles = stall;
                parameters.decision_latency_cycles = latency;
                parameters.multiqueue_policy = multiqueue_policy;
                parameters.derouting = derouting;
                parameters.bypass = bypass;
                parameters.cut_through = cut_through;
                parameters.initial_pointer = if random {
                    InitialPointer::Random
                } else {
                    InitialPointer::Fixed
                };
                parameters.delivery = if frame {
                    Delivery::Frame
                } else {
                    Delivery::Vanish
                };
                parameters.input_release_cycles = parameters.least_release_cycles() + later;
                (
                    parameters.output_reopen_cycles,
                    parameters.deroute_among,
                    parameters.multiqueue_freed_at,
                ) = readings;
                parameters
                    .set_scan_order(order, ports)
                    .expect("a shuffled order has every port");
                parameters.check().expect("drawn from what is allowed");
                parameters
            },
        )
        .boxed()
}

/// How long a machine runs: mostly as long as it takes, or cut at any moment, including the first cycles and
/// the edges of phases. A drain for open loops, and a deadline for the others.
fn cuts() -> BoxedStrategy<Option<(u32, u32)>> {
    let drain = prop_oneof![Just(0u32), 1u32..4, 1u32..60];
    let deadline = prop_oneof![1u32..4, 1u32..60, 1u32..600];
    prop::option::weighted(0.5, (drain, deadline)).boxed()
}

/// Links whose directions share a wire or don't; some take longer to turn around than a packet has words.
pub(crate) fn duplexes() -> BoxedStrategy<Duplex> {
    let turnaround = prop_oneof![3 => Just(0u32), 2 => 1u32..3, 1 => 3u32..20];
    let half = turnaround.prop_map(|turnaround_cycles| Duplex::Half { turnaround_cycles });
    prop_oneof![Just(Duplex::Full), half].boxed()
}

/// Hot potatoes with any assignment.
pub(crate) fn hot_potatoes() -> BoxedStrategy<AnyRouter> {
    let assignment = prop::sample::select(&Assignment::ALL);
    let router = assignment.prop_map(|assignment| any_router(GreedyHpParameters { assignment }));
    router.boxed()
}

/// Any router on any small grid under any traffic, for as long as it takes or until it is cut.
pub(crate) fn machines() -> BoxedStrategy<Resolved> {
    let drawn = grids().prop_flat_map(|grid| {
        let router = prop_oneof![
            4 => chaos_parameters(grid.ports()).prop_map(any_router),
            1 => hot_potatoes(),
            5 => wormholes(&grid),
            2 => any_parameters().prop_map(any_router),
            u32::from(is_free_of_deadlock(&grid)) * 2 => queueings(false).prop_map(any_router),
        ];
        (Just(grid), router)
    });
    let drawn = drawn.prop_flat_map(|(grid, router)| {
        let (fixed, most) = (router.fixed_words(), most_words(&router));
        let traffic = (processes(grid.nodes(), fixed, most), lengths(most));
        (Just(grid), Just(router), traffic)
    });
    let pattern = prop_oneof![Just("uniform"), Just("permutation"), Just("neighbour")];
    // Some links are longer than a packet.
    let latency = prop_oneof![4 => 1u32..5, 1 => 5u32..20];
    let links = (latency, duplexes());
    (drawn, pattern, links, 40u32..400, cuts(), any::<u64>())
        .prop_map(
            |(
                (grid, router, (process, lengths)),
                pattern,
                (latency, duplex),
                cycles,
                cut,
                seed,
            )| {
                let mut resolved = machine(grid, router, 0.0, cycles, seed);
                let words = resolved.router.credit_words();
                let grid = resolved.network.grid().clone();
                resolved.network = NetworkParameters::new(grid, latency, words);
                if resolved.router.facts().takes_half_duplex {
                    resolved.network.duplex = duplex;
                }
                resolved.traffic.process = process;
                if let Some((drain_cycles, deadline_cycles)) = cut {
                    resolved.run.drain_cycles = drain_cycles;
                    resolved.run.deadline_cycles = deadline_cycles;
                }
                if resolved.router.fixed_words().is_none() {
                    resolved.traffic.lengths = lengths;
                }
                resolved.traffic.pattern =
                    AnyPattern::named(&flitwork_schema::Parts::new(), pattern).expect("a pattern");
                let built = resolved
                    .traffic
                    .pattern
                    .build(resolved.network.grid(), seed);
                if built.is_err() {
                    // A random permutation of very few nodes may leave each where it is.
                    resolved.traffic.pattern = Uniform::default().into();
                }
                resolved
            },
        )
        .boxed()
}

/// Everything that a run reports.
pub(crate) struct Shown {
    pub(crate) digest: Digest,
    pub(crate) observation: Observation,
    pub(crate) recorder: Recorder,
    pub(crate) ended: Ended,
    pub(crate) cycle: Cycle,
    pub(crate) backlog: u64,
}

/// Runs a configuration on an engine and checks its events.
pub(crate) fn run(resolved: &Resolved, engine: EngineChoice) -> Shown {
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    let latency = resolved.network.link_latency_cycles;
    let Finished { outcome, probe, .. } = watch(&resolved, probes(&resolved, latency));
    show(&resolved, None, outcome, probe)
}

/// Runs a configuration on the clocked engine and checks its events.
pub(crate) fn run_clocked(resolved: &Resolved, clocks: &Clocks, shuffle: u64) -> Shown {
    let latency = (shortest_link_ps(&clocks.links) / clocks.nominal_ps) as u32;
    let probe = probes(resolved, latency);
    let (outcome, probe, _) = watch_clocked(resolved, clocks, shuffle, probe);
    show(resolved, Some(latency), outcome, probe)
}

type Probes = (Digest, Observer, Recorder);

/// The cycles that are observed.
pub(crate) fn window_of(resolved: &Resolved) -> Window {
    flitwork_experiment::simulate::window(resolved)
}

/// An observer of a configuration's run.
pub(crate) fn shown_observer(resolved: &Resolved) -> Observer {
    observer_of(resolved, resolved.network.link_latency_cycles)
}

fn observer_of(resolved: &Resolved, latency_cycles: u32) -> Observer {
    let shape = resolved.network.shape.clone();
    let observer = Observer::new(shape, latency_cycles, window_of(resolved));
    match resolved.router.facts().words_travel_alone {
        true => observer.of_lone_words(),
        false => observer,
    }
}

fn probes(resolved: &Resolved, latency_cycles: u32) -> Probes {
    let observer = observer_of(resolved, latency_cycles);
    (Digest::default(), observer, Recorder::default())
}

/// Checks a finished run. `many_clocks` is a link's latency in whole reference cycles, if nodes have their
/// own clocks.
fn show(
    resolved: &Resolved,
    many_clocks: Option<u32>,
    outcome: Outcome,
    (digest, observer, recorder): Probes,
) -> Shown {
    let complete = outcome.ended == Ended::Empty;
    let mut rules = rules(resolved, complete);
    // Frames that the last deliveries free may become free only after the end.
    let last = recorder.events.iter().map(|event| event.0).max();
    rules.settled =
        complete && last.is_none_or(|last| last + SETTLING_CYCLES <= demand(resolved).end);
    if let Some(latency_cycles) = many_clocks {
        rules.many_clocks = true;
        rules.link_latency_cycles = latency_cycles;
    }
    let grid = resolved.network.grid();
    if let Some(wormhole) = resolved.router.get::<RoutedWormhole>() {
        check_worms(grid, rules, wormhole.parameters.buffer_words, &recorder);
    } else if let Some(queueing) = resolved.router.get::<QueueingParameters>() {
        check_queues(grid, rules, queueing, &recorder);
    } else if !resolved.router.is::<DeflectionParameters>() {
        // Deflection routers have checks in their own tests.
        check(grid, rules, &recorder);
    }
    let observation = observer.finish(window_of(resolved).end());
    if complete {
        assert_eq!(observation.injected, observation.delivered);
        assert_eq!(observation.created, observation.delivered + outcome.backlog);
    }
    Shown {
        digest,
        observation,
        recorder,
        ended: outcome.ended,
        cycle: outcome.cycle,
        backlog: outcome.backlog,
    }
}

/// Runs a configuration on the clocked engine under a probe.
pub(crate) fn watch_clocked<P: Probe + Send + 'static>(
    resolved: &Resolved,
    clocks: &Clocks,
    shuffle: u64,
    probe: P,
) -> (Outcome, P, Vec<Wait>) {
    let clocks = (clocks.clone(), shuffle);
    execute_clocked(resolved, demand(resolved), clocks, probe)
}

/// Runs a demand on a configuration's network and the clocked engine with other clocks than the configuration's; the
/// number keys the order in which nodes are visited.
pub(crate) fn execute_clocked<P: Probe + Send + 'static>(
    resolved: &Resolved,
    demand: Demand,
    clocks: (Clocks, u64),
    probe: P,
) -> (Outcome, P, Vec<Wait>) {
    let mut run = start_clocked(resolved, clocks, demand, AnyProbe::new(probe));
    let outcome = run.run(&mut |_| ControlFlow::Continue(()));
    let waits = run.waits();
    (outcome, run.into_probe().into_probe(), waits)
}

/// Runs a configuration under a probe.
pub(crate) fn watch<P: Probe + Send + 'static>(resolved: &Resolved, probe: P) -> Finished<P> {
    execute(resolved, demand(resolved), probe, &mut |_| {
        ControlFlow::Continue(())
    })
}

/// Cycles after the last delivery by which every frame is free again, in these random networks: many times
/// the longest packet, latency and decision.
const SETTLING_CYCLES: u32 = 300;

/// The rules for the checker of a configuration's runs.
pub(crate) fn rules(resolved: &Resolved, complete: bool) -> Rules {
    let chaos = resolved.router.get::<ChaosParameters>();
    let (queue_frames, frames, delivery_frame) = match chaos {
        Some(parameters) => (
            parameters.multiqueue_frames,
            true,
            parameters.delivery == Delivery::Frame,
        ),
        None => (0, false, false),
    };
    Rules {
        packet_words: resolved.packet_words().into(),
        link_latency_cycles: resolved.network.link_latency_cycles,
        many_clocks: false,
        queue_frames,
        frames,
        delivery_frame,
        complete,
        settled: complete,
    }
}
