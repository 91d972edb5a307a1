//! `flitwork trace`: questions to configurations, records and indexes.

use crate::harness::{Done, Folder};
use flitwork_trace::index::{Index, IndexWriter};
use serde_json::Value;
use std::fs::{self, File};

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {}", done.out))
}

#[test]
fn packets_are_found_by_what_they_are() {
    let folder = Folder::new();
    folder.fine(&["run", "small.toml", "--packets", "packets.csv"]);
    let rows = fs::read_to_string(folder.path("packets.csv")).unwrap();
    let rows = rows.lines().filter(|line| !line.starts_with('#')).count() - 1;
    let all = folder.fine(&["trace", "packets", "small.toml", "--jsonl"]);
    assert_eq!(all.out.lines().count(), rows);
    let some = ["trace", "packets", "small.toml", "--jsonl", "--where"];
    let some = folder.fine(&[&some[..], &["latency > 20 && source.x < 2"]].concat());
    let fits = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        row["latency"].as_u64() > Some(20) && row["source.x"].as_u64() < Some(2)
    };
    assert!(some.out.lines().count() > 0 && some.out.lines().all(fits));
    let expected = all.out.lines().filter(|line| fits(line)).count();
    assert_eq!(some.out.lines().count(), expected);
    let table = folder.fine(&[
        "trace",
        "packets",
        "small.toml",
        "--sort",
        "latency",
        "--limit",
        "3",
    ]);
    assert_eq!(table.out.lines().count(), 4);
    assert!(table.err.contains("more packets"), "{}", table.err);
}

/// Nodes that count their own cycles deliver packets that were made by the nominal clock.
#[test]
fn events_and_packets_tell_the_same_latencies() {
    let folder = Folder::new();
    for config in ["clocked-mesh", "self-timed", "islands", "chaos-mesh"] {
        let config = format!("{}/configs/{config}.toml", env!("CARGO_MANIFEST_DIR"));
        let set = [
            "--set",
            "run.warmup_cycles=0",
            "--set",
            "run.measure_cycles=300",
            "--jsonl",
        ];
        let ask = |question: &[&str]| {
            let done = folder.fine(&[&["trace"], question, &set].concat());
            let lines = done
                .out
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            let told = lines.map(|it| {
                (
                    it["packet"].as_str().unwrap_or_default().to_owned(),
                    it["latency"].as_u64(),
                )
            });
            let mut told: Vec<_> = told.collect();
            told.sort();
            told
        };
        let packets = ask(&["packets", &config, "--where", "state == 'delivered'"]);
        let events = ask(&["events", &config, "--where", "kind == 'delivered'"]);
        assert!(packets.len() > 40, "{config}: {}", packets.len());
        assert_eq!(packets, events, "{config}");
        let (packet, latency) = &packets[packets.len() / 2];
        let why = ["trace", "why", &config, packet, "--json"];
        let why = json(&folder.fine(&[&why[..], &set[..4]].concat()));
        assert!(latency.is_some() && why["delivered_cycle"].is_u64());
        let long = ask(&[
            "events",
            &config,
            "--where",
            "kind == 'delivered' && latency > 30",
        ]);
        let expected: Vec<_> = packets.into_iter().filter(|it| it.1 > Some(30)).collect();
        assert_eq!(long, expected, "{config}");
    }
}

#[test]
fn a_packets_latency_is_explained_to_the_last_cycle() {
    let folder = Folder::new();
    for engine in ["sync", "sync-plain", "clocked"] {
        let set = format!("run.engine={engine}");
        let (packet, latency) = folder.slowest("small.toml", &["--set", &set]);
        let packet = packet.as_str();
        let done = json(&folder.fine(&[
            "trace",
            "why",
            "small.toml",
            packet,
            "--set",
            &set,
            "--json",
        ]));
        let charges = done["charges"].as_array().unwrap();
        let sum: u64 = charges
            .iter()
            .map(|it| it["amount"].as_u64().unwrap())
            .sum();
        assert_eq!(done["total"].as_u64(), Some(sum), "{engine}");
        if engine != "clocked" {
            assert_eq!(latency, sum, "{engine}");
        }
        let text = folder.fine(&["trace", "why", "small.toml", packet, "--set", &set]);
        assert!(text.out.contains("in all"), "{}", text.out);
        let way = folder.fine(&["trace", "packet", "small.toml", packet, "--set", &set]);
        assert!(
            way.out.contains("injected") && way.out.contains("delivered"),
            "{}",
            way.out
        );
    }
}

