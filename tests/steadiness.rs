//! Whether runs are called steady: networks below saturation by hundreds of seeds, and networks that can't be.
//!
//! ```sh
//! FLITWORK_SOAK_RUNS=300 cargo test --release --test networks steadiness:: -- --ignored --nocapture
//! ```

use flitwork_config::{Override, resolve};
use flitwork_experiment::simulate::simulate;
use flitwork_results::Results;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// A network, and how long a user would measure it.
struct Network {
    name: &'static str,
    text: &'static str,
    /// The load from which on its backlog grows, by runs of 450,000 cycles.
    saturation: f64,
    warmup_cycles: u32,
    measure_cycles: u32,
}

const CHAOS: Network = Network {
    name: "Chaos, 4 x 4",
    text: "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\npacket_words = 4\n[traffic]\n[run]\n",
    saturation: 0.32,
    warmup_cycles: 10_000,
    measure_cycles: 50_000,
};
const WORMHOLE: Network = Network {
    name: "wormhole, 8 x 8",
    text: "[network]\ntopology = \"mesh\"\nsides = [8, 8]\n[router.wormhole]\npreset = \"four-stage\"\n\
        [traffic]\npacket_words = 4\n[run]\n",
    saturation: 0.355,
    warmup_cycles: 5_000,
    measure_cycles: 20_000,
};
const DEFLECTION: Network = Network {
    name: "deflection, 4 x 4",
    text: "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.deflection]\npreset = \"flit-bless\"\n\
        [traffic]\npacket_words = 4\n[run]\n",
    saturation: 0.46,
    warmup_cycles: 5_000,
    measure_cycles: 20_000,
};
const SHARES: [f64; 6] = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98];

/// What is said of so many seeds, from one on: `steady`, or the rule that denies it.
fn verdicts(
    network: &Network,
    load: f64,
    (first, seeds): (u64, u64),
) -> BTreeMap<&'static str, u64> {
    let mut found = BTreeMap::new();
    for seed in first..first + seeds {
        let over = [
            Override::new("run.warmup_cycles", &network.warmup_cycles.to_string()),
            Override::new("run.measure_cycles", &network.measure_cycles.to_string()),
            Override::new("run.stop_at_overload", "true"),
            Override::new("run.seed", &seed.to_string()),
            Override::new("traffic.load", &format!("{load:.4}")),
        ];
        let resolved = resolve(network.text, network.name, Path::new(""), &over);
        let resolved = resolved.unwrap_or_else(|error| panic!("{error}"));
        let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        let rule = Results::new(&resolved, &run).steady.unwrap().reason();
        *found
            .entry(rule.map_or("steady", |rule| rule.name()))
            .or_insert(0) += 1;
    }
    found
}

/// How many of them are called unsteady, steady, and neither.
fn counts(verdicts: &BTreeMap<&'static str, u64>) -> [u64; 3] {
    let of = |name| verdicts.get(name).copied().unwrap_or(0);
    let (steady, unknown) = (of("steady"), of("window too short"));
    [
        verdicts.values().sum::<u64>() - steady - unknown,
        steady,
        unknown,
    ]
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|error| panic!("{name}={text}: {error}"))
    })
}

/// At most one run in fifty below saturation is called unsteady, and three standard deviations of so few runs more.
fn most_unsteady(runs: u64) -> u64 {
    let expected = 0.02 * runs as f64;
    (expected + 3.0 * expected.sqrt()) as u64
}

#[test]
fn noise_near_saturation_is_not_called_unsteady() {
    let mut unsteady = 0;
    for (network, share) in [(&CHAOS, 0.95), (&DEFLECTION, 0.98)] {
        let found = verdicts(network, share * network.saturation, (1, 12));
        unsteady += counts(&found)[0];
    }
    assert!(unsteady <= most_unsteady(24), "{unsteady} of 24");
}

#[test]
fn a_load_over_capacity_is_never_steady() {
    let network = Network {
        measure_cycles: 200_000,
        ..CHAOS
    };
    // By runs of 450,000 cycles 0.3235 of 0.3253 are accepted, and 0.3259 of 0.3302: this is one per cent too much.
    let found = verdicts(&network, 0.329, (1, 4));
    assert_eq!(counts(&found)[1], 0, "{found:?}");
}

/// Prints how often networks are called steady, and holds the promise.
#[test]
#[expect(clippy::print_stderr, reason = "a soak says what it found")]
#[ignore = "minutes: FLITWORK_SOAK_RUNS seeds of each network at each load, 300 where that isn't given"]
fn hundreds_of_seeds_below_saturation() {
    let runs = number("FLITWORK_SOAK_RUNS", 300);
    let first = number("FLITWORK_SOAK_SEED", 1);
    let mut worst = 0;
    eprintln!("{runs} seeds from FLITWORK_SOAK_SEED={first} on");
    for network in [&CHAOS, &WORMHOLE, &DEFLECTION] {
        for share in SHARES {
            let found = verdicts(network, share * network.saturation, (first, runs));
            eprintln!("{} at {share} of saturation: {found:?}", network.name);
            worst = worst.max(counts(&found)[0]);
        }
    }
    let over = [
        (&CHAOS, 0.329, 200_000),
        (&WORMHOLE, 0.3605, 100_000),
        (&DEFLECTION, 0.47, 100_000),
    ];
    let few = runs.div_ceil(10);
    for (network, load, measure_cycles) in over {
        let network = Network {
            measure_cycles,
            ..*network
        };
        let found = verdicts(&network, load, (first, few));
        eprintln!("{} at {load}, over capacity: {found:?}", network.name);
        let [unsteady, _, _] = counts(&found);
        assert!(20 * unsteady >= 19 * few, "{found:?}");
    }
    assert!(worst <= most_unsteady(runs), "{worst} of {runs}");
}
