//! Everything that the program writes has its provenance.
//!
//! Nothing can be omitted: the commands and their options that name files or folders, or print JSON, are
//! taken from the program's own help; each must occur in a command line below, and every file that appears is
//! read.

use crate::harness::{Folder, SMALL};
use crate::sourced::provenance;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

/// Command lines that together take every option that leads to results. They run in one folder, in this order.
const COMMANDS: &[&str] = &[
    "run small.toml --out run --every 500 --packets p.csv --json",
    "run heavy.toml --out failed --packets p.parquet --seed=5",
    "run small.toml --trace t.fltrace",
    "trace info t.fltrace --json",
    "trace export small.toml --to 60 --fst run.fst",
    "trace export small.toml --to 60 --vcd run.vcd",
    "trace export small.toml --to 60 --perfetto run.pftrace",
    "trace export small.toml --to 60 --parquet events.parquet",
    "view small.toml --export page",
    "run small.toml --engine live --record r.flog",
    "trace info r.flog --json",
    "replay r.flog --json",
    "sweep small.toml --over traffic.load=0.05,0.1 --out sweep --jobs 1 --json",
    FIRST_SHARD,
    "sweep small.toml --over traffic.load=0.05,0.1 --shard 2/2 --out shard --jobs 1",
    "merge shard --out merged --json",
    "saturate small.toml --seeds 1 --tolerance 0.4 --jobs 1 --out saturation --json",
    "compare small.toml small.toml --set-b traffic.load=0.2 --budget-runs 3 --jobs 1 --out comparison --json",
    "paper chinn-exp1 --n 120 --seeds 1 --plot e1.svg --snapshot 50 --snapshot-dir snap --json",
    "paper chinn-exp2 --n 120 --seeds 2 --plot e2.svg --out exp2",
    "paper chinn-exp3 --n 120 --seeds 1 --plot e3.svg --initial-pointer random",
    "paper chinn-exp4 --n 120 --seeds 1 --plot e4.svg --snapshot 50 --snapshot-dir snap --json",
    "paper chinn-bounds --n 120 --out bounds --json",
    "paper chinn-bounds --n 120 --permutation-out worst.csv",
    "paper chinn-bounds --n 120 --rule lifo --permutation worst.csv --json",
    "paper symvonis-tidswell --mesh 2x2 --permutations 10 --plot misses.svg --out multistage --json",
    "paper roberts-symvonis --n 4 --k 2 --seeds 1 --out worms --json",
    "paper roberts-symvonis --simulate --pattern reversal --play 1 --plot supernode.svg --json",
    "check small.toml --json",
    "check steps.toml --json",
    "route steps.toml --json",
    "topology small.toml --plot network.svg --json",
    "topology steps.toml --json",
    "schedule plans.toml --out s.csv --json",
    "adversary --config minimal.toml --seed 3 --out permutation.json",
    "study multiqueue --side 4 --cycles 200 --patterns uniform --frames 5 --seed 7 --out q --json",
    "study async-exp2 --n 120 --seeds 1 --spreads 10 --synchronizer 0 --plot clocks.svg --out clocks --json",
    "study chaos-readings --n 60 --seeds 1 --readings usual,b --plot readings --out readings-out --json",
    "study livelock --n 4 --timing spread,self-timed-drawn --spread 1,5 --seeds 2 --deadline 20000 --plot livelock --out livelock-out --json",
    "study livelock-search --n 4 --topology torus --most 5 --seed 3 --deadline 1000 --out search --json",
    "study greedy-steps --n 4,5 --seeds 2 --plot steps.svg --out steps --json",
    "study self-timed --side 3 --routers chaos --topologies mesh --spreads 0 --corners 0 --lengths 1 --first-seed 4 --seeds 1 --time 300 --plot gains --out self-timed --json",
    "study routers --side 4 --topologies mesh --patterns uniform --loads 0.1 --seeds 1 --cycles 200 --out r --json",
    "study crossing --axes edges --edges 0 --routers chaos --sides 4 --seeds 1 --cycles 400 --plot crossing --out crossing-out --json",
    "study deadlock-frequency --axes frames --frames 1,2 --routers minimal-chaos --seeds 2 --deadline 3000 --plot frequency --out frequency-out --json",
    "study slow-router --axes factor --factors 4 --routers chaos --sides 4 --seeds 1 --cycles 400 --plot slow --out slow-out --json",
    "study deflection --sides 4 --loads 0.1 --seeds 1 --cycles 200 --out d --json",
    "study cut-through --side 3 --packet-words 2 --seeds 1 --cycles 200 --out c --json",
    "study duplex --axes pattern --topologies torus --side 4 --patterns uniform --seeds 1 --cycles 200 --out duplex --json",
    "study async-load --side 4 --loads 0.05 --seeds 1 --cycles 400 --plot a --out load --json",
];

