//! Rows of papers, studies, sweeps, searches and comparisons, and the output of runs: text, JSON, CSV and figures.

use crate::mask;
use crate::outputs::{Outputs, Table, json, outputs, table};
use crate::program::{each, flitwork, root, temporary, typed};
use crate::record::{Fact, compare};
use crate::sample::{checksum, ends, packed};
use serde_json::Value;
use std::sync::LazyLock;

/// The published experiments, at the smallest published sizes and two below them.
const PAPERS: &[&str] = &[
    "paper chinn-exp1 --n 60,120,600 --seeds 2",
    "paper chinn-exp2 --n 60,600,1080 --seeds 2 --plot OUT/figure.svg",
    "paper chinn-exp3 --n 60,600,1080 --seeds 2",
    "paper chinn-exp4 --n 60,600,1080 --seeds 2",
    "paper chinn-exp2 --n 60,600 --seeds 2 --preset chinn-1995-b",
    "paper chinn-exp2 --n 60,600 --seeds 2 --exchange link",
    "paper chinn-exp3 --n 600 --seeds 1 --d 0 --deroute-among all --multiqueue-freed-at tail",
    "paper chinn-exp2 --n 240 --seeds 2 --initial-pointer random",
    "paper chinn-exp2 --n 120,600 --seeds 1 --json",
    "paper chinn-exp4 --n 120 --seeds 2 --json",
    "paper chinn-exp2 --n 120 --seeds 1 --snapshot 100 --snapshot-dir OUT",
    "adversary --config configs/adversary.toml --set network.sides=[60,60] --out OUT/permutation.json",
    "adversary --config configs/adversary.toml --set network.sides=[60,60] --exchange link --d 1/4 --out OUT/p.json",
    "adversary --config configs/greedy-hp.toml --set network.sides=[40,40] --set traffic={process=\"once\"} --out OUT/p.json",
];

/// The studies, scaled down.
const STUDIES: &[&str] = &[
    "study multiqueue --side 4 --cycles 2000 --frames 1,2",
    "study multiqueue --side 4 --cycles 2000 --frames 2 --no-derouting --json",
    "study async-exp2 --n 60,120 --spreads 0,10 --seeds 2 --plot OUT/figure.svg",
    "study async-exp2 --n 60 --spreads 5 --seeds 2 --json",
    "study chaos-readings --n 60,600 --seeds 1 --readings usual,link,b,b-tail --plot OUT",
    "study chaos-readings --n 60 --seeds 1 --readings b-d --json",
    "study greedy-steps --n 8,16 --seeds 3 --plot OUT/figure.svg",
    "study greedy-steps --n 8 --seeds 2 --json",
    "study routers --side 4 --loads 0.1,1 --seeds 2 --cycles 500 --jobs 1 --out OUT",
    "study routers --side 4 --loads 0.1,1 --seeds 1 --cycles 500 --topologies mesh --patterns hot-spot --jobs 1 --json",
    "study deflection --sides 4 --loads 0.1,1 --seeds 2 --cycles 500 --jobs 1 --out OUT",
    "study deflection --sides 4 --loads 0.2 --seeds 1 --cycles 500 --jobs 1 --json",
    "study cut-through --side 4 --packet-words 1,4 --seeds 2 --cycles 500 --jobs 1 --out OUT",
    "study cut-through --side 4 --packet-words 2 --seeds 2 --cycles 500 --jobs 1 --json",
    "study duplex --side 4 --sides 4 --patterns uniform,tornado --packet-words 5,20 --frames 1,5 --thresholds 1,20 --turnarounds 0,1 --loads 0.05,0.1 --seeds 2 --cycles 500 --jobs 1 --out OUT",
    "study duplex --axes pattern --topologies torus --side 4 --patterns uniform --seeds 2 --cycles 500 --jobs 1 --json",
    "study async-load --side 4 --loads 0.1,0.4 --spreads 0,10 --seeds 2 --cycles 500 --plot OUT",
    "study async-load --side 4 --loads 0.2 --spreads 5 --seeds 2 --cycles 500 --topologies torus --patterns uniform --json",
];

