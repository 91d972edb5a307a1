//! The examples' own parts, run from the examples' configurations on every engine, recorded and replayed.

#[allow(dead_code, reason = "the example's own main function")]
#[path = "../examples/embed.rs"]
mod embed;
#[allow(dead_code, reason = "the example's own main function")]
#[path = "../examples/own_algorithms.rs"]
pub(crate) mod own_algorithms;
#[allow(dead_code, reason = "the example's own main function")]
#[path = "../examples/own_format.rs"]
pub(crate) mod own_format;
#[allow(dead_code, reason = "the example's own main function")]
#[path = "../examples/own_router.rs"]
pub(crate) mod own_router;
#[allow(dead_code, reason = "the example's own main function")]
#[path = "../examples/own_study.rs"]
pub(crate) mod own_study;
#[allow(dead_code, reason = "the example's own main function")]
#[path = "../examples/own_topology.rs"]
pub(crate) mod own_topology;
#[allow(dead_code, reason = "the example's own main function")]
#[path = "../examples/own_traffic.rs"]
pub(crate) mod own_traffic;

use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_experiment::extras::Extras;
use flitwork_experiment::live::replay::{Record, ReplayRequest};
use flitwork_experiment::live::{ToRecord, simulate_live_with};
use flitwork_experiment::simulate::simulate;
use flitwork_schedule::{Request, check, makespan};
use flitwork_schema::Parts;
use flitwork_testing::{Contract, Shown};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

/// The example's configuration with some keys changed.
fn resolved(parts: Parts, name: &str, set: &[(&str, &str)]) -> Resolved {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.toml"));
    let short = [("run.warmup_cycles", "100"), ("run.measure_cycles", "500")];
    let set: Vec<Override> = short
        .iter()
        .chain(set)
        .map(|(key, value)| Override::new(key, value))
        .collect();
    let resolved = Catalogue::new(parts).load(&path, &set);
    resolved.unwrap_or_else(|error| panic!("{error}"))
}

fn runs_everywhere(parts: fn() -> Parts, name: &str) {
    let on = |engine: &str| {
        let resolved = resolved(parts(), name, &[("run.engine", engine)]);
        let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
        assert!(run.observation.delivered > 100, "{name} on {engine}");
        assert_eq!(run.observation.injected, run.observation.delivered);
        run.digest
    };
    let plain = on("sync-plain");
    for engine in ["sync", "sync-stepped", "clocked"] {
        assert_eq!(on(engine), plain, "{name} on {engine}");
    }
    let live = [("run.engine", "live"), ("live.slack", "0")];
    let live = resolved(parts(), name, &live);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.flog");
    let record = ToRecord {
        out: Box::new(File::create(&path).unwrap()),
        heads: false,
        remark: String::new(),
    };
    let control = &mut |_| ControlFlow::Continue(());
    let run = simulate_live_with(&live, Some(record), Extras::default(), control);
    let (run, _) = run.unwrap();
    assert_eq!(run.simulated.digest, plain, "{name} live in lockstep");
    let record = Record::open(&path).unwrap();
    let question = ReplayRequest {
        threads: 1,
        until: None,
        what_if: false,
        trace: false,
        nodes: &[],
        subset: false,
    };
    let again = record.replay(&live, &question, control).unwrap();
    assert_eq!(again.simulated.unwrap().digest, plain, "{name} replayed");
}

#[test]
fn a_router_from_outside_runs_everywhere() {
    runs_everywhere(own_router::parts, "own_router");
}

#[test]
fn a_router_from_outside_obeys_the_contract() {
    Contract::<own_router::Queued>::new()
        .shows(Shown::Decisions)
        .hold();
}

#[test]
fn a_topology_from_outside_runs_everywhere() {
    runs_everywhere(own_topology::parts, "own_topology");
}

#[test]
fn traffic_from_outside_runs_everywhere() {
    runs_everywhere(own_traffic::parts, "own_traffic");
}

