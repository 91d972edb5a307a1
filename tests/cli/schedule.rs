//! `flitwork schedule`, and runs that follow what it writes.

use crate::harness::Folder;
use serde_json::Value;

const CONFIG: &str = "[graph]\ntopology = \"mesh\"\nsides = [4, 4]\n[schedule]\n[problem]\npattern = \"random\"\nseed = 1\n";
const RUN: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.scheduled]\nschedule = \"file\"\nfile = \"s.csv\"\n[traffic]\nprocess = \"schedule\"\n";
const RING: &str = "0,0,1,1\n1,0,2,1\n2,0,3,1\n3,0,0,1\n";
const ON_RING: &str =
    "[graph]\nlinks = \"ring.csv\"\nnodes = 4\n[schedule]\n[problem]\npackets = \"p.csv\"\n";
/// Nobody has more than 3 links to go, and without waiting it takes 4 steps.
const NEEDS_WAITING: [u32; 16] = [1, 13, 14, 0, 7, 10, 9, 3, 11, 6, 8, 15, 4, 5, 2, 12];

fn folder(config: &str) -> Folder {
    let folder = Folder::new();
    folder.write("c.toml", config);
    folder
}

/// The schedule as JSON, all of whose packets that move were played within its steps by every engine alike.
fn played(folder: &Folder, options: &[&str]) -> Value {
    let command = [&["schedule", "c.toml", "--play", "--json"], options].concat();
    let found = folder.fine(&command).json();
    let played = found["played"].as_array().unwrap();
    // The clocked engine wants links that go both ways.
    let engines = if folder.path("ring.csv").exists() {
        2
    } else {
        3
    };
    assert_eq!(played.len(), engines, "{found:#}");
    for one in played {
        assert_eq!(one["makespan"], found["makespan"], "{found:#}");
        assert_eq!(one["digest"], played[0]["digest"], "{found:#}");
    }
    assert!(found["makespan"].as_u64() >= found["distance"].as_u64());
    found
}

#[test]
fn what_is_written_is_run_in_as_many_cycles() {
    let folder = folder(CONFIG);
    folder.write("run.toml", RUN);
    let lengths = [
        ("--order longest-total --select path", "0"),
        ("--order random --seed 3 --select horizontal", "0"),
        (
            "--order shortest-total --select vertical --ties column-major",
            "0",
        ),
        ("--select earliest --waiting 2 --detours", "2"),
        ("--method worms --order lexicographic", "0"),
        ("--method frames", "16"),
        ("--method naive", "16"),
        ("--method product", "1"),
        ("--method exact --waiting 1", "1"),
    ];
    for (options, waiting) in lengths {
        let options: Vec<&str> = options.split(' ').collect();
        let command = [
            &["schedule", "c.toml", "--out", "s.csv", "--force", "--json"],
            &*options,
        ]
        .concat();
        let made = folder.fine(&command).json();
        for engine in ["sync", "sync-stepped", "sync-plain"] {
            let waiting = format!("router.scheduled.waiting={waiting}");
            let run = [
                "run", "run.toml", "--json", "--engine", engine, "--set", &waiting,
            ];
            let ran = folder.fine(&run).json();
            let longest = &ran["latency_max_cycles"];
            assert_eq!(longest, &made["makespan"], "{options:?} {engine} {ran:#}");
        }
    }
}

#[test]
fn methods_patterns_and_networks_are_played_as_they_are_scheduled() {
    let patterns = [
        "random",
        "random-destinations",
        "reversal",
        "bit-reversal",
        "transpose",
    ];
    for (number, pattern) in patterns.into_iter().enumerate() {
        let config = CONFIG.replace("\"random\"", &format!("{pattern:?}"));
        let config = config.replace("seed = 1", &format!("seed = {number}"));
        let mesh = folder(&config);
        let torus = folder(&config.replace("mesh", "torus"));
        let worms = folder(&format!("{config}words = 5\n"));
        for options in [
            &[][..],
            &["--select", "earliest", "--waiting", "1"],
            &["--method", "worms"],
        ] {
            played(&mesh, options);
            played(&worms, options);
        }
        for method in ["frames", "naive", "exact"] {
            played(&mesh, &["--method", method]);
            played(&torus, &["--method", method]);
        }
        let found = played(&torus, &["--detours"]);
        assert_eq!(found["select"], "earliest");
        if pattern != "random-destinations" {
            played(&mesh, &["--method", "product"]);
        }
    }
    // From a graph whose links go one way, and several packets of a source, which it sends one after the other.
    let ring = folder(ON_RING);
    ring.write("ring.csv", RING);
    ring.write("p.csv", "0,2\n0,1\n1,3\n0,3\n3,3\n");
    let found = played(&ring, &[]);
    assert_eq!(found["packets"], 5);
    assert!(found["lead"].as_u64().unwrap() <= 2, "{found:#}");
    // 0,2 and 0,1 and 0,3 all need the link of node 0: three steps until the last leaves, at least.
    assert!(found["makespan"].as_u64().unwrap() >= 3, "{found:#}");
}

