//! The topologies whose nodes have several terminals, or none, against closed forms derived beside the tests.

use crate::built::{
    Given::{List, One},
    built,
};
use flitwork_topology::{Bisection, Measures, Shape, Topology};
use flitwork_types::{NodeId, Port, TerminalId};
use std::collections::BTreeMap;

/// Nodes, terminals, links, fewest and most links of a node, diameter, mean distance.
type Expected = (u32, u32, u64, (u32, u32), u32, f64);

#[track_caller]
fn has(shape: &Shape, (nodes, terminals, links, degrees, diameter, mean): Expected) {
    let found = Measures::of(shape);
    assert_eq!((found.routers, found.terminals), (nodes, terminals));
    assert_eq!((found.links, found.degrees), (links, degrees));
    assert_eq!(found.diameter_hops, diameter);
    let own = found.mean_distance_hops;
    assert!((own - mean).abs() < 1e-9, "{own} and {mean}");
    terminals_are_consistent(shape);
}

/// Each terminal is found at its node and port, and its packets enter at the port of the same number.
#[track_caller]
fn terminals_are_consistent(shape: &Shape) {
    let mut seen = BTreeMap::new();
    for terminal in (0..shape.terminals()).map(TerminalId) {
        let (home, port) = (shape.home(terminal), shape.local_of(terminal));
        assert!(shape.is_local(port) && shape.local_ports().contains(port));
        assert_eq!(shape.terminal_at(home, port), Some(terminal));
        assert_eq!(shape.source_at(shape.entry(terminal), port), Some(terminal));
        assert_eq!(seen.insert((home, port), terminal), None);
    }
    for node in (0..shape.nodes()).map(NodeId) {
        for port in shape.local_ports().iter() {
            let found = shape.terminal_at(node, port);
            assert_eq!(found, seen.get(&(node, port)).copied());
        }
        assert_eq!(
            shape.terminal_at(
                node,
                shape
                    .local_ports()
                    .iter()
                    .last()
                    .map(|port| flitwork_types::Port(port.0 + 1))
                    .unwrap()
            ),
            None
        );
    }
}

/// A mesh of 4 x 2 blocks of 2 x 3: of 48 terminals pairs in one block are 0 apart. The mean over all ordered pairs of nodes, a node and itself included, is 5/4 + 1/2; of
/// 48 x 47 pairs 48 x 48 are counted so, 48 of them of a terminal and itself. Terminals 0, 1, 8, 9, 16 and 17 are node 0's.
#[test]
fn concentrated_meshes() {
    let mesh = built(
        "concentrated-mesh",
        &[("sides", List(&[4, 2])), ("block", List(&[2, 3]))],
    );
    has(&mesh, (8, 48, 10, (2, 3), 4, 1.75 * 48.0 / 47.0));
    let of_first = [0, 1, 8, 9, 16, 17].map(TerminalId);
    assert_eq!(mesh.terminals_of(NodeId(0)).collect::<Vec<_>>(), of_first);
    assert_eq!(mesh.home(TerminalId(47)), NodeId(7));
    // As many links across its middle as the mesh has.
    assert_eq!(Bisection::of(&mesh).unwrap().most, 2);
    let torus = built(
        "concentrated-torus",
        &[("sides", List(&[4])), ("block", List(&[3]))],
    );
    has(&torus, (4, 12, 4, (2, 2), 2, 12.0 / 11.0));
}

/// Levels of k^(n-1) switches, and k^n links between two of them. Two terminals of one switch are 0 apart, those that differ first in digit i from the left are
/// 2 (n - 1 - i): (k - 1) k^(n-1-i) of all others. Cut in the middle: of each of the k^(n-1) top switches half of the links down.
#[test]
fn fat_trees() {
    for (k, n) in [
        (2u32, 1u32),
        (2, 2),
        (2, 4),
        (3, 3),
        (4, 2),
        (4, 3),
        (10, 2),
    ] {
        if k.pow(n - 1) * n < 2 {
            continue;
        }
        let tree = built(
            "fat-tree",
            &[("radix", One(k.into())), ("levels", One(n.into()))],
        );
        let (width, terminals) = (k.pow(n - 1), k.pow(n));
        let links = u64::from((n - 1) * terminals);
        let apart = |i: u32| 2 * (n - 1 - i) * (k - 1) * k.pow(n - 1 - i);
        let mean = f64::from((0..n).map(apart).sum::<u32>()) / f64::from(terminals - 1);
        let degrees = (k, if n > 2 { 2 * k } else { k });
        has(
            &tree,
            (n * width, terminals, links, degrees, 2 * (n - 1), mean),
        );
        // Terminal t is below the switch of the last level with its digits but the last.
        assert_eq!(tree.home(TerminalId(terminals - 1)), NodeId(n * width - 1));
        if k % 2 == 0 {
            assert_eq!(
                Bisection::of(&tree).unwrap().most,
                u64::from(terminals / 2),
                "{k} {n}"
            );
        }
    }
}

