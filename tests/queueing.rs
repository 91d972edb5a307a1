//! The router with a queue at each incoming link makes the moves of the papers' model of steps.

use crate::common::live_runs::{Memory, live, options, replay};
use crate::common::machine::{any_router, machine, run};
use crate::common::properties::properties;
use crate::common::queueings::order;
use crate::common::recorder::Recorder;
use flitwork_adversary::packets;
use flitwork_config::EngineChoice;
use flitwork_engine::{Clocked, Ended, Engine, EventDriven, Plain};
use flitwork_live::Runtime;
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{Event, Probe, draw};
use flitwork_router::queueing::{Order, Queueing, QueueingParameters};
use flitwork_steps::rules::{
    DimensionOrder, FarthestFirst, Fifo, Fixed, Lifo, Link, NearestFirst, Order as StepOrder,
    StraightFirst,
};
use flitwork_steps::{Blind, Machine, Nobody, Seen, Store};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{LengthLaw, Once, OnceParameters, PermutationParameters};
use flitwork_types::{Cycle, NodeId, Port};
use proptest::prelude::*;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A problem, and the queues in which it is routed.
#[derive(Clone, Debug)]
struct Case {
    grid: Grid,
    parameters: QueueingParameters,
    /// From where to where, a packet a node at most.
    problem: Vec<(NodeId, NodeId)>,
    words: u16,
    seed: u64,
}

fn grids() -> BoxedStrategy<Grid> {
    let plane = prop::collection::vec(2u32..9, 2..=2);
    let other = prop_oneof![
        prop::collection::vec(2u32..20, 1..=1),
        prop::collection::vec(2u32..4, 3..=4)
    ];
    (
        prop_oneof![3 => plane, 1 => other],
        prop::bool::weighted(0.3),
    )
        .prop_map(|(sides, wraps)| match wraps {
            true => Grid::torus(&sides).unwrap(),
            false => Grid::mesh(&sides).unwrap(),
        })
        .boxed()
}

/// Some packets, from each node one at most: a permutation, or to any nodes, or most of them to one, or all as far along their
/// rows: on a torus these may wait for each other in a circle.
fn problems(grid: &Grid) -> BoxedStrategy<Vec<(NodeId, NodeId)>> {
    let nodes = grid.nodes();
    let all: Vec<u32> = (0..nodes).collect();
    let permutation = Just(all.clone()).prop_shuffle();
    let anywhere = prop::collection::vec(0..nodes, nodes as usize);
    let narrow = (
        prop::collection::vec(0..nodes.min(3), nodes as usize),
        0..nodes,
    )
        .prop_map(move |(offsets, to)| offsets.iter().map(|it| (to + it) % nodes).collect());
    let side = grid.sides()[0];
    let along = (1..side).prop_map(move |by| {
        let to = |node: u32| node - node % side + (node % side + by) % side;
        (0..nodes).map(to).collect()
    });
    let to = prop_oneof![3 => permutation, 2 => anywhere, 1 => narrow, 1 => along];
    let sends = prop_oneof![Just(1.0), Just(0.5)].prop_flat_map(move |share| {
        prop::collection::vec(prop::bool::weighted(share), nodes as usize)
    });
    (to, sends)
        .prop_map(|(to, sends)| {
            let pairs = (0..).map(NodeId).zip(to.into_iter().map(NodeId));
            let sent = pairs.zip(sends).filter(|(_, sends)| *sends);
            sent.map(|(pair, _)| pair)
                .filter(|(from, to)| from != to)
                .collect()
        })
        .boxed()
}

fn cases() -> BoxedStrategy<Case> {
    let problem = grids().prop_flat_map(|grid| (problems(&grid), Just(grid)));
    let order = prop::sample::select(Order::NAMES).prop_map(order);
    let words = prop_oneof![3 => Just(1u16), 1 => 2u16..6];
    (problem, 1u16..5, order, words, any::<u64>())
        .prop_map(|((problem, grid), frames, order, words, seed)| Case {
            parameters: QueueingParameters {
                frames,
                frame_words: words,
                home_frames: 2,
                order,
                allow_deadlock: true,
            },
            grid,
            problem,
            words,
            seed,
        })
        .boxed()
}

/// A crossing: the step, from where, by which port, and whose packet.
type Crossing = (u32, NodeId, Port, NodeId);

/// The order in which the router draws, as a rule of the model: the packets of a problem are the first of their sources.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Drawn {
    seed: u64,
    /// The cycle of the first step, and the cycles of each.
    first: u32,
    words: u32,
}

impl StepOrder for Drawn {
    const NAME: &'static str = "drawn";
    const HELP: &'static str = "by the router's own draws";

    type Sight = Blind;

    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Blind, P>) -> u64 {
        let cycle = Cycle(self.first + (link.step - 1) * self.words);
        draw(self.seed, link.node, cycle, packet.source.0)
    }
}

/// The crossings of the model, until all is done or nothing moves.
fn crossings<O: StepOrder>(case: &Case, order: O) -> Vec<Crossing> {
    let rule = DimensionOrder {
        order,
        inqueue: Fixed,
    };
    let store = Store::Incoming(case.parameters.frames.into());
    let mut machine = Machine::new(&case.grid, &rule, store, &case.problem).unwrap();
    let (mut all, mut still) = (Vec::new(), 0);
    // An order that is drawn may choose a packet that can go in a later step only.
    while !machine.is_done() && still < 4 {
        machine.step(&mut Nobody);
        still = match machine.moves().is_empty() {
            true => still + 1,
            false => 0,
        };
        let step = machine.steps();
        let moves = machine.moves().iter();
        all.extend(moves.map(|it| {
            let source = case.problem[it.packet.index()].0;
            (step, it.from, it.port, source)
        }));
    }
    all.sort();
    all
}

