//! The topologies that configurations name, against closed forms derived beside the tests and searches written here.

use crate::built::Given::{List, One};
use crate::built::{
    circulant, de_bruijn, express_mesh, fully_connected, hypercube, links, random_regular, ring,
    searched, shuffle_exchange, small, try_built,
};
use flitwork_topology::{Bisection, Grid, Measures, Shape, Topology, positions};
use flitwork_types::NodeId;
use std::collections::BTreeSet;

/// Nodes, links, fewest and most links of a node, diameter, mean distance.
fn has(what: &str, shape: &Shape, expected: (u64, u64, (u64, u64), u64, f64)) {
    let (nodes, links, degrees, diameter, mean) = expected;
    let found = Measures::of(shape);
    assert_eq!(u64::from(found.routers), nodes, "{what}");
    assert_eq!(u64::from(found.terminals), nodes, "{what}");
    assert_eq!(found.links, links, "{what}");
    let own = (u64::from(found.degrees.0), u64::from(found.degrees.1));
    assert_eq!(own, degrees, "{what}");
    assert_eq!(u64::from(found.diameter_hops), diameter, "{what}");
    let own = found.mean_distance_hops;
    assert!((own - mean).abs() < 1e-9 * mean, "{what}: {own} and {mean}");
}

/// A cut that is known to be the least; the program found it, and a bound from below that isn't more.
fn is_cut(what: &str, shape: &Shape, links: u64) {
    let found = Bisection::of(shape).unwrap();
    assert_eq!(found.most, links, "{what}");
    assert!(found.least <= links, "{what}: {found:?}");
}

/// From a node there are two others at each distance below n / 2, and one at n / 2 if n is even: floor(n² / 4) links to all
/// of them. Two nodes have two links. Two links part halves that are connected.
#[test]
fn rings() {
    for n in [2, 3, 4, 9, 10, 1000, 1 << 24] {
        let (what, shape) = (format!("ring {n}"), ring(n));
        let mean = (n * n / 4) as f64 / (n - 1) as f64;
        has(&what, &shape, (n, n, (2, 2), n / 2, mean));
        assert_eq!(Bisection::of(&shape).unwrap().exact(), Some(2), "{what}");
    }
}

/// d of N bits differ at the most, d / 2 on average over all N nodes, of which one is the node itself. Halves that differ
/// in a bit have N / 2 links between them, and no fewer (Harper 1964).
#[test]
fn hypercubes() {
    for d in 1..=16 {
        let (what, shape, n) = (format!("hypercube {d}"), hypercube(d), 1u64 << d);
        let mean = d as f64 / 2.0 * n as f64 / (n - 1) as f64;
        has(&what, &shape, (n, d * n / 2, (d, d), d, mean));
        assert_eq!(
            Bisection::of(&shape).unwrap().exact(),
            Some(n / 2),
            "{what}"
        );
        for (one, other) in links(&shape) {
            assert_eq!((one ^ other).count_ones(), 1);
        }
    }
}

/// Every node of a half has a link to every node of the other one. All pairs have a link of their own, so the bound is exact.
#[test]
fn everything_linked() {
    for n in [2, 3, 8, 9, 33, 64] {
        let (what, shape) = (format!("all of {n}"), fully_connected(n));
        has(&what, &shape, (n, n * (n - 1) / 2, (n - 1, n - 1), 1, 1.0));
        let halves = (n / 2) * n.div_ceil(2);
        assert_eq!(
            Bisection::of(&shape).unwrap().exact(),
            Some(halves),
            "{what}"
        );
        let all: BTreeSet<(u32, u32)> = links(&shape).into_iter().collect();
        assert_eq!(all.len() as u64, n * (n - 1) / 2, "{what}");
    }
}

