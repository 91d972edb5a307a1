//! `flitwork study`: rows, sentences, figures, refusals.

use crate::harness::{Folder, interrupt};

const EXP2: [&str; 8] = [
    "study",
    "async-exp2",
    "--n",
    "120",
    "--seeds",
    "2",
    "--spreads",
    "0,10",
];
const LOAD: [&str; 12] = [
    "study",
    "async-load",
    "--side",
    "4",
    "--loads",
    "0.2,0.9",
    "--spreads",
    "0,10",
    "--seeds",
    "2",
    "--cycles",
    "2000",
];

fn and<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

#[test]
fn experiment_2_is_routed_under_clocks() {
    let folder = Folder::new();
    let done = folder.fine(&and(&EXP2, &["--json", "--plot", "new/figure.svg"]));
    assert_eq!(done.err, "", "nothing to say");
    let rows = done.json();
    let rows = rows["rows"].as_array().unwrap();
    // Two routers: one clock, in step, random pointers, and two spreads over two synchronizers.
    assert_eq!(rows.len(), 2 * (3 + 4));
    for row in rows {
        assert_eq!((&row["n"], &row["cn"]), (&120.into(), &7.into()));
        assert_eq!(row["runs"].as_array().unwrap().len(), 2);
        assert!(row["cycles"]["mean"].as_f64().unwrap() > 100.0);
        assert!(row["cycles"]["half_width"].as_f64().unwrap() >= 0.0);
        // Equal clocks give the synchronous cycles and events exactly.
        let same = ["one-clock", "in-step"].contains(&row["clocks"].as_str().unwrap())
            && row["random_pointers"] == false;
        assert_eq!(row["same_as_one_clock"], same, "{row}");
        assert!(!same || row["ratio"]["mean"] == 1.0, "{row}");
        assert_eq!(row["spread_percent"].is_null(), row["clocks"] != "spread");
        assert_eq!(
            row["synchronizer_edges"].is_null(),
            row["clocks"] != "spread"
        );
    }
    let svg = folder.read("new/figure.svg");
    assert!(svg.starts_with("<svg") && svg.contains("minimal-chaos, 10 % spread, 2 edges"));
}

#[test]
fn experiment_2_ends_with_sentences() {
    let folder = Folder::new();
    let done = folder.fine(&and(&EXP2, &["--synchronizer", "2"]));
    for say in [
        "of one clock",
        "Time as a part of one clock's, over n",
        "Check: equal clocks in step give one clock's cycles, deroutes and digests in all of 4 runs.",
        "chaos, 2 edges, against one clock: +",
        "The thesis lets random initial pointers stand for asynchrony",
    ] {
        assert!(done.out.contains(say), "{say}: {}", done.out);
    }
    assert!(!done.out.contains("0 edges"), "{}", done.out);
}

#[test]
fn load_is_swept_under_clocks() {
    let folder = Folder::new();
    let done = folder.fine(&and(&LOAD, &["--json", "--plot", "figures"]));
    assert_eq!(done.err, "", "nothing to say");
    let rows = done.json();
    let rows = rows["rows"].as_array().unwrap();
    // Two networks, three patterns; one clock, two spreads and self-timed nodes; two loads.
    assert_eq!(rows.len(), 2 * 3 * 4 * 2);
    for row in rows {
        assert_eq!(row["seeds"], 2);
        assert_eq!(row["left_packets"], 0);
        assert!(row["latency"]["mean"].as_f64().unwrap() >= 9.0, "{row}");
        assert!(row["latency_p99"].as_f64().unwrap() > row["latency"]["mean"].as_f64().unwrap());
        assert!(row["accepted"]["mean"].as_f64().unwrap() > 0.0);
        let said = row["not_steady"].as_array().unwrap().len();
        assert_eq!(row["steady"], said <= 1, "{row}");
    }
    for topology in ["mesh", "torus"] {
        for pattern in ["uniform", "transpose", "hot-spot"] {
            let svg = folder.read(&format!("figures/async-load-{topology}-{pattern}.svg"));
            assert!(svg.starts_with("<svg") && svg.contains("self-timed"));
        }
    }
    let text = folder
        .fine(&and(
            &LOAD,
            &["--topologies", "mesh", "--patterns", "uniform"],
        ))
        .out;
    for say in [
        "mesh, uniform: accepted load",
        ") o",
        "mesh, uniform, load 0.2: latency ",
        "mesh, uniform, saturated at load 0.9: ",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
    assert!(!text.contains("torus"));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    for (option, value, says) in [
        ("--n", "34", "35 or more"),
        ("--n", "0", "allowed"),
        ("--n", "x", "allowed"),
        ("--spreads", "-1", "0 to 50 %"),
        ("--spreads", "50.5", "0 to 50 %"),
        ("--spreads", "NaN", "0 to 50 %"),
        ("--spreads", "", "invalid"),
        ("--synchronizer", "17", "0 to 16"),
        ("--synchronizer", "-1", "invalid"),
        ("--seeds", "0", "allowed"),
        ("--plot", ".", "can't be written"),
    ] {
        folder.refuses(&["study", "async-exp2", option, value], &[option, says]);
    }
    for (option, value, says) in [
        ("--side", "0", "allowed"),
        ("--side", "1", "nodes"),
        ("--loads", "0", "above 0, up to 1"),
        ("--loads", "1.5", "above 0, up to 1"),
        ("--spreads", "0,99", "0 to 50 %"),
        ("--topologies", "ring", "mesh, torus"),
        ("--patterns", "many-to-one", "destination"),
        ("--patterns", "nothing", "uniform"),
        ("--cycles", "19", "20 to 1000000000"),
        ("--synchronizer", "2,17", "0 to 16"),
        ("--seeds", "0", "allowed"),
        ("--plot", "small.toml", "small.toml"),
    ] {
        folder.refuses(&["study", "async-load", option, value], &[option, says]);
    }
}

#[test]
fn studies_end_with_the_rows_that_are_done() {
    let folder = Folder::new();
    let exp2 = [
        "-v",
        "study",
        "async-exp2",
        "--n",
        "120,1560",
        "--seeds",
        "1",
    ];
    let load = [
        "-v",
        "study",
        "async-load",
        "--side",
        "16",
        "--cycles",
        "3000",
        "--loads",
        "0.02,0.9",
    ];
    let waits = [
        (
            &exp2[..],
            "n = 1560, seed 1: minimal-chaos, in step",
            "cn  router",
        ),
        (
            &load[..],
            "one clock, load 0.9, seed 1",
            "mesh, uniform: latency, mean",
        ),
    ];
    for (args, begun, shown) in waits {
        let mut child = folder.start(args);
        folder.wait_for(&mut child, begun);
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{}", done.err);
        assert!(done.err.contains("interrupted"), "{}", done.err);
        assert!(done.out.contains(shown), "{}", done.out);
    }
}