#[test]
fn the_shortest_without_waiting_and_with_it() {
    let destinations = format!("destinations = {NEEDS_WAITING:?}");
    let folder = folder(&CONFIG.replace("pattern = \"random\"\nseed = 1", &destinations));
    let exact = |options: &[&str]| {
        let found = played(
            &folder,
            &[&["--method", "exact", "--bound"], options].concat(),
        );
        assert_eq!(found["is_proven"], true);
        assert_eq!(found["fractional_bound"], found["at_least"]);
        (found["distance"].as_u64(), found["makespan"].as_u64())
    };
    assert_eq!(exact(&[]), (Some(3), Some(4)));
    assert_eq!(exact(&["--detours"]), (Some(3), Some(4)));
    assert_eq!(exact(&["--waiting", "1"]), (Some(3), Some(3)));
    let mended = played(&folder, &["--tries", "200"]);
    assert_eq!(mended["mended_by_ties"], Value::Null);
    assert_eq!(mended["mended_by_waiting"], true);
    assert_eq!(
        (&mended["makespan"], &mended["waiting"]),
        (&3.into(), &1.into())
    );
}

/// An option over a key of the configuration gives what the key would give with the option's value, and not what it gives
/// with its own.
#[test]
fn an_option_goes_before_the_same_key() {
    let destinations = format!("destinations = {NEEDS_WAITING:?}");
    let folder = Folder::new();
    let schedule = |lines: &str, options: &[&str]| {
        let config = with(lines).replace("pattern = \"random\"\nseed = 1", &destinations);
        folder.write("c.toml", config);
        let mut found = folder
            .fine(&[&["schedule", "c.toml", "--json"], options].concat())
            .json();
        found["provenance"] = Value::Null;
        found
    };
    for (beside, key, written, asked) in [
        ("", "method", "\"multistage\"", "\"frames\""),
        ("", "order", "\"random\"", "\"longest-total\""),
        ("", "select", "\"path\"", "\"horizontal\""),
        ("", "ties", "\"row-major\"", "\"column-major\""),
        ("", "tries", "0", "200"),
        ("order = \"random\"\n", "seed", "1", "3"),
        ("select = \"earliest\"\n", "detours", "false", "true"),
        ("method = \"exact\"\n", "waiting", "0", "1"),
    ] {
        let own = format!("{beside}{key} = {written}\n");
        let option = format!("--{key}");
        let options = match asked {
            "true" => vec![&*option],
            _ => vec![&*option, asked.trim_matches('"')],
        };
        let found = schedule(&own, &options);
        assert_eq!(
            found,
            schedule(&format!("{beside}{key} = {asked}\n"), &[]),
            "{key}"
        );
        assert_ne!(found, schedule(&own, &[]), "{key}");
    }
}

/// What is refused, and what the message says.
fn refuses(config: &str, options: &[&str], says: &[&str]) {
    let folder = folder(config);
    folder.write("ring.csv", RING);
    folder.write("p.csv", "0,2\n1,9\n");
    let command = [&["schedule", "c.toml"], options].concat();
    folder.refuses(&command, says);
}

/// The configuration with these lines in its table of the schedule.
fn with(lines: &str) -> String {
    CONFIG.replace("[schedule]", &format!("[schedule]\n{lines}"))
}

