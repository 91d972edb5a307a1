//! Questions whose answers other answers must bear out.

use crate::harness::{Done, Folder, SMALL, interrupt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const CHAOS: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\npacket_words = 4\nmultiqueue_frames = 2\n\
                     [traffic]\npattern = \"uniform\"\nload = 1.0\n[run]\nwarmup_cycles = 100\nmeasure_cycles = 600\n";
const ONCE: &str = "[network]\ntopology = \"mesh\"\nsides = [6, 6]\n[router.chaos]\npacket_words = 4\n[traffic]\n\
                    process = \"once\"\npattern = \"transpose\"\nk = 5\n";
const HOT: &str = "[network]\ntopology = \"mesh\"\nsides = [5, 4]\n[router.greedy-hp]\n[traffic]\npattern = \"uniform\"\n\
                   load = 0.4\n[run]\nwarmup_cycles = 50\nmeasure_cycles = 200\n";

fn lines(done: &Done) -> Vec<Value> {
    serde_json::from_str(&done.out).unwrap()
}

/// What isn't known yet is no answer.
#[test]
fn interrupted_questions_have_no_answer() {
    let folder = Folder::new();
    let long = ["--set", "run.measure_cycles=200000000"];
    for question in [
        &["diff", "small.toml", "small.toml", "--by", "packets"][..],
        &["packet", "small.toml", "3.4000000"],
        &["why", "small.toml", "3.4000000"],
        &["blame", "small.toml"],
        &["info", "small.toml"],
        &["hang", "small.toml"],
        &["events", "small.toml", "--from", "100000000"],
    ] {
        let mut child = folder.start(&[&["trace"], question, &long].concat());
        std::thread::sleep(Duration::from_millis(700));
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{question:?}: {done:?}");
        assert!(
            !done.out.contains("packets") && !done.out.contains("circle"),
            "{done:?}"
        );
    }
}

/// Chaos at full load is cut where packets wait for each other; given time, they all go on.
#[test]
fn a_circle_that_opens_is_no_hang() {
    let folder = Folder::new();
    folder.write("chaos.toml", CHAOS);
    for seed in ["1", "2", "3"] {
        let cut = ["--set", "run.drain_cycles=0", "--seed", seed];
        let done = folder.fine(&[&["trace", "hang", "chaos.toml"], &cut[..]].concat());
        assert!(done.out.contains("no packets wait"), "{}", done.out);
        let whole = folder.flitwork(&["run", "chaos.toml", "--seed", seed]);
        assert_eq!(whole.code, Some(0), "{whole:?}");
    }
}

/// A run is like itself, also where packets never enter; and like a shorter one, as far as that goes.
#[test]
fn a_run_is_like_itself() {
    let folder = Folder::new();
    folder.write("chaos.toml", CHAOS);
    folder.write("once.toml", ONCE);
    let cut = ["--set", "run.drain_cycles=0"];
    let same = [
        "trace",
        "diff",
        "chaos.toml",
        "chaos.toml",
        "--by",
        "packets",
        "--json",
    ];
    let found = folder.fine(&[&same[..], &cut].concat()).json();
    assert_eq!((&found["only_a"], &found["only_b"]), (&0.into(), &0.into()));
    assert!(found["packets"].as_u64() > Some(100));
    let never = [
        "packets",
        "chaos.toml",
        "--where",
        "state == 'waiting'",
        "--json",
        "--set",
        "run.drain_cycles=0",
    ];
    assert!(
        !folder
            .fine(&[&["trace"], &never[..]].concat())
            .out
            .is_empty()
    );
    for (a, b) in [("100", "50"), ("50", "100")] {
        let (a, b) = (
            format!("run.deadline_cycles={a}"),
            format!("run.deadline_cycles={b}"),
        );
        let ends = [
            "trace",
            "diff",
            "once.toml",
            "once.toml",
            "--set",
            &a,
            "--set-b",
            &b,
        ];
        let done = folder.fine(&ends);
        assert!(done.out.contains("no difference"), "{}", done.out);
    }
    // A difference before that is found all the same.
    let other = [
        "trace",
        "diff",
        "once.toml",
        "once.toml",
        "--set-b",
        "run.deadline_cycles=50",
        "--set-b",
        "router.chaos.multiqueue_frames=1",
    ];
    let done = folder.flitwork(&other);
    assert!(done.out.contains("the first difference"), "{done:?}");
}

/// A packet that comes to a node again leaves it by another link: the links of blame are those of heads, a cycle each.
#[test]
fn links_are_charged_where_heads_left() {
    let folder = Folder::new();
    folder.write("hot.toml", HOT);
    let delivered = lines(&folder.fine(&[
        "trace",
        "packets",
        "hot.toml",
        "--json",
        "--where",
        "state == 'delivered'",
    ]));
    let delivered: Vec<&str> = delivered
        .iter()
        .map(|row| row["packet"].as_str().unwrap())
        .collect();
    let heads = lines(&folder.fine(&[
        "trace",
        "events",
        "hot.toml",
        "--json",
        "--where",
        "kind == 'head'",
    ]));
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for head in heads
        .iter()
        .filter(|it| delivered.contains(&it["packet"].as_str().unwrap()))
    {
        if head["port"] != "local" {
            let (node, x, y) = (&head["node"], &head["node.x"], &head["node.y"]);
            let link = format!("node {node} ({x}, {y}) {}", head["port"].as_str().unwrap());
            *expected.entry(link).or_default() += 1;
        }
    }
    let blame = folder.fine(&[
        "trace", "blame", "hot.toml", "--by", "link", "--json", "--limit", "100000",
    ]);
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for charge in blame.json()["charges"].as_array().unwrap() {
        if charge["cause"] == "link" || charge["cause"] == "deroute" {
            let of = charge["of"].as_str().unwrap().to_owned();
            *found.entry(of).or_default() += charge["amount"].as_u64().unwrap();
        }
    }
    assert!(expected.len() > 40);
    assert_eq!(found, expected);
}

/// The last event is asked for by its time, and left out by it.
#[test]
fn the_last_event_has_a_time() {
    let folder = Folder::new();
    folder.write("chaos.toml", CHAOS.replace("1.0", "0.3"));
    let ask = |part: &[&str]| {
        lines(&folder.fine(&[&["trace", "events", "chaos.toml", "--json"], part].concat()))
    };
    let all = ask(&[]);
    let last = all
        .iter()
        .map(|it| it["time"].as_u64().unwrap())
        .max()
        .unwrap();
    let (at, after) = (last.to_string(), (last + 1).to_string());
    let with = |time: u64| all.iter().filter(|it| it["time"] == time).count();
    assert_eq!(ask(&["--from", &at]).len(), with(last));
    assert_eq!(ask(&["--from", &at, "--to", &after]).len(), with(last));
    assert_eq!(ask(&["--to", &at]).len(), all.len() - with(last));
    folder.refuses(
        &[
            "trace",
            "events",
            "chaos.toml",
            "--from",
            &(last + 2).to_string(),
        ],
        &["nothing happens"],
    );
}

/// A network that hangs on a gated clock has no circle: the clock is named.
#[test]
fn a_gated_clock_is_what_a_network_hangs_on() {
    let folder = Folder::new();
    let gated = "[clocks]\nperiod_ps = 1000\n[[clocks.changes]]\nat_ps = 500000\nnodes = [5]\ngated = true\n";
    let run = SMALL.replace("[run]", "[run]\nengine = \"clocked\"\ndrain_cycles = 2000");
    folder.write("gate.toml", format!("{run}\n{gated}"));
    let text = folder.fine(&["trace", "hang", "gate.toml"]);
    let says = "the clock of node 5 (1, 1) is gated for good from 500000 ps on";
    assert!(text.out.contains(says), "{}", text.out);
    let json = folder
        .fine(&["trace", "hang", "gate.toml", "--json"])
        .json();
    let stopped = json!([{"node": 5, "from_ps": 500_000}]);
    assert_eq!(json["stopped"], stopped);
    let none = folder
        .fine(&["trace", "hang", "small.toml", "--json"])
        .json();
    assert_eq!(none["stopped"], json!([]));
}

/// On a line of three nodes the outer ones send two words each to the middle one, from cycle 0 on. In cycle 1 and in cycle 2 a
/// word of each is there. Those of node 0 are older, by its number, and one word is ejected a cycle, so those of node 2 turn
/// back, once each. Cut before cycle 2, one of these two has; its hops are the one that brought it and the one back. Cut
/// before cycle 3, both have, and the first is on its third hop: still one packet, none of whose words has turned back more
/// than once. Its way is that of the word that came last to node 1.
#[test]
fn packets_are_listed_that_were_derouted_more_often() {
    let folder = Folder::new();
    folder.write("t.csv", "cycle,src,dst,words\n0,0,1,2\n0,2,1,2\n");
    let config = "network = { topology = \"mesh\", sides = [3] }\nrouter.deflection = {}\n\
                  traffic = { process = \"trace\", trace = { file = \"t.csv\" } }\n";
    folder.write("line.toml", config);
    for (cycles, hops) in [("2", 2), ("3", 3)] {
        let cut = format!("run.deadline_cycles={cycles}");
        let listed = |over: &str| {
            let asked = ["--set", &cut, "--json", "--deroutes-over", over];
            let done = folder.fine(&[&["trace", "hang", "line.toml"], &asked[..]].concat());
            done.json()["wanderers"].clone()
        };
        let turned_back = json!([{"packet": "2.0", "deroutes": 1, "hops": hops, "way": [2, 1]}]);
        assert_eq!(listed("0"), turned_back, "before cycle {cycles}");
        assert_eq!(listed("1"), json!([]), "before cycle {cycles}");
    }
}

/// What a condition asks for and the command leaves out isn't silently missing.
#[test]
fn events_of_words_that_are_left_out_are_named() {
    let folder = Folder::new();
    let ask = |condition: &str, more: &[&str]| {
        let args = [
            "trace",
            "events",
            "small.toml",
            "--to",
            "300",
            "--where",
            condition,
        ];
        folder.fine(&[&args[..], more].concat())
    };
    let says = "--where: events of the kind arrived are left out; --words lists them";
    let silent = ask("kind == 'arrived'", &[]);
    assert!(silent.err.contains(says), "{}", silent.err);
    let some = ask("node == 5 && (kind == 'arrived' || kind == 'tail')", &[]);
    assert!(some.err.contains(says), "{}", some.err);
    let words = ask("kind == 'arrived'", &["--words"]);
    assert!(
        words.out.contains("arrived") && words.err.is_empty(),
        "{}",
        words.err
    );
    let other = ask("kind == 'tail' && !(kind == 'word')", &[]);
    assert!(other.err.is_empty(), "{}", other.err);
}

/// On a line of three nodes, packet 1.0 is made in cycle 0 and goes over one link, packet 0.0 is made in cycle 100 and goes
/// over two. Over h links a lone packet of 10 words takes 4 (h + 1) + 9 cycles, and without cut-through, waiting for its
/// tail in two frames of each node, (h + 1) (4 + 2 · 9) + 9 (`tests/timing.rs`): 17 and 53, then 21 and 75. The first that
/// differs is the first that was made.
#[test]
fn the_first_packet_that_differs_was_made_first() {
    let folder = Folder::new();
    folder.write("t.csv", "cycle,src,dst,words\n0,1,2,10\n100,0,2,10\n");
    folder.write(
        "line.toml",
        "network = { topology = \"mesh\", sides = [3] }\nrouter.chaos = {}\n\
         [traffic]\nprocess = \"trace\"\ntrace.file = \"t.csv\"\npacket_words = 10\n",
    );
    let stored = [
        "trace",
        "diff",
        "line.toml",
        "line.toml",
        "--set-b",
        "router.chaos.cut_through=false",
        "--by",
        "packets",
    ];
    let found = folder.fine(&[&stored[..], &["--json"]].concat()).json();
    let first = serde_json::json!({"packet": "1.0", "created": 0, "a": 17, "b": 53});
    assert_eq!(found["first"], first);
    assert_eq!(
        found["latency_mean_cycles"],
        serde_json::json!([19.0, 64.0])
    );
    let text = folder.fine(&stored).out;
    let says =
        "the first one that differs is 1.0, made in cycle 0: 17 cycles in A, 53 cycles in B\n";
    assert!(text.ends_with(says), "{text}");
}
