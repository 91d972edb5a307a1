//! What is measured of networks, against searches and sums written here.

use crate::built::{drawn, hypercube, links, numbers, random_regular, ring, searched, small};
use flitwork_topology::{
    Bisection, Graph, Grid, Measures, Shape, Topology, busiest_link, shortest_path_load,
};
use flitwork_types::{Duplex, NodeId, Port};

/// The fewest links between any halves of the terminals: all assignments of nodes to two sides are tried, the last node's
/// side being given.
fn least_of_all_cuts(shape: &Shape) -> u64 {
    let (nodes, links) = (shape.nodes(), links(shape));
    let terminals: u32 = (0..nodes)
        .filter(|node| shape.has_terminal(NodeId(*node)))
        .map(|node| 1 << node)
        .sum();
    let all = terminals.count_ones();
    let cut = |side: u32| {
        let first = (side & terminals).count_ones();
        let is_half = first.abs_diff(all - first) <= all % 2;
        let crosses = |(one, other): &&(u32, u32)| (side >> one ^ side >> other) & 1 == 1;
        is_half.then(|| links.iter().filter(crosses).count() as u64)
    };
    (0..1 << (nodes - 1)).filter_map(cut).min().unwrap()
}

fn duplex_half() -> Duplex {
    Duplex::Half {
        turnaround_cycles: 0,
    }
}

#[test]
fn the_bisection_of_every_small_grid_is_that_of_all_cuts() {
    let sides: [&[u32]; 22] = [
        &[2],
        &[3],
        &[5],
        &[8],
        &[1, 3],
        &[3, 1, 2],
        &[2, 2],
        &[3, 2],
        &[2, 3],
        &[3, 3],
        &[4, 2],
        &[4, 3],
        &[3, 4],
        &[5, 2],
        &[5, 3],
        &[4, 4],
        &[7, 2],
        &[2, 2, 2],
        &[3, 2, 2],
        &[2, 4, 2],
        &[2, 2, 2, 2],
        &[3, 5, 1],
    ];
    for sides in sides {
        let mesh = Grid::mesh(sides).unwrap();
        let torus = (!sides.contains(&1)).then(|| Grid::torus(sides).unwrap());
        for grid in std::iter::once(mesh).chain(torus) {
            let what = format!("{grid:?}");
            let shape = Shape::from(grid);
            let exact = Bisection::of(&shape).and_then(Bisection::exact);
            assert_eq!(exact, Some(least_of_all_cuts(&shape)), "{what}");
        }
    }
}

/// Published: 2-d mesh of 3 x 3 x 3 has 9 + 3 + 1 links.
#[test]
fn odd_sides_are_cut_in_steps() {
    let of = |grid: Grid| Bisection::of(&Shape::from(grid)).unwrap().exact();
    assert_eq!(of(Grid::mesh(&[3, 3, 3]).unwrap()), Some(13));
    assert_eq!(of(Grid::torus(&[3, 3, 3]).unwrap()), Some(26));
    // The sides in order are 5, 4 and 3: a fifth of 60, and a fourth of that.
    assert_eq!(of(Grid::mesh(&[3, 4, 5]).unwrap()), Some(12 + 3));
    assert_eq!(of(Grid::mesh(&[1 << 12, 1 << 12]).unwrap()), Some(1 << 12));
}

/// The bound from below is one, and the cut that is found is one; on these networks it is the least.
#[test]
fn the_search_finds_the_least_of_all_cuts() {
    for (what, shape) in small() {
        let found = Bisection::of(&shape).unwrap();
        let least = least_of_all_cuts(&shape);
        assert_eq!(found.most, least, "{what}: {found:?}");
        assert!(found.least <= least, "{what}: {found:?} and {least}");
    }
}

#[test]
fn the_search_is_right_on_graphs_drawn_at_random() {
    let mut draw = numbers(5);
    let mut misses = 0;
    for number in 0..120 {
        let nodes = 3 + (draw() % 12) as u32;
        let more = (draw() % 20) as u32;
        let shape = drawn(nodes, more, number % 3 == 0 && nodes > 3, &mut draw);
        let found = Bisection::of(&shape).unwrap();
        let least = least_of_all_cuts(&shape);
        assert!(
            found.least <= least && least <= found.most,
            "{number}: {found:?} and {least}"
        );
        misses += u32::from(found.most != least);
    }
    assert_eq!(misses, 0, "cuts that aren't the least");
}

/// What a link carries by all shortest paths, one after the other: a packet divides at each node evenly over the links that
/// lead closer.
fn load_of_all_paths(shape: &Shape) -> Vec<f64> {
    let mut load = vec![0.0; shape.nodes() as usize * shape.ports()];
    for to in (0..shape.nodes()).map(NodeId) {
        // Links lead both ways, so these are the distances to the node, too.
        let distance = searched(shape, to);
        for from in (0..shape.nodes()).map(NodeId) {
            if from != to && shape.has_terminal(from) && shape.has_terminal(to) {
                follow(shape, &distance, (from, 1.0), &mut load);
            }
        }
    }
    load
}

