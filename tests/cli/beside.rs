//! `flitwork run --packets` and `--every`.

use crate::harness::{Done, Folder, SMALL, interrupt};
use std::collections::HashMap;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A column's cells.
fn column(table: &(Vec<String>, Vec<Vec<String>>), name: &str) -> Vec<String> {
    let at = table.0.iter().position(|column| column == name).unwrap();
    table.1.iter().map(|row| row[at].clone()).collect()
}

fn sum(table: &(Vec<String>, Vec<Vec<String>>), name: &str) -> u64 {
    let cells = column(table, name).into_iter();
    cells.map(|cell| cell.parse::<u64>().unwrap()).sum()
}

#[test]
fn a_run_writes_its_packets_and_its_intervals() {
    let folder = Folder::new();
    for engine in ["sync", "clocked", "live"] {
        let args = [
            "run",
            "small.toml",
            "--engine",
            engine,
            "--json",
            "--force",
            "--packets",
            "new/p.csv",
            "--every",
            "100",
            "--out",
            "out",
        ];
        let results = folder.fine(&args).json();
        let packets = folder.table("new/p.csv");
        let delivered = results["packets_delivered"].as_u64().unwrap();
        assert!(delivered > 100);
        assert_eq!(packets.1.len() as u64, delivered, "{engine}");
        let text = folder.read("new/p.csv");
        assert!(text.starts_with("# schema_version = 4\n"), "{engine}");
        assert!(text.ends_with("\n# status = \"complete\"\n"), "{engine}");
        let intervals = folder.table("out/intervals.csv");
        assert_eq!(sum(&intervals, "packets_delivered"), delivered, "{engine}");
        assert_eq!(intervals.1[0][..3], ["0", "100", "warm-up"]);
        let phases = column(&intervals, "phase");
        assert_eq!(
            phases.iter().filter(|phase| *phase == "measured").count(),
            20
        );
        // The mean of the loads of equal intervals is the window's.
        for load in ["offered", "accepted"] {
            let name = format!("{load}_load_words_per_node_cycle");
            let loads = column(&intervals, &name).into_iter().zip(&phases);
            let measured = loads.filter(|(_, phase)| *phase == "measured");
            let loads: Vec<f64> = measured.map(|(load, _)| load.parse().unwrap()).collect();
            let whole = results[format!("{load}_load_words_per_node_cycle")]
                .as_f64()
                .unwrap();
            let mean = loads.iter().sum::<f64>() / loads.len() as f64;
            assert!(
                (mean - whole).abs() < 1e-9,
                "{engine}, {load}: {mean}, {whole}"
            );
        }
        let figure = folder.read("out/intervals.svg");
        for says in ["<metadata>", "warm-up", "measured", "drain"] {
            assert!(figure.contains(says), "{says}");
        }
    }
    // Another run without these options leaves none of the files.
    folder.fine(&["run", "small.toml", "--force", "--out", "out"]);
    assert!(!folder.path("out/intervals.csv").exists());
    assert!(!folder.path("out/intervals.svg").exists());
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_run() {
    let folder = Folder::new();
    folder.write("there.csv", "mine");
    let run = |further: &[&'static str]| {
        let mut args = vec!["run", "small.toml"];
        args.extend(further);
        args
    };
    folder.refuses(
        &run(&["--packets", "p.txt"]),
        &["--packets p.txt", ".csv or .parquet"],
    );
    folder.refuses(
        &run(&["--packets", "there.csv"]),
        &["--packets: there.csv", "--force"],
    );
    folder.refuses(
        &run(&["--packets", "small.toml/p.csv"]),
        &["--packets: small.toml/p.csv"],
    );
    folder.refuses(
        &run(&["--every", "0", "--out", "o"]),
        &["--every", "from 1"],
    );
    folder.refuses(&run(&["--every", "5"]), &["--out"]);
    let long = [
        "--every",
        "1",
        "--out",
        "o",
        "--set",
        "run.drain_cycles=1000000000",
    ];
    folder.refuses(
        &run(&long),
        &["--every 1", "2000002200 cycles", "allowed: 477 or more"],
    );
    assert_eq!(folder.read("there.csv"), "mine");
    assert!(!folder.path("p.txt").exists());
}

/// An interrupted run leaves a file with the packets so far, and reports it as partial.
#[test]
fn an_interrupted_run_leaves_its_packets() {
    let folder = Folder::new();
    folder.write("long.toml", SMALL.replace("2000", "400000000"));
    for engine in ["sync", "live"] {
        let args = [
            "-v",
            "run",
            "long.toml",
            "--engine",
            engine,
            "--force",
            "--packets",
            "p.csv",
            "--every",
            "10000",
            "--out",
            "out",
        ];
        let mut child = folder.start(&args);
        folder.wait_for(&mut child, "running");
        sleep(Duration::from_millis(500));
        assert!(
            !folder.path("p.csv").exists(),
            "{engine}: it isn't complete"
        );
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{engine}: {}", done.err);
        assert!(folder.read("p.csv").ends_with("\n# status = \"partial\"\n"));
        let (packets, results) = (folder.table("p.csv"), folder.json("out/results.json"));
        assert_eq!(
            packets.1.len() as u64,
            results["packets_created"].as_u64().unwrap()
        );
        let delivered = column(&packets, "delivered_cycle");
        let delivered = delivered.iter().filter(|cell| !cell.is_empty()).count() as u64;
        assert_eq!(delivered, results["packets_delivered"].as_u64().unwrap());
        let intervals = folder.table("out/intervals.csv");
        assert_eq!(sum(&intervals, "packets_delivered"), delivered, "{engine}");
        fs::remove_file(folder.path("p.csv")).unwrap();
    }
}

/// 10,000,000 requests per node wait in the sources: the run doesn't wait for their rows, and none is missing
/// from the count.
#[test]
fn rows_of_packets_that_wait_are_not_waited_for() {
    let folder = Folder::new();
    let batch = format!("{}/configs/batch.toml", env!("CARGO_MANIFEST_DIR"));
    let all = ["requests", "outstanding"].map(|key| format!("traffic.batch.{key}=10000000"));
    let args = [
        "-v",
        "run",
        &batch,
        "--set",
        &all[0],
        "--set",
        &all[1],
        "--memory",
        "100GB",
        "--json",
        "--packets",
        "p.csv",
    ];
    let mut child = folder.start(&args);
    folder.wait_for(&mut child, "running");
    sleep(Duration::from_millis(300));
    interrupt(&child);
    let asked = Instant::now();
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    // A machine with a core to spare takes a second.
    assert!(
        asked.elapsed() < Duration::from_secs(20),
        "{:?}",
        asked.elapsed()
    );
    assert!(done.err.contains("have no row"), "{}", done.err);
    let results = done.json();
    let packets = |name: &str| results[format!("packets_{name}")].as_u64().unwrap();
    let created = packets("created");
    assert_eq!(created + packets("owed"), 2 * 64 * 10_000_000);
    let text = folder.read("p.csv");
    let unlisted = text
        .lines()
        .find_map(|line| line.strip_prefix("# unlisted_packets = "));
    let unlisted: u64 = unlisted.unwrap().parse().unwrap();
    let rows = text
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    assert_eq!(rows.count() as u64 + unlisted, created);
}

/// The results are there nevertheless, and nothing half-written.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_the_host() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_flitwork");
    for name in ["p.csv", "p.parquet"] {
        // This many blocks of 512 bytes: less than the packets need.
        let script =
            format!("trap '' XFSZ; ulimit -f 8; exec {program} run small.toml --packets {name}");
        let mut command = std::process::Command::new("sh");
        let done = Done::of(command.args(["-c", &script]).current_dir(folder.path("")));
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.out.contains("digest"), "{done:?}");
        assert!(
            done.err
                .contains(&format!("--packets: {name}: can't be written")),
            "{done:?}"
        );
    }
    let left = fs::read_dir(folder.path("")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["small.toml"]);
}