fn in_steps(case: &Case, first: u32) -> Vec<Crossing> {
    match case.parameters.order {
        Order::FarthestFirst => crossings(case, FarthestFirst),
        Order::Fifo => crossings(case, Fifo),
        Order::Lifo => crossings(case, Lifo),
        Order::NearestFirst => crossings(case, NearestFirst),
        Order::StraightFirst => crossings(case, StraightFirst),
        Order::Random => {
            let (seed, words) = (case.seed, case.words.into());
            crossings(case, Drawn { seed, first, words })
        }
    }
}

impl Case {
    fn network(&self) -> Network<Grid, Queueing<Grid>> {
        let router = Queueing::new(self.grid.clone(), self.parameters.clone(), self.seed);
        Network::new(self.grid.clone(), router, 1)
    }

    fn demand(&self) -> Demand {
        let packets = packets(&self.grid, &self.problem).into_iter();
        let packets = packets.map(|(from, to)| (from, to, self.words));
        let traffic = Once::of_packets(packets.collect());
        Demand::until(Box::new(traffic), Cycle(20_000))
    }

    /// The cycle in which the words of the packets are all there: one comes in each cycle from cycle 0 on.
    fn first_cycle(&self) -> u32 {
        u32::from(self.words) - 1
    }
}

/// A clock for each node, all of them equal, and links of one cycle.
fn equal_clocks(nodes: u32) -> Clocks {
    Clocks {
        nominal_ps: 1000,
        domains: vec![Clock::Periodic(Periodic::new(1000, 0))],
        domain_of: vec![0; nodes as usize],
        links: LinkTiming::wires(1000, 1000, 0),
        seed: 1,
    }
}

/// How a run ended, its digest, and what its probe saw.
fn ran<P: Probe>(mut engine: impl Engine<Probe = (Digest, P)>) -> (Ended, Digest, P) {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    let (digest, probe) = Box::new(engine).into_probe();
    (outcome.ended, digest, probe)
}

/// The heads that left, by step: a step is as many cycles as a packet has words.
fn heads(case: &Case, recorder: &Recorder) -> Vec<Crossing> {
    let heads = recorder.events.iter().filter_map(|event| match event {
        (cycle, node, Event::Head { packet, port }) => {
            Some((*cycle, *node, *port, case.grid.home(packet.source)))
        }
        _ => None,
    });
    let words = u32::from(case.words);
    let mut heads: Vec<Crossing> = heads
        .map(|(cycle, node, port, source)| {
            let since = cycle.0 - case.first_cycle();
            assert_eq!(since % words, 0, "{cycle:?} isn't the first of a step");
            (1 + since / words, node, port, source)
        })
        .collect();
    heads.sort();
    heads
}

properties! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// Where the model goes on or hangs, so does the router, crossing for crossing; and all engines give one digest.
    #[test]
    fn cycles_are_steps(case in cases()) {
        let network = Arc::new(case.network());
        let probe = || (Digest::default(), Recorder::default());
        let (ended, digest, recorder) = ran(Plain::new(network.clone(), case.demand(), probe(), 1));
        let expected = in_steps(&case, case.first_cycle());
        let seen = heads(&case, &recorder);
        let first = expected.iter().zip(&seen).find(|(one, other)| one != other);
        prop_assert_eq!(first, None);
        prop_assert_eq!(seen.len(), expected.len());
        // The plain engine goes on until its deadline; others may see that nothing will move any more.
        let is_stuck = ended == Ended::Deadline;
        let fits = |other: Ended| other == ended || is_stuck && other == Ended::Stuck;
        let awake = ran(EventDriven::new(network.clone(), case.demand(), probe()));
        prop_assert!(awake.1 == digest && fits(awake.0));
        let clocks = equal_clocks(case.grid.nodes());
        let clocked = ran(Clocked::new(network, clocks, case.demand(), probe(), 1));
        prop_assert!(clocked.1 == digest && fits(clocked.0));
        prop_assert!(!is_stuck || case.grid.wraps());
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// The same of a configuration: on every engine, live in lockstep on both runtimes, and in the record's replay.
    #[test]
    fn a_configuration_gives_one_digest(case in cases(), workers in 1usize..4) {
        prop_assume!(!case.problem.is_empty());
        let mut resolved = machine(case.grid.clone(), any_router(case.parameters.clone()), 0.0, 1000, case.seed);
        resolved.traffic.process = OnceParameters { packets: 1 }.into();
        resolved.traffic.pattern = PermutationParameters::listed(packets(&case.grid, &distinct(&case.problem))).into();
        resolved.traffic.lengths = LengthLaw::Fixed { words: case.words };
        let plain = run(&resolved, EngineChoice::SyncPlain);
        for engine in [EngineChoice::Sync, EngineChoice::SyncStepped, EngineChoice::Clocked] {
            prop_assert_eq!(run(&resolved, engine).digest, plain.digest);
        }
        if plain.ended == Ended::Empty {
            for runtime in [Runtime::Threads, Runtime::Tokio] {
                let memory = Memory::default();
                let lived = live(&resolved, &options(runtime, Some(0), workers, 4), Some(memory.clone()));
                prop_assert_eq!(&lived.fault, &None);
                prop_assert_eq!(lived.digest(), plain.digest);
                let again = replay(&resolved, &memory.bytes(), 2);
                prop_assert_eq!(&again.verdict.difference, &None);
                prop_assert_eq!(again.digest(), plain.digest);
            }
        }
    }
}

/// The packets to destinations that no packet before goes to.
fn distinct(problem: &[(NodeId, NodeId)]) -> Vec<(NodeId, NodeId)> {
    let mut taken = HashSet::new();
    let new = problem.iter().filter(|(_, to)| taken.insert(*to));
    new.copied().collect()
}
