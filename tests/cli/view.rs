//! `flitwork view`: what its page is answered, by a client of our own over a socket, and the folders that it exports.

#[path = "view/frames.rs"]
mod frames;
#[path = "view/refused.rs"]
mod refused;
#[path = "view/served.rs"]
mod served;

use crate::harness::Folder;
use serde_json::Value;
use served::{Served, busy, lines, trace};
use std::net::TcpListener;

#[test]
fn nodes_and_packets_are_what_trace_says() {
    let folder = Folder::new();
    busy(&folder);
    let worm = crate::harness::SMALL.replace("[router.chaos]", "[router.wormhole]");
    folder.write("worm.toml", worm.replace("load = 0.1", "load = 0.3"));
    let clocked = &["--engine", "clocked"][..];
    for (run, settings) in [
        ("busy.toml", &[][..]),
        ("busy.toml", clocked),
        ("worm.toml", &[]),
    ] {
        let served = Served::new(&folder, &[&[run], settings].concat());
        for at in ["5@300", "0@0", "15@1234", "6@301"] {
            let (node, cycle) = at.split_once('@').unwrap();
            let found = served.json(&format!("/api/node?node={node}&cycle={cycle}"));
            assert_eq!(found, trace(&folder, &["node", run, at], settings), "{at}");
            let time = found["time"].as_u64().unwrap();
            let by_time = served.json(&format!("/api/node?node={node}&time={time}"));
            assert_eq!(by_time, found, "{at}");
        }
        served.settle();
        let slowest = served.json("/api/latencies");
        let rows = slowest["slowest"].as_array().unwrap();
        assert!(rows.len() > 20);
        for row in rows.iter().take(3) {
            let packet = row["packet"].as_str().unwrap();
            let found = served.json(&format!("/api/packet?packet={packet}"));
            let why = trace(&folder, &["why", run, packet, "--unfold", "0"], settings);
            assert_eq!(found["why"], why, "{packet}");
            assert_eq!(found["latency"], row["latency"], "{packet}");
            let way = found["way"].as_array().unwrap();
            assert_eq!(way[0]["node"], row["source"]);
            assert_eq!(way.last().unwrap()["node"], row["destination"]);
            assert_eq!(way.len() as u64 - 1, row["hops"].as_u64().unwrap());
        }
        let done = served.stop();
        assert_eq!(done.code, Some(130), "{}", done.err);
    }
}

#[test]
fn packets_and_their_latencies_are_what_trace_says() {
    let folder = Folder::new();
    busy(&folder);
    let served = Served::new(&folder, &["busy.toml"]);
    served.settle();
    let listed = served.json("/api/packets?where=source.x%20%3C%202&sort=latency&limit=7");
    let asked = [
        "trace",
        "packets",
        "busy.toml",
        "--jsonl",
        "--sort",
        "latency",
        "--where",
        "source.x < 2",
    ];
    let all = folder.fine(&asked);
    let rows: Vec<Value> = all
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed["packets"].as_array().unwrap()[..], rows[..7]);
    assert_eq!(listed["all"].as_u64().unwrap() as usize, rows.len());
    let all = folder.fine(&["trace", "packets", "busy.toml", "--jsonl"]);
    let rows = all
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut latencies: Vec<u64> = rows.filter_map(|row| row["latency"].as_u64()).collect();
    latencies.sort();
    let found = served.json("/api/latencies");
    let width = found["width"].as_u64().unwrap();
    let bins: Vec<u64> = found["bins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_u64().unwrap())
        .collect();
    let counted = |bin: usize| {
        latencies
            .iter()
            .filter(|it| **it / width == bin as u64)
            .count() as u64
    };
    assert_eq!(bins, (0..bins.len()).map(counted).collect::<Vec<u64>>());
    assert_eq!(
        found["delivered"].as_u64().unwrap() as usize,
        latencies.len()
    );
    assert_eq!(found["longest"].as_u64(), latencies.last().copied());
    let half = found["quantiles"][0].as_u64().unwrap();
    assert!(latencies.iter().filter(|it| **it <= half).count() * 2 >= latencies.len());
    assert!(latencies.iter().filter(|it| **it < half).count() * 2 < latencies.len());
}

/// Both list the slowest first, and packets of one latency in the order of their deliveries.
#[test]
fn the_slowest_packets_are_in_the_order_of_trace() {
    let folder = Folder::new();
    busy(&folder);
    let served = Served::new(&folder, &["busy.toml"]);
    served.settle();
    let found = served.json("/api/latencies");
    let sorted = ["trace", "packets", "busy.toml", "--sort", "latency"];
    let asked = [&sorted[..], &["--limit", "100", "--jsonl"]].concat();
    let rows = lines(&folder, &asked);
    let latency = |row: &Value| row["latency"].as_u64();
    let mut pairs = rows.windows(2);
    assert!(pairs.any(|pair| latency(&pair[0]) == latency(&pair[1])));
    assert_eq!(found["slowest"].as_array().unwrap(), &rows);
}

#[test]
fn two_runs_part_where_trace_diff_says() {
    let folder = Folder::new();
    busy(&folder);
    let other = [
        "busy.toml",
        "busy.toml",
        "--set-b",
        "router.chaos.stall_threshold_cycles=40",
    ];
    let served = Served::new(&folder, &other);
    let found = served.known("/api/difference", |it| it["state"] != "searching");
    let said = folder
        .fine(&[&["trace", "diff"], &other[..], &["--json"]].concat())
        .json();
    assert_eq!(found["state"], "found");
    assert_eq!(found["difference"], said["difference"]);
    assert_eq!(served.json("/api/run")["runs"].as_array().unwrap().len(), 2);
    let node = served.json("/api/node?run=1&node=3&time=700");
    let set = ["--set", "router.chaos.stall_threshold_cycles=40"];
    assert_eq!(node, trace(&folder, &["node", "busy.toml", "3@700"], &set));
    drop(served);
    let served = Served::new(&folder, &["busy.toml", "busy.toml"]);
    let found = served.known("/api/difference", |it| it["state"] != "searching");
    assert_eq!(found["state"], "same");
}

