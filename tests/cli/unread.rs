//! Keys that are given and not read: refused, or named in a warning where the command line is the reason.

use crate::harness::{Folder, SMALL};

/// A small mesh with this router, this traffic and further lines: of `[network]` and at the end.
fn text(network: &str, router: &str, traffic: &str, end: &str) -> String {
    format!(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n{network}\n{router}\n[traffic]\n{traffic}\n{end}\n"
    )
}

const OPEN: &str = "load = 0.05";
const RUN: &str = "[run]\nwarmup_cycles = 10\nmeasure_cycles = 100\n";
const CLOCKED: &str = "[run]\nengine = \"clocked\"\nwarmup_cycles = 10\nmeasure_cycles = 100\n";
/// Islands that hold all nodes.
const ISLANDS: &str = "[[clocks.islands]]\nnodes = [0,1,2,3,4,5,6,7]\nperiod_ps = 1000\n[[clocks.islands]]\nnodes = [8,9,10,11,12,13,14,15]\nperiod_ps = 1300\n";
const FIFO: &str = "[[network.crossings]]\nkind = \"dual-clock-fifo\"\nedges = 2\ndepth = 16\n";

/// Each configuration is refused at the key that does nothing, with what it would need; without that line it runs.
#[test]
#[rustfmt::skip]
fn what_nothing_reads_is_refused() {
    let chaos = "[router.chaos]";
    let wormhole = |line: &str| format!("[router.wormhole]\n{line}");
    let clocks = |keys: &str| format!("{CLOCKED}[clocks]\n{keys}\n{ISLANDS}");
    let on = "only with run.engine = \"clocked\"";
    let cases = [
        ("acknowledge_ps = 100", text("[network.handshake]\nrequest_ps = 100\nacknowledge_ps = 100", chaos, OPEN, RUN), "network.handshake is given", on),
        ("jitter_ps = 5", text("", chaos, OPEN, &format!("{RUN}[clocks]\njitter_ps = 5\n")), "clocks is given", on),
        ("kind", text(FIFO, chaos, OPEN, RUN), "network.crossings is given", on),
        ("slack = 9", text("", chaos, OPEN, &format!("{RUN}[live]\nslack = 9\n")), "live is given", "only with run.engine = \"live\""),
        ("speculation", text("", &wormhole("speculation = \"beside\""), OPEN, RUN), "router.wormhole.speculation is \"beside\"", "router.wormhole.speculative = true"),
        ("matrix_first", text("", &wormhole("matrix_first = \"highest\""), OPEN, RUN), "router.wormhole.matrix_first is \"highest\"", "matrix"),
        ("dateline", text("", &wormhole("dateline = \"crossed\""), OPEN, RUN), "router.wormhole.dateline is \"crossed\"", "torus"),
        ("redirection_cycles", text("", "[router.deflection]\nredirection_cycles = 9", OPEN, RUN), "router.deflection.redirection_cycles is 9", "a side buffer"),
        ("deroute_among", text("", "[router.chaos]\nderouting = false\nderoute_among = \"all\"", OPEN, RUN), "router.chaos.deroute_among is \"all\"", "router.chaos.derouting = true"),
        ("frame_words", text("", "[router.chaos]\nframe_words = 12", OPEN, RUN), "router.chaos.frame_words is 12", "10, the packet_words: a frame holds one packet"),
        ("packet_words", text("", "[router.wormhole]", "process = \"batch\"\npacket_words = 7\nbatch = { requests = 2, replies = false }", ""), "traffic.packet_words is 7", "packets whose lengths traffic.process doesn't set"),
        ("phase", text("", chaos, OPEN, &clocks("phase = \"random\"")), "clocks.phase is \"random\"", "clocks.islands"),
        ("drift_ppm", text("", chaos, OPEN, &clocks("drift_ppm = 50")), "clocks.drift_ppm is 50", "clocks.islands"),
        ("jitter_ps", text("", chaos, OPEN, &clocks("jitter_ps = 50")), "clocks.jitter_ps is 50", "clocks.islands"),
        ("wander_ps", text("", chaos, OPEN, &clocks("wander_ps = 50")), "clocks.wander_ps is 50", "clocks.islands"),
        ("domains", text("", chaos, OPEN, &clocks("domains = \"one\"")), "clocks.domains is \"one\"", "clocks.islands"),
        ("link_capacity_words", text(&format!("link_capacity_words = 40\n{FIFO}"), chaos, OPEN, &clocks("")), "network.link_capacity_words is 40", "network.crossings give no depth"),
        ("synchronizer_edges", text("synchronizer_edges = 5", chaos, OPEN, &format!("{CLOCKED}[clocks]\ndomains = \"one\"\n")), "network.synchronizer_edges is 5", "different clocks"),
        ("link_latency_cycles", text("link_latency_cycles = 700\nlink_latency_ps = 900", chaos, OPEN, CLOCKED), "network.link_latency_cycles is 700", "network.link_latency_ps"),
        ("link_latency_cycles", text("link_latency_cycles = 7\n[network.handshake]\nrequest_ps = 100\nacknowledge_ps = 100", chaos, OPEN, CLOCKED), "network.link_latency_cycles is 7", "links without network.handshake"),
        ("transition_pj", text("", chaos, OPEN, &format!("{RUN}[energy]\nlink_pj = 1\ntransition_pj = 0.1\n")), "energy.transition_pj is 0.1", "only with network.handshake"),
    ];
    let folder = Folder::new();
    for (line, text, found, allowed) in cases {
        folder.write("x.toml", &text);
        let place = text.lines().position(|it| it.contains(line)).unwrap() + 1;
        let is_table = found.ends_with("is given");
        let place = match is_table {
            true => "x.toml:".to_owned(),
            false => format!("x.toml:{place}:"),
        };
        folder.refuses(&["check", "x.toml"], &[&place, found, "allowed: ", allowed]);
        if !is_table {
            let without: Vec<&str> = text.lines().filter(|it| !it.starts_with(line)).collect();
            folder.write(
                "x.toml",
                without.join("\n").replace("packet_words = 7\n", ""),
            );
            let done = folder.fine(&["run", "x.toml"]);
            assert!(!done.err.contains("reads"), "{}", done.err);
        }
    }
}

