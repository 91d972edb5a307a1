//! How fast the engines are: packet-hops and node-cycles per second.
//!
//! `cargo bench` runs all of it (some minutes); `cargo bench -- exp2-3120` only the largest network.
//! Throughput is in elements per second: packet-hops for `hops/…`, node-cycles for `node-cycles/…`.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use flitwork_adversary::{Plan, clt, lazy, packets};
use flitwork_engine::{Clocked, Engine, EventDriven, Outcome, Plain, TimestampEngine};
use flitwork_network::{
    Clock, Clocks, Delay, Demand, Duplex, LinkTiming, Network, Periodic, SelfTimed, StageDelays,
};
use flitwork_node::{Event, Probe, TimestampRouter, WordRouter, draw_below};
use flitwork_router::chaos::{Chaos, ChaosParameters, Delivery, Plane, TimestampFlow, WordFlow};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{AnyPattern, Bernoulli, Once, Uniform};
use flitwork_types::{Cycle, NodeId, TerminalId};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

type Pairs = Vec<(TerminalId, TerminalId)>;

#[derive(Default)]
struct Hops(u64);

impl Probe for Hops {
    fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
        self.0 += u64::from(matches!(event, Event::Head { .. }));
    }
}

fn fast<R, P>(network: &Arc<Network<Grid, R>>, load: Demand, probe: P) -> (Outcome, P)
where
    R: TimestampRouter + Send + 'static,
    P: Probe + Send + 'static,
{
    let mut run = TimestampEngine::new(network.clone(), load, probe);
    let outcome = run.run(&mut |_| ControlFlow::Continue(()));
    (outcome, Box::new(run).into_probe())
}

fn plain<R>(network: &Arc<Network<Grid, R>>, load: Demand) -> Outcome
where
    R: WordRouter + Send + 'static,
{
    let mut run = Plain::new(network.clone(), load, Digest::default(), 1);
    run.run(&mut |_| ControlFlow::Continue(()))
}

fn clocked<R>(network: &Arc<Network<Grid, R>>, clocks: &Clocks, load: Demand) -> Outcome
where
    R: WordRouter + Send + 'static,
{
    let mut run = Clocked::new(network.clone(), clocks.clone(), load, Digest::default(), 1);
    run.run(&mut |_| ControlFlow::Continue(()))
}

fn awake<P>(network: &Arc<Network<Grid, GreedyHp<Grid>>>, load: Demand, probe: P) -> (Outcome, P)
where
    P: Probe + Send + 'static,
{
    let mut run = EventDriven::new(network.clone(), load, probe);
    let outcome = run.run(&mut |_| ControlFlow::Continue(()));
    (outcome, Box::new(run).into_probe())
}

fn once(pairs: &Pairs) -> Demand {
    Demand::until(Box::new(Once::new(pairs)), Cycle::LAST)
}

fn box_parameters(derouting: bool) -> ChaosParameters {
    let mut parameters = ChaosParameters::chinn_1995(4);
    parameters.derouting = derouting;
    parameters.delivery = Delivery::Vanish;
    parameters
}

fn stamped(grid: &Grid, derouting: bool) -> Arc<Network<Grid, Chaos<Grid, Plane<TimestampFlow>>>> {
    let router = Chaos::new(grid.clone(), box_parameters(derouting), 1);
    Arc::new(Network::new(grid.clone(), router, 1))
}

/// The box and permutation of Experiment 2 (Chinn 1995, section 4.2.2).
fn experiment_2(n: u32) -> (Grid, Pairs) {
    let k = Plan::queue_positions(5);
    let plan = Plan::new(n, k, Plan::usual_corner(n, k)).expect("published sizes fit");
    let grid = Grid::mesh(&[2 * plan.corner; 2]).expect("a mesh");
    let network = stamped(&grid, false);
    let classes = plan.place(1);
    let pairs = clt::to_the_edge(&grid, &plan, &classes);
    let run = |load, probe| fast(&network, load, probe);
    let (end, instant) = (Cycle::LAST, clt::Instant::Decision);
    let done = clt::construct(&grid, &plan, classes, &pairs, instant, end, run);
    let pairs = packets(&grid, &done.pairs);
    (grid, pairs)
}