#[test]
fn unknown_names_and_keys_are_refused_with_their_place() {
    // Unknown nodes, methods, parts and keys.
    refuses(
        ON_RING,
        &[],
        &["p.csv:2:3", "\"9\" is not a node", "0 to 3"],
    );
    refuses(
        &with("method = \"best\""),
        &[],
        &["c.toml:5:10", "\"best\"", "multistage"],
    );
    refuses(CONFIG, &["--method", "best"], &["--method", "exact"]);
    refuses(
        &with("order = \"last\""),
        &[],
        &["c.toml:5:9", "longest-total"],
    );
    refuses(CONFIG, &["--order", "last"], &["--order", "longest-total"]);
    refuses(CONFIG, &["--select", "diagonal"], &["--select", "earliest"]);
    refuses(CONFIG, &["--ties", "none"], &["--ties", "row-major"]);
    refuses(&with("speed = 1"), &[], &["c.toml:5:1", "speed"]);
    refuses(
        &with("ties = \"random\"\nmethod = \"product\""),
        &[],
        &["c.toml:5:8", "product doesn't read it"],
    );
}

#[test]
fn waiting_is_refused_where_nobody_waits_and_needed_where_packets_must() {
    // Waiting where nobody waits, and none where packets must.
    refuses(
        &with("waiting = 1"),
        &[],
        &["c.toml:5:11", "nobody waits", "earliest"],
    );
    refuses(
        &with("waiting = 0\nmethod = \"frames\""),
        &[],
        &["c.toml:5:11", "waiting is 0"],
    );
    refuses(
        CONFIG,
        &["--method", "frames", "--waiting", "0"],
        &["--waiting"],
    );
}

#[test]
fn worms_that_are_too_long_are_refused() {
    let words = format!("{CONFIG}words = 70000\n");
    // Worms that are too long.
    refuses(&words, &[], &["c.toml:8:9", "70000 words", "65536"]);
    refuses(
        &words.replace("70000", "0"),
        &[],
        &["c.toml:8:9", "1 word or more"],
    );
    // On a torus, where a search finds the earliest paths.
    let torus = words.replace("mesh", "torus");
    refuses(
        &torus.replace("70000", "4294967295"),
        &[],
        &["c.toml:8:9", "4294967295 words", "65536"],
    );
    let long = words.replace("70000", "65536");
    refuses(
        &long,
        &["--out", "s.csv"],
        &["c.toml:8:9", "words is 65536", "65535"],
    );
    refuses(
        &words,
        &["--method", "product"],
        &["c.toml:8:9", "70000 words, more than the method is for"],
    );
    refuses(
        &words,
        &["--method", "frames"],
        &["c.toml:8:9", "of one word"],
    );
}

#[test]
fn problems_that_a_method_is_not_for_are_refused() {
    // Problems and networks that a method isn't for.
    let large = CONFIG.replace("[4, 4]", "[30, 30]");
    refuses(
        &large,
        &["--method", "exact"],
        &["c.toml:5:1", "the limit is 64000"],
    );
    refuses(&large, &["--bound"], &["c.toml:5:1", "the limit is 64000"]);
    let torus = CONFIG.replace("mesh", "torus");
    refuses(
        &torus,
        &["--select", "path"],
        &["--select", "a torus", "earliest"],
    );
    refuses(&torus, &["--method", "worms"], &["c.toml", "a mesh"]);
    refuses(&torus, &["--method", "product"], &["c.toml", "a torus"]);
    refuses(
        &torus,
        &["--order", "row-major"],
        &["--order", "no rows and columns"],
    );
    let many = CONFIG.replace("\"random\"", "\"random-destinations\"");
    refuses(
        &many,
        &["--method", "product"],
        &["c.toml:5:1", "share node"],
    );
    let odd = CONFIG
        .replace("\"random\"", "\"bit-reversal\"")
        .replace("[4, 4]", "[3, 4]");
    refuses(&odd, &[], &["c.toml:6:11", "a power of two"]);
    let listed =
        |list: &str| CONFIG.replace("pattern = \"random\"", &format!("destinations = {list}"));
    refuses(
        &listed("[16]"),
        &[],
        &["c.toml:6:16", "there is no node 16"],
    );
    let many = format!("{:?}", vec![0; 17]);
    refuses(&listed(&many), &[], &["c.toml:6:16", "17 nodes'"]);
    refuses(
        &format!("{CONFIG}destinations = [1]\n"),
        &[],
        &["c.toml:8:16", "more than one"],
    );
    refuses(CONFIG, &["--out", "c.toml/s.csv"], &["--out", "c.toml"]);
    // What is there isn't overwritten.
    let there = folder(CONFIG);
    there.refuses(
        &["schedule", "c.toml", "--out", "c.toml"],
        &["--out c.toml is CONFIG c.toml", "never overwritten"],
    );
    assert_eq!(there.read("c.toml"), CONFIG);
    // Keys that nothing reads.
    let nodes = CONFIG.replace("[schedule]", "nodes = 3\n[schedule]");
    refuses(
        &nodes,
        &[],
        &["c.toml:4:9", "graph.nodes without graph.links"],
    );
    let sides = ON_RING.replace("nodes = 4", "nodes = 4\nsides = [2, 2]");
    refuses(
        &sides,
        &[],
        &["c.toml:4:9", "graph.sides beside graph.links"],
    );
    refuses(
        CONFIG,
        &["--select", "earliest", "--tries", "5"],
        &["--tries", "no other orders"],
    );
    // A file that isn't there.
    let folder = Folder::new();
    folder.refuses(&["schedule", "no.toml"], &["no.toml"]);
}