const FIRST_SHARD: &str =
    "sweep small.toml --over traffic.load=0.05,0.1 --shard 1/2 --out shard --jobs 1";

/// Options with a path at which no result is written: configurations and logs.
const NO_RESULTS: [&str; 2] = ["--config", "--log"];

/// An option of a format that the program was built without: it says how the program is built with it.
const UNBUILT: &str = "Only in builds with the feature of this name";

/// Commands that show a run, and what they show is no result: `trace info` says what the run is.
fn is_question(command: &str) -> bool {
    match command.strip_prefix("trace ") {
        Some(asked) => !["info", "export"].contains(&asked),
        None => command == "debug",
    }
}

/// A sweep's files besides its `sweep.toml`: finished points, and the lock of the folder.
const WORKING: [&str; 2] = [".jsonl", ".lock"];

/// Kinds of files that do.
const KINDS: &[&str] = &[
    "csv", "flog", "js", "json", "parquet", "pftrace", "png", "svg", "toml", "vcd",
];

/// Files that don't say it: a waveform's format has no place for it, and a page's is with its data.
const SILENT: [&str; 2] = [".fst", "index.html"];

/// All commands, including subcommands.
fn commands(folder: &Folder) -> Vec<String> {
    let below = |of: &[&str]| -> Vec<String> {
        let help = folder.fine(&[of, &["--help"]].concat()).out;
        let list = help.split_once("Commands:\n").map_or("", |found| found.1);
        let list = list.lines().take_while(|line| !line.is_empty());
        let names = list.filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
        let names = names.filter(|(name, _)| !["", "help"].contains(name));
        names
            .map(|(name, _)| [of, &[name]].concat().join(" "))
            .collect()
    };
    let all = below(&[]).into_iter();
    all.flat_map(|command| match below(&[&command]) {
        none if none.is_empty() => vec![command],
        several => several,
    })
    .collect()
}

/// A command's options that lead to results: those with a file or a folder, and `--json`. One that needs a feature leads to
/// results where the program was built with it.
fn options(folder: &Folder, command: &str) -> BTreeSet<String> {
    let words: Vec<&str> = command.split(' ').collect();
    let help = folder.fine(&[&words[..], &["--help"]].concat()).out;
    // An option's help is in its own line or in the next.
    let next = help.lines().skip(1).chain([""]);
    let lines = help.lines().zip(next).filter_map(|(line, next)| {
        let line = line.trim_start();
        let (option, rest) = line.split_once(' ').unwrap_or((line, ""));
        let path = ["<FILE", "<DIR"].iter().any(|name| rest.starts_with(name));
        let is_built = !rest.contains(UNBUILT) && !next.contains(UNBUILT);
        let leads = path && is_built && !NO_RESULTS.contains(&option) || option == "--json";
        (option.starts_with("--") && leads).then(|| option.to_owned())
    });
    lines.collect()
}

/// Every option that leads to results occurs in a command line above.
#[test]
fn no_option_that_leads_to_results_is_left_out() {
    let folder = Folder::new();
    let commands = commands(&folder);
    assert!(commands.iter().any(|name| name == "study async-load"));
    let mut seen = 0;
    for command in commands.iter().filter(|command| !is_question(command)) {
        let taken = |option: &String| {
            COMMANDS.iter().any(|line| {
                let own = line.strip_prefix(command.as_str());
                own.is_some_and(|own| own.split(' ').any(|word| word == option))
            })
        };
        let options = options(&folder, command);
        seen += options.len();
        for option in &options {
            assert!(taken(option), "{command} {option} is in no command line");
        }
    }
    // The program has all formats.
    let exports = options(&folder, "trace export");
    assert!(
        ["--fst", "--vcd", "--perfetto", "--parquet"]
            .iter()
            .all(|name| exports.contains(*name))
    );
    // run's --out, --packets, --record, --trace and --json among them.
    assert!(options(&folder, "run").len() == 5 && seen > 20, "{seen}");
}

/// All files in and below a folder, with their relative names.
fn files(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                    found.insert(name.to_owned());
                }
            }
        }
    }
    found
}

/// What a provenance must contain.
struct Expected {
    schema_version: u64,
    command: &'static str,
    seed: u64,
}

impl Expected {
    /// An index has a format of its own: it is asked. Returns whether it is one.
    fn is_of_index(&self, folder: &Folder, name: &str) -> bool {
        if !name.ends_with(".fltrace") {
            return false;
        }
        let info = folder.fine(&["trace", "info", name, "--json"]).json();
        assert_eq!(info["seed"], self.seed.to_string(), "{info}");
        true
    }

