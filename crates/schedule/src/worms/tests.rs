//! Schedules against what Theorem 1, Lemma 1 and section 2.2's closing remarks say, and against trying every step.

use super::*;
use crate::draws::Draws;
use crate::{Plan, check, makespan};
use flitwork_types::Port;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::HashSet;

const ORDERS: [(Order, u64); 6] = [
    (Order::RowMajor, 0),
    (Order::ColumnMajor, 0),
    (Order::Random, 7),
    (Order::LongestFirst, 0),
    (Order::ShortestFirst, 0),
    (Order::Lexicographic, 0),
];
const BENDS: [Bends; 2] = [Bends::HorizontalFirst, Bends::Either];

fn requests(to: &[u32], words: u32) -> Vec<Request> {
    let ends = (0..).map(NodeId).zip(to.iter().copied().map(NodeId));
    ends.map(|(source, destination)| Request {
        source,
        destination,
        words,
    })
    .collect()
}

fn random(nodes: u32, seed: u64) -> Vec<u32> {
    let mut to: Vec<u32> = (0..nodes).collect();
    Draws::new(seed).shuffle(&mut to);
    to
}

/// Puts a list into the next greater order, if there is one.
fn next(list: &mut [u32]) -> bool {
    let Some(place) = list.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        return false;
    };
    let with = list.iter().rposition(|it| *it > list[place]);
    list.swap(place, with.expect("the next is greater"));
    list[place + 1..].reverse();
    true
}

/// Schedules a permutation, and holds the schedule to everything that is claimed of it.
fn hold(mesh: &Grid, to: &[u32], words: u32, order: (Order, u64), bends: Bends) {
    let (sides, requests) = (mesh.sides(), requests(to, words));
    let starts = first_fit(mesh, &requests, order, bends).unwrap();
    let placed = starts.iter().zip(&requests);
    let plans: Vec<Plan> = placed.clone().map(|(it, its)| it.plan(mesh, its)).collect();
    let context = || format!("{sides:?} {order:?} {bends:?} k = {words}: {to:?}");
    assert_eq!(check(mesh, &requests, &plans, 0), Ok(()), "{}", context());
    let ends = placed
        .clone()
        .map(|(start, request)| start.end(mesh, request));
    let steps = makespan(&requests, &plans);
    assert_eq!(ends.max().unwrap_or(0), steps);
    if bends == Bends::Either {
        return;
    }
    let (links, last) = (sides[0] + sides[1] - 2, starts.iter().map(|it| it.start));
    let bound = links * (2 * words - 1);
    assert!(last.max().unwrap_or(0) <= bound, "{}", context());
    assert!(steps < bound + links + words, "{}", context());
    if words == 1 && order.0 == Order::Lexicographic {
        assert!(steps < sides[0] + 2 * sides[1] - 2, "{steps} {}", context());
    }
}

fn every_permutation(sides: [u32; 2], words: std::ops::RangeInclusive<u32>) {
    let mesh = Grid::mesh(&sides).unwrap();
    let mut to: Vec<u32> = (0..mesh.nodes()).collect();
    loop {
        for words in words.clone() {
            for order in ORDERS {
                for bends in BENDS {
                    hold(&mesh, &to, words, order, bends);
                }
            }
        }
        if !next(&mut to) {
            break;
        }
    }
}

#[test]
fn every_permutation_of_six_nodes() {
    for sides in [[2, 2], [4, 1], [3, 2], [2, 3]] {
        every_permutation(sides, 1..=3);
    }
}

/// All 362,880 permutations of nine nodes, in any order, for worms of 1 and 2 words.
#[test]
#[ignore = "takes a minute"]
fn every_permutation_of_nine_nodes() {
    every_permutation([3, 3], 1..=2);
}

/// The words of a worm that starts in a step: on which links they are, and when.
fn words_of(mesh: &Grid, request: &Request, start: Way) -> HashSet<(NodeId, Port, u32)> {
    let (mut at, mut words) = (request.source, HashSet::new());
    for hop in start.plan(mesh, request).hops {
        words.extend((0..request.words).map(|word| (at, hop.port, hop.step + word)));
        at = mesh.neighbour(at, hop.port).unwrap();
    }
    words
}

/// Tries every step for every worm. A worm has started in the first that nobody forbids, on any path that it may take, and on
/// none did one other worm, of k words to its own j, forbid more than k + j - 1 steps: 2k - 1 (Lemma 1).
fn hold_to_the_first_step(
    mesh: &Grid,
    requests: &[Request],
    order: (Order, u64),
    bends: Bends,
) -> Result<(), TestCaseError> {
    let starts = first_fit(mesh, requests, order, bends).unwrap();
    let mut before: Vec<usize> = Vec::new();
    for worm in order.0.sort(mesh, requests, order.1) {
        let (request, start) = (&requests[worm], starts[worm]);
        let used = before.iter();
        let used: Vec<_> = used
            .map(|it| (*it, words_of(mesh, &requests[*it], starts[*it])))
            .collect();
        for bend in [Bend::HorizontalFirst, Bend::VerticalFirst] {
            if bend == Bend::VerticalFirst && bends == Bends::HorizontalFirst {
                continue;
            }
            let mut forbidden = vec![0; requests.len()];
            let end = start.start + 2 * request.words;
            for step in 0..end {
                let words = words_of(mesh, request, Way { start: step, bend });
                let mut free = true;
                for (other, its) in &used {
                    if !words.is_disjoint(its) {
                        forbidden[*other] += 1;
                        free = false;
                    }
                }
                prop_assert!(!free || step >= start.start);
                if (step, bend) == (start.start, start.bend) {
                    prop_assert!(free);
                }
            }
            for (other, steps) in forbidden.into_iter().enumerate() {
                prop_assert!(steps < request.words + requests[other].words);
            }
        }
        before.push(worm);
    }
    Ok(())
}