fn follow(shape: &Shape, distance: &[u32], (at, part): (NodeId, f64), load: &mut [f64]) {
    let ports = shape.links(at).iter();
    let closer: Vec<(Port, NodeId)> = ports
        .map(|port| (port, shape.far(at, port).unwrap().0))
        .filter(|(_, far)| distance[far.index()] < distance[at.index()])
        .collect();
    for (port, far) in &closer {
        let part = part / closer.len() as f64;
        load[at.index() * shape.ports() + port.index()] += part;
        follow(shape, distance, (*far, part), load);
    }
}

/// The most that a link carries in both directions together.
fn both_ways_of(shape: &Shape, load: &[f64]) -> f64 {
    let at = |node: NodeId, port: Port| load[node.index() * shape.ports() + port.index()];
    let mut most = 0.0_f64;
    for node in (0..shape.nodes()).map(NodeId) {
        for port in shape.links(node).iter() {
            let (far, back) = shape.far(node, port).unwrap();
            most = most.max(at(node, port) + at(far, back));
        }
    }
    most
}

/// A star of 7, whose middle has a terminal, too: three ends against three and the middle, so three links. Of 2 · 3 · 4
/// ordered pairs of halves each link carries 2 · 6 at the most, so no two halves have fewer than two links.
#[test]
fn the_bound_from_below_may_be_less_than_any_cut() {
    let mut graph = Graph::of_nodes(7).unwrap();
    for end in 1..7 {
        graph.join(NodeId(0), NodeId(end)).unwrap();
    }
    let shape = Shape::from(graph.build().unwrap());
    let found = Bisection::of(&shape).unwrap();
    assert_eq!((found.least, found.most, found.exact()), (2, 3, None));
}

#[test]
fn links_carry_what_all_paths_put_on_them() {
    let mut draw = numbers(9);
    let drawn = (0..20).map(|number| {
        let shape = drawn(4 + number % 9, number, number % 2 == 0, &mut draw);
        (format!("drawn {number}"), shape)
    });
    let grids = [
        ("mesh", Shape::from(Grid::mesh(&[4, 3]).unwrap())),
        ("torus", Shape::from(Grid::torus(&[4, 3]).unwrap())),
        ("double links", Shape::from(Grid::torus(&[2, 5]).unwrap())),
    ];
    let grids = grids.map(|(what, shape)| (what.to_owned(), shape));
    for (what, shape) in small().into_iter().chain(drawn).chain(grids) {
        let (own, of_paths) = (shortest_path_load(&shape), load_of_all_paths(&shape));
        assert_eq!(own.len(), of_paths.len());
        for (place, (own, of_paths)) in own.iter().zip(&of_paths).enumerate() {
            assert!(
                (own - of_paths).abs() < 1e-9,
                "{what}, {place}: {own} and {of_paths}"
            );
        }
        // Each packet is on as many links as its distance.
        let measures = Measures::of(&shape);
        let pairs = f64::from(shape.terminals()) * f64::from(shape.terminals() - 1);
        let all = pairs * measures.mean_distance_hops;
        assert!((own.iter().sum::<f64>() - all).abs() < 1e-6, "{what}");
        let one_way = own.iter().copied().fold(0.0, f64::max);
        assert_eq!(busiest_link(&shape, &own, Duplex::Full), one_way, "{what}");
        let shared = busiest_link(&shape, &own, duplex_half());
        let both_ways = both_ways_of(&shape, &of_paths);
        assert!(
            (shared - both_ways).abs() < 1e-9,
            "{what}: {shared} and {both_ways}"
        );
        if let Some(found) = Bisection::of(&shape).filter(|_| shape.grid().is_none()) {
            let terminals = u64::from(shape.terminals());
            let pairs = 2 * (terminals / 2) * (terminals - terminals / 2);
            let least = (pairs as f64 / both_ways - 1e-6).ceil() as u64;
            assert_eq!(found.least, least.min(found.most), "{what}");
        }
    }
}

