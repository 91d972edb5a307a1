//! `run --engine clocked`, and invalid clocks.

use crate::harness::{Folder, SMALL};

/// A line or table that is added to the small configuration, and what the message contains.
const MISTAKES: &[(&str, &[&str])] = &[
    (
        "[clocks]\nperiod_ps = 0",
        &["bad.toml:15:13: clocks.period_ps is 0", "from 1 to"],
    ),
    (
        "[clocks]\nperiod_ps = -5",
        &["bad.toml:15:13: clocks.period_ps is -5"],
    ),
    (
        "[clocks]\njitter_ps = 1000",
        &["bad.toml:15:13: clocks.jitter_ps is 1000", "allowed: "],
    ),
    (
        "[clocks]\nperiod_ps = 500\njitter_ps = 700",
        &["bad.toml:16:13: clocks.jitter_ps is 700"],
    ),
    (
        "[clocks]\nspread = \"uniform\"\nspread_percent = 100",
        &["bad.toml:16:18: clocks.spread_percent is 100", "below 100"],
    ),
    (
        "[clocks]\ndrift_ppm = 1e9",
        &["bad.toml:15:13: clocks.drift_ppm is 1e9"],
    ),
    (
        "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 0",
        &["bad.toml:16:13: clocks.islands[0].period_ps is 0"],
    ),
    (
        "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 300\njitter_ps = 300",
        &["bad.toml:17:13: clocks.islands[0].jitter_ps is 300"],
    ),
    (
        "[[clocks.islands]]\nnodes = [16]\nperiod_ps = 300",
        &["bad.toml:15:", "clocks.islands[0].nodes", "16"],
    ),
    (
        "[[clocks.islands]]\nnodes = []\nperiod_ps = 300",
        &["bad.toml:15:9: clocks.islands[0].nodes is an empty list"],
    ),
    (
        "[clocks.self-timed]\nword_ps = [0, 5]",
        &["bad.toml:15:", "clocks.self-timed.word_ps"],
    ),
    (
        "[clocks.self-timed]\nword_ps = [9, 5]",
        &["bad.toml:15:", "clocks.self-timed.word_ps is [9, 5]"],
    ),
];

#[test]
fn clocks_that_make_no_sense() {
    let folder = Folder::new();
    for (text, says) in MISTAKES {
        folder.write("bad.toml", format!("{}\n{text}\n", SMALL.trim_end()));
        folder.refuses(&["run", "bad.toml", "--engine", "clocked"], says);
    }
    for (line, says) in [
        (
            "link_latency_ps = 0",
            ["bad.toml:5:19: network.link_latency_ps is 0", "from 1 to"],
        ),
        (
            "link_latency_cycles = 0",
            [
                "bad.toml:5:23: network.link_latency_cycles is 0",
                "from 1 to",
            ],
        ),
        (
            "link_capacity_words = 0",
            [
                "bad.toml:5:23: network.link_capacity_words is 0",
                "from 1 to",
            ],
        ),
    ] {
        let text = SMALL.replace("[4, 4]", &format!("[4, 4]\n{line}"));
        folder.write("bad.toml", text);
        folder.refuses(&["run", "bad.toml", "--engine", "clocked"], &says);
    }
}

#[test]
fn live_parameters_that_make_no_sense() {
    let folder = Folder::new();
    for (line, says) in [
        (
            "channel_capacity = 0",
            "bad.toml:15:20: live.channel_capacity is 0",
        ),
        (
            "channel_capacity = 1",
            "bad.toml:15:20: live.channel_capacity is 1",
        ),
        ("workers = 0", "bad.toml:15:11: live.workers is 0"),
        ("burst_cycles = 0", "bad.toml:15:16: live.burst_cycles is 0"),
        ("slack = -1", "bad.toml:15:9: live.slack is -1"),
        (
            "runtime = \"async\"",
            "bad.toml:15:11: live.runtime is \"async\"",
        ),
    ] {
        folder.write(
            "bad.toml",
            format!("{}\n[live]\n{line}\n", SMALL.trim_end()),
        );
        folder.refuses(
            &["run", "bad.toml", "--engine", "live"],
            &[says, "allowed: "],
        );
    }
}

