//! Networks that are too large for the host, and what they would need.

use crate::harness::{Done, Folder, SMALL};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Routers by the names of their tables.
const ROUTERS: [&str; 6] = [
    "[router.chaos]",
    "[router.greedy-hp]",
    "[router.wormhole]\nvcs = 4\nbuffer_words = 8",
    "[router.deflection]",
    "[router.deflection]\npreset = \"minbd\"",
    "[router.queueing]",
];

fn with(router: &str, sides: &str) -> String {
    SMALL
        .replace("[router.chaos]", router)
        .replace("sides = [4, 4]", &format!("sides = {sides}"))
}

/// Runs the program with its address space limited to this many KiB.
fn limited(folder: &Folder, kib: u64, args: &[&str]) -> Done {
    let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_flitwork")]);
    Done::of(
        command
            .args(args)
            .current_dir(folder.path(""))
            .env_remove("RUST_BACKTRACE"),
    )
}

/// A number of bytes as the program writes it.
fn bytes(number: &str, unit: &str) -> f64 {
    let factor = match unit {
        "B" => 1.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        other => panic!("{other}"),
    };
    number.parse::<f64>().unwrap() * factor
}

/// The estimate in a refusal, in bytes.
fn needed(message: &str) -> f64 {
    let rest = message
        .split_once("about ")
        .unwrap_or_else(|| panic!("{message}"))
        .1;
    let mut words = rest.split(' ');
    bytes(words.next().unwrap(), words.next().unwrap())
}

/// The first router on all engines, the others on one each in turn.
#[cfg(target_os = "linux")]
fn one_of_each<'a>(
    engines: &'a [&'static str],
) -> impl Iterator<Item = (&'static str, &'a [&'static str])> {
    ROUTERS.iter().enumerate().map(move |(place, router)| {
        let of_it = match place {
            0 => engines,
            _ => std::slice::from_ref(&engines[place % engines.len()]),
        };
        (*router, of_it)
    })
}

/// Less than a mesh of 1024 x 1024 of any router needs, and more than it takes to estimate that.
#[cfg(target_os = "linux")]
const LITTLE_KIB: u64 = 350_000;

#[cfg(target_os = "linux")]
#[test]
fn a_network_that_is_too_large_is_refused_with_figures() {
    let folder = Folder::new();
    for (router, engines) in one_of_each(&["sync", "clocked", "live"]) {
        folder.write("large.toml", with(router, "[1024, 1024]"));
        for engine in engines {
            let args = ["run", "large.toml", "--engine", engine, "--out", "out"];
            let done = limited(&folder, LITTLE_KIB, &args);
            assert_eq!(done.code, Some(2), "{router} {engine}: {}", done.err);
            for says in [
                "B of memory",
                "MB is free under ulimit -v",
                "network.sides",
                "--memory SIZE",
            ] {
                assert!(done.err.contains(says), "{router} {engine}: {}", done.err);
            }
            let limit = LITTLE_KIB as f64 * 1024.0;
            assert!(needed(&done.err) > limit, "{}", done.err);
        }
    }
}

/// If the user permits more than there is, an allocation fails: the program reports it and ends with the exit
/// code of a failing host, not by a signal.
#[cfg(target_os = "linux")]
#[test]
fn an_allocation_that_fails_is_the_hosts_failure() {
    let folder = Folder::new();
    for (router, engines) in one_of_each(&["sync", "sync-plain", "clocked", "live"]) {
        folder.write("large.toml", with(router, "[1024, 1024]"));
        for engine in engines {
            let args = ["run", "large.toml", "--engine", engine, "--memory", "10TB"];
            let done = limited(&folder, LITTLE_KIB, &args);
            assert_eq!(done.code, Some(1), "{router} {engine}: {}", done.err);
            assert!(done.err.contains("memory allocation of "), "{}", done.err);
            assert!(!done.err.contains("panicked"), "{}", done.err);
        }
    }
}

/// Threads that the host refuses are reported as its failure; a sweep makes do with those that it gets.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_are_missing_are_the_hosts_failure() {
    let folder = Folder::new();
    folder.write("nodes.toml", with("[router.chaos]", "[16, 16]"));
    // Room for the program and a few stacks.
    let kib = 150_000;
    for runtime in ["threads", "tokio"] {
        let live = ["run", "nodes.toml", "--engine", "live"];
        let many = ["--workers", "256", "--runtime", runtime];
        let args = [&live[..], &many].concat();
        let refused = limited(&folder, kib, &args);
        assert_eq!(refused.code, Some(2), "{runtime}: {}", refused.err);
        assert!(refused.err.contains("live.workers"), "{}", refused.err);
        let done = limited(&folder, kib, &[&args[..], &["--memory", "1TB"]].concat());
        assert_eq!(done.code, Some(1), "{runtime}: {}", done.err);
        // The last thread may find no room for its stack, its signals, its destructors, or its name.
        let refused = [
            "of the 256 threads needed",
            "the host has no memory for another thread",
            "out of memory",
            "memory allocation of ",
        ];
        let is_said = refused.iter().any(|says| done.err.contains(says));
        assert!(is_said, "{runtime}: {}", done.err);
        assert!(!done.err.contains("panicked"), "{runtime}: {}", done.err);
    }
    // No more threads than runs; and their stacks count towards what the runs need.
    let sweep = ["sweep", "small.toml", "--jobs", "256", "--over"];
    let few = limited(
        &folder,
        kib,
        &[&sweep[..], &["traffic.load=0.1,0.2"]].concat(),
    );
    assert_eq!(few.code, Some(0), "{}", few.err);
    let many = ["traffic.load=0.01:0.2:0.001", "--out", "many"];
    let many = limited(&folder, kib, &[&sweep[..], &many].concat());
    assert_eq!(many.code, Some(2), "{}", many.err);
    assert!(many.err.contains("fewer --jobs"), "{}", many.err);
}

