//! What adversaries make against the papers' rules: that the theorems hold in what users see, and the permutations as files.

use crate::clashes::keeps;
use crate::harness::Folder;
use serde_json::Value;

fn rows(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let found = folder.fine(&[&["paper"], args, &["--json"]].concat());
    found.json()["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap_or_else(|| panic!("{key}: {row}"))
}

/// The rows of `chinn-bounds`, all of which repeat and keep their bounds.
fn bounds(line: &str) -> Vec<Value> {
    let args: Vec<&str> = line.split(' ').collect();
    let rows = rows(&Folder::new(), &[&["chinn-bounds"], &args[..]].concat());
    for row in &rows {
        assert_eq!(row["repeats"], true, "{line}: {row}");
        assert!(
            number(row, "steps") >= number(row, "bound"),
            "{line}: {row}"
        );
        assert_eq!(number(row, "undelivered"), 0, "{line}: {row}");
    }
    rows
}

/// What the tests of `crates/steps` hold of each section, on the command line.
#[test]
fn every_section_repeats() {
    let count = |line: &str| bounds(line).len();
    let all = "--n 120 --rule greedy-adaptive,alternating,fifo,lifo,random,straight-first";
    assert_eq!(count(all), 6);
    let queues = "--section 2.4.1 --n 300 --rule greedy-adaptive,fifo,lifo,straight-through";
    assert_eq!(count(&format!("{queues},alternating")), 5);
    assert_eq!(count(&format!("{queues} --queues outgoing")), 4);
    assert_eq!(
        count("--section 2.4.2 --n 240 --rule greedy-adaptive,fifo"),
        2
    );
    assert_eq!(
        count("--section 2.4.3 --n 325 --k 2 --h 2 --rule greedy-adaptive,alternating"),
        2
    );
    let order = "fifo,lifo,random,straight-first,farthest-first,nearest-first,straight-through";
    assert_eq!(
        count(&format!("--section 2.4.5 --n 60 --k 1,2 --rule {order}")),
        14
    );
    assert_eq!(
        count("--section 2.4.5 --n 64 --k 2 --h 2 --rule fifo,lifo"),
        2
    );
}

/// Section 2.4.4's rules are those that are nonminimal before the edge of the 1-box. Without `--rule` each section has its own.
#[test]
fn rules_that_leave_shortest_paths_in_the_box_repeat() {
    for corner in ["south-west", "north-west", "south-east", "north-east"] {
        let rows = bounds(&format!(
            "--section 2.4.4 --n 260 --k 3,4 --corner {corner}"
        ));
        let rules: Vec<_> = rows.iter().map(|row| &row["rule"]).collect();
        assert_eq!(rules, ["derouting", "derouting"]);
    }
    assert_eq!(
        bounds("--section 2.4.4 --n 240 --k 3 --inqueue round-robin").len(),
        1
    );
    assert_eq!(bounds("--section 2.4.5 --n 60")[0]["rule"], "fifo");
    assert_eq!(
        bounds("--section 2.3 --n 120")[0]["rule"],
        "greedy-adaptive"
    );
}

/// Only what is wrong is said to be.
#[test]
fn rules_of_another_class_are_named_alone() {
    let folder = Folder::new();
    let refused = |line: &str| {
        let args: Vec<&str> = line.split(' ').collect();
        let done = folder.flitwork(&[&["paper", "chinn-bounds"], &args[..]].concat());
        assert_eq!(done.code, Some(2), "{}", done.err);
        done.err
    };
    let error = refused("--section 2.4.4 --rule greedy-adaptive,derouting");
    let says = "--rule: the bound of section 2.4.4 isn't for greedy-adaptive; allowed: derouting";
    assert!(error.contains(says), "{error}");
    let error = refused("--section 2.4.5 --rule fifo,greedy-adaptive,lifo,alternating");
    assert!(
        error.contains(
            "isn't for greedy-adaptive, alternating; allowed: farthest-first, farthest-origin, fifo"
        ),
        "{error}"
    );
}

/// By hand, for n = 128 and k = 1: cn = 128/8 = 16, dn = 64, p = 3 16 + 64 = 112, l = 112 16 / 112 = 16. Random permutations
/// take a third of that.
#[test]
fn straight_through_meets_its_adversary() {
    let folder = Folder::new();
    let rows = rows(&folder, &["chinn-upper", "--n", "128", "--seeds", "1"]);
    let of = |name: &str| rows.iter().find(|row| row["permutation"] == name).unwrap();
    let (made, random) = (of("adversary"), of("random"));
    assert_eq!(
        (number(made, "at_least"), &random["at_least"]),
        (1024, &Value::Null)
    );
    assert!(number(made, "steps") >= 1024 && number(random, "steps") < 512);
    // Theorem 2.19: 128 (4 128 - 3) + 5 128.
    assert_eq!(
        (number(made, "bound"), number(random, "bound")),
        (65_792, 65_792)
    );
    assert!(number(made, "steps") <= 65_792);
    // A mesh without a class of packets has no adversary, which shows only if it is asked for.
    let small = ["chinn-upper", "--n", "4"];
    let found = crate::worst_cases::rows(&folder, &small);
    assert!(found.iter().all(|row| row["permutation"] != "adversary"));
    let args = [
        "paper",
        "chinn-upper",
        "--n",
        "4",
        "--permutation",
        "adversary",
    ];
    folder.refuses(&args, &["--n", "the least is"]);
}

const ROUTE: &str = "[network]\ntopology = \"mesh\"\nsides = [120, 120]\n[traffic]\nprocess = \"once\"\npattern = \"listed\"\nfile = \"worst.csv\"\n";

fn routed(folder: &Folder, rule: &str) -> Value {
    folder.write("route.toml", format!("{ROUTE}[rule.{rule}\n"));
    folder.fine(&["route", "route.toml", "--json"]).json()
}

/// What is made against a rule takes it as long wherever it is read.
#[test]
fn a_worst_case_is_a_file() {
    let folder = Folder::new();
    let made = [
        "chinn-bounds",
        "--n",
        "120",
        "--permutation-out",
        "worst.csv",
    ];
    let made = rows(&folder, &made);
    let steps = number(&made[0], "steps");
    assert!(steps > 238, "more than the longest distance: {steps}");
    let text = folder.read("worst.csv");
    assert!(text.starts_with("# ") && text.contains("--permutation-out worst.csv"));
    let packets = text.lines().filter(|line| !line.starts_with('#')).count();
    // Two classes of 94 packets north and east.
    assert_eq!(packets, 2 * 2 * 94);
    let again = ["chinn-bounds", "--n", "120", "--permutation", "worst.csv"];
    let rules = ["--rule", "greedy-adaptive,nearest-first,straight-through"];
    let again = rows(&folder, &[&again[..], &rules].concat());
    assert_eq!(number(&again[0], "steps"), steps);
    assert_eq!(
        [&again[0]["repeats"], &again[0]["exchanges"]],
        [&Value::Null; 2]
    );
    assert!(again.iter().all(|row| row["permutation"] == "worst.csv"));
    assert_eq!(number(&routed(&folder, "greedy-adaptive]"), "steps"), steps);
    // An off-line schedule needs no more than half of it, and hardware delivers all.
    folder.write("plan.toml", format!("{ROUTE}[schedule.worms]\n"));
    let plan = folder.fine(&["schedule", "plan.toml", "--json"]).json();
    assert_eq!(number(&plan, "packets"), packets as u64);
    assert!(number(&plan, "makespan") < steps);
    folder.write(
        "run.toml",
        "[network]\ntopology = \"mesh\"\nsides = [120, 120]\n[router.queueing]\n[traffic]\nprocess = \"once\"\npacket_words = 1\n\
         pattern = \"permutation\"\nfile = \"worst.csv\"\n",
    );
    let run = folder.fine(&["run", "run.toml", "--json"]).out;
    assert!(
        run.contains(&format!("\"packets_delivered\": {packets},")),
        "{run}"
    );
}

/// The adversary's permutation against straight-through, which has queues of links.
#[test]
fn that_against_straight_through_is_one_too() {
    let folder = Folder::new();
    let adversary = ["chinn-upper", "--n", "120", "--permutation", "adversary"];
    let made = rows(
        &folder,
        &[&adversary[..], &["--permutation-out", "worst.csv"]].concat(),
    );
    let rule = "straight-through]\nqueues = \"incoming\"";
    let (steps, found) = (number(&made[0], "steps"), routed(&folder, rule));
    assert_eq!(
        (number(&found, "steps"), &found["queue_max"]),
        (steps, &made[0]["queue_max"])
    );
    let again = ["chinn-upper", "--n", "120", "--permutation", "worst.csv"];
    assert_eq!(number(&rows(&folder, &again)[0], "steps"), steps);
    // A random permutation of the program of linear time, written and read.
    let linear = [
        "chinn-linear",
        "--n",
        "27",
        "--phases",
        "quiet",
        "--permutation",
    ];
    let random = ["random", "--seeds", "1", "--permutation-out", "random.csv"];
    let made = rows(&folder, &[&linear[..], &random].concat());
    let again = rows(&folder, &[&linear[..], &["random.csv"]].concat());
    assert_eq!(made[0]["steps"], again[0]["steps"]);
    assert_eq!(again[0]["permutation"], "random.csv");
    let upper = ["chinn-upper", "--n", "27", "--permutation"];
    let [drawn, read] = [&["random", "--seeds", "1"][..], &["random.csv"]]
        .map(|rest| rows(&folder, &[&upper[..], rest].concat())[0]["steps"].clone());
    assert_eq!(drawn, read, "both experiments draw the same");
}

/// The configuration of a row, with the permutation that was written beside it, takes `route` as many steps as the row says: on a
/// torus too, and from each corner of section 2.4.4, whose rule looks where the corner's box lies.
#[test]
fn a_row_is_routed_again_from_its_configuration() {
    let folder = Folder::new();
    let nonminimal = "--section 2.4.4 --n 240 --k 3 --corner";
    let corners = ["south-west", "north-west", "south-east", "north-east"];
    let corners = corners.map(|corner| format!("{nonminimal} {corner}"));
    let others = [
        "--section 2.4.2 --n 240",
        "--section 2.4.5 --n 60 --rule farthest-first",
    ];
    for line in others.into_iter().chain(corners.iter().map(String::as_str)) {
        let args = format!("paper chinn-bounds {line} --permutation-out worst.csv --force --json");
        let made = folder.fine(&args.split(' ').collect::<Vec<_>>()).json();
        let all = made["provenance"]["configuration"].as_object().unwrap();
        assert_eq!(all.len(), 1, "{line}");
        let one = all.values().next().unwrap();
        folder.write("route.toml", one.as_str().unwrap());
        let again = folder.fine(&["route", "route.toml", "--json"]).json();
        assert_eq!(again["steps"], made["rows"][0]["steps"], "{line}: {one}");
    }
}

/// A permutation that is read is kept, whatever output names it.
#[test]
fn a_permutation_that_is_read_is_never_overwritten() {
    let folder = Folder::new();
    folder.write("p.csv", "0,1\n1,0\n");
    for experiment in [
        "chinn-bounds --n 120",
        "chinn-linear --n 27",
        "chinn-upper --n 4",
    ] {
        for output in ["--permutation-out", "--log"] {
            let command = format!("paper {experiment} --permutation p.csv {output} p.csv --force");
            let clash = format!("{output} p.csv is --permutation p.csv, which is read");
            keeps(&folder, "p.csv", &command, &[&clash]);
        }
    }
}

/// A named permutation is the same to `route` and to the experiments.
#[test]
fn a_random_permutation_is_that_of_routes() {
    let folder = Folder::new();
    let made = [
        "chinn-upper",
        "--n",
        "120",
        "--permutation",
        "random",
        "--seeds",
        "1",
    ];
    let made = rows(&folder, &made);
    let route = ROUTE.replace("\"listed\"\nfile = \"worst.csv\"", "\"random-permutation\"");
    let rule = "[rule.straight-through]\nqueues = \"incoming\"\n";
    folder.write("route.toml", format!("{route}{rule}"));
    let routed = folder.fine(&["route", "route.toml", "--json"]).json();
    assert_eq!(routed["steps"], made[0]["steps"]);
}

#[test]
fn files_that_cant_be_are_refused() {
    let folder = Folder::new();
    let refuses = |line: &str, says: &[&str]| {
        let args: Vec<&str> = ["paper"].into_iter().chain(line.split(' ')).collect();
        folder.refuses(&args, says);
    };
    let out = "--permutation-out p.csv";
    let several = "--permutation-out: 2 permutations for one file; allowed: one";
    refuses(&format!("chinn-bounds --n 120,240 {out}"), &[several]);
    refuses(
        &format!("chinn-bounds --n 120 --rule fifo,lifo {out}"),
        &[several],
    );
    refuses(
        &format!("chinn-upper --n 27 --permutation reversal,transpose {out}"),
        &[several],
    );
    refuses(
        &format!("chinn-linear --n 27 --permutation random --seeds 2 {out}"),
        &[several],
    );
    let several = "--section 2.4.3 --n 325 --k 2 --h 2";
    refuses(
        &format!("chinn-bounds {several} {out}"),
        &["--permutation-out", "--h 1"],
    );
    refuses(
        &format!("chinn-bounds --n 120 --permutation q.csv {out}"),
        &["--permutation-out: nothing is constructed"],
    );
    assert!(!folder.path("p.csv").exists());
    folder.write("q.csv", "0,1\n1,0\n");
    let sides = "--permutation: q.csv is of one mesh, and would be routed on those of side 120, 240; allowed: one side";
    refuses("chinn-bounds --n 120,240 --permutation q.csv", &[sides]);
    refuses("chinn-upper --n 120,240 --permutation q.csv", &[sides]);
    refuses(
        "chinn-linear --permutation q.csv",
        &["one side, as in --n 27"],
    );
    refuses(
        "chinn-linear --n 27 --permutation none.csv",
        &[
            "--permutation: none.csv",
            "allowed: random, reversal, transpose, or a file",
        ],
    );
    refuses(
        "chinn-bounds --n 120 --permutation .",
        &["--permutation: .", "allowed: a file"],
    );
    folder.write("q.csv", "0,1\n1,99999\n");
    let line = "--permutation: q.csv: line 2, column 3: \"99999\" is not a node";
    refuses(
        "chinn-bounds --n 120 --permutation q.csv",
        &[line, "120 x 120 = 14400 nodes"],
    );
    // What exists is kept.
    let write = "chinn-bounds --n 120 --permutation-out q.csv";
    refuses(write, &["--permutation-out: q.csv exists", "--force"]);
    let forced: Vec<&str> = ["paper"]
        .into_iter()
        .chain(write.split(' '))
        .chain(["--force"])
        .collect();
    folder.fine(&forced);
    assert!(folder.read("q.csv").starts_with('#'));
}

/// `route` and `schedule` read a permutation file in each of its forms, and say where one is wrong.
#[test]
fn problems_are_files_of_all_forms() {
    let folder = Folder::new();
    let config = "[network]\ntopology = \"mesh\"\nsides = [2, 2]\n[traffic]\nprocess = \"once\"\npattern = \"listed\"\nfile = \"p\"\n";
    folder.write(
        "route.toml",
        format!("{config}[rule.fifo]\nqueues = \"unbounded\"\n"),
    );
    folder.write("plan.toml", format!("{config}[schedule.multistage]\n"));
    for (text, packets) in [
        ("source,destination\n0,3\n3,0\n", 2),
        ("0 3 # there\n\n3 0\n0 3\n", 3),
        ("[3, null, 1, 0]", 3),
        ("{\"packets\": [[0, 3]]}", 1),
    ] {
        folder.write("p", text);
        for command in [["route", "route.toml"], ["schedule", "plan.toml"]] {
            let found = folder.fine(&[&command[..], &["--json"]].concat()).json();
            assert_eq!(found["packets"], packets, "{command:?} {text}");
        }
    }
    for (text, says) in [
        ("0,3\n0,4\n", ["p:2:3", "\"4\" is not a node"]),
        ("[3, 0]", ["p:1:", "2 destinations"]),
        ("0,3\n# all\n0\n", ["p:3:2", "the number of fields is 1"]),
    ] {
        folder.write("p", text);
        folder.refuses(&["route", "route.toml"], &says);
        folder.refuses(&["schedule", "plan.toml"], &says);
    }
}
