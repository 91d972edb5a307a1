//! Ctrl-C ends a run with its results so far, and a second one ends it at once.

use crate::harness::{Folder, SMALL, end, interrupt};
use std::fmt::Write;
use std::io::Read;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn long(folder: &Folder, measure_cycles: u32) {
    let text = SMALL.replace("[4, 4]", "[16, 16]");
    let cycles = format!("measure_cycles = {measure_cycles}");
    folder.write("long.toml", text.replace("measure_cycles = 2000", &cycles));
}

/// A run that is under way and far from its end.
fn running(folder: &Folder) -> Child {
    long(folder, 20_000_000);
    let mut child = folder.start(&["-v", "run", "long.toml", "--force", "--out", "out"]);
    folder.wait_for(&mut child, "running");
    sleep(Duration::from_millis(300));
    child
}

#[test]
fn a_run_ends_with_partial_results() {
    let folder = Folder::new();
    long(&folder, 4_000_000);
    for (engine, json) in [("sync", false), ("sync-plain", true)] {
        let mut args = vec![
            "-v",
            "run",
            "long.toml",
            "--force",
            "--out",
            "out",
            "--engine",
            engine,
        ];
        args.extend(json.then_some("--json"));
        let mut child = folder.start(&args);
        folder.wait_for(&mut child, "running");
        sleep(Duration::from_millis(300));
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{}", done.err);
        assert!(done.err.contains("interrupted"), "{}", done.err);
        let results = folder.json("out/results.json");
        assert_eq!(results["status"], "partial");
        assert!(results["packets_delivered"].as_u64().unwrap() > 0);
        let measured = results["measured_cycles"].as_u64().unwrap();
        assert!(measured < 2_000_000, "{measured}");
        // So little shows no steady state, and no lack of one.
        let cut = serde_json::json!({
            "measured_cycles": measured,
            "window_cycles": 4_000_000,
            "needed_cycles": 2_000_000,
        });
        assert_eq!(
            results["unsteady"],
            serde_json::json!({ "WindowCutShort": cut })
        );
        assert_eq!(results["not_steady"], "window cut short");
        assert!(results["steady"].is_null(), "{}", results["steady"]);
        assert!(!folder.path("out/waits.csv").exists());
        match json {
            true => assert_eq!(done.json()["status"], "partial"),
            false => {
                let shown = [
                    "PARTIAL",
                    "not known: the window was cut short",
                    "(not known to be steady)",
                ];
                let shown = shown.iter().all(|it| done.out.contains(it));
                assert!(shown, "{}", done.out);
            }
        }
    }
}

/// As with `timeout -s INT`, which signals the program and then its group.
#[test]
fn a_signal_that_arrives_twice_counts_once() {
    let folder = Folder::new();
    let mut child = running(&folder);
    interrupt(&child);
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    assert_eq!(folder.json("out/results.json")["status"], "partial");
}

/// What the sources would have made later is not part of the results, nor waited for.
#[test]
fn a_partial_run_counts_what_was_made_by_then() {
    let folder = Folder::new();
    let mut child = running(&folder);
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    let results = folder.json("out/results.json");
    let offered = results["offered_load_words_per_node_cycle"]
        .as_f64()
        .unwrap();
    assert!(
        (0.09..0.11).contains(&offered),
        "{offered} words offered, 0.1 configured"
    );
    let accepted = &results["accepted_load_words_per_node_cycle"];
    assert!(
        (0.09..0.11).contains(&accepted.as_f64().unwrap()),
        "{accepted}"
    );
    // Without two whole batches there is no interval, and none is shown.
    let narrow = results["accepted_load_half_width_words_per_node_cycle"]
        .as_f64()
        .is_none_or(|half_width| half_width < 0.02);
    assert!(narrow, "{accepted}");
}

#[test]
fn a_paper_ends_with_the_rows_that_are_done() {
    let folder = Folder::new();
    for json in [true, false] {
        let mut args = vec![
            "-v",
            "paper",
            "chinn-exp2",
            "--n",
            "120,600,3120",
            "--seeds",
            "1",
        ];
        args.extend(["--force", "--plot", "figure.svg"]);
        args.extend(json.then_some("--json"));
        let mut child = folder.start(&args);
        folder.wait_for(&mut child, "n = 3120");
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{}", done.err);
        assert!(done.err.contains("interrupted"), "{}", done.err);
        assert!(
            folder
                .read("figure.svg")
                .contains("minimal-chaos, Flitwork")
        );
        if json {
            let rows = done.json();
            let sizes: Vec<u64> = rows["rows"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["n"].as_u64().unwrap())
                .collect();
            assert_eq!(sizes, [120, 120, 600, 600]);
        } else {
            assert!(
                done.out.contains("   600    35  minimal-chaos"),
                "{}",
                done.out
            );
        }
    }
}

