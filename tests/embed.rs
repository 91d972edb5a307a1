//! An embedded network of any configuration gives the same result as a run of a trace with its packets, on every engine
//! with a single clock, however it is advanced.

use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_config::{Catalogue, EngineChoice, Override, Resolved};
use flitwork_experiment::embed::{Advanced, Delivery, EmbedError, Embedded, InjectError, embed};
use flitwork_experiment::simulate::execute;
use flitwork_network::Demand;
use flitwork_node::draw_below;
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_traffic::{CsvReader, NodeMap, TraceOptions, TraceWorkload};
use flitwork_types::{Cycle, NodeId, TerminalId};
use proptest::prelude::*;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

const ENGINES: [EngineChoice; 3] = [
    EngineChoice::Sync,
    EngineChoice::SyncStepped,
    EngineChoice::SyncPlain,
];

/// A packet by its cycle, its source, its destination and its words.
type Drawn = (u32, u32, u32, u16);

/// Random numbers from a seed.
struct Draws(u64, u32);

impl Draws {
    fn below(&mut self, bound: u32) -> u32 {
        self.1 += 1;
        draw_below(bound, self.0, NodeId(0), Cycle::ZERO, self.1)
    }
}

fn packets(draws: &mut Draws, nodes: u32, longest: u16) -> Vec<Drawn> {
    let count = [0, 1, 30, 200][draws.below(4) as usize];
    let spread = [1, 40, 400, 4000][draws.below(4) as usize];
    let mut packets: Vec<Drawn> = (0..count)
        .map(|_| {
            let source = draws.below(nodes);
            let destination = (source + 1 + draws.below(nodes - 1)) % nodes;
            let words = 1 + draws.below(longest.min(12).into()) as u16;
            (draws.below(spread), source, destination, words)
        })
        .collect();
    packets.sort_by_key(|packet| packet.0);
    packets
}

/// The packets as a trace.
fn trace(packets: &[Drawn], nodes: u32, end: Cycle) -> Demand {
    let mut text = String::from("cycle,src,dst,words\n");
    for (cycle, source, destination, words) in packets {
        writeln!(text, "{cycle},{source},{destination},{words}").unwrap();
    }
    let reader = CsvReader::new(std::io::Cursor::new(text.into_bytes()), nodes).unwrap();
    let map = NodeMap::in_order(nodes, nodes).unwrap();
    let workload = TraceWorkload::new(Box::new(reader), map, TraceOptions::default());
    Demand::until(Box::new(workload.unwrap()), end)
}

/// Drives a network until `end`, giving it packets as late as possible or earlier.
fn drive(
    mut network: Embedded<Digest>,
    packets: &[Drawn],
    end: Cycle,
    draws: &mut Draws,
) -> (Digest, Vec<Delivery>) {
    let (mut packets, mut deliveries) = (packets.iter().peekable(), Vec::new());
    let stride = [1, 30, 3_000_000_000][draws.below(3) as usize];
    while network.cycle() < end {
        let stop = end.min(network.cycle() + 1 + draws.below(stride));
        let known = stop + draws.below(20);
        while let Some((cycle, source, destination, words)) =
            packets.next_if(|packet| packet.0 < known.get())
        {
            let (source, destination) = (TerminalId(*source), TerminalId(*destination));
            let given = network.inject_at(Cycle(*cycle), source, destination, *words);
            given.unwrap();
        }
        let advanced = network.advance(stop);
        assert!(advanced == Advanced::Stuck || network.cycle() == stop);
        deliveries.extend(network.deliveries());
    }
    (network.into_probe(), deliveries)
}

fn holds(resolved: &Resolved, seed: u64) {
    let (nodes, mut draws) = (resolved.network.shape.nodes(), Draws(seed, 0));
    let mut resolved = resolved.clone();
    let longest = embed(&resolved, ()).unwrap().longest_packet_words();
    let packets = packets(&mut draws, nodes, longest);
    let end = match draws.below(2) {
        0 => Cycle(1 + draws.below(600)),
        _ => Cycle(20_000),
    };
    let runs = ENGINES.map(|engine| {
        resolved.run.engine = engine;
        let load = trace(&packets, nodes, end);
        let control = &mut |_| ControlFlow::Continue(());
        execute(&resolved, load, Digest::default(), control).probe
    });
    assert!(runs[1..].iter().all(|run| *run == runs[0]), "{runs:?}");
    let mut arrived = Vec::new();
    for engine in ENGINES {
        resolved.run.engine = engine;
        let network = embed(&resolved, Digest::default()).unwrap();
        let (digest, deliveries) = drive(network, &packets, end, &mut draws);
        assert_eq!(digest, runs[0], "{engine:?}, {packets:?}, until {end}");
        arrived.push(deliveries);
    }
    assert!(arrived[1..].iter().all(|other| *other == arrived[0]));
}

properties! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn an_embedded_network_gives_the_same_as_a_trace(
        resolved in machines(),
        seed in any::<u64>(),
    ) {
        holds(&resolved, seed);
    }
}

/// A 4 x 4 mesh with a router's table and a further line.
fn network(router: &str, set: &[(&str, &str)]) -> Resolved {
    let text = format!("[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.{router}]\n");
    let set: Vec<_> = set
        .iter()
        .map(|(key, value)| Override::new(key, value))
        .collect();
    let resolved = Catalogue::default().resolve_network(&text, "test", Path::new(""), &set);
    resolved.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_cannot_be_embedded_is_refused() {
    for engine in ["clocked", "live"] {
        let resolved = network("chaos", &[("run.engine", engine)]);
        let refused = embed(&resolved, ()).unwrap_err();
        assert_eq!(refused, EmbedError::Engine(engine));
        let message = refused.to_string();
        assert!(
            message.starts_with(&format!("run.engine is {engine:?}, ")),
            "{message}"
        );
    }
    let set = [("traffic.process", "once"), ("run.engine", "sync")];
    let scheduled = Catalogue::default().resolve(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.scheduled]\n[traffic]\n",
        "test",
        Path::new(""),
        &set.map(|(key, value)| Override::new(key, value)),
    );
    let refused = embed(&scheduled.unwrap(), ()).unwrap_err();
    assert_eq!(refused, EmbedError::Router("scheduled"));
}

#[test]
fn a_router_of_one_length_refuses_longer_packets_and_pads_shorter_ones() {
    let mut network = embed(&network("chaos", &[("router.chaos.packet_words", "7")]), ()).unwrap();
    let refused = network.inject(TerminalId(0), TerminalId(1), 8).unwrap_err();
    assert_eq!(
        refused,
        InjectError::Length {
            words: 8,
            longest: 7
        }
    );
    assert_eq!(
        refused.to_string(),
        "the router takes packets of 1 to 7 words, not of 8"
    );
    network.inject(TerminalId(0), TerminalId(1), 3).unwrap();
    assert_eq!(network.advance(Cycle(1000)), Advanced::Reached);
    let words: Vec<u16> = network.deliveries().map(|it| it.words).collect();
    assert_eq!(words, [7]);
}

#[test]
fn the_traffic_of_a_configuration_is_not_used() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/chaos-mesh.toml");
    let resolved = Catalogue::default().load(&path, &[]).unwrap();
    let mut network = embed(&resolved, Digest::default()).unwrap();
    assert_eq!(network.advance(Cycle(1_000_000)), Advanced::Reached);
    assert_eq!(network.into_probe(), Digest::default());
}