#[test]
fn nodes_and_events_are_shown() {
    let folder = Folder::new();
    let node = folder.fine(&["trace", "node", "small.toml", "5@300"]);
    assert!(
        node.out.starts_with("node 5 (1, 1) before its cycle 300"),
        "{}",
        node.out
    );
    json(&folder.fine(&["trace", "node", "small.toml", "5@300", "--json"]));
    let events = [
        "trace",
        "events",
        "small.toml",
        "--from",
        "100",
        "--to",
        "140",
        "--jsonl",
    ];
    let done = folder.fine(&events);
    let mut last = 0;
    for line in done.out.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let time = row["time"].as_u64().unwrap();
        assert!((100..140).contains(&time) && time >= last, "{line}");
        last = time;
    }
    assert!(done.out.lines().count() > 10);
    let words = folder.fine(&[&events[..], &["--words", "--where", "kind == 'word'"]].concat());
    assert!(words.out.lines().count() > done.out.lines().count() / 4);
    let some = folder.fine(&["trace", "events", "small.toml", "--limit", "5"]);
    assert_eq!(some.out.lines().count(), 6);
    let info = folder.fine(&["trace", "info", "small.toml"]);
    assert!(info.out.contains("columns of events"), "{}", info.out);
    json(&folder.fine(&["trace", "info", "small.toml", "--json"]));
    let blame = folder.fine(&["trace", "blame", "small.toml", "--limit", "5"]);
    assert!(blame.out.starts_with("5 packets"), "{}", blame.out);
    for by in ["node", "flow", "link", "culprit"] {
        json(&folder.fine(&[
            "trace",
            "blame",
            "small.toml",
            "--limit",
            "3",
            "--by",
            by,
            "--json",
        ]));
    }
}

#[test]
fn a_record_is_asked_like_a_run() {
    let folder = Folder::new();
    let live = [
        "run",
        "small.toml",
        "--engine",
        "live",
        "--record",
        "run.flog",
        "--trace",
        "run.fltrace",
    ];
    folder.fine(&live);
    for run in ["run.flog", "run.fltrace"] {
        let (packet, latency) = folder.slowest(run, &[]);
        let done = json(&folder.fine(&["trace", "why", run, &packet, "--json"]));
        assert_eq!(done["total"].as_u64(), Some(latency), "{run}");
        let node = folder.fine(&["trace", "node", run, "3@100"]);
        assert!(node.out.contains("before its cycle 100"), "{}", node.out);
        assert!(
            node.out.contains("in the least consistent cut with it"),
            "{}",
            node.out
        );
        let node = json(&folder.fine(&["trace", "node", run, "3@100", "--json"]));
        assert_eq!(node["least_cut"].as_array().unwrap().len(), 16, "{run}");
        assert_eq!(node["least_cut"][3], 100, "{run}");
        folder.refuses(
            &["trace", "info", run, "--seed", "2"],
            &["a record can't be changed"],
        );
    }
    folder.refuses(
        &["trace", "info", "small.toml", "--engine", "live"],
        &["no two live runs", "--record"],
    );
    folder.refuses(
        &[
            "run",
            "small.toml",
            "--engine",
            "live",
            "--trace",
            "x.fltrace",
        ],
        &["with --record"],
    );
}

#[test]
fn an_index_knows_the_packets_and_notices_another_outcome() {
    let folder = Folder::new();
    folder.fine(&["run", "small.toml", "--trace", "run.fltrace"]);
    let of_index = folder.fine(&["trace", "packets", "run.fltrace", "--json"]);
    let of_run = folder.fine(&["trace", "packets", "small.toml", "--json"]);
    assert_eq!(of_index.out, of_run.out);
    let (packet, latency) = folder.slowest("run.fltrace", &[]);
    let done = json(&folder.fine(&["trace", "why", "run.fltrace", &packet, "--json"]));
    assert_eq!(done["total"].as_u64(), Some(latency));
    folder.refuses(
        &["run", "small.toml", "--trace", "run.fltrace"],
        &["--trace", "exists"],
    );
    // The same index, as if of another seed: the run that it leads to isn't its own.
    let mut index = Index::read(File::open(folder.path("run.fltrace")).unwrap()).unwrap();
    index.header.configuration = index.header.configuration.replace("seed = 1", "seed = 2");
    let file = File::create(folder.path("other.fltrace")).unwrap();
    let mut writer = IndexWriter::new(file, &index.header).unwrap();
    index.rows.iter().for_each(|row| writer.put(row).unwrap());
    writer
        .finish(&index.epochs, &index.trailer.unwrap())
        .unwrap();
    let done = folder.flitwork(&["trace", "why", "other.fltrace", &packet]);
    assert_eq!(done.code, Some(4), "{}", done.err);
    assert!(
        done.err.contains("at node") && done.err.contains("in cycles 0 to"),
        "{}",
        done.err
    );
}