/// n stages of k^(n-1) switches, k^n links between two; all pairs are n - 1 apart, and by one shortest path.
#[test]
fn flies() {
    for (k, n) in [(2u32, 2u32), (2, 4), (3, 3), (4, 2), (8, 2)] {
        let fly = built(
            "fly",
            &[("radix", One(k.into())), ("stages", One(n.into()))],
        );
        let (width, terminals) = (k.pow(n - 1), k.pow(n));
        let degrees = (k, if n > 2 { 2 * k } else { k });
        let links = u64::from((n - 1) * terminals);
        has(
            &fly,
            (
                n * width,
                terminals,
                links,
                degrees,
                n - 1,
                f64::from(n - 1),
            ),
        );
        one_path(&fly);
        // From each stage on a digit of the destination is that of the port, the most significant first.
        for destination in (0..terminals).map(TerminalId) {
            let mut at = fly.entry(TerminalId(0));
            for stage in 0..n - 1 {
                let digit = destination.0 / k.pow(n - 1 - stage) % k;
                let port = fly
                    .productive(at, fly.home(destination))
                    .iter()
                    .next()
                    .unwrap();
                assert_eq!(u32::from(port.0), digit);
                at = fly.neighbour(at, port).unwrap();
            }
            assert_eq!(at, fly.home(destination));
            assert_eq!(
                u32::from(fly.local_of(destination).0),
                2 * k + destination.0 % k
            );
        }
    }
}

#[track_caller]
fn one_path(shape: &Shape) {
    for to in (0..shape.terminals()).map(TerminalId) {
        for from in (0..shape.terminals()).map(TerminalId) {
            let mut at = shape.entry(from);
            while at != shape.home(to) {
                let ports = shape.productive(at, shape.home(to));
                assert_eq!(ports.len(), 1);
                at = shape.neighbour(at, ports.iter().next().unwrap()).unwrap();
            }
        }
    }
}

/// 2 d - 1 stages of 2^(d-1) switches; each pair has as many shortest paths as a stage has switches.
#[test]
fn benes_networks() {
    for d in 2..6u32 {
        let benes = built("benes", &[("dimensions", One(d.into()))]);
        let (width, terminals) = (1 << (d - 1), 1 << d);
        let (stages, links) = (2 * d - 1, u64::from((2 * d - 2) * terminals));
        has(
            &benes,
            (
                stages * width,
                terminals,
                links,
                (2, 4),
                stages - 1,
                f64::from(stages - 1),
            ),
        );
        for to in (0..terminals).map(|to| benes.home(TerminalId(to))) {
            assert_eq!(
                paths(&benes, benes.entry(TerminalId(0)), to),
                u64::from(width)
            );
        }
    }
}

fn paths(shape: &Shape, from: NodeId, to: NodeId) -> u64 {
    if from == to {
        return 1;
    }
    let ports = shape.productive(from, to).iter();
    ports
        .map(|port| paths(shape, shape.neighbour(from, port).unwrap(), to))
        .sum()
}

/// r + 1 levels of 2^r rows, two links on from each node but the last, one path.
#[test]
fn butterflies() {
    for r in 1..6u32 {
        let butterfly = built("butterfly", &[("dimensions", One(r.into()))]);
        let rows = 1 << r;
        let degrees = (2, if r > 1 { 4 } else { 2 });
        has(
            &butterfly,
            (
                (r + 1) * rows,
                rows,
                u64::from(2 * r * rows),
                degrees,
                r,
                f64::from(r),
            ),
        );
        one_path(&butterfly);
    }
}

