//! Runs of the algorithms of Kaufmann and Sibeyn 1991, held to what is computed apart from them.

use flitwork_steps::multi_packet::{
    AnyAlgorithm, Cuts, LowerBounds, Manner, PhaseLemmas, Phases, Priority, Travelled, Witness,
};
use flitwork_steps::{GoOn, Leg, Misfit, Nobody, PacketState};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::NodeId;
use proptest::prelude::*;
use proptest::sample::Index;
use std::num::NonZeroU32;

pub(super) type Problem = Vec<(NodeId, NodeId)>;
pub(super) type Seen<'a> = (&'a mut dyn Witness, GoOn<'a>);

/// Every coordinate by `by`, k packets from each node.
pub(super) fn shift(grid: &Grid, k: u32, by: u32) -> Problem {
    let sides = grid.sides();
    let to = |node| {
        let at = grid.coordinates(node).into_iter().zip(&sides);
        let at: Vec<u32> = at.map(|(at, side)| (at + by) % side).collect();
        grid.node_at(&at)
    };
    let nodes = (0..grid.nodes()).map(NodeId);
    nodes
        .flat_map(|node| (0..k).map(move |_| (node, to(node))))
        .collect()
}

pub(super) fn square(wraps: bool, n: u32) -> Shape {
    let grid = match wraps {
        true => Grid::torus(&[n, n]),
        false => Grid::mesh(&[n, n]),
    };
    Shape::from(grid.unwrap())
}

pub(super) fn named(name: &str) -> AnyAlgorithm {
    let mut all = AnyAlgorithm::all().into_iter();
    all.find(|it| it.name() == name).unwrap()
}

/// Sees that legs are straight, that each packet goes on where it stands, and where it ends.
struct Follows {
    at: Vec<NodeId>,
    legs: usize,
}

impl Witness for Follows {
    fn sets_out(&mut self, _: usize, _: NodeId, leg: &Leg) {
        assert!(leg.links > 0 && leg.crossed == 0);
        self.legs += 1;
    }

    fn phase_ends(&mut self, _: usize, packets: &[PacketState]) {
        self.at = packets.iter().map(|it| it.at).collect();
    }
}

/// Routes a problem; all packets come to where they go, in no fewer steps than the bounds.
pub(super) fn routed(
    shape: &Shape,
    algorithm: &AnyAlgorithm,
    problem: &Problem,
    (manner, flits, seed): (Manner, u32, u64),
) -> Travelled {
    let setting = algorithm.setting(shape, problem, flits, seed).unwrap();
    let mut follows = Follows {
        at: Vec::new(),
        legs: 0,
    };
    let seen: Seen<'_> = (&mut follows, &mut |_| true);
    let travelled = algorithm
        .travel((shape, &setting), problem, manner, seen)
        .unwrap();
    let homes = problem.iter().map(|it| it.1);
    assert!(follows.at.into_iter().eq(homes), "{manner:?}");
    assert_eq!(travelled.undelivered, 0);
    assert_eq!(travelled.steps, travelled.phase_steps.iter().sum::<u32>());
    let grid = shape.grid().unwrap();
    let bounds = LowerBounds::of(
        grid,
        problem.iter().copied(),
        NonZeroU32::new(flits).unwrap(),
    );
    assert!(u64::from(travelled.steps) >= bounds.most(), "{algorithm:?}");
    travelled
}

pub(super) fn in_manner(priority: Priority, phases: Phases) -> Manner {
    Manner {
        priority,
        phases,
        smears: false,
    }
}

#[test]
fn every_algorithm_brings_all_packets_home_by_every_priority() {
    for algorithm in AnyAlgorithm::all() {
        for wraps in [false, true] {
            let shape = square(wraps, 12);
            let grid = shape.grid().unwrap().clone();
            // Level-improved takes 4n/ε packets.
            let k = if algorithm.name() == "level-improved" {
                48
            } else {
                4
            };
            let problem = shift(
                &grid,
                k,
                if algorithm.name() == "local" && !wraps {
                    0
                } else {
                    5
                },
            );
            if algorithm.setting(&shape, &problem, 1, 1).is_err() {
                assert!(algorithm.name() == "no-l" && !wraps, "{algorithm:?}");
                continue;
            }
            for priority in Priority::ALL {
                for phases in Phases::ALL {
                    routed(
                        &shape,
                        &algorithm,
                        &problem,
                        (in_manner(priority, phases), 1, 7),
                    );
                }
            }
        }
    }
}