#[test]
fn a_damaged_index_is_refused() {
    let folder = Folder::new();
    folder.fine(&["run", "small.toml", "--trace", "run.fltrace"]);
    let bytes = fs::read(folder.path("run.fltrace")).unwrap();
    for at in [9, 20, bytes.len() / 2, bytes.len() - 3] {
        let mut altered = bytes.clone();
        altered[at] ^= 4;
        folder.write("bad.fltrace", altered);
        folder.refuses(&["trace", "info", "bad.fltrace"], &["bad.fltrace: byte"]);
    }
    // What is cut is still a recipe: the run has all of its packets.
    let packets = ["trace", "packets", "run.fltrace", "--json"];
    let all = folder.fine(&packets).out;
    let whole_header = (12..bytes.len()).step_by(64).find(|to| {
        folder.write("cut.fltrace", &bytes[..*to]);
        folder.flitwork(&["trace", "info", "cut.fltrace"]).code == Some(0)
    });
    // In the first one no packet is left.
    for to in [whole_header.unwrap(), bytes.len() / 2, bytes.len() - 20] {
        folder.write("cut.fltrace", &bytes[..to]);
        let told = folder.fine(&["trace", "info", "cut.fltrace"]);
        assert!(
            told.err.contains("cut.fltrace: intact up to byte"),
            "{}",
            told.err
        );
        assert!(
            told.out
                .contains("an index of a configuration's run, by version"),
            "{}",
            told.out
        );
        assert_eq!(
            folder
                .fine(&[packets[0], packets[1], "cut.fltrace", "--json"])
                .out,
            all
        );
    }
    folder.write("head.fltrace", &bytes[..12]);
    folder.refuses(
        &["trace", "info", "head.fltrace"],
        &["ends inside its header"],
    );
}