/// A line of s nodes, each two linked by w: s - 1 of the others are one link away. Coordinates are independent: (s - 1)/s of a link in each dimension on average, a node
/// and itself counted. Half of the nodes of the side with the fewest links across is cut.
#[test]
fn hyperx_networks() {
    let hyperx = built(
        "hyperx",
        &[
            ("sides", List(&[4, 3])),
            ("widths", List(&[1, 2])),
            ("concentration", One(2)),
        ],
    );
    // Of the first dimension 3 lines of 6 links, of the second 4 of 3 x 2.
    has(
        &hyperx,
        (12, 24, 18 + 24, (7, 7), 2, (0.75 + 2.0 / 3.0) * 24.0 / 23.0),
    );
    // Two halves of 2 x 3 nodes: 3 lines of 2 x 2 links.
    assert_eq!(Bisection::of(&hyperx).unwrap().most, 12);
    for (k, n) in [(2u32, 2u32), (4, 2), (4, 3), (3, 4)] {
        let flat = built(
            "flattened-butterfly",
            &[("radix", One(k.into())), ("stages", One(n.into()))],
        );
        let (nodes, terminals) = (k.pow(n - 1), k.pow(n));
        let degree = (n - 1) * (k - 1);
        let mean = f64::from(n - 1) * f64::from(k - 1) / f64::from(k) * f64::from(terminals)
            / f64::from(terminals - 1);
        has(
            &flat,
            (
                nodes,
                terminals,
                u64::from(nodes * degree / 2),
                (degree, degree),
                n - 1,
                mean,
            ),
        );
    }
}

/// a h + 1 groups of a nodes with p terminals. From a node of a full dragonfly a - 1 others of its group are one link away. Of another group the node at the far end of the link is 1 away if the
/// link is the node's own, or else 2; all others of the group are one further away, unless two global links lead there. None do where each group has only one other beside.
#[test]
fn dragonflies() {
    for arrangement in ["absolute", "palm-tree", "canonical"] {
        for (a, h, p) in [(2u32, 1u32, 1u32), (4, 2, 2), (3, 1, 2), (1, 3, 1)] {
            let keys = [
                ("group_nodes", One(a.into())),
                ("global_links", One(h.into())),
                ("concentration", One(p.into())),
            ];
            let dragonfly = arranged(&keys, arrangement);
            let groups = a * h + 1;
            let (nodes, terminals) = (groups * a, groups * a * p);
            let links = groups * a * (a - 1) / 2 + groups * a * h / 2;
            let own = a - 1 + h * (1 + 2 * (a - 1)) + (a - 1) * h * (2 + 3 * (a - 1));
            let mean = f64::from(own * p) / f64::from(terminals - 1);
            let diameter = if a > 1 { 3 } else { 1 };
            let found = Measures::of(&dragonfly).mean_distance_hops;
            assert!(found <= mean + 1e-9, "{found} {mean}");
            has(
                &dragonfly,
                (
                    nodes,
                    terminals,
                    links.into(),
                    (a - 1 + h, a - 1 + h),
                    diameter,
                    found,
                ),
            );
            assert_eq!(dragonfly.group(NodeId(nodes - 1)), Some(groups - 1));
        }
    }
}