#[test]
fn phases_take_the_steps_of_lemmas_2_and_7() {
    for algorithm in AnyAlgorithm::all() {
        if !algorithm.has_barriers() || algorithm.learns() {
            continue;
        }
        for wraps in [false, true] {
            let shape = square(wraps, 16);
            let grid = shape.grid().unwrap();
            let k = if algorithm.name() == "level-improved" {
                32
            } else {
                6
            };
            for by in [7, 8] {
                let mut problem = shift(grid, k, by);
                if algorithm.name() == "local" && !wraps {
                    // Halves of blocks exchanged: no packet goes farther than 8.
                    let swap = |node: NodeId| NodeId(node.0 ^ 8 ^ 8 << 4);
                    problem.iter_mut().for_each(|it| it.1 = swap(it.0));
                }
                let setting = algorithm.setting(&shape, &problem, 1, 3).unwrap();
                let mut lemmas = PhaseLemmas::new(&setting);
                let seen: Seen<'_> = (&mut lemmas, &mut |_| true);
                let manner = Manner::default();
                let travelled = algorithm.travel((&shape, &setting), &problem, manner, seen);
                let steps = travelled.unwrap().phase_steps.into_iter().map(u64::from);
                assert!(steps.eq(lemmas.steps().iter().copied()), "{algorithm:?}");
            }
        }
    }
}

#[test]
fn by_hand() {
    // One packet from corner to corner of 4 x 4, along the row and then along the column: three steps a phase.
    let (shape, manner) = (square(false, 4), Manner::default());
    let corner = vec![(NodeId(0), NodeId(15))];
    let greedy = routed(&shape, &named("greedy"), &corner, (manner, 1, 1));
    assert_eq!(
        (greedy.steps, greedy.phase_steps, greedy.moves),
        (6, vec![3, 3], 6)
    );
    // Coalesced it turns at once. A worm of 5 flits takes 4 steps more for its tail: in each phase, or once.
    let coalesced = in_manner(Priority::FarthestFirst, Phases::Coalesced);
    let plain: AnyAlgorithm =
        named("nowrap").with(&[("randomise", flitwork_schema::Datum::Truth(false))]);
    let of = |manner, flits| routed(&shape, &plain, &corner, (manner, flits, 1)).steps;
    assert_eq!(
        [
            of(manner, 1),
            of(coalesced, 1),
            of(manner, 5),
            of(coalesced, 5)
        ],
        [6, 6, 14, 10]
    );
    // Two worms of 3 flits over one link: the second begins three steps later. Each phase of a line has its tail's two steps.
    let line = Shape::from(Grid::mesh(&[3]).unwrap());
    let two = vec![(NodeId(0), NodeId(2)), (NodeId(0), NodeId(2))];
    assert_eq!(
        routed(&line, &named("nowrap"), &two, (manner, 3, 1)).steps,
        7
    );
    // No packet, and packets that are home.
    assert_eq!(
        routed(&shape, &named("nowrap"), &vec![], (manner, 1, 1)).steps,
        0
    );
    let home = vec![(NodeId(3), NodeId(3))];
    assert_eq!(
        routed(&shape, &named("greedy"), &home, (manner, 1, 1)).steps,
        0
    );
}

#[test]
fn who_has_the_farthest_to_go_in_all_is_first_by_hand() {
    // Both want east from node 0 of 4 x 4. One goes 3 links in all, the other 2 and then 3 south. By the leg the first leaves first
    // and both come in step 3; by all legs the second does, and the first comes in step 4.
    let shape = square(false, 4);
    let problem: Problem = vec![(NodeId(0), NodeId(3)), (NodeId(0), NodeId(14))];
    let phases = |priority| {
        let manner = in_manner(priority, Phases::Barrier);
        routed(&shape, &named("greedy"), &problem, (manner, 1, 1)).phase_steps
    };
    assert_eq!(phases(Priority::FarthestFirst), [3, 3]);
    assert_eq!(phases(Priority::FarthestTotal), [4, 3]);
}

#[test]
fn smearing_leaves_few_packets_in_a_node() {
    for (n, k, by) in [(16, 8, 8), (24, 5, 12)] {
        let shape = square(false, n);
        let problem = shift(shape.grid().unwrap(), k, by);
        let manner = Manner {
            smears: true,
            ..Manner::default()
        };
        for name in ["nowrap", "wrap"] {
            let travelled = routed(&shape, &named(name), &problem, (manner, 1, 2));
            let most = travelled.smeared_max.unwrap();
            assert!(most <= k as usize + 6, "{name}: {most}");
            let without = routed(&shape, &named(name), &problem, (Manner::default(), 1, 2));
            assert_eq!(without.smeared_max, None);
            assert!(without.queue_max > k as usize + 6);
            // Each phase but the last is followed by a smearing.
            let phases = without.phase_steps.len();
            assert_eq!(travelled.phase_steps.len(), 2 * phases - 1);
        }
    }
}

