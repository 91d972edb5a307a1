//! What questions about a run cost, in CPU time: a step back, events, conditions, a run without a packet.
//!
//! `cargo bench --bench debugging` runs all of it (some minutes), `cargo bench --bench debugging back` a part:
//!
//! - `back`: one cycle back in a long run, from its end and from anywhere, within a budget for copies;
//! - `box`: the same in the network of Experiment 2;
//! - `events`: events of a run that is made again, gathered in memory, and with words;
//! - `language`: a condition on each event;
//! - `without`: a run of the slowest packet's last part, without another packet;
//! - `index`: bytes a packet, and what a run takes with an index and without.

use flitwork_adversary::{Plan, clt};
use flitwork_config::{Catalogue, Override};
use flitwork_debug::language::Filter;
use flitwork_debug::rows::{EventRow, Nodes, PacketRow, event_columns};
use flitwork_debug::{Ended, Removals, Timeline, Wanted, first_probe, follow};
use flitwork_engine::{Engine, TimestampEngine};
use flitwork_experiment::recall::Recalled;
use flitwork_experiment::simulation::Use;
use flitwork_network::Network;
use flitwork_router::chaos::{Chaos, ChaosParameters, Delivery, Plane, TimestampFlow};
use flitwork_topology::Grid;
use flitwork_trace::index::Index;
use flitwork_types::Cycle;
use rustix::time::{ClockId, clock_gettime};
use std::fs::{self, File};
use std::io::{BufReader, Write, stdout};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How many steps back are taken one after another.
const STEPS: u64 = 200;
/// How many are taken from somewhere else each time.
const JUMPS: u64 = 30;

/// Measures something, with a folder for its files.
type Part = fn(&Path);

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let parts: [(&str, Part); 6] = [
        ("back", back),
        ("box", back_in_the_box),
        ("events", events),
        ("language", language),
        ("without", without),
        ("index", index),
    ];
    let names: Vec<&String> = asked.iter().filter(|it| !it.starts_with("--")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    for (name, part) in parts {
        if names.is_empty() || names.iter().any(|it| *it == name) {
            part(folder.path());
        }
    }
}

/// The CPU time of this process.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = cpu();
    let done = work();
    (done, cpu() - before)
}

fn say(line: &str) {
    writeln!(stdout(), "{line}").expect("standard output");
}

fn config(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("configs").join(name)
}

fn open(path: &Path, set: &[(&str, &str)]) -> Recalled {
    let set: Vec<Override> = set
        .iter()
        .map(|(key, value)| Override::new(key, value))
        .collect();
    Recalled::open(&Catalogue::default(), path, &set).expect("a run")
}

