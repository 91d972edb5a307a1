//! Why packets take as long as they do: waits unfolded, and the way back from the last delivery.

use crate::harness::{Folder, SMALL};
use serde_json::{Value, json};

/// Each of the longest waits that are unfolded is charged to what the packet to blame did meanwhile, to the last cycle.
#[test]
fn waits_are_unfolded() {
    let folder = Folder::new();
    let busy = ["--set", "traffic.load=0.4"];
    let (packet, _) = folder.slowest("small.toml", &busy);
    let packet = packet.as_str();
    let why = |more: &[&'static str]| -> Vec<&str> {
        [&["trace", "why", "small.toml", packet][..], more, &busy].concat()
    };
    let plain = folder.fine(&why(&["--unfold", "0", "--json"])).json();
    let unfolded = folder.fine(&why(&["--unfold", "2", "--json"])).json();
    assert_eq!(plain["total"], unfolded["total"]);
    let charges = |of: &Value| of["charges"].as_array().unwrap().clone();
    let is_unfolded = |charge: &Value| charge.get("held").is_some();
    assert!(!charges(&plain).iter().any(is_unfolded));
    let blamed = charges(&unfolded)
        .into_iter()
        .filter(|it| !it["culprit"].is_null());
    let mut blamed: Vec<Value> = blamed.collect();
    blamed.sort_by_key(|it| std::cmp::Reverse(it["amount"].as_u64()));
    assert!(blamed.len() > 2, "{unfolded}");
    assert!(blamed[..2].iter().all(is_unfolded), "{unfolded}");
    assert!(!blamed[2..].iter().any(is_unfolded), "{unfolded}");
    for charge in &blamed[..2] {
        let held = charge["held"].as_array().unwrap();
        let sum: u64 = held.iter().map(|it| it["amount"].as_u64().unwrap()).sum();
        assert_eq!(Some(sum), charge["amount"].as_u64(), "{charge}");
        let culprits = held.iter().all(|it| it["packet"] == charge["culprit"]);
        assert!(culprits, "{charge}");
    }
    let text = folder.fine(&why(&["--unfold", "2"]));
    let culprit = blamed[0]["culprit"].as_str().unwrap();
    assert!(
        text.out.contains(&format!(" {culprit} in ")),
        "{}",
        text.out
    );
}

