//! Live runs that break: nodes that fail, interruption, kills, full disks.

use crate::harness::{Done, Folder, SMALL, interrupt};
use crate::live::live;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time that a run may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// More cycles than any of these runs reaches.
const LONG: [&str; 2] = ["--set", "run.measure_cycles=50000000"];

/// Runs a live run that must end without being interrupted.
fn ends(folder: &Folder, args: &[&str]) -> Done {
    let begun = Instant::now();
    let mut child = folder.start(args);
    let done = folder.end(&mut child);
    assert!(begun.elapsed() < PATIENCE, "{args:?}");
    done
}

#[test]
fn a_fault_names_the_node_the_cycle_and_the_cause() {
    let folder = Folder::new();
    for (runtime, die) in [("threads", "worker 0"), ("tokio", "task")] {
        for (rehearsal, says) in [
            (
                "panic:5@1000",
                vec!["node 5 in its cycle 1000: panic: a rehearsed panic"],
            ),
            (
                "close:5@1000",
                vec!["in its cycle ", " to node 5 closed at its far end"],
            ),
            (
                "die:5@1000",
                vec![
                    "node 5 in its cycle 1000: ",
                    die,
                    "ended without giving a reason",
                ],
            ),
        ] {
            for slack in ["0", "16", "none"] {
                let rehearse = [&["--rehearse", rehearsal], &LONG[..]].concat();
                let recorded = [&rehearse[..], &["--force", "--record", "run.flog"]].concat();
                for more in [rehearse, recorded] {
                    let done = ends(&folder, &live(runtime, slack, &more));
                    let context = format!("{runtime}, {slack}, {more:?}: {}", done.err);
                    assert_eq!(done.code, Some(1), "{context}");
                    assert!(done.out.starts_with("results (PARTIAL"), "{context}");
                    for say in &says {
                        assert!(done.err.contains(say), "{say}: {context}");
                    }
                }
                let again = folder.flitwork(&["replay", "run.flog"]);
                // How far a lost node got is unknown, so its record has no end: it is replayed to a mark, and
                // may stop before the first.
                let cut = again.err.contains("without a trailer");
                assert_eq!(cut, rehearsal.starts_with("die"), "{}", again.err);
                let nothing = again.err.contains("none of it can be replayed");
                assert!(nothing != again.err.contains("agrees"), "{}", again.err);
                assert_eq!(again.code, Some(if nothing { 2 } else { 0 }));
                assert!(cut || !nothing, "{}", again.err);
            }
        }
    }
}

/// All links of a corner are within one worker, or none is.
#[test]
fn closed_channels_are_noticed_wherever_they_lie() {
    let folder = Folder::new();
    for (workers, node) in [("1", 5), ("2", 0), ("2", 6), ("16", 10)] {
        let rehearsal = format!("close:{node}@500");
        let more = ["--rehearse", &rehearsal, "--workers", workers];
        let done = ends(
            &folder,
            &live("threads", "16", &[&more, &LONG[..]].concat()),
        );
        assert_eq!(done.code, Some(1), "{}", done.err);
        let says = format!(" to node {node} closed at its far end");
        assert!(done.err.contains(&says), "{}", done.err);
    }
}

#[test]
fn an_interrupted_record_is_whole() {
    let folder = Folder::new();
    for (runtime, slack) in [("threads", "16"), ("tokio", "none"), ("threads", "0")] {
        let more = [&["-v", "--force", "--record", "run.flog"], &LONG[..]].concat();
        let mut child = folder.start(&live(runtime, slack, &more));
        folder.wait_for(&mut child, "live run");
        sleep(Duration::from_millis(400));
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{}", done.err);
        assert!(done.out.starts_with("results (PARTIAL"), "{}", done.out);
        assert!(done.err.contains("interrupted"), "{}", done.err);
        let again = folder.fine(&["replay", "run.flog", "--threads", "2"]);
        assert!(
            again.err.contains("the replay agrees with its record"),
            "{}",
            again.err
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_is_reported() {
    let folder = Folder::new();
    for runtime in ["threads", "tokio"] {
        let more = [&["--record", "/dev/full"], &LONG[..]].concat();
        let done = ends(&folder, &live(runtime, "16", &more));
        assert_eq!(done.code, Some(1), "{}", done.err);
        for says in ["the record can't be written: No space left", "/dev/full"] {
            assert!(done.err.contains(says), "{}", done.err);
        }
    }
}

/// A file may grow to a limit here: the first blocks fit and a later one doesn't.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_during_the_run_leaves_results_and_a_record() {
    let folder = Folder::new();
    for runtime in ["threads", "tokio"] {
        let more = [&["--force", "--record", "run.flog"], &LONG[..]].concat();
        let args = live(runtime, "16", &more).join(" ");
        let binary = env!("CARGO_BIN_EXE_flitwork");
        // Blocks of 512 bytes, in any shell.
        let limited = format!("ulimit -f 200; trap '' XFSZ; exec '{binary}' {args}");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).current_dir(folder.path(""));
        let begun = Instant::now();
        let done = Done::of(&mut command);
        assert!(begun.elapsed() < PATIENCE);
        assert_eq!(done.code, Some(1), "{}", done.err);
        assert!(
            done.err.contains("the record can't be written"),
            "{}",
            done.err
        );
        assert!(done.out.starts_with("results (PARTIAL"), "{}", done.out);
        let again = folder.fine(&["replay", "run.flog"]);
        assert!(
            again.err.contains("so far the replay agrees"),
            "{}",
            again.err
        );
    }
}

/// A record's end that can't be written doesn't cost the results.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_at_the_end_leaves_the_results() {
    let folder = Folder::new();
    // The header fits into three blocks of 512 bytes, the first block is written with the end.
    assert!(SMALL.len() < 512);
    let binary = env!("CARGO_BIN_EXE_flitwork");
    let args = live("threads", "0", &["--force", "--record", "run.flog"]).join(" ");
    let limited = format!("ulimit -f 3; trap '' XFSZ; exec '{binary}' {args}");
    let mut command = Command::new("sh");
    command.args(["-c", &limited]).current_dir(folder.path(""));
    let done = Done::of(&mut command);
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(
        done.err.contains("the record can't be written"),
        "{}",
        done.err
    );
    assert!(done.out.starts_with("results"), "{}", done.out);
}