/// With jumps of 1 and 2 a node i places on is ceil(i / 2) links away, and 1 + 2 links lead over each of the two places
/// where an arc ends. With 1 and half, in a Möbius ladder of 12, 23 links lead to all others (1, 2, 3, 3, 2, 1, 2, 3, 3, 2,
/// 1), and pairs of opposites are parted by 4. With one jump j that has no divisor in common with the nodes it is a ring.
#[test]
fn circulants() {
    for n in [5, 8, 13, 40, 101u64] {
        let (what, shape) = (format!("square of {n}"), circulant(n, &[1, 2]));
        let away = |i: u64| i.min(n - i).div_ceil(2);
        let sum: u64 = (1..n).map(away).sum();
        let farthest = (n / 2).div_ceil(2);
        let mean = sum as f64 / (n - 1) as f64;
        has(&what, &shape, (n, 2 * n, (4, 4), farthest, mean));
        is_cut(&what, &shape, 6);
    }
    let ladder = circulant(12, &[1, 6]);
    has("ladder", &ladder, (12, 18, (3, 3), 3, 23.0 / 11.0));
    is_cut("ladder", &ladder, 4);
    for jump in [1, 3, 7] {
        let circle = circulant(20, &[jump]);
        has("ring", &circle, (20, 20, (2, 2), 10, 100.0 / 19.0));
        is_cut("ring", &circle, 2);
    }
    has("two nodes", &circulant(2, &[1]), (2, 1, (1, 1), 1, 1.0));
    // The most links of a node: 16 jumps, none of which is half of the circle.
    let most: Vec<u64> = (1..=16).collect();
    assert_eq!(Measures::of(&circulant(100, &most)).degrees, (32, 32));
}

/// k links begin at each of k^d nodes, of which k lead from a node of equal digits to itself and don't exist: such a node
/// has 2 k - 2. A shift brings one digit, so d are needed from all digits of one kind to all of another, and they are
/// enough between any two.
#[test]
fn de_bruijn_graphs() {
    for (k, d) in [
        (2, 1),
        (2, 2),
        (2, 3),
        (2, 8),
        (2, 13),
        (3, 4),
        (16, 1),
        (16, 3),
        (7, 2),
    ] {
        let (what, shape) = (format!("de Bruijn {k}, {d}"), de_bruijn(k, d));
        let n = k.pow(u32::try_from(d).unwrap());
        let found = Measures::of(&shape);
        assert_eq!(
            (u64::from(found.routers), found.links),
            (n, k * n - k),
            "{what}"
        );
        let most = if d == 1 { 2 * k - 2 } else { 2 * k };
        assert_eq!(found.degrees, (2 * k as u32 - 2, most as u32), "{what}");
        assert_eq!(u64::from(found.diameter_hops), d, "{what}");
    }
    // 1 (001) leads to 2 and 3, 2 to 4 and 5, 3 to 6 and 7, 4 to 0 and 1, 5 to 2 and 3, 6 to 4 and 5; 0 to 1 and 7 to 6.
    let ordered = |(one, other): (u32, u32)| (one.min(other), one.max(other));
    let mut own: Vec<(u32, u32)> = links(&de_bruijn(2, 3)).into_iter().map(ordered).collect();
    own.sort_unstable();
    #[rustfmt::skip]
    let expected = [
        (0, 1), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4), (2, 5), (2, 5), (3, 5), (3, 6), (3, 7), (4, 6), (5, 6), (6, 7),
    ];
    assert_eq!(own, expected);
}

/// N / 2 links flip a bit, and each of N nodes but two has one that rotates it. Between all zeros and all ones d bits are
/// flipped, with a rotation between each two: 2 d - 1 links, which are enough between any two nodes.
#[test]
fn shuffle_exchanges() {
    for d in 1..=13 {
        let (what, shape, n) = (format!("shuffle {d}"), shuffle_exchange(d), 1u64 << d);
        let found = Measures::of(&shape);
        let all = n / 2 + n - 2;
        assert_eq!((u64::from(found.routers), found.links), (n, all), "{what}");
        let most = if d == 1 { 1 } else { 3 };
        assert_eq!(found.degrees, (1, most), "{what}");
        assert_eq!(u64::from(found.diameter_hops), 2 * d - 1, "{what}");
        for (one, other) in links(&shape) {
            let rotated = |node: u32| (node << 1 | node >> (d - 1)) & (n as u32 - 1);
            let is_link = one ^ other == 1 || rotated(one) == other || rotated(other) == one;
            assert!(is_link, "{what}: {one} and {other}");
        }
    }
}

/// Along a line, on foot or by express: to a multiple of the interval, over express links, and on from another multiple.
fn along(a: u64, b: u64, interval: u64, side: u64) -> u64 {
    let stops = || (0..side).step_by(interval as usize);
    let express = stops().flat_map(|on| {
        stops().map(move |off| a.abs_diff(on) + on.abs_diff(off) / interval + off.abs_diff(b))
    });
    express.min().unwrap().min(a.abs_diff(b))
}

