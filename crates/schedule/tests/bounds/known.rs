//! Permutations that the multistage method is known to miss.

use crate::{grid, models, request};
use flitwork_schedule::bounds::{Cut, Limits, Model, Shortest, distance, fractional, shortest};
use flitwork_schedule::multistage::Mesh;
use flitwork_schedule::{Request, check, makespan};
use flitwork_topology::Grid;

fn proven(grid: &Grid, requests: &[Request], model: Model) -> Shortest {
    let found = shortest(grid, requests, model, &Limits::default()).expect("a problem");
    assert!(found.is_proven(), "{model:?}");
    assert_eq!(check(grid, requests, &found.plans, model.waiting), Ok(()));
    assert_eq!(makespan(requests, &found.plans), found.makespan);
    found
}

/// Nobody's distance is more than 3, but without waiting on shortest paths it takes 4 steps, also for packets that may be
/// divided.
#[test]
fn on_4_x_4_the_distance_takes_waiting() {
    let grid = grid(4, 4);
    let destinations = [1, 13, 14, 0, 7, 10, 9, 3, 11, 6, 8, 15, 4, 5, 2, 12];
    let requests = Mesh::permutation(&destinations);
    assert_eq!(distance(&grid, &requests), Ok(3));
    let steps = models().map(|model| proven(&grid, &requests, model).makespan);
    assert_eq!(steps, [4, 3, 4, 3]);
    let bound = models().map(|model| {
        let bound = fractional(&grid, &requests, model, &Limits::default()).expect("a problem");
        let proves = |cut: &Cut| cut.proves(&grid, &requests, model);
        assert_eq!(bound.cut.as_ref().is_some_and(proves), bound.steps > 3);
        bound.steps
    });
    assert_eq!(bound, [4, 3, 4, 3]);
}

/// Under every tie order the multistage method takes a step more than the distance, which can be reached all the same.
#[test]
fn on_3_x_4_the_distance_is_reached() {
    let grid = grid(3, 4);
    let requests = Mesh::permutation(&[3, 6, 9, 10, 7, 2, 11, 4, 8, 0, 1, 5]);
    assert_eq!(distance(&grid, &requests), Ok(3));
    for model in models() {
        assert_eq!(proven(&grid, &requests, model).makespan, 3, "{model:?}");
    }
}

/// 15 packets to a corner, which has 2 links: the 15th arrives in the 8th step, though the longest distance is 6.
#[test]
fn a_corner_takes_two_packets_a_step() {
    let grid = grid(4, 4);
    let requests: Vec<_> = (0..15).map(|node| request(node, 15, 1)).collect();
    for model in models() {
        let bound = fractional(&grid, &requests, model, &Limits::default()).expect("a problem");
        assert_eq!(bound.steps, 8);
        assert_eq!(proven(&grid, &requests, model).makespan, 8);
    }
}

/// The fractional bound isn't always reached: worms of 2 x 2 that could be divided would take a step less.
#[test]
fn divided_worms_are_faster() {
    let grid = grid(2, 2);
    let worms = [(0, 3, 3), (3, 0, 3), (0, 3, 2), (1, 2, 3), (2, 1, 2)];
    let requests = worms.map(|(from, to, words)| request(from, to, words));
    assert_eq!(distance(&grid, &requests), Ok(4));
    let model = Model::default();
    let bound = fractional(&grid, &requests, model, &Limits::default()).expect("a problem");
    assert_eq!(bound.steps, 5);
    assert_eq!(proven(&grid, &requests, model).makespan, 6);
}
