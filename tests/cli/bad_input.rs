//! What can't be used is refused with exit code 2, before anything is done, and with a message that says
//! where it is, what it is and what would do.

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

/// A line of the small configuration, what stands in its place, and what is said about it.
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
fn mistakes_in_a_configuration_are_told_with_their_line() {
    let folder = Folder::new();
    for (right, wrong, says) in MISTAKES {
        let text = SMALL.replace(right, wrong);
        assert_ne!(text, SMALL);
        folder.write("wrong.toml", &text);
        // The mistake is in the last line of what was put there.
        let last = wrong.lines().last().unwrap();
        let line = text.lines().position(|line| line == last).unwrap() + 1;
        let place = format!("wrong.toml:{line}:");
        let says: Vec<&str> = says.iter().copied().chain([place.as_str()]).collect();
        folder.refuses(&["run", "wrong.toml", "--out", "out"], &says);
    }
    assert!(!folder.path("out").exists());
}

#[test]
fn permutation_files_that_are_none() {
    let folder = Folder::new();
    let files: &[(&str, &[u8], &[&str])] = &[
        ("twice.txt", b"0 1\n2 1\n", &["twice.txt:2:", "node 1"]),
        ("source.txt", b"0 1\n0 2\n", &["source.txt:2:", "node 0"]),
        ("words.txt", b"north south\n", &["words.txt:1:"]),
        ("one.txt", b"0 1\n3\n", &["one.txt:2:"]),
        (
            "off.txt",
            b"0 1\n1 16\n",
            &["off.txt:2:", "\"16\"", "0 to 15"],
        ),
        ("minus.txt", b"0 -1\n", &["minus.txt:1:", "0 to 15"]),
        ("empty.txt", b"", &["empty.txt: no packet"]),
        (
            "binary.txt",
            b"\x89PNG\r\n\x1a\n\xff",
            &["binary.txt: is not UTF-8"],
        ),
        (
            "twice.json",
            b"{\"packets\": [[0, 1],\n [2, 1]]}",
            &["twice.json:2:", "node 1"],
        ),
        (
            "off.json",
            b"{\"packets\": [[0, 99]]}",
            &["off.json:1:", "99"],
        ),
        ("cut.json", b"{\"packets\": [[0, 1], [", &["cut.json:1:"]),
        (
            "other.json",
            b"{\"name\": \"x\"}",
            &["other.json", "packets"],
        ),
    ];
    folder.write(
        "p.toml",
        SMALL.replace("load = 0.1", "load = 0.1\npattern = \"permutation\""),
    );
    for (name, bytes, says) in files {
        folder.write(name, bytes);
        let set = format!("traffic.file={name}");
        let says: Vec<&str> = says.iter().copied().chain(["traffic.file"]).collect();
        folder.refuses(&["run", "p.toml", "--set", &set], &says);
    }
    let says = ["traffic.file", "missing.txt doesn't exist", "allowed: "];
    folder.refuses(
        &["run", "p.toml", "--set", "traffic.file=missing.txt"],
        &says,
    );
    let says = ["traffic.file", "is a directory", "allowed: "];
    folder.refuses(&["run", "p.toml", "--set", "traffic.file=."], &says);
    let says = ["traffic.file", "belongs to pattern = \"permutation\""];
    folder.refuses(
        &["run", "small.toml", "--set", "traffic.file=off.txt"],
        &says,
    );
}