/// The estimate also counts what a short run of a small network doesn't show: replies that wait behind very many
/// requests, rows of packets that are held, intervals.
#[test]
fn what_grows_with_a_run_is_counted() {
    let folder = Folder::new();
    let batch = format!("{}/configs/batch.toml", env!("CARGO_MANIFEST_DIR"));
    let of = |args: &[&str]| {
        let less = ["--memory", "1B"];
        needed(&folder.flitwork(&[&["run"], args, &less].concat()).err)
    };
    let waiting = |key: &str, number: u32| format!("traffic.batch.{key}={number}");
    let needs = |requests, outstanding| {
        let sets = [
            waiting("requests", requests),
            waiting("outstanding", outstanding),
        ];
        of(&[&batch, "--set", &sets[0], "--set", &sets[1]])
    };
    // A reply takes 8 bytes, a cycle and a node, at 64 nodes.
    let (usual, most) = (needs(1_000_000, 4), needs(1_000_000, 1_000_000));
    let replies = 64.0 * 8e6;
    assert!(
        (0.95..1.05).contains(&((most - usual) / replies)),
        "{usual} {most}"
    );
    // 12 columns of 65,536 rows, each at least a number of 64 bits.
    let basic = of(&["small.toml"]);
    let parquet = of(&["small.toml", "--packets", "p.parquet"]);
    assert!(parquet - basic > 12.0 * 65_536.0 * 8.0, "{basic} {parquet}");
    // A hundred thousand intervals, whose table has 13 columns.
    let long = "run.measure_cycles=100000";
    let basic = of(&["small.toml", "--set", long]);
    let every = of(&["small.toml", "--set", long, "--every", "1", "--out", "out"]);
    assert!(every - basic > 1e5 * 13.0 * 8.0, "{basic} {every}");
}

/// A run of a few cycles doesn't fill a large network.
#[test]
fn a_short_run_needs_less_memory_than_a_long_one() {
    let folder = Folder::new();
    folder.write("wide.toml", with("[router.chaos]", "[512, 512]"));
    let of = |drain: &str| {
        let drain = format!("run.drain_cycles={drain}");
        let cycles = ["run.warmup_cycles=5", "run.measure_cycles=20", &drain];
        let sets = cycles.iter().flat_map(|set| ["--set", set]);
        let args: Vec<&str> = ["run", "wide.toml", "--memory", "1B"]
            .into_iter()
            .chain(sets)
            .collect();
        needed(&folder.flitwork(&args).err)
    };
    let (short, long) = (of("5"), of("100000"));
    assert!(long > 2.0 * short, "{short} {long}");
}

