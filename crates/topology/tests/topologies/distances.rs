//! Distances that topologies know by arithmetic, against a search of a copy that has only the links.

use crate::built::Given::{List, One};
use crate::built::{Given, built, built_with};
use flitwork_topology::{Graph, MAX_COMPUTED_NODES, Shape, Topology};
use flitwork_types::NodeId;

/// All distances and productive ports of a network are those of a search.
fn are_as_searched(name: &str, keys: &[(&str, Given<'_>)]) {
    agree(name, &built(name, keys));
}

fn agree(what: &str, shape: &Shape) {
    let copy = Graph::copy_of(shape).unwrap();
    assert_eq!(
        shape.diameter_hops(),
        copy.diameter_hops(),
        "{what} {shape:?}"
    );
    let nodes = || (0..shape.nodes()).map(NodeId);
    for from in nodes() {
        for to in nodes() {
            let found = shape.distance(from, to);
            assert_eq!(
                found,
                copy.distance(from, to),
                "{what} {shape:?}: {from} to {to}"
            );
            let ports = shape.productive(from, to);
            assert_eq!(
                ports,
                copy.productive(from, to),
                "{what} {shape:?}: {from} to {to}"
            );
        }
    }
}

/// All arrangements, with one global link between groups and with several, with and without links that lead nowhere.
#[test]
fn of_dragonflies() {
    let all = [
        (1, 1, 2),
        (1, 3, 4),
        (1, 3, 2),
        (2, 1, 3),
        (2, 1, 2),
        (2, 2, 5),
        (2, 2, 3),
        (3, 1, 4),
        (3, 2, 7),
        (3, 2, 6),
        (3, 2, 4),
        (4, 2, 9),
        (4, 2, 5),
        (4, 2, 4),
        (4, 2, 2),
        (2, 4, 9),
        (2, 4, 8),
        (2, 4, 3),
        (2, 4, 2),
        (5, 3, 16),
        (5, 3, 11),
        (5, 3, 5),
        (8, 4, 33),
    ];
    for (nodes, global, groups) in all {
        for arrangement in ["absolute", "palm-tree", "canonical"] {
            let keys = [
                ("group_nodes", One(nodes)),
                ("global_links", One(global)),
                ("groups", One(groups)),
                ("concentration", One(1)),
            ];
            let shape = built_with(&keys, ("dragonfly", "arrangement", arrangement));
            agree(arrangement, &shape);
        }
    }
}

#[test]
fn of_lines() {
    for (sides, widths) in [
        (&[2][..], &[1][..]),
        (&[5], &[3]),
        (&[4, 3], &[1, 2]),
        (&[2, 3, 4], &[1, 1, 1]),
        (&[3, 2, 2, 3], &[2, 1, 3, 1]),
    ] {
        let keys = [("sides", List(sides)), ("widths", List(widths))];
        are_as_searched("hyperx", &keys);
    }
    for (radix, stages) in [(2, 5), (3, 4), (5, 3), (32, 2)] {
        let keys = [("radix", One(radix)), ("stages", One(stages))];
        are_as_searched("flattened-butterfly", &keys);
    }
}

#[test]
fn of_circles() {
    for (nodes, jumps) in [
        (2, &[1][..]),
        (9, &[1, 4]),
        (16, &[3, 8]),
        (60, &[6, 10, 15]),
        (61, &[1, 11]),
        (128, &[1, 16, 64]),
    ] {
        are_as_searched(
            "circulant",
            &[("nodes", One(nodes)), ("jumps", List(jumps))],
        );
    }
    are_as_searched("fully-connected", &[("nodes", One(64))]);
}

#[test]
fn of_trees() {
    for (radix, levels) in [(2, 2), (2, 3), (2, 6), (3, 3), (3, 4), (4, 3), (16, 2)] {
        let keys = [("radix", One(radix)), ("levels", One(levels))];
        are_as_searched("fat-tree", &keys);
    }
}

/// A dragonfly of h = 16: 16 global links and 16 terminals at each of 32 nodes of 513 groups. Nothing of it grows with the pairs of
/// its 16,416 nodes. 31 links within the group, 16 to others; from each node 31 are 1 away, ...
#[test]
fn a_dragonfly_of_many_groups() {
    let keys = [("group_nodes", One(32)), ("global_links", One(16))];
    let shape = built("dragonfly", &keys);
    assert_eq!((shape.nodes(), shape.terminals()), (16_416, 262_656));
    assert_eq!((shape.ports(), shape.locals()), (47, 16));
    assert_eq!(shape.diameter_hops(), 3);
    let far = |node: NodeId| -> Vec<NodeId> {
        let ports = shape.links(node).iter();
        ports
            .filter_map(|port| shape.neighbour(node, port))
            .collect()
    };
    for from in [0, 31, 8_000, 16_415].map(NodeId) {
        let mut searched = vec![3; shape.nodes() as usize];
        for near in far(from) {
            far(near).iter().for_each(|node| searched[node.index()] = 2);
        }
        far(from).iter().for_each(|near| searched[near.index()] = 1);
        searched[from.index()] = 0;
        for to in (0..shape.nodes()).map(NodeId) {
            assert_eq!(
                shape.distance(from, to),
                searched[to.index()],
                "{from} to {to}"
            );
        }
    }
    assert!(shape.nodes() <= MAX_COMPUTED_NODES);
    assert!(matches!(&shape, Shape::Graph(graph) if Graph::copy_of(graph).is_err()));
}
