//! Chapter 1: where dimension order is slow on hypercubes and cubes, and how fast it is on meshes with unbounded queues.

use flitwork_steps::rules::{DimensionOrder, FarthestFirst, Fifo, Fixed};
use flitwork_steps::{Machine, Nobody, Store};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};

/// The lowest `bits` bits of a number, in the other order.
fn reversed(number: u32, bits: u32) -> u32 {
    (0..bits).fold(0, |sum, bit| sum << 1 | number >> bit & 1)
}

/// Routes a permutation by dimension order with unbounded queues; each crossing, by node and port.
fn crossings(grid: &Grid, to: impl Fn(u32) -> u32) -> Vec<(NodeId, Port)> {
    let problem: Vec<_> = (0..grid.nodes())
        .map(|it| (NodeId(it), NodeId(to(it))))
        .collect();
    let rule = DimensionOrder::<Fifo, Fixed>::default();
    let mut machine = Machine::new(grid, &rule, Store::Unbounded, &problem).unwrap();
    let mut all = Vec::new();
    while !machine.is_done() {
        machine.step(&mut Nobody);
        all.extend(machine.moves().iter().map(|it| (it.from, it.port)));
    }
    all
}

/// All packets whose upper half is 0 go through node 0 but its own: a node of a hypercube sends log N a step at most.
#[test]
fn the_transpose_of_a_hypercube_crosses_one_node() {
    for dimensions in [2, 4, 6, 8, 10] {
        let cube = Grid::mesh(&vec![2; dimensions]).unwrap();
        let half = dimensions as u32 / 2;
        let swapped = |it: u32| it >> half | (it & ((1 << half) - 1)) << half;
        let all = crossings(&cube, swapped);
        let through = all.iter().filter(|(node, _)| *node == NodeId(0)).count();
        assert_eq!(through, (1 << half) - 1, "{dimensions}");
    }
}

/// n²/4 packets cross the middle link of an edge of the cube.
#[test]
fn the_bit_reversal_of_a_cube_crosses_one_link() {
    for bits in [2, 3, 4] {
        let n: u32 = 1 << bits;
        let cube = Grid::mesh(&[n, n, n]).unwrap();
        // Bits are counted from x on, the highest first: x is the lowest coordinate of a node's number.
        let label = |it: u32| {
            let (x, y, z) = (it % n, it / n % n, it / n / n);
            x << (2 * bits) | y << bits | z
        };
        let node = |label: u32| {
            let (x, y, z) = (
                label >> (2 * bits),
                label >> bits & (n - 1),
                label & (n - 1),
            );
            (z * n + y) * n + x
        };
        let all = crossings(&cube, |it| node(reversed(label(it), 3 * bits)));
        let middle = NodeId((n / 2 - 1) * n);
        let across = NodeId(n / 2 * n);
        let on = |(from, port): &&(NodeId, Port)| {
            *from == middle && cube.neighbour(*from, *port) == Some(across)
        };
        assert_eq!(all.iter().filter(on).count() as u32, n * n / 4, "{n}");
    }
}

/// The most steps of random permutations of a 64 x 64 mesh.
fn most_steps(seeds: std::ops::Range<u64>) -> u32 {
    let mesh = Grid::mesh(&[64, 64]).unwrap();
    let rule = DimensionOrder::<FarthestFirst, Fixed>::default();
    let steps = seeds.map(|seed| {
        let problem = crate::linear::random(64, seed);
        let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &problem).unwrap();
        while !machine.is_done() {
            machine.step(&mut Nobody);
        }
        machine.steps()
    });
    steps.max().unwrap()
}

/// 2n - 2 (Leighton 1992, page 159).
#[test]
fn farthest_first_takes_no_more_than_the_longest_distance() {
    assert!(most_steps(0..30) <= 126);
}

/// With `cargo test -p flitwork-steps -- --ignored`.
#[test]
#[ignore = "half a minute"]
fn a_thousand_permutations_take_no_more_than_the_longest_distance() {
    assert!(most_steps(0..1000) <= 126);
}