/// Degrees, distances and links are counted here from the links alone.
#[test]
fn measures_are_those_that_a_search_finds() {
    let mut draw = numbers(3);
    let drawn = (0..20).map(|number| {
        let shape = drawn(5 + number % 9, number, number % 2 == 0, &mut draw);
        (format!("drawn {number}"), shape)
    });
    let grids = [
        ("mesh", Shape::from(Grid::mesh(&[5, 3, 2]).unwrap())),
        ("line", Shape::from(Grid::mesh(&[6]).unwrap())),
        ("torus", Shape::from(Grid::torus(&[5, 4]).unwrap())),
        (
            "double links",
            Shape::from(Grid::torus(&[2, 3, 2]).unwrap()),
        ),
    ];
    let grids = grids.map(|(what, shape)| (what.to_owned(), shape));
    for (what, shape) in small().into_iter().chain(drawn).chain(grids) {
        let measures = Measures::of(&shape);
        let links = links(&shape);
        let degree = |node: u32| {
            let ends = links.iter().flat_map(|(one, other)| [one, other]);
            ends.filter(|end| **end == node).count() as u32
        };
        let degrees: Vec<u32> = (0..shape.nodes()).map(degree).collect();
        let range = (
            *degrees.iter().min().unwrap(),
            *degrees.iter().max().unwrap(),
        );
        assert_eq!(measures.degrees, range, "{what}");
        assert_eq!(
            (measures.links, measures.one_way),
            (links.len() as u64, 0),
            "{what}"
        );
        assert_eq!(measures.routers, shape.nodes());
        let homes = (0..shape.nodes())
            .map(NodeId)
            .filter(|node| shape.has_terminal(*node));
        let homes: Vec<NodeId> = homes.collect();
        assert_eq!(measures.terminals as usize, homes.len());
        let mut distances = Vec::new();
        for from in &homes {
            let found = searched(&shape, *from);
            let others = homes.iter().filter(|to| *to != from);
            distances.extend(others.map(|to| found[to.index()]));
        }
        assert_eq!(
            Some(&measures.diameter_hops),
            distances.iter().max(),
            "{what}"
        );
        let sum: u32 = distances.iter().sum();
        let mean = f64::from(sum) / distances.len() as f64;
        assert!((measures.mean_distance_hops - mean).abs() < 1e-9, "{what}");
    }
}

/// A ring one way of 0 to 3, and a link both ways across it from 0 to 2: distances from 0 are 1, 1 and 2, from 1 1, 2 and
/// 2, from 2 1, 1 and 2, from 3 1, 2 and 2; 18 in all.
#[test]
fn links_that_lead_one_way_are_counted() {
    let mut graph = Graph::of_nodes(4).unwrap();
    for node in 0..4 {
        let far = (NodeId((node + 1) % 4), Port(1));
        graph.link_one_way((NodeId(node), Port(0)), far).unwrap();
    }
    graph
        .link((NodeId(0), Port(2)), (NodeId(2), Port(2)), None)
        .unwrap();
    let shape = Shape::from(graph.build_one_way().unwrap());
    let measures = Measures::of(&shape);
    assert_eq!((measures.links, measures.one_way), (5, 4));
    assert_eq!(measures.degrees, (1, 2));
    assert_eq!(measures.diameter_hops, 2);
    assert_eq!(measures.mean_distance_hops, 18.0 / 12.0);
    assert_eq!(Bisection::of(&shape), None);
    // A word of each of four terminals takes 4 · 18/12 of six directions.
    assert_eq!(measures.uniform_bound(None, Duplex::Full), 1.0);
}

/// A half of a ring of 16 sends 8 · 8/15 words of each terminal's over two links; half as many may be sent if both
/// directions share a link's wires. A half of a hypercube of 8 sends 4 · 4/7 over four.
#[test]
fn the_bound_is_what_a_cut_and_the_distances_allow() {
    let of =
        |shape: &Shape, duplex| Measures::of(shape).uniform_bound(Bisection::of(shape), duplex);
    let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-12, "{one} and {other}");
    near(of(&ring(16), Duplex::Full), 2.0 * 15.0 / 64.0);
    near(of(&ring(16), duplex_half()), 15.0 / 64.0);
    near(of(&hypercube(3), Duplex::Full), 1.0);
    near(of(&hypercube(3), duplex_half()), 7.0 / 8.0);
    // A half of a line of 4 sends 2 · 2/3 over one link, and so does the other.
    let mesh = |sides: &[u32]| Shape::from(Grid::mesh(sides).unwrap());
    near(of(&mesh(&[4]), Duplex::Full), 3.0 / 4.0);
    near(of(&mesh(&[4]), duplex_half()), 3.0 / 8.0);
    // Two of a line of 5 send three quarters of their words over one link.
    near(of(&mesh(&[5]), Duplex::Full), 2.0 / 3.0);
    // On 3 x 2 a word takes 5/3 links, and there are 7 for six terminals; the three links of a cut allow 5/6.
    near(of(&mesh(&[3, 2]), duplex_half()), 7.0 / 10.0);
}

/// However traffic divides, it doesn't exceed the bound: what the even split allows is never more.
#[test]
fn no_even_split_exceeds_the_bound() {
    let large = [(40, 3), (64, 5), (33, 4)];
    let large = large.map(|(nodes, degree)| (String::new(), random_regular(nodes, degree, 1)));
    for (what, shape) in small().into_iter().chain(large) {
        let measures = Measures::of(&shape);
        let load = shortest_path_load(&shape);
        for duplex in [Duplex::Full, duplex_half()] {
            let busiest = busiest_link(&shape, &load, duplex) / f64::from(shape.terminals() - 1);
            let bound = measures.uniform_bound(Bisection::of(&shape), duplex);
            let split = (1.0 / busiest).min(1.0);
            assert!(
                split <= bound + 1e-9,
                "{what}, {duplex:?}: {split} and {bound}"
            );
        }
    }
}
