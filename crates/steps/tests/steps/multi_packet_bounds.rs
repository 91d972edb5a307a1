//! Lower bounds of Kaufmann and Sibeyn 1991, section 2.

mod best;
mod best_worms;

use crate::multi_packet_lines::Draws;
use flitwork_steps::multi_packet::LowerBounds;
use flitwork_steps::rules::{
    Alternating, DimensionOrder, FarthestFirst, Fifo, Fixed, GreedyAdaptive, Lifo, NearestFirst,
    Random,
};
use flitwork_steps::{Machine, Nobody, Rule, Store};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::num::NonZeroU32;

type Problem = Vec<(NodeId, NodeId)>;

/// Distance, bisection and availability of packets of so many flits.
fn worms(grid: &Grid, problem: &[(NodeId, NodeId)], flits: u32) -> [u64; 3] {
    let flits = NonZeroU32::new(flits).unwrap();
    let bounds = LowerBounds::of(grid, problem.iter().copied(), flits);
    let three = [bounds.distance, bounds.bisection, bounds.availability];
    assert_eq!(bounds.most(), three.into_iter().max().unwrap());
    three
}

/// The same of packets of one flit.
fn packets(grid: &Grid, problem: &[(NodeId, NodeId)]) -> [u64; 3] {
    worms(grid, problem, 1)
}

fn from_to(pairs: &[(u32, u32)]) -> Problem {
    let node = |(from, to): &(u32, u32)| (NodeId(*from), NodeId(*to));
    pairs.iter().map(node).collect()
}

/// `k` packets of each node of a square, each coordinate moved by a function of it and the side.
fn moved(grid: &Grid, k: usize, to: impl Fn(u32, u32) -> u32) -> Problem {
    let all = (0..grid.nodes()).map(NodeId).map(|from| {
        let places = grid.coordinates(from).into_iter().zip(grid.sides());
        let places: Vec<u32> = places.map(|(place, side)| to(place, side)).collect();
        (from, grid.node_at(&places))
    });
    all.flat_map(|packet| vec![packet; k]).collect()
}

/// k-LS: every packet goes half of a side on, around its ends.
fn large_shift(grid: &Grid, k: usize) -> Problem {
    moved(grid, k, |place, side| (place + side / 2) % side)
}

/// k-PR: every packet goes to the place opposite.
fn point_reflection(grid: &Grid, k: usize) -> Problem {
    moved(grid, k, |place, side| side - 1 - place)
}

/// With k = 3 packets a node. A mesh of side n has 4 n (n - 1) links, a torus 4 n².
#[test]
fn squares_by_hand() {
    let mesh = |side| Grid::mesh(&[side, side]).unwrap();
    let torus = |side| Grid::torus(&[side, side]).unwrap();
    let three_ls = |grid: &Grid| packets(grid, &large_shift(grid, 3));
    let three_pr = |grid: &Grid| packets(grid, &point_reflection(grid, 3));

    // Every packet goes 2 along each axis. Of a row's packets 6 go through its middle link each way: k n / 2. All make
    // 48 · 4 crossings of 48 links.
    assert_eq!(three_ls(&mesh(4)), [4, 6, 4]);
    // Two of four columns are left by all packets through two links a row: k n / 4; and 192 crossings of 64 links.
    assert_eq!(three_ls(&torus(4)), [4, 3, 3]);
    // In a row, packets go from places 0 to 4 to places 2, 3, 4, 0 and 1, over 12 links: of two places beside each other
    // they go through one link. The longest go 3 along each axis; 3 · 12 · 10 crossings of 80 links.
    assert_eq!(three_ls(&mesh(5)), [6, 6, 5]);
    // Every packet goes 2 along each axis. Two neighbouring columns are left by all packets through two links a row; 75 · 4
    // crossings of 100 links.
    assert_eq!(three_ls(&torus(5)), [4, 3, 3]);

    // In a row, packets go 3, 1, 1 and 3 links, those of two places through the middle link: 3 · 8 · 8 crossings of 48 links.
    assert_eq!(three_pr(&mesh(4)), [6, 6, 4]);
    // Every packet goes 1 along each axis: places 0 and 1 to places 3 and 2, out of the arc of both; 48 · 2 crossings of 64.
    assert_eq!(three_pr(&torus(4)), [2, 3, 2]);
    // In a row, packets go 4, 2, 0, 2 and 4 links: 3 · 12 · 10 crossings of 80 links.
    assert_eq!(three_pr(&mesh(5)), [8, 6, 5]);
    // Around a ring they go 1, 2, 0, 2 and 1 links: 3 · 6 · 10 crossings of 100 links. Places 0 and 1 are left by both.
    assert_eq!(three_pr(&torus(5)), [4, 3, 2]);
}

