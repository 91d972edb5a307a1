//! What a run reports about synchronizers that may fail: the counts of its arrivals, and the mean time between failures
//! that follows from them by the formula of docs/src/crossings.md.

use crate::common::machine::watch;
use flitwork_config::{Resolved, resolve};
use flitwork_experiment::simulate::simulate;
use flitwork_node::{Event, Probe, Sampled};
use flitwork_results::Results;
use flitwork_traffic::PermutationParameters;
use flitwork_types::{Cycle, Moment, NodeId, TerminalId};
use std::ops::ControlFlow;
use std::path::Path;

/// Four nodes in a line, each with a clock, of which 0 and 1 talk to each other, and 2 and 3: over these two links come
/// all words and credits. Each has a crossing of its own.
const PERIODS_PS: [u64; 4] = [1009, 1201, 997, 1433];
const LINE: &str = r#"
[network]
topology = "mesh"
sides = [4]
[[network.crossings]]
kind = "synchronizer"
links = [[0, 1]]
edges = 1
window_ps = 150
tau_ps = 400
[[network.crossings]]
kind = "dual-clock-fifo"
links = [[2, 3]]
edges = 2
depth = 30
window_ps = 70
tau_ps = 800
[router.chaos]
[traffic]
load = 0.2
pattern = "permutation"
[run]
engine = "clocked"
warmup_cycles = 1000
measure_cycles = 400000
[[clocks.islands]]
nodes = [0]
period_ps = 1009
[[clocks.islands]]
nodes = [1]
period_ps = 1201
[[clocks.islands]]
nodes = [2]
period_ps = 997
[[clocks.islands]]
nodes = [3]
period_ps = 1433
"#;
/// Edges, window and time constant of the link of each node.
const CROSSINGS: [(u32, f64, f64); 4] = [
    (1, 150.0, 400.0),
    (1, 150.0, 400.0),
    (2, 70.0, 800.0),
    (2, 70.0, 800.0),
];
const WARMUP: u32 = 1000;
const MEASURED: u32 = 400_000;

/// What came to each node in the measured window, and how much of it was undecided and failed.
#[derive(Default)]
struct Came {
    arrivals: [u64; 4],
    undecided: u64,
    failures: u64,
}

impl Probe for Came {
    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}

    fn sampled(&mut self, node: NodeId, at: Moment, sampled: Sampled) {
        // The nominal clock has 1,000 ps.
        let cycle = (at.ps / 1000) as u32;
        if (WARMUP..WARMUP + MEASURED).contains(&cycle) {
            self.arrivals[node.index()] += 1;
            self.undecided += u64::from(sampled.is_undecided);
            self.failures += u64::from(sampled.has_failed);
        }
    }
}

fn line() -> Resolved {
    let resolved = resolve(LINE, "line.toml", Path::new(""), &[]);
    let mut resolved = resolved.unwrap_or_else(|error| panic!("{error}"));
    let pairs = [(0, 1), (1, 0), (2, 3), (3, 2)];
    let pairs = pairs.map(|(from, to)| (TerminalId(from), TerminalId(to)));
    resolved.traffic.pattern = PermutationParameters::listed(pairs.to_vec()).into();
    resolved
}

/// Failures that are expected per arrival at each node: window / T * exp(-n T / tau).
fn chance(node: usize) -> f64 {
    let (edges, window_ps, tau_ps) = CROSSINGS[node];
    let period_ps = PERIODS_PS[node] as f64;
    window_ps / period_ps * (-f64::from(edges) * period_ps / tau_ps).exp()
}

#[test]
fn the_mean_time_between_failures_is_that_of_the_formula() {
    let resolved = line();
    let came = watch(&resolved, Came::default()).probe;
    let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    let results = Results::new(&resolved, &simulated);
    let reported = results.synchronizers.expect("flip-flops that may fail");
    let sampled = reported.sampled;
    assert_eq!(sampled.arrivals, came.arrivals.iter().sum::<u64>());
    assert_eq!(
        (sampled.undecided, sampled.failures),
        (came.undecided, came.failures)
    );
    let arrivals = came.arrivals.iter().enumerate();
    let expected: f64 = arrivals
        .map(|(node, came)| *came as f64 * chance(node))
        .sum();
    let seconds = f64::from(MEASURED) * 1000.0 * 1e-12;
    let mean = reported.mean_time_between_failures_seconds.unwrap();
    assert!((mean / (seconds / expected) - 1.0).abs() < 1e-9, "{mean}");
    // Packets of ten words and a credit each: the clocks have no common measure, and each packet begins at some time.
    let failed = sampled.failures as f64;
    assert!(
        (failed - expected).abs() < 4.0 * expected.sqrt(),
        "{failed} of {expected}"
    );
    assert!(failed > 100.0, "{failed}");
    // Within the load's own deviations, every node gets a tenth of a packet's words and as many credits as packets.
    for came in came.arrivals {
        let words = 0.2 * f64::from(MEASURED);
        assert!(
            (came as f64 / (words * 1.1) - 1.0).abs() < 0.05,
            "{came} of {words}"
        );
    }
}

/// A synchronizer that waits longer fails less, exponentially, and is reported to: an edge of T = 1,000 ps more is exp(T / tau)
/// times the time between failures, if as much comes.
#[test]
fn each_edge_multiplies_the_time_between_failures() {
    let mean = |edges: u32| {
        let text = format!(
            "[network]\ntopology = \"mesh\"\nsides = [3, 3]\n\
             [[network.crossings]]\nkind = \"synchronizer\"\nedges = {edges}\nwindow_ps = 100\ntau_ps = 50\n\
             [router.chaos]\n[traffic]\nload = 0.1\n\
             [run]\nengine = \"clocked\"\nmeasure_cycles = 20000\n[clocks]\nphase = \"random\"\n"
        );
        let resolved = resolve(&text, "mesh.toml", Path::new(""), &[]).unwrap();
        let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        let results = Results::new(&resolved, &simulated);
        let used = results.synchronizers.unwrap();
        let rate = used.sampled.arrivals as f64;
        used.mean_time_between_failures_seconds.unwrap() * rate
    };
    let means = [0, 1, 2, 3].map(mean);
    for pair in means.windows(2) {
        let factor = pair[1] / pair[0];
        assert!(
            (factor / (1000.0_f64 / 50.0).exp() - 1.0).abs() < 1e-9,
            "{factor}"
        );
    }
}