#[test]
fn a_changed_input_file_is_noticed() {
    let folder = Folder::new();
    folder.write(
        "pairs.json",
        "[5, 1, 2, 3, 4, 0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]",
    );
    let text = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nprocess = \"once\"\npattern = \"permutation\"\nfile = \"pairs.json\"\n";
    folder.write("once.toml", text);
    let made = folder.flitwork(&["run", "once.toml", "--trace", "once.fltrace"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    folder.fine(&["trace", "packets", "once.fltrace"]);
    folder.write(
        "pairs.json",
        "[6, 1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11, 12, 13, 14, 15]",
    );
    folder.refuses(
        &["trace", "packets", "once.fltrace"],
        &["pairs.json", "is no longer the file"],
    );
}

#[test]
fn two_runs_part_where_they_part() {
    let folder = Folder::new();
    let same = folder.fine(&["trace", "diff", "small.toml", "small.toml"]);
    assert!(same.out.contains("no difference"), "{}", same.out);
    let seeds = json(&folder.fine(&[
        "trace",
        "diff",
        "small.toml",
        "small.toml",
        "--set-b",
        "run.seed=2",
        "--json",
    ]));
    assert_eq!(seeds["difference"]["sources_differ"], true);
    let engines = [
        "trace",
        "diff",
        "small.toml",
        "small.toml",
        "--set-b",
        "run.engine=sync-plain",
        "--json",
    ];
    assert_eq!(json(&folder.fine(&engines))["difference"], Value::Null);
    let rule = [
        "trace",
        "diff",
        "small.toml",
        "small.toml",
        "--set",
        "traffic.load=0.5",
        "--set-b",
        "router.chaos.multiqueue_frames=2",
    ];
    let text = folder.fine(&rule);
    assert!(
        text.out.contains("the first difference is at node"),
        "{}",
        text.out
    );
    assert!(text.out.contains("how it spreads"), "{}", text.out);
    let packets = folder.fine(&[&rule[..], &["--by", "packets"]].concat());
    assert!(
        packets.out.contains("the first one that differs"),
        "{}",
        packets.out
    );
    folder.refuses(
        &[
            "trace",
            "diff",
            "small.toml",
            "small.toml",
            "--set-b",
            "network.sides=[5, 5]",
        ],
        &["of the same size"],
    );
}

#[test]
fn a_packet_is_left_out() {
    let folder = Folder::new();
    let load = ["--set", "traffic.load=0.5"];
    let (packet, _) = folder.slowest("small.toml", &load);
    let packet = packet.as_str();
    let why = [
        &["trace", "why", "small.toml", packet, "--json", "--without"][..],
        &["all"],
        &load,
    ]
    .concat();
    let found = json(&folder.fine(&why));
    let tries = found["without"]["tries"].as_array().unwrap();
    assert!(!tries.is_empty());
    let saved: Vec<i64> = tries.iter().filter_map(|it| it["saved"].as_i64()).collect();
    assert!(saved.is_sorted_by(|one, other| one >= other), "{saved:?}");
    let one = tries[0]["packet"].as_str().unwrap();
    let without = [
        "trace",
        "why",
        "small.toml",
        packet,
        "--json",
        "--without",
        one,
    ];
    let one = json(&folder.fine(&[&without[..], &load].concat()));
    assert_eq!(one["without"]["tries"][0], tries[0]);
}

/// A torus whose worms take no escape channels: they wait for each other around it. The circle that `run` reports is the
/// one that is found, and before it closed its packets didn't all stand there.
#[test]
fn a_hang_is_found_with_the_cycle_in_which_it_closed() {
    let folder = Folder::new();
    let config = format!("{}/configs/deadlock.toml", env!("CARGO_MANIFEST_DIR"));
    let ran = folder.flitwork(&["run", &config, "--json"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let found = json(&folder.fine(&["trace", "hang", &config, "--json", "--deroutes-over", "3"]));
    let circle = found["circle"].as_array().unwrap();
    assert!(circle.len() > 1, "{found}");
    let failure = &json(&ran)["failure"];
    let links = circle.iter().filter(|step| !step["link"].is_null());
    assert_eq!(failure["circle"].as_array().unwrap().len(), links.count());
    // Minimal Chaos: output frame, input frame and multiqueue in each of four nodes.
    assert_eq!(circle.len(), 12, "{found}");
    let closed = found["closed"].as_u64().unwrap();
    let last = failure["last_head"].as_u64().unwrap();
    assert!(
        closed > 0 && closed <= last + 1,
        "closed at {closed}, the last head left in {last}"
    );
    let text = folder.fine(&["trace", "hang", &config]);
    assert!(
        text.out.contains("wait for each other in a circle"),
        "{}",
        text.out
    );
    let none = folder.fine(&["trace", "hang", "small.toml"]);
    assert!(none.out.contains("no packets wait"), "{}", none.out);
}

#[test]
fn wrong_questions_are_refused() {
    let folder = Folder::new();
    for (args, says) in [
        (
            &["trace", "packets", "small.toml", "--where", "latncy > 3"][..],
            &["there is no column latncy", "^"][..],
        ),
        (
            &["trace", "packets", "small.toml", "--sort", "late"],
            &["--sort", "allowed: packet"],
        ),
        (
            &["trace", "why", "small.toml", "3.99999"],
            &["packet 3.99999 never enters", "allowed: 3.0 to 3."],
        ),
        (
            &["trace", "why", "small.toml", "99.0"],
            &["there is no node 99", "allowed: 0 to 15"],
        ),
        (
            &["trace", "why", "small.toml", "abc"],
            &["allowed: SOURCE.SERIAL"],
        ),
        (
            &["trace", "node", "small.toml", "99@5"],
            &["there is no node 99"],
        ),
        (
            &["trace", "node", "small.toml", "5@4000000"],
            &["never reaches cycle 4000000", "allowed: 0 to"],
        ),
        (
            &["trace", "events", "small.toml", "--from", "90000000"],
            &["--from", "allowed: 0 to"],
        ),
        (&["trace", "info", "nowhere.toml"], &["nowhere.toml"]),
        (
            &["trace", "why", "small.toml", "3.0", "--without", "x"],
            &["or all"],
        ),
    ] {
        folder.refuses(args, says);
    }
}
