//! Graphs whose links have latencies of their own: a live run in lockstep gives the digest of the plain
//! engine, and every replay of a run gives that of the run.

use flitwork_engine::{Engine, Plain};
use flitwork_live::{
    Lived, MARKS_EVERY, Options, RecordTo, ReplayOptions, Runtime, Slack, SubsetOptions, live,
    replay, replay_subset,
};
use flitwork_network::{Demand, Network};
use flitwork_node::{AnyProbe, draw_below};
use flitwork_router::chaos::{self, Chaos, ChaosParameters, WordFlow};
use flitwork_topology::{Graph, Topology};
use flitwork_trace::Digest;
use flitwork_trace::record::Header;
use flitwork_traffic::{AnyPattern, Bernoulli, Uniform};
use flitwork_types::{Cycle, NodeId, Port};
use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

const WORDS: u16 = 10;
/// The latency of links without one of their own.
const LATENCY: u32 = 2;
const LATENCIES: [Option<u32>; 6] = [None, Some(1), Some(2), Some(3), Some(15), Some(60)];

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A ring of some nodes with two chords, one of them parallel to a link of the ring; each link's latency is
/// random.
fn ring(seed: u32) -> Graph {
    let nodes = 4 + seed % 5;
    let mut graph = Graph::of_nodes(nodes).unwrap();
    let mut link = |one: (u32, u8), other: (u32, u8), draw| {
        let below = draw_below(6, 31, NodeId(seed), Cycle::ZERO, draw);
        let [one, other] = [one, other].map(|(node, port)| (NodeId(node), Port(port)));
        graph.link(one, other, LATENCIES[below as usize]).unwrap();
    };
    for node in 0..nodes {
        link((node, 0), ((node + 1) % nodes, 1), node);
    }
    link((0, 2), (nodes / 2, 2), nodes);
    link((1, 2), (2, if nodes / 2 == 2 { 3 } else { 2 }), nodes + 1);
    graph.build().unwrap()
}

fn parameters(graph: &Graph) -> ChaosParameters {
    ChaosParameters::chinn_1995(graph.ports())
}

type Words = Chaos<Graph, chaos::Any<WordFlow>>;

fn words(graph: &Graph, seed: u64) -> Network<Graph, Words> {
    Network::new(
        graph.clone(),
        Chaos::new(graph.clone(), parameters(graph), seed),
        LATENCY,
    )
}

fn demand(graph: &Graph, seed: u64) -> Demand {
    let pattern = AnyPattern::from(Uniform::default())
        .build(graph, seed)
        .unwrap();
    let until = Cycle(600);
    let sources = Bernoulli::new(pattern, 0.03, until, seed, graph.nodes()).unwrap();
    Demand {
        workload: Box::new(sources.of_words(WORDS)),
        inject_until: until,
        end: Cycle(3000),
        review: None,
        is_task: false,
        reports_waits: true,
    }
}

fn run(graph: &Graph, seed: u64, (runtime, slack): (Runtime, Option<u32>)) -> (Lived, Vec<u8>) {
    let memory = Memory::default();
    let options = Options {
        runtime,
        slack: Slack(slack),
        workers: 2,
        // The minimum that the link with the longest latency needs.
        channel_capacity: *graph.latencies(LATENCY).end() as usize + 1,
        burst_cycles: 8,
        pinning: false,
        rehearsal: None,
    };
    let record = RecordTo {
        out: Box::new(memory.clone()),
        header: Header {
            nodes: graph.nodes(),
            ports: graph.ports() as u8,
            locals: 1,
            packet_words: WORDS,
            heads: true,
            flitwork: "test".into(),
            runtime: runtime.name().into(),
            configuration: String::new(),
            files: Vec::new(),
        },
        marks_every: MARKS_EVERY,
    };
    let control = &mut |_| ControlFlow::Continue(());
    let (network, demand) = (words(graph, seed), demand(graph, seed));
    let lived = live(
        network,
        demand,
        &options,
        Some(record),
        &mut || AnyProbe::new(()),
        control,
    )
    .unwrap();
    let bytes = memory.0.lock().unwrap().clone();
    (lived, bytes)
}

/// Replays a record, all nodes together and each alone, and compares the results with the run.
fn verify(graph: &Graph, seed: u64, lived: &Lived, bytes: &[u8], what: &str) {
    let options = ReplayOptions {
        threads: 2,
        until: None,
        channel_capacity: 100,
        what_if: false,
    };
    let open = || Ok(Box::new(Cursor::new(bytes.to_vec())) as Box<dyn Read + Send>);
    let go_on = &mut |_| ControlFlow::Continue(());
    let demand = || demand(graph, seed);
    let replayed = replay(
        words(graph, seed),
        demand(),
        &options,
        open,
        &mut || AnyProbe::new(()),
        go_on,
    )
    .unwrap();
    assert_eq!(replayed.verdict.difference, None, "{what}");
    assert_eq!(replayed.digest(), lived.digest(), "{what}");
    let nodes: Vec<NodeId> = (0..graph.nodes()).map(NodeId).collect();
    let options = SubsetOptions { nodes, until: None };
    let alone = replay_subset(
        words(graph, seed),
        demand(),
        &options,
        open,
        AnyProbe::new(()),
        go_on,
    )
    .unwrap();
    assert_eq!(alone.verdict.difference, None, "{what}");
    let digest: Digest = alone.nodes.iter().map(|(_, _, digest)| *digest).sum();
    assert_eq!(digest, lived.digest(), "{what}");
}

#[test]
fn live_runs_and_their_replays_keep_to_each_links_latency() {
    for seed in 0..3 {
        let graph = ring(seed);
        let seed = seed.into();
        let network = words(&graph, seed);
        let mut plain = Plain::new(network, demand(&graph, seed), Digest::default(), seed);
        plain.run(&mut |_| ControlFlow::Continue(()));
        let plain = Box::new(plain).into_probe();
        assert_ne!(plain, Digest::default());
        for runtime in [Runtime::Threads, Runtime::Tokio] {
            for slack in [Some(0), Some(3), None] {
                let (lived, bytes) = run(&graph, seed, (runtime, slack));
                let what = format!("{graph:?}, seed {seed}, {runtime:?}, slack {slack:?}");
                assert!(lived.fault.is_none(), "{what}");
                if slack == Some(0) {
                    assert_eq!(lived.digest(), plain, "{what}");
                }
                verify(&graph, seed, &lived, &bytes, &what);
            }
        }
    }
}