/// What a static problem's last delivery waited for, one thing after the other, from cycle 0 on.
#[test]
fn the_critical_way_leads_back_to_the_beginning() {
    let folder = Folder::new();
    let (before, _) = SMALL.split_once("load = 0.1").unwrap();
    folder.write("static.toml", format!("{before}process = \"k-k\"\nk = 6\n"));
    let run = folder.fine(&["run", "static.toml", "--json"]).json();
    let done = folder
        .fine(&["trace", "blame", "static.toml", "--critical", "--json"])
        .json();
    assert_eq!(done["begins"], 0);
    // The run ends after the cycle of the last delivery.
    let total = done["total"].as_u64().unwrap();
    assert_eq!(Some(total + 1), run["cycles"].as_u64());
    let mut time = 0;
    let way = done["way"].as_array().unwrap();
    for step in way {
        assert_eq!(step["time"].as_u64(), Some(time), "{way:?}");
        time += step["amount"].as_u64().unwrap();
    }
    assert_eq!(time, total);
    let charges = done["charges"].as_array().unwrap();
    let sum: u64 = charges
        .iter()
        .map(|it| it["amount"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, total);
    assert_eq!(way.last().unwrap()["packet"], done["last"]);
    let text = folder.fine(&["trace", "blame", "static.toml", "--critical"]);
    let last = done["last"].as_str().unwrap();
    let says = format!("from 0 to the delivery of {last}, {total} cycles in all");
    assert!(text.out.contains(&says), "{}", text.out);
}

/// On a mesh of 3 x 3 nodes three packets of one word come to node 4 in cycle 1, all on their way south to node 7: from node
/// 1 in the north, 5 in the east and 3 in the west. Of those that came at once that of the lowest port goes first, and ports
/// count from north clockwise. So the packet of node 3 waits in cycle 1 for that of node 1 and in cycle 2 for that of node 5,
/// which loses the first decision, too; each has a link of one cycle on either side.
#[test]
fn each_wait_has_a_packet_of_its_own_to_blame() {
    let folder = Folder::new();
    folder.write("t.csv", "cycle,src,dst,words\n0,1,7,1\n0,3,7,1\n0,5,7,1\n");
    let config = "network = { topology = \"mesh\", sides = [3, 3] }\nrouter.queueing = {}\n\
                  traffic = { process = \"trace\", trace = { file = \"t.csv\" } }\n";
    folder.write("three.toml", config);
    let keys = ["time", "node", "amount", "cause", "culprit"];
    for (packet, expected) in [
        (
            "1.0",
            json!([[0, 1, 1, "link", null], [1, 4, 1, "link", null]]),
        ),
        (
            "3.0",
            json!([
                [0, 3, 1, "link", null],
                [1, 4, 1, "lost decision", "1.0"],
                [2, 4, 1, "lost decision", "5.0"],
                [3, 4, 1, "link", null],
            ]),
        ),
        (
            "5.0",
            json!([
                [0, 5, 1, "link", null],
                [1, 4, 1, "lost decision", "1.0"],
                [2, 4, 1, "link", null],
            ]),
        ),
    ] {
        let done = folder.fine(&["trace", "why", "three.toml", packet, "--json"]);
        let done = done.json();
        let charges = done["charges"].as_array().unwrap().iter();
        let charges: Value = charges
            .map(|charge| Value::from(keys.map(|key| charge[key].clone()).to_vec()))
            .collect();
        assert_eq!(charges, expected, "{packet}");
    }
}

/// Four nodes in a line, a link of one cycle between two. Packet 0.0 is delivered in cycle 1, and packet 1.0 waits for that: it
/// is made in cycle 2 and takes two links. Without 0.0 it is never made. Packet 3.0 goes the other way and is in nobody's way.
#[test]
fn a_packet_without_which_another_is_never_made_changes_something() {
    let folder = Folder::new();
    let trace = "cycle,src,dst,words,id,after\n0,0,1,1,0,\n0,1,3,1,1,0\n2,3,2,1,2,\n";
    folder.write("t.csv", trace);
    let config = "network = { topology = \"mesh\", sides = [4, 1] }\nrouter.queueing = {}\n\
                  traffic = { process = \"trace\", trace = { file = \"t.csv\" } }\n\
                  run.deadline_cycles = 1000\n";
    folder.write("line.toml", config);
    for (without, changed, latency, saved, row) in [
        (
            "0.0",
            1,
            Value::Null,
            Value::Null,
            "not delivered           0  0.0\n",
        ),
        (
            "3.0",
            0,
            json!(2),
            json!(0),
            "         0           0  3.0\n",
        ),
    ] {
        let why = ["trace", "why", "line.toml", "1.0", "--without", without];
        let text = folder.fine(&why).out;
        let says = format!("\nwithout each of 1 packets alone: {changed} change something\n");
        assert!(text.contains(&says), "{text}");
        assert!(text.ends_with(row), "{text}");
        let found = folder.fine(&[&why[..], &["--json"]].concat()).json();
        let tried = json!({"packet": without, "latency": latency, "saved": saved, "charged": 0});
        let expected = json!({"candidates": 1, "changed": changed, "tries": [tried]});
        assert_eq!(found["without"], expected);
    }
}

/// A link's time is that of the direction in which the packet goes: 800 ps to the east, whatever the way back takes.
#[test]
fn a_link_takes_the_time_of_its_direction() {
    let folder = Folder::new();
    let config = "network = { topology = \"mesh\", sides = [4, 1] }\nrouter.greedy-hp = {}\n\
                  traffic = { process = \"once\", pattern = \"permutation\", file = \"pairs\" }\n\
                  run.engine = \"clocked\"\n\
                  clocks = { self-timed = { word_ps = 700, decision_ps = 500 }, delays.file = \"d.csv\" }\n";
    folder.write("line.toml", config);
    for back_ps in [1, 5000] {
        let delays = format!("latency,*,east,800\nlatency,*,west,{back_ps}\n");
        folder.write("d.csv", format!("stage,node,port,ps\n{delays}"));
        for (pair, there_ps) in [("0 3", 800), ("3 0", back_ps)] {
            folder.write("pairs", pair);
            let packet = format!("{}.0", &pair[..1]);
            let done = folder.fine(&["trace", "why", "line.toml", &packet, "--json"]);
            let done = done.json();
            let charges = done["charges"].as_array().unwrap().iter();
            let links = charges.filter(|charge| charge["cause"] == "link");
            let amounts: Vec<Option<u64>> = links.map(|charge| charge["amount"].as_u64()).collect();
            assert_eq!(amounts, [Some(there_ps); 3], "{pair}, {back_ps}");
        }
    }
}