/// Each line of s nodes has s - 1 links and (s - 1) / i over i of them. Every line along a dimension is alike, so distances
/// are sums.
#[test]
fn express_meshes() {
    let all: [(&[u64], u64); 8] = [
        (&[3], 2),
        (&[9], 4),
        (&[17], 16),
        (&[10], 4),
        (&[9, 9], 4),
        (&[6, 11], 3),
        (&[5, 1, 4], 2),
        (&[3, 4, 3, 2], 2),
    ];
    for (sides, interval) in all {
        let (what, shape) = (
            format!("express {sides:?}, {interval}"),
            express_mesh(sides, interval),
        );
        let n: u64 = sides.iter().product();
        let lines = sides.iter().map(|s| n / s * (s - 1 + (s - 1) / interval));
        assert_eq!(Measures::of(&shape).links, lines.sum::<u64>(), "{what}");
        let coordinates = |node: u64| {
            let mut rest = node;
            let digits = sides.iter().map(move |side| {
                let digit = rest % side;
                rest /= side;
                digit
            });
            digits.collect::<Vec<u64>>()
        };
        for from in 0..n {
            for to in 0..n {
                let ends = coordinates(from)
                    .into_iter()
                    .zip(coordinates(to))
                    .zip(sides);
                let expected: u64 = ends
                    .map(|((a, b), side)| along(a, b, interval, *side))
                    .sum();
                let own = shape.distance(NodeId(from as u32), NodeId(to as u32));
                assert_eq!(u64::from(own), expected, "{what}: {from} to {to}");
            }
        }
    }
    // From 1 to 7 by 0, 4 and 8; between 4 and 5 there are a link and an express link.
    let line = express_mesh(&[9], 4);
    assert_eq!(Measures::of(&line).diameter_hops, 4);
    is_cut("line", &line, 2);
}

#[test]
fn distances_are_those_of_a_search() {
    for (what, shape) in small() {
        for to in (0..shape.nodes()).map(NodeId) {
            let found = searched(&shape, to);
            for from in (0..shape.nodes()).map(NodeId) {
                let distance = found[from.index()];
                assert_eq!(shape.distance(from, to), distance, "{what}: {from} to {to}");
                for port in shape.links(from).iter() {
                    let (far, _) = shape.far(from, port).unwrap();
                    let is_closer = found[far.index()] < distance;
                    assert_eq!(
                        shape.productive(from, to).contains(port),
                        is_closer,
                        "{what}"
                    );
                }
            }
        }
    }
}

#[test]
fn random_graphs_are_simple_regular_and_connected() {
    let sizes = [
        (3, 2),
        (5, 4),
        (6, 2),
        (7, 2),
        (16, 3),
        (25, 4),
        (33, 32),
        (50, 7),
        (200, 2),
    ];
    for (nodes, degree) in sizes {
        let mut drawn = BTreeSet::new();
        for seed in (0..60).chain([u64::MAX]) {
            let (what, shape) = (
                format!("{nodes}, {degree}, {seed}"),
                random_regular(nodes, degree, seed),
            );
            let all = links(&shape);
            assert_eq!(all.len() as u64, nodes * degree / 2, "{what}");
            let set: BTreeSet<(u32, u32)> =
                all.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
            assert_eq!(set.len(), all.len(), "{what}: a link twice");
            assert!(all.iter().all(|(a, b)| a != b), "{what}: a loop");
            for node in 0..shape.nodes() {
                let ends = all.iter().flat_map(|(a, b)| [*a, *b]);
                assert_eq!(
                    ends.filter(|end| *end == node).count() as u64,
                    degree,
                    "{what}"
                );
            }
            let reached = searched(&shape, NodeId(0));
            assert!(
                reached.iter().all(|distance| *distance < u32::MAX),
                "{what}"
            );
            assert_eq!(links(&random_regular(nodes, degree, seed)), all, "{what}");
            drawn.insert(set);
        }
        let is_only = degree == nodes - 1;
        assert!(
            drawn.len() > 20 || is_only && drawn.len() == 1 || nodes < 7,
            "{nodes}, {degree}"
        );
    }
}

