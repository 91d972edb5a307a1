//! Routing by a table, through the command: what `check` says of tables that are wrong in known ways, what `run` refuses, and that a record
//! needs no file.

use crate::harness::{Done, Folder};
use serde_json::{Value, json};
use std::fs;

/// A ring of three nodes.
const RING: &str = "from,to,from_port,to_port\na,b,right,left\nb,c,right,left\nc,a,right,left\n";
/// The shorter way.
const RIGHT: &str = "node,destination,ports\na,b,b\na,c,c\nb,a,a\nb,c,c\nc,a,a\nc,b,b\n";

fn configuration(network: &str, vcs: u32) -> String {
    format!(
        "[network]\ntopology = \"file\"\n{network}\n[router.wormhole]\nvcs = {vcs}\nrouting = \"table\"\n\
         [router.wormhole.table]\nfile = \"t.csv\"\n[traffic]\npattern = \"uniform\"\npacket_words = 4\nload = 0.2\n\
         [run]\nwarmup_cycles = 50\nmeasure_cycles = 300\n"
    )
}

/// A folder with the ring and a table.
fn ring(table: &str) -> Folder {
    let folder = Folder::new();
    folder.write("n.toml", configuration("file = \"n.csv\"", 1));
    folder.write("n.csv", RING);
    folder.write("t.csv", table);
    folder
}

/// What `check` says, as text and as JSON, with one exit code.
#[track_caller]
fn checked(folder: &Folder, code: i32) -> (Done, Value) {
    let text = folder.flitwork(&["check", "n.toml"]);
    assert_eq!(text.code, Some(code), "{}{}", text.out, text.err);
    let json = folder.flitwork(&["check", "n.toml", "--json"]);
    assert_eq!(json.code, Some(code), "{}{}", json.out, json.err);
    assert_eq!(json.err, text.err);
    let value = json.json();
    for key in ["deadlock_why", "livelock_why"] {
        assert!(
            text.out.contains(value[key].as_str().unwrap()),
            "{}",
            text.out
        );
    }
    (text, value)
}

#[test]
fn a_table_that_is_right_runs() {
    let folder = ring(RIGHT);
    let (text, json) = checked(&folder, 0);
    assert!(text.out.contains("\nfree of deadlock: the 0 dependencies of 6 virtual channels form no cycle\nfree of livelock: "));
    for (key, value) in [
        ("deadlock", json!("free")),
        ("livelock", json!("free")),
        ("nodes", json!(3)),
        ("terminals", json!(3)),
        ("links_one_way", json!(6)),
        ("channels", json!(6)),
        ("dependencies", json!(0)),
        ("circle", json!([])),
        ("faults", json!([])),
        ("router", json!("wormhole")),
    ] {
        assert_eq!(json[key], value, "{key}");
    }
    let results = folder.fine(&["run", "n.toml", "--json"]).json();
    assert_eq!(results["packets_created"], results["packets_delivered"]);
    assert_eq!(results["hops_per_packet"], json!(1.0));
}

/// Packets to node 2 go 0, 1, 0.
#[test]
fn a_loop_is_livelock_with_its_nodes() {
    let folder = ring("node,destination,ports\na,b,b\na,c,b\nb,a,a\nb,c,a\nc,a,a\nc,b,b\n");
    let (text, json) = checked(&folder, 3);
    assert!(
        text.out
            .contains("\nlivelock: packets to 2 (c) go 0 (a), 1 (b), 0 (a)\n"),
        "{}",
        text.out
    );
    assert!(
        text.out
            .contains("\nunreachable: no packet to 2 (c) from 0 (a) and 1 (b) can arrive\n")
    );
    assert!(!text.out.contains("free of"), "{}", text.out);
    assert_eq!(
        (&json["deadlock"], &json["livelock"]),
        (&json!("may"), &json!("may"))
    );
    let lines = [
        "livelock: packets to 2 (c) go 0 (a), 1 (b), 0 (a)",
        "unreachable: no packet to 2 (c) from 0 (a) and 1 (b) can arrive",
    ];
    let fault = json!({
        "destination": 2, "destination_name": "2 (c)", "terminals": [2], "loop": [0, 1], "no_route_at": [], "no_route_nodes": 0,
        "unreached_from": [0, 1], "unreached_from_nodes": 2, "lines": lines,
    });
    assert_eq!(json["faults"], json!([fault]));
    // The same circle as one of channels.
    assert_eq!(json["circle"].as_array().unwrap().len(), 2);
    let says = [
        "t.csv:3:1: livelock: packets to 2 (c) go 0 (a), 1 (b), 0 (a)",
        "flitwork check lists all that is wrong",
    ];
    folder.refuses(&["run", "n.toml"], &says);
    // Nothing lifts that.
    folder.refuses(
        &[
            "run",
            "n.toml",
            "--set",
            "router.wormhole.allow_deadlock=true",
        ],
        &says,
    );
}