#[test]
fn lines_and_rings_by_hand() {
    let line = Grid::mesh(&[5]).unwrap();
    assert_eq!(packets(&line, &[]), [0, 0, 0]);
    // Nobody goes anywhere.
    assert_eq!(packets(&line, &from_to(&[(3, 3), (3, 3)])), [0, 0, 0]);
    // Two to the right through the link from node 1, three to the left through that from node 4; 1 + 3 + 3 · 2 crossings of
    // 8 links.
    let problem = from_to(&[(1, 2), (1, 4), (4, 2), (4, 2), (4, 2)]);
    assert_eq!(packets(&line, &problem), [3, 3, 2]);
    // A side of 1 has neither cuts nor links.
    let thin = Grid::mesh(&[1, 5]).unwrap();
    assert_eq!(packets(&thin, &problem), [3, 3, 2]);

    // Two links lead from node 0 to node 1 of a ring of two nodes, and two back: one carries two of three packets.
    let two = Grid::torus(&[2]).unwrap();
    assert_eq!(packets(&two, &from_to(&[(0, 1); 3])), [1, 2, 1]);
    assert_eq!(packets(&two, &from_to(&[(0, 1); 5])), [1, 3, 2]);
    // Both leave node 0 of a ring of three, by either side.
    let three = Grid::torus(&[3]).unwrap();
    assert_eq!(
        packets(&three, &from_to(&[(0, 1), (0, 1), (0, 2)])),
        [1, 2, 1]
    );
    // What goes into node 0 of a ring of three counts as what goes out of the arc of nodes 1 and 2.
    assert_eq!(
        packets(&three, &from_to(&[(1, 0), (1, 0), (2, 0)])),
        [1, 2, 1]
    );
    // Nodes 0 and 1 of a ring of five are left by all packets, through two links; each goes 2 of 10 links.
    let five = Grid::torus(&[5]).unwrap();
    let problem = from_to(&[(0, 2), (0, 2), (0, 3), (1, 3), (1, 3), (1, 4)]);
    assert_eq!(packets(&five, &problem), [2, 3, 2]);
    // Four links lead from nodes 0 and 2 of a square of rings to nodes 1 and 3.
    let square = Grid::torus(&[2, 2]).unwrap();
    assert_eq!(packets(&square, &from_to(&[(0, 1); 5])), [1, 2, 1]);
}

/// A link carries one flit a step.
#[test]
fn worms_by_hand() {
    let line = Grid::mesh(&[4]).unwrap();
    // The head arrives in step 3, the last of four flits in step 6. Twelve flits cross each of three links.
    let problem = from_to(&[(0, 3); 3]);
    assert_eq!(worms(&line, &problem, 4), [6, 12, 6]);
    assert_eq!(worms(&line, &from_to(&[(2, 2)]), 4), [0, 0, 0]);
    // Of two links one carries two of three worms: a worm isn't divided. 3 · 4 crossings of 4 links.
    let two = Grid::torus(&[2]).unwrap();
    assert_eq!(worms(&two, &from_to(&[(0, 1); 3]), 4), [4, 8, 3]);
    // All worms of a 4 x 4 mesh, of five flits: 6 + 4 steps for the longest way, 5 · 2 for each link in the middle, and
    // 16 · 4 · 5 crossings of 48 links.
    let mesh = Grid::mesh(&[4, 4]).unwrap();
    assert_eq!(worms(&mesh, &point_reflection(&mesh, 1), 5), [10, 10, 7]);
}

#[test]
#[should_panic(expected = "a packet from node 3 to node 4, on a grid of 4 nodes")]
fn packets_are_of_the_grid() {
    packets(&Grid::mesh(&[2, 2]).unwrap(), &from_to(&[(3, 4)]));
}