/// Experiment 2 on the fast engine: cost follows packet-hops, whatever the size.
fn experiment_2_fast(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hops");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for n in [600, 1080, 1560, 2520, 3120] {
        let (grid, pairs) = experiment_2(n);
        for (name, derouting) in [("minimal-chaos", false), ("chaos", true)] {
            let network = stamped(&grid, derouting);
            let (_, hops) = fast(&network, once(&pairs), Hops::default());
            group.throughput(Throughput::Elements(hops.0));
            group.bench_function(format!("exp2-{n}/{name}"), |bench| {
                bench.iter(|| black_box(fast(&network, once(&pairs), Digest::default())));
            });
        }
    }
    group.finish();
}

/// The same on both engines at n = 1080, in node-cycles of the plain engine.
fn plain_against_fast(criterion: &mut Criterion) {
    let (grid, pairs) = experiment_2(1080);
    let router = Chaos::<_, Plane<WordFlow>>::new(grid.clone(), box_parameters(false), 1);
    let network = Arc::new(Network::new(grid.clone(), router, 1));
    let outcome = plain(&network, once(&pairs));
    let mut group = criterion.benchmark_group("node-cycles");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group
        .measurement_time(Duration::from_secs(1))
        .warm_up_time(Duration::from_millis(1));
    group.throughput(Throughput::Elements(outcome.steps));
    group.bench_function("exp2-1080/minimal-chaos/sync-plain", |bench| {
        bench.iter(|| black_box(plain(&network, once(&pairs))));
    });
    let network = stamped(&grid, false);
    group.bench_function("exp2-1080/minimal-chaos/sync", |bench| {
        bench.iter(|| black_box(fast(&network, once(&pairs), Digest::default())));
    });
    group.finish();
}

fn uniform(grid: &Grid, load: f64, until: u32) -> Demand {
    let pattern = AnyPattern::from(Uniform::default())
        .build(grid, 0)
        .expect("uniform fits any grid");
    let until = Cycle(until);
    let sources = Bernoulli::new(pattern, load / 10.0, until, 1, grid.nodes());
    Demand::until(Box::new(sources.expect("a probability")), until)
}

/// The chip on a torus with links of either kind, in packet-hops: what it costs that packets take turns.
fn duplex(criterion: &mut Criterion) {
    let grid = Grid::torus(&[16, 16]).expect("a torus");
    let mut group = criterion.benchmark_group("duplex");
    group.sample_size(10);
    for load in [0.02, 0.1, 0.2] {
        for (name, duplex) in [
            ("full", Duplex::Full),
            (
                "half",
                Duplex::Half {
                    turnaround_cycles: 0,
                },
            ),
        ] {
            let parameters = ChaosParameters::chaos_chip(4);
            let router = Chaos::<_, Plane<TimestampFlow>>::new(grid.clone(), parameters, 1);
            let router = router.with_half_duplex(duplex.is_half());
            let network = Arc::new(Network::new(grid.clone(), router, 1).with_duplex(duplex));
            // A packet has 20 words, twice as many as `uniform` counts on.
            let demand = || uniform(&grid, load / 2.0, 20_000);
            let (_, hops) = fast(&network, demand(), Hops::default());
            group.throughput(Throughput::Elements(hops.0));
            group.bench_function(format!("torus-16x16-load-{load}/{name}"), |bench| {
                bench.iter(|| black_box(fast(&network, demand(), Digest::default())));
            });
        }
    }
    group.finish();
}

/// Open-loop traffic on a busy 16 x 16 mesh: what the plain engine does with words on every link.
fn open_loop(criterion: &mut Criterion) {
    let grid = Grid::mesh(&[16, 16]).expect("a mesh");
    let mut group = criterion.benchmark_group("node-cycles");
    const CYCLES: u32 = 20_000;
    group.sample_size(10);
    group.throughput(Throughput::Elements(
        u64::from(grid.nodes()) * u64::from(CYCLES),
    ));
    for load in [0.01, 0.1, 0.2] {
        let parameters = ChaosParameters::chinn_1995(4);
        let router = Chaos::<_, Plane<WordFlow>>::new(grid.clone(), parameters.clone(), 1);
        let words = Arc::new(Network::new(grid.clone(), router, 1));
        group.bench_function(format!("mesh-16x16-load-{load}/sync-plain"), |bench| {
            bench.iter(|| black_box(plain(&words, uniform(&grid, load, CYCLES))));
        });
        let router = Chaos::<_, Plane<TimestampFlow>>::new(grid.clone(), parameters, 1);
        let stamps = Arc::new(Network::new(grid.clone(), router, 1));
        group.bench_function(format!("mesh-16x16-load-{load}/sync"), |bench| {
            bench.iter(|| {
                black_box(fast(
                    &stamps,
                    uniform(&grid, load, CYCLES),
                    Digest::default(),
                ))
            });
        });
    }
    group.finish();
}

