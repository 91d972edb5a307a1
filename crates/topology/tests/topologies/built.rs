//! Networks by the names and the keys that configurations have, and networks drawn at random.

use crate::graphs::build;
use flitwork_schema::{Datum, Parts, Value};
use flitwork_topology::{Graph, Shape, Topology, TopologyEntry};
use flitwork_types::NodeId;
use std::collections::VecDeque;

/// A key's value.
pub(crate) enum Given<'a> {
    One(u64),
    List(&'a [u64]),
}

use Given::{List, One};

impl Given<'_> {
    fn datum(&self) -> Datum {
        let whole = |number: &u64| Datum::Whole((*number).into());
        match self {
            One(number) => whole(number),
            List(numbers) => Datum::List(numbers.iter().map(whole).map(Value::from).collect()),
        }
    }
}

/// The network of a name and keys, or what is allowed instead.
pub(crate) fn try_built(name: &str, keys: &[(&str, Given<'_>)]) -> Result<Shape, String> {
    let keys = keys.iter().map(|(key, given)| (*key, given.datum()));
    let keys: Vec<(&str, Datum)> = keys.collect();
    let entry: TopologyEntry = Parts::new().find(name).unwrap();
    let built = build(&entry, &keys);
    built
        .map(|built| built.shape)
        .map_err(|refusal| refusal.allowed)
}

pub(crate) fn built(name: &str, keys: &[(&str, Given<'_>)]) -> Shape {
    try_built(name, keys).unwrap_or_else(|allowed| panic!("{name}: {allowed}"))
}

/// The network of a name and keys, one of which is a text.
pub(crate) fn built_with(
    keys: &[(&str, Given<'_>)],
    (name, key, text): (&str, &str, &str),
) -> Shape {
    let keys = keys.iter().map(|(key, given)| (*key, given.datum()));
    let keys = keys.chain([(key, Datum::text(text))]);
    let entry: TopologyEntry = Parts::new().find(name).unwrap();
    let built = build(&entry, &keys.collect::<Vec<_>>());
    built
        .unwrap_or_else(|refusal| panic!("{name}: {}", refusal.allowed))
        .shape
}

pub(crate) fn ring(nodes: u64) -> Shape {
    built("ring", &[("nodes", One(nodes))])
}

pub(crate) fn hypercube(dimensions: u64) -> Shape {
    built("hypercube", &[("dimensions", One(dimensions))])
}

pub(crate) fn fully_connected(nodes: u64) -> Shape {
    built("fully-connected", &[("nodes", One(nodes))])
}

pub(crate) fn circulant(nodes: u64, jumps: &[u64]) -> Shape {
    built(
        "circulant",
        &[("nodes", One(nodes)), ("jumps", List(jumps))],
    )
}

pub(crate) fn de_bruijn(radix: u64, dimensions: u64) -> Shape {
    let keys = [("radix", One(radix)), ("dimensions", One(dimensions))];
    built("de-bruijn", &keys)
}

pub(crate) fn shuffle_exchange(dimensions: u64) -> Shape {
    built("shuffle-exchange", &[("dimensions", One(dimensions))])
}

pub(crate) fn express_mesh(sides: &[u64], interval: u64) -> Shape {
    let keys = [("sides", List(sides)), ("interval", One(interval))];
    built("express-mesh", &keys)
}

pub(crate) fn random_regular(nodes: u64, degree: u64, seed: u64) -> Shape {
    let keys = [
        ("nodes", One(nodes)),
        ("degree", One(degree)),
        ("seed", One(seed)),
    ];
    built("random-regular", &keys)
}

/// Small networks of every topology.
pub(crate) fn small() -> Vec<(String, Shape)> {
    let mut all = Vec::new();
    let mut add = |what: String, shape: Shape| all.push((what, shape));
    for nodes in [2, 3, 4, 7, 8, 13] {
        add(format!("ring {nodes}"), ring(nodes));
        add(format!("all of {nodes}"), fully_connected(nodes));
    }
    for dimensions in 1..=4 {
        add(format!("hypercube {dimensions}"), hypercube(dimensions));
        add(
            format!("shuffle {dimensions}"),
            shuffle_exchange(dimensions),
        );
        add(
            format!("de Bruijn 2, {dimensions}"),
            de_bruijn(2, dimensions),
        );
    }
    for (radix, dimensions) in [(3, 1), (3, 2), (4, 2), (5, 1)] {
        let what = format!("de Bruijn {radix}, {dimensions}");
        add(what, de_bruijn(radix, dimensions));
    }
    let circles: [(u64, &[u64]); 7] = [
        (2, &[1]),
        (5, &[2]),
        (8, &[1, 4]),
        (9, &[3, 4]),
        (12, &[1, 6]),
        (12, &[4, 3]),
        (16, &[5, 2, 7]),
    ];
    for (nodes, jumps) in circles {
        add(
            format!("circle of {nodes}, {jumps:?}"),
            circulant(nodes, jumps),
        );
    }
    let meshes: [(&[u64], u64); 7] = [
        (&[3], 2),
        (&[9], 4),
        (&[9], 3),
        (&[4, 4], 2),
        (&[1, 6], 5),
        (&[3, 5], 2),
        (&[3, 2, 2], 2),
    ];
    for (sides, interval) in meshes {
        let what = format!("express {sides:?}, {interval}");
        add(what, express_mesh(sides, interval));
    }
    for (nodes, degree) in [(3, 2), (6, 2), (10, 3), (14, 4), (12, 5), (8, 7)] {
        for seed in 0..3 {
            let what = format!("random {nodes}, {degree}, {seed}");
            add(what, random_regular(nodes, degree, seed));
        }
    }
    all
}

/// The distances of all nodes from one: a breadth-first search over the links alone.
pub(crate) fn searched(topology: &dyn Topology, from: NodeId) -> Vec<u32> {
    let mut distance = vec![u32::MAX; topology.nodes() as usize];
    distance[from.index()] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for port in topology.links(node).iter() {
            let (far, _) = topology.far(node, port).unwrap();
            if distance[far.index()] == u32::MAX {
                distance[far.index()] = distance[node.index()] + 1;
                queue.push_back(far);
            }
        }
    }
    distance
}

/// Every link once, by the nodes at its ends.
pub(crate) fn links(topology: &dyn Topology) -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    for node in (0..topology.nodes()).map(NodeId) {
        for port in topology.links(node).iter() {
            let far = topology.far(node, port).unwrap();
            assert_eq!(topology.far(far.0, far.1), Some((node, port)));
            if (node, port) < far {
                links.push((node.0, far.0.0));
            }
        }
    }
    links
}

/// A connected graph of links drawn at random, of which some are double, and in which nodes with even numbers are switches if
/// there are to be any.
pub(crate) fn drawn(
    nodes: u32,
    more: u32,
    with_switches: bool,
    draw: &mut impl FnMut() -> u64,
) -> Shape {
    let mut below = |bound: u32| (draw() % u64::from(bound)) as u32;
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for node in 1..nodes {
        graph.join(NodeId(node), NodeId(below(node))).unwrap();
    }
    for _ in 0..more {
        let (one, other) = (below(nodes), below(nodes));
        if one != other {
            graph.join(NodeId(one), NodeId(other)).unwrap();
        }
    }
    if with_switches {
        let terminals = (1..nodes).step_by(2).map(NodeId);
        graph.set_terminals(terminals).unwrap();
    }
    Shape::from(graph.build().unwrap())
}

/// A stream of numbers.
pub(crate) fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        flitwork_types::draws::split_mix(state)
    }
}
