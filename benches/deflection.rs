//! How fast deflection routers are: word-hops per second on an 8 x 8 mesh under uniform traffic.
//!
//! `cargo bench --bench deflection` runs all of it, in under a minute.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use flitwork_engine::{Engine, EventDriven, Plain};
use flitwork_network::{Demand, Network};
use flitwork_node::{Event, Probe, WordRouter};
use flitwork_router::deflection::{Deflection, DeflectionParameters, Golden};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{AnyPattern, Bernoulli, Uniform};
use flitwork_types::{Cycle, NodeId};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;

const CYCLES: u32 = 10_000;

#[derive(Default)]
struct Hops(u64);

impl Probe for Hops {
    fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
        self.0 += u64::from(matches!(event, Event::Head { .. }));
    }
}

/// Packets of `words` words, 0.2 words per node and cycle.
fn demand(grid: &Grid, words: u16) -> Demand {
    let pattern = AnyPattern::from(Uniform::default())
        .build(grid, 0)
        .expect("a pattern");
    let rate = 0.2 / f64::from(words);
    let traffic = Bernoulli::new(pattern, rate, Cycle(CYCLES), 1, grid.nodes());
    let traffic = traffic.expect("a rate").of_words(words);
    Demand::until(Box::new(traffic), Cycle(CYCLES))
}

fn run<P: Probe>(mut engine: impl Engine<Probe = P>) -> P {
    engine.run(&mut |_| ControlFlow::Continue(()));
    Box::new(engine).into_probe()
}

fn measure<R>(criterion: &mut Criterion, name: &str, words: u16, router: R)
where
    R: WordRouter + Send + 'static,
{
    let grid = Grid::mesh(&[8, 8]).expect("a mesh");
    let network = Arc::new(Network::new(grid.clone(), router, 1));
    let awake = EventDriven::new(network.clone(), demand(&grid, words), Hops::default());
    let hops = run(awake).0;
    let mut group = criterion.benchmark_group("word-hops");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.throughput(Throughput::Elements(hops));
    group.bench_function(format!("{name}/{words}/sync-stepped"), |bench| {
        let engine = || EventDriven::new(network.clone(), demand(&grid, words), Digest::default());
        bench.iter(|| black_box(run(engine())));
    });
    group.bench_function(format!("{name}/{words}/sync-plain"), |bench| {
        let engine = || Plain::new(network.clone(), demand(&grid, words), Digest::default(), 1);
        bench.iter(|| black_box(run(engine())));
    });
    group.finish();
}

fn routers(criterion: &mut Criterion) {
    let grid = || Grid::mesh(&[8, 8]).expect("a mesh");
    let router = |parameters| Deflection::new(grid(), parameters, 1);
    measure(criterion, "greedy-hp", 1, GreedyHp::new(grid(), 1));
    for words in [1, 4] {
        let flits = DeflectionParameters::flit_bless();
        measure(criterion, "flit-bless", words, router(flits));
        let worms = DeflectionParameters::worm_bless();
        measure(criterion, "worm-bless", words, router(worms));
        let minbd = DeflectionParameters::minbd(Golden::USUAL);
        measure(criterion, "minbd", words, router(minbd));
    }
}

criterion_group!(benches, routers);
criterion_main!(benches);