#[test]
fn an_interrupted_adversary_writes_nothing() {
    let folder = Folder::new();
    folder.write("perm.json", "precious");
    let once = "network = { topology = \"mesh\", sides = [3000, 3000] }\n\
        router.chaos.derouting = false\ntraffic = { process = \"once\" }\n";
    folder.write("once.toml", once);
    // Its corner of 175 x 175 nodes takes many seconds.
    let args = [
        "adversary",
        "--config",
        "once.toml",
        "--out",
        "perm.json",
        "--force",
    ];
    let mut child = folder.start(&args);
    sleep(Duration::from_millis(500));
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(130), ""),
        "{}",
        done.err
    );
    // On a host that is slow to start, the signal comes before the construction.
    let says = ["no permutation was written", "there are no results"];
    assert!(says.iter().any(|it| done.err.contains(it)), "{}", done.err);
    assert_eq!(folder.read("perm.json"), "precious");
}

/// The run prints more than a pipe holds to a reader that doesn't read, so it can't end.
#[test]
fn a_second_interruption_ends_at_once() {
    let folder = Folder::new();
    let sources = (1..20_000).fold(String::new(), |mut list, node| {
        write!(list, "{node}, ").unwrap();
        list
    });
    let text = SMALL
        .replace("[4, 4]", "[150, 150]")
        .replace("measure_cycles = 2000", "measure_cycles = 100000");
    let load =
        format!("load = 0.001\npattern = \"many-to-one\"\ndestination = 0\nsources = [{sources}]");
    folder.write("wide.toml", text.replace("load = 0.1", &load));
    let mut command = folder.command(&["-v", "run", "wide.toml", "--json"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = child.stderr.take().unwrap();
    let mut said = Vec::new();
    while !String::from_utf8_lossy(&said).contains("running") {
        let mut bytes = [0; 256];
        let read = err.read(&mut bytes).unwrap();
        assert!(read > 0, "ended early");
        said.extend(&bytes[..read]);
    }
    sleep(Duration::from_millis(200));
    interrupt(&child);
    sleep(Duration::from_millis(1500));
    assert!(
        child.try_wait().unwrap().is_none(),
        "nobody reads what it says"
    );
    let asked = Instant::now();
    interrupt(&child);
    assert_eq!(end(&mut child), Some(130));
    assert!(asked.elapsed() < Duration::from_millis(500));
}

/// 40,000,000 requests per node, too many to count one by one, and an overload: the rule for finished runs applies to
/// the figures that are shown.
#[test]
fn partial_results_of_too_much_traffic_are_quick_and_no_latency() {
    let folder = Folder::new();
    let batch = format!("{}/configs/batch.toml", env!("CARGO_MANIFEST_DIR"));
    let args = [
        "-v",
        "run",
        &batch,
        "--set",
        "traffic.batch.requests=40000000",
        "--set",
        "traffic.batch.outstanding=40000000",
        // Their replies would wait in tens of GB.
        "--memory",
        "100GB",
        "--json",
    ];
    let mut child = folder.start(&args);
    folder.wait_for(&mut child, "running");
    sleep(Duration::from_millis(300));
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    let results = done.json();
    assert_eq!(results["status"], "partial");
    // 64 nodes make requests, and each request is answered once.
    let packets = |name: &str| results[format!("packets_{name}")].as_u64().unwrap();
    assert_eq!(packets("created") + packets("owed"), 2 * 64 * 40_000_000);

    long(&folder, 4_000_000);
    let args = ["-v", "run", "long.toml", "--set", "traffic.load=1.0"];
    let mut child = folder.start(&args);
    folder.wait_for(&mut child, "running");
    sleep(Duration::from_millis(1500));
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    assert!(done.out.contains("PARTIAL"), "{}", done.out);
    let latency = |line: &&str| line.trim_start().starts_with("latency  ");
    let latency = done.out.lines().find(latency).unwrap();
    // The moment of the interruption decides which of the two rules of overload applies first.
    let rules = ["not steady (overload)", "not steady (growing backlog)"];
    assert!(rules.iter().any(|rule| latency.contains(rule)), "{latency}");
}

/// The tables of 160,000 nodes are left out, with a note; the results aren't.
#[test]
fn tables_of_very_many_nodes_are_not_waited_for() {
    let folder = Folder::new();
    let text = SMALL
        .replace("[4, 4]", "[400, 400]")
        .replace("load = 0.1", "load = 0.001")
        .replace("measure_cycles = 2000", "measure_cycles = 4000000");
    folder.write("wide.toml", text);
    let mut child = folder.start(&["-v", "run", "wide.toml", "--out", "out"]);
    folder.wait_for(&mut child, "running");
    sleep(Duration::from_millis(1500));
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    // A busy machine may not have reached the first cycle by then.
    if done.err.contains("before anything was simulated") {
        return;
    }
    assert_eq!(folder.json("out/results.json")["status"], "partial");
    assert!(
        done.err
            .contains("per-node tables and figures are left out"),
        "{}",
        done.err
    );
    assert!(!folder.path("out/nodes.csv").exists());
    assert!(!folder.path("out/heatmap.png").exists());
}
