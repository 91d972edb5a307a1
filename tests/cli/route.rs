//! `flitwork route` and the paper's experiments on steps.

use crate::harness::Folder;
use serde_json::Value;

const RING: &str = "0,0,1,1\n1,0,2,1\n2,0,3,1\n3,0,0,1\n";
const CONFIG: &str = "[network]\ntopology = \"links\"\nfile = \"ring.csv\"\n[rule.fifo]\nk = 2\n[traffic]\nprocess = \"once\"\npattern = \"listed\"\nfile = \"p.csv\"\n";

fn ring(config: &str, links: &str, packets: &str) -> Folder {
    let folder = Folder::new();
    folder.write("ring.toml", config);
    folder.write("ring.csv", links);
    folder.write("p.csv", packets);
    folder
}

#[test]
fn a_ring_whose_links_go_one_way_is_routed_and_hangs() {
    // The way round: three links, one step each, and nobody is in the way.
    let folder = ring(CONFIG, RING, "# one\n0,3\n");
    let found = folder.fine(&["route", "ring.toml", "--json"]).json();
    assert_eq!(
        (&found["steps"], &found["longest_distance"]),
        (&3.into(), &3.into())
    );
    assert_eq!(found["moves"], 3);
    // A queue of one at each node, and all are full.
    let full = CONFIG.replace("k = 2", "k = 1");
    let folder = ring(&full, RING, "0,2\n1,3\n2,0\n3,1\n");
    let done = folder.flitwork(&["route", "ring.toml", "--json"]);
    assert_eq!(done.code, Some(3), "{done:?}");
    let found: Value = serde_json::from_str(&done.out).unwrap();
    let circle = found["circle"].as_array().unwrap();
    assert_eq!((circle.len(), &found["undelivered"]), (4, &4.into()));
    for (place, offer) in circle.iter().enumerate() {
        assert_eq!(offer["to"], circle[(place + 1) % 4]["node"]);
    }
    let done = folder.flitwork(&["route", "ring.toml"]);
    assert!(
        done.out.contains("wait for each other in a circle"),
        "{}",
        done.out
    );
}

/// The ring is full from the start, and beside it a packet goes from node 4 to node 5 in the first step. The steps are those until
/// the last move, without those in which it was seen that nothing moves any more.
#[test]
fn the_steps_of_a_deadlock_end_with_the_last_move() {
    let full = CONFIG.replace("k = 2", "k = 1");
    let packets = "0,2\n1,3\n2,0\n3,1\n";
    let links = format!("{RING}0,2,4,1\n4,0,5,1\n5,0,0,3\n");
    for (config, links, packets, steps) in [
        (&full, RING, packets.to_owned(), 0),
        (&full, links.as_str(), format!("{packets}4,5\n"), 1),
    ] {
        let folder = ring(config, links, &packets);
        let done = folder.flitwork(&["route", "ring.toml", "--json"]);
        assert_eq!(done.code, Some(3), "{done:?}");
        let found: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(found["steps"], steps);
        assert_eq!(found["moves"], steps);
        assert_eq!(found["undelivered"], 4);
    }
}

