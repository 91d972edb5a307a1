//! Recordings that are killed at any moment: no more than the last second is lost.
//!
//! What the run had done is known from its log, which it writes alongside the record: every 20 ms the cycles
//! that each node had completed.

use crate::harness::{Folder, end};
use crate::live::live;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const NODES: usize = 16;
/// What a kill may cost.
const MAY_BE_LOST_MS: u64 = 1000;
/// The longest time that a run may take to begin.
const PATIENCE: Duration = Duration::from_secs(20);
const ALL_NODES: &str = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";

/// How far each node was, and when by the run's own clock.
struct Snapshot {
    ms: u64,
    cycles: Vec<u64>,
}

/// The snapshots that a run's log holds, in order. The last line may be cut.
fn snapshots(log: &str) -> Vec<Snapshot> {
    let snapshot = |line: &str| {
        let line: Value = serde_json::from_str(line).ok()?;
        let cycles = line["cycles"].as_str()?;
        Some(Snapshot {
            ms: line["ms"].as_u64()?,
            cycles: serde_json::from_str(cycles).ok()?,
        })
    };
    log.lines().filter_map(snapshot).collect()
}

/// The cycles of each node that a record's replay reaches; and what it says.
fn replayed(folder: &Folder, record: &str) -> (Vec<u64>, String) {
    let replayed = folder.flitwork(&["replay", record, "--json", "--node", ALL_NODES]);
    let cycles: Vec<u64> = match replayed.code {
        Some(0) => {
            let json = replayed.json();
            let nodes = json["replay"]["nodes"].as_array().unwrap();
            nodes
                .iter()
                .map(|node| node["cycles"].as_u64().unwrap())
                .collect()
        }
        _ => {
            let says = "none of it can be replayed";
            assert!(replayed.err.contains(says), "{}", replayed.err);
            vec![0; NODES]
        }
    };
    assert_eq!(cycles.len(), NODES);
    (cycles, replayed.err)
}

/// Whether each node has come as far as in other cycles.
fn hold(cycles: &[u64], others: &[u64]) -> bool {
    others.iter().zip(cycles).all(|(other, own)| other <= own)
}

/// Records a run, kills it after some time, and replays the record: it has all that could be replayed of it before. Returns
/// when it was killed, and how much of its time was lost, in ms.
fn kill(folder: &Folder, runtime: &str, slack: &str, after: Duration) -> (u64, u64, String) {
    let more = ["--force", "--record", "run.flog", "--log", "log.jsonl"];
    // More cycles than the run reaches.
    let long = ["--set", "run.measure_cycles=50000000"];
    let args = live(runtime, slack, &[&more[..], &long].concat());
    let mut command = folder.command(&args);
    let mut child = command
        .env("RUST_LOG", "flitwork_live::watch=trace")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !folder.path("log.jsonl").exists() || folder.read("log.jsonl").is_empty() {
        assert!(begun.elapsed() < PATIENCE, "nothing is logged");
        sleep(Duration::from_millis(1));
    }
    sleep(after);
    std::fs::copy(folder.path("run.flog"), folder.path("before.flog")).unwrap();
    child.kill().unwrap();
    end(&mut child);
    let snapshots = snapshots(&folder.read("log.jsonl"));
    std::fs::remove_file(folder.path("log.jsonl")).unwrap();
    let last = snapshots.last().unwrap().ms;
    let (before, _) = replayed(folder, "before.flog");
    let (cycles, says) = replayed(folder, "run.flog");
    let holds = |it: &&Snapshot| hold(&cycles, &it.cycles);
    let held = snapshots.iter().rev().find(holds);
    let held = held.map_or(0, |snapshot| snapshot.ms);
    let context = format!(
        "{runtime}, slack {slack}: killed {last} ms after it began, replayed to {held} ms: {says}"
    );
    assert!(hold(&cycles, &before), "{context}: {before:?}, {cycles:?}");
    (last, last - held, context)
}

/// Kills this many recordings of each kind, each within the given time; at most so much may be lost.
fn kills(of_each: usize, longest: Duration, kinds: &[(&str, &str)], may_be_lost_ms: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let mut state = now.as_nanos() as u64 | 1;
    let mut lost = Vec::new();
    let folder = Folder::new();
    for (runtime, slack) in kinds {
        let mut line = format!("{runtime}, slack {slack}: ran and lost, ms:");
        for _ in 0..of_each {
            // The moment need not be reproducible: the host decides the rest anyway.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let after = longest.mul_f64((state >> 11) as f64 / (1u64 << 53) as f64);
            let (ran, of_it, context) = kill(&folder, runtime, slack, after);
            assert!(of_it <= may_be_lost_ms, "{context}");
            let _ = write!(line, " {ran}-{of_it}");
            lost.push(of_it);
        }
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    lost.sort_unstable();
    let (median, most) = (lost[lost.len() / 2], lost[lost.len() - 1]);
    let _ = writeln!(
        std::io::stderr(),
        "{} kills: {median} ms lost in the median, {most} ms at most",
        lost.len()
    );
}

/// How much time that is depends on the host: see the hundred.
#[test]
fn a_killed_recording_loses_nothing_that_was_recorded() {
    let kinds = [
        ("threads", "0"),
        ("threads", "none"),
        ("tokio", "4"),
        ("tokio", "none"),
    ];
    kills(1, Duration::from_millis(2500), &kinds, u64::MAX);
}

#[test]
#[ignore = "five minutes on an idle host: a hundred kills"]
fn a_hundred_killed_recordings_lose_a_second_at_most() {
    let slacks = ["0", "1", "4", "16", "none"];
    let with = |runtime| slacks.map(|slack| (runtime, slack));
    let kinds = [with("threads"), with("tokio")].concat();
    kills(10, Duration::from_secs(4), &kinds, MAY_BE_LOST_MS);
}