fn orders() -> impl Strategy<Value = (Order, u64)> {
    (0..ORDERS.len(), any::<u64>()).prop_map(|(it, seed)| (ORDERS[it].0, seed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_random_permutation_keeps_the_bounds(
        (width, height) in (2u32..14, 1u32..14),
        seed: u64,
        words in 1u32..10,
        order in orders(),
        bends in prop::sample::select(&BENDS[..]),
    ) {
        let mesh = Grid::mesh(&[width, height]).unwrap();
        hold(&mesh, &random(mesh.nodes(), seed), words, order, bends);
    }

    #[test]
    fn a_permutation_of_packets_takes_3n_minus_3_steps(side in 2u32..25, seed: u64) {
        let mesh = Grid::mesh(&[side, side]).unwrap();
        let to = random(mesh.nodes(), seed);
        hold(&mesh, &to, 1, (Order::Lexicographic, 0), Bends::HorizontalFirst);
    }

    #[test]
    fn none_could_start_earlier_and_none_delays_another_for_longer(
        (width, height) in (2u32..5, 1u32..5),
        worms in prop::collection::vec((any::<u32>(), any::<u32>(), 1u32..5), 1..14),
        order in orders(),
        bends in prop::sample::select(&BENDS[..]),
    ) {
        let mesh = Grid::mesh(&[width, height]).unwrap();
        let node = |it: u32| NodeId(it % mesh.nodes());
        let worms = worms.into_iter().map(|(from, to, words)| Request {
            source: node(from),
            destination: node(to),
            words,
        });
        hold_to_the_first_step(&mesh, &worms.collect::<Vec<_>>(), order, bends)?;
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Problem {
    Random,
    Transpose,
    BitReversal,
    Reversal,
}

impl Problem {
    const ALL: [Problem; 4] = [
        Problem::Random,
        Problem::Transpose,
        Problem::BitReversal,
        Problem::Reversal,
    ];

    /// For a side that is a power of two.
    fn to(self, side: u32) -> Vec<u32> {
        let nodes = side * side;
        let each = |to: &dyn Fn(u32) -> u32| (0..nodes).map(to).collect();
        match self {
            Problem::Random => random(nodes, 1),
            Problem::Transpose => each(&|node| node % side * side + node / side),
            Problem::BitReversal => {
                each(&|node| node.reverse_bits() >> (32 - nodes.trailing_zeros()))
            }
            Problem::Reversal => each(&|node| nodes - 1 - node),
        }
    }

    /// A schedule's length by longest-first, as a part of k n, for a schedule that passes the check.
    fn length(self, side: u32, words: u32, bends: Bends, checked: bool) -> f64 {
        let mesh = Grid::mesh(&[side, side]).unwrap();
        let requests = requests(&self.to(side), words);
        let starts = first_fit(&mesh, &requests, (Order::LongestFirst, 0), bends).unwrap();
        let placed = starts.iter().zip(&requests);
        if checked {
            let plans = placed.clone().map(|(it, its)| it.plan(&mesh, its));
            let plans: Vec<_> = plans.collect();
            assert_eq!(check(&mesh, &requests, &plans, 0), Ok(()));
        }
        let ends = placed.map(|(start, request)| start.end(&mesh, request));
        f64::from(ends.max().unwrap()) / f64::from(side * words)
    }
}

/// Twice as good as Theorem 1 says and better: what limits the schedules are the paths, each with one bend.
fn hold_lengths(side: u32, checked: bool) {
    for problem in Problem::ALL {
        for words in [2, 8] {
            let length = problem.length(side, words, Bends::HorizontalFirst, checked);
            assert!(length <= 1.15, "{problem:?}, {side}, {words}: {length}");
        }
    }
}

#[test]
fn longest_first_on_64_by_64() {
    hold_lengths(64, true);
}

/// Without plans, which have 11 million hops for a random permutation.
#[test]
fn longest_first_on_256_by_256() {
    hold_lengths(256, false);
}

/// As its short version, with every plan checked.
#[test]
#[ignore = "takes a minute"]
fn longest_first_on_256_by_256_checked() {
    hold_lengths(256, true);
}

/// Half of the worms of a transpose or a bit-reversal can leave the rows of the other half alone. A reversal loses by it.
#[test]
fn either_path_halves_what_one_path_takes() {
    for problem in [Problem::Transpose, Problem::BitReversal] {
        let both = problem.length(64, 8, Bends::Either, true);
        assert!(both <= 0.6, "{problem:?}: {both}");
    }
    let [first, either] = BENDS.map(|bends| Problem::Reversal.length(64, 8, bends, true));
    assert!(first < either, "{first} {either}");
}

#[test]
fn what_is_no_worm_of_a_mesh_is_refused() {
    let mesh = Grid::mesh(&[3, 2]).unwrap();
    let refused = |mesh: &Grid, from, to, words| {
        let fine = Request {
            source: NodeId(0),
            destination: NodeId(1),
            words: 1,
        };
        let request = Request {
            source: NodeId(from),
            destination: NodeId(to),
            words,
        };
        first_fit(
            mesh,
            &[fine, request],
            (Order::RowMajor, 0),
            Bends::HorizontalFirst,
        )
        .unwrap_err()
    };
    let torus = Grid::torus(&[3, 2]).unwrap();
    assert_eq!(refused(&torus, 0, 1, 1), WormError::NoMesh);
    let line = Grid::mesh(&[6]).unwrap();
    assert_eq!(refused(&line, 0, 1, 1), WormError::NoMesh);
    let node = NodeId(6);
    let no_node = WormError::NoNode { worm: 1, node };
    assert_eq!(refused(&mesh, 0, 6, 1), no_node);
    assert_eq!(refused(&mesh, 6, 0, 1), no_node);
    assert_eq!(refused(&mesh, 0, 5, 0), WormError::NoWords { worm: 1 });
    let late = WormError::TooLate { worm: 1 };
    assert_eq!(refused(&mesh, 0, 5, 1 << 31), late);
    assert!(late.to_string().contains("after step 2147483647"));
}

/// It is asked before the first worm and then after every so many, and whoever stops has no starts.
#[test]
fn a_schedule_can_be_stopped() {
    let mesh = Grid::mesh(&[20, 20]).unwrap();
    let requests = requests(&random(400, 1), 2);
    let until = |most: usize| {
        let mut asked = Vec::new();
        let go_on = &mut |placed| {
            asked.push(placed);
            placed < most
        };
        let (order, bends) = ((Order::LongestFirst, 0), Bends::Either);
        let starts = first_fit_while(&mesh, &requests, order, bends, go_on).unwrap();
        (starts, asked)
    };
    assert_eq!(until(0), (None, vec![0]));
    assert_eq!(until(1), (None, vec![0, 256]));
    let all = first_fit(&mesh, &requests, (Order::LongestFirst, 0), Bends::Either).unwrap();
    assert_eq!(until(400), (Some(all), vec![0, 256]));
}

fn worm(source: u32, destination: u32, words: u32) -> Request {
    Request {
        source: NodeId(source),
        destination: NodeId(destination),
        words,
    }
}

/// By hand on 4 x 4, from (x, y) to (x, y): (1, 1) to (3, 1), (0, 1) to (2, 3), (0, 0) to (2, 2), (1, 0) to (3, 1) and
/// (0, 2) to (3, 2). Their horizontal and vertical distances are (2, 0), (2, 2), (2, 2), (2, 1) and (3, 0). Those that an order
/// doesn't tell apart go by source.
#[test]
fn orders_by_hand() {
    let mesh = Grid::mesh(&[4, 4]).unwrap();
    let ends = [(5, 7), (4, 14), (0, 10), (1, 7), (8, 11)];
    let worms = ends.map(|(source, destination)| worm(source, destination, 1));
    for (order, expected) in [
        (Order::RowMajor, [2, 3, 1, 0, 4]),
        (Order::ColumnMajor, [2, 1, 4, 3, 0]),
        (Order::LongestFirst, [2, 1, 3, 4, 0]),
        (Order::ShortestFirst, [0, 3, 4, 2, 1]),
        (Order::Lexicographic, [4, 2, 1, 3, 0]),
    ] {
        assert_eq!(order.sort(&mesh, &worms, 0), expected, "{order:?}");
    }
}

/// Node 0 of 3 x 3 sends to nodes 2 and 6 along its row and its column in step 0, and then to node 4, between them. Both ways are
/// free from step 1 on: it goes along the row first. If only the row is taken, it goes along the column at once.
#[test]
fn of_two_equal_ways_the_horizontal_one_is_taken() {
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let start = |ends: &[(u32, u32)]| {
        let worms: Vec<Request> = ends.iter().map(|(from, to)| worm(*from, *to, 1)).collect();
        let starts = first_fit(&mesh, &worms, (Order::RowMajor, 0), Bends::Either).unwrap();
        let last = starts.last().unwrap();
        (last.start, last.bend)
    };
    assert_eq!(start(&[(0, 2), (0, 6), (0, 4)]), (1, Bend::HorizontalFirst));
    assert_eq!(start(&[(0, 2), (0, 4)]), (0, Bend::VerticalFirst));
    assert_eq!(start(&[(0, 6), (0, 4)]), (0, Bend::HorizontalFirst));
    // Two along the row, one along the column.
    let both = [(0, 1), (0, 2), (0, 6), (0, 4)];
    assert_eq!(start(&both), (1, Bend::VerticalFirst));
}
