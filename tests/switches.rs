//! A network in which only some nodes send and receive: a tree of switches with terminals at its leaves.

use flitwork_config::{Catalogue, EngineChoice, Override, Resolved};
use flitwork_experiment::examine::examine;
use flitwork_experiment::extras::Extras;
use flitwork_experiment::live::simulate_live_with;
use flitwork_experiment::simulate::{Simulated, simulate};
use flitwork_report::Program;
use flitwork_results::{Results, text};
use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, key};
use flitwork_sweep::{Base, Plan, Shard, Sweep, sweep};
use flitwork_topology::{Graph, GraphError, Shape, Topology, TopologyEntry};
use flitwork_types::NodeId;
use std::ops::ControlFlow;
use std::path::Path;

/// A tree of two levels:
///
/// ```text
///   switches   0         1          each of these is linked to each switch in the next row
///   switches   2    3    4    5
///   terminals  6 7  8 9  …          `down` a switch
/// ```
#[derive(Clone, Default)]
struct Tree {
    down: u32,
}

const UPPER: u32 = 2;
const LOWER: u32 = 4;

#[rustfmt::skip]
const KEYS: &[Key<Tree>] = &[
    key("down", |it| &mut it.down, Allowed::Whole(1, 16), "required", "terminals per switch"),
];

fn tree(tree: &Tree, given: &RawTable<'_>) -> Result<Shape, Refusal> {
    let switches = UPPER + LOWER;
    let graph = || {
        let nodes = switches + LOWER * tree.down;
        let mut graph = Graph::of_nodes(nodes)?;
        for lower in UPPER..switches {
            (0..UPPER).try_for_each(|upper| graph.join(NodeId(upper), NodeId(lower)))?;
            let first = switches + (lower - UPPER) * tree.down;
            (0..tree.down).try_for_each(|more| graph.join(NodeId(lower), NodeId(first + more)))?;
        }
        graph.set_terminals((switches..nodes).map(NodeId))?;
        graph.build()
    };
    let graph = graph().map_err(|error: GraphError| given.conflict("down", error.to_string()));
    graph.map(Shape::Graph)
}

fn catalogue() -> Catalogue {
    let entry = TopologyEntry::new("tree", "switches in two levels", KEYS, tree);
    Catalogue::new(Parts::new().with(entry))
}

fn configuration(router: &str, traffic: &str) -> String {
    format!(
        "[network]\ntopology = \"tree\"\ndown = 2\n\n[router.{router}]\n\n[traffic]\n{traffic}\n\n[run]\nseed = 4\n"
    )
}

fn read(router: &str, traffic: &str) -> Result<Resolved, String> {
    let text = configuration(router, traffic);
    let resolved = catalogue().resolve(&text, "tree.toml", Path::new("."), &[]);
    resolved.map_err(|error| error.to_string())
}

fn run(resolved: &Resolved) -> Simulated {
    simulate(resolved, &mut |_| ControlFlow::Continue(()))
}

/// Runs it on all engines, and returns the observation of one of them.
fn on_all_engines(router: &str, traffic: &str) -> (Resolved, Simulated) {
    let mut resolved = read(router, traffic).unwrap();
    if resolved.traffic.process.is_open_loop() {
        resolved.run.warmup_cycles = 500;
        resolved.run.measure_cycles = 3000;
    }
    let usual = run(&resolved);
    for engine in [
        EngineChoice::SyncPlain,
        EngineChoice::SyncStepped,
        EngineChoice::Clocked,
    ] {
        resolved.run.engine = engine;
        assert_eq!(run(&resolved).digest, usual.digest, "{router}, {traffic}");
    }
    resolved.run.engine = EngineChoice::Sync;
    assert!(usual.observation.delivered > 20, "{router}, {traffic}");
    assert_eq!(usual.observation.injected, usual.observation.delivered);
    (resolved, usual)
}

#[test]
fn only_terminals_send_and_receive_and_loads_are_theirs() {
    for router in ["chaos", "wormhole", "deflection"] {
        let (resolved, run) = on_all_engines(router, "load = 0.1");
        let shape = &resolved.network.shape;
        assert_eq!((shape.nodes(), shape.terminals()), (14, 8));
        let seen = &run.observation;
        for node in (0..14).map(NodeId) {
            let terminal = shape.terminal_at(node, shape.local());
            let (got, made) = (
                seen.node_deliveries[node.index()],
                terminal.map_or(0, |terminal| seen.throughput.made[terminal.index()]),
            );
            assert_eq!(
                got > 0,
                terminal.is_some(),
                "{router}: node {node} got {got}"
            );
            assert_eq!(
                made > 0,
                terminal.is_some(),
                "{router}: node {node} made {made}"
            );
        }
        let results = Results::new(&resolved, &run);
        // 0.1 words per terminal and cycle: for 8 terminals in 3000 cycles about 2400 words.
        let load = results.load.as_ref().unwrap();
        assert!(
            (load.offered.mean - 0.1).abs() < 0.03,
            "{router}: {:?}",
            load.offered
        );
        let text = text(&results);
        assert!(
            text.contains("  nodes                  14, with 8 terminals\n"),
            "{text}"
        );
        assert!(text.contains(" words/terminal/cycle\n"), "{text}");
        assert_eq!(results.fairness.by_source.unwrap().nodes, 8);
        assert_eq!(results.fairness.by_destination.unwrap().nodes, 8);
    }
}