#[test]
fn pairs_without_a_path_are_named_by_their_line() {
    let folder = folder(ON_RING);
    folder.write("ring.csv", "0,0,1,1\n1,0,0,1\n2,0,3,1\n3,0,2,1\n");
    folder.write("p.csv", "0,1\n# Another island:\n1,2\n");
    let says = [
        "p.csv:3:1",
        "no links of ring.csv lead from node 1 to node 2",
    ];
    folder.refuses(&["schedule", "c.toml"], &says);
    // All packets stay on their islands: the graph is still none that can be routed on.
    folder.write("p.csv", "0,1\n");
    folder.refuses(&["schedule", "c.toml"], &["c.toml:2:9", "ring.csv"]);
}

/// A line is a link one way: none leads back from node 1 to node 0, nor from node 3 to any other. The first packet without links
/// is named, and not the one from node 0 to node 2, between which there are none either way.
#[test]
fn links_lead_only_the_way_that_a_line_says() {
    for (links, packets, [from, to]) in [
        ("0,0,1,1\n1,0,2,1\n2,0,3,1\n", "0,3\n3,1\n", [3, 1]),
        ("0,0,1,1\n2,0,3,1\n", "0,1\n1,0\n0,2\n", [1, 0]),
    ] {
        let folder = folder(ON_RING);
        folder.write("ring.csv", links);
        folder.write("p.csv", packets);
        let says = format!("packet 1: no links of ring.csv lead from node {from} to node {to}");
        folder.refuses(&["schedule", "c.toml"], &["p.csv:2:1", &says]);
    }
}

#[test]
fn the_configurations_are_scheduled_and_played() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/schedule");
    let mut makespans = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let config = path.to_str().unwrap();
        let found = Folder::new()
            .fine(&["schedule", config, "--play", "--json"])
            .json();
        let played = found["played"].as_array().unwrap();
        assert!(
            played
                .iter()
                .all(|one| one["makespan"] == found["makespan"])
        );
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        makespans.push((name, found["makespan"].as_u64().unwrap()));
    }
    makespans.sort();
    // The exact one is proven; a transpose of worms of 8 words crowds k (n - 1) + k - 1 words through a corner.
    let names: Vec<&str> = makespans.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["exact", "frames", "permutation", "ring", "worms"]);
    assert_eq!((makespans[0].1, makespans[4].1), (4, 8 * 63 + 7));
}

#[test]
fn a_packets_file_may_have_a_header_and_a_byte_order_mark() {
    let ring = folder(ON_RING);
    ring.write("ring.csv", "node,port,node,port\n".to_owned() + RING);
    ring.write("p.csv", "\u{feff}source,destination\r\n0,2\r\n1,3\r\n");
    assert_eq!(played(&ring, &[])["packets"], 2);
    ring.write("p.csv", "0,2\n\u{1b}[31m1,3\n");
    ring.refuses(
        &["schedule", "c.toml"],
        &["p.csv:2:1", "\"\\u{1b}[31m1\" is not a node"],
    );
}

/// Twenty thousand waits of many steps each: they are counted by their ends.
#[test]
fn many_packets_of_a_source_wait_long() {
    let many = folder(&ON_RING.replace("[schedule]\n", "[schedule]\nmethod = \"naive\"\n"));
    many.write("ring.csv", RING);
    many.write("p.csv", "0,2\n".repeat(20_000));
    let found = many.fine(&["schedule", "c.toml", "--json"]).json();
    // All go over the first link one by one, then over the second: as the last comes, the first goes on.
    assert_eq!(
        (&found["makespan"], &found["waiting"]),
        (&40_000.into(), &19_999.into())
    );
}