/// Settings without a letter are both runs': one configuration, named twice, is one run with them, too.
#[test]
fn settings_change_both_runs() {
    let folder = Folder::new();
    busy(&folder);
    for (settings, says) in [
        (
            ["--set", "router.chaos.multiqueue_frames=2"],
            "multiqueue_frames = 2\n",
        ),
        (["--seed", "7"], "seed = 7\n"),
        (["--engine", "clocked"], "engine = \"clocked\"\n"),
    ] {
        let served = Served::new(
            &folder,
            &[&["busy.toml", "busy.toml"], &settings[..]].concat(),
        );
        let found = served.known("/api/difference", |it| it["state"] != "searching");
        assert_eq!(found["state"], "same", "{settings:?}: {found}");
        let runs = served.json("/api/run");
        for run in runs["runs"].as_array().unwrap() {
            let configuration = run["configuration"].as_str().unwrap();
            assert!(configuration.contains(says), "{says}{configuration}");
        }
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = Folder::new();
    folder.write(
        "live.toml",
        format!("{}engine = \"live\"\n", crate::harness::SMALL),
    );
    folder.refuses(&["view", "live.toml"], &["no two live runs are the same"]);
    folder.refuses(&["view", "nothing.toml"], &["nothing.toml"]);
    folder.refuses(
        &["view", "small.toml", "--set", "traffic.load=9"],
        &["traffic.load"],
    );
    folder.refuses(&["view", "small.toml", "--port", "0"], &["--port"]);
    folder.refuses(&["view", "small.toml", "--port", "70000"], &["--port"]);
    folder.write(
        "large.toml",
        crate::harness::SMALL.replace("[4, 4]", "[5, 5]"),
    );
    folder.refuses(
        &["view", "small.toml", "large.toml"],
        &["16 nodes, and the other has 25"],
    );
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let says = [&*format!("127.0.0.1:{port}"), "another port, or no --port"];
    folder.refuses(&["view", "small.toml", "--port", &port], &says);
}

#[test]
fn a_network_that_is_stuck_is_shown_to_its_end() {
    let folder = Folder::new();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/deadlock.toml");
    let served = Served::new(&folder, &[config]);
    let state = served.settle();
    let ended = state["strip"]["ended"].as_str().unwrap();
    assert!(ended.contains("the network is stuck"), "{ended}");
    let until = state["strip"]["until"].as_u64().unwrap();
    let frame = served
        .get(&format!("/api/frame?from=0&to={until}&layers=1"))
        .body;
    assert_eq!(frame[1], 1);
    assert!(
        u64::from_le_bytes(frame[24..32].try_into().unwrap()) > 0,
        "packets are left"
    );
}

#[test]
fn a_record_is_shown_in_causal_steps() {
    let folder = Folder::new();
    folder.fine(&[
        "run",
        "small.toml",
        "--engine",
        "live",
        "--record",
        "run.flog",
    ]);
    let served = Served::new(&folder, &["run.flog"]);
    assert_eq!(served.json("/api/run")["runs"][0]["unit"], "causal steps");
    let state = served.settle();
    assert_eq!(state["differs"], Value::Null);
    let found = served.json("/api/latencies");
    let packet = found["slowest"][0]["packet"].as_str().unwrap().to_owned();
    let why = folder
        .fine(&[
            "trace", "why", "run.flog", &packet, "--unfold", "0", "--json",
        ])
        .json();
    assert_eq!(
        served.json(&format!("/api/packet?packet={packet}"))["why"],
        why
    );
}

#[test]
fn a_folder_holds_samples_and_the_slowest_packets() {
    let folder = Folder::new();
    busy(&folder);
    std::fs::create_dir(folder.path("full")).unwrap();
    folder.write("full/file", "");
    folder.refuses(
        &["view", "busy.toml", "--export", "full"],
        &["--export: full isn't empty"],
    );
    folder.refuses(
        &["view", "busy.toml", "--export", "busy.toml"],
        &["isn't a folder"],
    );
    folder.refuses(
        &["view", "busy.toml", "--export", "new", "--port", "4000"],
        &["--port"],
    );
    std::fs::create_dir(folder.path("empty")).unwrap();
    for name in ["empty", "in/new"] {
        let done = folder.fine(&["view", "busy.toml", "--export", name]);
        assert_eq!(done.out, format!("{name}/index.html\n"));
        let data = folder.read(&format!("{name}/data.js"));
        let data = data.strip_prefix("globalThis.FLITWORK_DATA = ").unwrap();
        let data: Value = serde_json::from_str(data.trim_end().strip_suffix(';').unwrap()).unwrap();
        let run = &data["runs"][0];
        let frames = run["frames"].as_array().unwrap();
        assert!((2..=120).contains(&frames.len()));
        assert_eq!(frames.last().unwrap()["to"], run["state"]["strip"]["until"]);
        let slowest = run["latencies"]["slowest"][0]["packet"].as_str().unwrap();
        let why = trace(
            &folder,
            &["why", "busy.toml", slowest, "--unfold", "0"],
            &[],
        );
        assert_eq!(run["packets"][slowest]["why"], why);
        // Nothing half-written is left beside it.
        let around = folder.path(name);
        let left = std::fs::read_dir(around.parent().unwrap()).unwrap();
        let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(!names.into_iter().any(|name| name.ends_with(".new")));
    }
}