/// Every command that simulates respects the limit, and concurrent runs are added up.
#[test]
fn all_commands_respect_the_memory_limit() {
    let folder = Folder::new();
    folder.write("large.toml", with("[router.chaos]", "[64, 64]"));
    folder.write(
        "once.toml",
        with("[router.chaos]\nderouting = false", "[60, 60]"),
    );
    let less = ["--memory", "5MB"];
    for args in [
        &["run", "large.toml"][..],
        &[
            "sweep",
            "large.toml",
            "--over",
            "traffic.load=0.1,0.2",
            "--jobs",
            "2",
        ],
        &["saturate", "large.toml"],
        &["compare", "large.toml", "large.toml"],
        &["adversary", "--config", "once.toml", "--out", "p.json"],
        &["paper", "chinn-exp2", "--n", "120"],
        &["study", "routers", "--seeds", "1"],
        &["study", "deflection", "--seeds", "1"],
        &["study", "cut-through", "--seeds", "1"],
        &["study", "duplex", "--seeds", "1"],
        &["study", "async-load", "--seeds", "1"],
        &["study", "async-exp2", "--seeds", "1"],
        &["study", "greedy-steps", "--seeds", "1"],
        &["study", "multiqueue"],
    ] {
        let args = [args, &less].concat();
        folder.refuses(
            &args,
            &["of memory, but only 5.0 MB is free under --memory"],
        );
    }
    for (size, says) in [
        ("0", "allowed: a size"),
        ("much", "allowed: a size"),
        ("-1", ""),
    ] {
        folder.refuses(&["run", "small.toml", "--memory", size], &[says]);
    }
    folder.fine(&["run", "small.toml", "--memory", "500MB"]);
    // Two at a time need more than one after the other.
    let sweep = [
        "sweep",
        "large.toml",
        "--over",
        "traffic.load=0.1,0.2",
        "--memory",
        "1B",
    ];
    let of = |jobs: &str| {
        needed(
            &folder
                .flitwork(&[&sweep[..], &["--jobs", jobs]].concat())
                .err,
        )
    };
    let (one, two) = (of("1"), of("2"));
    let ratio = (two - PROGRAM_BYTES) / (one - PROGRAM_BYTES);
    assert!(ratio > 1.9, "{one} {two}");
}

/// A study's runs need as much each as take place at a time, which are no more than there are. A mesh of 1560 x 1560 nodes takes 128 bytes a node, and
/// one of three experiments is routed on all of it.
#[test]
fn runs_of_studies_take_place_side_by_side() {
    let folder = Folder::new();
    let beside = |line: &str, jobs: &str| {
        let line = format!("study {line} --memory 1B --jobs {jobs}");
        let done = folder.flitwork(&line.split_whitespace().collect::<Vec<_>>());
        needed(&done.err) - PROGRAM_BYTES
    };
    for line in [
        "greedy-steps --n 256 --seeds 2",
        "async-exp2 --n 2520 --spreads 0 --seeds 2",
        "self-timed --side 64 --routers chaos --topologies mesh --spreads 0 --corners 0 --lengths 1 --designs binned --seeds 2",
    ] {
        let [one, two, three] = ["1", "2", "3"].map(|jobs| beside(line, jobs));
        assert!((1.9..2.1).contains(&(two / one)), "{line}: {one} {two}");
        assert!(
            (0.99..1.01).contains(&(three / two)),
            "{line}: {two} {three}"
        );
    }
    // A point's runs take place one after the other, but those of several points side by side.
    let line = "cut-through --side 64 --packet-words 1";
    let ratio = beside(line, "2") / beside(line, "1");
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
    let line = "chaos-readings --readings usual,b --n 1560 --seeds 1";
    let [one, two] = ["1", "2"].map(|jobs| beside(line, jobs));
    let whole = 128.0 * 1560.0 * 1560.0;
    assert!((0.95..1.05).contains(&(one / whole)), "{one}");
    assert!((1.95..2.05).contains(&(two / whole)), "{two}");
    // Seeds of one mesh, too.
    let two = beside("chaos-readings --readings usual --n 1560 --seeds 3", "2");
    assert!((1.95..2.05).contains(&(two / whole)), "{two}");
}

/// What the estimate takes for the program itself.
const PROGRAM_BYTES: f64 = flitwork_experiment::memory::PROGRAM_BYTES as f64;

