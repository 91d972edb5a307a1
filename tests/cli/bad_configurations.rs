//! Configurations that can't be used are refused with the line, what was found there and what is allowed.

use crate::harness::{Folder, SMALL};

#[test]
fn files_that_are_no_configuration() {
    let folder = Folder::new();
    folder.write("empty.toml", "");
    folder.write("blank.toml", "# nothing\n\n");
    folder.write("truncated.toml", &SMALL[..SMALL.find("chaos]").unwrap()]);
    folder.write("binary.toml", [0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe, 0]);
    folder.write("zeros.toml", [0; 100]);
    for (config, says) in [
        ("missing.toml", ["missing.toml: doesn't exist", "allowed: "]),
        ("missing/small.toml", ["missing/small.toml", "allowed: "]),
        ("small.toml/x.toml", ["small.toml/x.toml", "allowed: "]),
        (".", [".: is a directory", "allowed: "]),
        (
            "/dev/null",
            ["/dev/null: is not a regular file", "allowed: "],
        ),
        ("empty.toml", ["empty.toml: is empty", "[network]"]),
        ("blank.toml", ["blank.toml: has no network", "[network]"]),
        ("truncated.toml", ["truncated.toml:6:", "not TOML"]),
        ("binary.toml", ["binary.toml: is not UTF-8", "allowed: "]),
        ("zeros.toml", ["zeros.toml:1:1", "not TOML"]),
    ] {
        folder.refuses(&["run", config], &says);
        folder.refuses(&["adversary", "--out", "p.json", "--config", config], &says);
    }
    assert!(!folder.path("p.json").exists());
}

/// A line of the small configuration, its replacement, and what the message contains.
const MISTAKES: &[(&str, &str, &[&str])] = &[
    (
        "load = 0.1",
        "laod = 0.1",
        &["traffic.laod", "did you mean load?", "allowed: "],
    ),
    (
        "load = 0.1",
        "load = 1.5",
        &["traffic.load is 1.5", "a number from 0 to 1"],
    ),
    (
        "load = 0.1",
        "load = -0.1",
        &["traffic.load is -0.1", "a number from 0 to 1"],
    ),
    (
        "load = 0.1",
        "load = nan",
        &["traffic.load is nan", "a number from 0 to 1"],
    ),
    (
        "load = 0.1",
        "load = inf",
        &["traffic.load is inf", "a number from 0 to 1"],
    ),
    (
        "load = 0.1",
        "load = \"0.1\"",
        &["traffic.load is \"0.1\"", "without quotes"],
    ),
    (
        "load = 0.1",
        "load = true",
        &["traffic.load is true", "a number from 0 to 1"],
    ),
    ("load = 0.1", "load =", &["not TOML"]),
    (
        "sides = [4, 4]",
        "sides = 4",
        &["network.sides is 4", "a list", "[1, 2]"],
    ),
    (
        "sides = [4, 4]",
        "sides = []",
        &["network.sides is an empty list", "a list"],
    ),
    (
        "sides = [4, 4]",
        "sides = [4, 0]",
        &["network.sides[1] is 0", "from 1 to"],
    ),
    (
        "sides = [4, 4]",
        "sides = [-4, 4]",
        &["network.sides[0] is -4", "from 1 to"],
    ),
    (
        "sides = [4, 4]",
        "sides = [4.5, 4]",
        &["network.sides[0] is 4.5", "from 1 to"],
    ),
    (
        "sides = [4, 4]",
        "sides = [99999, 99999]",
        &["network.sides", "2 to 16777216 nodes"],
    ),
    (
        "sides = [4, 4]",
        "sides = [99999999999999999999]",
        &["network.sides[0]", "from 1 to"],
    ),
    (
        "sides = [4, 4]",
        "sides = [1]",
        &["network.sides", "2 to 16777216 nodes"],
    ),
    (
        "topology = \"mesh\"",
        "topology = \"mehs\"",
        &["network.topology", "did you mean \"mesh\"?"],
    ),
    (
        "[router.chaos]",
        "[router.chaso]",
        &["router.chaso", "did you mean chaos?"],
    ),
    (
        "[router.chaos]",
        "[router.chaos]\nmultiqueue_frames = 0",
        &["multiqueue_frames is 0", "1 to 64"],
    ),
    (
        "[router.chaos]",
        "[router.chaos]\nframe_words = 9",
        &["frame_words is 9", "allowed: 10"],
    ),
    (
        "[router.chaos]",
        "[router.chaos]\nderouting = 1",
        &["derouting is 1", "true or false"],
    ),
    (
        "[router.chaos]",
        "[router.greedy-hp]\nx = 1",
        &["router.greedy-hp.x", "allowed: "],
    ),
    (
        "measure_cycles = 2000",
        "measure_cycles = 0",
        &["run.measure_cycles is 0", "from 1 to"],
    ),
    (
        "measure_cycles = 2000",
        "measure_cycles = 2e3",
        &["run.measure_cycles is 2e3", "whole"],
    ),
    (
        "measure_cycles = 2000",
        "seed = -1",
        &["run.seed is -1", "from 0 to"],
    ),
];

#[test]
fn mistakes_in_a_configuration_are_reported_with_their_line() {
    let folder = Folder::new();
    for (right, wrong, says) in MISTAKES {
        let text = SMALL.replace(right, wrong);
        assert_ne!(text, SMALL);
        folder.write("wrong.toml", &text);
        // The mistake is in the last line of the replacement.
        let last = wrong.lines().last().unwrap();
        let line = text.lines().position(|line| line == last).unwrap() + 1;
        let place = format!("wrong.toml:{line}:");
        let says: Vec<&str> = says.iter().copied().chain([place.as_str()]).collect();
        folder.refuses(&["run", "wrong.toml", "--out", "out"], &says);
    }
    assert!(!folder.path("out").exists());
}

/// All mistakes of a file and of the command line are reported at once, in the order of the text.
#[test]
fn every_mistake_is_reported() {
    let folder = Folder::new();
    let text = SMALL
        .replace("sides = [4, 4]", "sides = [4, 4]\ncolour = 3")
        .replace("load = 0.1", "load = 1.5");
    folder.write("wrong.toml", text);
    let says = [
        "error: wrong.toml:5:1: unknown key network.colour\n",
        "\n\nerror: wrong.toml:10:8: traffic.load is 1.5\n",
        "\n\nerror: command line: --set run.drain_cycles=x: run.drain_cycles is x\n",
    ];
    folder.refuses(&["run", "wrong.toml", "--set", "run.drain_cycles=x"], &says);
    let done = folder.flitwork(&["check", "wrong.toml"]);
    assert_eq!(done.code, Some(2));
    assert_eq!(done.err.matches("error: ").count(), 2, "{}", done.err);
}
