//! Topologies from outside, in configurations.

use crate::{Catalogue, ConfigError, Resolved};
use flitwork_schema::{Allowed, Key, Parts, RawTable, Refusal, key};
use flitwork_topology::{Graph, GraphError, Shape, TopologyEntry};
use flitwork_types::{NodeId, Port};
use std::path::Path;

/// A ring with a chord from every node to the node `chord` places further on.
#[derive(Clone, Default)]
struct Ring {
    nodes: u32,
    chord: Option<u32>,
    chord_cycles: Option<u32>,
}

#[rustfmt::skip]
const KEYS: &[Key<Ring>] = &[
    key("nodes", |ring| &mut ring.nodes, Allowed::Whole(3, 1 << 20), "required", "nodes around the ring"),
    key("chord", |ring| &mut ring.chord, Allowed::Whole(2, 1 << 20), "no chords", "nodes from one end of a chord to the other"),
    key("chord_cycles", |ring| &mut ring.chord_cycles, Allowed::Whole(1, 1024), "those of other links", "cycles over a chord"),
];

fn ring(ring: &Ring, given: &RawTable<'_>) -> Result<Shape, Refusal> {
    let graph = || {
        let mut graph = Graph::of_nodes(ring.nodes)?;
        for node in 0..ring.nodes {
            let next = (NodeId((node + 1) % ring.nodes), Port(1));
            graph.link((NodeId(node), Port(0)), next, None)?;
            if let Some(chord) = ring.chord {
                let over = (NodeId((node + chord) % ring.nodes), Port(3));
                graph.link((NodeId(node), Port(2)), over, ring.chord_cycles)?;
            }
        }
        graph.build()
    };
    let graph = graph().map_err(|error: GraphError| given.conflict("nodes", error.to_string()));
    graph.map(Shape::Graph)
}

fn catalogue() -> Catalogue {
    let entry = TopologyEntry::new("chordal", "a ring with chords", KEYS, ring);
    Catalogue::new(Parts::new().with(entry))
}

/// A configuration with these keys of its network.
fn with(network: &str) -> Result<Resolved, ConfigError> {
    let text = format!("[network]\n{network}\n[router.chaos]\n[traffic]\nload = 0.1\n");
    catalogue().resolve(&text, "x.toml", Path::new(""), &[])
}

#[test]
fn a_topology_from_outside_is_in_the_reference_and_its_neighbours_keep_their_meaning() {
    let catalogue = catalogue();
    let keys = catalogue.describe_keys();
    let key = |name: &str| keys.iter().find(|key| key.key == name).unwrap();
    let topology = &key("network.topology").allowed;
    assert!(
        topology.contains("\"chordal\", \"circulant\""),
        "{topology}"
    );
    assert_eq!(key("network.chord").default, "no chords");
    let mesh = with("topology = \"mesh\"\nsides = [4, 4]").unwrap();
    let text = mesh.to_toml();
    assert!(text.starts_with("[network]\ntopology = \"mesh\"\nsides = [4, 4]\n"));
}

#[test]
fn keys_of_other_topologies_are_refused() {
    for (network, place, found) in [
        (
            "topology = \"mesh\"\nsides = [4, 4]\nchord = 3",
            "x.toml:4:9: network.chord is 3",
            "allowed: only with network.topology = \"chordal\"; it is \"mesh\"",
        ),
        (
            "sides = [4, 4]\ntopology = \"chordal\"\nnodes = 9",
            "x.toml:2:9: network.sides is [4, 4]",
            "allowed: only with network.topology = \"concentrated-mesh\", \"concentrated-torus\", \"express-mesh\", \"folded-torus\", \"hyperx\", \"mesh\" or \"torus\"; it is \"chordal\"",
        ),
        (
            "topology = \"chordal\"",
            "x.toml:1:1: network.nodes is missing",
            "allowed: a whole number from 2 to 16777216",
        ),
        // Other topologies have a key of that name.
        (
            "topology = \"chordal\"\nnodes = 2",
            "x.toml:3:9: network.nodes is 2",
            "allowed: a whole number from 3 to 1048576",
        ),
        (
            "topology = \"chordal\"\nnodes = 9000",
            "x.toml:3:9: network.nodes is 9000",
            "allowed: 9000 nodes; a graph has 2 to 8192",
        ),
    ] {
        let text = with(network).unwrap_err().to_string();
        assert!(text.contains(place), "{text}");
        assert!(text.contains(found), "{text}");
    }
}

#[test]
fn a_ring_with_chords_is_written_out() {
    let ring = with("topology = \"chordal\"\nnodes = 9\nchord = 4").unwrap();
    let text = ring.to_toml();
    let network =
        "[network]\ntopology = \"chordal\"\nnodes = 9\nchord = 4\nlink_latency_cycles = 1\n";
    assert!(text.starts_with(network), "{text}");
    let again = catalogue()
        .resolve(&text, "x.toml", Path::new(""), &[])
        .unwrap();
    assert_eq!(again, ring);
}

