//! Plans are held to the checker, and the fast form to the plain one.

use crate::{mesh, packets, rules};
use flitwork_schedule::multistage::count::random_permutation;
use flitwork_schedule::multistage::{
    MAX_WORDS, Mesh, MeshError, ProblemError, Rules, Scheduler, Selection,
};
use flitwork_schedule::{Request, check, makespan};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use proptest::prelude::*;

/// Schedules packets by both forms, and holds plans to the checker.
fn hold(
    schedulers: &mut [Scheduler; 2],
    requests: &[Request],
    rules: &Rules,
) -> Result<(), TestCaseError> {
    let [fast, plain] = schedulers;
    let summary = fast.schedule(requests, rules).expect("a problem");
    prop_assert_eq!(plain.schedule(requests, rules), Ok(summary));
    prop_assert_eq!(fast.ways(), plain.ways());
    let plans = fast.plans(requests);
    prop_assert_eq!(check(fast.mesh().grid(), requests, &plans, 0), Ok(()));
    prop_assert_eq!(summary.makespan, makespan(requests, &plans));
    let grid = fast.mesh().grid();
    let moving = requests.iter().filter(|it| it.source != it.destination);
    let alone = moving.map(|it| grid.distance(it.source, it.destination) + it.words - 1);
    prop_assert_eq!(summary.distance, alone.max().unwrap_or(0));
    let starts = plans.iter().filter_map(|plan| plan.hops.first());
    let latest = starts.map(|hop| hop.step).max();
    prop_assert_eq!(summary.latest_start, latest.unwrap_or(0));
    Ok(())
}

fn both(mesh: &Mesh) -> [Scheduler; 2] {
    [
        Scheduler::new(mesh.clone()),
        Scheduler::with_intervals(mesh.clone()),
    ]
}

fn problem() -> impl Strategy<Value = (Mesh, Vec<Vec<Request>>)> {
    let short = (1u32..7, 2u32..7);
    let long = (1u32..3, 40u32..=64);
    let sides = prop_oneof![3 => short, 1 => long.clone(), 1 => long.prop_map(|(x, y)| (y, x))];
    sides.prop_flat_map(|(rows, columns)| {
        let mesh = mesh(rows, columns);
        let problems = prop::collection::vec(packets(mesh.nodes(), 4), 3);
        (Just(mesh), problems)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any pattern of worms, one problem after the other.
    #[test]
    fn bits_and_intervals_make_the_same_plans(
        (mesh, problems) in problem(), rules in prop::collection::vec(rules(), 3),
    ) {
        let mut schedulers = both(&mesh);
        for (requests, rules) in problems.iter().zip(&rules) {
            hold(&mut schedulers, requests, rules)?;
        }
    }
}

#[test]
fn permutations_of_long_lines_pass_the_checker() {
    for (rows, columns) in [(64, 64), (63, 20), (65, 3), (1, 200), (90, 90)] {
        let mesh = mesh(rows, columns);
        let mut destinations = vec![0; mesh.nodes() as usize];
        random_permutation(3, 0, &mut destinations);
        let requests = Mesh::permutation(&destinations);
        for (_, selection) in Selection::ALL {
            let rules = Rules {
                selection: *selection,
                ..Rules::default()
            };
            hold(&mut both(&mesh), &requests, &rules).expect("the same");
        }
    }
}

/// All go to one node, so that tables have to grow: a link a step.
#[test]
fn tables_grow_on_demand() {
    let mesh = mesh(3, 60);
    let requests: Vec<_> = (0..mesh.nodes())
        .map(|node| Request {
            source: NodeId(node),
            destination: NodeId(0),
            words: 2,
        })
        .collect();
    let mut schedulers = both(&mesh);
    hold(&mut schedulers, &requests, &Rules::default()).expect("the same");
    let [fast, _] = schedulers;
    let latest = fast.ways().iter().map(|way| way.start).max();
    assert!(latest > Some(100), "{latest:?}");
}

#[test]
fn what_is_no_problem_is_refused() {
    let torus = Grid::torus(&[3, 3]).expect("a grid");
    assert_eq!(Mesh::new(&torus).unwrap_err(), MeshError::Wraps);
    let cube = Grid::mesh(&[2, 2, 2]).expect("a grid");
    assert_eq!(Mesh::new(&cube).unwrap_err(), MeshError::Dimensions(3));
    let line = Grid::mesh(&[100_000, 1]).expect("a grid");
    assert_eq!(Mesh::new(&line).unwrap_err(), MeshError::Side(100_000));
    let mut scheduler = Scheduler::new(mesh(2, 2));
    let mut refused = |source, destination, words| {
        let request = Request {
            source: NodeId(source),
            destination: NodeId(destination),
            words,
        };
        scheduler
            .schedule(&[request], &Rules::default())
            .unwrap_err()
    };
    let node = NodeId(4);
    assert_eq!(refused(4, 0, 1), ProblemError::Node { packet: 0, node });
    assert_eq!(refused(0, 4, 1), ProblemError::Node { packet: 0, node });
    for words in [0, MAX_WORDS + 1] {
        assert_eq!(
            refused(0, 1, words),
            ProblemError::Words { packet: 0, words }
        );
    }
}