#[test]
fn the_command_line_of_run() {
    let folder = Folder::new();
    for (args, says) in [
        (
            vec!["--set", "nonsense"],
            vec!["--set nonsense", "not KEY=VALUE", "allowed: "],
        ),
        (vec!["--set", "=1"], vec!["--set =1", "not KEY=VALUE"]),
        (
            vec!["--set", "traffic.load=2"],
            vec!["--set traffic.load=2", "from 0 to 1"],
        ),
        (
            vec!["--set", "traffic.laod=0.2"],
            vec!["traffic.laod", "did you mean traffic.load?"],
        ),
        (
            vec!["--set", "load=0.2"],
            vec!["--set load=0.2", "traffic.load"],
        ),
        (
            vec!["--set", "foo.bar=1"],
            vec!["--set foo.bar=1", "flitwork reference"],
        ),
        (
            vec!["--set", "network.sides=[4"],
            vec!["--set network.sides=[4", "network.sides"],
        ),
        (
            vec!["--seed", "-1"],
            vec!["--seed -1", "run.seed is -1", "from 0 to"],
        ),
        (
            vec!["--seed=-1"],
            vec!["--seed -1", "run.seed is -1", "from 0 to"],
        ),
        (vec!["--seed", "abc"], vec!["--seed abc", "from 0 to"]),
        (vec!["--seed", "1.5"], vec!["--seed 1.5", "from 0 to"]),
        (vec!["--seed", ""], vec!["--seed", "empty", "from 0 to"]),
        (
            vec!["--seed", "18446744073709551616"],
            vec!["--seed 18446744073709551616", "from 0"],
        ),
        (
            vec!["--engine", "parallel"],
            vec!["'parallel'", "--engine", "sync-plain"],
        ),
        (vec!["--nonsense"], vec!["--nonsense", "Usage"]),
        (vec!["other.toml"], vec!["other.toml", "Usage"]),
        (vec!["--out"], vec!["--out"]),
    ] {
        let args: Vec<&str> = ["run", "small.toml"].into_iter().chain(args).collect();
        folder.refuses(&args, &says);
    }
    folder.refuses(&["run"], &["<CONFIG>"]);
    folder.refuses(&["runn"], &["runn", "'run'"]);
    folder.refuses(&["small.toml"], &["small.toml", "Usage"]);
}

#[test]
fn options_of_the_live_engine() {
    let folder = Folder::new();
    for (args, says) in [
        (
            vec!["--runtime", "async"],
            vec!["'async'", "--runtime", "tokio"],
        ),
        (
            vec!["--slack", "-1"],
            vec!["--slack -1: live.slack is -1", "or \"none\""],
        ),
        (
            vec!["--slack", "some"],
            vec!["--slack some: live.slack is some", "or \"none\""],
        ),
        (
            vec!["--workers", "0"],
            vec!["--workers 0: live.workers is 0", "from 1 to 1024"],
        ),
        (
            vec!["--channel-capacity", "1"],
            vec!["--channel-capacity 1", "allowed: 2 to 65536"],
        ),
        (
            vec!["--burst-cycles", "x"],
            vec!["--burst-cycles x: live.burst_cycles is x", "from 1 to 4096"],
        ),
    ] {
        let args: Vec<&str> = ["run", "small.toml"].into_iter().chain(args).collect();
        folder.refuses(&args, &says);
    }
}

