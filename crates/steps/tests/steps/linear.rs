//! Chapter 3: every lemma, read off moves and the phases' boundaries.

mod checker;

use crate::central;
use checker::Checker;
use flitwork_steps::linear::{Action, Axis, Kind, LinearError, Phase, Phases, Program};
use flitwork_steps::lower::construct_adaptive;
use flitwork_steps::rules::{Fixed, GreedyAdaptive};
use flitwork_steps::{
    Beginning, Choice, Corner, Distances, Here, Machine, Move, NoNotes, Nobody, Offers, Outcome,
    Part, Rule, Store, Until, Watcher,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, PortSet};
use std::collections::BTreeSet;

type Problem = Vec<(NodeId, NodeId)>;

/// Routes a problem with the checker as a watcher.
fn route(n: u32, phases: Phases, problem: &Problem) -> Outcome {
    let program = Program::new(n, phases).unwrap();
    let mut checker = Checker::new(n, program.parts(), problem);
    let outcome = program.run(problem, &mut checker).unwrap();
    checker.ends();
    assert_eq!(outcome.undelivered, 0);
    assert!(outcome.queue_max <= 834);
    match phases {
        Phases::Fixed => assert_eq!(u64::from(outcome.steps), program.fixed_steps()),
        Phases::Quiet => assert!(outcome.steps <= 20 * n, "{} steps", outcome.steps),
    }
    outcome
}

/// A permutation by a table that looks random.
pub(super) fn random(n: u32, seed: u64) -> Problem {
    let mut order: Vec<u32> = (0..n * n).collect();
    let mut state = seed.wrapping_mul(2) | 1;
    for last in (1..order.len()).rev() {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
    (0..)
        .map(NodeId)
        .zip(order.into_iter().map(NodeId))
        .collect()
}

fn of(n: u32, to: impl Fn(u32, u32) -> (u32, u32)) -> Problem {
    let pair = |node| {
        let (x, y) = to(node % n, node / n);
        (NodeId(node), NodeId(y * n + x))
    };
    (0..n * n).map(pair).collect()
}

/// Transpose, along both diagonals; reversal; and all rows or columns to their far ends.
fn structured(n: u32) -> Vec<Problem> {
    let far = n - 1;
    vec![
        of(n, |x, y| (y, x)),
        of(n, |x, y| (far - y, far - x)),
        of(n, |x, y| (far - x, far - y)),
        of(n, |x, y| (x, far - y)),
        of(n, |x, y| ((x + n / 2) % n, (y + n / 2) % n)),
    ]
}

/// The permutation that greedy adaptive takes long to route.
fn constructed(n: u32) -> Problem {
    let constants = central(n, 1).unwrap();
    let rule = GreedyAdaptive::<Fixed>::default();
    construct_adaptive(&constants, Corner::SouthWest, &rule, &mut |_| true)
        .unwrap()
        .problem
}

#[test]
fn sides_are_27_times_a_power_of_3() {
    for side in [27, 81, 243, 729, 2187] {
        assert!(Program::new(side, Phases::Quiet).is_ok());
    }
    let error = |side| Program::new(side, Phases::Fixed).unwrap_err();
    for (side, below, above) in [
        (0, None, Some(27)),
        (26, None, Some(27)),
        (54, Some(27), Some(81)),
        (6561, Some(2187), None),
        (u32::MAX, Some(2187), None),
    ] {
        assert_eq!(error(side), LinearError::Side { side, below, above });
    }
    let program = Program::new(27, Phases::Quiet).unwrap();
    let outside = [(NodeId(0), NodeId(27 * 27))];
    let error = program.run(&outside, &mut Nobody).unwrap_err();
    assert!(matches!(error, LinearError::Machine(_)), "{error}");
}

/// By hand, n = 27: a March of 407 steps, twice 408 of Sort and Smooth, a balancing of 77, in two phases; and 16 at the end. Four
/// kinds of packets: 4 (2 1300 + 16).
#[test]
fn fixed_phases_take_what_the_lemmas_say() {
    let steps = |n| Program::new(n, Phases::Fixed).unwrap().fixed_steps();
    assert_eq!([27, 81, 243].map(steps), [10_464, 40_544, 131_120]);
    assert!(
        [27, 81, 243, 729, 2187]
            .into_iter()
            .all(|n| steps(n) < 972 * u64::from(n))
    );
}

#[test]
fn small_meshes_keep_the_lemmas() {
    for phases in [Phases::Quiet, Phases::Fixed] {
        let problems = structured(27)
            .into_iter()
            .chain((0..20).map(|seed| random(27, seed)));
        problems.for_each(|it| {
            route(27, phases, &it);
        });
    }
}

#[test]
fn meshes_of_81_keep_the_lemmas() {
    let problems = structured(81)
        .into_iter()
        .chain((0..2).map(|seed| random(81, seed)));
    for problem in problems.chain([constructed(81)]) {
        let quiet = route(81, Phases::Quiet, &problem);
        let fixed = route(81, Phases::Fixed, &problem);
        assert!(quiet.steps < fixed.steps);
        assert_eq!(quiet.queue_max, fixed.queue_max);
    }
}

/// With `cargo test -p flitwork-steps -- --ignored`: two minutes.
#[test]
#[ignore = "two minutes"]
fn large_meshes_keep_the_lemmas() {
    for seed in 0..20 {
        route(81, Phases::Quiet, &random(81, seed));
    }
    let problems = structured(243)
        .into_iter()
        .chain((0..3).map(|seed| random(243, seed)));
    for problem in problems.chain([constructed(243)]) {
        route(243, Phases::Quiet, &problem);
        route(243, Phases::Fixed, &problem);
    }
}

/// Steps that are only counted are steps in which nothing moves.
#[test]
fn fixed_phases_are_quiet_once_they_are() {
    let problem = random(27, 1);
    let program = Program::new(27, Phases::Fixed).unwrap();
    let mesh = Grid::mesh(&[27, 27]).unwrap();
    let made = |it: &Part<Phase>| Part {
        rule: it.rule,
        until: Until::Steps(it.rule.most_steps()),
    };
    let parts = program.parts().iter().map(made).collect();
    let made = flitwork_steps::Program { parts };
    let made = made.run(&mesh, Store::Unbounded, &problem, &mut Nobody);
    assert_eq!(made.unwrap(), program.run(&problem, &mut Nobody).unwrap());
}

/// A phase whose nodes never rest.
#[derive(Clone, Copy, Debug)]
struct Restless(Phase);

/// What a node is for the rule inside.
fn inside<'a>(here: &Here<'a, Restless>) -> Here<'a, Phase> {
    Here {
        node: here.node,
        links: here.links,
        grid: here.grid,
        step: here.step,
        began: here.began,
        store: here.store,
        state: here.state,
        packets: here.packets,
        notes: here.notes,
    }
}