/// Where packets are when a phase has ended.
struct At {
    phase: usize,
    packets: Vec<NodeId>,
}

impl Witness for At {
    fn phase_ends(&mut self, phase: usize, packets: &[PacketState]) {
        if phase == self.phase {
            self.packets = packets.iter().map(|it| it.at).collect();
        }
    }
}

/// Where packets are when a phase of a run has ended.
fn after(
    shape: &Shape,
    algorithm: &AnyAlgorithm,
    problem: &Problem,
    phase: usize,
    seed: u64,
) -> Vec<NodeId> {
    let setting = algorithm.setting(shape, problem, 1, seed).unwrap();
    let mut at = At {
        phase,
        packets: Vec::new(),
    };
    let seen: Seen<'_> = (&mut at, &mut |_| true);
    let travelled = algorithm.travel((shape, &setting), problem, Manner::default(), seen);
    assert_eq!(travelled.unwrap().undelivered, 0);
    at.packets
}

#[test]
fn after_two_legs_all_places_are_as_likely() {
    // Lemma 24: 64 packets from each node of a torus of 8 x 8 to the node half a side on: 4096 over 64 nodes, 64 expected in each.
    // Chi-square with 63 degrees of freedom is below 103.4 with 99.9 %.
    let shape = square(true, 8);
    let problem = shift(shape.grid().unwrap(), 64, 4);
    let at = after(&shape, &named("wrap"), &problem, 1, 5);
    let chi_square = |at: &mut dyn Iterator<Item = NodeId>, expected: f64| {
        let mut seen = [0.0; 64];
        at.for_each(|node| seen[node.index()] += 1.0);
        seen.iter()
            .map(|it: &f64| (it - expected).powi(2) / expected)
            .sum::<f64>()
    };
    assert!(chi_square(&mut at.iter().copied(), 64.0) < 103.4);
    // And from each corner's 64 packets alone, over 50 seeds.
    let of_corner = (0..50).flat_map(|seed| {
        let at = after(&shape, &named("wrap"), &problem, 1, 100 + seed);
        at[..64].to_vec()
    });
    let of_corner: Vec<NodeId> = of_corner.collect();
    assert!(chi_square(&mut of_corner.into_iter(), 50.0) < 103.4);
}

#[test]
fn nodes_learn_the_locality() {
    // One packet goes 9 along an axis, and all others one or none: rounded down, 8. Then L/2 = 4 isn't above 8n/k, and no packet
    // sets out a second time; with k = 64 it is above 8n/k = 2.
    let shape = square(true, 16);
    let grid = shape.grid().unwrap();
    let mut problem = shift(grid, 64, 1);
    problem[0].1 = grid.node_at(&[7, 0]);
    let setting = named("no-l").setting(&shape, &problem, 1, 1).unwrap();
    assert_eq!(setting.locality, 7);
    let run = routed(&shape, &named("no-l"), &problem, (Manner::default(), 1, 1));
    // 1 and 4 are told: at most two information packets a link.
    assert_eq!(run.information_max, Some(2));
    assert_eq!(run.phase_steps.len(), 4);
    assert_eq!(run.phase_steps[1], 0, "4/2 isn't above 2");
    problem[0].1 = grid.node_at(&[8, 0]);
    let run = routed(&shape, &named("no-l"), &problem, (Manner::default(), 1, 1));
    assert!(run.phase_steps[1] > 0, "8/2 is above 2");
    problem[0].1 = grid.node_at(&[0, 8]);
    let run = routed(&shape, &named("no-l"), &problem, (Manner::default(), 1, 1));
    assert!(run.phase_steps[1] > 0, "along the column too");
    // What is twice as much as a node knows is told on: all tell 1, and all but the first tell 2.
    problem[0].1 = grid.node_at(&[2, 0]);
    let run = routed(&shape, &named("no-l"), &problem, (Manner::default(), 1, 1));
    assert_eq!(run.information_max, Some(2));
    problem[0].1 = grid.node_at(&[8, 0]);
    // With the packet's own strips nothing is learnt.
    let own = named("no-l").with(&[("strips", flitwork_schema::Datum::text("own"))]);
    let run = routed(&shape, &own, &problem, (Manner::default(), 1, 1));
    assert_eq!((run.information_max, run.phase_steps.len()), (None, 3));
}

