//! Mutated configurations, traces, schedules, tables of delays, permutations, records and sweep folders, given to the real program.
//!
//! Whatever a file holds, the program terminates in bounded time and memory with one of its documented exit codes,
//! never with a panic or a signal; and a refusal names what is wrong and where.

use crate::soak::mutate::mutated;
use crate::soak::number;
use crate::soak::seeds::{SEEDS, Seed, put};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The address space of a run, in KiB.
const KIB: u64 = 2 << 20;
/// Host time after which a run is interrupted: a mutated configuration may well request a long one.
const ASKED_AFTER: Duration = Duration::from_secs(1);
/// How long it may then take to end, on a machine that does other work at the same time.
const PATIENCE: Duration = Duration::from_secs(40);
/// Runs at a time.
const THREADS: u64 = 3;

pub(crate) fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_flitwork"));
    program
        .env_remove("RUST_BACKTRACE")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    program
}

/// How a run ended.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

/// Runs the program in a folder under a memory limit, and interrupts it when it takes long.
pub(crate) fn run(folder: &Path, args: &[String]) -> Done {
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
        // A long run's report is long; its beginning is enough.
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

/// Runs one case; an error says what is wrong with how it ended.
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
    // Only the input can fail here: there is enough memory and disk.
    if code == 1 && !done.err.contains("memory allocation of") && !done.err.contains("was aborted")
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

/// Whether a message begins with a file that the command reads, or with the wrong part of the command line,
/// or reports the host's memory, which depends on no single line.
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
        || after.contains("of memory, but only ")
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

/// The unchanged inputs are accepted: otherwise mutations would start from inputs that are refused anyway.
#[test]
fn all_inputs_are_right_before_they_are_changed() {
    for seed in SEEDS.iter() {
        let done = seed.unchanged();
        let code = done.code;
        // One deadlocks on purpose, and some are too large to end in time.
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