impl Rule for Restless {
    type Sight = <Phase as Rule>::Sight;
    type Node = <Phase as Rule>::Node;
    type Packet = <Phase as Rule>::Packet;
    type Note = NoNotes;

    fn begin(&self, node: NodeId, productive: &[PortSet]) -> Self::Node {
        self.0.begin(node, productive)
    }

    fn begin_packet(&self, node: &Self::Node, packet: &Beginning<'_, Distances>) -> Self::Packet {
        self.0.begin_packet(node, packet)
    }

    fn resume_packet(
        &self,
        node: &Self::Node,
        packet: &Beginning<'_, Distances>,
        before: &Self::Packet,
    ) -> Self::Packet {
        self.0.resume_packet(node, packet, before)
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        self.0.choose(&inside(here), choice);
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        self.0.accept(&inside(here), offers, accepted);
    }

    fn has_state(&self) -> bool {
        true
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut Self::Node, packets: &mut [Self::Packet]) {
        self.0.after(&inside(here), node, packets);
    }
}

/// A node that rests would have done nothing: the moves of all steps are those without rest.
#[test]
fn nodes_that_rest_would_do_nothing() {
    #[derive(Default, PartialEq)]
    struct Moves(Vec<(u32, Move)>);
    impl Watcher for Moves {
        fn stepped<T: Topology, R: Rule>(&mut self, machine: &Machine<'_, T, R>) {
            let moves = machine.moves().iter();
            self.0.extend(moves.map(|it| (machine.steps(), *it)));
        }
    }
    for (n, seed) in [(27, 1), (27, 2), (81, 3)] {
        let problem = random(n, seed);
        let program = Program::new(n, Phases::Quiet).unwrap();
        let mesh = Grid::mesh(&[n, n]).unwrap();
        let restless = |it: &Part<Phase>| Part {
            rule: Restless(it.rule),
            until: it.until,
        };
        let parts = program.parts().iter().map(restless).collect();
        let restless = flitwork_steps::Program { parts };
        let (mut one, mut other) = (Moves::default(), Moves::default());
        let outcome = restless.run(&mesh, Store::Unbounded, &problem, &mut one);
        assert_eq!(outcome.unwrap(), program.run(&problem, &mut other).unwrap());
        assert!(one == other, "a node rests that would have sent");
    }
}

