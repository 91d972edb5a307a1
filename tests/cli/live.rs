//! `run --engine live`: its results, its record, its log.

use crate::harness::Folder;
use serde_json::Value;

const RUNTIMES: [&str; 2] = ["threads", "tokio"];
const SLACKS: [&str; 3] = ["0", "4", "none"];

/// The arguments of a live run, followed by further ones.
pub(crate) fn live<'a>(runtime: &'a str, slack: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", "small.toml", "--engine", "live"];
    args.extend(["--runtime", runtime, "--slack", slack]);
    args.extend(more);
    args
}

/// Results without what depends on the host.
fn figures(mut results: Value) -> Value {
    let results_table = results.as_object_mut().unwrap();
    // A replay has more to report, and had another command line.
    for name in ["provenance", "replay"] {
        results_table.remove(name);
    }
    for name in [
        "seconds",
        "packet_hops_per_second",
        "node_cycles_per_second",
    ] {
        assert!(results_table.remove(name).is_some(), "{name}");
    }
    results
}

#[test]
fn every_runtime_and_slack_delivers_everything_and_replays() {
    let folder = Folder::new();
    let sync = folder.fine(&["run", "small.toml", "--json"]).json();
    for runtime in RUNTIMES {
        for slack in SLACKS {
            let mut args = live(
                runtime,
                slack,
                &["--force", "--record", "run.flog", "--json"],
            );
            if slack == "none" {
                // A node may reach its last cycle while the host makes others wait.
                args.extend(["--set", "run.drain_cycles=1000000000"]);
            }
            let done = folder.fine(&args);
            let said = done.err;
            assert!(said.contains("record: run.flog, "), "{said}");
            let live = done_json(&done.out);
            assert_eq!(live["status"], "complete");
            for count in [
                "created",
                "injected",
                "delivered",
                "in_network",
                "in_sources",
            ] {
                let count = format!("packets_{count}");
                assert_eq!(live[&count], sync[&count], "{runtime}, {slack}, {count}");
            }
            if slack == "0" {
                assert_eq!(live["digest"], sync["digest"], "{runtime} in lockstep");
            }
            let again = folder.fine(&["replay", "run.flog", "--json"]);
            let agrees = format!(
                "the replay agrees with its record: digest {}\n",
                live["digest"].as_str().unwrap()
            );
            assert_eq!(again.err, agrees);
            assert_eq!(figures(again.json()), figures(live));
        }
    }
}

fn done_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The reported size is the file's.
#[test]
fn a_record_has_the_reported_size() {
    let folder = Folder::new();
    let done = folder.fine(&live("threads", "16", &["--force", "--record", "run.flog"]));
    let bytes = std::fs::metadata(folder.path("run.flog")).unwrap().len();
    let says = format!("record: run.flog, {bytes} bytes, ");
    assert!(done.err.contains(&says), "{bytes}: {}", done.err);
}

#[test]
fn records_and_rehearsals_need_a_live_run_and_a_place() {
    let folder = Folder::new();
    let record = ["--record", "run.flog"];
    let rehearse = ["--rehearse", "panic:1@10"];
    for engine in ["sync", "sync-plain", "clocked"] {
        for (option, value) in [record, rehearse].map(|[option, value]| (option, value)) {
            let args = ["run", "small.toml", "--engine", engine, option, value];
            let says = format!("{option}: the engine is {engine}");
            folder.refuses(&args, &[&says, "--engine live"]);
        }
    }
    assert!(!folder.path("run.flog").exists());
    for path in ["small.toml/run.flog", "."] {
        let says = format!("--record: {path}: can't be written");
        folder.refuses(&live("threads", "0", &["--record", path]), &[&says]);
    }
    for (rehearsal, says) in [
        (
            "panic:16@5",
            "--rehearse: there is no node 16; allowed: 0 to 15",
        ),
        ("panic:5", "allowed: panic, close or die"),
        ("stop:5@5", "allowed: panic, close or die"),
    ] {
        let args = live("threads", "0", &["--rehearse", rehearsal]);
        folder.refuses(&args, &[says]);
    }
}

/// The log of a run, one object per line.
fn log(folder: &Folder, name: &str) -> Vec<Value> {
    folder.read(name).lines().map(done_json).collect()
}

fn says<'l>(log: &'l [Value], message: &str) -> &'l Value {
    log.iter()
        .find(|entry| entry["message"] == message)
        .unwrap_or_else(|| panic!("{message} is not in {log:?}"))
}

