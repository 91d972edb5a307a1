//! `flitwork study`: rows, sentences, figures, refusals.

use crate::harness::{Folder, interrupt};
use serde_json::Value;

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
    let found = done.json();
    let rows = found["rows"].as_array().unwrap();
    // Each has one run per seed.
    assert_eq!(found["runs"].as_array().unwrap().len(), 2 * rows.len());
    // Two routers: one clock, in step, random pointers, two spreads over two synchronizers, and self-timed nodes.
    assert_eq!(rows.len(), 2 * (3 + 4 + 1));
    for row in rows {
        assert_eq!((&row["n"], &row["cn"]), (&120.into(), &7.into()));
        assert!(row["time_mean_cycles"].as_f64().unwrap() > 100.0);
        assert!(row["time_half_width_cycles"].as_f64().unwrap() >= 0.0);
        // Equal clocks give exactly the synchronous cycles and events.
        let same = ["one-clock", "in-step"].contains(&row["clocks"].as_str().unwrap())
            && row["random_pointers"] == false;
        assert_eq!(row["same_as_one_clock"], same, "{row}");
        assert!(!same || row["ratio"] == 1.0, "{row}");
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
        "Time relative to one clock, against n",
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
        assert_eq!(row["packets_in_network"], 0);
        let of = |name: &str| row[name].as_f64().unwrap();
        assert!(of("latency_mean_cycles") >= 9.0, "{row}");
        assert!(of("latency_p99_cycles") > of("latency_mean_cycles"));
        assert!(of("accepted_load_words_per_node_cycle") > 0.0);
        assert_eq!(row["steady"], of("steady_seeds") >= 1.0, "{row}");
        assert_eq!(row["reason"].is_null(), row["steady_seeds"] == 2, "{row}");
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

/// The rows of a design in a corner in one of the tables of a study.
fn designed(found: &Value, table: &str, design: &str, corner: Option<f64>) -> Vec<Value> {
    let rows = found[table].as_array().unwrap().iter();
    let own =
        rows.filter(|row| row["design"] == design && row["corner_percent"].as_f64() == corner);
    own.cloned().collect()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Small designs on links of two segments, by prices of round numbers.
fn self_timed(folder: &Folder) -> Value {
    let options = "study self-timed --side 4 --routers wormhole --topologies mesh --spreads 0 --corners 0,30 --lengths 2 \
                   --first-seed 3 --seeds 2 --time 1000 --clock-pj 5 --trunk-pj 1 --transition-pj 0.5 --jobs 2 --json";
    let words: Vec<&str> = options.split_whitespace().collect();
    folder.fine(&words).json()
}

/// Of a chip in the typical corner without a spread: its own clock ticks every 1000 ps, and that of all chips every 1300. Each word
/// takes two transitions in each of two segments. What is said of a pair is computed again from the table of runs.
#[test]
fn self_timed_designs_are_compared_seed_by_seed() {
    let found = self_timed(&Folder::new());
    let runs = |design, corner| designed(&found, "runs", design, corner);
    let (clocked, binned) = (runs("clocked", None), runs("binned", Some(0.0)));
    let own = runs("self-timed", Some(0.0));
    assert_eq!([clocked.len(), binned.len(), own.len()], [2, 2, 2]);
    for (at, ((all_chips, chip), own)) in clocked.iter().zip(&binned).zip(&own).enumerate() {
        let periods = [all_chips, chip].map(|run| number(run, "period_ps"));
        assert_eq!(periods, [1300.0, 1000.0]);
        assert!(own["period_ps"].is_null());
        assert!(
            [all_chips, chip, own]
                .iter()
                .all(|run| run["seed"] == 3 + at)
        );
        let busy = number(chip, "low_clock_ticks") - number(chip, "low_idle_clock_ticks");
        let working = number(chip, "low_working_steps");
        assert!(0.0 < working && working < busy, "{working} {busy}");
        let transitions = number(own, "low_handshake_transitions");
        assert_eq!(transitions, 4.0 * number(own, "low_link_words"));
    }
    let load = "accepted_load_words_per_node_ns";
    let both = own.iter().zip(&binned);
    let ratio = mean(both.map(|(own, binned)| number(own, load) / number(binned, load)));
    let pairs = designed(&found, "pairs", "self-timed", Some(0.0));
    let pair = pairs.iter().find(|row| row["against"] == "binned").unwrap();
    assert!(
        (number(pair, "accepted_ratio") - ratio).abs() < 1e-9,
        "{pair}"
    );
    let even = number(pair, "break_even_margin_percent");
    assert!((even - 100.0 * (1.0 / ratio - 1.0)).abs() < 1e-6, "{pair}");
}

/// Of 5 pJ a tick, 1 goes on while a node does nothing; a gate stops the other 4, which a self-timed step costs, too.
#[test]
fn gates_and_steps_are_priced_by_what_nodes_did() {
    let found = self_timed(&Folder::new());
    let spent = |design, pj: [f64; 2], opened: &str| {
        let runs = designed(&found, "runs", design, Some(0.0));
        let words = |run: &Value| number(run, "low_words_delivered");
        let all =
            |run: &Value| pj[0] * number(run, "low_clock_ticks") + pj[1] * number(run, opened);
        mean(runs.iter().map(|run| all(run) / words(run)))
    };
    let said = |design, name| number(&designed(&found, "rows", design, Some(0.0))[0], name);
    let clock = "low_clock_energy_pJ_per_word";
    for (design, name, expected) in [
        (
            "binned",
            clock,
            spent("binned", [1.0, 4.0], "low_clock_ticks"),
        ),
        (
            "binned-gated",
            clock,
            spent("binned", [1.0, 4.0], "low_working_steps"),
        ),
        (
            "self-timed",
            "low_step_energy_pJ_per_word",
            spent("self-timed", [0.0, 4.0], "low_working_steps"),
        ),
    ] {
        let found = said(design, name);
        assert!(
            (found - expected).abs() < 1e-9,
            "{design}: {found} {expected}"
        );
    }
    // Eleven sets of prices at two loads, and gates of idle nodes only.
    let prices = designed(&found, "prices", "self-timed", Some(0.0));
    let against = |design: &str| prices.iter().filter(|row| row["against"] == design).count();
    assert_eq!([against("binned"), against("binned-gated")], [22, 24]);
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
        ("--spreads", "", "0 to 50 %"),
        ("--spreads", "5,5.0", "each value once"),
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
    for study in ["async-load", "routers", "deflection"] {
        for (value, says) in [
            ("0", "above 0, up to 1"),
            ("0.1,1.5", "above 0, up to 1"),
            ("NaN", "above 0, up to 1"),
            ("x", "above 0, up to 1"),
            ("0.1,0.1", "0.1 is given twice; allowed: each value once"),
            ("0.1,0.10", "0.10 is given twice; allowed: each value once"),
            ("0.5,0.1", "0.1 follows 0.5; allowed: ascending loads"),
        ] {
            folder.refuses(&["study", study, "--loads", value], &["--loads", says]);
        }
    }
    for (study, option, value) in [
        ("routers", "--patterns", "uniform,uniform"),
        ("deflection", "--sides", "4,4"),
        ("cut-through", "--packet-words", "2,02"),
        ("duplex", "--frames", "1,2,1"),
        ("multiqueue", "--frames", "1,2,1"),
        ("greedy-steps", "--n", "8,8"),
        ("chaos-readings", "--readings", "b,link,b"),
    ] {
        folder.refuses(
            &["study", study, option, value],
            &[option, "each value once"],
        );
    }
    folder.refuses(
        &["paper", "chinn-exp2", "--n", "60,60"],
        &["--n", "each value once"],
    );
}

/// CSV has the same values as JSON under the same names.
#[test]
fn rows_are_the_same_in_every_format() {
    let folder = Folder::new();
    for (command, files) in [
        (
            "study greedy-steps --n 4,8 --seeds 2",
            &["greedy-steps", "greedy-steps-runs"][..],
        ),
        (
            "study chaos-readings --n 60 --seeds 1 --readings b",
            &["chaos-readings", "chaos-readings-runs"],
        ),
        (
            "study async-exp2 --n 60 --spreads 5 --seeds 1",
            &["async-exp2", "async-exp2-runs"],
        ),
        (
            "study multiqueue --side 4 --cycles 200 --frames 1",
            &["multiqueue", "multiqueue-runs"],
        ),
        (
            "study cut-through --side 3 --packet-words 1 --seeds 2 --cycles 200",
            &["cut-through"],
        ),
        (
            "study duplex --axes pattern --side 4 --patterns uniform --seeds 2 --cycles 200",
            &["duplex"],
        ),
        (
            "study async-load --side 4 --loads 0.9 --spreads 5 --seeds 1 --cycles 200 --patterns uniform",
            &["async-load", "async-load-runs"],
        ),
        (
            "study deflection --sides 4 --loads 0.1 --seeds 1 --cycles 200",
            &["deflection"],
        ),
        (
            "paper chinn-exp2 --n 60 --seeds 2",
            &["chinn-exp2", "chinn-exp2-runs"],
        ),
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        let args = and(&args, &["--json", "--force", "--out", "out"]);
        let found = folder.fine(&args).json();
        for (name, key) in files.iter().zip(["rows", "runs"]) {
            let table = folder.read(&format!("out/{name}.csv"));
            let lines = table.lines().filter(|line| !line.starts_with('#'));
            let table = lines.collect::<Vec<&str>>().join("\n");
            let mut reader = csv::Reader::from_reader(table.as_bytes());
            let columns = reader.headers().unwrap().clone();
            let rows = found[key].as_array().unwrap();
            let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            assert_eq!(lines.len(), rows.len(), "{name}");
            for (line, row) in lines.iter().zip(rows) {
                let row = row.as_object().unwrap();
                assert_eq!(row.len(), columns.len(), "{name}");
                for (column, cell) in columns.iter().zip(line) {
                    let same = match &row[column] {
                        Value::Null => cell.is_empty(),
                        Value::String(text) => text == cell,
                        Value::Bool(truth) => truth.to_string() == cell,
                        other => other.as_f64() == cell.parse().ok(),
                    };
                    assert!(same, "{name}, {column}: {} and {cell}", row[column]);
                }
            }
        }
    }
}

/// Six runs of a row on a small network, and then six on a large one, which take long.
#[test]
fn rows_of_runs_over_threads_are_kept_as_far_as_they_are_whole() {
    let folder = Folder::new();
    let line = "-v study crossing --axes network --topologies mesh --sides 4,64 --routers flit-bless --cycles 40000 --seeds 1 --jobs 1";
    let args: Vec<&str> = line.split(' ').collect();
    let mut child = folder.start(&args);
    folder.wait_for(&mut child, "6 of 12 runs are done");
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    assert!(
        done.err.contains("only the rows that were done"),
        "{}",
        done.err
    );
    assert!(done.out.contains("mesh of 4 x 4"), "{}", done.out);
    assert!(!done.out.contains("mesh of 64 x 64"), "{}", done.out);
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
        "--jobs",
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
        "--seeds",
        "1",
        "--jobs",
        "1",
    ];
    let waits = [
        (&exp2[..], "1 of 2 runs are done", "cn  router"),
        (&load[..], "runs are done", "mesh, uniform: latency, mean"),
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

/// On a ring under one clock nobody escapes: nothing is drawn, and the command says so. Any other figure that is asked for is there.
#[test]
fn a_folder_of_figures_that_stays_empty_is_explained() {
    let folder = Folder::new();
    let line = "study livelock --n 4 --seeds 1 --deadline 20000 --plot figures --timing";
    let drawn = |timing: &str| {
        let args: Vec<&str> = line.split(' ').collect();
        let done = folder.fine(&and(&args, &[timing, "--force"]));
        let files = std::fs::read_dir(folder.path("figures")).map_or(0, Iterator::count);
        (files, done.err)
    };
    let (none, said) = drawn("one-clock");
    assert!(
        none == 0 && said.contains("--plot: no figure is drawn"),
        "{said}"
    );
    // The time to escape over the spread, and who is left over time.
    let (some, said) = drawn("spread");
    assert!(some == 2 && !said.contains("no figure"), "{said}");
    // Who asks for no figure misses none.
    let line = "study livelock --n 4 --seeds 1 --deadline 20000 --timing one-clock";
    let args: Vec<&str> = line.split(' ').collect();
    assert_eq!(folder.fine(&args).err, "");
}

/// A list has the same rows by either name.
#[test]
fn lists_are_named_in_the_singular_or_in_the_plural() {
    let folder = Folder::new();
    let rows = |line: &str| {
        let args: Vec<&str> = line.split(' ').collect();
        folder.fine(&args).out
    };
    let line = "study multiqueue --side 4 --cycles 200 --frames 1 --seeds 1";
    let plural = rows(&format!("{line} --topologies torus --patterns uniform"));
    assert_eq!(
        plural,
        rows(&format!("{line} --topology torus --pattern uniform"))
    );
    assert!(plural.contains("torus") && !plural.contains("mesh"));
}