/// A rule routes with an inqueue discipline, both from outside; their keys are in the reference and the schema.
#[test]
fn a_rule_from_outside_routes() {
    let catalogue = Catalogue::new(own_algorithms::parts());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_rule.toml");
    let load = |set: &[Override]| catalogue.load_routing(&path, set);
    let loaded = load(&[]).unwrap_or_else(|error| panic!("{error}"));
    let routing = &loaded.value;
    let text = routing.to_toml();
    assert!(text.contains("[rule.turns]\nqueues = \"central\"\nk = 16\ninqueue = \"oldest-offer\"\nturn_steps = 3\n"), "{text}");
    let packets = routing.packets.iter().map(|(from, to, _)| (*from, *to));
    let packets: Vec<_> = packets.collect();
    let routed = |inqueue: &str, k: u32| {
        let inqueue = Override::new("rule.turns.inqueue", inqueue);
        let loaded = load(&[inqueue, Override::new("rule.turns.k", &k.to_string())]).unwrap();
        let rule = &loaded.value.algorithm;
        let control = &mut |_| true;
        let routed = rule.route(loaded.value.shape(), &packets, control);
        let routed = routed.unwrap();
        (routed.undelivered, routed.steps, routed.moves)
    };
    // With room for all, packets arrive; with little, it matters who is let in.
    let (undelivered, steps, _) = routed("oldest-offer", 64);
    assert!(undelivered == 0 && steps >= 14, "{undelivered}, {steps}");
    let differs = |k: &u32| routed("oldest-offer", *k) != routed("fixed", *k);
    assert!((1..12).any(|k| differs(&k)));
    let keys = catalogue.describe_keys();
    assert!(keys.iter().any(|key| key.key == "rule.turns.turn_steps"));
    let fifo = catalogue.json_schema()["properties"]["rule"]["properties"]["fifo"].clone();
    assert_eq!(fifo["properties"]["inqueue"]["enum"][1], "oldest-offer");
    let wrong = load(&[Override::new("rule.turns.turn_step", "3")]).unwrap_err();
    assert_eq!(wrong.hint(), Some("did you mean rule.turns.turn_steps?"));
}

/// 15 packets of 3 words, one after the other with a pause of a step: of two nodes of a 4 x 4 torus that are opposite in numbers,
/// columns and rows are 1 apart where they are 0 and 3 or 1 and 2, so 2 links for all 16, each 2 + 2 + 1 steps but the last.
#[test]
fn a_method_from_outside_schedules() {
    let catalogue = Catalogue::new(own_algorithms::parts());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_schedule.toml");
    let loaded = catalogue
        .load_scheduling(&path, &[])
        .unwrap_or_else(|error| panic!("{error}"));
    let scheduling = loaded.value;
    let requests = scheduling
        .packets
        .iter()
        .map(|(source, destination, words)| Request {
            source: *source,
            destination: *destination,
            words: (*words).into(),
        });
    let requests: Vec<Request> = requests.collect();
    let made = scheduling
        .algorithm
        .make(scheduling.shape(), &requests)
        .unwrap();
    assert_eq!(check(scheduling.shape(), &requests, &made.plans, 0), Ok(()));
    assert_eq!(makespan(&requests, &made.plans), 16 * 5 - 1);
    // An order of packets for the program's own method.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/schedule/permutation.toml");
    let order = Override::new("schedule.multistage.order", "south-first");
    let loaded = catalogue
        .load_scheduling(&path, &[order])
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(loaded.value.to_toml().contains("order = \"south-first\""));
}

/// The default wormhole router takes four cycles for its stages, one cycle each for routing, for a virtual
/// channel, for the switch and through it, and a link takes one more. The first word takes one cycle to enter
/// the network, and counts as delivered in the cycle after it leaves the last router's switch; each further
/// word arrives one cycle after the one before it. Core 12's first request waits one cycle for core 3's,
/// which wants the same port of the memory's node.
#[test]
fn the_embedded_network_delivers_in_the_cycles_of_its_router() {
    let mut out = Vec::new();
    embed::run(&mut out).unwrap();
    let output = String::from_utf8(out).unwrap();
    let mut lines = output.lines();
    let titles = lines.next();
    assert_eq!(
        titles,
        Some("from  to  words  created  delivered  latency  hops")
    );
    let rows: Vec<Vec<u32>> = lines
        .map(|line| {
            line.split_whitespace()
                .map(|cell| cell.parse().unwrap())
                .collect()
        })
        .collect();
    // Three cores read two lines each.
    assert_eq!(rows.len(), 2 * 3 * 2);
    let mut ready = 0;
    for (number, row) in rows.iter().enumerate() {
        let [from, to, words, created, delivered, latency, hops] = row[..] else {
            panic!("{output}");
        };
        let stages = 4;
        let waits = u32::from(number == 1);
        assert_eq!(
            latency,
            1 + hops * (stages + 1) + stages + 1 + (words - 1) + waits,
            "{output}"
        );
        assert_eq!(delivered, created + latency, "{output}");
        let apart =
            |one: u32, other: u32| (one % 4).abs_diff(other % 4) + (one / 4).abs_diff(other / 4);
        assert_eq!(hops, apart(from, to), "{output}");
        // The memory takes 20 cycles per line, one line after the other.
        if from == 10 {
            assert!(created >= ready + 20 || ready == 0, "{output}");
            ready = created;
        }
    }
}
