//! Digest, cycles, delivered packets and outcome of every configuration on every engine, and of replays.

use crate::program::{Done, each, flitwork, root, temporary, typed};
use crate::record::{Fact, compare};
use serde_json::Value;
use std::fs;

/// Engines, each with the options that make its run deterministic and different from those on the engines before it.
pub(crate) const ENGINES: [&[&str]; 7] = [
    &["--engine", "sync"],
    &["--engine", "sync-stepped"],
    &["--engine", "sync-plain"],
    &["--engine", "clocked"],
    &[
        "--engine",
        "clocked",
        "--set",
        "clocks={phase=\"random\",spread=\"uniform\",spread_percent=5}",
    ],
    &["--engine", "live", "--slack", "0"],
    &["--engine", "live", "--slack", "0", "--runtime", "tokio"],
];

/// Cycles of warm-up and measurement under open-loop traffic.
pub(crate) const CYCLES: [&str; 2] = ["run.warmup_cycles=200", "run.measure_cycles=1000"];

/// The settings that shorten a configuration's run, besides [`CYCLES`] where it reads them.
const SHORT: &[(&str, &[&str])] = &[
    ("adversary", &["network.sides=[16,16]"]),
    ("batch", &["traffic.batch.requests=20"]),
    ("chaos-chip", &["network.sides=[6,6]"]),
    ("chaos-mesh", &["network.sides=[6,6]"]),
    ("chaos-torus", &["network.sides=[6,6]"]),
    ("clocked-mesh", &["network.sides=[6,6]"]),
    ("greedy-hp", &["network.sides=[6,6]"]),
    (
        "hot-spot",
        &["network.sides=[6,6]", "traffic.hot_nodes=[21]"],
    ),
    ("live-mesh", &["network.sides=[6,6]"]),
    ("minimal-chaos", &["network.sides=[12,12]"]),
    ("moving-hot-spot", &["traffic.repeat_cycles=21000"]),
    ("queueing", &["network.sides=[12,12]"]),
    ("scheduled", &["network.sides=[12,12]"]),
    (
        "voltage-frequency",
        &[
            "clocks.changes=[{at_ps=300_000,islands=[0],period_ps=2000},{at_ps=600_000,islands=[0],period_ps=1000},{at_ps=700_000,islands=[1],gated=true},{at_ps=800_000,islands=[1],period_ps=1000}]",
        ],
    ),
];

/// The configurations whose traffic ends, so they don't read [`CYCLES`].
const CLOSED: [&str; 9] = [
    "adversary",
    "batch",
    "csv-trace",
    "minimal-chaos",
    "netrace",
    "queueing",
    "schedule-file",
    "scheduled",
    "schedule",
];

/// The command line of a configuration's short run, without an engine.
pub(crate) fn short(config: &str) -> Vec<String> {
    let stem = config.rsplit('/').next().unwrap().trim_end_matches(".toml");
    let cycles = if CLOSED.contains(&stem) {
        &[][..]
    } else {
        &CYCLES
    };
    let own = SHORT
        .iter()
        .find(|entry| entry.0 == stem)
        .map_or(&[][..], |entry| entry.1);
    let settings = own.iter().chain(cycles).flat_map(|set| ["--set", set]);
    ["run", config]
        .into_iter()
        .chain(settings)
        .map(str::to_owned)
        .collect()
}

/// The configurations that come with the program, by their paths from the root of the repository.
pub(crate) fn configurations() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["configs", "configs/contest"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".toml") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    found
}

/// The outcome of a run with `--json`, in one line.
pub(crate) fn outcome(done: &Done) -> String {
    let exit = done.exit();
    let Ok(results) = serde_json::from_str::<Value>(&done.out) else {
        let complaint = done.err.lines().next().unwrap_or("nothing is said");
        return format!("{exit}  {complaint}");
    };
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    format!(
        "{exit}  {}  digest {}  cycles {}  delivered {}",
        text(&results["status"]),
        text(&results["digest"]),
        results["cycles"],
        results["packets_delivered"]
    )
}

/// The outcomes of several runs, each with the options of those neighbours that have it.
pub(crate) fn outcomes(runs: &[(String, String)]) -> Vec<String> {
    let of = |same: &[(String, String)]| {
        let options: Vec<&str> = same.iter().map(|run| run.0.as_str()).collect();
        format!("{}: {}", same[0].1, options.join(", "))
    };
    let alike = runs.chunk_by(|one, next| one.1 == next.1);
    alike.map(of).collect()
}

/// Options as a user types them.
pub(crate) fn options(args: &[&str]) -> String {
    typed(args).trim_start_matches("flitwork ").to_owned()
}

fn digests_of(config: &str) -> Fact {
    let short = short(config);
    let args: Vec<&str> = short.iter().map(String::as_str).chain(["--json"]).collect();
    let run = |engine: &&[&str]| {
        let done = flitwork(root(), &[&args[..], engine].concat());
        (options(engine), outcome(&done))
    };
    let mut runs: Vec<(String, String)> = ENGINES.iter().map(run).collect();
    runs.extend(replays(&args));
    Fact::new(typed(&args), outcomes(&runs).join("\n"))
}

/// A record of the run in lockstep, replayed on one thread and on two.
fn replays(args: &[&str]) -> Vec<(String, String)> {
    let folder = temporary();
    let record = folder.path().join("r.flog");
    let record = record.to_str().unwrap();
    let live = ["--engine", "live", "--slack", "0", "--record"];
    let done = flitwork(root(), &[args, &live, &[record]].concat());
    let mut runs = vec![(options(&[&live[..], &["r.flog"]].concat()), outcome(&done))];
    if done.code == Some(2) {
        return runs;
    }
    for how in [&[][..], &["--threads", "2"]] {
        let replay = [&["replay", record, "--json"], how].concat();
        let outcome = outcome(&flitwork(root(), &replay));
        runs.push((typed(&replay).replace(record, "r.flog"), outcome));
    }
    runs
}

#[test]
fn digests_of_every_configuration_on_every_engine() {
    compare(
        "digests.txt",
        &each(&configurations(), |config| digests_of(config)),
    );
}
