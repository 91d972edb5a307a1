//! Small runs of Kaufmann and Sibeyn's algorithms in which one cause makes the difference, worked out by hand.

use crate::multi_packet_runs::{Problem, Seen, in_manner, named, routed, shift, square};
use flitwork_schema::Datum;
use flitwork_steps::multi_packet::{
    AnyAlgorithm, Cuts, Manner, Phases, Priority, Travelled, Witness,
};
use flitwork_steps::rules::{DimensionOrder, FarthestOrigin, FarthestTotal, Fixed};
use flitwork_steps::{Leg, Machine, Move, Nobody, Rule, Store};
use flitwork_topology::{Grid, Shape};
use flitwork_types::NodeId;
use std::collections::BTreeSet;

fn pairs(all: &[(u32, u32)]) -> Problem {
    let nodes = all.iter().map(|(from, to)| (NodeId(*from), NodeId(*to)));
    nodes.collect()
}

fn smeared() -> Manner {
    Manner {
        smears: true,
        ..Manner::default()
    }
}

fn plain_nowrap() -> AnyAlgorithm {
    named("nowrap").with(&[("randomise", Datum::Truth(false))])
}

/// All that a run shows.
#[derive(Default)]
struct All {
    legs: Vec<(usize, NodeId, Leg)>,
    steps: Vec<Vec<Move>>,
}

impl Witness for All {
    fn sets_out(&mut self, phase: usize, at: NodeId, leg: &Leg) {
        self.legs.push((phase, at, *leg));
    }

    fn stepped(&mut self, moves: &[Move]) {
        self.steps.push(moves.to_vec());
    }
}

fn watched(
    shape: &Shape,
    algorithm: &AnyAlgorithm,
    problem: &Problem,
    (manner, seed): (Manner, u64),
) -> (All, Travelled) {
    let setting = algorithm.setting(shape, problem, 1, seed).unwrap();
    let mut all = All::default();
    let seen: Seen<'_> = (&mut all, &mut |_| true);
    let travelled = algorithm.travel((shape, &setting), problem, manner, seen);
    (all, travelled.unwrap())
}

#[test]
fn who_is_first_by_each_priority() {
    // On a row of 4: 0 to 2, and two from 1 to 3. In step 2 the first, which has crossed a link and has one to go, meets the third,
    // which has two to go. If it goes first, the third comes a step later.
    let (shape, problem) = (square(false, 4), pairs(&[(0, 2), (1, 3), (1, 3)]));
    let steps = |priority| {
        let manner = in_manner(priority, Phases::Barrier);
        routed(&shape, &named("greedy"), &problem, (manner, 1, 1)).phase_steps
    };
    assert_eq!(steps(Priority::FarthestOrigin), [4, 0]);
    assert_eq!(steps(Priority::NearestFirst), [4, 0]);
    assert_eq!(steps(Priority::FarthestFirst), [3, 0]);
    assert_eq!(steps(Priority::Fifo), [3, 0]);
    // Two from 0, to 3 and 2: at random either is first, by the seed.
    let two = pairs(&[(0, 3), (0, 2)]);
    let manner = in_manner(Priority::Random, Phases::Barrier);
    let found =
        (1..=32).map(|seed| routed(&shape, &named("greedy"), &two, (manner, 1, seed)).phase_steps);
    assert_eq!(
        found.collect::<BTreeSet<_>>(),
        BTreeSet::from([vec![3, 0], vec![4, 0]])
    );
}

/// When packets come to their destinations, by a rule without legs.
fn arrivals<R: Rule>(sides: &[u32], rule: &R, problem: &Problem) -> Vec<u32> {
    let grid = Grid::mesh(sides).unwrap();
    let mut machine = Machine::new(&grid, rule, Store::Unbounded, problem).unwrap();
    while !machine.is_done() {
        machine.step(&mut Nobody);
    }
    machine.packets().iter().map(|it| it.arrived).collect()
}

#[test]
fn orders_without_legs_count_origins_by_dimension_and_destinations_by_all_links() {
    let origin = DimensionOrder::<FarthestOrigin, Fixed>::default();
    // Nodes are x + 5y. Three go down column 3 from its end, and one comes into it from (0, 1), three links away along its row: in
    // (3, 1) the column's have come a link of it, and the row's none.
    let problem = pairs(&[(3, 23), (3, 23), (3, 23), (5, 18)]);
    assert_eq!(arrivals(&[5, 5], &origin, &problem), [4, 5, 6, 6]);
    let total = DimensionOrder::<FarthestTotal, Fixed>::default();
    // Of two that have as far to go the one is first that came first.
    assert_eq!(
        arrivals(&[4], &total, &pairs(&[(0, 3), (1, 3), (1, 3)])),
        [4, 2, 3]
    );
    // Nodes are x + 4y: 3 links along the row, or 2 and 3 down.
    assert_eq!(
        arrivals(&[4, 4], &total, &pairs(&[(0, 3), (0, 14)])),
        [4, 5]
    );
}