    /// The configurations of a provenance, which must be complete.
    fn hold(&self, what: &str, found: &Value) -> Vec<String> {
        let what = format!("{}: {what}", self.command);
        assert!(found.is_object(), "{what} doesn't say where it comes from");
        assert_eq!(found["version"], env!("CARGO_PKG_VERSION"), "{what}");
        assert_eq!(found["revision"], env!("FLITWORK_REVISION"), "{what}");
        // A record has its own format's version.
        if !what.ends_with(".flog") {
            assert_eq!(found["schema_version"], self.schema_version, "{what}");
        }
        let command = found["command"].as_str().unwrap().replace('\'', "");
        assert!(command.ends_with(self.command), "{what}: {command}");
        assert_eq!(found["seed"], self.seed, "{what}");
        assert!(found["seeds"].as_u64().unwrap() >= 1, "{what}");
        let configurations: Vec<String> = match &found["configuration"] {
            Value::String(one) => vec![one.clone()],
            Value::Object(several) => {
                let texts = several.values().map(|one| one.as_str().unwrap().to_owned());
                texts.collect()
            }
            other => panic!("{what}: {other}"),
        };
        assert!(!configurations.is_empty(), "{what}");
        configurations
    }
}

fn seed(command: &str) -> u64 {
    let seed = command
        .split_once("--seed=")
        .or(command.split_once("--seed "))
        .or(command.split_once("--first-seed "));
    seed.map_or(1, |(_, rest)| {
        rest.split(' ').next().unwrap().parse().unwrap()
    })
}

/// A folder with the configurations of the command lines.
fn configured() -> Folder {
    let folder = Folder::new();
    folder.write(
        "heavy.toml",
        SMALL.replace("0.1", "1.0") + "drain_cycles = 1\n",
    );
    let minimal = "network = { topology = \"mesh\", sides = [60, 60] }\n\
                   router.chaos.derouting = false\n\
                   traffic = { process = \"once\", pattern = \"permutation\" }\n";
    folder.write("minimal.toml", minimal);
    let steps = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[rule.fifo]\nk = 2\n[traffic]\nprocess = \"once\"\npattern = \"random-permutation\"\n";
    folder.write("steps.toml", steps);
    folder.write(
        "plans.toml",
        steps.replace("[rule.fifo]\nk = 2", "[schedule.multistage]"),
    );
    folder
}

/// Version, revision, command line, seed, configuration and the schema's version, in each file of each
/// command and in what it prints as JSON; and the program accepts each configuration.
#[test]
fn every_file_of_every_command_has_its_provenance() {
    let folder = configured();
    let schema = folder.fine(&["check", "--schema=results"]).json();
    let version = schema["$id"].as_str().unwrap().rsplit_once(':').unwrap().1;
    let mut before = files(&folder.path(""));
    let mut kinds = BTreeSet::new();
    let mut configurations = HashSet::new();
    for &command in COMMANDS {
        let expected = Expected {
            schema_version: version.parse().unwrap(),
            command,
            seed: seed(command),
        };
        let args: Vec<&str> = command.split(' ').collect();
        let done = folder.flitwork(&args);
        let code = if command.contains("heavy") { 3 } else { 0 };
        assert_eq!(done.code, Some(code), "{command}: {}", done.err);
        if args.contains(&"--json") {
            configurations.extend(expected.hold("JSON", &done.json()["provenance"]));
        }
        let after = files(&folder.path(""));
        for name in after.difference(&before) {
            let last = name.rsplit('/').next().unwrap();
            if expected.is_of_index(&folder, name) {
                continue;
            }
            let mut without = WORKING.iter().chain(&SILENT);
            if without.any(|end| last.ends_with(end)) {
                continue;
            }
            let found = provenance(&folder, name);
            let by = match name.as_str() {
                // It identifies the sweep to which these shards belong.
                "merged/sweep.toml" => &Expected {
                    command: FIRST_SHARD,
                    ..expected
                },
                _ => &expected,
            };
            configurations.extend(by.hold(name, &found));
            kinds.insert(last.rsplit_once('.').unwrap().1.to_owned());
        }
        assert!(
            args.contains(&"--json") || after.len() > before.len(),
            "{command}"
        );
        before = after;
    }
    assert_eq!(kinds, KINDS.iter().map(|&kind| kind.to_owned()).collect());
    for configuration in configurations {
        let command = match configuration {
            ref it if it.contains("[schedule.") => "schedule",
            ref it if it.contains("[router.") => "check",
            _ => "route",
        };
        // The packets of a construction are what it makes, and the program of linear time is no rule.
        let mut further = String::new();
        if !configuration.contains("[traffic]") {
            further += "[traffic]\nprocess = \"once\"\npattern = \"reversal\"\n";
        }
        if command == "route" && !configuration.contains("[rule.") {
            further += "[rule.fifo]\nqueues = \"unbounded\"\n";
        }
        folder.write("again.toml", format!("{configuration}{further}"));
        let done = folder.flitwork(&[command, "again.toml"]);
        let taken = done.code == Some(0) || done.code == Some(3);
        assert!(taken, "{}\n{configuration}", done.err);
    }
}
