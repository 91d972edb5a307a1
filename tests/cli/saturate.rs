//! `flitwork saturate`.

use crate::harness::{Folder, SMALL, interrupt};
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
    let of = |name: &str| {
        let load = &found[format!("{name}_words_per_node_cycle")];
        load.as_f64().unwrap_or_else(|| panic!("{name}: {found}"))
    };
    let load = of("saturation_load");
    let interval = ["lower", "upper"].map(|end| of(&format!("saturation_load_{end}")));
    // For the midpoints of two seeds: their mean, and Student's t with one degree of freedom (12.706) times
    // half of their distance, plus half a step.
    let middle = |seed: &serde_json::Value| {
        let end = |name: &str| {
            seed[format!("{name}_words_per_node_cycle")]
                .as_f64()
                .unwrap()
        };
        (end("unsaturated_load") + end("saturated_load")) / 2.0
    };
    let (one, other) = (middle(&found["seeds"][0]), middle(&found["seeds"][1]));
    let half = 12.706 * (one - other).abs() / 2.0 + 0.025;
    assert!((load - (one + other) / 2.0).abs() < 1e-9, "{found}");
    let ends = [(load - half).max(0.0), (load + half).min(1.0)];
    assert!((interval[0] - ends[0]).abs() < 1e-4, "{found}");
    assert!((interval[1] - ends[1]).abs() < 1e-4, "{found}");
    let offered = of("offered_load");
    assert!((offered - load).abs() < 0.05, "{found}");
    let (below, above) = (of("unsaturated_load"), of("saturated_load"));
    assert!((above - below - 0.05).abs() < 1e-9);
    assert!(of("accepted_at_saturation") > 0.05);
    // Every load that was tried has a row, in JSON and in a table, and a search is reproducible.
    let tables = [&args[..], &["--out", "tables"]].concat();
    let again = folder.fine(&tables).json();
    for key in ["seeds", "tried", "saturation_load_words_per_node_cycle"] {
        assert_eq!(again[key], found[key], "{key}");
    }
    let lines = |name: &str| {
        let table = folder.read(&format!("tables/{name}.csv"));
        table.lines().filter(|line| !line.starts_with('#')).count()
    };
    assert_eq!(lines("saturation"), 1 + 1);
    assert_eq!(lines("saturation-seeds"), 1 + 2);
    let tried = found["tried"].as_array().unwrap();
    assert_eq!(lines("saturation-tried"), 1 + tried.len());
    assert_eq!(tried[0]["seed"], found["seeds"][0]["seed"]);
    folder.refuses(&tables, &["--out", "--force"]);
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
    let done = folder.flitwork(&["saturate", "small.toml", "--set", "traffic.process=once"]);
    let says = "\nerror: load 0.005: the load that saturate tries, traffic.load=0.005: traffic.load is 0.005\n";
    assert!(
        done.code == Some(2) && done.err.contains(says),
        "{}",
        done.err
    );
    folder.refuses(
        &["saturate", "small.toml", "--set", "traffic.load=0.3"],
        &[
            "--set traffic.load=0.3 sets it too",
            "allowed: --low and --high",
        ],
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
    // No load has been tried to its end.
    assert!(
        !done.out.contains("always saturated") && !done.out.contains("95 %"),
        "{done:?}"
    );
}

/// A clock that is gated for good: whatever the load and the criterion, packets are left.
#[test]
fn a_network_that_fails_is_reported() {
    let folder = Folder::new();
    let gated = "[clocks]\nperiod_ps = 1000\n[[clocks.changes]]\nat_ps = 500000\nnodes = [5]\ngated = true\n";
    let run = "[run]\nengine = \"clocked\"\ndrain_cycles = 5000";
    folder.write("gated.toml", SMALL.replace("[run]", run) + gated);
    let args = [
        "saturate",
        "gated.toml",
        "--seeds",
        "1",
        "--tolerance",
        "0.05",
        "--high",
        "0.1",
    ];
    for criterion in ["steady", "latency=3"] {
        let args = [&args[..], &["--criterion", criterion]].concat();
        let done = folder.flitwork(&args);
        assert_eq!(done.code, Some(3), "{criterion}: {done:?}");
        let line = "failed                 2: packets could not be delivered";
        assert!(done.out.contains(line), "{}", done.out);
        assert!(done.out.contains(" packets left in cycle "), "{}", done.out);
        let json = folder.flitwork(&[&args[..], &["--json"]].concat());
        assert_eq!(json.code, Some(3), "{json:?}");
        assert_eq!(json.json()["failed"], 2);
    }
}