/// Three packets begin in node 0 and leave it by its one link, one a step: 3, 2, 1 and none. The most are those of the beginning.
#[test]
fn what_a_node_holds_at_the_beginning_counts() {
    let unbounded = CONFIG.replace("k = 2", "queues = \"unbounded\"");
    let folder = ring(&unbounded, RING, "0,1\n0,1\n0,1\n");
    let found = folder.fine(&["route", "ring.toml", "--json"]).json();
    let counts = ["steps", "moves", "queue_max"].map(|key| found[key].as_u64());
    assert_eq!(counts, [Some(3); 3], "{found:#}");
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let refuses = |config: &str, links: &str, packets: &str, says: &[&str]| {
        ring(config, links, packets).refuses(&["route", "ring.toml"], says);
    };
    let one = "0,3\n";
    let k = CONFIG.replace("k = 2", "k = 0");
    refuses(
        &k,
        RING,
        one,
        &["ring.toml:5:5", "rule.fifo.k is 0", "from 1 to"],
    );
    let rule = CONFIG.replace("fifo", "fif");
    let says = [
        "ring.toml:4:7",
        "unknown table rule.fif",
        "greedy-adaptive",
        "did you mean fifo?",
    ];
    refuses(&rule, RING, one, &says);
    let key = CONFIG.replace("k = 2", "inqeue = \"fixed\"");
    let says = [
        "ring.toml:5:1",
        "unknown key rule.fifo.inqeue",
        "did you mean inqueue?",
    ];
    refuses(&key, RING, one, &says);
    let taken = format!("{RING}0,0,2,3\n");
    let says = [
        "ring.csv:5:1",
        "port 0 of node 0",
        "read for network.file, ring.toml:3:8",
    ];
    refuses(CONFIG, &taken, one, &says);
    let apart = "0,0,1,1\n1,0,2,1\n2,0,0,1\n3,0,0,2\n";
    refuses(
        CONFIG,
        apart,
        one,
        &["ring.csv", "no path from node 0 to node 3"],
    );
    refuses(
        CONFIG,
        "0,0,1\n",
        one,
        &["ring.csv:1:1", "node,port,node,port a line"],
    );
    refuses(
        CONFIG,
        RING,
        "0,4\n",
        &["p.csv:1:3", "\"4\" is not a node", "0 to 3"],
    );
    Folder::new().refuses(&["route", "none.toml"], &["none.toml"]);
}

#[test]
fn what_doesnt_go_together_is_refused() {
    let refuses = |config: &str, says: &[&str]| {
        ring(config, RING, "0,3\n").refuses(&["route", "ring.toml"], says);
    };
    let none = CONFIG.replace("ring.csv", "no.csv");
    refuses(&none, &["ring.toml:3:8", "no.csv doesn't exist"]);
    let unbounded = CONFIG.replace("k = 2", "k = 2\nqueues = \"unbounded\"");
    refuses(
        &unbounded,
        &["ring.toml:5:5", "only with other queues: unbounded ones"],
    );
    let outgoing = CONFIG.replace("fifo", "alternating");
    let outgoing = outgoing.replace("k = 2", "queues = \"outgoing\"");
    let says = [
        "ring.toml:5:10",
        "alternating doesn't say",
        "\"greedy-adaptive\"",
    ];
    refuses(&outgoing, &says);
    let derouting = CONFIG.replace("fifo", "derouting");
    refuses(
        &derouting,
        &["ring.toml:4:1", "rule.derouting is given", "square mesh"],
    );
    let words = format!("{CONFIG}packet_words = 3\n");
    refuses(
        &words,
        &["ring.toml:10:16", "packet_words is 3", "have no words"],
    );
    let open = CONFIG.replace("process = \"once\"\n", "");
    refuses(
        &open,
        &[
            "ring.toml:6:1",
            "traffic.process is \"bernoulli\"",
            "\"once\"",
        ],
    );
    let router = CONFIG.replace("[rule.fifo]\nk = 2", "[router.chaos]");
    ring(&router, RING, "0,3\n").refuses(
        &["check", "ring.toml"],
        &[
            "ring.toml:2:12",
            "network.topology is \"links\"",
            "credits need a link back",
        ],
    );
}

/// All mistakes in one run, on the command line too.
#[test]
fn all_mistakes_are_found_at_once() {
    let wrong = CONFIG.replace("k = 2", "k = 0").replace("p.csv", "q.csv");
    let folder = ring(&wrong, "0,0,1\n", "0,3\n");
    let args = [
        "route",
        "ring.toml",
        "--set",
        "rule.fifo.inqueue=robin",
        "--seed",
        "-1",
    ];
    let says = [
        "ring.csv:1:1",
        "rule.fifo.k is 0",
        "command line: --set rule.fifo.inqueue=robin",
        "allowed: \"fixed\" or \"round-robin\"",
        "command line: --seed -1",
        "4 errors",
    ];
    folder.refuses(&args, &says);
}

