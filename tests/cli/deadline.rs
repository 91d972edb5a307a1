//! A run that ends while its traffic still has packets to send reports it on every engine, with exit code 3.

use crate::harness::{Done, Folder};
use serde_json::Value;

/// A repository's configuration.
fn config(name: &str) -> String {
    format!("{}/configs/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn set(key: &str, value: u64) -> [String; 2] {
    ["--set".into(), format!("{key}={value}")]
}

/// A run with these settings; its results as JSON.
fn run(folder: &Folder, config: &str, settings: &[(&str, u64)], more: &[&str]) -> (Done, Value) {
    let mut args = vec!["run".to_owned(), config.to_owned(), "--json".to_owned()];
    args.extend(settings.iter().flat_map(|(key, value)| set(key, *value)));
    args.extend(more.iter().map(|arg| (*arg).to_owned()));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = folder.flitwork(&args);
    let results = done.json();
    (done, results)
}

const ENGINES: [&str; 5] = ["sync", "sync-stepped", "sync-plain", "clocked", "live"];

/// 64 nodes make 4 requests each; the replies to these would be made 200,000 cycles later. Each node has 10
/// requests to send, each of which is answered: 64 * (10 - 4) requests and 64 * 10 replies are still to be
/// made.
#[test]
fn answers_after_the_deadline_are_owed_on_every_engine() {
    let folder = Folder::new();
    let settings = [
        ("traffic.batch.service_cycles", 200_000),
        ("run.deadline_cycles", 100_000),
        ("traffic.batch.requests", 10),
    ];
    for engine in ENGINES {
        let (done, results) = run(
            &folder,
            &config("batch.toml"),
            &settings,
            &["--engine", engine],
        );
        assert_eq!(done.code, Some(3), "{engine}: {}", done.err);
        assert_eq!(results["status"], "failed", "{engine}");
        let failure = &results["failure"];
        assert_eq!(failure["kind"], "deadline", "{engine}");
        assert_eq!(failure["packets"], 0, "{engine}");
        assert_eq!(results["packets_created"], 64 * 4, "{engine}");
        assert_eq!(results["packets_delivered"], 64 * 4, "{engine}");
        assert_eq!(results["packets_owed"], 64 * 16, "{engine}");
        assert_eq!(results["packets_owed_replies"], 64 * 10, "{engine}");
        assert_eq!(results["cycles"], 100_000, "{engine}");
        let says = "deadline: by cycle 100000 1024 packets are still to be made (384 requests, 640 replies)";
        assert!(done.err.contains(says), "{engine}: {}", done.err);
        assert!(
            done.err.contains("raise run.deadline_cycles above 100000"),
            "{engine}: {}",
            done.err
        );
    }
}

/// As above, with 1,000 requests and 2,000,000 cycles of service.
#[test]
fn an_empty_network_is_not_the_end() {
    let folder = Folder::new();
    let args = [
        "run",
        &config("batch.toml"),
        "--set",
        "traffic.batch.service_cycles=2000000",
        "--set",
        "run.deadline_cycles=1000000",
        "--out",
        "out",
    ];
    let done = folder.flitwork(&args);
    assert_eq!(done.code, Some(3), "{}", done.err);
    let head = "results (FAILED: the run ended before its packets were delivered)\n";
    assert!(done.out.starts_with(head), "{}", done.out);
    let left = "left over              0 in the network, 0 in the sources, 127744 to be made";
    assert!(done.out.contains(left), "{}", done.out);
    let (names, rows) = folder.table("out/results.csv");
    let owed = names.iter().position(|name| name == "packets_owed");
    assert_eq!(rows[0][owed.unwrap()], "127744");
}

/// A trace of two packets that are due in cycles 0 and `second`, as a configuration.
fn trace(folder: &Folder, second: u64, more: &str) {
    folder.write(
        "two.csv",
        format!("cycle,src,dst,words\n0,0,3,1\n{second},1,2,1\n"),
    );
    folder.write(
        "two.toml",
        format!(
            "network = {{ topology = \"mesh\", sides = [2, 2] }}\nrouter.wormhole = {{}}\n\
             traffic = {{ process = \"trace\", trace = {{ file = \"two.csv\"{more} }} }}\n"
        ),
    );
}

#[test]
fn a_trace_raises_the_default_deadline() {
    let folder = Folder::new();
    trace(&folder, 150_000_000, "");
    for engine in ["sync", "sync-stepped"] {
        let (done, results) = run(&folder, "two.toml", &[], &["--engine", engine]);
        assert_eq!(done.code, Some(0), "{engine}: {}", done.err);
        assert_eq!(results["packets_delivered"], 2, "{engine}");
        assert!(
            results["cycles"].as_u64().unwrap() > 150_000_000,
            "{engine}"
        );
    }
}

#[test]
fn a_deadline_that_is_given_stays_and_cuts_a_trace() {
    let folder = Folder::new();
    // A trace that isn't read first can't be shown to suit nodes with their own clocks.
    for (more, engines) in [("", &ENGINES[..]), (", read_first = false", &ENGINES[..3])] {
        trace(&folder, 1500, more);
        for engine in engines {
            let settings = [("run.deadline_cycles", 1000)];
            let (done, results) = run(&folder, "two.toml", &settings, &["--engine", engine]);
            assert_eq!(done.code, Some(3), "{engine}: {}", done.err);
            assert_eq!(results["packets_delivered"], 1, "{engine}");
            assert_eq!(results["packets_owed"], 1, "{engine}");
            let says = "deadline: by cycle 1000 1 packet is still to be made\n";
            assert!(done.err.contains(says), "{engine}: {}", done.err);
        }
    }
}

/// The file hasn't been read to its end: the default deadline comes first, and is reported.
#[test]
fn a_trace_that_is_not_read_first_is_not_cut_silently() {
    let folder = Folder::new();
    trace(
        &folder,
        150_000_000,
        ", read_first = false, window_packets = 1",
    );
    let more = "150000001,0,1,1\n150000002,1,1,1\n150000003,1,2,1\n";
    let text = folder.read("two.csv") + more;
    folder.write("two.csv", text);
    let (done, results) = run(&folder, "two.toml", &[], &[]);
    assert_eq!(done.code, Some(3), "{}", done.err);
    assert_eq!(results["packets_owed_at_least"], true);
    assert!(done.err.contains("at least "), "{}", done.err);
    assert!((1..=3).contains(&results["packets_owed"].as_u64().unwrap()));
}

/// A run of one cycle, in which a packet leaves and can't arrive, since a link takes a cycle. Of the others none is made by
/// then. Those that go to their own source are owed to no network; one behind such a packet, or one that waits for the
/// first, is owed. With a window of one packet nothing of a later cycle is read.
#[test]
fn packets_to_their_own_source_are_never_owed() {
    let folder = Folder::new();
    let cases = [
        ("1000,1,1,1,1,\n2000,1,1,1,2,", 0),
        ("1000,1,1,1,1,\n2000,1,0,1,2,", 1),
        ("0,1,0,1,1,0\n1000,0,0,1,2,", 1),
    ];
    let reading = [
        "",
        ", read_first = false",
        ", read_first = false, window_packets = 1",
    ];
    for (others, owed) in cases {
        for more in reading {
            trace(&folder, 0, more);
            let text = format!("cycle,src,dst,words,id,after\n0,0,1,1,0,\n{others}\n");
            folder.write("two.csv", text);
            for engine in &ENGINES[..3] {
                let settings = [("run.deadline_cycles", 1)];
                let (done, results) = run(&folder, "two.toml", &settings, &["--engine", engine]);
                assert_eq!(done.code, Some(3), "{engine}{more}: {}", done.err);
                assert_eq!(results["packets_created"], 1, "{engine}{more}");
                assert_eq!(results["packets_owed"], owed, "{engine}{more}: {others}");
            }
        }
    }
}

#[test]
fn a_trace_beyond_every_run_is_refused() {
    let folder = Folder::new();
    for second in [4_000_000_000, u64::MAX] {
        trace(&folder, second, "");
        let says = [
            "two.toml:3:",
            "traffic.trace.file",
            &format!("its last packet comes {second} cycles after the beginning"),
            "allowed: ",
        ];
        folder.refuses(&["run", "two.toml"], &says);
    }
}

/// The schedule's only worm starts after the end: it waits for its start and for nothing else.
#[test]
fn a_schedule_that_starts_after_the_deadline_is_no_deadlock() {
    let folder = Folder::new();
    folder.write("late.csv", "source,words,start,path\n0,3,50000,east east\n");
    folder.write(
        "late.toml",
        "network = { topology = \"mesh\", sides = [3, 3] }\n\
         router.scheduled = { schedule = \"file\", file = \"late.csv\" }\n\
         traffic.process = \"schedule\"\n",
    );
    for engine in ["sync", "sync-stepped", "sync-plain"] {
        let settings = [("run.deadline_cycles", 40_000)];
        let (done, results) = run(&folder, "late.toml", &settings, &["--engine", engine]);
        assert_eq!(done.code, Some(3), "{engine}: {}", done.err);
        assert_eq!(results["failure"]["kind"], "deadline", "{engine}");
        let says = "deadline: by cycle 40000 1 packet in the network is not delivered";
        assert!(done.err.contains(says), "{engine}: {}", done.err);
        let (done, _) = run(&folder, "late.toml", &[], &["--engine", engine]);
        assert_eq!(done.code, Some(0), "{engine}: {}", done.err);
    }
}
