//! The originals of mutated inputs: valid files, and commands that read them.

use crate::soak::bad_input::{Done, program, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The original of a case: valid files, one of which is changed, and a command that reads it.
pub(crate) struct Seed {
    /// The kind of input, in one word.
    pub(crate) kind: &'static str,
    /// Files of the folder, by name.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Those that are changed.
    pub(crate) changed: Vec<usize>,
    /// The command's arguments, in that folder.
    pub(crate) args: Vec<String>,
}

impl Seed {
    /// How the command ends before anything is changed.
    pub(crate) fn unchanged(&self) -> Done {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in &self.files {
            put(folder.path(), name, bytes);
        }
        run(folder.path(), &self.args)
    }
}

/// Writes a file, and makes its folder.
pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub(crate) static SEEDS: LazyLock<Vec<Seed>> = LazyLock::new(seeds);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn strings(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

/// All files of a folder, without its subfolders.
fn files_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Everything that the program reads: the shipped configurations, and files that the program writes.
fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (name, bytes) in files_of(&root().join("configs")) {
        if !name.ends_with(".toml") {
            continue;
        }
        let others = files_of(&root().join("configs"));
        let others = others
            .into_iter()
            .filter(|(name, _)| !name.ends_with(".toml"));
        let files: Vec<_> = std::iter::once(("x.toml".to_owned(), bytes))
            .chain(others)
            .collect();
        let seed = |more: &[&str]| {
            let args = strings(&[&["run", "configs/x.toml"], more].concat());
            in_folders(files.clone(), args)
        };
        // Small and short if the configuration allows it, so that what is still valid after a change ends
        // soon; now and then at full size.
        let (small, short) = ("network.sides=[4,4]", "run.measure_cycles=300");
        let all = [
            seed(&["--set", small, "--set", short]),
            seed(&["--set", short]),
            seed(&["--set", small]),
        ];
        seeds.extend(
            all.into_iter()
                .find(|seed| seed.unchanged().code == Some(0)),
        );
        seeds.push(seed(&[]));
    }
    seeds.extend(of_traces());
    seeds.push(of_a_schedule());
    seeds.push(of_delays());
    seeds.extend(of_permutations());
    seeds.extend(of_a_record());
    seeds.extend(of_a_sweep());
    seeds
}

/// Configurations name traces relative to their own folder.
fn in_folders(files: Vec<(String, Vec<u8>)>, args: Vec<String>) -> Seed {
    let configs = files
        .into_iter()
        .map(|(name, bytes)| (format!("configs/{name}"), bytes));
    let traces = files_of(&root().join("traces"));
    let traces = traces
        .into_iter()
        .map(|(name, bytes)| (format!("traces/{name}"), bytes));
    Seed {
        kind: "configuration",
        files: configs.chain(traces).collect(),
        changed: vec![0],
        args,
    }
}

fn shipped(config: &str) -> Vec<u8> {
    fs::read(root().join("configs").join(config)).unwrap()
}

fn of_traces() -> Vec<Seed> {
    let with = |trace: &str| {
        let config = if trace.ends_with("csv") {
            "csv-trace.toml"
        } else {
            "netrace.toml"
        };
        let mut seed = in_folders(
            vec![("x.toml".into(), shipped(config))],
            strings(&[
                "run",
                "configs/x.toml",
                "--set",
                "run.deadline_cycles=100000",
            ]),
        );
        let place = seed
            .files
            .iter()
            .position(|(name, _)| name.ends_with(trace));
        seed.kind = "trace";
        seed.changed = vec![place.unwrap()];
        seed
    };
    vec![
        with("read-miss.csv"),
        with("read-miss.csv"),
        with("read-miss.tra.bz2"),
    ]
}

fn of_a_schedule() -> Seed {
    let mut files = vec![("x.toml".to_owned(), shipped("schedule-file.toml"))];
    files.push(("schedule.csv".into(), shipped("schedule.csv")));
    Seed {
        kind: "schedule",
        files,
        changed: vec![1],
        args: strings(&["run", "x.toml"]),
    }
}

fn of_delays() -> Seed {
    let mut files = vec![("x.toml".to_owned(), shipped("back-annotated.toml"))];
    files.push(("back-annotated.csv".into(), shipped("back-annotated.csv")));
    Seed {
        kind: "delays",
        files,
        changed: vec![1],
        args: strings(&["run", "x.toml", "--set", "run.measure_cycles=300"]),
    }
}

const ONCE: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nprocess = \"once\"\n\
    pattern = \"permutation\"\nfile = \"p\"\n[run]\ndeadline_cycles = 100000\n";

fn of_permutations() -> Vec<Seed> {
    let plain: String = (0..16)
        .map(|node| format!("{node} {}\n", 15 - node))
        .collect();
    let json = "{\"packets\": [[0, 15], [15, 0], [3, 9], [9, 3]], \"n\": 4}\n";
    [plain, json.to_owned()]
        .into_iter()
        .map(|permutation| Seed {
            kind: "permutation",
            files: vec![
                ("x.toml".into(), ONCE.into()),
                ("p".into(), permutation.into_bytes()),
            ],
            changed: vec![1],
            args: strings(&["run", "x.toml"]),
        })
        .collect()
}

const SMALL: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.1\n\
    [run]\nwarmup_cycles = 100\nmeasure_cycles = 400\n";

/// What the program writes in a folder that has a small configuration.
fn files_written(args: &[&str], files: &Path) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("small.toml"), SMALL).unwrap();
    let done = program()
        .args(args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    // Without slack a busy host may let a live run end late, which is recorded nevertheless.
    assert!(
        [Some(0), Some(3)].contains(&done.status.code()),
        "{args:?}: {said}"
    );
    files_of(&folder.path().join(files))
}