#[test]
fn a_missing_row_is_named() {
    let folder = ring("node,destination,ports\na,b,b\na,c,b\nb,a,a\nc,a,a\nc,b,b\n");
    let (text, json) = checked(&folder, 3);
    let line = "no route: packets to 2 (c) come to 1 (b), which has no row for them";
    assert!(
        text.out.contains(&format!("\n{line}\nunreachable: ")),
        "{}",
        text.out
    );
    assert!(!text.out.contains("free of"), "{}", text.out);
    assert_eq!(json["faults"][0]["no_route_at"], json!([1]));
    assert_eq!(json["faults"][0]["unreached_from"], json!([0, 1]));
    assert_eq!(
        (&json["deadlock"], &json["livelock"], &json["circle"]),
        (&json!("may"), &json!("may"), &json!([]))
    );
    let says = [line, "t.csv", "routes on which every packet arrives"];
    folder.refuses(&["run", "n.toml"], &says);
    folder.refuses(
        &[
            "run",
            "n.toml",
            "--set",
            "router.wormhole.allow_deadlock=true",
        ],
        &says,
    );
    folder.fine(&["topology", "n.toml"]);
}

/// No row names node 2, so that no terminal reaches it; the others reach each other.
#[test]
fn an_unreachable_terminal_is_named() {
    let folder = ring("node,destination,ports\na,b,right\nb,a,left\nc,a,right\nc,b,left\n");
    let (text, json) = checked(&folder, 3);
    assert!(
        text.out
            .contains("\nunreachable: no packet to 2 (c) from 0 (a) and 1 (b) can arrive\n")
    );
    assert_eq!(json["faults"].as_array().unwrap().len(), 1);
    assert_eq!(json["faults"][0]["no_route_nodes"], 2);
    // A node without terminals needs no route to it.
    folder.write("nodes.csv", "node,terminals\na,1\nb,2\nc,0\n");
    folder.write(
        "n.toml",
        configuration("file = \"n.csv\"\nnodes_file = \"nodes.csv\"", 1),
    );
    let (_, json) = checked(&folder, 0);
    assert_eq!(
        (&json["terminals"], &json["faults"]),
        (&json!(3), &json!([]))
    );
}

/// All to the right with one channel: a, b, c and a again. Two classes of channels break the ring.
#[test]
fn a_ring_one_way_is_a_circle_of_channels() {
    let round = "node,destination,ports\na,b,right\na,c,right\nb,c,right\nb,a,right\nc,a,right\nc,b,right\n";
    let folder = ring(round);
    let (text, json) = checked(&folder, 3);
    assert!(text.out.contains(
        "\ncan deadlock: packets in 3 virtual channels can wait for each other in a circle:\n"
    ));
    assert!(text.out.contains("\nfree of livelock: "), "{}", text.out);
    let held = |node: u32, name: &str, to: u32, to_name: &str| json!({"node": node, "node_name": name, "port": "right", "channel": 0, "destination": to, "destination_name": to_name});
    let circle = [
        held(0, "0 (a)", 2, "2 (c)"),
        held(1, "1 (b)", 0, "0 (a)"),
        held(2, "2 (c)", 1, "1 (b)"),
    ];
    assert_eq!(json["circle"], json!(circle));
    assert_eq!(json["dependencies"], 3);
    let hint = "hint: `flitwork run` refuses it without router.wormhole.allow_deadlock = true\n";
    assert_eq!(text.err, hint);
    folder.refuses(
        &["run", "n.toml"],
        &[
            "router.wormhole.routing is \"table\", which may deadlock",
            "allow_deadlock = true",
        ],
    );
    let allowed = [
        "check",
        "n.toml",
        "--set",
        "router.wormhole.allow_deadlock=true",
    ];
    let done = folder.flitwork(&allowed);
    assert_eq!((done.code, done.err.as_str()), (Some(3), ""));
    // Channel 1 on the way to b, which crosses from c to a; the others don't close the ring.
    let classes = "node,destination,ports,channels\na,b,right,1\na,c,right,0\nb,c,right,0\nb,a,right,0\nc,a,right,0|1\nc,b,right,1\n";
    folder.write("t.csv", classes);
    folder.write("n.toml", configuration("file = \"n.csv\"", 2));
    let (text, _) = checked(&folder, 0);
    assert!(text.out.contains("\nfree of deadlock: "), "{}", text.out);
    folder.fine(&["run", "n.toml"]);
}