fn arranged(keys: &[(&str, crate::built::Given<'_>)], arrangement: &str) -> Shape {
    crate::built::built_with(keys, ("dragonfly", "arrangement", arrangement))
}

/// Two links between a leaf and any other of its group; from group to group up, across and down: at least 3. Of another group one spine holds the link, so from a leaf all its leaves are 3 away.
#[test]
fn megaflies() {
    for (leaves, global, p) in [(2u32, 1u32, 1u32), (2, 2, 2), (4, 4, 4)] {
        let keys = [
            ("leaves", One(leaves.into())),
            ("global_links", One(global.into())),
            ("concentration", One(p.into())),
        ];
        let megafly = built("megafly", &keys);
        let groups = leaves * global + 1;
        let terminals = groups * leaves * p;
        let links = groups * leaves * leaves + groups * leaves * global / 2;
        let near = (leaves - 1) * p * 2;
        let far = (groups - 1) * leaves * p * 3;
        let mean = f64::from(near + far) / f64::from(terminals - 1);
        has(
            &megafly,
            (
                2 * leaves * groups,
                terminals,
                links.into(),
                (leaves, leaves + global),
                3,
                mean,
            ),
        );
    }
}

/// 2 q² nodes of (3 q - δ) / 2 links; no two are more than two links apart, so all but the neighbours are two away.
#[test]
fn slim_flies() {
    for (q, delta) in [
        (3i64, -1i64),
        (4, 0),
        (5, 1),
        (7, -1),
        (8, 0),
        (9, 1),
        (11, -1),
        (13, 1),
    ] {
        let fly = built(
            "slim-fly",
            &[("q", One(q as u64)), ("concentration", One(1))],
        );
        let (nodes, degree) = (2 * q * q, (3 * q - delta) / 2);
        let mean = (degree + 2 * (nodes - 1 - degree)) as f64 / (nodes - 1) as f64;
        let degree = degree as u32;
        let links = nodes as u64 * u64::from(degree) / 2;
        has(
            &fly,
            (nodes as u32, nodes as u32, links, (degree, degree), 2, mean),
        );
    }
}

/// A ring of 8: links of two places, but for 0 to 7 and 3 to 4. Of an odd ring of 5 (0 4 1 3 2) those of 0 to 4 and 2 to 3.
#[test]
fn folded_tori() {
    for (side, short) in [(8u32, [(0, 7), (3, 4)]), (5, [(0, 4), (2, 3)])] {
        let torus = built(
            "folded-torus",
            &[("sides", List(&[side.into()])), ("place_cycles", One(3))],
        );
        for node in (0..side).map(NodeId) {
            for port in torus.links(node).iter() {
                let far = torus.neighbour(node, port).unwrap();
                let pair = (node.0.min(far.0), node.0.max(far.0));
                let places = if short.contains(&pair) { 1 } else { 2 };
                assert_eq!(torus.link_cycles(node, port), Some(3 * places), "{pair:?}");
            }
        }
    }
    let plane = built("folded-torus", &[("sides", List(&[4, 4]))]);
    has(&plane, (16, 16, 32, (4, 4), 4, 2.0 * 16.0 / 15.0));
}

/// Nodes of a line lie one place apart: of 4 x 3 nodes, 0 and 3 are three places apart, and 0 and 8 two.
#[test]
fn long_links_take_their_places() {
    let sides = || ("sides", List(&[4, 3]));
    for (key, each) in [(Some(("place_cycles", One(5))), Some(5)), (None, None)] {
        let keys: Vec<_> = [sides()].into_iter().chain(key).collect();
        let net = built("hyperx", &keys);
        for (from, to, places) in [(0, 1, 1), (0, 3, 3), (3, 0, 3), (0, 8, 2), (5, 6, 1)] {
            let leads = |port: &Port| net.neighbour(NodeId(from), *port) == Some(NodeId(to));
            let port = net.links(NodeId(from)).iter().find(leads).unwrap();
            let cycles = net.link_cycles(NodeId(from), port);
            assert_eq!(cycles, each.map(|each| each * places), "{from} {to}");
        }
    }
    let flat = [
        ("radix", One(4)),
        ("stages", One(2)),
        ("place_cycles", One(2)),
    ];
    assert_eq!(built("flattened-butterfly", &flat).latencies(9), 2..=6);
}

/// Of all links only those between groups have a latency of their own.
#[test]
fn links_between_groups_may_be_long() {
    let global = || ("global_link_latency_cycles", One(70));
    let own = || ("global_links", One(2));
    for keys in [
        ("dragonfly", [("group_nodes", One(4)), own(), global()]),
        ("megafly", [("leaves", One(2)), own(), global()]),
    ] {
        let net = built(keys.0, &keys.1);
        for node in (0..net.nodes()).map(NodeId) {
            for port in net.links(node).iter() {
                let far = net.neighbour(node, port).unwrap();
                let expected = (net.group(node) != net.group(far)).then_some(70);
                assert_eq!(net.link_cycles(node, port), expected, "{node} {far}");
            }
        }
    }
}