fn flitwork(args: &[&str]) -> Duration {
    let before = children();
    let done = Command::new(env!("CARGO_BIN_EXE_flitwork"))
        .args(args)
        .output();
    let done = done.expect("flitwork runs");
    assert!(
        done.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    children() - before
}

/// The CPU time of child processes that have ended, as Linux counts it: in hundredths of a second.
fn children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields
        .split(' ')
        .skip(14)
        .take(2)
        .filter_map(|it| it.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

fn timeline(run: &Recalled, usage: Use, bytes: usize) -> Timeline {
    Timeline::new(
        run.simulation(usage, first_probe()).0,
        bytes,
        run.cycle_time(),
    )
}

/// One cycle back: in a million, and in a record.
fn back(folder: &Path) {
    let long = ("run.measure_cycles", "1000000");
    let mesh = open(&config("chaos-mesh.toml"), &[long]);
    step_back("chaos-mesh, 10^6 cycles", &mesh, 1_000_000, 16_000_000);
    let clocked = open(&config("clocked-mesh.toml"), &[long]);
    step_back(
        "clocked-mesh, 10^6 cycles",
        &clocked,
        1_000_000_000,
        128_000_000,
    );
    let record = folder.join("live.flog");
    let record = record.to_str().expect("UTF-8");
    let sides = "network.sides=[16,16]";
    let live = config("live-mesh.toml");
    let live = live.to_str().expect("UTF-8");
    let length = "run.measure_cycles=100000";
    flitwork(&[
        "run", live, "--set", sides, "--set", length, "--record", record,
    ]);
    step_back(
        "record of 16 x 16, 10^5 cycles",
        &open(Path::new(record), &[]),
        100_000,
        128_000_000,
    );
}

/// One cycle back in the network of Experiment 2 (Chinn 1995, section 4.2.2).
fn back_in_the_box(folder: &Path) {
    let side = box_of_experiment_2(3120, &folder.join("pairs.csv"));
    let nodes = side * side;
    let text = format!(
        "[network]\ntopology = \"mesh\"\nsides = [{side}, {side}]\n\
         [router.chaos]\npreset = \"chinn-1995\"\nderouting = false\ndelivery = \"vanish\"\n\
         [traffic]\nprocess = \"trace\"\npacket_words = 10\n\
         [traffic.trace]\nfile = \"pairs.csv\"\nnodes = {nodes}\n"
    );
    let path = folder.join("box.toml");
    fs::write(&path, text).expect("a file");
    let worst = open(&path, &[]);
    step_back("Experiment 2, n = 3120", &worst, 6_000, 512_000_000);
}

/// Writes the packets of Experiment 2 in its box, in which many have one destination: where they leave it. Returns the
/// box's side.
fn box_of_experiment_2(n: u32, pairs: &Path) -> u32 {
    let k = Plan::queue_positions(5);
    let plan = Plan::new(n, k, Plan::usual_corner(n, k)).expect("published sizes fit");
    let grid = Grid::mesh(&[2 * plan.corner; 2]).expect("a mesh");
    let mut parameters = ChaosParameters::chinn_1995(4);
    (parameters.derouting, parameters.delivery) = (false, Delivery::Vanish);
    let router = Chaos::<_, Plane<TimestampFlow>>::new(grid.clone(), parameters, 1);
    let network = Network::new(grid.clone(), router, 1);
    let classes = plan.place(1);
    let to_the_edge = clt::to_the_edge(&grid, &plan, &classes);
    let run = |load, probe| {
        let mut run = TimestampEngine::new(network, load, probe);
        let outcome = run.run(&mut |_| ControlFlow::Continue(()));
        (outcome, Box::new(run).into_probe())
    };
    let (end, instant) = (Cycle::LAST, clt::Instant::Decision);
    let done = clt::construct(&grid, &plan, classes, &to_the_edge, instant, end, run);
    let mut csv = "cycle,src,dst,words,id,class,after\n".to_owned();
    for (id, (from, to)) in done.pairs.into_iter().enumerate() {
        csv += &format!("0,{from},{to},10,{id},0,\n");
    }
    fs::write(pairs, csv).expect("a file");
    2 * plan.corner
}

fn step_back(what: &str, run: &Recalled, end: u64, bytes: usize) {
    let mut timeline = timeline(run, Use::Views, bytes);
    let ((), there) = timed(|| timeline.go(end));
    let one = |timeline: &mut Timeline| {
        let back = timeline.now() - run.cycle_time();
        timed(|| timeline.go(back)).1
    };
    let from_end: Vec<Duration> = (0..STEPS).map(|_| one(&mut timeline)).collect();
    let mut random = 1u64;
    let (mut jumps, mut anywhere) = (Vec::new(), Vec::new());
    for _ in 0..JUMPS {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let to = 1 + run.cycle_time() + random % (end - run.cycle_time());
        jumps.push(timed(|| timeline.go(to)).1);
        anywhere.push(one(&mut timeline));
    }
    let (copies, kept) = (timeline.kept().len(), timeline.kept_bytes());
    say(&format!(
        "{what}: there in {there:.2?}; {copies} copies of {:.1} MB in all",
        kept as f64 / 1e6
    ));
    let all = [
        ("one cycle back from the end", from_end),
        ("one cycle back from anywhere", anywhere),
        ("from anywhere to anywhere", jumps),
    ];
    for (what, all) in all {
        let worst = all.iter().max().expect("some");
        let mean = all.iter().sum::<Duration>() / all.len() as u32;
        say(&format!("  {what}: {mean:.2?}, at worst {worst:.2?}"));
    }
}

/// Events that are gathered in memory, stretch by stretch, and given back.
fn events(_: &Path) {
    let words = Wanted {
        words: true,
        ..Wanted::EVENTS
    };
    let arrivals = Wanted {
        arrivals: true,
        ..words
    };
    for (name, wanted) in [
        ("chaos-mesh.toml", Wanted::EVENTS),
        ("wormhole.toml", Wanted::EVENTS),
        ("wormhole.toml", words),
        ("wormhole.toml", arrivals),
        ("deflection.toml", Wanted::EVENTS),
    ] {
        let run = open(&config(name), &[]);
        let mut first = gathered(&run, wanted, |_| ());
        let again = gathered(&run, wanted, |_| ());
        first.1 = first.1.min(again.1);
        let what = match (wanted.words, wanted.arrivals) {
            (false, _) => "events",
            (true, false) => "events and words that leave",
            (true, true) => "events and words that leave and arrive",
        };
        say(&rate(&format!("{name}, {what}"), first));
    }
}

/// How much was gathered of a whole run, and in which time.
fn gathered(
    run: &Recalled,
    wanted: Wanted,
    mut each: impl FnMut(&[flitwork_debug::Happening]),
) -> (u64, Duration) {
    let usage = if wanted.words {
        Use::Views
    } else {
        Use::Events
    };
    let mut timeline = timeline(run, usage, 1 << 24);
    let mut branch = timeline.copy_at(0, wanted);
    let (mut count, end) = (0, run.end());
    let ((), time) = timed(|| {
        let mut ended = Ended::Deadline;
        while branch.now() < end && ended == Ended::Deadline {
            let until = (branch.now() + 64 * run.cycle_time()).min(end);
            let (happened, how) = branch.advance(until);
            ended = how;
            count += happened.len() as u64;
            each(&happened);
        }
    });
    (count, time)
}

fn rate(what: &str, (count, time): (u64, Duration)) -> String {
    let millions = count as f64 / time.as_secs_f64() / 1e6;
    format!("{what}: {count} in {time:.2?}, {millions:.1} million a second")
}

/// Conditions on events, without the run itself.
fn language(_: &Path) {
    let run = open(
        &config("chaos-mesh.toml"),
        &[("run.measure_cycles", "5000")],
    );
    let nodes = Nodes::new(&run.resolved.network.shape);
    let columns = event_columns(&nodes, timeline(&run, Use::Events, 1 << 24).unit());
    let mut all = Vec::new();
    gathered(&run, Wanted::EVENTS, |happened| {
        all.extend_from_slice(happened);
    });
    for text in [
        "kind == 'moved'",
        "kind == 'delivered' && latency > 100",
        "node.x in 3..9 && !deroute || time > 2000",
    ] {
        let filter = Filter::parse(text, &columns).expect("a condition");
        let (hold, time) = timed(|| {
            let rounds = 0..20;
            let rows = || {
                all.iter().map(|happening| EventRow {
                    happening,
                    nodes: &nodes,
                })
            };
            rounds
                .map(|_| rows().filter(|row| filter.holds(row)).count())
                .sum::<usize>()
        });
        say(&rate(
            &format!("{text} ({} hold)", hold / 20),
            (20 * all.len() as u64, time),
        ));
    }
}

/// The slowest packet of chaos-mesh.toml, without each of others that could have been in its way.
fn without(_: &Path) {
    let run = open(&config("chaos-mesh.toml"), &[]);
    let rows: Vec<PacketRow> = run
        .packets(&mut |_| ControlFlow::Continue(()))
        .expect("rows");
    let slowest = rows
        .iter()
        .filter(|row| row.latency.is_some())
        .max_by_key(|row| row.latency);
    let slowest = slowest.expect("some are delivered");
    let target = slowest.packet().expect("it was injected");
    let from: u64 = slowest.injected.map_or(0, Cycle::get).into();
    let mut timeline = timeline(&run, Use::Views, 512_000_000);
    let (journey, why) = timed(|| follow(&mut timeline, target, from, run.end()).expect("its way"));
    let way: Vec<_> = journey.stays.iter().map(|stay| stay.node).collect();
    let removals = Removals {
        target,
        rows: &rows,
        afresh: &|packet, probe| run.simulation_without(packet, probe),
        end: run.end(),
    };
    let candidates = removals.candidates(&run.resolved.network.shape, &way, 1);
    let (changed, time) = timed(|| {
        let tried = candidates.iter().take(200);
        let changed = tried.filter(|packet| {
            let found = removals.without(&mut timeline, **packet);
            found.is_some_and(|it| it.latency != slowest.latency)
        });
        changed.count()
    });
    let tried = candidates.len().min(200) as u32;
    say(&format!("the way of the slowest: {why:.2?}"));
    say(&format!(
        "without one of {} packets: {:.2?} each, {changed} of {tried} change something",
        candidates.len(),
        time / tried.max(1)
    ));
}

/// An index of chaos-mesh.toml, and the run's time with and without it.
fn index(folder: &Path) {
    let path = folder.join("run.fltrace");
    let (mesh, out) = (config("chaos-mesh.toml"), path.to_str().expect("UTF-8"));
    let mesh = mesh.to_str().expect("UTF-8");
    let (mut with, mut bare) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..5 {
        bare += flitwork(&["run", mesh]);
        with += flitwork(&["run", mesh, "--trace", out]);
        fs::copy(&path, folder.join("kept")).expect("an index");
        fs::remove_file(&path).expect("an index");
    }
    let file = File::open(folder.join("kept")).expect("an index");
    let bytes = file.metadata().expect("its size").len();
    let index = Index::read(BufReader::new(file)).expect("an index");
    let packets = index.rows.len();
    let each = bytes as f64 / packets as f64;
    let share = (with.as_secs_f64() / bare.as_secs_f64() - 1.0) * 100.0;
    say(&format!(
        "index: {bytes} bytes, {each:.1} a packet of {packets}; {share:.1} % more CPU time ({:.2?} instead of {:.2?})",
        with / 5,
        bare / 5
    ));
}