fn of_a_record() -> Vec<Seed> {
    let with = |more: &'static [&str]| {
        let args = [
            "run",
            "small.toml",
            "--engine",
            "live",
            "--record",
            "r.flog",
        ];
        let files = files_written(&[&args[..], more].concat(), Path::new(""));
        files
            .into_iter()
            .filter(|(name, _)| name == "r.flog")
            .collect::<Vec<_>>()
    };
    let replay = |files: Vec<(String, Vec<u8>)>, args: &[&str]| Seed {
        kind: "record",
        files,
        changed: vec![0],
        args: strings(&[&["replay", "r.flog"], args].concat()),
    };
    vec![
        replay(with(&[]), &[]),
        replay(with(&["--slack", "none"]), &["--threads", "2"]),
        replay(with(&["--record-heads"]), &["--node", "3"]),
    ]
}

/// A finished sweep, resumed and merged; one command runs a shard of it.
fn of_a_sweep() -> Vec<Seed> {
    let sweep = [
        "sweep",
        "small.toml",
        "--out",
        "s",
        "--over",
        "traffic.load=0.1,0.2,0.4",
    ];
    let shipped: Vec<(String, Vec<u8>)> = files_written(&sweep, Path::new("s"))
        .into_iter()
        .filter(|(name, _)| name == "sweep.toml" || name.ends_with("jsonl"))
        .map(|(name, bytes)| (format!("s/{name}"), bytes))
        .collect();
    let with = |args: &[&str], changed: &[usize]| Seed {
        kind: "sweep folder",
        files: shipped
            .iter()
            .cloned()
            .chain([("small.toml".to_owned(), SMALL.as_bytes().to_vec())])
            .collect(),
        changed: changed.to_vec(),
        args: strings(args),
    };
    // The journal's name sorts first.
    vec![
        with(&["merge", "s"], &[0]),
        with(&["merge", "s"], &[1]),
        with(&sweep, &[0, 1]),
        with(&[&sweep[..], &["--skip-refused"]].concat(), &[2]),
    ]
}
