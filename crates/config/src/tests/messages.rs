//! Messages, letter for letter.

use super::{SHORT, message, overridden, short_with};
use crate::{ErrorPlace, MistakeKind, Override, load};
use std::path::Path;

macro_rules! says {
    ($name:ident, $text:expr, $expected:literal) => {
        #[test]
        fn $name() {
            assert_eq!(message(&$text), $expected);
        }
    };
}

says!(
    a_load_above_1,
    short_with("load = 0.2", "load = 1.5"),
    "\
x.toml:6:8: traffic.load is 1.5
  6 | load = 1.5
    |        ^^^
  allowed: a number from 0 to 1 (words per node and cycle)"
);

says!(
    an_unknown_key,
    short_with("load", "laod"),
    "\
x.toml:6:1: unknown key traffic.laod
  6 | laod = 0.2
    | ^^^^
  allowed: in [traffic]: packet_words, lengths, process, load, k, packets, repeat_cycles, pattern, hot_nodes, hot_fraction, destinations, file, destination, sources, locality, shift, own_node, resend_after_cycles, batch, modulated, on-off, phases, trace
  hint: did you mean load?"
);

says!(
    a_key_of_another_table,
    short_with("load =", "seed = 3\nload ="),
    "\
x.toml:6:1: unknown key traffic.seed
  6 | seed = 3
    | ^^^^
  allowed: in [traffic]: packet_words, lengths, process, load, k, packets, repeat_cycles, pattern, hot_nodes, hot_fraction, destinations, file, destination, sources, locality, shift, own_node, resend_after_cycles, batch, modulated, on-off, phases, trace
  hint: seed is a key of [network] and [[faults]] and [run]: network.seed or faults.seed or run.seed"
);

says!(
    an_unknown_table,
    short_with("router.chaos", "router.kaos"),
    "\
x.toml:4:9: unknown table router.kaos
  4 | [router.kaos]
    |         ^^^^
  allowed: in [router]: chaos, deflection, greedy-hp, queueing, scheduled, wormhole
  hint: did you mean chaos?"
);

says!(
    an_unknown_variant,
    short_with("mesh", "tours"),
    "\
x.toml:2:12: network.topology is \"tours\"
  2 | topology = \"tours\"
    |            ^^^^^^^
  allowed: \"benes\", \"butterfly\", \"circulant\", \"concentrated-mesh\", \"concentrated-torus\", \"de-bruijn\", \"dragonfly\", \"express-mesh\", \"fat-tree\", \"file\", \"flattened-butterfly\", \"fly\", \"folded-torus\", \"fully-connected\", \"hypercube\", \"hyperx\", \"links\", \"megafly\", \"mesh\", \"random-regular\", \"ring\", \"shuffle-exchange\", \"slim-fly\" or \"torus\"
  hint: did you mean \"torus\"?"
);

says!(
    a_side_of_zero,
    short_with("[4, 4]", "[\n  4,\n  0,\n]"),
    "\
x.toml:5:3: network.sides[1] is 0
  5 |   0,
    |   ^
  allowed: a list of 1 to 16 whole numbers from 1 to 16777216"
);

says!(
    too_many_nodes,
    short_with("[4, 4]", "[16384, 16384]"),
    "\
x.toml:3:9: network.sides is [16384, 16384]
  3 | sides = [16384, 16384]
    |         ^^^^^^^^^^^^^^
  allowed: 2 to 16777216 nodes; these sides have 268435456"
);