/// Overrides are those of every command; another rule takes the place of the file's.
#[test]
fn keys_are_set_on_the_command_line() {
    let config = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/configs/route/greedy-adaptive.toml"
    );
    let folder = Folder::new();
    let routed = |args: &[&str]| {
        let done = folder.fine(&[&["route", config, "--json"], args].concat());
        let found = done.json();
        (found["rule"].clone(), found["steps"].as_u64(), done.err)
    };
    let (rule, steps, said) = routed(&[]);
    assert_eq!((rule, said), ("greedy-adaptive".into(), String::new()));
    let (_, other, _) = routed(&["--seed", "2"]);
    let (_, more, _) = routed(&[
        "--set",
        "traffic.pattern=transpose",
        "--set",
        "network.sides=[32,32]",
    ]);
    assert!(
        other != steps && more > steps,
        "{steps:?} {other:?} {more:?}"
    );
    let (rule, _, said) = routed(&["--set", "rule=fifo", "--set", "rule.fifo.queues=unbounded"]);
    assert_eq!(rule, "fifo");
    let says = "with --set rule=fifo, rule.greedy-adaptive has no effect";
    assert!(said.contains(says), "{said}");
    let wrong = ["route", config, "--set", "rule=fifa"];
    let says = [
        "--set rule=fifa",
        "\"alternating\"",
        "did you mean \"fifo\"?",
    ];
    folder.refuses(&wrong, &says);
}

/// The configuration in what is printed, with all defaults, is routed as its original.
#[test]
fn the_resolved_configuration_is_routed_alike() {
    let folder = ring(CONFIG, RING, "0,3\n1,0\n");
    let found = folder.fine(&["route", "ring.toml", "--json"]).json();
    let text = found["provenance"]["configuration"].as_str().unwrap();
    assert!(
        text.contains("inqueue = \"fixed\"") && text.contains("seed = 1"),
        "{text}"
    );
    folder.write("again.toml", text);
    let again = folder.fine(&["route", "again.toml", "--json"]).json();
    assert_eq!(again["provenance"]["configuration"], text);
    assert_eq!(
        (&again["steps"], &again["moves"]),
        (&found["steps"], &found["moves"])
    );
}

/// A file in the form of earlier versions says what to write, and that is what it was.
#[test]
fn the_old_form_is_translated() {
    let old = "[graph]\nlinks = \"ring.csv\"\nnodes = 4\n[rule]\nname = \"fifo\"\nk = 2\n[problem]\npackets = \"p.csv\"\nseed = 3\n";
    let folder = ring(old, RING, "0,3\n");
    let done = folder.flitwork(&["route", "ring.toml"]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.err
            .starts_with("error: ring.toml:1:1: [graph]: routes and schedules now"),
        "{}",
        done.err
    );
    let lines = done
        .err
        .lines()
        .filter_map(|line| line.strip_prefix("    "));
    let new = lines.filter(|line| !line.starts_with([' ', '|', '^']));
    let new: Vec<&str> = new.collect();
    assert_eq!(
        new.join("\n") + "\n",
        CONFIG.to_owned() + "[run]\nseed = 3\n"
    );
    folder.write("new.toml", new.join("\n"));
    folder.fine(&["route", "new.toml"]);
}