/// Of many destinations the first ten are listed, and the others counted; JSON has all.
#[test]
fn the_list_of_faults_is_short() {
    let folder = Folder::new();
    let links: String = (1..14).map(|node| format!("n0,n{node}\n")).collect();
    folder.write("n.csv", format!("from,to\n{links}"));
    folder.write("n.toml", configuration("file = \"n.csv\"", 1));
    folder.write("t.csv", "node,destination,ports\n0,1,n1\n");
    let (text, json) = checked(&folder, 3);
    assert_eq!(text.out.matches("no route: ").count(), 10, "{}", text.out);
    assert!(
        text.out
            .ends_with("\npackets to 4 more destinations go astray\n"),
        "{}",
        text.out
    );
    assert_eq!(json["faults"].as_array().unwrap().len(), 14);
    let line = "come to 1 (n1), 2 (n2), 3 (n3), 4 (n4), 5 (n5), 6 (n6), 7 (n7), 8 (n8) and 5 more, which have no row for them";
    assert!(text.out.contains(line), "{}", text.out);
    assert_eq!(json["faults"][0]["no_route_nodes"], 13);
}

/// Texts that are no table, and what is said of each.
const BAD: &[(&str, &[&str])] = &[
    ("", &["t.csv", "no columns"]),
    (
        "node,to,ports\n",
        &[
            "t.csv:1:1: a column `to`",
            "the columns node and destination and ports, and channels, rank if they are needed",
        ],
    ),
    ("node,destination\n", &["t.csv:1:1: no column `ports`"]),
    (
        "node,destination,ports\na,b\n",
        &["t.csv:2:1: 2 cells", "3, one for each column"],
    ),
    (
        "node,destination,ports\n#\na,d,b\n",
        &["t.csv:3:1: node `d`", "by its name or its number, 0 to 2"],
    ),
    ("node,destination,ports\n3,a,b\n", &["t.csv:2:1: node `3`"]),
    (
        "node,destination,ports\n-1,a,b\n",
        &["t.csv:2:1: node `-1`"],
    ),
    (",destination,ports\n", &["t.csv:1:1: a column ``"]),
    (
        "node,destination,ports\n,a,b\n",
        &["t.csv:2:1: nothing in the column node"],
    ),
    (
        "node,destination,ports\na,b,\n",
        &["t.csv:2:1: nothing in the column ports"],
    ),
    (
        "node,destination,ports\na,a,b\n",
        &["t.csv:2:1: a route from node `a` to itself"],
    ),
    (
        "node,destination,ports\na,b,up\n",
        &[
            "t.csv:2:1: `up` at node 0 (a)",
            "left to 2 (c)",
            "right to 1 (b)",
        ],
    ),
    (
        "node,destination,ports\na,b,a\n",
        &["t.csv:2:1: `a` at node 0 (a)"],
    ),
    (
        "node,destination,ports\na,b,b||c\n",
        &["t.csv:2:1: `` at node 0 (a)"],
    ),
    (
        "node,destination,ports\na,b,b|right\n",
        &["t.csv:2:1: `right` again"],
    ),
    (
        "node,destination,ports,channels\na,b,b,1\n",
        &["t.csv:2:1: channel `1`", "a whole number from 0 to 0"],
    ),
    (
        "node,destination,ports,channels\na,b,b,-1\n",
        &["t.csv:2:1: channel `-1`"],
    ),
    (
        "node,destination,ports,rank\na,b,b,2\n",
        &["t.csv:2:1: rank `2`", "preferred or fallback"],
    ),
    (
        "node,destination,ports\na,b,c\na,b,right\na,b,b\n",
        &["t.csv:4:1: channels of `right` again", "they are in line 3"],
    ),
    (
        "node,destination,ports,rank\na,b,b,\na,b,b,fallback\n",
        &["t.csv:3:1: channels of `right` again", "they are in line 2"],
    ),
];

/// What is no table is refused with its line, by every command.
#[test]
fn what_is_no_table_is_refused_with_its_line() {
    let folder = ring("");
    for (table, says) in BAD {
        folder.write("t.csv", table);
        folder.refuses(&["run", "n.toml"], says);
        folder.refuses(&["check", "n.toml"], says);
    }
    fs::remove_file(folder.path("t.csv")).unwrap();
    folder.refuses(
        &["check", "n.toml"],
        &["router.wormhole.table.file: ", "t.csv doesn't exist"],
    );
    let text = configuration("file = \"n.csv\"", 1);
    folder.write(
        "n.toml",
        text.replace("routing = \"table\"", "routing = \"up-down\""),
    );
    folder.refuses(
        &["check", "n.toml"],
        &[
            "router.wormhole.table",
            "only with router.wormhole.routing = \"table\"",
        ],
    );
    let text = configuration("file = \"n.csv\"", 1)
        .replace("[router.wormhole.table]\nfile = \"t.csv\"\n", "");
    folder.write("n.toml", text);
    folder.refuses(
        &["check", "n.toml"],
        &["router.wormhole.table.file", "missing"],
    );
}

