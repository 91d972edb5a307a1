//! A copy of the tree with every toy in it, built and run.

use super::{ENTRIES, KINDS, toy};
use crate::repository::root;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RUN: &str = "\n[run]\nwarmup_cycles = 200\nmeasure_cycles = 6000\n";

/// A configuration of every part that a configuration can name, and of all of them together.
const CONFIGURATIONS: [(&str, &str); 8] = [
    (
        "router",
        "network = { topology = \"torus\", sides = [5, 4] }\nrouter.relay = { rotates = false }\ntraffic.load = 0.1",
    ),
    (
        "topology",
        "network = { topology = \"hub\", leaves = 6 }\nrouter.chaos = {}\ntraffic.load = 0.05",
    ),
    (
        "worms",
        "network = { topology = \"mesh\", sides = [4, 4] }\ntraffic.load = 0.1\n\
         router.wormhole = { routing = \"south-last\", vc_allocator = \"fixed\", switch_allocator = \"fixed\" }",
    ),
    (
        "priority",
        "network = { topology = \"mesh\", sides = [4, 4] }\nrouter.deflection = { priority = \"youngest-first\" }\n\
         traffic.load = 0.1",
    ),
    (
        "pattern",
        "network = { topology = \"mesh\", sides = [4, 4] }\nrouter.wormhole = {}\n\
         traffic = { load = 0.1, pattern = \"onward\", onward_nodes = 3 }",
    ),
    (
        "process",
        "network = { topology = \"mesh\", sides = [4, 4] }\nrouter.deflection = {}\n\
         traffic = { process = \"regular\", every_cycles = 25 }",
    ),
    (
        "crossing",
        "network = { topology = \"mesh\", sides = [4, 4], crossings = [{ kind = \"ratiochronous\", guard_ps = 100 }] }\n\
         router.chaos = {}\ntraffic.load = 0.1",
    ),
    (
        "all",
        "network = { topology = \"hub\", leaves = 6 }\nrouter.relay = {}\n\
         traffic = { process = \"regular\", every_cycles = 30, pattern = \"onward\" }",
    ),
];

/// Static problems with every part that `flitwork route` and `flitwork schedule` can name.
const PROBLEMS: [(&str, &str); 3] = [
    (
        "route",
        "rule.lowest-source = { inqueue = \"highest\", k = 4 }",
    ),
    ("schedule", "schedule.one-by-one = { pause_steps = 2 }"),
    (
        "schedule",
        "schedule.multistage = { order = \"destination-major\" }",
    ),
];

/// A copy of the tree, with its build.
struct Copy {
    folder: tempfile::TempDir,
    target: PathBuf,
}

impl Copy {
    fn of_the_tree() -> Copy {
        let folder = tempfile::tempdir().unwrap();
        copy(root(), folder.path());
        // Kept from one soak to the next.
        let target = root().join("target/toys");
        Copy { folder, target }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn add(&self, kind: &str) {
        for place in &toy(kind).places {
            let path = self.path(&place.path);
            let text = match place.is_new {
                true => String::new(),
                false => fs::read_to_string(&path).unwrap(),
            };
            fs::write(&path, place.apply(&text).unwrap()).unwrap();
        }
    }

    /// Cargo, with warnings as errors.
    fn cargo(&self, arguments: &[&str]) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(arguments).current_dir(self.folder.path());
        cargo.env("CARGO_TARGET_DIR", &self.target);
        cargo.env("RUSTFLAGS", "-D warnings");
        let status = cargo.status().unwrap();
        assert!(status.success(), "cargo {arguments:?}");
    }

    /// Runs the program, which must succeed.
    fn fine(&self, arguments: &[&str]) -> String {
        let done = self.flitwork(arguments);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{arguments:?}: {said}");
        String::from_utf8(done.stdout).unwrap()
    }

    fn flitwork(&self, arguments: &[&str]) -> Output {
        let mut program = Command::new(self.target.join("debug/flitwork"));
        program.args(arguments).current_dir(self.folder.path());
        program.output().unwrap()
    }

    fn results(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--json"]].concat();
        serde_json::from_str(&self.fine(&arguments)).unwrap()
    }
}