/// Clocks with a period of 1000 ps on average and links of that latency: one for all nodes, or one for each.
fn clocks(nodes: u32, clock: impl Fn(u32) -> Clock, shared: bool) -> Clocks {
    let domains = if shared { 1 } else { nodes };
    Clocks {
        nominal_ps: 1000,
        domains: (0..domains).map(clock).collect(),
        domain_of: (0..nodes).map(|node| node % domains).collect(),
        links: LinkTiming::wires(1000, 16, 2),
        seed: 1,
    }
}

fn periodic(period_ps: u64, phase_ps: u64) -> Clock {
    Clock::Periodic(Periodic::new(period_ps, phase_ps))
}

/// The cost of a clock for each node, on a quiet and on an overloaded 16 x 16 mesh.
fn many_clocks(criterion: &mut Criterion) {
    let grid = Grid::mesh(&[16, 16]).expect("a mesh");
    let nodes = grid.nodes();
    const CYCLES: u32 = 20_000;
    let drawn = |node, bound, index| draw_below(bound, 1, NodeId(node), Cycle::ZERO, index);
    let spread = |node| {
        let period_ps = 950 + drawn(node, 101, 0);
        periodic(period_ps.into(), drawn(node, period_ps, 1).into())
    };
    let self_timed = |_| {
        Clock::SelfTimed(SelfTimed::new(StageDelays {
            word: Delay::uniform(900, 1100),
            decision: Delay::uniform(950, 1150),
            allocation: None,
            credit: None,
        }))
    };
    let timings = [
        ("clocked-equal", clocks(nodes, |_| periodic(1000, 0), true)),
        (
            "clocked-equal-256",
            clocks(nodes, |_| periodic(1000, 0), false),
        ),
        ("clocked-spread", clocks(nodes, spread, false)),
        ("clocked-self-timed", clocks(nodes, self_timed, false)),
    ];
    let router = Chaos::<_, Plane<WordFlow>>::new(grid.clone(), ChaosParameters::chinn_1995(4), 1);
    let network = Arc::new(Network::new(grid.clone(), router, 1));
    let mut group = criterion.benchmark_group("node-cycles");
    group.sample_size(10);
    group.throughput(Throughput::Elements(u64::from(nodes) * u64::from(CYCLES)));
    for load in [0.1, 0.6] {
        let name = format!("clocks-16x16-load-{load}");
        group.bench_function(format!("{name}/sync-plain"), |bench| {
            bench.iter(|| black_box(plain(&network, uniform(&grid, load, CYCLES))));
        });
        for (timing, clocks) in &timings {
            group.bench_function(format!("{name}/{timing}"), |bench| {
                bench.iter(|| black_box(clocked(&network, clocks, uniform(&grid, load, CYCLES))));
            });
        }
    }
    group.finish();
}

/// Experiment 4's router, and Experiment 2's construction.
fn constructions(criterion: &mut Criterion) {
    let grid = Grid::mesh(&[126, 126]).expect("a mesh");
    let router = GreedyHp::new(grid.clone(), 0);
    let network = Arc::new(Network::new(grid.clone(), router, 1));
    let ends = lazy::Ends::Shared;
    let committed = lazy::construct(&grid, 1080, 63, ends, Cycle::LAST, |load, probe| {
        awake(&network, load, probe)
    });
    let pairs = packets(&grid, &committed.pairs);
    let (_, hops) = awake(&network, once(&pairs), Hops::default());
    let mut group = criterion.benchmark_group("hops");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.throughput(Throughput::Elements(hops.0));
    group.bench_function("exp4-1080/greedy-hp", |bench| {
        bench.iter(|| black_box(awake(&network, once(&pairs), Digest::default())));
    });
    group.finish();
    criterion.bench_function("construction/exp2-1080", |bench| {
        bench.iter(|| black_box(experiment_2(1080)));
    });
}

criterion_group!(
    benches,
    experiment_2_fast,
    plain_against_fast,
    open_loop,
    duplex,
    many_clocks,
    constructions
);
criterion_main!(benches);
