//! The product method keeps its bound, and nobody waits but one in a node.

use crate::{mesh, permutation, request};
use flitwork_schedule::bounds::{BoundError, product, product_bound};
use flitwork_schedule::multistage::Mesh;
use flitwork_schedule::{Clash, Request, check, makespan};
use flitwork_types::NodeId;
use proptest::prelude::*;

fn hold(mesh: &Mesh, requests: &[Request]) -> u32 {
    let found = product(mesh, requests).expect("a permutation");
    assert_eq!(check(mesh.grid(), requests, &found.plans, 1), Ok(()));
    let steps = makespan(requests, &found.plans);
    assert!(steps <= found.phases.iter().sum());
    let (long, short) = (
        mesh.columns().max(mesh.rows()),
        mesh.columns().min(mesh.rows()),
    );
    assert_eq!(product_bound(mesh), long + 2 * short - 3);
    let most = [short - 1, long - 1, short - 1];
    assert!(
        found
            .phases
            .iter()
            .zip(most)
            .all(|(steps, most)| *steps <= most)
    );
    steps
}

/// Calls a function with all orders of a list (Heap 1963).
fn every(list: &mut Vec<u32>, first: usize, each: &mut dyn FnMut(&[u32])) {
    if first == list.len() {
        return each(list);
    }
    for other in first..list.len() {
        list.swap(first, other);
        every(list, first + 1, each);
        list.swap(first, other);
    }
}

fn hold_every(rows: u32, columns: u32) {
    let mesh = mesh(rows, columns);
    let mut destinations: Vec<u32> = (0..mesh.nodes()).collect();
    every(&mut destinations, 0, &mut |destinations| {
        hold(&mesh, &Mesh::permutation(destinations));
    });
}

#[test]
fn every_permutation_of_small_meshes() {
    for (rows, columns) in [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2)] {
        hold_every(rows, columns);
    }
}

#[test]
fn every_permutation_of_3_x_3() {
    hold_every(3, 3);
}

/// A transposition goes the longest ways of all phases: no fewer steps than its distance.
#[test]
fn a_large_mesh() {
    let mesh = mesh(64, 64);
    let transposed = |node: u32| node % 64 * 64 + node / 64;
    let requests: Vec<_> = (0..64 * 64)
        .map(|node| request(node, transposed(node), 1))
        .collect();
    assert!(hold(&mesh, &requests) >= 126);
}

/// A packet that has come in the first phase waits for the third.
#[test]
fn one_place_to_wait_is_needed() {
    let mesh = mesh(2, 3);
    let mut needed = 0;
    every(&mut vec![0, 1, 2, 3, 4, 5], 0, &mut |destinations| {
        let requests = Mesh::permutation(destinations);
        let found = product(&mesh, &requests).expect("a permutation");
        match check(mesh.grid(), &requests, &found.plans, 0) {
            Ok(()) => {}
            Err(Clash::Waiting { packets: 1, .. }) => needed += 1,
            Err(clash) => panic!("{clash}"),
        }
    });
    assert!(needed > 0);
}

#[test]
fn what_is_no_permutation_is_refused() {
    let mesh = mesh(2, 3);
    let failed = |requests: &[Request]| product(&mesh, requests).unwrap_err();
    let shared = |node| BoundError::Shared {
        packets: [0, 1],
        node: NodeId(node),
    };
    assert_eq!(failed(&[request(0, 1, 1), request(0, 2, 1)]), shared(0));
    assert_eq!(failed(&[request(0, 2, 1), request(1, 2, 1)]), shared(2));
    let worm = BoundError::Words {
        packet: 0,
        words: 2,
    };
    assert_eq!(failed(&[request(0, 1, 2)]), worm);
    let node = BoundError::Node {
        packet: 0,
        node: NodeId(6),
    };
    assert_eq!(failed(&[request(0, 6, 1)]), node);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn parts_of_random_permutations(
        (rows, columns, requests) in (1u32..13, 2u32..13).prop_flat_map(|(rows, columns)| {
            (Just(rows), Just(columns), permutation(rows * columns))
        }),
        part in 0..144usize,
    ) {
        hold(&mesh(rows, columns), &requests);
        let some = requests.into_iter().skip(part);
        hold(&mesh(rows, columns), &some.collect::<Vec<_>>());
    }
}