/// All files of the tree except what is built from it and git's own.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let is_left_out = [".git", "target", "out"]
            .iter()
            .any(|it| from.ends_with(it));
        if is_left_out {
            continue;
        }
        if from.is_dir() {
            fs::create_dir(&to).unwrap();
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

#[test]
#[ignore = "builds the tree once more: minutes; cargo test --test cli repository::toys -- --ignored --nocapture"]
fn every_toy_is_built_and_run() {
    let copy = Copy::of_the_tree();
    for kind in KINDS.iter().chain(&ENTRIES) {
        copy.add(kind);
    }
    copy.cargo(&["build", "--features", "parquet"]);
    for (name, text) in CONFIGURATIONS {
        engines_agree(&copy, name, text);
    }
    for (command, part) in PROBLEMS {
        let text = "network = { topology = \"mesh\", sides = [6, 6] }\n\
                    traffic = { process = \"once\", pattern = \"reversal\" }\n";
        fs::write(copy.path("problem.toml"), format!("{text}{part}\n")).unwrap();
        assert_eq!(
            copy.results(&[command, "problem.toml"])["packets"],
            36,
            "{part}"
        );
    }
    names_are_known(&copy);
    the_study_runs(&copy);
    the_format_is_written(&copy);
    the_figure_is_everywhere(&copy);
    // Tests of all routers, and the toys' own tests.
    copy.cargo(&["test", "-q", "--test", "networks", "contract::"]);
    for test in ["models", "routing"] {
        copy.cargo(&["test", "-q", "-p", "flitwork-router", "--test", test]);
    }
    for package in [
        "report", "router", "schedule", "steps", "topology", "traffic",
    ] {
        let package = format!("flitwork-{package}");
        copy.cargo(&["test", "-q", "-p", &package, "--lib"]);
    }
}

/// Every engine gives one digest, as do a recorded run in lockstep and its replay.
fn engines_agree(copy: &Copy, name: &str, text: &str) {
    let file = format!("{name}.toml");
    fs::write(copy.path(&file), format!("{text}{RUN}")).unwrap();
    let plain = copy.results(&["run", &file, "--engine", "sync-plain"]);
    let delivered = plain["packets_delivered"].as_u64().unwrap();
    assert!(delivered > 100, "{name}: {plain}");
    assert_eq!(plain["packets_created"].as_u64(), Some(delivered), "{name}");
    for engine in ["sync", "sync-stepped", "clocked"] {
        let other = copy.results(&["run", &file, "--engine", engine]);
        assert_eq!(other["digest"], plain["digest"], "{name} on {engine}");
    }
    let record = format!("{name}.flog");
    let live = [
        "run", &file, "--engine", "live", "--slack", "0", "--record", &record,
    ];
    assert_eq!(
        copy.results(&live)["digest"],
        plain["digest"],
        "{name} live"
    );
    let again = copy.results(&["replay", &record]);
    assert_eq!(again["digest"], plain["digest"], "{name} replayed");
}

/// They appear in lists, in the reference and in messages.
fn names_are_known(copy: &Copy) {
    let list = copy.fine(&["list"]);
    for name in [
        "relay",
        "hub",
        "onward",
        "regular",
        "south-last",
        "fixed",
        "youngest-first",
        "ratiochronous",
        "lowest-source",
        "highest",
        "one-by-one",
        "destination-major",
    ] {
        assert!(list.contains(&format!("\n  {name} ")), "{name}: {list}");
    }
    let reference = copy.fine(&["reference"]);
    for key in ["rotates", "leaves", "onward_nodes", "every_cycles"] {
        assert!(reference.contains(key), "{key}");
    }
    let done = copy.flitwork(&["run", "router.toml", "--set", "router.relay.rotate=true"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains("did you mean router.relay.rotates?"),
        "{said}"
    );
}

fn the_study_runs(copy: &Copy) {
    let rows = copy.results(&["study", "sides", "--sides", "4,6"]);
    let rows = rows["rows"].as_array().unwrap();
    let sides: Vec<u64> = rows
        .iter()
        .map(|row| row["side"].as_u64().unwrap())
        .collect();
    assert_eq!(sides, [4, 6]);
}

/// A row for each packet, and a table of a sweep.
fn the_format_is_written(copy: &Copy) {
    let results = copy.results(&["run", "router.toml", "--packets", "packets.jsonl"]);
    let lines = fs::read_to_string(copy.path("packets.jsonl")).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    let delivered = results["packets_delivered"].as_u64().unwrap() as usize;
    // The provenance precedes them, how the run ended follows them.
    assert_eq!(lines.len(), delivered + 2);
    assert_eq!(lines[0]["provenance"]["seed"], 1);
    assert!(lines[1]["latency_cycles"].is_u64(), "{}", lines[1]);
    assert_eq!(lines[delivered + 1]["status"], "complete");
    copy.fine(&[
        "sweep",
        "router.toml",
        "--over",
        "traffic.load=0.05,0.1",
        "--out",
        "swept",
    ]);
    let table = fs::read_to_string(copy.path("swept/sweep.jsonl")).unwrap();
    assert_eq!(table.lines().count(), 3);
}

/// One entry puts it into the text, JSON and its schema, every table of every format, sweeps, comparisons and the
/// reference.
fn the_figure_is_everywhere(copy: &Copy) {
    const NAME: &str = "link_imbalance";
    let results = copy.results(&["run", "router.toml", "--out", "ran"]);
    let number = |name: &str| results[name].as_f64().unwrap();
    let imbalance = number("link_utilisation_max") / number("link_utilisation_mean");
    assert_eq!(number(NAME), imbalance);
    let text = copy.fine(&["run", "router.toml"]);
    let line = format!("\n  {:<22} {imbalance:.4}\n", "link imbalance");
    assert!(text.contains(&line), "{text}");
    for folder in ["ran/results", "swept/sweep"] {
        for ending in ["csv", "jsonl", "parquet"] {
            let file = format!("{folder}.{ending}");
            let bytes = fs::read(copy.path(&file)).unwrap();
            let mut names = bytes.windows(NAME.len());
            assert!(names.any(|name| name == NAME.as_bytes()), "{file}");
        }
    }
    let schema: Value = serde_json::from_str(&copy.fine(&["check", "--schema=results"])).unwrap();
    let kinds = &schema["properties"][NAME]["type"];
    assert_eq!(*kinds, serde_json::json!(["number", "null"]));
    let reference = copy.fine(&["reference", "columns"]);
    let column =
        format!("| `{NAME}` |  | number | the busiest link's utilisation over the mean |\n");
    // For a run and for a sweep.
    assert_eq!(reference.matches(&column).count(), 2, "{reference}");
    let compare = [
        "compare",
        "router.toml",
        "pattern.toml",
        "--measure",
        "imbalance",
        "--budget-runs",
        "4",
        "--json",
    ];
    let found: Value = serde_json::from_slice(&copy.flitwork(&compare).stdout).unwrap();
    assert_eq!(found["measure"], "imbalance", "{found}");
}
