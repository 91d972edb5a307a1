//! The Chaos router chip as it was published: 95 % of the bisection.

use flitwork_config::{Resolved, resolve};
use flitwork_experiment::simulate::simulate;
use flitwork_results::Results;
use std::ops::ControlFlow;
use std::path::Path;

fn chip(sides: u32, more: &str) -> Resolved {
    let text = format!(
        "[network]\ntopology = \"torus\"\nsides = [{sides}, {sides}]\n{more}\n\
        [router.chaos]\npreset = \"chaos-chip\"\n[traffic]\nload = 1.0\n\
        [run]\nwarmup_cycles = 10000\nmeasure_cycles = 20000\ndrain_cycles = 0\n"
    );
    resolve(&text, "text", Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn at_full_load(mut resolved: Resolved, seed: u64) -> Results {
    resolved.run.seed = seed;
    let simulated = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    Results::new(&resolved, &simulated)
}

fn accepted(results: &Results) -> f64 {
    let load = results.load.as_ref().expect("an open loop");
    load.accepted.mean
}

/// 16 x 16 nodes: 32 wires cross the middle, each a word a cycle both ways together, and each of the 256 nodes sends
/// half of its words (128 / 255) across, which as many nodes do from the other side: 32 = 256 x 128 / 255 x load, or
/// 0.249 words per node and cycle, 0.25 if nodes also sent to themselves. The chip was reported to carry 95 % of 0.25.
#[test]
fn the_chip_carries_95_percent_of_the_bisection() {
    for seed in 1..=3 {
        let results = at_full_load(chip(16, ""), seed);
        let share = accepted(&results) / 0.25;
        assert!((0.93..=0.97).contains(&share), "seed {seed}: {share}");
        assert!(
            results.link_utilisation_max <= 1.0,
            "{}",
            results.link_utilisation_max
        );
        assert!(
            results.link_utilisation_mean > 0.9,
            "{}",
            results.link_utilisation_mean
        );
    }
}

/// What it is due to: with a wire for each direction, half of which idles, it is 0.65; if the output frame is decided
/// on a cycle earlier it misses the packet that has just come, 0.64.
#[test]
fn full_duplex_links_and_hasty_decisions_carry_less() {
    let full = at_full_load(chip(16, "duplex = \"full\""), 1);
    let share = accepted(&full) / 0.5;
    assert!((0.62..=0.68).contains(&share), "{share}");
    let mut hasty = chip(16, "");
    let chaos = hasty
        .router
        .get_mut::<flitwork_router::chaos::ChaosParameters>();
    chaos.expect("Chaos").output_reopen_cycles = 0;
    let share = accepted(&at_full_load(hasty, 1)) / 0.25;
    assert!((0.61..=0.67).contains(&share), "{share}");
}