/// The rows of a trace's packets have the trace's ids, including those that an interrupted run leaves in the
/// network or in a source.
#[test]
fn packets_of_a_trace_have_its_ids() {
    let folder = Folder::new();
    // Each source's packets have words and classes of their own; the last come too late to be delivered.
    let mut trace = "cycle,src,dst,words,id,class\n".to_owned();
    let mut facts = HashMap::new();
    for id in 0..60u64 {
        let (cycle, source) = (id * 3, id * 7 % 16);
        let destination = (source + 1 + id % 15) % 16;
        let (words, name) = (1 + id % 9, 1000 + id * id);
        trace += &format!("{cycle},{source},{destination},{words},{name},{}\n", id % 4);
        facts.insert(name, (source, destination, words, cycle, id % 4));
    }
    folder.write("t.csv", trace);
    let config = "network = { topology = \"mesh\", sides = [4, 4] }\n[router.wormhole]\nvcs = 2\n\
        [traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"t.csv\"\n[run]\ndeadline_cycles = 170\n";
    folder.write("trace.toml", config);
    for engine in ["sync", "sync-plain", "clocked", "live"] {
        let args = [
            "run",
            "trace.toml",
            "--engine",
            engine,
            "--force",
            "--packets",
            "p.csv",
        ];
        assert_eq!(folder.flitwork(&args).code, Some(3), "{engine}");
        let table = folder.table("p.csv");
        let mut ends = [0, 0];
        for row in &table.1 {
            let cell = |at: usize| row[at].parse::<u64>().ok();
            let name = cell(5).unwrap_or_else(|| panic!("{engine}: {row:?}"));
            let (source, destination, words, cycle, class) = facts[&name];
            assert_eq!(
                (cell(0), cell(4), cell(6)),
                (Some(source), Some(words), Some(cycle))
            );
            if cell(7).is_some() {
                assert_eq!((cell(2), cell(3)), (Some(destination), Some(class)));
            }
            ends[usize::from(cell(8).is_some())] += 1;
        }
        // By cycle 169 packets 0 to 56 had been made, and the last few were under way.
        assert_eq!(ends[0] + ends[1], 57, "{engine}");
        assert!(ends[0] > 0 && ends[1] > 40, "{engine}: {ends:?}");
        let mut names = column(&table, "trace_id");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 57, "{engine}");
    }
}
