//! Theorems 4 and 5, and Observation 1.

use crate::{every, mesh, rules, some};
use flitwork_schedule::multistage::count::random_permutation;
use flitwork_schedule::multistage::order::LongestHorizontal;
use flitwork_schedule::multistage::{
    Bend, Mesh, ORDERS, Order, Rules, Scheduler, Selection, Ties, Way,
};
use flitwork_types::{NodeId, Port};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const HORIZONTAL_FIRST: Rules = Rules {
    order: Order::of::<LongestHorizontal>(),
    ties: Ties::SourceRowMajor,
    seed: 1,
    selection: Selection::HorizontalFirst,
};

/// Horizontal first, any order: at most 2(a + b) - 4 steps.
fn theorem_4(rows: u32, columns: u32, permutations: Option<u64>) {
    for entry in ORDERS {
        let rules = Rules {
            order: *entry,
            ..HORIZONTAL_FIRST
        };
        let counts = match permutations {
            None => every(rows, columns, rules, 1),
            Some(permutations) => some(rows, columns, rules, permutations),
        };
        let bound = 2 * (rows + columns) - 4;
        assert!(
            counts.longest <= bound,
            "{} {rows} x {columns}: {counts:?}",
            entry.name()
        );
    }
}

/// Horizontal first, the longest horizontal distance first, and no side longer than the rows: at most a + 2b - 3 steps, b of
/// them rows.
fn theorem_5(rows: u32, columns: u32, permutations: Option<u64>) {
    for (name, ties) in Ties::ALL {
        let rules = Rules {
            ties: *ties,
            ..HORIZONTAL_FIRST
        };
        let counts = match permutations {
            None => every(rows, columns, rules, 1),
            Some(permutations) => some(rows, columns, rules, permutations),
        };
        let bound = columns + 2 * rows - 3;
        assert!(
            counts.longest <= bound,
            "{name} {rows} x {columns}: {counts:?}"
        );
    }
}

#[test]
fn all_permutations_of_small_meshes_keep_the_bounds() {
    for (rows, columns) in [
        (1, 2),
        (2, 1),
        (2, 2),
        (1, 7),
        (6, 1),
        (2, 3),
        (3, 2),
        (2, 4),
    ] {
        theorem_4(rows, columns, None);
        if columns >= rows {
            theorem_5(rows, columns, None);
        }
    }
}

/// Takes 5 seconds.
#[test]
#[ignore = "11,000,000 permutations"]
fn all_permutations_of_meshes_to_9_nodes_keep_the_bounds() {
    for (rows, columns) in [(1, 8), (8, 1), (4, 2), (1, 9), (9, 1), (3, 3)] {
        theorem_4(rows, columns, None);
        if columns >= rows {
            theorem_5(rows, columns, None);
        }
    }
}

#[test]
fn random_permutations_of_larger_meshes_keep_the_bounds() {
    for (rows, columns) in [(3, 5), (10, 10), (4, 30), (2, 70), (25, 6)] {
        theorem_4(rows, columns, Some(100));
        if columns >= rows {
            theorem_5(rows, columns, Some(100));
        }
    }
}

/// A link in a step.
type Stage = (NodeId, Port, u32);

/// The links and steps of a way of one word.
fn stages(mesh: &Mesh, request: &flitwork_schedule::Request, way: Way) -> Vec<Stage> {
    use flitwork_topology::Topology;
    let mut at = request.source;
    let plan = way.plan(mesh.grid(), request);
    let hops = plan.hops.iter().map(|hop| {
        let stage = (at, hop.port, hop.step);
        at = mesh.grid().neighbour(at, hop.port).expect("a link");
        stage
    });
    hops.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each stage before a packet's start is refused to each of its paths by a packet that came before, and none of these
    /// refuses the same path twice (Observation 1).
    #[test]
    fn a_packet_delays_another_in_at_most_one_stage(
        rows in 1u32..9, columns in 2u32..9, seed: u64, rules in rules(),
    ) {
        let mesh = mesh(rows, columns);
        let mut destinations = vec![0; mesh.nodes() as usize];
        random_permutation(seed, 0, &mut destinations);
        let requests = Mesh::permutation(&destinations);
        let mut scheduler = Scheduler::new(mesh.clone());
        scheduler.schedule(&requests, &rules).expect("a problem");
        let ways = scheduler.ways().to_vec();
        let order = scheduler.order(&requests, &rules).expect("an order");
        let bends: &[Bend] = match rules.selection {
            Selection::HorizontalFirst => &[Bend::HorizontalFirst],
            Selection::PathSelection => &[Bend::HorizontalFirst, Bend::VerticalFirst],
            Selection::VerticalFirst => &[Bend::VerticalFirst],
        };
        let mut taken: BTreeMap<Stage, usize> = BTreeMap::new();
        for packet in order.iter().map(|packet| *packet as usize) {
            let request = &requests[packet];
            let way = ways[packet];
            for bend in bends {
                let mut delayed = BTreeSet::new();
                for start in 0..way.start {
                    let tried = stages(&mesh, request, Way { start, bend: *bend });
                    let others: BTreeSet<_> = tried.iter().filter_map(|it| taken.get(it)).collect();
                    prop_assert!(!others.is_empty(), "packet {packet} could leave in step {start}");
                    for other in others {
                        prop_assert!(delayed.insert(*other), "{other} delays {packet} twice");
                    }
                }
            }
            if way.bend == Bend::VerticalFirst && rules.selection == Selection::PathSelection {
                let horizontal = Way { bend: Bend::HorizontalFirst, ..way };
                let tried = stages(&mesh, request, horizontal);
                prop_assert!(tried.iter().any(|it| taken.contains_key(it)));
            }
            for stage in stages(&mesh, request, way) {
                prop_assert!(taken.insert(stage, packet).is_none());
            }
        }
    }
}