#[test]
fn what_an_algorithm_isnt_for_is_refused() {
    let refused = |name: &str, wraps, n, k, by| {
        let shape = square(wraps, n);
        let problem = shift(shape.grid().unwrap(), k, by);
        named(name)
            .setting(&shape, &problem, 1, 1)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused("level", false, 8, 3, 1),
        "a node sends 3 packets; allowed: an even number of packets a node, up to 32768: k/2 levels"
    );
    assert_eq!(
        refused("level-improved", false, 16, 30, 1),
        "a node sends 30 packets; allowed: at least 4n/ε = 32 packets a node, with ε = 2"
    );
    assert_eq!(
        refused("level-superior", false, 5, 2, 1),
        "sides of 5; allowed: 6 or more, since ε is 1 to n/6"
    );
    assert_eq!(
        refused("local", false, 8, 2, 1),
        "a packet goes 7 nodes along an axis; allowed: problems whose packets go at most n/2 = 4 nodes along an axis"
    );
    assert_eq!(
        refused("no-l", false, 8, 2, 1),
        "a mesh; allowed: a torus, for which the paper has it"
    );
    let shape = square(false, 8);
    let problem = shift(shape.grid().unwrap(), 1, 1);
    let worms = named("level").setting(&shape, &problem, 2, 1).unwrap_err();
    assert_eq!(worms.misfit, Misfit::Key("flits"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_problem_is_routed(
        sides in (2u32..7, 1usize..4),
        wraps: bool,
        pairs in prop::collection::vec((any::<Index>(), any::<Index>()), 0..60),
        flits in 1u32..4,
        which in 0usize..6,
        phases in 0usize..2,
        seed: u64,
    ) {
        let sides = vec![sides.0; sides.1];
        let grid = if wraps { Grid::torus(&sides) } else { Grid::mesh(&sides) };
        let shape = Shape::from(grid.unwrap());
        let node = |it: &Index| NodeId(it.index(shape.nodes() as usize) as u32);
        let problem = pairs.iter().map(|(from, to)| (node(from), node(to))).collect();
        let manner = in_manner(Priority::ALL[which], Phases::ALL[phases]);
        for name in ["nowrap", "wrap"] {
            let one = routed(&shape, &named(name), &problem, (manner, flits, seed));
            let again = routed(&shape, &named(name), &problem, (manner, flits, seed));
            prop_assert_eq!(one, again);
        }
    }
}

#[test]
fn what_crosses_the_middle_by_hand() {
    // On 4 x 4, strips of 2 rows: 0 -> 3 crosses eastwards in the upper strip; 15 -> 12 and 11 -> 8 westwards in the lower;
    // 4 -> 5 ends before the middle, and 1 -> 13 goes along its column.
    let shape = square(false, 4);
    let problem: Problem = [(0, 3), (15, 12), (11, 8), (4, 5), (1, 13)]
        .map(|(from, to)| (NodeId(from), NodeId(to)))
        .to_vec();
    let algorithm = named("greedy");
    let setting = algorithm.setting(&shape, &problem, 1, 1).unwrap();
    let mut cuts = Cuts::new(&setting, 2);
    let seen: Seen<'_> = (&mut cuts, &mut |_| true);
    algorithm
        .travel((&shape, &setting), &problem, Manner::default(), seen)
        .unwrap();
    let found = cuts.ended().iter();
    let found: Vec<_> = found
        .map(|it| (it.phase, it.strip, it.links, it.grows, it.packets))
        .collect();
    let of_rows = [
        (0, 0, 2, false, 0),
        (0, 0, 2, true, 1),
        (0, 1, 2, false, 2),
        (0, 1, 2, true, 0),
    ];
    assert_eq!(found[..4], of_rows);
    assert!(found[4..].iter().all(|it| it.0 == 1 && it.4 == 0));
    // A last strip may be narrower.
    let mut cuts = Cuts::new(&setting, 3);
    cuts.phase_ends(0, &[]);
    assert_eq!(
        cuts.ended().iter().map(|it| it.links).collect::<Vec<_>>(),
        [3, 3, 1, 1]
    );
}

#[test]
fn nobody_sees_nothing() {
    let shape = square(false, 4);
    let problem = shift(shape.grid().unwrap(), 2, 2);
    let algorithm = named("nowrap");
    let setting = algorithm.setting(&shape, &problem, 1, 1).unwrap();
    // Stopped as it begins, all packets are under way.
    let seen: Seen<'_> = (&mut Nobody, &mut |_| false);
    let stopped = algorithm.travel((&shape, &setting), &problem, Manner::default(), seen);
    assert_eq!(stopped.unwrap().undelivered, 32);
}