#[test]
fn places_that_cannot_be_written() {
    let folder = Folder::new();
    folder.write("file", "precious");
    let adverse = SMALL.replace("[4, 4]", "[60, 60]");
    folder.write(
        "adverse.toml",
        adverse.replace("[router.chaos]", "[router.chaos]\nderouting = false"),
    );
    for out in ["file/x", "/proc/nosuch/x"] {
        folder.refuses(
            &["run", "small.toml", "--out", out],
            &["--out", out, "can't be written"],
        );
        let args = ["adversary", "--config", "adverse.toml", "--out", out];
        folder.refuses(&args, &["--out", out, "can't be written"]);
        let args = ["paper", "chinn-exp2", "--n", "120", "--plot", out];
        folder.refuses(&args, &["--plot", out, "can't be written"]);
        let args = [
            "paper",
            "chinn-exp2",
            "--n",
            "120",
            "--snapshot",
            "9",
            "--snapshot-dir",
            out,
        ];
        folder.refuses(&args, &["--snapshot-dir", out, "can't be written"]);
    }
    folder.refuses(
        &["run", "small.toml", "--out", "file"],
        &["--out", "file", "can't be written"],
    );
    // What is there isn't replaced, whichever command would do it.
    for (args, option) in [
        (
            &["adversary", "--config", "adverse.toml", "--out", "file"][..],
            "--out",
        ),
        (&["paper", "chinn-exp2", "--plot", "file"], "--plot"),
        (&["study", "greedy-steps", "--plot", "file"], "--plot"),
        (&["study", "async-exp2", "--plot", "file"], "--plot"),
        (
            &["run", "small.toml", "--engine", "live", "--record", "file"],
            "--record",
        ),
    ] {
        folder.refuses(args, &[option, "file is there already", "--force"]);
    }
    for (name, args) in [
        (
            "chinn-exp2-n120-chaos-cycle9.svg",
            &["paper", "chinn-exp2", "--n", "120", "--snapshot", "9"][..],
        ),
        (
            "async-load-mesh-uniform.svg",
            &["study", "async-load", "--plot", "."],
        ),
        ("routers.csv", &["study", "routers", "--out", "."]),
        (
            "mesh-8-uniform-latency.svg",
            &["study", "routers", "--side", "8", "--out", "."],
        ),
        ("cut-through.svg", &["study", "cut-through", "--out", "."]),
    ] {
        folder.write(name, "old");
        folder.refuses(args, &[name, "of an earlier run", "--force"]);
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    let args = ["adversary", "--config", "adverse.toml", "--out", "."];
    folder.refuses(&args, &["--out", "can't be written"]);
    // Found before a long experiment begins, not after it.
    folder.refuses(
        &["paper", "chinn-exp2", "--plot", "."],
        &["--plot", "can't be written"],
    );
    assert_eq!(folder.read("file"), "precious");
}

#[test]
fn papers_that_do_not_exist_or_do_not_fit() {
    let folder = Folder::new();
    folder.refuses(&["paper", "nosuch"], &["nosuch", "chinn-exp1, chinn-exp2"]);
    folder.refuses(&["paper"], &["<EXPERIMENT>"]);
    for (option, values) in [
        (
            "--n",
            &[
                "abc",
                "",
                "-5",
                "0",
                "4000000000",
                "99999999999",
                "120,",
                "1.5",
            ][..],
        ),
        ("--seeds", &["0", "-1", "x", "4294967296"]),
        ("--snapshot", &["-1", "x", "4294967295"]),
    ] {
        for value in values {
            let args = ["paper", "chinn-exp2", option, value];
            folder.refuses(&args, &[option, "allowed: a whole number from"]);
        }
    }
    folder.refuses(
        &["paper", "chinn-exp2", "--n", "5"],
        &["--n", "n = 5", "35 or more", "allowed: "],
    );
    // All sizes are checked before the first is run.
    folder.refuses(
        &["paper", "chinn-exp2", "--n", "3120,5"],
        &["--n", "n = 5", "35 or more", "allowed: "],
    );
    folder.refuses(
        &["paper", "chinn-exp2", "--n", "1000000"],
        &["--n", "1000000", "nodes"],
    );
    folder.refuses(
        &["paper", "chinn-exp1", "--n", "10000"],
        &["--n", "10000", "nodes"],
    );
    folder.refuses(
        &["paper", "chinn-exp2", "--initial-pointer", "x"],
        &["fixed, random"],
    );
    folder.refuses(
        &["paper", "chinn-exp2", "--snapshot-dir", "x"],
        &["--snapshot <CYCLE>"],
    );
}

/// Who gives a key of the configuration as if it were an option is told how it is set.
#[test]
fn options_that_are_keys() {
    let folder = Folder::new();
    for (args, says) in [
        (
            &["run", "small.toml", "--load", "0.3"][..],
            "'--set traffic.load=0.3'",
        ),
        (
            &["run", "--load=0.3", "small.toml"],
            "'--set traffic.load=0.3'",
        ),
        (
            &["sweep", "small.toml", "--vcs", "2"],
            "'--set router.wormhole.vcs=2'",
        ),
        (
            &["run", "small.toml", "--traffic.load", "0.3"],
            "'--set traffic.load=0.3'",
        ),
        (
            &["check", "small.toml", "--link-latency-cycles", "2"],
            "'--set network.link_latency_cycles=2'",
        ),
        (
            &["run", "small.toml", "--load"],
            "'--set traffic.load=VALUE'",
        ),
        // Two keys are called so.
        (&["check", "small.toml", "--packets", "2"], "packets=2'"),
        // No key is.
        (&["run", "small.toml", "--sed", "2"], "'--seed'"),
        (
            &["run", "small.toml", "--router", "2"],
            "unexpected argument",
        ),
    ] {
        folder.refuses(args, &[says]);
        let done = folder.flitwork(args);
        assert!(!done.err.contains("--log"), "{args:?}: {}", done.err);
    }
    // No key can be set there.
    let done = folder.flitwork(&["study", "multiqueue", "--load", "2"]);
    assert!(!done.err.contains("--set"), "{}", done.err);
}

/// All mistakes of a file and of the command line are told at once, in the order of the text.
#[test]
fn every_mistake_is_told() {
    let folder = Folder::new();
    let text = SMALL
        .replace("sides = [4, 4]", "sides = [4, 4]\ncolour = 3")
        .replace("load = 0.1", "load = 1.5");
    folder.write("wrong.toml", text);
    let says = [
        "error: wrong.toml:5:1: unknown key network.colour\n",
        "\nerror: wrong.toml:10:8: traffic.load is 1.5\n",
        "\nerror: command line: --set run.drain_cycles=x: run.drain_cycles is x\n",
    ];
    folder.refuses(&["run", "wrong.toml", "--set", "run.drain_cycles=x"], &says);
    let done = folder.flitwork(&["check", "wrong.toml"]);
    assert_eq!(done.code, Some(2));
    assert_eq!(done.err.matches("error: ").count(), 2, "{}", done.err);
}

/// Seeds that pass the last one are refused, and not counted on from 0.
#[test]
fn seeds_end_at_the_last() {
    let folder = Folder::new();
    let last = ["--seed", "18446744073709551615"];
    for (command, option) in [
        (&["sweep", "small.toml", "--seeds", "5"][..], "--seeds 5"),
        (&["saturate", "small.toml", "--seeds", "5"], "--seeds 5"),
        (&["compare", "small.toml", "small.toml"], "--budget-runs 64"),
    ] {
        let args = [command, &last[..]].concat();
        folder.refuses(&args, &[option, "pass the last one", "allowed: "]);
    }
    let one = [
        "sweep",
        "small.toml",
        "--out",
        "one",
        "--over",
        "traffic.load=0.05,0.1",
    ];
    folder.fine(&[&one[..], &last].concat());
    assert!(
        folder
            .read("one/sweep.csv")
            .contains(",18446744073709551615,")
    );
}

/// A trace in CSV is put over one in netrace's format, and is its own example; both are the same packets.
#[test]
fn a_csv_trace_over_another() {
    let folder = Folder::new();
    let config = |name: &str| format!("{}/configs/{name}", env!("CARGO_MANIFEST_DIR"));
    let (netrace, csv) = (config("netrace.toml"), config("csv-trace.toml"));
    let file = "traffic.trace.file=../traces/read-miss.csv";
    let digest = |args: &[&str]| folder.fine(args).json()["digest"].clone();
    let over = digest(&[
        "run",
        &netrace,
        "--json",
        "--set",
        file,
        "--set",
        "traffic.trace.nodes=4",
    ]);
    assert_eq!(over, digest(&["run", &netrace, "--json"]));
    let sides = ["--set", "network.sides=[8,8]"];
    assert_eq!(
        over,
        digest(&[&["run", &csv, "--json"][..], &sides].concat())
    );
    folder.fine(&["run", &csv]);
    // What the command line says itself must go together.
    let both = ["--set", file, "--set", "traffic.trace.link_bytes=4"];
    let says = "allowed: nothing with traffic.trace.format = \"csv\"";
    folder.refuses(&[&["run", &netrace][..], &both].concat(), &[says]);
}