says!(an_early_release, short_with("[traffic]", "input_release_cycles = 11\n[traffic]"), "\
x.toml:5:24: router.chaos.input_release_cycles is 11
  5 | input_release_cycles = 11
    |                        ^^
  allowed: 12 to 1048576: a frame isn't free before its last word has left, decision_latency_cycles + packet_words - 1");

says!(
    two_routers,
    short_with("[traffic]", "[router.greedy-hp]\n[traffic]"),
    "\
x.toml:5:1: a second router
  5 | [router.greedy-hp]
    | ^^^^^^^^^^^^^^^^^^
  allowed: exactly one of [router.chaos], [router.deflection], [router.greedy-hp], [router.queueing], [router.scheduled] and [router.wormhole]"
);

says!(
    a_port_twice,
    short_with("[traffic]", "scan_order = [\"east\", \"east\"]\n[traffic]"),
    "\
x.toml:5:23: router.chaos.scan_order names \"east\" twice
  5 | scan_order = [\"east\", \"east\"]
    |                       ^^^^^^
  allowed: each link port once: north, east, south, west"
);

says!(
    a_key_of_another_pattern,
    short_with("load", "hot_nodes = [1]\nload"),
    "\
x.toml:6:13: traffic.hot_nodes is [1]
  6 | hot_nodes = [1]
    |             ^^^
  allowed: only with another pattern: uniform reads only own_node
  hint: hot_nodes belongs to pattern = \"hot-spot\""
);

says!(
    a_grid_that_the_pattern_cannot_use,
    short_with("[4, 4]", "[3, 5]").replace("load", "pattern = \"shuffle\"\nload"),
    "\
x.toml:6:11: traffic.pattern is \"shuffle\" on a grid of 3 x 5
  6 | pattern = \"shuffle\"
    |           ^^^^^^^^^
  allowed: shuffle needs a power-of-two number of nodes"
);

says!(
    no_load,
    short_with("load = 0.2\n", ""),
    "\
x.toml:5:1: traffic.load is missing
  5 | [traffic]
    | ^^^^^^^^^
  allowed: a number from 0 to 1 (words per node and cycle)
  hint: traffic.load: the mean load that the sources offer; bernoulli, on-off and modulated only"
);

says!(
    an_empty_file,
    "",
    "\
x.toml: is empty
  allowed: a configuration needs [network], one of [router.chaos], [router.deflection], [router.greedy-hp], [router.queueing], [router.scheduled] and [router.wormhole], and [traffic]"
);

says!(
    a_truncated_file,
    &SHORT[..SHORT.len() - 4],
    "\
x.toml:6:8: not TOML: a value is missing
  6 | load =
    |        ^"
);

says!(
    a_long_line,
    short_with(
        "load",
        &format!("hot_nodes = [{}-5]\nload", "1, ".repeat(40))
    ),
    "\
x.toml:6:134: traffic.hot_nodes[40] is -5
  6 | … 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -5]
    |                                          ^^
  allowed: a list of one or more node numbers, from 0"
);

#[test]
fn the_command_line_is_a_place() {
    let error = overridden(&["traffic.load=1.5"]).unwrap_err();
    assert_eq!(error.kind(), MistakeKind::Value);
    assert_eq!(error.key(), Some("traffic.load"));
    assert_eq!(
        *error.place(),
        ErrorPlace::CommandLine("--set traffic.load=1.5".into())
    );
    let expected = "\
command line: --set traffic.load=1.5: traffic.load is 1.5
  allowed: a number from 0 to 1 (words per node and cycle)";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_key_with_its_own_option_is_named() {
    let seed = Override::by_option("--seed", "run.seed", "-1");
    let error = crate::resolve(SHORT, "x.toml", Path::new(""), &[seed]).unwrap_err();
    let first = "command line: --seed -1: run.seed is -1\n";
    assert!(error.to_string().starts_with(first), "{error}");
}

#[test]
fn files_that_are_no_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.toml");
    let refused = |expected: &str| {
        let error = load(&path, &[]).unwrap_err();
        assert_eq!(error.kind(), MistakeKind::File);
        let first = format!("{}: {expected}", path.display());
        assert!(error.to_string().starts_with(&first), "{error}");
    };
    refused("doesn't exist\n  allowed: a readable file of UTF-8 text, at most 1 MiB");
    std::fs::write(&path, b"[network]\n\xff\xfe").unwrap();
    refused("is not UTF-8 text: byte 10 (0xff, in line 2) isn't valid there");
    std::fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
    refused("has 1048577 bytes");
    // A sparse file: its length is reason enough to refuse it.
    std::fs::File::create(&path)
        .unwrap()
        .set_len((1 << 30) + 1)
        .unwrap();
    refused("has 1073741825 bytes");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    refused("is a directory");
    let device = load(Path::new("/dev/zero"), &[]).unwrap_err().to_string();
    assert!(
        device.starts_with("/dev/zero: is not a regular file"),
        "{device}"
    );
}

#[test]
fn a_file_is_loaded_with_overrides() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.toml");
    std::fs::write(&path, format!("\u{feff}{SHORT}").replace('\n', "\r\n")).unwrap();
    let over = ["traffic.pattern = transpose", "run.seed=7"].map(|over| over.parse().unwrap());
    let resolved = load(&path, &over).unwrap();
    assert_eq!(
        (resolved.traffic.pattern.name(), resolved.run.seed),
        ("transpose", 7)
    );
}

/// One error per line, and none behind an unclosed array: the reader takes what follows for its entries.
#[test]
fn all_that_is_not_toml_is_reported() {
    let lines = |text: &str| {
        let message = message(text);
        let places = message
            .lines()
            .filter_map(|line| line.split_once("x.toml:"));
        let place = |(_, rest): (&str, &str)| rest.split(": ").next().unwrap().to_owned();
        places.map(place).collect::<Vec<_>>()
    };
    let three = "topology = mesh\nsides = [4 4]\n[traffic]\nload = 0,1\n";
    assert_eq!(lines(three), ["1:12", "2:10", "4:9"]);
    let unclosed = "sides [4]\nx = [1,\n2\n[run]\nseed = 1\nload =\n";
    assert_eq!(lines(unclosed), ["1:7", "4:1"]);
}
