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
    let on = "it is read only with run.engine = \"clocked\"";
    let cases = [
        ("acknowledge_ps = 100", text("[network.handshake]\nrequest_ps = 100\nacknowledge_ps = 100", chaos, OPEN, RUN), "network.handshake is given", on),
        ("jitter_ps = 5", text("", chaos, OPEN, &format!("{RUN}[clocks]\njitter_ps = 5\n")), "clocks is given", on),
        ("kind", text(FIFO, chaos, OPEN, RUN), "network.crossings is given", on),
        ("slack = 9", text("", chaos, OPEN, &format!("{RUN}[live]\nslack = 9\n")), "live is given", "it is read only with run.engine = \"live\""),
        ("speculation", text("", &wormhole("speculation = \"beside\""), OPEN, RUN), "router.wormhole.speculation is \"beside\"", "router.wormhole.speculative = true"),
        ("matrix_first", text("", &wormhole("matrix_first = \"highest\""), OPEN, RUN), "router.wormhole.matrix_first is \"highest\"", "matrix"),
        ("dateline", text("", &wormhole("dateline = \"crossed\""), OPEN, RUN), "router.wormhole.dateline is \"crossed\"", "torus"),
        ("redirection_cycles", text("", "[router.deflection]\nredirection_cycles = 9", OPEN, RUN), "router.deflection.redirection_cycles is 9", "a side buffer"),
        ("deroute_among", text("", "[router.chaos]\nderouting = false\nderoute_among = \"all\"", OPEN, RUN), "router.chaos.deroute_among is \"all\"", "router.chaos.derouting = true"),
        ("frame_words", text("", "[router.chaos]\nframe_words = 12", OPEN, RUN), "router.chaos.frame_words is 12", "10, the packet_words: a frame holds one packet"),
        ("packet_words", text("", "[router.wormhole]", "process = \"batch\"\npacket_words = 7\nbatch = { requests = 2, replies = false }", ""), "traffic.packet_words is 7", "packets whose lengths the process doesn't set"),
        ("phase", text("", chaos, OPEN, &clocks("phase = \"random\"")), "clocks.phase is \"random\"", "clocks.islands"),
        ("drift_ppm", text("", chaos, OPEN, &clocks("drift_ppm = 50")), "clocks.drift_ppm is 50", "clocks.islands"),
        ("jitter_ps", text("", chaos, OPEN, &clocks("jitter_ps = 50")), "clocks.jitter_ps is 50", "clocks.islands"),
        ("wander_ps", text("", chaos, OPEN, &clocks("wander_ps = 50")), "clocks.wander_ps is 50", "clocks.islands"),
        ("domains", text("", chaos, OPEN, &clocks("domains = \"one\"")), "clocks.domains is \"one\"", "clocks.islands"),
        ("link_capacity_words", text(&format!("link_capacity_words = 40\n{FIFO}"), chaos, OPEN, &clocks("")), "network.link_capacity_words is 40", "network.crossings give no depth"),
        ("synchronizer_edges", text("synchronizer_edges = 5", chaos, OPEN, &format!("{CLOCKED}[clocks]\ndomains = \"one\"\n")), "network.synchronizer_edges is 5", "different clocks"),
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
    let warning = "with --engine sync nothing reads network.synchronizer_edges, clocks";
    for command in [
        &["run", "x.toml", "--engine", "sync"][..],
        &["check", "x.toml", "--engine", "sync"],
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
            "it is read only with run.engine = \"live\"",
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
    let says = "--over traffic.load: --set traffic.load=0.2 gives it too";
    assert!(done.err.contains(says), "{}", done.err);
}

/// Schedulers that draw nothing read no seed.
#[test]
fn a_schedule_that_draws_nothing_takes_no_seed() {
    let folder = Folder::new();
    let text = |schedule: &str| {
        format!(
            "[graph]\ntopology = \"mesh\"\nsides = [4, 4]\n[schedule]\n{schedule}\n[problem]\npattern = \"reversal\"\n"
        )
    };
    for method in ["worms", "multistage"] {
        folder.write("s.toml", text(&format!("method = \"{method}\"\nseed = 3")));
        folder.refuses(
            &["schedule", "s.toml"],
            &["s.toml:6", "schedule.seed: nothing is drawn", "random"],
        );
        folder.write(
            "s.toml",
            text(&format!(
                "method = \"{method}\"\norder = \"random\"\nseed = 3"
            )),
        );
        folder.fine(&["schedule", "s.toml"]);
    }
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
        let said = done.err.matches("with --engine sync nothing reads clocks").count();
        assert_eq!(said, 1, "{command}: {}", done.err);
    }
}
