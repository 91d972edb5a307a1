//! `flitwork saturate`.

use crate::harness::{Folder, interrupt};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn the_saturation_load_is_found_and_repeats() {
    let folder = Folder::new();
    let args = [
        "saturate",
        "small.toml",
        "--tolerance",
        "0.05",
        "--seeds",
        "2",
        "--json",
    ];
    let found = folder.fine(&args).json();
    let load = found["load"].as_f64().unwrap();
    let interval: Vec<f64> = found["interval"]
        .as_array()
        .unwrap()
        .iter()
        .map(|end| end.as_f64().unwrap())
        .collect();
    // Of two seeds' middles: their mean, Student's t with one degree of freedom (12.706) times half of their
    // distance, and half a step.
    let middle = |seed: &serde_json::Value| {
        let end = |name: &str| seed[name].as_f64().unwrap();
        (end("unsaturated_load") + end("saturated_load")) / 2.0
    };
    let (one, other) = (middle(&found["seeds"][0]), middle(&found["seeds"][1]));
    let half = 12.706 * (one - other).abs() / 2.0 + 0.025;
    assert!((load - (one + other) / 2.0).abs() < 1e-9, "{found}");
    assert!((interval[0] - (load - half)).abs() < 1e-4, "{found}");
    assert!((interval[1] - (load + half)).abs() < 1e-4, "{found}");
    let offered = found["offered_load"].as_f64().unwrap();
    assert!((offered - load).abs() < 0.05, "{found}");
    let (below, above) = (
        found["unsaturated_load"].as_f64().unwrap(),
        found["saturated_load"].as_f64().unwrap(),
    );
    assert!((above - below - 0.05).abs() < 1e-9);
    assert!(found["accepted_at_saturation"]["mean"].as_f64().unwrap() > 0.05);
    assert_eq!(folder.fine(&args).json(), found);
    let text = folder.fine(&args[..6]).out;
    for say in [
        "saturation of small.toml",
        "not saturated up to",
        "accepted at load 1",
        "offered there",
        "why saturated",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
}

#[test]
fn ends_of_the_grid_are_answers() {
    let folder = Folder::new();
    let never = folder.fine(&[
        "saturate",
        "small.toml",
        "--tolerance",
        "0.05",
        "--high",
        "0.1",
    ]);
    assert!(never.out.contains("never saturated"), "{}", never.out);
    let always = folder.fine(&[
        "saturate",
        "small.toml",
        "--low",
        "0.95",
        "--tolerance",
        "0.05",
    ]);
    assert!(always.out.contains("always saturated"), "{}", always.out);
}

#[test]
fn mistakes_are_refused() {
    let folder = Folder::new();
    folder.refuses(
        &["saturate", "small.toml", "--low", "0.5", "--high", "0.4"],
        &["no loads to try", "allowed"],
    );
    folder.refuses(
        &["saturate", "small.toml", "--set", "traffic.process=once"],
        &["traffic.load"],
    );
    folder.refuses(
        &["saturate", "small.toml", "--set", "router.chaos.x=1"],
        &["unknown key"],
    );
    for more in [
        ["--criterion", "latency=1"],
        ["--criterion", "fast"],
        ["--tolerance", "x"],
        ["--seeds", "0"],
    ] {
        let done = folder.flitwork(&[&["saturate", "small.toml"][..], &more].concat());
        assert_eq!(done.code, Some(2), "{more:?}");
        assert!(done.err.contains("allowed"), "{}", done.err);
    }
}

#[test]
fn an_interruption_ends_with_what_there_is() {
    let folder = Folder::new();
    let mut child = folder.start(&[
        "saturate",
        "small.toml",
        "--set",
        "run.measure_cycles=100000000",
    ]);
    sleep(Duration::from_millis(700));
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(
        done.out.contains("PARTIAL") && done.err.contains("interrupted"),
        "{done:?}"
    );
}