/// The estimate is from 0.8 to 1.5 of what a loaded run touches, with the program counted as it was built for tests, which
/// is larger. (A network that fails takes more at the end, to report who waits for whom.)
#[cfg(target_os = "linux")]
fn check_need(router: &str, sides: &str, engines: &[&str]) {
    let text = with(router, sides)
        .replace("load = 0.1", "load = 0.4")
        .replace(
            "warmup_cycles = 200",
            "warmup_cycles = 50\ndrain_cycles = 20000",
        )
        .replace("measure_cycles = 2000", "measure_cycles = 100");
    check_need_of(text, engines);
}

/// The same of a whole configuration.
#[cfg(target_os = "linux")]
fn check_need_of(text: String, engines: &[&str]) {
    let folder = Folder::new();
    let what = text.replace('\n', " ");
    folder.write("loaded.toml", text);
    // Long enough for its memory to be looked at.
    let tiny =
        with(ROUTERS[0], "[2, 2]").replace("measure_cycles = 2000", "measure_cycles = 300000");
    folder.write("tiny.toml", tiny);
    let program = most_resident(&folder, &["run", "tiny.toml"]);
    for engine in engines {
        let args = ["run", "loaded.toml", "--engine", engine];
        let refusal = folder.flitwork(&[&args[..], &["--memory", "1B"]].concat());
        let needs = needed(&refusal.err) - PROGRAM_BYTES + program;
        let touched = most_resident(&folder, &args);
        let ratio = needs / touched;
        assert!(
            (0.8..=1.5).contains(&ratio),
            "{what}, {engine}: {needs:.2e} said, {touched:.2e} touched: {ratio:.2}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_estimate_is_what_is_touched() {
    check_need(ROUTERS[0], "[48, 48]", &["sync", "clocked", "live"]);
    for router in &ROUTERS[1..] {
        check_need(router, "[48, 48]", &["sync"]);
    }
}

/// What packets wait for is collected only at the end of a run that leaves some in the network, and isn't counted: full
/// networks need no more memory than others.
#[test]
fn the_estimate_is_of_the_run_and_not_of_its_failure() {
    let folder = Folder::new();
    let text = with("[router.chaos]", "[512, 512]");
    let of = |load: &str| {
        folder.write("full.toml", text.replace("load = 0.1", load));
        needed(&folder.flitwork(&["run", "full.toml", "--memory", "1B"]).err)
    };
    let (usual, full) = (of("load = 0.1"), of("load = 0.3"));
    // Three times as many packets are on their way, each of about 32 bytes; a list of waits would take hundreds for each.
    assert!(full < 1.3 * usual, "{usual} {full}");
}

/// A schedule takes memory for every hop of its packets, whose paths are longer in larger networks.
#[cfg(target_os = "linux")]
#[test]
fn the_estimate_counts_the_hops_of_a_schedule() {
    for (sides, pattern, packet_words) in [
        ("[96, 96]", "permutation", 1),
        ("[96, 96]", "transpose", 3),
        ("[160, 40]", "permutation", 2),
    ] {
        check_need_of(scheduled(sides, pattern, packet_words), &["sync"]);
    }
}

#[cfg(target_os = "linux")]
fn scheduled(sides: &str, pattern: &str, packet_words: u32) -> String {
    format!(
        "[network]\ntopology = \"mesh\"\nsides = {sides}\n[router.scheduled]\n\
         [traffic]\nprocess = \"once\"\npattern = \"{pattern}\"\npacket_words = {packet_words}\n"
    )
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "minutes: every router on every engine, of several sizes"]
fn the_estimate_is_what_is_touched_everywhere() {
    let engines = ["sync", "sync-stepped", "sync-plain", "clocked", "live"];
    for router in ROUTERS {
        for sides in ["[64, 64]", "[16, 16, 16]", "[128, 96]"] {
            check_need(router, sides, &engines);
        }
    }
}

/// The most memory that a run had, in bytes, as the system saw it just before its end.
#[cfg(target_os = "linux")]
fn most_resident(folder: &Folder, args: &[&str]) -> f64 {
    let mut command = folder.command(args);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0.0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        most = kib.map_or(most, |kib| kib * 1024.0);
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}