/// Clocks that are all gated for good would stop every node, if anything read them.
#[test]
fn clocks_that_no_engine_reads_do_not_pass_for_steady() {
    let folder = Folder::new();
    let gated = "[[clocks.changes]]\nat_ps = 0\ngated = true\n";
    folder.write("gated.toml", format!("{SMALL}{gated}"));
    folder.refuses(
        &["run", "gated.toml"],
        &["gated.toml:", "clocks is given", "run.engine = \"clocked\""],
    );
}

/// A file that says its engine may be run on another one: a warning names what that leaves unread, once.
#[test]
fn an_engine_of_the_command_line_leaves_keys_of_the_file_unread() {
    let folder = Folder::new();
    let clocked = SMALL.replace("[run]", "[run]\nengine = \"clocked\"");
    let clocked = clocked.replace("[router.chaos]", "synchronizer_edges = 3\n[router.chaos]");
    folder.write(
        "x.toml",
        format!("{clocked}[clocks]\nphase = \"random\"\njitter_ps = 5\n"),
    );
    assert_eq!(folder.fine(&["run", "x.toml"]).err, "");
    let warning = "with --engine sync, network.synchronizer_edges, clocks";
    for command in [
        &["run", "x.toml", "--engine", "sync"][..],
        &["check", "x.toml", "--engine", "sync"],
        &["trace", "info", "x.toml", "--engine", "sync"],
        &[
            "sweep",
            "x.toml",
            "--engine",
            "sync",
            "--over",
            "traffic.load=0.05,0.1",
            "--out",
            "s",
        ],
        &[
            "saturate",
            "x.toml",
            "--engine",
            "sync",
            "--seeds",
            "1",
            "--tolerance",
            "0.5",
        ],
    ] {
        let done = folder.fine(command);
        assert_eq!(
            done.err.matches("warning: x.toml:").count(),
            1,
            "{command:?}: {}",
            done.err
        );
        assert_eq!(
            done.err.matches(warning).count(),
            1,
            "{command:?}: {}",
            done.err
        );
    }
    // What the same command line gives isn't excused by it.
    folder.refuses(
        &[
            "run",
            "x.toml",
            "--engine",
            "sync",
            "--set",
            "clocks.jitter_ps=9",
        ],
        &[
            "command line: --set clocks.jitter_ps=9: clocks.jitter_ps is 9",
            "run.engine = \"clocked\"",
        ],
    );
    folder.refuses(
        &["run", "small.toml", "--runtime", "tokio", "--slack", "9"],
        &[
            "command line: --runtime tokio: live.runtime is tokio",
            "command line: --slack 9: live.slack is 9",
            "only with run.engine = \"live\"",
        ],
    );
}

