//! Networks that are too large for the host, and what they would need.

use crate::harness::{Done, Folder, SMALL};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Routers by the table that names them.
const ROUTERS: [&str; 5] = [
    "[router.chaos]",
    "[router.greedy-hp]",
    "[router.wormhole]\nvcs = 4\nbuffer_words = 8",
    "[router.deflection]",
    "[router.deflection]\npreset = \"minbd\"",
];

fn with(router: &str, sides: &str) -> String {
    SMALL
        .replace("[router.chaos]", router)
        .replace("sides = [4, 4]", &format!("sides = {sides}"))
}

/// Under a limit of the address space in KiB. No test ends by a signal: the code is there.
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

/// What a refusal says that a run needs, in bytes.
fn needed(message: &str) -> f64 {
    let rest = message
        .split_once("about ")
        .unwrap_or_else(|| panic!("{message}"))
        .1;
    let mut words = rest.split(' ');
    bytes(words.next().unwrap(), words.next().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_network_that_is_too_large_is_refused_with_figures() {
    let folder = Folder::new();
    for router in ROUTERS {
        folder.write("large.toml", with(router, "[4096, 4096]"));
        for engine in ["sync", "clocked", "live"] {
            let args = ["run", "large.toml", "--engine", engine, "--out", "out"];
            let done = limited(&folder, 4_000_000, &args);
            assert_eq!(done.code, Some(2), "{router} {engine}: {}", done.err);
            for says in [
                "GB of memory",
                "GB is free by ulimit -v",
                "network.sides",
                "--memory SIZE",
            ] {
                assert!(done.err.contains(says), "{router} {engine}: {}", done.err);
            }
            assert!(needed(&done.err) > 4e9, "{}", done.err);
        }
    }
}

/// Where the user allows what isn't there, an allocation fails: the program says so and ends as one whose host
/// fails does, and not by a signal.
#[cfg(target_os = "linux")]
#[test]
fn an_allocation_that_fails_is_the_hosts_failure() {
    let folder = Folder::new();
    for router in ROUTERS {
        folder.write("large.toml", with(router, "[4096, 4096]"));
        for engine in ["sync", "sync-plain", "clocked", "live"] {
            let args = ["run", "large.toml", "--engine", engine, "--memory", "10TB"];
            let done = limited(&folder, 1_000_000, &args);
            assert_eq!(done.code, Some(1), "{router} {engine}: {}", done.err);
            assert!(done.err.contains("memory allocation of "), "{}", done.err);
            assert!(!done.err.contains("panicked"), "{}", done.err);
        }
    }
}

/// Every command that simulates holds to what is allowed, and several runs at a time count together.
#[test]
fn all_commands_hold_to_the_memory() {
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
        &["study", "async-load", "--seeds", "1"],
        &["study", "async-exp2", "--seeds", "1"],
        &["study", "greedy-steps", "--seeds", "1"],
        &["study", "multiqueue"],
    ] {
        let args = [args, &less].concat();
        folder.refuses(&args, &["of memory, and 5.0 MB is free by --memory"]);
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
    let program = 14.0 * f64::from(1 << 20);
    assert!((two - program) / (one - program) > 1.9, "{one} {two}");
}

/// The figure is from 0.8 to 1.5 of what a loaded run touches. (A network that fails takes more in the end, to
/// tell who waits for whom.)
#[cfg(target_os = "linux")]
fn check_need(router: &str, sides: &str, engines: &[&str]) {
    let folder = Folder::new();
    let text = with(router, sides)
        .replace("load = 0.1", "load = 0.4")
        .replace(
            "warmup_cycles = 200",
            "warmup_cycles = 50\ndrain_cycles = 20000",
        )
        .replace("measure_cycles = 2000", "measure_cycles = 100");
    folder.write("loaded.toml", text);
    for engine in engines {
        let args = ["run", "loaded.toml", "--engine", engine];
        let refusal = folder.flitwork(&[&args[..], &["--memory", "1B"]].concat());
        let needs = needed(&refusal.err);
        let touched = most_resident(&folder, &args);
        let ratio = needs / touched;
        assert!(
            (0.8..=1.5).contains(&ratio),
            "{router}, {sides}, {engine}: {needs:.2e} said, {touched:.2e} touched: {ratio:.2}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_said_to_be_needed_is_what_is_touched() {
    check_need(
        ROUTERS[0],
        "[48, 48]",
        &["sync", "sync-plain", "clocked", "live"],
    );
    for router in &ROUTERS[1..] {
        check_need(router, "[64, 64]", &["sync"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "minutes: every router on every engine, of several sizes"]
fn what_is_said_to_be_needed_is_what_is_touched_everywhere() {
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
