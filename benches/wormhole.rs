//! How fast wormhole routers run: flit-hops (words over links between routers) per second on one thread.
//!
//! `cargo bench --bench wormhole` runs all of it; throughput is in elements per second, which are flit-hops.
//! Dimension order, two virtual channels of eight words, packets of ten words to uniform destinations. The
//! small mesh carries its load of 0.1 words per node and cycle with ease; the large ones, whose bisections
//! carry 0.125 and 0.03 at most, are full of waiting worms.

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use flitwork_engine::{Engine, EventDriven, MailEngine};
use flitwork_network::{Demand, Network};
use flitwork_node::{Event, Probe};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::wormhole::{Narrow, Wormhole, WormholeParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{AnyPattern, Bernoulli, Uniform};
use flitwork_types::{Cycle, NodeId, Port};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;

const PACKET_WORDS: u16 = 10;

type Machine = Arc<Network<Grid, Wormhole<Grid, Narrow>>>;

/// Words that have left over links, counted when their tails do.
struct FlitHops {
    local: Port,
    words: u64,
}

impl Probe for FlitHops {
    fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
        if let Event::Tail { port, words, .. } = event
            && port != self.local
        {
            self.words += u64::from(words);
        }
    }
}

fn mesh(side: u32) -> Machine {
    let grid = Grid::mesh(&[side, side]).expect("a mesh");
    let parameters = WormholeParameters::default();
    let routing = RoutingParameters {
        name: "dimension-order".into(),
        channels: parameters.vcs,
        ..RoutingParameters::default()
    };
    let routing = build_routing(&routing, &grid).expect("dimension order fits any mesh");
    let router = Wormhole::new(grid.clone(), parameters, routing);
    Arc::new(Network::new(grid, router, 1))
}

/// A load in words per node and cycle.
fn uniform(machine: &Machine, load: f64, cycles: u32) -> Demand {
    let grid = &machine.topology;
    let pattern = AnyPattern::from(Uniform::default())
        .build(grid, 0)
        .expect("uniform fits any grid");
    let (rate, until) = (load / f64::from(PACKET_WORDS), Cycle(cycles));
    let sources = Bernoulli::new(pattern, rate, until, 1, grid.nodes()).expect("a probability");
    Demand::until(Box::new(sources.of_words(PACKET_WORDS)), until)
}

fn run<E: Engine>(engine: &mut E) -> u64 {
    engine.run(&mut |_| ControlFlow::Continue(())).steps
}

fn flit_hops(machine: &Machine, load: f64, cycles: u32) -> u64 {
    let hops = FlitHops {
        local: machine.topology.local(),
        words: 0,
    };
    let mut engine = MailEngine::new(machine.clone(), uniform(machine, load, cycles), hops);
    run(&mut engine);
    Box::new(engine).into_probe().words
}

/// Three sizes, on `sync` (the engine that posts ahead) and on `sync-stepped`.
fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("flit-hops");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (side, cycles) in [(8, 20_000), (32, 2000), (128, 500)] {
        let machine = mesh(side);
        let load = || uniform(&machine, 0.1, cycles);
        group.throughput(Throughput::Elements(flit_hops(&machine, 0.1, cycles)));
        let bytes = MailEngine::new(machine.clone(), load(), ()).bytes_a_node();
        let name = format!("mesh-{side}x{side}");
        group.bench_function(format!("{name}/sync, {bytes} bytes a node"), |bench| {
            let start = || MailEngine::new(machine.clone(), load(), ());
            bench.iter_batched_ref(start, run, BatchSize::PerIteration);
        });
        group.bench_function(format!("{name}/sync-stepped"), |bench| {
            let start = || EventDriven::new(machine.clone(), load(), ());
            bench.iter_batched_ref(start, run, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// A thousand million cycles without a packet.
fn idle(criterion: &mut Criterion) {
    let machine = mesh(128);
    criterion.bench_function("idle/mesh-128x128", |bench| {
        let start = || MailEngine::new(machine.clone(), uniform(&machine, 0.0, 1_000_000_000), ());
        bench.iter_batched_ref(
            start,
            |engine| black_box(run(engine)),
            BatchSize::LargeInput,
        );
    });
}

criterion_group!(benches, sizes, idle);
criterion_main!(benches);