/// Sweeps, searches for saturation and comparisons of small networks.
const SWEEPS: &[&str] = &[
    "sweep configs/wormhole.toml --set network.sides=[4,4] --set run.warmup_cycles=500 --set run.measure_cycles=6000 --over traffic.load=0.1,0.3,0.9 --over router.wormhole.vcs=1,2 --seeds 2 --jobs 1 --out OUT --json",
    "sweep configs/minimal-chaos.toml --over network.sides=[4,4],[6,6] --jobs 1 --out OUT --json",
    "sweep configs/deadlock.toml --set run.measure_cycles=1000 --over traffic.load=0.05,1.5,1 --skip-refused --jobs 1 --out OUT --json",
    "saturate configs/wormhole.toml --set network.sides=[4,4] --set run.warmup_cycles=500 --set run.measure_cycles=6000 --seeds 2 --jobs 1 --tolerance 0.05",
    "saturate configs/chaos-mesh.toml --set network.sides=[4,4] --set run.warmup_cycles=500 --set run.measure_cycles=6000 --seeds 2 --jobs 1 --tolerance 0.1 --criterion latency=3 --json",
    "compare configs/wormhole.toml configs/wormhole.toml --set network.sides=[4,4] --set run.warmup_cycles=500 --set run.measure_cycles=8000 --set traffic.load=0.3 --set-b router.wormhole.vcs=4 --jobs 1",
    "compare configs/chaos-mesh.toml configs/wormhole.toml --set network.sides=[4,4] --set run.warmup_cycles=500 --set run.measure_cycles=4000 --measure accepted --jobs 1 --json",
    "compare configs/batch.toml configs/batch.toml --set traffic.batch.requests=20 --set-b router.wormhole.vcs=2 --measure p99 --budget-runs 8 --jobs 1",
];

/// Runs, with everything that they write.
const RUNS: &[&str] = &[
    "run configs/chaos-mesh.toml --set network.sides=[3,3] --set traffic.load=0.2 --set run.warmup_cycles=200 --set run.measure_cycles=2000 --out OUT --every 500 --packets OUT/packets.csv",
    "run configs/wormhole.toml --set network.sides=[4,2] --set energy={buffer_write_pj=1,link_pj=2.5} --set run.warmup_cycles=500 --set run.measure_cycles=20000 --out OUT --json",
    "run configs/wormhole.toml --set network.sides=[2,2,2] --set network.topology=torus --set run.measure_cycles=500 --set run.warmup_cycles=50 --set traffic.load=1 --out OUT --json",
    "run configs/deadlock.toml --set network.sides=[6,6] --set traffic.pattern=uniform --set router.chaos.multiqueue_frames=1 --set run.measure_cycles=1000 --out OUT",
    "run configs/batch.toml --set network.sides=[3,3] --set traffic.batch.requests=5 --out OUT --every 100 --packets OUT/packets.csv --json",
    "run configs/deflection.toml --set network.sides=[3,3] --set run.warmup_cycles=100 --set run.measure_cycles=500 --out OUT --packets OUT/packets.csv",
    "run configs/islands.toml --set run.warmup_cycles=100 --set run.measure_cycles=500 --json",
    "run configs/csv-trace.toml --out OUT --packets OUT/packets.csv --json",
    "run configs/schedule-file.toml --out OUT --packets OUT/packets.csv --json",
    "run configs/live-mesh.toml --slack 0 --set network.sides=[3,3] --set run.warmup_cycles=100 --set run.measure_cycles=500 --out OUT",
];

static DONE_PAPERS: LazyLock<Vec<Outputs>> = LazyLock::new(|| ran(PAPERS));
static DONE_STUDIES: LazyLock<Vec<Outputs>> = LazyLock::new(|| ran(STUDIES));
static DONE_SWEEPS: LazyLock<Vec<Outputs>> = LazyLock::new(|| ran(SWEEPS));
static DONE_RUNS: LazyLock<Vec<Outputs>> = LazyLock::new(|| ran(RUNS));

fn ran(commands: &[&str]) -> Vec<Outputs> {
    each(commands, |line| outputs(line))
}

/// What all commands printed and wrote; each runs once, also if its columns are recorded as well.
pub(crate) fn done() -> impl Iterator<Item = &'static Outputs> {
    let all = [&*DONE_PAPERS, &*DONE_STUDIES, &*DONE_SWEEPS, &*DONE_RUNS];
    all.into_iter().flatten()
}