/// Only terminals share the load, and the figures of a sweep say so.
#[test]
fn the_figures_of_a_sweep_are_drawn_over_the_load_of_terminals() {
    let short = [("run.warmup_cycles", "100"), ("run.measure_cycles", "1000")];
    let short = short.map(|(key, value)| Override::new(key, value));
    let text = configuration("wormhole", "load = 0.1");
    let base = Base::of_text(&catalogue(), "tree.toml", text, short.to_vec());
    let axis = "traffic.load=0.1,0.2".parse().unwrap();
    let plan = Plan::new(base, vec![axis], 1).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let asked = Sweep {
        plan: &plan,
        program: &Program {
            version: "0".into(),
            revision: "none".into(),
            command: "tree".into(),
        },
        folder: folder.path(),
        shard: Shard::WHOLE,
        jobs: 1,
        skip_refused: false,
    };
    sweep(asked, &mut |_| ControlFlow::Continue(())).unwrap();
    for (figure, load) in [("latency.svg", "offered"), ("accepted.svg", "accepted")] {
        let svg = std::fs::read_to_string(folder.path().join(figure)).unwrap();
        let says = |unit: &str| svg.contains(&format!("{load} load ({unit})"));
        assert!(says("words/terminal/cycle"), "{figure}: {svg}");
        assert!(!says("words/node/cycle"), "{figure}: {svg}");
    }
}

#[test]
fn a_live_run_in_lockstep_does_the_same() {
    for router in ["chaos", "wormhole"] {
        let (mut resolved, run) = on_all_engines(router, "load = 0.1");
        resolved.run.engine = EngineChoice::Live;
        resolved.live.slack.0 = Some(0);
        let control = &mut |_| ControlFlow::Continue(());
        let lived = simulate_live_with(&resolved, None, Extras::default(), control);
        let (lived, _) = lived.unwrap();
        assert_eq!(lived.simulated.digest, run.digest, "{router}");
    }
}

/// Terminals are numbered by their ranks: bit complement sends the first of eight to the last.
#[test]
fn permutations_permute_the_ranks_of_terminals() {
    let (_, run) = on_all_engines(
        "chaos",
        "process = \"once\"\npattern = \"bit-complement\"\nk = 4",
    );
    assert_eq!(run.observation.delivered, 8 * 4);
    assert_eq!(run.observation.node_deliveries[..6], [0; 6]);
    assert_eq!(run.observation.node_deliveries[6..], [4; 8]);
    for traffic in [
        "process = \"k-k\"\nk = 3",
        "process = \"batch\"\n[traffic.batch]\nrequests = 5\noutstanding = 2\nrequest_words = 1\nreply_words = 5\nservice_cycles = 20",
        "process = \"on-off\"\nload = 0.1\n[traffic.on-off]\npeak_load = 0.5\nburst_cycles = 40",
    ] {
        let (_, run) = on_all_engines("wormhole", traffic);
        assert_eq!(run.observation.node_deliveries[..6], [0; 6], "{traffic}");
    }
}

#[test]
fn traffic_that_does_not_fit_is_refused() {
    let refused = read("chaos", "load = 0.1\npattern = \"transpose\"").unwrap_err();
    let allowed = "allowed: transpose needs a square number of terminals";
    assert!(refused.contains(allowed), "{refused}");
    let facts = examine(&read("chaos", "load = 0.1").unwrap()).facts;
    let network = facts.iter().find(|(name, _)| *name == "network").unwrap();
    assert_eq!(network.1, "tree of down = 2, 14 nodes, 8 terminals");
}

/// The nodes of a trace are terminals, in the order of their numbers.
#[test]
fn traces_name_terminals() {
    let trace = "process = \"trace\"\n[traffic.trace]\nfile = \"traces/read-miss.csv\"\nnodes = 4";
    let mut resolved = read("wormhole", trace).unwrap();
    let usual = run(&resolved);
    for engine in [EngineChoice::SyncPlain, EngineChoice::Clocked] {
        resolved.run.engine = engine;
        assert_eq!(run(&resolved).digest, usual.digest);
    }
    // Nodes 6 to 9 get the packets to 0 to 3, but for one of 3 to itself, which crosses nothing.
    let seen = &usual.observation.node_deliveries;
    let lines = std::fs::read_to_string("traces/read-miss.csv").unwrap();
    let to = |node: u32| {
        let to = move |line: &&str| line.split(',').nth(2) == Some(node.to_string().as_str());
        lines.lines().skip(2).filter(to).count() as u64
    };
    assert_eq!(seen[6..10], [to(0), to(1), to(2), to(3) - 1]);
    assert_eq!(seen.iter().sum::<u64>(), 8);
}

/// By hand: terminals of rank 0 to 7 are nodes 6 to 13, and each sends to the last but it, up two levels and down two.
#[test]
fn packets_of_static_problems_are_between_terminals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.toml");
    let text = configuration("chaos", "process = \"once\"\npattern = \"reversal\"");
    let text = text.replace("[router.chaos]", "[rule.fifo]\nqueues = \"unbounded\"");
    std::fs::write(&path, text).unwrap();
    let loaded = catalogue().load_routing(&path, &[]);
    let routing = loaded.unwrap_or_else(|error| panic!("{error}")).value;
    let packets = routing.packets.iter().map(|(from, to, _)| (*from, *to));
    let packets: Vec<_> = packets.collect();
    let expected = (0..8).map(|rank| (NodeId(6 + rank), NodeId(13 - rank)));
    assert!(packets.iter().copied().eq(expected), "{packets:?}");
    let rule = &routing.algorithm;
    let routed = rule
        .route(routing.shape(), &packets, &mut |_| true)
        .unwrap();
    assert_eq!((routed.undelivered, routed.moves), (0, 8 * 4));
}
