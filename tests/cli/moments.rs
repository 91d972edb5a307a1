//! A signal at any moment of any command ends it soon, with its results so far.

#![expect(
    clippy::print_stderr,
    reason = "each moment is said, to be tried again"
)]

use crate::harness::{Folder, SMALL};
use flitwork_traffic::Draws;
use flitwork_types::TerminalId;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A repository's configuration.
fn config(name: &str) -> String {
    format!("{}/configs/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Configurations of runs that take long, and a record.
fn folder() -> Folder {
    let folder = Folder::new();
    let long = SMALL
        .replace("[4, 4]", "[16, 16]")
        .replace("measure_cycles = 2000", "measure_cycles = 4000000");
    let with = |router: &str| long.replace("[router.chaos]", router);
    folder.write("long.toml", &long);
    folder.write("over.toml", long.replace("load = 0.1", "load = 1.0"));
    folder.write("worms.toml", with("[router.wormhole]"));
    folder.write("deflection.toml", with("[router.deflection]"));
    folder.write("greedy.toml", with("[router.greedy-hp]"));
    let short = SMALL.replace("measure_cycles = 2000", "measure_cycles = 60000");
    folder.write("short.toml", &short);
    let once = "network = { topology = \"mesh\", sides = [1000, 1000] }\n\
        router.chaos.derouting = false\ntraffic = { process = \"once\" }\n";
    folder.write("once.toml", once);
    let ends = "network = { topology = \"mesh\", sides = [48, 48] }\nrouter.scheduled = {}\n\
        traffic = { process = \"k-k\", k = 30, packet_words = 4 }\n";
    folder.write("scheduled.toml", ends);
    folder.fine(&[
        "run",
        "short.toml",
        "--engine",
        "live",
        "--record",
        "k.flog",
    ]);
    folder
}

/// Commands, each with its own engine, router or phase; `{}` stands for a name not used before.
fn commands() -> Vec<Vec<String>> {
    let batch = config("batch.toml");
    let huge = "traffic.batch.requests=10000000";
    let all = "traffic.batch.outstanding=10000000";
    let memory = "--memory=100GB";
    let commands: &[&[&str]] = &[
        &["run", "long.toml"],
        &["run", "long.toml", "--engine", "sync-stepped"],
        &["run", "long.toml", "--engine", "sync-plain"],
        &["run", "long.toml", "--engine", "clocked"],
        &["run", "long.toml", "--engine", "live"],
        &["run", "long.toml", "--engine", "live", "--slack", "none"],
        &["run", "long.toml", "--engine", "live", "--runtime", "tokio"],
        &[
            "run",
            "long.toml",
            "--engine",
            "live",
            "--record",
            "{}.flog",
        ],
        &["run", "over.toml"],
        &[
            "run",
            "over.toml",
            "--out",
            "{}",
            "--set",
            "run.measure_cycles=20000",
        ],
        &[
            "run",
            "long.toml",
            "--packets",
            "{}.csv",
            "--every",
            "1000",
            "--out",
            "{}",
        ],
        &["run", "worms.toml"],
        &["run", "worms.toml", "--engine", "sync-plain", "--json"],
        &["run", "deflection.toml"],
        &["run", "greedy.toml"],
        &["run", "once.toml"],
        &["run", "scheduled.toml"],
        &["run", &batch, "--set", huge, "--set", all, memory],
        &["run", &batch, "--set", huge, "--engine", "clocked"],
    ];
    let owned = |command: &&[&str]| command.iter().map(|arg| (*arg).to_owned()).collect();
    let rows = with_rows(&batch, &["--set", huge, "--set", all, memory]);
    commands
        .iter()
        .map(owned)
        .chain(rows)
        .chain(without_a_run())
        .collect()
}

/// Rows of very many packets that wait.
fn with_rows(config: &str, sets: &[&str]) -> Vec<Vec<String>> {
    let of = |to: &str| {
        let args = [&["run", config], sets, &["--packets", to]].concat();
        args.into_iter().map(str::to_owned).collect()
    };
    let files: &[&str] = &["{}.csv", "{}.parquet"];
    files.iter().map(|to| of(to)).collect()
}

/// Commands other than `run`.
fn without_a_run() -> Vec<Vec<String>> {
    let deadlock = config("deadlock.toml");
    let commands: &[&[&str]] = &[
        &["replay", "k.flog"],
        &["replay", "k.flog", "--node", "5"],
        &[
            "sweep",
            "short.toml",
            "--over",
            "traffic.load=0.1,0.5,1.0",
            "--out",
            "{}",
        ],
        &["saturate", "short.toml"],
        &["compare", "short.toml", "over.toml"],
        &["study", "multiqueue"],
        &["study", "async-exp2"],
        &["study", "greedy-steps"],
        &["study", "routers", "--out", "{}"],
        &["study", "deflection", "--out", "{}"],
        &["study", "cut-through", "--out", "{}"],
        &["study", "duplex", "--out", "{}"],
        &["study", "async-load"],
        &["paper", "chinn-exp1"],
        &["paper", "chinn-exp2"],
        &["adversary", "--config", "once.toml", "--out", "{}.json"],
        &["check", &deadlock],
        &["merge", "k.flog", "--out", "{}"],
    ];
    let owned = |command: &&[&str]| command.iter().map(|arg| (*arg).to_owned()).collect();
    commands.iter().map(owned).collect()
}

/// Interrupts commands, one after the other, each at a random moment; returns how long each took to end.
fn interrupted(moments: usize, seed: u64, longest_ms: [u32; 3]) -> Vec<Duration> {
    let mut draws = Draws::new(seed, TerminalId(0));
    let (folder, commands) = (folder(), commands());
    let mut delays = Vec::new();
    for moment in 0..moments {
        let place = (moment + seed as usize) % commands.len();
        let name = format!("out-{moment}");
        let args: Vec<String> = commands[place]
            .iter()
            .map(|arg| arg.replace("{}", &name))
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // Most moments are early, where phases are short; the first that the handler can see is a few
        // milliseconds after the start.
        let longest = longest_ms[draws.below(3) as usize];
        let wait = Duration::from_millis(30 + u64::from(draws.below(longest)));
        let signal = ["INT", "TERM"][draws.below(2) as usize];
        let mut child = folder.start(&args);
        sleep(wait);
        let kill = format!("kill -{signal} {}", child.id());
        let asked = Instant::now();
        // A command that has already ended no longer exists, or waits for its exit status to be read.
        let _ = Command::new("sh").args(["-c", &kill]).output();
        let done = folder.end(&mut child);
        let delay = asked.elapsed();
        let case = format!("seed {seed}, moment {moment}: {args:?}, {signal} after {wait:?}");
        eprintln!("{case}: {:?} in {delay:?}", done.code);
        let all = done.out.clone() + &done.err;
        match done.code {
            // It ended before the signal: successfully, or as such a network does, or because there is
            // nothing to merge.
            Some(0 | 3) => {}
            Some(2) => assert_eq!(args[0], "merge", "{case}: {}", done.err),
            Some(130) => {
                let says = all.contains("interrupted") || all.contains("PARTIAL");
                assert!(says, "{case}: {all}");
                if args[0] == "run" && !all.contains("before anything was simulated") {
                    let marked = done.out.contains("PARTIAL") || done.out.contains("\"partial\"");
                    assert!(marked, "{case}: {all}");
                }
            }
            code => panic!("{case}: {code:?} {all}"),
        }
        delays.push(delay);
    }
    delays.sort_unstable();
    delays
}

/// One moment for each kind of command.
#[test]
fn a_signal_ends_every_command() {
    interrupted(commands().len(), 1, [50, 200, 600]);
}

/// `FLITWORK_SEED` sets another seed. Prints how long commands took, and requires less than a second: on a
/// machine that has a core to spare.
#[test]
#[ignore = "two minutes, and it measures time"]
fn two_hundred_moments() {
    let seed = std::env::var("FLITWORK_SEED").map_or(1, |seed| seed.parse().unwrap());
    let delays = interrupted(200, seed, [50, 400, 2000]);
    let at = |part: usize| delays[(delays.len() - 1) * part / 100];
    eprintln!(
        "200 moments, seed {seed}: median {:?}, 90 % {:?}, 99 % {:?}, all {:?}",
        at(50),
        at(90),
        at(99),
        at(100)
    );
    assert!(at(100) <= Duration::from_secs(1));
}