#[test]
fn ties_are_drawn_anew_for_each_leg() {
    // 64 packets from each of 64 nodes, half a ring on along both axes: of 4,096 a quarter go each pair of ways.
    let shape = square(true, 8);
    let grid = shape.grid().unwrap();
    let problem = shift(grid, 64, 4);
    let (all, _) = watched(&shape, &plain_nowrap(), &problem, (Manner::default(), 3));
    // By packet and axis, whether it goes up.
    let mut ways = vec![[None; 2]; problem.len()];
    for it in all.steps.iter().flatten() {
        let axis = grid.dimension(it.port);
        let from = grid.coordinates(it.from)[axis];
        let to = grid
            .coordinates(flitwork_topology::Topology::neighbour(grid, it.from, it.port).unwrap())
            [axis];
        ways[it.packet.index()][axis] = Some(to == (from + 1) % 8);
    }
    for pair in [[true, true], [true, false], [false, true], [false, false]] {
        let count = ways.iter().filter(|it| **it == pair.map(Some)).count();
        assert!(count.abs_diff(1024) < 90, "{pair:?}: {count}");
    }
    // And apart from the place: of those that are sent to the opposite node of a ring about half go either way.
    let ring = Shape::from(Grid::torus(&[8]).unwrap());
    let (all, _) = watched(
        &ring,
        &named("wrap"),
        &vec![(NodeId(0), NodeId(1)); 1000],
        (Manner::default(), 3),
    );
    let opposite = all.legs.iter().filter(|it| it.0 == 0 && it.2.links == 4);
    let ports: Vec<_> = opposite.map(|it| it.2.port).collect();
    let one_way = ports.iter().filter(|it| **it == ports[0]).count();
    assert!(
        ports.len() > 90 && one_way.abs_diff(ports.len() / 2) < 20,
        "{one_way} of {}",
        ports.len()
    );
}

#[test]
fn what_is_beyond_a_leg_is_all_that_is_left() {
    let shape = square(true, 8);
    for seed in 1..=20 {
        let (all, travelled) = watched(
            &shape,
            &named("wrap"),
            &pairs(&[(0, 27)]),
            (Manner::default(), seed),
        );
        let first = all.legs[0].2;
        assert_eq!(
            u64::from(first.links + first.beyond),
            travelled.moves,
            "seed {seed}"
        );
    }
}

#[test]
fn where_nodes_learn_the_first_phase_has_a_barrier() {
    let shape = square(true, 8);
    let problem = shift(shape.grid().unwrap(), 4, 2);
    let coalesced = in_manner(Priority::FarthestFirst, Phases::Coalesced);
    let (_, travelled) = watched(&shape, &named("no-l"), &problem, (coalesced, 1));
    assert_eq!(travelled.phase_steps.len(), 2);
    // Every node has a packet that goes a link, and says so in the first step: links are taken by that.
    let shape = square(true, 16);
    let problem = shift(shape.grid().unwrap(), 8, 1);
    let (all, _) = watched(&shape, &named("no-l"), &problem, (Manner::default(), 1));
    assert!(all.steps[0].is_empty() && !all.steps[1].is_empty());
}

#[test]
fn smearing_by_hand() {
    // By strips packets are first spread along columns, so that the first smearing is along columns too.
    let shape = square(false, 8);
    let strips = |epsilon: i64| named("strips").with(&[("epsilon", Datum::Whole(epsilon.into()))]);
    let problem = shift(shape.grid().unwrap(), 2, 3);
    let (all, _) = watched(&shape, &strips(4), &problem, (smeared(), 1));
    let legs: Vec<_> = all.legs.iter().filter(|it| it.0 == 1).collect();
    assert!(!legs.is_empty() && legs.iter().all(|it| it.1.0 % 8 == it.2.goal.0 % 8));
    // 16 from a corner, two to each column of the last row: the first smearing leaves two a node, the second one.
    let to: Vec<(u32, u32)> = (0..16).map(|it| (0, 56 + it / 2)).collect();
    let (_, travelled) = watched(&shape, &strips(1), &pairs(&to), (smeared(), 1));
    assert_eq!(travelled.smeared_max, Some(2));
    // A worm of 3 flits on a line of 4, ⌈1 ln 4⌉ = 2 nodes a block: it stays, or goes a link, and its tail comes two steps later.
    let line = Shape::from(Grid::mesh(&[4]).unwrap());
    let steps = |seed| {
        routed(
            &line,
            &named("wrap"),
            &pairs(&[(0, 3)]),
            (smeared(), 3, seed),
        )
        .phase_steps[1]
    };
    assert_eq!(
        (1..=20).map(steps).collect::<BTreeSet<_>>(),
        BTreeSet::from([0, 3])
    );
}

#[test]
fn a_phase_in_which_nothing_goes_takes_no_steps() {
    // Three links and four steps for the tail of 5 flits, in the phase of the row: the first or the second, by colour.
    let shape = square(false, 4);
    for seed in 1..=8 {
        let run = routed(
            &shape,
            &plain_nowrap(),
            &pairs(&[(0, 3)]),
            (Manner::default(), 5, seed),
        );
        assert_eq!(run.steps, 7);
        assert!([[7, 0], [0, 7]].contains(&[run.phase_steps[0], run.phase_steps[1]]));
    }
}

#[test]
fn who_leaves_at_once_is_in_no_queue() {
    let coalesced = in_manner(Priority::FarthestFirst, Phases::Coalesced);
    let run = routed(
        &square(false, 4),
        &named("greedy"),
        &pairs(&[(0, 1), (2, 1)]),
        (coalesced, 1, 1),
    );
    assert_eq!(run.queue_max, 1);
}

#[test]
fn the_middle_of_an_odd_side_is_behind_its_half() {
    // The middle of 5 columns is the link from 1 to 2.
    let shape = square(false, 5);
    let eastwards = |from, to| {
        let (algorithm, problem) = (named("greedy"), pairs(&[(from, to)]));
        let setting = algorithm.setting(&shape, &problem, 1, 1).unwrap();
        let mut cuts = Cuts::new(&setting, 5);
        let seen: Seen<'_> = (&mut cuts, &mut |_| true);
        let ran = algorithm.travel((&shape, &setting), &problem, Manner::default(), seen);
        assert_eq!(ran.unwrap().undelivered, 0);
        let east = cuts.ended().iter().filter(|it| it.grows);
        east.map(|it| it.packets).sum::<u64>()
    };
    assert_eq!([eastwards(0, 2), eastwards(2, 4)], [1, 0]);
}
