//! Parts of another crate in commands of many runs: sweeps, searches for saturation, comparisons and studies.

use crate::examples::{own_algorithms, own_router, own_topology, own_traffic};
use crate::own_routing;
use crate::own_study::run_with;
use flitwork_config::{Catalogue, Override};
use flitwork_experiment::simulate::simulate;
use flitwork_report::Program;
use flitwork_router::scheduled::{Hop, Route, ScheduleFile};
use flitwork_schema::{Key, Parts};
use flitwork_studies::{End, Failed};
use flitwork_sweep::{Base, Compare, Plan, Saturate, Shard, Sweep, Verdict};
use flitwork_sweep::{compare, saturate, sweep};
use flitwork_topology::Topology;
use flitwork_traffic::{Draws, Pattern, PatternEntry, PatternError, PatternParameters};
use flitwork_types::{Cycle, NodeId, Port, TerminalId};
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::Path;

/// An example's configuration on a smaller network and for a shorter time, with further keys.
fn base(parts: fn() -> Parts, example: &str, set: &[(&str, &str)]) -> Base {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{example}.toml"));
    let size = match example {
        "own_topology" => ("network.nodes", "24"),
        _ => ("network.sides", "[4, 4]"),
    };
    let short = [("run.warmup_cycles", "200"), ("run.measure_cycles", "2000")];
    let all = [size].into_iter().chain(short).chain(set.iter().copied());
    let all = all.map(|(key, value)| Override::new(key, value)).collect();
    Base::read(&Catalogue::new(parts()), &path, all).unwrap()
}

fn router(set: &[(&str, &str)]) -> Base {
    base(own_router::parts, "own_router", set)
}

fn topology(set: &[(&str, &str)]) -> Base {
    base(own_topology::parts, "own_topology", set)
}

fn traffic(set: &[(&str, &str)]) -> Base {
    base(own_traffic::parts, "own_traffic", set)
}

