//! Mutated configurations, traces, schedules, permutations, records and sweep folders, given to the real program.
//!
//! Whatever stands in a file, the program ends by itself, in time and in bounded memory, with an exit code that
//! it promises and never with a panic or a signal; and where it refuses, it says what and where.

use crate::soak::mutate::mutated;
use crate::soak::number;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The address space of a run, in KiB.
const KIB: u64 = 2 << 20;
/// Host seconds after which a run is asked to end: a mutated configuration may well ask for a long one.
const ASKED_AFTER: Duration = Duration::from_secs(3);
/// And the longest that it may then take, on a machine that does other work at the same time.
const PATIENCE: Duration = Duration::from_secs(40);
/// Runs at a time.
const THREADS: u64 = 3;

/// What a case begins with: files that are right, one of which is changed, and a command that reads it.
struct Seed {
    /// What is changed, in a word.
    kind: &'static str,
    /// Files of the folder, by name.
    files: Vec<(String, Vec<u8>)>,
    /// Which of them are changed.
    changed: Vec<usize>,
    /// The command's arguments, in that folder.
    args: Vec<String>,
}

impl Seed {
    /// How the command ends before anything is changed.
    fn unchanged(&self) -> Done {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in &self.files {
            put(folder.path(), name, bytes);
        }
        run(folder.path(), &self.args)
    }
}

/// Writes a file, and makes its folder.
fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

static SEEDS: LazyLock<Vec<Seed>> = LazyLock::new(seeds);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn strings(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

/// All files of a folder, folders in it aside.
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

/// Everything that the program reads: configurations as they are shipped, and what the program itself writes.
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
        // Small and short where the configuration allows it, so that what is still right after a change ends
        // soon; now and then as large as it is.
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
    seeds.extend(of_permutations());
    seeds.extend(of_a_record());
    seeds.extend(of_a_sweep());
    seeds
}

/// Configurations name traces beside their own folder.
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
fn written(args: &[&str], files: &Path) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("small.toml"), SMALL).unwrap();
    let done = program()
        .args(args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    // Without slack a busy host may let a live run end late, which is recorded all the same.
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
        let files = written(&[&args[..], more].concat(), Path::new(""));
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
        replay(with(&["--slack", "none"]), &["--stepped"]),
        replay(with(&["--record-heads"]), &["--node", "3"]),
    ]
}

/// A finished sweep, gone on with and merged; a shard is in it too.
fn of_a_sweep() -> Vec<Seed> {
    let sweep = [
        "sweep",
        "small.toml",
        "--out",
        "s",
        "--over",
        "traffic.load=0.1,0.2,0.4",
    ];
    let shipped: Vec<(String, Vec<u8>)> = written(&sweep, Path::new("s"))
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
    // The journal is first by its name.
    vec![
        with(&["merge", "s"], &[0]),
        with(&["merge", "s"], &[1]),
        with(&sweep, &[0, 1]),
        with(&[&sweep[..], &["--skip-refused"]].concat(), &[2]),
    ]
}

fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_flitwork"));
    program
        .env_remove("RUST_BACKTRACE")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    program
}

/// How a run ended.
struct Done {
    code: Option<i32>,
    out: String,
    err: String,
    took: Duration,
}

