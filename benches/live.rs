//! How fast live runs and replays are, in node-cycles per second, and what recording costs.
//!
//! A 32 x 32 mesh of Chaos routers at a tenth of the load that its bisection carries. `cargo bench --bench live`
//! runs all of it; the host's other work affects the figures, so compare them only within one run.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use flitwork_config::{Override, Resolved, resolve};
use flitwork_experiment::live::{execute_live, execute_replay, header};
use flitwork_experiment::simulate::{demand, execute};
use flitwork_live::{MARKS_EVERY, RecordTo, ReplayOptions};
use flitwork_trace::Digest;
use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// 1/8 word per node and cycle crosses the bisection of a 32 x 32 mesh under uniform traffic.
const CONFIGURATION: &str = "
[network]
topology = \"mesh\"
sides = [32, 32]
[router.chaos]
[traffic]
load = 0.0125
[run]
engine = \"live\"
warmup_cycles = 1000
measure_cycles = 9000
";

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn configuration(settings: &[(&str, &str)]) -> Resolved {
    let set: Vec<Override> = settings
        .iter()
        .map(|(key, value)| Override::new(key, value))
        .collect();
    resolve(CONFIGURATION, "bench", Path::new(""), &set).expect("a sound configuration")
}

/// Runs live; returns the node-cycles that were run.
fn live(resolved: &Resolved, record: Option<Memory>) -> u64 {
    let record = record.map(|memory| RecordTo {
        out: Box::new(memory),
        header: header(resolved, false),
        marks_every: MARKS_EVERY,
    });
    let control = &mut |_| ControlFlow::Continue(());
    let lived = execute_live(
        resolved,
        demand(resolved),
        &resolved.live,
        record,
        || (),
        control,
    );
    lived.expect("a host with threads").outcome.steps
}

fn replay(resolved: &Resolved, bytes: &Arc<Vec<u8>>, threads: usize) -> u64 {
    let options = ReplayOptions {
        threads,
        until: None,
        channel_capacity: 1 << 16,
        what_if: false,
    };
    let open = || {
        let bytes = bytes.as_ref().clone();
        Ok(Box::new(Cursor::new(bytes)) as Box<dyn Read + Send>)
    };
    let control = &mut |_| ControlFlow::Continue(());
    let again = execute_replay(resolved, demand(resolved), &options, open, || (), control);
    let again = again.expect("a sound record");
    assert_eq!(again.verdict.difference, None);
    again.outcome.steps
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("node-cycles-32x32");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .measurement_time(Duration::from_secs(6));
    let plain = configuration(&[("run.engine", "sync-plain")]);
    let control = &mut |_| ControlFlow::Continue(());
    let steps = execute(&plain, demand(&plain), Digest::default(), control)
        .outcome
        .steps;
    group.throughput(Throughput::Elements(steps));
    group.bench_function("plain", |bencher| {
        bencher.iter(|| {
            let control = &mut |_| ControlFlow::Continue(());
            execute(&plain, demand(&plain), Digest::default(), control)
                .outcome
                .steps
        });
    });
    for (runtime, slack) in [
        ("threads", "0"),
        ("threads", "16"),
        ("threads", "\"none\""),
        ("tokio", "0"),
        ("tokio", "16"),
        ("tokio", "\"none\""),
    ] {
        let resolved = configuration(&[
            ("live.runtime", &format!("\"{runtime}\"")),
            ("live.slack", slack),
        ]);
        let name = format!("{runtime}-slack-{}", slack.trim_matches('"'));
        let memory = Memory::default();
        let steps = live(&resolved, Some(memory.clone()));
        let bytes = memory
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let bits = bytes.len() as f64 * 8.0 / steps as f64;
        #[expect(clippy::print_stderr)]
        {
            eprintln!("{name}: {steps} node-cycles, record of {bits:.3} bits a node-cycle");
        }
        group.throughput(Throughput::Elements(steps));
        group.bench_function(format!("{name}/live"), |bencher| {
            bencher.iter(|| live(&resolved, None));
        });
        group.bench_function(format!("{name}/recorded"), |bencher| {
            bencher.iter(|| live(&resolved, Some(Memory::default())));
        });
        let bytes = Arc::new(bytes);
        for threads in [1, 2] {
            group.bench_function(format!("{name}/replay-{threads}"), |bencher| {
                bencher.iter(|| replay(&resolved, &bytes, threads));
            });
        }
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