/// Each point of a sweep equals the run of its configuration.
#[test]
fn parts_from_outside_are_swept() {
    for (base, key, values) in [
        (
            // Far from saturation: a sweep measures longer where a run is too short to tell.
            router(&[("traffic.load", "0.1")]),
            "router.queued.queue_words",
            ["1", "4"],
        ),
        (topology(&[]), "network.chord_cycles", ["1", "8"]),
        (traffic(&[]), "traffic.every_cycles", ["20", "40"]),
        (traffic(&[]), "traffic.by_nodes", ["3", "5"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let axis = format!("{key}={}", values.join(",")).parse().unwrap();
        let plan = Plan::new(base.clone(), vec![axis], 1).unwrap();
        let asked = Sweep {
            plan: &plan,
            program: &Program {
                version: "0".into(),
                revision: "none".into(),
                command: "own".into(),
            },
            folder: folder.path(),
            shard: Shard::WHOLE,
            jobs: 1,
            skip_refused: false,
        };
        let summary = sweep(asked, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((summary.complete, summary.failed), (2, 0), "{key}");
        let table = std::fs::read_to_string(folder.path().join("sweep.csv")).unwrap();
        for value in values {
            let over = [Override::new(key, value), Override::new("run.seed", "1")];
            let resolved = base.repeatable("a point", &over).unwrap();
            let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
            let digest = run.digest.to_string();
            assert_eq!(
                table.matches(&digest).count(),
                1,
                "{key} = {value}: {table}"
            );
        }
    }
}

#[test]
fn parts_from_outside_are_saturated() {
    // The example's process has no load to search for.
    let mut further = traffic(&[]);
    let text = further
        .text
        .replace("process = \"ticks\"\nevery_cycles = 20", "load = 0.1");
    further.text = text;
    for (base, part) in [
        (router(&[]), "[router.queued]"),
        (topology(&[]), "topology = \"chordal-ring\""),
        (further, "pattern = \"further\""),
    ] {
        let asked = Saturate {
            base,
            seeds: 1,
            tolerance: "0.1".parse().unwrap(),
            low: "0.1".parse().unwrap(),
            high: "1".parse().unwrap(),
            criterion: flitwork_sweep::Criterion::Steady,
            jobs: 1,
        };
        let found = saturate(&asked, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert!(
            found.configuration.contains(part),
            "{}",
            found.configuration
        );
        let found = serde_json::to_value(found.found()).unwrap();
        let load = |name: &str| found[format!("{name}_load_words_per_node_cycle")].as_f64();
        let (below, above) = (load("unsaturated").unwrap(), load("saturated").unwrap());
        assert!(
            (above - below - 0.1).abs() < 1e-9,
            "{part}: {below} and {above}"
        );
    }
}

/// Longer queues, shorter chords and nearer destinations take less time.
#[test]
fn parts_from_outside_are_compared() {
    for (part, better, worse) in [
        (
            router as fn(&[(&str, &str)]) -> Base,
            "router.queued.queue_words=4",
            "router.queued.queue_words=2",
        ),
        (
            topology,
            "network.chord_cycles=1",
            "network.chord_cycles=20",
        ),
        (traffic, "traffic.by_nodes=1", "traffic.by_nodes=10"),
    ] {
        let side = |set: &str| part(&[set.split_once('=').unwrap()]);
        let asked = Compare {
            a: side(better),
            b: side(worse),
            measure: None,
            most_pairs: 4,
            time: None,
            confidence: 0.95,
            jobs: 1,
        };
        let found = compare(&asked, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(found.verdict, Verdict::ABetter, "{better}: {found:?}");
    }
}

/// A paper's experiment on the command line, as JSON.
fn paper(line: &str) -> Value {
    let line = format!("paper {line} --json");
    let (end, text) = run_with(own_algorithms::parts(), u32::MAX, &line);
    assert_eq!(end, Ok(End::Fine), "{line}: {text}");
    serde_json::from_str(&text).unwrap()
}

/// The adversary of section 2.4.5 takes any rule of dimension order that doesn't look at destinations.
#[test]
fn rules_and_inqueues_from_outside_are_bounded() {
    let line = "chinn-bounds --section 2.4.5 --n 60 --rule turns,fifo --inqueue oldest-offer";
    let found = paper(line);
    let rows = found["rows"].as_array().unwrap();
    let rules: Vec<&Value> = rows.iter().map(|row| &row["rule"]).collect();
    assert_eq!(rules, ["turns", "fifo"]);
    for row in rows {
        assert_eq!(row["repeats"], true, "{row}");
        assert!(row["steps"].as_u64() >= row["bound"].as_u64(), "{row}");
    }
    let configuration = &found["provenance"]["configuration"]["n = 60, k = 1, turns"];
    let configuration = configuration.as_str().unwrap();
    for part in ["[rule.turns]", "inqueue = \"oldest-offer\""] {
        assert!(configuration.contains(part), "{configuration}");
    }
}

#[test]
fn orders_from_outside_are_counted() {
    let found = paper("symvonis-tidswell --mesh 3x2 --exhaustive --order south-first,row-major");
    let rows = found["rows"].as_array().unwrap();
    let orders: Vec<&Value> = rows.iter().map(|row| &row["order"]).collect();
    assert_eq!(orders, ["south-first", "row-major"]);
    assert!(rows.iter().all(|row| row["permutations"] == 720), "{found}");
}

/// What is allowed has the parts from outside, too.
#[test]
fn unknown_names_are_refused_with_those_that_there_are() {
    for (line, kind, own) in [
        ("chinn-bounds --rule", "rules", "turns"),
        ("chinn-bounds --inqueue", "inqueues", "oldest-offer"),
        ("symvonis-tidswell --order", "orders", "south-first"),
    ] {
        let (parts, command) = (own_algorithms::parts(), format!("paper {line} none"));
        let (end, said) = run_with(parts, u32::MAX, &command);
        let Err(Failed::BadInput(why)) = end else {
            panic!("{line}: {end:?}");
        };
        let option = line.split(' ').next_back().unwrap();
        let says = format!("{option}: none of the {kind} is called `none`; allowed: ");
        assert!(why.starts_with(&says) && why.contains(own), "{why}");
        assert_eq!(said, "");
    }
}

/// Every node sends to the next one, around the end.
#[derive(Clone, Debug, Default, PartialEq)]
struct Next;

struct Following(u32);

impl Pattern for Following {
    fn destination(&self, source: TerminalId, _: &mut Draws) -> Option<TerminalId> {
        Some(TerminalId((source.0 + 1) % self.0))
    }

    fn silent(&self, _: TerminalId) -> bool {
        false
    }
}

impl PatternParameters for Next {
    const NAME: &'static str = "next";
    const HELP: &'static str = "the next node, around the end";
    const KEYS: &'static [Key<Next>] = &[];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        Ok(Box::new(Following(topology.nodes())))
    }
}

#[test]
fn studies_take_patterns_from_outside() {
    let parts = || Parts::new().with(PatternEntry::of::<Next>());
    for (study, options) in [
        ("multiqueue", "--side 4 --cycles 200 --frames 2"),
        ("async-load", "--side 4 --cycles 200 --loads 0.1 --seeds 1"),
        ("routers", "--side 4 --cycles 200 --loads 0.1 --seeds 1"),
        ("deflection", "--sides 4 --cycles 200 --loads 0.1 --seeds 1"),
    ] {
        let line = format!("study {study} {options} --patterns next --json");
        let (end, json) = run_with(parts(), u32::MAX, &line);
        assert_eq!(end, Ok(End::Fine), "{line}");
        let json: Value = serde_json::from_str(&json).unwrap();
        for row in json["rows"].as_array().unwrap() {
            let accepted = row["accepted_load_words_per_node_cycle"].as_f64().unwrap();
            assert!(row.to_string().contains("next") && accepted > 0.05, "{row}");
        }
        let configurations = json["provenance"]["configuration"].to_string();
        assert!(
            configurations.contains("pattern = \\\"next\\\""),
            "{configurations}"
        );
        let (end, _) = run_with(Parts::new(), u32::MAX, &line);
        let Err(Failed::BadInput(why)) = end else {
            panic!("{study} knows the pattern")
        };
        assert!(why.contains("next") && why.contains("uniform"), "{why}");
    }
    let line = "study multiqueue --side 4 --patterns nothing";
    let (end, _) = run_with(parts(), u32::MAX, line);
    let Err(Failed::BadInput(why)) = end else {
        panic!("there is no such pattern")
    };
    assert!(why.contains("neighbour, next, permutation"), "{why}");
    let parts = own_traffic::parts();
    let (end, _) = run_with(
        parts,
        u32::MAX,
        "study multiqueue --side 4 --patterns further",
    );
    let why = "--patterns: further needs by_nodes, which is missing";
    assert_eq!(end, Err(Failed::bad_input(why)));
}

/// `port 0 port 1@5 port 1` on a topology from outside: a file that the program writes is one that it runs.
#[test]
fn files_are_run_where_ports_have_no_names() {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::new(own_routing::parts());
    let text = "[network]\ntopology = \"line\"\nnodes = 9\n[router.scheduled]\nschedule = \"file\"\nfile = \"s.csv\"\n\
                waiting = 1\n[traffic]\nprocess = \"schedule\"\n";
    let read = || catalogue.resolve(text, "line.toml", folder.path(), &[]);
    let hop = |port, cycle: Option<u32>| Hop {
        port: Port(port),
        cycle: cycle.map(Cycle),
    };
    let route = |source, words, path| Route {
        source: NodeId(source),
        words,
        start: Cycle(1),
        path,
    };
    let routes = [
        route(0, 2, vec![hop(0, None), hop(1, Some(5)), hop(1, None)]),
        route(8, 1, vec![hop(0, None)]),
    ];
    let written = |text: String| std::fs::write(folder.path().join("s.csv"), text).unwrap();
    let shape = own_routing::read("routing = \"along\"")
        .unwrap()
        .network
        .shape;
    let file = ScheduleFile::text(&shape, &routes);
    assert!(
        file.ends_with("\n0,2,1,port 0 port 1@5 port 1\n8,1,1,port 0\n"),
        "{file}"
    );
    written(file.clone());
    let run = simulate(&read().unwrap(), &mut |_| ControlFlow::Continue(()));
    assert_eq!(run.observation.delivered, 2);
    for name in ["east", "port"] {
        written(file.replace("port 1@5", name));
        let error = read().unwrap_err().to_string();
        let says = format!("s.csv:2:1: a path with {name:?}");
        assert!(error.contains(&says), "{error}");
    }
}

/// Nodes of any width, on a topology whose nodes have no coordinates: those of six channels, and those that count the credits of
/// ejection, are larger than a mesh's usual ones.
#[test]
fn worms_on_a_topology_from_outside_move_alike_on_every_engine() {
    let catalogue = Catalogue::new(own_topology::parts());
    for keys in [
        "vcs = 2",
        "vcs = 4",
        "vcs = 6",
        "vcs = 12",
        "ejection_credits = true",
    ] {
        let text = format!(
            "network = {{ topology = \"chordal-ring\", nodes = 12, chord = 3, chord_cycles = 1 }}\n\
             router.wormhole = {{ {keys} }}\ntraffic = {{ load = 0.4, packet_words = 4 }}\n\
             [run]\nwarmup_cycles = 100\nmeasure_cycles = 600\nengine = "
        );
        let digest = |engine: &str| {
            let resolved = catalogue.resolve(
                &format!("{text}{engine:?}\n"),
                "ring.toml",
                Path::new("."),
                &[],
            );
            let run = simulate(&resolved.unwrap(), &mut |_| ControlFlow::Continue(()));
            assert!(run.observation.delivered > 100, "{keys} on {engine}");
            run.digest
        };
        let plain = digest("sync-plain");
        for engine in ["sync", "sync-stepped", "clocked"] {
            assert_eq!(digest(engine), plain, "{keys} on {engine}");
        }
    }
}
