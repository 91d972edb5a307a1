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