/// All clocks are gated for good while packets are under way: exit code 3, at once, and the reason; `check` knows it too.
#[test]
fn a_network_whose_clocks_stop_fails() {
    let folder = Folder::new();
    let gate = "[[clocks.changes]]\nat_ps = 1_000_000\ngated = true\n";
    folder.write("stops.toml", format!("{SMALL}{gate}"));
    let stopped = "the clocks of 16 nodes are gated for good, from 1000000 ps on";
    for router in ["router.chaos", "router.greedy-hp"] {
        let text = format!("{SMALL}{gate}").replace("router.chaos", router);
        folder.write("stops.toml", text);
        let done = folder.flitwork(&["run", "stops.toml", "--engine", "clocked"]);
        assert_eq!(done.code, Some(3), "{}", done.err);
        assert!(done.err.starts_with("deadlock: by cycle "), "{}", done.err);
        let hint = format!("hint: {stopped} (clocks.changes)");
        assert!(done.err.contains(&hint), "{}", done.err);
        let done = folder.flitwork(&["check", "stops.toml", "--engine", "clocked"]);
        let verdict = format!("not known to be free of deadlock: {stopped}");
        assert!(done.out.contains(&verdict), "{}", done.out);
        // Other engines have no clocks.
        let only = "only with run.engine = \"clocked\"";
        folder.refuses(&["check", "stops.toml"], &["clocks is given", only]);
    }
    // One that is gated for long and comes back is no failure, if the run is long enough.
    let back = "[[clocks.changes]]\nat_ps = 9_000_000\nperiod_ps = 1000\n";
    folder.write("back.toml", format!("{SMALL}{gate}{back}"));
    folder.fine(&["run", "back.toml", "--engine", "clocked"]);
}

/// Two clocks stop one after the other, in either order of their nodes: the earlier time is named, from which on some node has no
/// tick.
#[test]
fn the_first_of_several_clocks_that_stop_is_named() {
    let folder = Folder::new();
    let gate = |node: u32, at_ps: u32| {
        format!("[[clocks.changes]]\nat_ps = {at_ps}\nnodes = [{node}]\ngated = true\n")
    };
    let stopped = "the clocks of 2 nodes are gated for good, from 1000000 ps on";
    for [one, other] in [[1, 5], [5, 1]] {
        let gates = gate(one, 2_000_000) + &gate(other, 1_000_000);
        folder.write("stops.toml", format!("{SMALL}{gates}"));
        let done = folder.flitwork(&["check", "stops.toml", "--engine", "clocked"]);
        let verdict = format!("not known to be free of deadlock: {stopped}");
        assert!(done.out.contains(&verdict), "{}", done.out);
    }
}

/// Four nodes in a line, one channel a link. A worm of 60 words goes from node 0 to node 3, and node 1's clock stops at 30 ns,
/// when 30 words have passed it at most: the worm holds the links behind it for good. A packet of node 2 that is made at 1 ns
/// leaves before the worm's head has come over two links; one that is made at 20 ns never does. What stands still stands still
/// because of a clock: nobody waits in a circle.
#[test]
fn a_worm_through_a_node_that_stops_holds_its_links() {
    let folder = Folder::new();
    let text = "network = { topology = \"mesh\", sides = [4, 1] }\nrouter.wormhole.vcs = 1\n\
                traffic = { process = \"trace\", trace.file = \"p.csv\" }\n\
                run = { engine = \"clocked\", deadline_cycles = 3000 }\n\
                clocks.changes = [{ nodes = [1], at_ps = 30000, gated = true }]\n";
    folder.write("x.toml", text);
    for (cycle, never) in [(1, "1 packet never moves"), (20, "2 packets never move")] {
        folder.write(
            "p.csv",
            format!("cycle,src,dst,words\n0,0,3,60\n{cycle},2,3,4\n"),
        );
        let done = folder.flitwork(&["run", "x.toml"]);
        assert_eq!(done.code, Some(3), "{}", done.err);
        let says = done.err.contains(never) && done.err.contains("is gated for good");
        assert!(
            says && !done.err.contains("in a circle"),
            "{cycle}: {}",
            done.err
        );
    }
}

/// What a packet waits for is judged in its node's own cycle. The last word of node 0's first packet, made in cycle 25, leaves
/// 6 cycles later: 3 of the decision, and 3 words. From then on its output frame stays shut to decisions for 1,000 of node 0's
/// cycles, and the clock stops after cycle 39: the second packet, in the injection frame since cycle 35, waits for that frame,
/// although 3,000 cycles of the nominal clock pass.
#[test]
fn a_packet_waits_by_the_clock_of_its_node() {
    let folder = Folder::new();
    let text = "network = { topology = \"mesh\", sides = [2, 1] }\n\
                router.chaos = { packet_words = 4, output_reopen_cycles = 1000 }\n\
                traffic = { process = \"trace\", packet_words = 4, trace.file = \"p.csv\" }\n\
                run = { engine = \"clocked\", deadline_cycles = 3000 }\n\
                clocks.changes = [{ nodes = [0], at_ps = 39500, gated = true }]\n";
    folder.write("x.toml", text);
    folder.write("p.csv", "cycle,src,dst,words\n25,0,1,4\n35,0,1,4\n");
    let done = folder.flitwork(&["run", "x.toml", "--out", "out"]);
    assert_eq!(done.code, Some(3), "{}", done.err);
    assert!(done.err.contains("by cycle 3000 "), "{}", done.err);
    let waits = folder.read("out/waits.csv");
    let rows: Vec<&str> = waits.lines().filter(|row| !row.starts_with('#')).collect();
    let frames = "injection frame,its node's output frame east";
    assert_eq!(rows[1..], [format!("0,\"(0, 0)\",0,1,1,{frames}")]);
}