/// Runs the program in a folder under a limit of its memory, and asks it to end when it takes long.
fn run(folder: &Path, args: &[String]) -> Done {
    let script = format!("ulimit -v {KIB}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_flitwork")])
        .args(args);
    command
        .env_remove("RUST_BACKTRACE")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    let (out, err) = (folder.join(".out"), folder.join(".err"));
    command.stdout(fs::File::create(&out).unwrap());
    command.stderr(fs::File::create(&err).unwrap());
    let begun = Instant::now();
    let mut child = command.current_dir(folder).spawn().unwrap();
    let mut asked = false;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if begun.elapsed() > ASKED_AFTER && !asked {
            asked = true;
            let kill = format!("kill -INT {}", child.id());
            let _ = Command::new("sh").args(["-c", &kill]).status();
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |path: &Path| {
        let mut bytes = Vec::new();
        // What is printed of a long run is much; its beginning tells what it is.
        fs::File::open(path)
            .unwrap()
            .take(1 << 16)
            .read_to_end(&mut bytes)
            .unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Done {
        code: status.and_then(|status| status.code()),
        out: text(&out),
        err: text(&err),
        took: begun.elapsed(),
    }
}

/// One case; what is wrong with how it ended.
fn case(seed: u64) -> Result<(&'static str, i32, Duration), String> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let from = &SEEDS[random.random_range(0..SEEDS.len())];
    let folder: TempDir = tempfile::tempdir().unwrap();
    for (index, (name, bytes)) in from.files.iter().enumerate() {
        let bytes = match from.changed.contains(&index) {
            true => mutated(bytes, &mut random),
            false => bytes.clone(),
        };
        put(folder.path(), name, &bytes);
    }
    let done = run(folder.path(), &from.args);
    let took = done.took;
    let judged = judge(&done, from).map(|code| (from.kind, code, took));
    judged.map_err(|wrong| {
        let kept = folder.keep();
        format!(
            "{wrong}\n  flitwork {}\n  in {}, after {:?}\n{}",
            from.args.join(" "),
            kept.display(),
            done.took,
            done.err
        )
    })
}

/// Whether a run ended as the program promises.
fn judge(done: &Done, from: &Seed) -> Result<i32, String> {
    let Some(code) = done.code else {
        return Err("ended by a signal, or not at all".into());
    };
    if ![0, 1, 2, 3, 4, 130].contains(&code) {
        return Err(format!("exit code {code}"));
    }
    for never in ["panicked", "has failed: this is a fault", "RUST_BACKTRACE"] {
        if done.err.contains(never) {
            return Err(format!("exit code {code}, and says {never:?}"));
        }
    }
    // Nothing fails here but the input: memory and disk are there.
    if code == 1
        && !done.err.contains("memory allocation of")
        && !done.err.contains("was broken off")
    {
        return Err("exit code 1".into());
    }
    let first = done
        .err
        .lines()
        .find(|line| !line.starts_with("warning: "))
        .unwrap_or_default();
    if code == 2 && !(first.starts_with("error: ") && first.len() > 20) {
        return Err(format!("exit code 2 without a message: {first:?}"));
    }
    if code == 2 && !names_a_place(first, from) {
        return Err(format!("exit code 2 without a place: {first:?}"));
    }
    if code == 0 && done.out.is_empty() {
        return Err("exit code 0 without a word".into());
    }
    Ok(code)
}

/// Whether a message begins with a file that the command reads, or with what on the command line makes it
/// wrong, or tells of the host's memory, which no line asks for alone.
fn names_a_place(message: &str, from: &Seed) -> bool {
    let after = message.trim_start_matches("error: ");
    let file = |(name, _): &(String, Vec<u8>)| {
        let last = name.rsplit('/').next().unwrap_or(name);
        after
            .split(": ")
            .next()
            .is_some_and(|place| place.contains(last))
    };
    from.files.iter().any(file)
        || ["command line: ", "--", "s: ", "s/"]
            .iter()
            .any(|place| after.starts_with(place))
        || after.contains("of memory, and ")
}

/// Runs the cases of some seeds, and fails with all those that failed.
fn soak(seeds: std::ops::Range<u64>) {
    let begun = Instant::now();
    let (next, end) = (AtomicU64::new(seeds.start), seeds.end);
    let codes = Mutex::new(BTreeMap::<i32, u64>::new());
    let kinds = Mutex::new(BTreeMap::<&str, u64>::new());
    let longest = Mutex::new(Duration::ZERO);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    match case(seed) {
                        Ok((kind, code, took)) => {
                            *codes.lock().unwrap().entry(code).or_default() += 1;
                            *kinds.lock().unwrap().entry(kind).or_default() += 1;
                            let mut longest = longest.lock().unwrap();
                            *longest = took.max(*longest);
                        }
                        Err(wrong) => {
                            let _ =
                                writeln!(std::io::stderr(), "FLITWORK_SOAK_SEED={seed}: {wrong}");
                            failed.lock().unwrap().push(seed);
                        }
                    }
                }
            });
        }
    });
    let (codes, failed) = (codes.into_inner().unwrap(), failed.into_inner().unwrap());
    let _ = writeln!(
        std::io::stderr(),
        "{:?}, {:?}, exit codes {codes:?}, the longest took {:?}, failed: {failed:?}",
        begun.elapsed(),
        kinds.into_inner().unwrap(),
        longest.into_inner().unwrap(),
    );
    assert!(failed.is_empty(), "FLITWORK_SOAK_SEED: {failed:?}");
    // Most changes are mistakes, and some are none.
    assert!(
        codes.contains_key(&0) && codes.contains_key(&2),
        "{codes:?}"
    );
}

/// Otherwise the changes would be to what is refused anyway.
#[test]
fn all_inputs_are_right_before_they_are_changed() {
    for seed in SEEDS.iter() {
        let done = seed.unchanged();
        let code = done.code;
        // One deadlocks on purpose, some of them are too large to end in time.
        assert!(
            [Some(0), Some(3), Some(130)].contains(&code),
            "{:?}: {code:?} {}",
            seed.args,
            done.err
        );
    }
}

#[test]
fn hundreds_of_mutated_inputs_are_answered() {
    let first = number("FLITWORK_SOAK_SEED").unwrap_or(0);
    soak(first..first + 300);
}

#[test]
#[ignore = "minutes: FLITWORK_SOAK_RUNS, 10,000 where that isn't given"]
fn thousands_of_mutated_inputs_are_answered() {
    let first = number("FLITWORK_SOAK_SEED").unwrap_or(1_000_000);
    soak(first..first + number("FLITWORK_SOAK_RUNS").unwrap_or(10_000));
}
