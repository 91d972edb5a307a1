//! `flitwork compare`.

use crate::harness::{Folder, SMALL, interrupt};
use std::thread::sleep;
use std::time::Duration;

/// Two meshes, measured long enough for both to be recognised as steady.
fn folder() -> Folder {
    let folder = Folder::new();
    let small = SMALL.replace("measure_cycles = 2000", "measure_cycles = 12000");
    let slow = small.replace("sides = [4, 4]", "sides = [4, 4]\nlink_latency_cycles = 3");
    folder.write("small.toml", small);
    folder.write("slow.toml", slow);
    folder
}

#[test]
fn the_better_one_is_named() {
    let folder = folder();
    let found = folder
        .fine(&["compare", "small.toml", "slow.toml", "--json"])
        .json();
    assert_eq!(found["verdict"], "a-better");
    assert_eq!(found["same_packets"], true);
    assert!(found["correlation"].as_f64().unwrap() > 0.0);
    let text = folder.fine(&["compare", "slow.toml", "small.toml"]).out;
    for say in [
        "B is better: lower mean latency",
        "the same in A and B",
        "independent seeds",
        "correlation",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
}

#[test]
fn undecided_and_incomparable_are_answers() {
    let folder = folder();
    let same = ["compare", "small.toml", "small.toml", "--budget-runs", "4"];
    assert!(folder.fine(&same).out.contains("equal in every pair"));
    let seeds = [&same[..], &["--set-b", "traffic.load=0.9"]].concat();
    let text = folder.fine(&seeds).out;
    assert!(
        text.contains("not compared") && text.contains("B is not steady"),
        "{text}"
    );
    let accepted = folder
        .fine(&[&seeds[..], &["--measure", "accepted"]].concat())
        .out;
    assert!(
        accepted.contains("B is better: higher accepted load"),
        "{accepted}"
    );
    assert!(accepted.contains("not the same: packet 0"), "{accepted}");
}

/// A network whose nodes have clocks of their own, and links of a thousand ps.
fn clocked(folder: &Folder) {
    let clocked = SMALL
        .replace("sides = [4, 4]", "sides = [4, 4]\nlink_latency_ps = 1000")
        .replace("measure_cycles = 2000", "measure_cycles = 12000")
        .replace("[run]", "[run]\nengine = \"clocked\"");
    folder.write("clocked.toml", clocked + "[clocks]\nperiod_ps = 1000\n");
}

/// Slower clocks take as many cycles, of more ps: by default latency is compared in ps. In cycles both are nearly equal,
/// which is warned of.
#[test]
fn slower_clocks_lose_in_ps() {
    let folder = folder();
    clocked(&folder);
    let args = [
        "compare",
        "clocked.toml",
        "clocked.toml",
        "--set-b",
        "clocks.period_ps=1500",
        "--budget-runs",
        "4",
    ];
    let done = folder.fine(&[&args[..], &["--json"]].concat());
    let found = done.json();
    assert_eq!(found["verdict"], "a-better", "{found}");
    assert_eq!(found["measure"], "latency-ps");
    assert_eq!(found["unit"], "ps");
    assert_eq!(found["cycle_ps_a"], 1000);
    assert_eq!(found["cycle_ps_b"], 1500);
    assert!(!done.err.contains("warning"), "{}", done.err);
    // The runs' own figures.
    for (side, period) in [("a", "1000"), ("b", "1500")] {
        let period = format!("clocks.period_ps={period}");
        let run = folder
            .fine(&["run", "clocked.toml", "--set", &period, "--json"])
            .json();
        assert_eq!(found["pairs"][0][side], run["latency_mean_ps"], "{side}");
    }
    let text = folder.fine(&args).out;
    for say in [
        "A is better: lower mean latency",
        "nominal cycles         1000 ps in A, 1500 ps in B",
        "by cycle, but at different times",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
    let in_cycles = folder.fine(&[&args[..], &["--measure", "latency"]].concat());
    for say in [
        "warning: --measure latency: mean latency is in cycles",
        "1000 ps in A and 1500 ps in B",
        "--measure latency-ps",
    ] {
        assert!(in_cycles.err.contains(say), "{say}: {}", in_cycles.err);
    }
    assert!(in_cycles.out.contains(" cycles\n"), "{}", in_cycles.out);
    for name in ["p99-ps", "network-latency-ps", "max-ps"] {
        let found = folder
            .fine(&[&args[..], &["--measure", name, "--json"]].concat())
            .json();
        assert_eq!(found["verdict"], "a-better", "{name}: {found}");
    }
}

/// One side has no times in ps: by default the other is compared in cycles, too.
#[test]
fn times_in_ps_are_of_both_or_of_none() {
    let folder = folder();
    clocked(&folder);
    let args = [
        "compare",
        "clocked.toml",
        "small.toml",
        "--budget-runs",
        "2",
    ];
    let found = folder.fine(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(found["measure"], "latency");
    assert_eq!(found["cycle_ps_b"], serde_json::Value::Null);
    let in_ps = [&args[..], &["--measure", "p90-ps"]].concat();
    let says = [
        "--measure p90-ps: B has no times in ps: run.engine is \"sync\"",
        "--measure p90",
    ];
    folder.refuses(&in_ps, &says);
}

/// Where a network is overloaded its results have no latency, and the pairs have none: what was delivered stands apart.
#[test]
fn the_latency_of_an_overload_stands_apart() {
    let folder = folder();
    let args = ["compare", "small.toml", "small.toml", "--budget-runs", "4"];
    let over = [&args[..], &["--set-b", "traffic.load=0.9", "--json"]].concat();
    let found = folder.fine(&over).json();
    let run = [
        "run",
        "small.toml",
        "--set",
        "traffic.load=0.9",
        "--set",
        "run.stop_at_overload=true",
        "--json",
    ];
    let results = folder.fine(&run).json();
    let pair = &found["pairs"][0];
    assert!(
        pair["a"].is_number() && pair["transient_a"].is_null(),
        "{pair}"
    );
    assert!(pair["b"].is_null() && results["latency_mean_cycles"].is_null());
    assert_eq!(
        pair["transient_b"],
        results["latency_transient_mean_cycles"]
    );
    let text = folder.fine(&over[..over.len() - 1]).out;
    assert!(
        text.contains("hint  ") && text.contains("--measure accepted"),
        "{text}"
    );
}

#[test]
fn mistakes_are_refused() {
    let folder = folder();
    folder.refuses(
        &["compare", "small.toml", "none.toml"],
        &["none.toml: doesn't exist"],
    );
    folder.refuses(
        &[
            "compare",
            "small.toml",
            "slow.toml",
            "--set-b",
            "traffic.laod=1",
        ],
        &["--set-b traffic.laod=1", "traffic.load"],
    );
    for side in ["--set-a", "--set-b"] {
        let says = format!("{side} run.seed=7: both configurations run with the same seeds");
        folder.refuses(
            &["compare", "small.toml", "slow.toml", side, "run.seed=7"],
            &[says.as_str(), "allowed: --seed N"],
        );
    }
    folder.refuses(
        &["compare", "small.toml", "slow.toml", "--set-a", "x"],
        &["--set-a x: not KEY=VALUE"],
    );
    for more in [
        ["--measure", "speed"],
        ["--confidence", "1"],
        ["--budget-runs", "1"],
        ["--budget-seconds", "0"],
    ] {
        let done = folder.flitwork(&[&["compare", "small.toml", "slow.toml"][..], &more].concat());
        assert_eq!(done.code, Some(2), "{more:?}");
        assert!(done.err.contains("allowed"), "{}", done.err);
    }
}

/// A seed for both is the first one of the pairs.
#[test]
fn the_first_seed_is_that_of_both() {
    let folder = folder();
    for option in [["--seed", "7"], ["--set", "run.seed=7"]] {
        let args = ["compare", "small.toml", "small.toml", "--budget-runs", "2"];
        let args = [&args[..], &option, &["--json"]].concat();
        let found = folder.fine(&args).json();
        let seeds = [0, 1].map(|pair| found["pairs"][pair]["seed"].as_u64());
        assert_eq!(seeds, [Some(7), Some(8)], "{found}");
    }
}

#[test]
fn an_interruption_ends_with_what_there_is() {
    let folder = folder();
    let mut child = folder.start(&[
        "compare",
        "small.toml",
        "slow.toml",
        "--set",
        "run.measure_cycles=100000000",
    ]);
    sleep(Duration::from_millis(700));
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(done.out.contains("interrupted"), "{done:?}");
}