/// Of 70 graphs of 6 nodes with 3 links each 10 are K(3,3), which has no triangle, and 60 are prisms: 1 of 7. Of 3,000
/// draws that is 429, within 5 standard deviations of 19. Each pair of nodes has a link in 3 of 5.
#[test]
fn random_graphs_are_as_likely_as_each_other() {
    const DRAWS: u64 = 3000;
    let (mut bipartite, mut linked) = (0, [[0u64; 6]; 6]);
    for seed in 0..DRAWS {
        let all = links(&random_regular(6, 3, seed));
        let has = |a: u32, b: u32| all.contains(&(a, b)) || all.contains(&(b, a));
        let mut triples =
            (0..6).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c))));
        bipartite += u64::from(!triples.any(|(a, b, c)| has(a, b) && has(b, c) && has(a, c)));
        for (a, b) in &all {
            linked[*a.max(b) as usize][*a.min(b) as usize] += 1;
        }
    }
    assert!(bipartite.abs_diff(DRAWS / 7) < 95, "{bipartite} of {DRAWS}");
    for (a, row) in linked.iter().enumerate() {
        for (b, times) in row[..a].iter().enumerate() {
            // Five standard deviations are 134.
            assert!(times.abs_diff(DRAWS * 3 / 5) < 134, "{a} and {b}: {times}");
        }
    }
}

/// Graphs of the most nodes that there may be: all nodes have their links, and no more are allowed.
#[test]
fn the_largest_graphs_are_built() {
    for (what, shape, links) in [
        ("circulant", circulant(8192, &[1, 4096]), 8192 + 4096),
        ("express", express_mesh(&[8192], 8191), 8191 + 1),
        ("random", random_regular(8192, 3, 1), 8192 * 3 / 2),
    ] {
        let found = Measures::of(&shape);
        assert_eq!((found.routers, found.links), (8192, links), "{what}");
        assert_eq!(Bisection::of(&shape), None, "{what}");
    }
    for (name, keys) in [
        ("circulant", [("nodes", One(8193)), ("jumps", List(&[1]))]),
        (
            "express-mesh",
            [("sides", List(&[8193])), ("interval", One(4))],
        ),
        ("random-regular", [("nodes", One(8193)), ("degree", One(2))]),
        ("de-bruijn", [("radix", One(2)), ("dimensions", One(14))]),
    ] {
        let allowed = try_built(name, &keys).err().unwrap();
        assert!(allowed.contains("8192 nodes"), "{name}: {allowed}");
    }
}

/// A ring clockwise from the top, a mesh by its coordinates, and planes of a third dimension side by side.
#[test]
fn grids_are_drawn_by_their_coordinates_and_rings_as_circles() {
    let sign = |part: f64| {
        if part.abs() < 1e-9 {
            0.0
        } else {
            part.signum()
        }
    };
    let ring = positions(&ring(4)).into_iter();
    let ring: Vec<(f64, f64)> = ring.map(|at| (sign(at.0), sign(at.1))).collect();
    assert_eq!(ring, [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]);
    let of = |sides: &[u32]| positions(&Shape::from(Grid::mesh(sides).unwrap()));
    assert_eq!(
        of(&[2, 2]),
        [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    );
    let planes = of(&[3, 1, 2]);
    assert_eq!(planes[..3], [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]);
    assert!(planes[3].0 > 3.0 && planes[3].1 == 0.0, "{planes:?}");
}

/// Ports of a node have different names, and a link's two ends lead to each other.
#[test]
fn nodes_and_ports_have_names_and_places() {
    for (what, shape) in small() {
        let places = positions(&shape);
        assert_eq!(places.len(), shape.nodes() as usize, "{what}");
        for (one, at) in places.iter().enumerate() {
            assert!(at.0.is_finite() && at.1.is_finite(), "{what}");
            for other in &places[..one] {
                let apart = (at.0 - other.0).hypot(at.1 - other.1);
                assert!(apart > 0.5, "{what}: two nodes at {at:?}");
            }
        }
        let ports = (0..shape.ports() as u8).map(flitwork_types::Port);
        let names: BTreeSet<String> = ports.map(|port| shape.port_name(port)).collect();
        assert_eq!(names.len(), shape.ports(), "{what}");
        let nodes: BTreeSet<String> = (0..shape.nodes())
            .map(|node| shape.node_name(NodeId(node)))
            .collect();
        assert_eq!(nodes.len(), shape.nodes() as usize, "{what}");
    }
}