/// Lemma 3.4: two nodes within s/3 rows and columns are in one tile of one of the tilings: in each dimension at most one of them
/// parts the two.
#[test]
fn tilings_part_near_nodes_in_one_dimension_once() {
    let program = Program::new(243, Phases::Quiet).unwrap();
    for tile in [27, 81] {
        let of_tile = program.parts().iter().filter(|it| it.rule.tile == tile);
        let shifts: BTreeSet<u32> = of_tile.map(|it| it.rule.shift).collect();
        assert_eq!(shifts.len(), 3);
        for (from, links) in (0..243).flat_map(|from| (0..=tile / 3).map(move |it| (from, it))) {
            let tile_of = |at: u32, shift: &u32| (at + tile - shift) / tile;
            let parts = |shift: &&u32| tile_of(from, shift) != tile_of(from + links, shift);
            assert!(shifts.iter().filter(parts).count() <= 1);
        }
    }
}

/// A column of 27 nodes of two packets each that all go to its last: the last strip before takes as many as it may, and the
/// others lie as far on as they can.
#[test]
fn a_march_fills_strips_from_their_ends() {
    let (n, most) = (81, 5);
    let rule = Phase {
        side: n,
        kind: Kind::NorthEast,
        axis: Axis::Vertical,
        tile: n,
        shift: 0,
        most,
        action: Action::March,
    };
    let mesh = Grid::mesh(&[n, n]).unwrap();
    let node = |x, row: u32| NodeId((n - 1 - row) * n + x);
    // Strips of 3 rows: 12 packets for strip 10, from strips 1 to 4, and 3 for strip 27 among them.
    let mut problem: Vec<_> = (0..12).map(|row| (node(0, row), node(5, 27))).collect();
    problem.extend((0..3).map(|row| (node(0, row), node(7, 80))));
    let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &problem).unwrap();
    let mut still = 0;
    while still < 2 {
        still = if machine.step(&mut Nobody) {
            0
        } else {
            still + 1
        };
        assert!(machine.steps() < 200);
    }
    // Of strip 7 the northernmost node is full, and the next has the rest.
    let held = |row| machine.held(node(0, row));
    assert_eq!([18, 19, 20].map(held), [2, 5, 5]);
    assert_eq!(held(71), 3);
}

/// Node 0 of the southernmost row holds five packets for the row that is three strips on, in columns 5 to 9. They are active, and
/// a March leaves them where they are. Then a node that holds more than two sends the one with the farthest to go: node 0 in steps
/// 1 to 3 those for columns 9, 8 and 7, and node 1, which holds these three as step 4 begins, that for column 9. Each node that
/// holds two or fewer keeps them.
#[test]
fn nodes_that_hold_two_keep_them() {
    let n = 27;
    let march = Phase {
        side: n,
        kind: Kind::NorthEast,
        axis: Axis::Vertical,
        tile: n,
        shift: 0,
        most: 408,
        action: Action::March,
    };
    let balance = Phase {
        action: Action::Balance,
        ..march
    };
    let mesh = Grid::mesh(&[n, n]).unwrap();
    let node = |x, row: u32| NodeId((n - 1 - row) * n + x);
    let problem: Vec<_> = (5..10).map(|x| (node(0, 0), node(x, 3))).collect();
    let mut machine = Machine::new(&mesh, &march, Store::Unbounded, &problem).unwrap();
    assert!(!machine.step(&mut Nobody));
    machine.go_on(&balance);
    let mut columns = || {
        machine.step(&mut Nobody);
        let at = machine.packets().iter().map(|it| it.at);
        at.map(|at| at.0 - node(0, 0).0).collect::<Vec<_>>()
    };
    let expected = [
        [0, 0, 0, 0, 1],
        [0, 0, 0, 1, 1],
        [0, 0, 1, 1, 1],
        [0, 0, 1, 1, 2],
        [0, 0, 1, 1, 2],
    ];
    for (step, expected) in expected.into_iter().enumerate() {
        assert_eq!(columns(), expected, "step {}", step + 1);
    }
}
