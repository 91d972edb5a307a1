//! What the search spares the other two is asked of them all the same: each length, of crowded problems.

use super::exact::Question;
use super::flow::{Dual, kinds};
use super::stages::Stages;
use super::{Limits, Model, distance, shortest};
use crate::draws::Draws;
use crate::multistage::Paths;
use crate::{Request, check, makespan};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::collections::BTreeMap;

/// The flow itself: how many packets get through within so many steps, if they may be divided.
fn most_delivered(topology: &impl Topology, requests: &[Request], model: Model, steps: u32) -> f64 {
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let mut room: BTreeMap<_, Vec<(Variable, f64)>> = BTreeMap::new();
    let free = (0.0, f64::INFINITY);
    for kind in kinds(requests) {
        let stages = Stages::new(topology, model.paths, kind, steps);
        let mut balance: Vec<Vec<(Variable, f64)>> = vec![Vec::new(); stages.count()];
        for it in stages.moves() {
            let flow = program.add_var(0.0, free);
            balance[it.from].push((flow, -1.0));
            if let Some(to) = it.to {
                balance[to].push((flow, 1.0));
            }
            for step in it.step..it.step + stages.kind.words {
                let link = room.entry((it.node, Some(it.port), step));
                link.or_default().push((flow, 1.0));
            }
        }
        for (node, step, from, to) in stages.waits() {
            let flow = program.add_var(0.0, free);
            balance[from].push((flow, -1.0));
            balance[to].push((flow, 1.0));
            let place = room.entry((node, None, step));
            place.or_default().push((flow, 1.0));
        }
        for (source, packets) in &stages.kind.sources {
            let states = (0..).map_while(|step| stages.state(*source, step));
            let mut leave = Vec::new();
            for state in states {
                let flow = program.add_var(1.0, free);
                balance[state].push((flow, 1.0));
                leave.push((flow, 1.0));
            }
            program.add_constraint(leave, ComparisonOp::Le, (*packets).into());
        }
        for flows in balance {
            program.add_constraint(flows, ComparisonOp::Eq, 0.0);
        }
    }
    for ((_, port, _), flows) in room {
        let most = if port.is_some() {
            1.0
        } else {
            model.waiting as f64
        };
        program.add_constraint(flows, ComparisonOp::Le, most);
    }
    let solved = program.solve().expect("a flow");
    solved.into_solution().expect("a flow").objective()
}

/// Asks for all lengths from the distance to the shortest; how many of them cuts and the solver prove to be too few.
fn hold(grid: &Grid, requests: &[Request], model: Model) -> [u32; 2] {
    let limits = Limits::default();
    let found = shortest(grid, requests, model, &limits).expect("a problem");
    assert!(found.is_proven());
    let mut proven = [0, 0];
    for steps in distance(grid, requests).expect("a problem")..=found.makespan {
        let moving = requests.iter().filter(|it| it.source != it.destination);
        let missing = moving.count() as f64 - most_delivered(grid, requests, model, steps);
        let cut = Dual::new(grid, requests, model, steps).solve();
        let is_cut = cut.is_some_and(|cut| cut.proves(grid, requests, model));
        assert_eq!(
            is_cut,
            missing > 1e-6,
            "{missing} of {requests:?} in {steps} steps"
        );
        let mut question = Question::new(grid, requests, model, steps, limits.conflicts);
        let is_long_enough = question.clauses.solve().expect("an answer");
        assert_eq!(is_long_enough, steps == found.makespan);
        assert!(!(is_cut && is_long_enough));
        proven[0] += u32::from(is_cut);
        proven[1] += u32::from(!is_long_enough);
        if is_long_enough {
            let plans = question.plans(requests);
            assert_eq!(check(grid, requests, &plans, model.waiting), Ok(()));
            assert_eq!(makespan(requests, &plans), steps);
        }
    }
    proven
}

/// Packets that go at most so far, `packets` of them.
fn crowd(draws: &mut Draws, grid: &Grid, packets: usize, far: u32, words: usize) -> Vec<Request> {
    let mut requests = Vec::new();
    while requests.len() < packets {
        let mut node = || NodeId(draws.below(grid.nodes() as usize) as u32);
        let (source, destination) = (node(), node());
        if grid.distance(source, destination) <= far {
            let words = 1 + draws.below(words) as u32;
            requests.push(Request {
                source,
                destination,
                words,
            });
        }
    }
    requests
}

#[test]
fn crowds_are_held_at_every_length() {
    let mut proven = [0, 0];
    for (seed, (sides, packets, far, words)) in [
        ([3, 2], 8, 3, 1),
        ([3, 2], 6, 2, 3),
        ([3, 3], 16, 2, 1),
        ([3, 3], 8, 4, 2),
        ([4, 4], 40, 2, 1),
        ([4, 4], 16, 3, 2),
    ]
    .into_iter()
    .enumerate()
    {
        let grid = Grid::mesh(&sides).expect("a grid");
        let mut draws = Draws::new(seed as u64);
        for round in 0..24 {
            let requests = crowd(&mut draws, &grid, packets, far, words);
            let paths = [Paths::Shortest, Paths::Any][round % 2];
            let waiting = round / 2 % 3;
            let found = hold(&grid, &requests, Model { waiting, paths });
            proven = [proven[0] + found[0], proven[1] + found[1]];
        }
    }
    // Most that is too short is so for divided packets too, but not all.
    assert!(proven[0] > 50 && proven[1] > proven[0], "{proven:?}");
}