#[test]
fn the_log_goes_to_a_file_too() {
    let folder = Folder::new();
    let more = ["--force", "--record", "run.flog", "--log", "log.jsonl"];
    let done = folder.fine(&live("tokio", "4", &more));
    assert!(!done.err.contains("live run"), "{}", done.err);
    let reported = log(&folder, "log.jsonl");
    let begun = says(&reported, "live run");
    assert_eq!(begun["level"], "INFO");
    assert_eq!(begun["runtime"], "tokio");
    assert_eq!(begun["workers"], 2);
    assert_eq!(begun["slack"], "4");
    assert_eq!(says(&reported, "recording")["record"], "run.flog");
    assert_eq!(says(&reported, "live run ended")["stop"], "Empty");
    // Nothing is logged per cycle, packet or event.
    assert!(reported.len() < 20, "{} lines", reported.len());
    let broken = ["--rehearse", "panic:5@300", "--log", "broken.jsonl", "-v"];
    let done = folder.flitwork(&live("threads", "none", &broken));
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("live run ended stop=Fault"));
    // It wasn't interrupted.
    assert!(!done.err.contains("interrupted"), "{}", done.err);
    let reported = log(&folder, "broken.jsonl");
    let fault = says(&reported, "broken off");
    assert_eq!((&fault["node"], &fault["cycle"]), (&5.into(), &300.into()));
    assert_eq!(fault["cause"], "panic: a rehearsed panic");
    // The option may be given anywhere, and its folder is made.
    folder.fine(&["--log", "new/empty.jsonl", "reference"]);
    assert!(log(&folder, "new/empty.jsonl").is_empty());
}

#[test]
fn a_log_that_cannot_be_written_is_bad_input() {
    let folder = Folder::new();
    for path in ["small.toml/log.jsonl", "."] {
        let says = format!("--log {path}: can't be written");
        folder.refuses(&["run", "small.toml", "--log", path], &[&says]);
    }
}

/// A log that can't be written is a failure, reported once; any other failure takes precedence.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cant_be_written_is_a_failure() {
    let folder = Folder::new();
    let says = "error: --log /dev/full: can't be written: No space left on device";
    for (args, code) in [
        (vec!["run", "small.toml"], 1),
        (live("threads", "0", &["-v"]), 1),
        (vec!["run", "missing.toml"], 2),
    ] {
        let done = folder.flitwork(&[&args[..], &["--log", "/dev/full", "-vvv"]].concat());
        let reported = done.err.matches(says).count();
        // A mistake that is found at once leaves nothing to log.
        assert!(
            reported == 1 || code == 2 && reported == 0,
            "{args:?}: {}",
            done.err
        );
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.err);
        assert_eq!(done.out.starts_with("results"), code == 1, "{}", done.out);
    }
}

/// Without a slack a node may run its last cycle before others have sent everything to it: what is left is
/// neither a deadlock nor a livelock, whatever waits for what, and the replay agrees.
#[test]
fn nodes_that_end_apart_are_no_deadlock() {
    let folder = Folder::new();
    let mut failed = 0;
    for (runtime, drain) in [
        ("threads", "run.drain_cycles=100"),
        ("threads", "run.drain_cycles=5000"),
        ("tokio", "run.drain_cycles=100"),
        ("tokio", "run.drain_cycles=5000"),
    ] {
        for seed in ["1", "2", "3"] {
            let more = [
                "--force", "--record", "run.flog", "--set", drain, "--seed", seed,
            ];
            let done = folder.flitwork(&live(runtime, "none", &more));
            let context = format!("{runtime}, {drain}, {seed}: {}", done.err);
            if done.code == Some(0) {
                continue;
            }
            failed += 1;
            assert_eq!(done.code, Some(3), "{context}");
            let from = done.err.find("deadline: by cycle ");
            let from = from.unwrap_or_else(|| panic!("{context}"));
            for never in ["circle", "livelock", "deadlock"] {
                assert!(!done.err.contains(never), "{never}: {context}");
            }
            let failure = done.err[from..].split("record: ").next().unwrap();
            let hint = "hint: with slack none, each node stops at its own count of cycles";
            assert!(failure.contains(hint), "{context}");
            let again = folder.fine(&["replay", "run.flog"]);
            assert!(again.err.starts_with(failure), "{}\n{context}", again.err);
        }
    }
    assert!(failed > 0);
}

#[test]
fn a_live_deadlock_is_reported_as_one() {
    let folder = Folder::new();
    let deadlock = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/deadlock.toml");
    for runtime in RUNTIMES {
        for slack in ["0", "16", "none"] {
            let args = ["run", deadlock, "--engine", "live", "--slack", slack];
            let done = folder.flitwork(&[&args[..], &["--runtime", runtime]].concat());
            assert_eq!(done.code, Some(3), "{runtime}, {slack}: {}", done.err);
            assert!(done.out.starts_with("results (FAILED"), "{}", done.out);
            // Without a slack a busy host may let nodes run to their last cycles before the others are stuck:
            // then their deadline ends the run.
            let is_cut = slack == "none" && done.err.contains("deadline: ");
            let says: &[&str] = match is_cut {
                true => &[" waits for node "],
                false => &[
                    "the network is stuck",
                    "deadlock: ",
                    "nodes that wait for each other in a circle:\n  node ",
                    " waits for node ",
                ],
            };
            for says in says {
                assert!(done.err.contains(says), "{says}: {}", done.err);
            }
        }
    }
}

/// A record of format version 3, which an earlier program wrote with this digest: links are full duplex, and nothing says
/// whose turn it is.
#[test]
fn a_record_of_the_earlier_version_replays() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/version-3.flog");
    assert_eq!(std::fs::read(record).unwrap()[8..10], [3, 0]);
    let folder = Folder::new();
    assert_eq!(
        folder.fine(&["replay", record]).err,
        "the replay agrees with its record: digest e7ab9aa1ef35f437\n"
    );
}
