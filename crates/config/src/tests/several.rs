//! Several mistakes at once.

use super::{SHORT, short_with};
use crate::{ConfigError, ErrorPlace, Override, resolve};
use std::path::Path;

fn refused(text: &str, overrides: &[Override]) -> ConfigError {
    resolve(text, "x.toml", Path::new(""), overrides).expect_err(text)
}

fn keys(error: &ConfigError) -> Vec<String> {
    error
        .each()
        .map(|error| error.key().unwrap_or_default().to_owned())
        .collect()
}

const MANY: &str = r#"
[network]
topology = "mesh"
sides = [4, 4]
link_latency_cycles = 0
link_color = "red"

[router.chaos]
multiqueue_frames = "five"

[traffic]
load = 1.5
hot_nodes = [3]

[run]
seed = -1
"#;

#[test]
fn wrong_values_are_reported_in_the_order_of_the_text() {
    let error = refused(MANY, &[Override::new("run.measure_cycles", "soon")]);
    assert_eq!(
        keys(&error),
        [
            "network.link_latency_cycles",
            "network.link_color",
            "router.chaos.multiqueue_frames",
            // That the pattern doesn't read hot_nodes is said once the load is right.
            "traffic.load",
            "run.seed",
            "run.measure_cycles",
        ]
    );
    let text = error.to_string();
    for says in [
        "x.toml:5:23: network.link_latency_cycles is 0\n",
        "\n\nerror: x.toml:6:1: unknown key network.link_color\n",
        "\n\nerror: x.toml:9:21: router.chaos.multiqueue_frames is \"five\"\n",
        "\n\nerror: x.toml:12:8: traffic.load is 1.5\n",
        "\n\nerror: x.toml:16:8: run.seed is -1\n",
        "\n\nerror: command line: --set run.measure_cycles=soon: run.measure_cycles is soon\n",
    ] {
        assert!(
            text.contains(says) || text.starts_with(says),
            "{says}: {text}"
        );
    }
}

/// Each is reported exactly as if it were the only one.
#[test]
fn each_mistake_reads_as_if_it_were_the_only_one() {
    let all = refused(MANY, &[]);
    let isolated = short_with("load = 0.2", "load = 1.5");
    assert_ne!(isolated, SHORT, "the text has changed");
    let isolated = refused(&isolated, &[]);
    let among_others = all
        .each()
        .find(|error| error.key() == isolated.key())
        .unwrap();
    assert_eq!(
        (
            among_others.found(),
            among_others.allowed(),
            among_others.hint()
        ),
        (isolated.found(), isolated.allowed(), isolated.hint())
    );
    assert_eq!(isolated.each().count(), 1, "{isolated}");
}

/// Contradicting values are found beside values that contradict others.
#[test]
fn contradictions_are_gathered() {
    let once = MANY
        .replace("link_latency_cycles = 0\nlink_color = \"red\"\n", "")
        .replace("multiqueue_frames = \"five\"\n", "")
        .replace(
            "load = 1.5\nhot_nodes = [3]",
            "process = \"once\"\nhot_nodes = [3]",
        )
        .replace(
            "seed = -1",
            "warmup_cycles = 5\nmeasure_cycles = 6\ndrain_cycles = 7",
        );
    let found = keys(&refused(&once, &[]));
    for key in [
        "traffic.hot_nodes",
        "run.warmup_cycles",
        "run.measure_cycles",
        "run.drain_cycles",
    ] {
        assert!(found.contains(&key.to_owned()), "{key}: {found:?}");
    }
}

/// Consequences of a mistake aren't reported as mistakes.
#[test]
fn consequences_of_a_mistake_are_not_reported() {
    for (from, to, only) in [
        // The load would be missing, and the pattern's keys would belong to no pattern.
        ("load =", "laod =", &["traffic.laod"][..]),
        ("load = 0.2", "load = \"x\"", &["traffic.load"]),
        (
            "load = 0.2",
            "load = 0.2\npattern = \"hotspot\"\nhot_nodes = [3]",
            &["traffic.pattern"],
        ),
        (
            "load = 0.2",
            "load = 0.2\npatern = \"hot-spot\"\nhot_nodes = [3]",
            &["traffic.patern"],
        ),
        ("[network]", "[netwrok]", &["netwrok"]),
        ("load =", "seed =", &["traffic.seed"]),
    ] {
        let text = short_with(from, to);
        assert_eq!(keys(&refused(&text, &[])), only, "{text}");
    }
}

#[test]
fn a_mistake_is_reported_once_and_no_more_than_twenty() {
    let mut text = SHORT.to_owned();
    for index in 0..50 {
        text = text.replacen("[traffic]\n", &format!("[traffic]\nzzz{index} = 1\n"), 1);
    }
    let error = refused(&text, &[]);
    let mut places: Vec<ErrorPlace> = error.each().map(|error| error.place().clone()).collect();
    places.dedup();
    assert_eq!(places.len(), 20);
    assert!(
        error
            .to_string()
            .ends_with("\n\n50 errors; the first 20 are shown"),
        "{error}"
    );
}
