//! Bad input is refused with exit code 2, before anything is done, and with a message that names the place, what
//! was found there and what is allowed.

use crate::harness::{Folder, SMALL};

#[test]
fn files_that_are_no_permutation() {
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
    let says = [
        "traffic.file",
        "belongs to pattern = \"listed\" or \"permutation\"",
    ];
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

/// A folder with `file`, which nothing may change, and a configuration for `adversary`.
fn folder_with_a_file() -> Folder {
    let folder = Folder::new();
    folder.write("file", "precious");
    let adversary = SMALL.replace("[4, 4]", "[60, 60]");
    folder.write(
        "adversary.toml",
        adversary.replace("[router.chaos]", "[router.chaos]\nderouting = false"),
    );
    folder
}

#[test]
fn existing_files_are_not_replaced() {
    let folder = folder_with_a_file();
    for (args, option) in [
        (
            &["adversary", "--config", "adversary.toml", "--out", "file"][..],
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
        folder.refuses(args, &[option, "file exists", "--force"]);
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
    assert_eq!(folder.read("file"), "precious");
}

#[test]
fn places_that_cannot_be_written() {
    let folder = folder_with_a_file();
    for out in ["file/x", "/proc/nosuch/x"] {
        folder.refuses(
            &["run", "small.toml", "--out", out],
            &["--out", out, "can't be written"],
        );
        let args = ["adversary", "--config", "adversary.toml", "--out", out];
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
    let args = ["adversary", "--config", "adversary.toml", "--out", "."];
    folder.refuses(&args, &["--out", "can't be written"]);
    // Reported before a long experiment begins, not after it.
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

/// A configuration key given as an option is answered with how to set it.
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
        // Two keys have this name.
        (&["check", "small.toml", "--packets", "2"], "packets=2'"),
        // No key has this name.
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
    // No key can be set on that command.
    let done = folder.flitwork(&["study", "multiqueue", "--load", "2"]);
    assert!(!done.err.contains("--set"), "{}", done.err);
}

/// Seeds beyond the last one are refused, and don't wrap around to 0.
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

/// A trace in CSV replaces one in netrace's format, and vice versa; both hold the same packets.
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
    // Options of the command line must go together.
    let both = ["--set", file, "--set", "traffic.trace.link_bytes=4"];
    let says = "allowed: only with traffic.trace.format = \"netrace\"";
    folder.refuses(&[&["run", &netrace][..], &both].concat(), &[says]);
}

/// Help has every kind that `list` knows.
#[test]
fn a_kind_that_there_is_not_is_refused_with_those_that_there_are() {
    let folder = Folder::new();
    let refused = folder.flitwork(&["list", "none"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let (_, kinds) = refused.err.split_once("allowed: ").unwrap();
    let help = folder.fine(&["list", "--help"]).out;
    let help: Vec<&str> = help.split_whitespace().collect();
    let help = help.join(" ");
    for kind in kinds.trim().split(", ") {
        assert!(help.contains(kind), "{kind}: {help}");
    }
}
