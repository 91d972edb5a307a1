//! Layered routing: paths spread over links and divided into layers, by hand and against the check.

use crate::common::named;
use crate::families::{built, groups, is_free, lines, network, trees};
use flitwork_router::routing::{Choices, Head, Routing, build_routing};
use flitwork_topology::{Graph, Shape, Topology};
use flitwork_types::{NodeId, PacketId, Port, TerminalId};
use std::collections::BTreeMap;

/// A ring; port 0 leads to the next node, port 1 to the one before.
fn ring(nodes: u32) -> Shape {
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for node in 0..nodes {
        let next = (NodeId((node + 1) % nodes), Port(1));
        graph.link((NodeId(node), Port(0)), next, None).unwrap();
    }
    graph.build().unwrap().into()
}

/// A path's links and channels.
type Path = Vec<(NodeId, Port, u32)>;

/// All paths between nodes where packets enter and leave; the function leaves no choice.
fn paths(routing: &dyn Routing, shape: &Shape) -> Vec<(NodeId, NodeId, Path)> {
    let all = (0..shape.terminals()).map(TerminalId);
    let pairs = all
        .clone()
        .flat_map(|from| all.clone().map(move |to| (from, to)));
    let mut found = BTreeMap::new();
    for (from, to) in pairs {
        let mut head = Head {
            here: shape.entry(from),
            packet: PacketId {
                source: from,
                serial: 0,
            },
            destination: shape.home(to),
            terminal: to,
            deroutes: 0,
            from: None,
        };
        let (entry, mut path, mut choices) = (head.here, Path::new(), Choices::default());
        while head.here != head.destination {
            routing.choices(&head, &mut choices);
            assert!(choices.preferred.len() == 1 && choices.fallback.is_empty());
            let choice = choices.preferred[0];
            path.push((head.here, choice.port, choice.channels));
            let (next, port) = shape.far(head.here, choice.port).unwrap();
            head.here = next;
            head.from = Some((port, choice.channels.trailing_zeros() as u8));
        }
        assert_eq!(
            path.len() as u32,
            shape.distance(entry, head.here),
            "{shape:?}"
        );
        found.insert((entry, head.here), path);
    }
    let all = found.into_iter().filter(|(_, path)| !path.is_empty());
    all.map(|((from, to), path)| (from, to, path)).collect()
}

/// On a ring of four, opposite nodes have two shortest paths, and twelve pairs take 16 links of eight. With the least carried first, and the lower port among equals:
///
/// ```text
///   to 0: 2 by 3      to 1: 3 by 2, since 3 to 0 carries two      to 2: 0 by 1      to 3: 1 by 0, since 1 to 2 carries two
/// ```
#[test]
fn paths_are_spread_over_the_links() {
    let shape = ring(4);
    let (channels, routing) = built("layered", &shape);
    // Nothing goes on after the second link.
    assert_eq!(channels, 1);
    let mut carried = BTreeMap::new();
    for (from, to, path) in paths(routing.as_ref(), &shape) {
        if path.len() == 2 {
            let port = if [0, 2].contains(&from.0) { 0 } else { 1 };
            assert_eq!(path[0].1, Port(port), "{from} to {to}");
        }
        for (node, port, _) in path {
            *carried.entry((node, port)).or_insert(0) += 1;
        }
    }
    assert!(
        carried.len() == 8 && carried.values().all(|count| *count == 2),
        "{carried:?}"
    );
}

/// The paths of two links or more in each layer.
fn in_layers(shape: &Shape) -> Vec<Vec<(u32, u32)>> {
    let (layers, routing) = built("layered", shape);
    is_free(routing.as_ref(), shape);
    let mut found = vec![Vec::new(); layers.into()];
    for (from, to, path) in paths(routing.as_ref(), shape) {
        // A layer has one channel, which the packet keeps.
        let channels = path[0].2;
        assert!(path.iter().all(|link| link.2 == channels) && channels.count_ones() == 1);
        if path.len() > 1 {
            found[channels.trailing_zeros() as usize].push((from.0, to.0));
        }
    }
    found
}

/// On a ring of five each way around has five paths of two links, all of them a circle. One a way has to go.
#[test]
fn a_ring_of_five_needs_a_second_layer_for_two_paths() {
    let layers = in_layers(&ring(5));
    assert_eq!(layers.iter().map(Vec::len).collect::<Vec<_>>(), [8, 2]);
    let leads_on = |(from, to): &(u32, u32)| (to + 5 - from) % 5 == 2;
    assert_eq!(layers[1].iter().filter(|path| leads_on(path)).count(), 1);
    assert_eq!(in_layers(&ring(3)).len(), 1);
}

/// Node 5 hangs on node 0 of a ring of five: paths from 0 to 1 and on to 2 are those from 0 and from 5, and so on, but only one leads from 1 by 2 to 3, from 2 by 3 to 4, from
/// 4 by 0 to 1. The first edge of the circle has two, and stays.
#[test]
fn the_edge_with_the_fewest_paths_goes() {
    let mut graph = Graph::of_nodes(6).unwrap();
    for node in 0..5 {
        graph.join(NodeId(node), NodeId((node + 1) % 5)).unwrap();
    }
    graph.join(NodeId(0), NodeId(5)).unwrap();
    let layers = in_layers(&graph.build().unwrap().into());
    assert_eq!(layers.len(), 2);
    let alone = [(1, 3), (2, 4), (4, 1), (3, 1), (4, 2), (1, 4)];
    assert_eq!(layers[1].len(), 2, "{layers:?}");
    assert!(
        layers[1].iter().all(|path| alone.contains(path)),
        "{layers:?}"
    );
}

/// Every network of the library needs few layers, with which the check finds no circle, and refuses fewer channels with the number that it needs.
#[test]
fn few_layers_are_enough_everywhere() {
    let mut all = groups();
    all.extend(lines());
    all.extend(trees());
    let of = |name, keys| network(name, keys);
    all.push(of("slim-fly", &[("q", &[5])]));
    all.push(of("de-bruijn", &[("dimensions", &[6])]));
    all.push(of(
        "concentrated-torus",
        &[("sides", &[6, 6]), ("block", &[1, 2])],
    ));
    all.push(of("benes", &[("dimensions", &[3])]));
    all.push(of("random-regular", &[("nodes", &[60]), ("degree", &[4])]));
    all.extend((4..12).map(ring));
    for shape in all {
        let (layers, routing) = built("layered", &shape);
        is_free(routing.as_ref(), &shape);
        let is_tree = shape.level(NodeId(0)).is_some();
        assert!(
            if is_tree { layers == 1 } else { layers <= 5 },
            "{shape:?}: {layers}"
        );
        let more = build_routing(&named("layered", 8), shape.clone()).unwrap();
        is_free(more.as_ref(), &shape);
        if layers > 1 {
            let refused = build_routing(&named("layered", layers - 1), shape.clone());
            let message = refused.err().unwrap().to_string();
            let needs = format!("{layers} to 32 with layered on this topology");
            assert!(message.contains(&needs), "{message}");
        }
    }
}
