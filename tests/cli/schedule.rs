//! `flitwork schedule`, and runs that follow what it writes.

use crate::harness::Folder;
use serde_json::Value;

const CONFIG: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[schedule.multistage]\n[traffic]\nprocess = \"once\"\npattern = \"random-permutation\"\n";
const RUN: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.scheduled]\nschedule = \"file\"\nfile = \"s.csv\"\n[traffic]\nprocess = \"schedule\"\n";
const RING: &str = "0,0,1,1\n1,0,2,1\n2,0,3,1\n3,0,0,1\n";
const ON_RING: &str = "[network]\ntopology = \"links\"\nfile = \"ring.csv\"\n[schedule.multistage]\n[traffic]\nprocess = \"once\"\npattern = \"listed\"\nfile = \"p.csv\"\n";
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
        "random-permutation",
        "random-destinations",
        "reversal",
        "bit-reversal",
        "transpose",
    ];
    for (number, pattern) in patterns.into_iter().enumerate() {
        let config = CONFIG.replace("random-permutation", pattern);
        let run = format!("[run]\nseed = {number}\n");
        let mesh = folder(&format!("{config}{run}"));
        let torus = folder(&format!("{}{run}", config.replace("mesh", "torus")));
        let worms = folder(&format!("{config}packet_words = 5\n{run}"));
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
    let destinations = format!("\"listed\"\ndestinations = {NEEDS_WAITING:?}");
    let folder = folder(&CONFIG.replace("\"random-permutation\"", &destinations));
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
    let destinations = format!("\"listed\"\ndestinations = {NEEDS_WAITING:?}");
    let folder = Folder::new();
    let schedule = |lines: &str, options: &[&str]| {
        let config = with(lines).replace("\"random-permutation\"", &destinations);
        folder.write("c.toml", config);
        let mut found = folder
            .fine(&[&["schedule", "c.toml", "--json"], options].concat())
            .json();
        found["provenance"] = Value::Null;
        found
    };
    for (beside, key, written, asked) in [
        ("", "order", "\"random\"", "\"longest-total\""),
        ("", "select", "\"path\"", "\"horizontal\""),
        ("", "ties", "\"row-major\"", "\"column-major\""),
        ("", "tries", "0", "200"),
        ("select = \"earliest\"\n", "detours", "false", "true"),
        ("select = \"earliest\"\n", "waiting", "0", "1"),
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
    // A method in the place of the file's, whose keys nothing reads then.
    folder.write("c.toml", with("order = \"row-major\"\n"));
    let done = folder.fine(&[
        "schedule",
        "c.toml",
        "--method",
        "frames",
        "--set",
        "schedule.frames.seed=4",
    ]);
    assert!(done.out.starts_with("frames on 16 nodes"), "{}", done.out);
    let says = "c.toml:4:1: with --method frames, schedule.multistage has no effect";
    assert!(done.err.contains(says), "{}", done.err);
}

/// One seed is that of all draws; a method may have one of its own.
#[test]
fn a_seed_is_that_of_packets_and_of_the_method() {
    let folder = folder(&with("order = \"random\"\n"));
    let schedule = |options: &[&str]| {
        folder
            .fine(&[&["schedule", "c.toml"], options].concat())
            .out
    };
    let starts = schedule(&[]);
    assert_eq!(schedule(&["--seed", "1"]), starts);
    let own = "schedule.multistage.seed=1";
    assert_eq!(schedule(&["--set", own]), starts);
    let others = (2..9).map(|seed| schedule(&["--seed", &seed.to_string()]));
    assert!(others.into_iter().any(|other| other != starts));
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
    CONFIG.replace(
        "[schedule.multistage]\n",
        &format!("[schedule.multistage]\n{lines}\n"),
    )
}

#[test]
fn unknown_names_and_keys_are_refused_with_their_place() {
    let wrong_node = ["p.csv:2:3", "\"9\" is not a node", "0 to 3"];
    refuses(ON_RING, &[], &wrong_node);
    let best = CONFIG.replace("schedule.multistage", "schedule.best");
    refuses(
        &best,
        &[],
        &["c.toml:4:1", "unknown table schedule.best", "multistage"],
    );
    refuses(
        CONFIG,
        &["--method", "best"],
        &["--method best", "\"exact\""],
    );
    let last = [
        "c.toml:5:9",
        "schedule.multistage.order is \"last\"",
        "\"longest-total\"",
    ];
    refuses(&with("order = \"last\""), &[], &last);
    refuses(
        CONFIG,
        &["--order", "last"],
        &["--order last", "longest-total"],
    );
    refuses(
        CONFIG,
        &["--select", "diagonal"],
        &["--select diagonal", "earliest"],
    );
    refuses(CONFIG, &["--ties", "none"], &["--ties none", "row-major"]);
    refuses(
        &with("speed = 1"),
        &[],
        &["c.toml:5:1", "speed", "in [schedule.multistage]: order"],
    );
    let product = with("").replace("multistage]\n", "product]\nties = \"random\"");
    let says = [
        "c.toml:5:1",
        "no keys in [schedule.product]",
        "schedule.multistage.ties",
    ];
    refuses(&product, &[], &says);
    let ties = ["--method", "product", "--ties", "random"];
    refuses(
        CONFIG,
        &ties,
        &["--ties random", "unknown key schedule.product.ties"],
    );
}

#[test]
fn waiting_is_refused_where_nobody_waits_and_needed_where_packets_must() {
    let says = [
        "c.toml:5:11",
        "waiting is 1",
        "schedule.multistage.select = \"earliest\"",
    ];
    refuses(&with("waiting = 1"), &[], &says);
    let frames = with("waiting = 0").replace("multistage", "frames");
    refuses(&frames, &[], &["c.toml:5:11", "waiting is 0", "from 1 to"]);
    let waiting = ["--method", "frames", "--waiting", "0"];
    refuses(CONFIG, &waiting, &["--waiting 0"]);
    let many = CONFIG
        .replace("[4, 4]", "[32, 32]")
        .replace("random-permutation", "random-destinations")
        .replace("multistage", "frames");
    let many = many.replace("[traffic]", "waiting = 1\n[traffic]");
    refuses(
        &many,
        &[],
        &[
            "c.toml:5:11: schedule.frames.waiting is 1, and",
            "packets wait in a node",
            "or more",
        ],
    );
}

#[test]
fn worms_that_are_too_long_are_refused() {
    let words = format!("{CONFIG}packet_words = 5000\n");
    refuses(
        &words,
        &[],
        &["c.toml:8:16", "packet_words is 5000", "1 to 4096"],
    );
    let words = words.replace("5000", "9");
    let says = ["c.toml:8:16", "9 words, more than the method is for"];
    refuses(&words, &["--method", "product"], &says);
    refuses(
        &words,
        &["--method", "frames"],
        &["c.toml:8:16", "of one word"],
    );
}

#[test]
fn problems_that_a_method_is_not_for_are_refused() {
    let large = CONFIG.replace("[4, 4]", "[30, 30]");
    let limit = ["c.toml:7:11", "the limit is 64000"];
    refuses(&large, &["--method", "exact"], &limit);
    refuses(&large, &["--bound"], &limit);
    let torus = CONFIG.replace("mesh", "torus");
    let path = ["--select path", "a torus", "\"earliest\""];
    refuses(&torus, &["--select", "path"], &path);
    let worms = [
        "--method worms",
        "the network is a torus",
        "a mesh with two sides",
    ];
    refuses(&torus, &["--method", "worms"], &worms);
    let product = torus.replace("multistage", "product");
    refuses(
        &product,
        &[],
        &["c.toml:4:1", "schedule.product is given", "a torus"],
    );
    let order = ["--order row-major", "no rows and columns"];
    refuses(&torus, &["--order", "row-major"], &order);
    let many = CONFIG.replace("random-permutation", "random-destinations");
    refuses(
        &many,
        &["--method", "product"],
        &["c.toml:7:11", "share node"],
    );
    let odd = CONFIG
        .replace("random-permutation", "bit-reversal")
        .replace("[4, 4]", "[3, 4]");
    refuses(&odd, &[], &["c.toml:7:11", "a power-of-two number"]);
    let listed = |list: &str| {
        CONFIG.replace(
            "\"random-permutation\"",
            &format!("\"listed\"\ndestinations = {list}"),
        )
    };
    let none = ["c.toml:8:17", "names node 16", "nodes 0 to 15"];
    refuses(&listed("[16]"), &[], &none);
    let many = format!("{:?}", vec![0; 17]);
    refuses(
        &listed(&many),
        &[],
        &["c.toml:8:16", "at most 16 destinations"],
    );
    let both = listed("[1]") + "file = \"p.csv\"\n";
    refuses(&both, &[], &["c.toml:8:16", "only without file"]);
    refuses(
        &listed("[0]"),
        &[],
        &["c.toml:7:11", "no packet would be made"],
    );
}

#[test]
fn files_and_keys_that_nothing_reads_are_refused() {
    refuses(CONFIG, &["--out", "c.toml/s.csv"], &["--out", "c.toml"]);
    // What is there isn't overwritten.
    let there = folder(CONFIG);
    there.refuses(
        &["schedule", "c.toml", "--out", "c.toml"],
        &["--out c.toml is CONFIG c.toml", "never overwritten"],
    );
    assert_eq!(there.read("c.toml"), CONFIG);
    // Keys that nothing reads.
    let file = CONFIG.replace("[schedule", "file = \"ring.csv\"\n[schedule");
    let allowed = "only with network.topology = \"file\" or \"links\"";
    refuses(&file, &[], &["c.toml:4:8", allowed]);
    let sides = ON_RING.replace("[schedule", "sides = [2, 2]\n[schedule");
    refuses(&sides, &[], &["c.toml:4:9", "network.sides is [2, 2]"]);
    let tries = ["--select", "earliest", "--tries", "5"];
    refuses(CONFIG, &tries, &["--tries 5", "isn't \"earliest\""]);
    // A file that isn't there.
    let folder = Folder::new();
    folder.refuses(&["schedule", "no.toml"], &["no.toml"]);
}

/// A line is a link one way: none leads back from node 1 to node 0, nor from node 3 to any other.
#[test]
fn links_lead_only_the_way_that_a_line_says() {
    for (links, [from, to]) in [
        ("0,0,1,1\n1,0,2,1\n2,0,3,1\n", [1, 0]),
        ("0,0,1,1\n2,0,3,1\n", [1, 0]),
        ("0,0,1,1\n1,0,0,1\n2,0,3,1\n3,0,2,1\n", [2, 0]),
    ] {
        let folder = folder(ON_RING);
        folder.write("ring.csv", links);
        folder.write("p.csv", "0,1\n");
        let says = format!("no path from node {from} to node {to}");
        let hint = "hint: read for network.file, c.toml:3:8";
        folder.refuses(&["schedule", "c.toml"], &["error: ring.csv", &says, hint]);
    }
}

/// A file in the form of earlier versions says what to write.
#[test]
fn the_old_form_is_translated() {
    let old = "[graph]\ntopology = \"mesh\"\nsides = [4, 4]\n[schedule]\nmethod = \"worms\"\norder = \"random\"\n[problem]\ndestinations = [3, 2]\nwords = 8\n";
    let new = "    [network]\n    topology = \"mesh\"\n    sides = [4, 4]\n    [schedule.worms]\n    order = \"random\"\n    seed = 0\n    [traffic]\n    process = \"once\"\n    pattern = \"listed\"\n    destinations = [3, 2]\n    packet_words = 8\n";
    let folder = folder(old);
    folder.refuses(
        &["schedule", "c.toml"],
        &["c.toml:1:1: [graph]: routes and schedules now", new],
    );
    folder.write("c.toml", new);
    let found = folder.fine(&["schedule", "c.toml", "--json"]).json();
    assert_eq!(
        (&found["packets"], &found["order"]),
        (&2.into(), &"random".into())
    );
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
    let many = folder(&ON_RING.replace("multistage", "naive"));
    many.write("ring.csv", RING);
    many.write("p.csv", "0,2\n".repeat(20_000));
    let found = many.fine(&["schedule", "c.toml", "--json"]).json();
    // All go over the first link one by one, then over the second: as the last comes, the first goes on.
    assert_eq!(
        (&found["makespan"], &found["waiting"]),
        (&40_000.into(), &19_999.into())
    );
}