/// Names win over numbers, so where one node has another's number as its name no number counts.
#[test]
fn nodes_are_named_or_numbered() {
    let folder = ring("node,destination,ports\n0,1,1\n0,2,2\n1,0,left\n1,2,c\n2,0,0\nc,b,1\n");
    let (_, json) = checked(&folder, 0);
    assert_eq!(json["faults"], json!([]));
    folder.write("n.csv", "from,to\n2,7\n7,0\n0,2\n");
    folder.write(
        "t.csv",
        "node,destination,ports\n2,7,7\n2,0,0\n7,2,2\n7,0,0\n0,2,2\n0,7,7\n",
    );
    let (_, json) = checked(&folder, 0);
    assert_eq!(
        (&json["faults"], &json["dependencies"]),
        (&json!([]), &json!(0))
    );
    folder.write("t.csv", "node,destination,ports\n1,0,0\n");
    folder.refuses(
        &["check", "n.toml"],
        &["t.csv:2:1: node `1`", "by its name"],
    );
}

/// A record contains the table: the replay needs neither file.
#[test]
fn a_record_contains_the_table() {
    let folder = ring(RIGHT);
    let live = [
        "run", "n.toml", "--engine", "live", "--record", "run.flog", "--json",
    ];
    let digest = folder.fine(&live).json()["digest"]
        .as_str()
        .unwrap()
        .to_owned();
    let agrees = format!("the replay agrees with its record: digest {digest}\n");
    for table in [Some(RIGHT), Some("node,destination,ports\n"), None] {
        match table {
            Some(table) => folder.write("t.csv", table),
            None => fs::remove_file(folder.path("t.csv")).unwrap(),
        }
        assert_eq!(
            folder.fine(&["replay", "run.flog"]).err,
            agrees,
            "{table:?}"
        );
    }
    fs::remove_file(folder.path("n.csv")).unwrap();
    assert_eq!(folder.fine(&["replay", "run.flog"]).err, agrees);
    folder.fine(&["trace", "packets", "run.flog"]);
}

/// An index names the table with its checksum: a changed one isn't taken for the run's.
#[test]
fn a_changed_table_is_noticed() {
    let folder = ring(RIGHT);
    folder.fine(&["run", "n.toml", "--trace", "run.fltrace"]);
    let packets = ["trace", "packets", "run.fltrace"];
    folder.fine(&packets);
    folder.write("t.csv", RIGHT.replace("c,b,b", "c,b,right"));
    let done = folder.flitwork(&packets);
    assert_ne!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("t.csv"), "{}", done.err);
}

#[test]
fn the_example_is_free_of_deadlock() {
    let folder = Folder::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/graph-file.toml");
    let table = [
        "--set",
        "router.wormhole.routing=table",
        "--set",
        "router.wormhole.table.file=graph-file-routes.csv",
    ];
    let json = folder
        .fine(&[&["check", root, "--json"][..], &table].concat())
        .json();
    assert_eq!(
        (&json["deadlock"], &json["livelock"]),
        (&json!("free"), &json!("free"))
    );
    // Any grid takes a table, too.
    folder.write("t.csv", "node,destination,ports\n0,1,east\n1,0,west\n");
    let text = configuration("", 1).replace("\"file\"\n", "\"mesh\"\nsides = [2, 1]");
    folder.write("n.toml", text);
    let (_, json) = checked(&folder, 0);
    assert_eq!(json["dependencies"], 0);
}

/// Beyond 4096 nodes there is no verdict, and no report that might be taken for one.
#[test]
fn a_network_that_is_too_large_is_no_verdict() {
    let folder = Folder::new();
    folder.write("n.toml", "[network]\ntopology = \"mesh\"\nsides = [65, 64]\n[router.wormhole]\n[traffic]\nload = 0.1\npacket_words = 4\n");
    for more in [&[][..], &["--json"]] {
        let args = [&["check", "n.toml"][..], more].concat();
        let says = ["the network is too large to check: 4160 nodes; allowed: 4096"];
        folder.refuses(&args, &says);
        assert_eq!(folder.flitwork(&args).out, "");
    }
}