#[test]
fn parts_that_need_coordinates_are_refused_without_them() {
    let ring = "[network]\ntopology = \"chordal\"\nnodes = 8\n";
    for (rest, found, allowed) in [
        (
            "[router.wormhole]\nrouting = \"romm\"\nvcs = 4\n[traffic]\nload = 0.1\n",
            "x.toml:5:11: router.wormhole.routing is romm on a graph of 8 nodes and 8 links",
            "allowed: \"fully-adaptive\", \"hop-classes\", \"layered\", \"minimal\", \"table\", \"ugal-g\", \"ugal-l\", \"up-down\" or \"valiant\" on this topology; romm on a mesh or torus",
        ),
        (
            "[router.chaos]\n[traffic]\nload = 0.1\npattern = \"shift\"\n",
            "x.toml:7:11: traffic.pattern is \"shift\" on a graph of 8 terminals",
            "allowed: shift needs a mesh or a torus, whose nodes have coordinates",
        ),
        (
            "[router.chaos]\n[traffic]\nload = 0.1\n[clocks]\ndomains = \"blocks\"\n",
            "x.toml:8:11: clocks.domains is \"blocks\"",
            "allowed: clocks.domains = \"blocks\" needs a mesh or a torus",
        ),
        (
            "[router.scheduled]\n[traffic]\nprocess = \"once\"\n",
            "x.toml:4:1: router.scheduled is given",
            "allowed: another router: router.scheduled needs a mesh or a torus",
        ),
    ] {
        let text = format!("{ring}{rest}");
        let error = catalogue().resolve(&text, "x.toml", Path::new(""), &[]);
        let message = error.unwrap_err().to_string();
        assert!(
            message.contains(found) && message.contains(allowed),
            "{message}"
        );
    }
}

/// Chords of 100 cycles at a clock of 1000 ps: the longest link decides how much links hold and how long they take.
#[test]
fn latencies_of_links_count_where_the_longest_does() {
    let ring =
        "topology = \"chordal\"\nnodes = 9\nchord = 4\nchord_cycles = 100\nlink_latency_cycles = 3";
    let of = |rest: &str| with(&format!("{ring}\n{rest}"));
    let network = of("").unwrap().network;
    assert_eq!(network.link_latency_cycles, 3);
    assert_eq!(network.longest_link_cycles(), 100);
    assert_eq!(of("").unwrap().live.channel_capacity, 202);
    let short = of("[live]\nchannel_capacity = 100")
        .unwrap_err()
        .to_string();
    assert!(short.contains("live.channel_capacity is 100"), "{short}");
    assert!(
        short.contains(": the longest link's cycles + 1 or more"),
        "{short}"
    );
    // A round trip of 2 * (100 + (2 + 1)) cycles and 2 words more.
    assert_eq!(network.links.latency_ps, 3000);
    assert_eq!(network.links.capacity_words, 208);
    let again = of("").unwrap().to_toml();
    assert!(
        again.contains("chord_cycles = 100\nlink_latency_cycles = 3\n"),
        "{again}"
    );
}

/// With a spread of 10 % each link is within that of its own usual latency: 100 cycles of 1000 ps for chords, and the network's 3
/// for others. The longest that is drawn decides how much links hold.
#[test]
fn latencies_are_spread_around_those_of_the_topology() {
    let ring = with(
        "topology = \"chordal\"\nnodes = 9\nchord = 4\nchord_cycles = 100\nlink_latency_cycles = 3\n\
        [run]\nengine = \"clocked\"\n[clocks.delays]\nspread = \"uniform\"\nspread_percent = 10",
    );
    let ring = ring.unwrap_or_else(|error| panic!("{error}"));
    let links = ring.clocks().links;
    let mut longest_ps = 0;
    for (node, port) in (0..9).flat_map(|node| (0..4).map(move |port| (node, port))) {
        let own = links.own(NodeId(node), Port(port)).unwrap();
        let latency_ps = own.latency_ps.unwrap();
        // Chords are at ports 2 and 3.
        let usual_ps = if port < 2 { 3_000 } else { 100_000 };
        let bound = usual_ps / 10;
        let off = latency_ps.abs_diff(usual_ps);
        assert!(off <= bound, "node {node}, port {port}: {latency_ps}");
        longest_ps = longest_ps.max(latency_ps);
    }
    assert_ne!(longest_ps, 100_000);
    // A round trip of it and of three edges a way, and 2 words more.
    let words = (2 * (longest_ps + 3 * 1000)).div_ceil(1000) + 2;
    assert_eq!(u64::from(ring.network.links.capacity_words), words);
}