/// Defaults are no mistake where nothing reads them.
#[test]
fn a_default_may_be_given_anywhere() {
    let folder = Folder::new();
    let usual = "[clocks]\nphase = \"zero\"\njitter_ps = 0\n[live]\nslack = 4\n";
    folder.write("x.toml", format!("{SMALL}{usual}"));
    assert_eq!(folder.fine(&["run", "x.toml"]).err, "");
}

/// The points of a sweep share a file: a key counts as read if one of them reads it.
#[test]
fn a_sweep_reads_what_one_point_reads() {
    let folder = Folder::new();
    let sweep = |out: &str, over: &[&str]| {
        let usual = ["sweep", "x.toml", "--out", out];
        folder.flitwork(&[&usual[..], over].concat())
    };
    folder.write("x.toml", format!("{SMALL}[clocks]\njitter_ps = 5\n"));
    let done = sweep("one", &["--over", "run.engine=sync,clocked"]);
    let says = "sweep: 2 of 2 points to run\n";
    assert_eq!((done.code, &*done.err), (Some(0), says));
    let done = sweep("none", &["--over", "traffic.load=0.05,0.1"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("clocks is given"), "{}", done.err);
    // The first value is the default, which is never refused.
    folder.write("x.toml", SMALL);
    let done = sweep("axis", &["--over", "clocks.jitter_ps=0,5"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("clocks.jitter_ps is 5"), "{}", done.err);
    let done = sweep(
        "both",
        &[
            "--over",
            "traffic.load=0.05,0.1",
            "--set",
            "traffic.load=0.2",
        ],
    );
    assert_eq!(done.code, Some(2), "{}", done.err);
    let says = "--over traffic.load: --set traffic.load=0.2 sets it too";
    assert!(done.err.contains(says), "{}", done.err);
}

/// Schedulers that draw nothing read no seed.
#[test]
fn a_schedule_that_draws_nothing_takes_no_seed() {
    let folder = Folder::new();
    let text = |schedule: &str| {
        format!(
            "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[schedule.{schedule}\n[traffic]\nprocess = \"once\"\npattern = \"reversal\"\n"
        )
    };
    for method in ["worms", "multistage"] {
        folder.write("s.toml", text(&format!("{method}]\nseed = 3")));
        let seed = format!("schedule.{method}.seed is 3");
        folder.refuses(
            &["schedule", "s.toml"],
            &["s.toml:5:8", &seed, "only with", "\"random\""],
        );
        let random = format!("{method}]\norder = \"random\"\nseed = 3");
        folder.write("s.toml", text(&random));
        folder.fine(&["schedule", "s.toml"]);
    }
}

/// What an engine reads, and a router, isn't read by `route` and `schedule`, nor a rule by a run.
#[test]
fn each_command_reads_its_own_tables() {
    let folder = Folder::new();
    let route = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[rule.fifo]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\"\n";
    folder.write("r.toml", format!("{route}[router.chaos]\n"));
    folder.refuses(
        &["route", "r.toml"],
        &["r.toml:8", "router is given", "only without [rule]"],
    );
    folder.write("r.toml", format!("{route}[run]\nengine = \"clocked\"\n"));
    let says = [
        "r.toml:9:10",
        "run.engine is \"clocked\"",
        "flitwork route doesn't read it",
    ];
    folder.refuses(&["route", "r.toml"], &says);
    folder.refuses(
        &["run", "r.toml"],
        &["rule is given", "only without a router, for flitwork route"],
    );
    folder.write("r.toml", route);
    let says = [
        "has no table [schedule]",
        "[schedule.exact]",
        "rule is given",
    ];
    folder.refuses(&["schedule", "r.toml"], &says);
}

/// A trace that is refused for one key isn't refused for another that is right.
#[test]
fn a_refused_trace_has_one_error() {
    let folder = Folder::new();
    folder.write(
        "t.csv",
        "cycle,src,dst,words,id,class,after\n0,0,1,1,0,0,\n5,1,2,1,1,0,0\n",
    );
    let trace = "process = \"trace\"\n[traffic.trace]\nfile = \"t.csv\"\nwindow_packets = 0";
    let text = text(
        "",
        "[router.wormhole]",
        trace,
        "[run]\nengine = \"clocked\"",
    );
    folder.write("x.toml", &text);
    let done = folder.flitwork(&["check", "x.toml"]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.err.contains("traffic.trace.window_packets is 0"),
        "{}",
        done.err
    );
    assert!(!done.err.contains("read_first"), "{}", done.err);
    folder.write(
        "x.toml",
        text.replace("window_packets = 0", "window_packets = 8"),
    );
    folder.fine(&["check", "x.toml"]);
}

/// However many runs a command makes of a configuration, and whichever command it is.
#[test]
#[rustfmt::skip]
fn every_command_warns_once() {
    let folder = Folder::new();
    folder.write("x.toml", text("", "[router.chaos]", OPEN, &format!("{CLOCKED}[clocks]\njitter_ps = 5\n")));
    for command in [
        "run x.toml",
        "check x.toml",
        "sweep x.toml --over traffic.load=0.02,0.04 --jobs 1 --out s",
        "saturate x.toml --seeds 1 --tolerance 0.5 --jobs 1",
        "compare x.toml x.toml --set-b traffic.load=0.1 --budget-runs 2 --jobs 1",
        "trace info x.toml",
        "trace packets x.toml",
        "trace hang x.toml",
        "trace diff x.toml x.toml",
        "view x.toml --export page",
    ] {
        let args: Vec<&str> = command.split(' ').chain(["--engine", "sync"]).collect();
        let done = folder.fine(&args);
        let said = done.err.matches("with --engine sync, clocks").count();
        assert_eq!(said, 1, "{command}: {}", done.err);
    }
}

/// Of a link's latency in cycles and that in picoseconds the resolved configuration has what is read, and it gives the same run.
#[test]
fn a_resolved_configuration_has_the_latency_that_is_read() {
    let folder = Folder::new();
    let handshake = "[network.handshake]\nrequest_ps = 100\nacknowledge_ps = 100";
    let [cycles, ps] = ["link_latency_cycles", "link_latency_ps"];
    for (network, expected) in [
        (String::new(), &[(cycles, 1), (ps, 1000)][..]),
        (format!("{cycles} = 3"), &[(cycles, 3), (ps, 3000)]),
        (format!("{ps} = 900"), &[(ps, 900)]),
        (format!("{cycles} = 1\n{ps} = 900"), &[(ps, 900)]),
        (
            format!("{cycles} = 2\n{ps} = 2000"),
            &[(cycles, 2), (ps, 2000)],
        ),
        (handshake.to_owned(), &[]),
    ] {
        folder.write("x.toml", text(&network, "[router.chaos]", OPEN, CLOCKED));
        let of = |config: &str| {
            let results = folder.fine(&["run", config, "--json"]).json();
            let resolved = &results["provenance"]["configuration"];
            (
                resolved.as_str().unwrap().to_owned(),
                results["digest"].clone(),
            )
        };
        let (resolved, digest) = of("x.toml");
        let latencies: Vec<String> = expected
            .iter()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        let lines = resolved.lines();
        let lines: Vec<&str> = lines.filter(|it| it.starts_with("link_latency")).collect();
        assert_eq!(lines, latencies, "{network}");
        folder.write("again.toml", &resolved);
        assert_eq!(of("again.toml"), (resolved, digest), "{network}");
    }
}

/// Each part that reads other keys because of an override names the file's keys that this leaves unread, and so do keys that
/// are read only with these.
#[test]
#[rustfmt::skip]
fn what_an_override_decides_leaves_keys_of_the_file_unread() {
    let folder = Folder::new();
    let wormhole = "[router.wormhole]\nvc_iterations = 3";
    let file = text("", wormhole, "own_node = true\nload = 0.05", RUN);
    folder.write("w.toml", &file);
    let clocks = "[clocks]\nperiod_ps = 1300\nspread = \"uniform\"\nspread_percent = 5\nphase = \"random\"\ndrift_ppm = 200\n";
    folder.write("c.toml", text("link_latency_ps = 2600", "[router.chaos]", OPEN, &format!("{CLOCKED}{clocks}")));
    let handshake = "[network.handshake]\nrequest_ps = 100\nacknowledge_ps = 100";
    folder.write("h.toml", text(handshake, "[router.chaos]", OPEN, &format!("{CLOCKED}[energy]\ntransition_pj = 0.1\n")));
    folder.write("2.toml", text("link_latency_cycles = 2\nlink_latency_ps = 2000", "[router.chaos]", OPEN, CLOCKED));
    let self_timed = ["clocks.self-timed.word_ps=500", "clocks.self-timed.decision_ps=500"];
    let cases = [
        ("w.toml", &["router.wormhole.vc_allocator=wavefront"][..], "router.wormhole.vc_iterations"),
        ("w.toml", &["traffic.pattern=transpose"], "traffic.own_node"),
        ("w.toml", &["traffic.process=once"], "traffic.load, run.warmup_cycles, run.measure_cycles"),
        ("c.toml", &self_timed, "clocks.spread, clocks.spread_percent, clocks.phase, clocks.drift_ppm"),
        ("h.toml", &["run.engine=sync"], "network.handshake, energy.transition_pj"),
        ("2.toml", &["clocks.period_ps=500"], "network.link_latency_cycles"),
    ];
    for (config, set, unread) in cases {
        let of_command = |command| {
            let set = set.iter().flat_map(|set| ["--set", set]);
            [command, config].into_iter().chain(set).collect::<Vec<&str>>()
        };
        let have = if unread.contains(',') { "have" } else { "has" };
        let warning = format!("with --set {}, {unread} {have} no effect\n", set[set.len() - 1]);
        for command in ["check", "run"] {
            let done = folder.fine(&of_command(command));
            assert_eq!(done.err.matches("warning: ").count(), 1, "{set:?}: {}", done.err);
            assert!(done.err.ends_with(&warning), "{set:?}: {}", done.err);
        }
    }
    // What the same command line gives isn't excused by it, nor is a table that it adds to.
    for (more, says) in [
        (["router.wormhole.vc_allocator=wavefront", "router.wormhole.vc_iterations=2"], "router.wormhole.vc_iterations is 2"),
        (["traffic.pattern=transpose", "traffic.own_node=true"], "traffic.own_node is true"),
        (["traffic.process=once", "traffic.batch.requests=2"], "traffic.batch is given"),
    ] {
        folder.refuses(&["run", "w.toml", "--set", more[0], "--set", more[1]], &[says, "allowed: only "]);
    }
    // Another mistake is reported alone.
    let done = folder.flitwork(&["run", "w.toml", "--set", "traffic.pattern=transpose", "--set", "router.wormhole.vcs=0"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("router.wormhole.vcs is 0") && !done.err.contains("own_node"), "{}", done.err);
}

/// Overrides that decide about different keys are named with their own.
#[test]
fn each_override_is_named_with_what_it_leaves_unread() {
    let folder = Folder::new();
    let wormhole = "[router.wormhole]\nvc_iterations = 3";
    folder.write(
        "w.toml",
        text("", wormhole, "own_node = true\nload = 0.05", RUN),
    );
    let done = folder.fine(&[
        "check",
        "w.toml",
        "--set",
        "router.wormhole.vc_allocator=wavefront",
        "--set",
        "traffic.pattern=transpose",
    ]);
    let says = "warning: w.toml:6:17: with --set router.wormhole.vc_allocator=wavefront, router.wormhole.vc_iterations \
                has no effect; with --set traffic.pattern=transpose, traffic.own_node has no effect\n";
    assert_eq!(done.err, says);
}

/// A point of a sweep that reads no key of another's pattern leaves it unread.
#[test]
fn patterns_of_a_sweep_share_a_file() {
    let folder = Folder::new();
    folder.write(
        "x.toml",
        text("", "[router.chaos]", "own_node = true\nload = 0.05", RUN),
    );
    let over = "traffic.pattern=uniform,transpose";
    let done = folder.fine(&["sweep", "x.toml", "--over", over, "--out", "s"]);
    assert!(!done.err.contains("warning"), "{}", done.err);
    let done = folder.fine(&[
        "sweep",
        "x.toml",
        "--over",
        "traffic.load=0.05,0.1",
        "--set",
        "traffic.pattern=transpose",
        "--out",
        "t",
    ]);
    let says = "with --set traffic.pattern=transpose, traffic.own_node has no effect";
    assert_eq!(done.err.matches(says).count(), 1, "{}", done.err);
}

/// An option that is short for a key and `--set` of that key are two values, in either order.
#[test]
fn a_key_and_its_short_option_are_not_both_given() {
    let folder = Folder::new();
    for (option, value, set) in [
        ("--seed", "3", "run.seed=4"),
        ("--engine", "sync", "run.engine=sync-plain"),
        ("--slack", "3", "live.slack=4"),
    ] {
        let says = format!("command line: {option} {value}: --set {set} sets ");
        let says = [says.as_str(), " too", "allowed: one of the two"];
        folder.refuses(&["run", "small.toml", option, value, "--set", set], &says);
        folder.refuses(&["run", "small.toml", "--set", set, option, value], &says);
    }
    for command in ["check", "saturate"] {
        let both = [command, "small.toml", "--seed", "3", "--set", "run.seed=4"];
        folder.refuses(&both, &["--seed 3: --set run.seed=4 sets run.seed too"]);
    }
}
