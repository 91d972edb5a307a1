//! Whether the default engine is the fastest for every router: `sync` beside `sync-stepped`.
//!
//! `cargo bench --bench drivers` runs all of it. Both give one digest, so the choice is of speed alone: where `sync` is slower,
//! the router shouldn't offer what `sync` drives it by (`RouterParameters::offer`). Throughput is in node-cycles.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use flitwork_config::{Catalogue, Resolved};
use flitwork_experiment::simulate::simulate;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;

const CYCLES: u32 = 2000;

/// Every router of the table, but the one whose packets come with it.
const ROUTERS: &[(&str, &str)] = &[
    ("chaos", "[router.chaos]"),
    ("deflection", "[router.deflection]"),
    ("greedy-hp", "[router.greedy-hp]"),
    (
        "greedy-hp-matching",
        "[router.greedy-hp]\nassignment = \"matching\"",
    ),
    ("queueing", "[router.queueing]"),
    ("wormhole", "[router.wormhole]"),
    (
        "wormhole-4-vcs",
        "[router.wormhole]\nvcs = 4\nbuffer_words = 8",
    ),
];

fn resolved(router: &str, side: u32, load: f64, engine: &str) -> Resolved {
    let text = format!(
        "[network]\ntopology = \"mesh\"\nsides = [{side}, {side}]\n{router}\n[traffic]\nload = {load}\n\
         [run]\nengine = \"{engine}\"\nwarmup_cycles = 0\nmeasure_cycles = {CYCLES}\ndrain_cycles = 0\n"
    );
    let resolved = Catalogue::default().resolve(&text, "benchmark", Path::new(""), &[]);
    resolved.expect("a router with its defaults")
}

fn drivers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("drivers");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (name, router) in ROUTERS {
        for (side, load) in [(8, 0.02), (8, 0.2), (32, 0.02), (32, 0.2)] {
            let node_cycles = u64::from(side * side) * u64::from(CYCLES);
            group.throughput(Throughput::Elements(node_cycles));
            for engine in ["sync", "sync-stepped"] {
                let resolved = resolved(router, side, load, engine);
                let id = format!("{name}/{side}x{side}-load-{load}/{engine}");
                group.bench_function(id, |bench| {
                    let control = &mut |_| ControlFlow::Continue(());
                    bench.iter(|| black_box(simulate(&resolved, control)));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, drivers);
criterion_main!(benches);