/// With one clock for all nodes the engine gives the synchronous engine's run.
#[test]
fn one_clock_gives_the_synchronous_run() {
    let folder = Folder::new();
    let sync = folder.fine(&["run", "small.toml", "--json"]).json();
    // Links that never fill.
    let one = ["--set", "network.link_capacity_words=65535"];
    let args = [
        &["run", "small.toml", "--engine", "clocked", "--json"],
        &one[..],
    ]
    .concat();
    let clocked = folder.fine(&args).json();
    for name in ["digest", "packets", "latency", "cycles"] {
        assert_eq!(clocked[name], sync[name], "{name}");
    }
}

#[test]
fn clocks_change_the_run_and_a_seed_repeats_it() {
    let folder = Folder::new();
    let spread = [
        "run",
        "small.toml",
        "--engine",
        "clocked",
        "--json",
        "--set",
        "clocks.spread=\"uniform\"",
        "--set",
        "clocks.spread_percent=5",
    ];
    let first = folder.fine(&spread).json();
    assert_eq!(first["digest"], folder.fine(&spread).json()["digest"]);
    assert_eq!(first["packets_created"], first["packets_delivered"]);
    let other = folder
        .fine(&[&spread[..], &["--seed", "2"]].concat())
        .json();
    assert_ne!(first["digest"], other["digest"]);
}

/// Clocks that change together are one clock whose cycles get longer: what leaves at a tick is seen at the next, and
/// neighbours that store packets of 37 words exchange them as under one clock.
#[test]
fn clocks_that_change_together_run_as_one_clock() {
    let folder = Folder::new();
    folder.write(
        "stored.toml",
        "network = { topology = \"mesh\", sides = [4, 4] }\nrouter.chaos = { packet_words = 37, cut_through = false }\n\
        traffic = { process = \"once\", k = 5 }\nrun.deadline_cycles = 30000\n",
    );
    let digest = |more: &[&str]| {
        let done = folder.fine(&[&["run", "stored.toml", "--json"], more].concat());
        done.json()["digest"].clone()
    };
    for seed in ["1", "2", "3", "4"] {
        let together = "clocks.changes=[{at_ps=30000,period_ps=3000}]";
        let short = [
            "--engine",
            "clocked",
            "--set",
            "network.link_latency_ps=1",
            "--set",
        ];
        let changed = [&["--seed", seed], &short[..], &[together]].concat();
        assert_eq!(digest(&changed), digest(&["--seed", seed]), "{seed}");
    }
}

/// Rows of packets have their times in ps: under equal clocks those of their cycles, and under others those behind the
/// run's latency. A trace keeps them.
#[test]
fn packets_of_clocks_have_times() {
    let folder = Folder::new();
    let rows = |name: &str| -> Vec<[Option<f64>; 7]> {
        let (columns, rows) = folder.table(name);
        let place = |name: &str| columns.iter().position(|it| it == name).unwrap();
        let places = [
            "created_cycle",
            "injected_cycle",
            "latency_ps",
            "created_ps",
            "injected_ps",
            "delivered_ps",
            "delivered_cycle",
        ];
        let places = places.map(place);
        let cells = rows.iter().map(|row| places.map(|it| row[it].parse().ok()));
        cells.collect()
    };
    let run = |more: &[&str]| {
        let args = ["run", "small.toml", "--engine", "clocked", "--json"];
        folder.fine(&[&args[..], more].concat()).json()
    };
    run(&["--packets", "equal.csv"]);
    let equal = rows("equal.csv");
    assert!(equal.len() > 100);
    for row in &equal {
        let [created, injected, _, created_ps, injected_ps, ..] = *row;
        assert_eq!(created_ps, created.map(|it| 1000.0 * it));
        assert_eq!(injected_ps, injected.map(|it| 1000.0 * it));
        assert_eq!(row[2], row[5].zip(row[3]).map(|(to, from)| to - from));
    }
    let spread = [
        "--set",
        "clocks.domains=\"node\"",
        "--set",
        "clocks.phase=\"random\"",
    ];
    let kept = ["--packets", "apart.csv", "--trace", "apart.trace"];
    let found = run(&[&spread[..], &kept].concat());
    let apart = rows("apart.csv");
    let window = 200.0..2200.0;
    let of_window = apart.iter().filter(|row| window.contains(&row[0].unwrap()));
    let latencies: Vec<f64> = of_window.filter_map(|row| row[2]).collect();
    let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
    let of_run = found["latency_mean_ps"].as_f64().unwrap();
    assert!((mean - of_run).abs() < 1e-6 * mean, "{mean} {of_run}");
    assert!(
        apart
            .iter()
            .any(|row| row[4].is_some_and(|ps| ps % 1000.0 > 0.0))
    );
    let asked = [
        "trace",
        "packets",
        "apart.trace",
        "--where",
        "latency_ps > 0",
    ];
    let of_trace = folder.fine(&[&asked[..], &["--json"]].concat()).out;
    let delivered = apart.iter().filter(|row| row[2].is_some()).count();
    assert_eq!(of_trace.matches("\"latency_ps\"").count(), delivered);
}
