//! Defaults, and values that follow others.

use super::{overridden, right, short_with};
use crate::{AnyRouter, EngineChoice, Resolved};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_traffic::BernoulliParameters;

fn chaos(keys: &str) -> ChaosParameters {
    let text = short_with("[router.chaos]", &format!("[router.chaos]\n{keys}"));
    let router = right(&text).router;
    let chaos: Option<&ChaosParameters> = router.get();
    chaos.expect("a Chaos router").clone()
}

fn run(process: &str, keys: &str) -> Resolved {
    right(&short_with(
        "load = 0.2",
        &format!("{process}\n[run]\n{keys}"),
    ))
}

#[test]
fn omitted_keys_take_their_defaults() {
    let resolved = right(super::SHORT);
    assert_eq!(resolved.network.link_latency_cycles, 1);
    assert_eq!(resolved.router, ChaosParameters::chinn_1995(4).into());
    assert_eq!(
        resolved.traffic.process,
        BernoulliParameters { load: 0.2 }.into()
    );
    assert_eq!(resolved.traffic.pattern.name(), "uniform");
    assert_eq!(
        (resolved.run.seed, resolved.run.engine),
        (1, EngineChoice::Sync)
    );
    assert_eq!(
        (resolved.run.warmup_cycles, resolved.run.measure_cycles),
        (10_000, 50_000)
    );
    assert_eq!(resolved.run.drain_cycles, 600_000);
    assert_eq!(resolved.run.deadline_cycles, 1_260_000);
    assert_eq!(resolved.packet_words(), 10);
}

#[test]
fn presets_are_the_routers_own() {
    assert_eq!(
        chaos("preset = \"chinn-1995\""),
        ChaosParameters::chinn_1995(4)
    );
    assert_eq!(
        chaos("preset = \"chaos-chip\""),
        ChaosParameters::chaos_chip(4)
    );
}

#[test]
fn frames_and_release_follow_the_packet() {
    for words in [1, 9, 10, 4096] {
        let chaos = chaos(&format!("packet_words = {words}"));
        assert_eq!(chaos.input_release_cycles, 3 + words);
    }
    assert_eq!(
        chaos("decision_latency_cycles = 5").input_release_cycles,
        15
    );
    let given = chaos("packet_words = 4\nframe_words = 4\ninput_release_cycles = 6");
    assert_eq!(given.input_release_cycles, 6);
    // At the very end the default is the most that is allowed.
    assert_eq!(
        chaos("decision_latency_cycles = 1048567").input_release_cycles,
        1 << 20
    );
}

#[test]
fn the_router_allows_what_the_table_says() {
    const MAX_ROUTER_CYCLES: u64 = 1 << 20;
    let mut chaos = ChaosParameters::chinn_1995(4);
    chaos.stall_threshold_cycles = MAX_ROUTER_CYCLES as u32;
    chaos.check().unwrap();
    chaos.stall_threshold_cycles += 1;
    chaos.check().unwrap_err();
}

#[test]
fn greedy_hot_potato_has_packets_of_a_word() {
    let resolved = right(&short_with("router.chaos", "router.greedy-hp"));
    assert_eq!(
        (&resolved.router, resolved.packet_words()),
        (&AnyRouter::from(GreedyHpParameters::default()), 1)
    );
}

#[test]
fn a_run_of_once_has_a_deadline_only() {
    let once = run("process = \"once\"", "").run;
    assert_eq!(
        (once.warmup_cycles, once.measure_cycles, once.drain_cycles),
        (0, 0, 0)
    );
    assert_eq!(once.deadline_cycles, 100_000_000);
    assert_eq!(
        run("process = \"once\"", "deadline_cycles = 7")
            .run
            .deadline_cycles,
        7
    );
}

#[test]
fn a_drain_that_is_not_given_fits() {
    let long = run("load = 1", "measure_cycles = 3_999_990_000").run;
    assert_eq!(
        (long.drain_cycles, long.deadline_cycles),
        (0, 4_000_000_000)
    );
    let half = run("load = 1", "measure_cycles = 2_000_000_000").run;
    assert_eq!(
        (half.drain_cycles, half.deadline_cycles),
        (999_995_000, 4_000_000_000)
    );
}

#[test]
fn numbers_come_in_every_form() {
    let seed = |text: &str| run("load = 1", &format!("seed = {text}")).run.seed;
    assert_eq!(seed("18446744073709551615"), u64::MAX);
    assert_eq!(
        (seed("0xFF"), seed("1_000"), seed("+5"), seed("-0")),
        (255, 1000, 5, 0)
    );
    assert_eq!(
        run("load = -0.0", "").traffic.process,
        BernoulliParameters { load: 0.0 }.into()
    );
}

#[test]
fn the_last_override_wins_and_missing_tables_are_added() {
    let resolved = overridden(&["run.seed=2", "run.seed = 3", "traffic={load=1}"]).unwrap();
    assert_eq!(resolved.run.seed, 3);
    assert_eq!(
        resolved.traffic.process,
        BernoulliParameters { load: 1.0 }.into()
    );
    let keys = "network.sides=[3, 3] network.topology=torus router.greedy-hp={} traffic.load=0";
    let overrides: Vec<_> = keys
        .replace(", ", ",")
        .split(' ')
        .map(|over| over.parse().unwrap())
        .collect();
    let path = std::path::Path::new("");
    crate::resolve("", "x.toml", path, &overrides).unwrap();
}
