//! `flitwork sweep` and `flitwork merge`: tables, resumption after any end, shards, bad input.

use crate::harness::{Folder, SMALL, end, interrupt};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

const LOADS: &str = "traffic.load=0.05:0.2:0.05";
const FRAMES: &str = "router.chaos.multiqueue_frames=3,5";

/// The table without its provenance, and without its last column, the host's seconds.
fn table(folder: &Folder, name: &str) -> String {
    let text = folder.read(&format!("{name}/sweep.csv"));
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n");
    lines.collect()
}

/// The complete lines of a journal.
fn points(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.matches('\n').count())
}

/// Waits until a sweep has finished some points.
fn wait_for_points(child: &mut Child, path: &Path, count: usize) {
    let begun = Instant::now();
    while points(path) < count {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended with {} points",
            points(path)
        );
        assert!(begun.elapsed() < Duration::from_secs(600), "no points");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn every_file_of_a_sweep_holds_what_its_name_says() {
    let folder = Folder::new();
    folder.fine(&["sweep", "small.toml", "--over", LOADS]);
    for (file, head) in [
        ("sweep.parquet", &b"PAR1"[..]),
        ("latency.svg", &b"<svg"[..]),
        ("latency.png", b"\x89PNG"),
        ("accepted.svg", b"<svg"),
        ("accepted.png", b"\x89PNG"),
    ] {
        let bytes = fs::read(folder.path("small-sweep").join(file)).unwrap();
        assert!(
            bytes
                .windows(head.len())
                .take(100)
                .any(|window| window == head),
            "{file}"
        );
    }
}

#[test]
fn a_sweep_has_a_row_for_each_point() {
    let folder = Folder::new();
    let args = [
        "sweep",
        "small.toml",
        "--over",
        LOADS,
        "--over",
        FRAMES,
        "--seeds",
        "2",
    ];
    let done = folder.fine(&args);
    assert!(done.out.contains("sweep of small.toml"), "{}", done.out);
    assert!(
        done.out.contains("16, 0 of them done earlier"),
        "{}",
        done.out
    );
    let (columns, rows) = folder.table("small-sweep/sweep.csv");
    let begin = ["point", "traffic.load", "router.chaos.multiqueue_frames"];
    assert_eq!(columns[..3], begin);
    assert_eq!(rows.len(), 16);
    let seed = columns.iter().position(|name| name == "seed").unwrap();
    let axes = rows
        .iter()
        .map(|row| format!("{} {} {}", row[1], row[2], row[seed]));
    let axes: Vec<String> = axes.collect();
    assert_eq!(axes[..3], ["0.05 3 1", "0.05 3 2", "0.05 5 1"]);
    assert_eq!(axes[15], "0.2 5 2");
    let latency = columns
        .iter()
        .position(|name| name == "latency_mean_cycles")
        .unwrap();
    let latencies: Vec<f64> = rows
        .iter()
        .map(|row| row[latency].parse().unwrap())
        .collect();
    assert!(latencies[0] < latencies[15], "{latencies:?}");
    // `flitwork run` gives the same results as a point.
    let run = [
        "run",
        "small.toml",
        "--set",
        "traffic.load=0.2",
        "--seed",
        "2",
        "--json",
    ];
    let digest = columns.iter().position(|name| name == "digest").unwrap();
    assert_eq!(
        folder.fine(&run).json()["digest"],
        Value::from(rows[15][digest].clone())
    );
    // Nothing is left to do.
    let again = folder.fine(&args);
    assert!(
        again.out.contains("16, 16 of them done earlier"),
        "{}",
        again.out
    );
    let json = folder.fine(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(json["complete"], 16);
}

#[test]
fn a_fresh_folder_has_all_points_to_run() {
    let folder = Folder::new();
    let args = ["sweep", "small.toml", "--over", LOADS];
    let done = folder.fine(&args);
    assert!(
        done.err.contains("sweep: 4 of 4 points to run"),
        "{}",
        done.err
    );
    let again = folder.fine(&args);
    assert!(
        again.err.contains("sweep: 0 of 4 points to run"),
        "{}",
        again.err
    );
}

/// Every bit of it counts: an axis value of "0.q4" must not be merged.
#[test]
fn a_flipped_bit_in_sweep_toml_is_refused() {
    let folder = Folder::new();
    folder.fine(&["sweep", "small.toml", "--over", LOADS]);
    let text = folder.read("small-sweep/sweep.toml");
    let value = text.find("0.15").unwrap();
    let mut bytes = text.into_bytes();
    bytes[value + 2] ^= 0x40;
    assert_eq!(&bytes[value..value + 4], b"0.q5");
    fs::write(folder.path("small-sweep/sweep.toml"), bytes).unwrap();
    let wanted = ["small-sweep/sweep.toml: not a sweep's", "checksum"];
    folder.refuses(&["merge", "small-sweep"], &wanted);
    folder.refuses(
        &[
            "sweep",
            "small.toml",
            "--over",
            LOADS,
            "--out",
            "small-sweep",
        ],
        &wanted,
    );
}

/// Killed again and again, with Ctrl-C in between: every point that was on disk stays, and the table is that
/// of an uninterrupted sweep.
#[test]
fn a_killed_sweep_continues() {
    let folder = Folder::new();
    let args = |out| {
        let over = [
            "sweep",
            "small.toml",
            "--over",
            "traffic.load=0.01:0.4:0.01",
        ];
        [
            &over[..],
            &[
                "--set",
                "run.measure_cycles=20000",
                "--jobs",
                "2",
                "--out",
                out,
            ],
        ]
        .concat()
    };
    folder.fine(&args("once"));
    let journal = folder.path("killed/journal.jsonl");
    let mut kept = 0;
    for _ in 0..3 {
        let mut child = folder.start(&args("killed"));
        wait_for_points(&mut child, &journal, kept + 3);
        child.kill().unwrap();
        child.wait().unwrap();
        let now = points(&journal);
        assert!(now >= kept + 3);
        kept = now;
    }
    // A line whose last bytes never reached the disk.
    let bytes = fs::read(&journal).unwrap();
    fs::write(&journal, &bytes[..bytes.len() - 9]).unwrap();
    let mut child = folder.start(&args("killed"));
    wait_for_points(&mut child, &journal, kept + 2);
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(done.err.contains("points remain"), "{}", done.err);
    assert!(table(&folder, "killed").lines().count() > kept);
    let done = folder.fine(&args("killed"));
    assert!(
        !done.out.contains("40, 0 of them done earlier"),
        "{}",
        done.out
    );
    assert_eq!(table(&folder, "killed"), table(&folder, "once"));
    assert_eq!(points(&journal), 40);
}

#[test]
fn shards_together_are_the_whole() {
    let folder = Folder::new();
    let over = ["sweep", "small.toml", "--over", LOADS, "--over", FRAMES];
    folder.fine(&[&over[..], &["--out", "whole"]].concat());
    for shard in ["3/3", "1/3"] {
        let done = folder.fine(&[&over[..], &["--out", "all", "--shard", shard]].concat());
        assert!(done.out.contains(&format!("shard {shard}")), "{}", done.out);
    }
    assert!(!folder.path("all/sweep.csv").exists());
    folder.refuses(
        &["merge", "all", "--complete"],
        &["--complete", "3 of 8 points are missing: 1, 4, 7"],
    );
    let part = folder.fine(&["merge", "all"]);
    assert!(
        part.err.contains("warning: 3 of 8 points are missing"),
        "{}",
        part.err
    );
    folder.fine(&[&over[..], &["--out", "elsewhere", "--shard", "2/3"]].concat());
    folder.fine(&["merge", "all", "elsewhere", "--complete", "--out", "merged"]);
    assert_eq!(table(&folder, "merged"), table(&folder, "whole"));
}

#[test]
fn a_network_that_fails_is_a_row() {
    let folder = Folder::new();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/deadlock.toml");
    let args = ["sweep", config, "--over", "run.seed=1,2", "--out", "out"];
    let done = folder.flitwork(&args);
    assert_eq!(done.code, Some(3), "{done:?}");
    let (columns, rows) = folder.table("out/sweep.csv");
    let status = columns.iter().position(|name| name == "status").unwrap();
    assert!(rows.iter().any(|row| row[status] == "failed"), "{rows:?}");
    assert_eq!(rows.len(), 2);
}

/// A point that was steady, overloaded ones, and one of which nobody can tell: the last is counted apart.
#[test]
fn points_that_arent_known_to_be_steady_are_counted() {
    let folder = Folder::new();
    let short = SMALL
        .replace("[router.chaos]", "[router.chaos]\npacket_words = 4")
        .replace("warmup_cycles = 200", "warmup_cycles = 300");
    folder.write("short.toml", short);
    let args = [
        "sweep",
        "short.toml",
        "--over",
        "run.measure_cycles=900,2000",
        "--over",
        "traffic.load=0.3,0.9",
        "--out",
        "out",
    ];
    let text = folder.fine(&args).out;
    for line in [
        "complete               4, 2 of them not steady",
        "not known              whether 1 of them were steady: their windows are too short",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let json = folder.fine(&[&args[..], &["--json"]].concat()).json();
    for (name, count) in [("complete", 4), ("not_steady", 2), ("window_too_short", 1)] {
        assert_eq!(json[name], count, "{name}: {json}");
    }
    let merged = folder.fine(&["merge", "out", "--json"]).json();
    assert_eq!(merged["window_too_short"], 1);
    let text = folder.read("out/sweep.csv");
    let (columns, rows) = folder.table("out/sweep.csv");
    let cell = |row: &[String], name: &str| {
        let place = columns.iter().position(|column| column == name);
        row[place.unwrap()].clone()
    };
    let states = rows
        .iter()
        .map(|row| ["steady", "not_steady", "saturated"].map(|name| cell(row, name)));
    let states: Vec<[String; 3]> = states.collect();
    let overload = ["false", "overload", "true"];
    assert_eq!(states[0], ["true", "", "false"], "{text}");
    assert_eq!(states[1], overload, "{text}");
    assert_eq!(states[2], ["", "window too short", "false"], "{text}");
    assert_eq!(states[3], overload, "{text}");
}

/// Its log replaces nothing, so the same command would be refused.
#[test]
fn an_interrupted_sweep_names_all_that_resumes_it() {
    let folder = Folder::new();
    for (log, says) in [
        (&[][..], "run the same command again to resume"),
        (
            &["--log", "log.jsonl"][..],
            "run the same command again, with another --log, to resume",
        ),
    ] {
        let cycles = "run.measure_cycles=100000000";
        let args = ["sweep", "small.toml", "--set", cycles, "--out", "out"];
        let mut child = folder.start(&[&args[..], log].concat());
        folder.wait_for(&mut child, "points to run");
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{}", done.err);
        assert!(done.err.contains(says), "{}", done.err);
    }
    assert!(folder.path("log.jsonl").exists());
}

#[test]
fn one_process_works_on_a_folder() {
    let folder = Folder::new();
    let args = [
        "sweep",
        "small.toml",
        "--set",
        "run.measure_cycles=100000000",
        "--out",
        "out",
    ];
    let mut child = folder.start(&args);
    folder.wait_for(&mut child, "points to run");
    folder.refuses(&args, &["out: another process is using it"]);
    folder.refuses(&["merge", "out"], &["another process is using it"]);
    interrupt(&child);
    assert_eq!(end(&mut child), Some(130));
}

#[test]
fn the_help_shows_the_syntax() {
    let folder = Folder::new();
    for (command, says) in [
        (
            "sweep",
            &[
                "--over <KEY=VALUES>",
                "--shard <I/N>",
                "--skip-refused",
                "kill -9",
            ][..],
        ),
        ("merge", &["--complete", "<DIR>..."]),
        ("saturate", &["--tolerance", "--criterion", "latency=3"]),
        ("compare", &["--budget-runs", "--set-b", "same packets"]),
    ] {
        let help = folder.fine(&[command, "--help"]).out;
        says.iter()
            .for_each(|say| assert!(help.contains(say), "{command}, {say}: {help}"));
    }
}
