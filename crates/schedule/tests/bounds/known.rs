//! Permutations that the multistage method is known to miss.

use crate::{grid, models, request};
use flitwork_schedule::bounds::{Cut, Limits, Model, Shortest, distance, fractional, shortest};
use flitwork_schedule::multistage::{Mesh, Paths};
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

/// How many packets may wait in a node enters the bound, by hand, on two rows of 20 nodes in 9 steps.
///
/// In each row four or three packets must leave node 8 in the first steps, since packets from the west, of distances 9, 8 and so
/// on, need its link to node 9 in all later ones. And they are held up farther on by packets of distances 9, 8 and so on, which
/// need the link there in the first steps. In row 0 they wait in node 9, whose link to the east is free from step 6 on: in steps
/// 3 to 5 all three are there, so 9 steps are enough if 3 may wait, and not if 2 may. In row 1 it is the link from node 10 that
/// is free from step 5 on: in step 4 four packets are in nodes 9 and 10, of which one may be on its way from one to the other, so
/// that row is content with 2 in each.
#[test]
fn two_that_may_wait_arent_three() {
    let (width, steps) = (20, 9);
    let grid = grid(2, width);
    let row = |y: u32, blocked: u32, held_up: u32, free_from: u32| {
        let node = move |x: u32| y * width + x;
        let from_west = (held_up..steps).map(move |step| request(node(9 - (step + 1)), node(9), 1));
        let ahead =
            (0..free_from).map(move |step| request(node(blocked), node(blocked + steps - step), 1));
        let held = (0..held_up).map(move |_| request(node(8), node(blocked + 1), 1));
        from_west.chain(ahead).chain(held)
    };
    let requests: Vec<_> = row(0, 9, 3, 6).chain(row(1, 10, 4, 5)).collect();
    assert_eq!(distance(&grid, &requests), Ok(steps));
    let of = |waiting| {
        let paths = Paths::Shortest;
        let model = Model { waiting, paths };
        fractional(&grid, &requests, model, &Limits::default()).expect("a problem")
    };
    assert_eq!(of(3).steps, steps);
    assert!(of(2).steps > steps);
    let one_row: Vec<_> = row(1, 10, 4, 5).collect();
    let model = |waiting| Model {
        waiting,
        paths: Paths::Shortest,
    };
    let bound = |waiting| {
        let bound = fractional(&grid, &one_row, model(waiting), &Limits::default());
        bound.expect("a problem").steps
    };
    assert_eq!(bound(2), steps);
    assert!(bound(1) > steps);
}