/// Grids with even and odd sides, and those of 1 and 2.
fn grids() -> Vec<Grid> {
    let sides: [&[u32]; 9] = [
        &[2],
        &[3],
        &[6],
        &[7],
        &[2, 2],
        &[3, 5],
        &[4, 4],
        &[2, 3, 4],
        &[3, 2, 1, 5],
    ];
    let meshes = sides.iter().map(|sides| Grid::mesh(sides).unwrap());
    let tori = sides.iter().filter(|sides| !sides.contains(&1));
    meshes
        .chain(tori.map(|sides| Grid::torus(sides).unwrap()))
        .collect()
}

/// Random packets, of which some problems have all begin or end near each other.
fn random(grid: &Grid, draws: &mut Draws, most: u32) -> Problem {
    from_to(&draws.packets(grid.nodes(), most))
}

/// The places of an axis that cuts part from the others.
fn parts(grid: &Grid, side: u32) -> Vec<Vec<u32>> {
    if !grid.wraps() {
        let lower = (1..side).map(|end| (0..end).collect());
        let upper = (1..side).map(|end| (end..side).collect());
        return lower.chain(upper).collect();
    }
    let arc = |(begin, length)| (0..length).map(|it| (begin + it) % side).collect();
    let begins = 0..side;
    let both = begins.flat_map(|begin| [(begin, side / 2), (begin, side - side / 2)]);
    both.map(arc).collect()
}

/// Each cut link by link: the most packets that a link of it carries at least.
fn bisection(grid: &Grid, problem: &[(NodeId, NodeId)]) -> u64 {
    let mut most = 0;
    for (axis, side) in grid.sides().into_iter().enumerate() {
        for part in parts(grid, side) {
            let is_in = |node: NodeId| part.contains(&grid.coordinates(node)[axis]);
            let leaves = |from: NodeId, to: NodeId| is_in(from) && !is_in(to);
            let out = problem.iter().filter(|it| leaves(it.0, it.1)).count() as u64;
            let nodes = (0..grid.nodes()).map(NodeId);
            let ends = nodes.flat_map(|node| {
                let links = grid.links(node);
                let ends = links.iter().filter_map(|port| grid.neighbour(node, port));
                ends.map(|end| (node, end)).collect::<Vec<_>>()
            });
            let links = ends.filter(|it| leaves(it.0, it.1)).count() as u64;
            most = most.max(out.div_ceil(links));
        }
    }
    most
}

#[test]
fn bisections_are_those_of_cuts_counted_link_by_link() {
    for (number, grid) in (0..).zip(grids()) {
        for seed in 0..60 {
            let problem = random(&grid, &mut Draws(number << 40 | seed << 20), 30);
            let [_, found, _] = packets(&grid, &problem);
            let expected = bisection(&grid, &problem);
            assert_eq!(found, expected, "{grid:?}, seed {seed}: {problem:?}");
        }
    }
}

/// Holds a rule to the bounds. Returns whether it takes no more steps.
fn hold(grid: &Grid, rule: &impl Rule, problem: &[(NodeId, NodeId)], seed: u64) -> bool {
    let mut machine = Machine::new(grid, rule, Store::Unbounded, problem).unwrap();
    while !machine.is_done() {
        machine.step(&mut Nobody);
    }
    let least = packets(grid, problem).into_iter().max().unwrap();
    let steps = u64::from(machine.steps());
    assert!(
        steps >= least,
        "{steps} < {least} steps, {rule:?} on {grid:?}, seed {seed}: {problem:?}"
    );
    steps == least
}

#[test]
fn no_rule_beats_the_bounds() {
    let (mut runs, mut reached) = (0, 0);
    for (number, grid) in (0..).zip(grids()) {
        for seed in 0..100 {
            let problem = random(&grid, &mut Draws(number << 40 | seed << 20), 60);
            macro_rules! hold {
                ($($rule:expr),+ $(,)?) => {$(
                    runs += 1;
                    reached += usize::from(hold(&grid, &$rule, &problem, seed));
                )+};
            }
            hold!(
                Alternating::<Fixed>::default(),
                DimensionOrder::<FarthestFirst, Fixed>::default(),
                DimensionOrder::<Fifo, Fixed>::default(),
                DimensionOrder::<Lifo, Fixed>::default(),
                DimensionOrder::<NearestFirst, Fixed>::default(),
                DimensionOrder::<Random, Fixed>::default(),
                GreedyAdaptive::<Fixed>::default(),
            );
        }
    }
    // A tight bound is reached often: by three runs in ten.
    assert!(4 * reached > runs, "{reached} of {runs}");
}