/// A command's output, and the content of each file that it writes.
fn fact(of: &Outputs) -> Fact {
    let printed = json(&of.done.out);
    let (said, all) = match &printed {
        Some(value) => (packed(value), format!("{value:#}\n")),
        None => (ends(&of.done.out, 24, 6), of.done.out.clone()),
    };
    let (exit, complaint) = (of.done.exit(), of.done.complaint());
    let mut came = format!("{exit}\n{said}{complaint}");
    let mut whole = format!("{exit}\n{all}{complaint}");
    for (name, bytes) in &of.files {
        if let Some((part, all)) = file(name, bytes, printed.as_ref()) {
            came += &format!("--- {name}{part}");
            whole += &format!("--- {name}\n{all}");
        }
    }
    Fact::part(&of.typed, came, whole)
}

/// What is recorded of a file, and its content; journals and locks of sweeps, and pictures made of pixels, aren't
/// compared.
fn file(name: &str, bytes: &[u8], printed: Option<&Value>) -> Option<(String, String)> {
    let text = || std::str::from_utf8(bytes).unwrap();
    let (_, ending) = name.rsplit_once('.')?;
    match ending {
        "csv" => {
            let Table { columns, rows, .. } = table(bytes);
            let rows = [columns].into_iter().chain(rows);
            let all: String = rows.map(|row| row.join(",") + "\n").collect();
            Some((format!("\n{}", ends(&all, 2, 1)), all))
        }
        "json" => {
            let value = json(text())?;
            let all = format!("{value:#}\n");
            let part = match printed {
                Some(printed) if *printed == value => " is what is printed\n".to_owned(),
                _ if name == "results.json" => format!(": {}\n", checksum(&all)),
                _ => format!("\n{}", packed(&value)),
            };
            Some((part, all))
        }
        "svg" => {
            let all = mask::text(text());
            Some((format!(": {}\n", checksum(&all)), all))
        }
        _ => Some((" is there\n".to_owned(), String::new())).filter(|_| ending == "png"),
    }
}

fn compare_commands(record: &str, done: &[Outputs]) {
    let facts: Vec<Fact> = done.iter().map(fact).collect();
    compare(record, &facts);
}

#[test]
fn rows_of_papers() {
    compare_commands("papers.txt", &DONE_PAPERS);
}

#[test]
fn rows_of_studies() {
    compare_commands("studies.txt", &DONE_STUDIES);
}

#[test]
fn rows_of_sweeps() {
    compare_commands("sweeps.txt", &DONE_SWEEPS);
}

#[test]
fn results_of_runs() {
    compare_commands("runs.txt", &DONE_RUNS);
}

/// The report of `flitwork replay` on a record of a short run in lockstep, on some of its nodes and on events.
#[test]
fn replays_of_a_record() {
    let folder = temporary();
    let path = folder.path().to_str().unwrap();
    let run = |line: &str| {
        let args: Vec<String> = line
            .split_whitespace()
            .map(|arg| arg.replace("OUT", path))
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let came = flitwork(root(), &args).came().replace(path, "OUT");
        Fact::part(typed(&args).replace(path, "OUT"), ends(&came, 24, 6), came)
    };
    let record = "run configs/live-mesh.toml --slack 0 --set network.sides=[3,3] --set run.warmup_cycles=50 \
        --set run.measure_cycles=200 --record-heads --record OUT/r.flog";
    let written = run(record);
    assert!(written.came.starts_with("exit 0\n"), "{}", written.came);
    let facts = [
        "replay OUT/r.flog --node 3,4",
        "replay OUT/r.flog --node 4 --trace",
        "replay OUT/r.flog --until 4@100 --node 4",
        "replay OUT/r.flog --node 9",
        "replay OUT/r.flog --until 9@1",
        "replay OUT/r.flog --set traffic.load=0.2",
        "replay OUT/r.flog --what-if --set router.chaos.multiqueue_frames=1",
        "replay OUT/r.flog --what-if --set traffic.load=0.2",
        "replay OUT/r.flog --what-if --set network.sides=[4,4]",
        "replay OUT/r.flog --config configs/chaos-mesh.toml",
    ];
    compare("replays.txt", &facts.map(run));
}