/// The configurations that come with the program.
#[test]
fn the_configurations_are_routed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/route");
    let mut codes = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") {
            let done = Folder::new().flitwork(&["route", path.to_str().unwrap()]);
            codes.push((path.file_name().unwrap().to_owned(), done.code));
        }
    }
    codes.sort();
    let [(greedy, fine), (nowrap, routed), (ring, hangs)] = &codes[..] else {
        panic!("{codes:?}")
    };
    assert_eq!(
        (greedy.to_str(), *fine),
        (Some("greedy-adaptive.toml"), Some(0))
    );
    assert_eq!((nowrap.to_str(), *routed), (Some("nowrap.toml"), Some(0)));
    assert_eq!((ring.to_str(), *hangs), (Some("ring.toml"), Some(3)));
}

fn rows(args: &[&str]) -> Vec<Value> {
    let found = Folder::new().fine(&[&["paper"], args, &["--json"]].concat());
    let found: Value = serde_json::from_str(&found.out).unwrap();
    found["rows"].as_array().unwrap().clone()
}

/// Bounds by hand, from the constants of the sections: crates/steps/tests.
#[test]
fn bounds_hold_and_repeat() {
    let bounds = rows(&[
        "chinn-bounds",
        "--section",
        "2.3",
        "--n",
        "120,240",
        "--k",
        "1",
        "--inqueue",
        "round-robin",
    ]);
    let column = |name: &str| {
        bounds
            .iter()
            .map(|row| row[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(column("bound"), [96, 384]);
    assert_eq!(column("repeats"), [true, true]);
    assert!(
        bounds
            .iter()
            .all(|row| row["steps"].as_u64() >= row["bound"].as_u64())
    );
    let nearest = ["--rule", "farthest-first,nearest-first"];
    let bounds = rows(
        &[
            &["chinn-bounds", "--section", "2.4.5", "--n", "120"],
            &nearest[..],
        ]
        .concat(),
    );
    assert_eq!(
        (&bounds[0]["bound"], &bounds[1]["bound"]),
        (&1020.into(), &1200.into())
    );
    let folder = Folder::new();
    let refuses = |args: &[&str], says: &[&str]| {
        folder.refuses(&[&["paper", "chinn-bounds"], args].concat(), says);
    };
    refuses(&["--k", "0"], &["--k", "1 to 65536"]);
    refuses(&["--n", "5"], &["--n", "the least is"]);
    refuses(
        &["--section", "2.4.3", "--n", "600", "--k", "1", "--h", "2"],
        &["--h", "1 to 1"],
    );
    refuses(
        &["--rule", "nearest-first"],
        &["--rule", "section 2.3", "greedy-adaptive"],
    );
    let outgoing = [
        "--section",
        "2.4.1",
        "--n",
        "600",
        "--queues",
        "outgoing",
        "--rule",
        "alternating",
    ];
    refuses(&outgoing, &["--rule", "section 2.4.1", "greedy-adaptive"]);
    refuses(&["--rule", "oldest"], &["--rule", "greedy-adaptive"]);
}

#[test]
fn the_program_takes_as_many_steps_as_its_lemmas_say() {
    let linear = rows(&[
        "chinn-linear",
        "--n",
        "27",
        "--phases",
        "fixed,quiet",
        "--seeds",
        "2",
    ]);
    for row in &linear {
        let (steps, most) = (
            row["steps"].as_u64().unwrap(),
            row["queue_max"].as_u64().unwrap(),
        );
        match row["phases"].as_str().unwrap() {
            "fixed" => assert_eq!(steps, 10464),
            _ => assert!(steps <= 20 * 27, "{row}"),
        }
        assert!(most <= 834);
    }
    assert_eq!(linear.len(), 8);
    Folder::new().refuses(
        &["paper", "chinn-linear", "--n", "30"],
        &["--n", "27 or 81"],
    );
    let upper = rows(&["chinn-upper", "--n", "32", "--k", "1,4", "--seeds", "1"]);
    // ⌊n/k⌋ (4n - 3) + 5n.
    assert_eq!(upper[0]["bound"], 32 * 125 + 160);
    assert!(
        upper
            .iter()
            .all(|row| row["steps"].as_u64() <= row["bound"].as_u64())
    );
}
