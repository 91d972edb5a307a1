//! Bounds on the age of words, under worst-case traffic.

use crate::common::deflections::any_parameters;
use crate::common::properties::properties;
use crate::deflection::checker::{Seen, check};
use crate::deflection::fixture::{Machine, Traffic, is_whole, machines_of, plain};
use flitwork_router::deflection::{DeflectionParameters, Golden, Priority, Switching};
use flitwork_topology::{Grid, Topology};
use proptest::prelude::*;

/// Every word of a run was delivered within the bound of its router.
fn check_bound(machine: &Machine, seen: &Seen) {
    for (cycles, before) in &seen.under_way {
        let bound = machine.parameters.bound_cycles(machine.extent(), *before);
        let bound = bound.expect("this router has a bound");
        assert!(
            cycles <= &bound,
            "{cycles} cycles, {before} before, of {bound}"
        );
    }
}

fn run(machine: &Machine) -> Seen {
    let shown = plain(machine);
    assert!(is_whole(&shown), "{:?}", shown.outcome);
    check(machine, true, true, &shown.reported)
}

/// Permutations that send everything across, and everything to one node: five rounds of four words at once.
fn adversarial(grid: &Grid, parameters: &DeflectionParameters) -> Vec<Machine> {
    let nodes = grid.nodes();
    let side = grid.sides()[0];
    let tos: [Box<dyn Fn(u32) -> u32>; 5] = [
        Box::new(move |node| nodes - 1 - node),
        Box::new(move |node| node % side * (nodes / side) % nodes + node / side),
        Box::new(move |node| (node + nodes / 2) % nodes),
        Box::new(move |_| 0),
        Box::new(move |node| if node % 2 == 0 { nodes / 2 } else { 0 }),
    ];
    let machine = |to: Box<dyn Fn(u32) -> u32>| {
        let traffic = Traffic::rounds(nodes, 5, 4, to);
        Machine::new(grid.clone(), parameters.clone(), traffic)
    };
    tos.into_iter().map(machine).collect()
}

fn grids() -> Vec<Grid> {
    vec![
        Grid::mesh(&[5, 5]).unwrap(),
        Grid::torus(&[4, 6]).unwrap(),
        Grid::mesh(&[9]).unwrap(),
        Grid::torus(&[3, 3, 3]).unwrap(),
    ]
}

#[test]
fn oldest_first_obeys_its_bound() {
    for grid in grids() {
        for (side_buffer_flits, redirection_cycles) in [(0, 0), (1, 0), (4, 2)] {
            let parameters = DeflectionParameters {
                side_buffer_flits,
                redirection_cycles,
                ..DeflectionParameters::flit_bless()
            };
            for machine in adversarial(&grid, &parameters) {
                check_bound(&machine, &run(&machine));
            }
        }
    }
}

#[test]
fn golden_packets_obey_their_bound() {
    for grid in grids() {
        for side_buffer_flits in [0, 4] {
            let golden = Golden {
                epoch_cycles: 1,
                transactions: 2,
            };
            let mut parameters = DeflectionParameters::minbd(golden);
            parameters.side_buffer_flits = side_buffer_flits;
            let machine = Machine::new(grid.clone(), parameters.clone(), Traffic::Listed(vec![]));
            let epoch_cycles = parameters.home_cycles(machine.extent()) as u32;
            parameters.priority = Priority::Golden(Golden {
                epoch_cycles,
                ..golden
            });
            for machine in adversarial(&grid, &parameters) {
                check_bound(&machine, &run(&machine));
            }
        }
    }
}

/// All routers drain these loads, including those for which that is only probable.
#[test]
fn adversarial_loads_are_delivered() {
    for grid in grids() {
        let mut worms = DeflectionParameters::worm_bless();
        for priority in [Priority::OldestFirst, Priority::Random, Priority::Greedy] {
            worms.priority = priority;
            let mut flits = worms.clone();
            flits.switching = Switching::Flit;
            for parameters in [&worms, &flits] {
                if parameters.check().is_err() {
                    continue;
                }
                let machines = adversarial(&grid, parameters);
                let deflected: u64 = machines.iter().map(|machine| run(machine).deflected).sum();
                assert!(deflected > 0, "{parameters:?} on {grid:?}");
            }
        }
    }
}

fn bounded() -> BoxedStrategy<DeflectionParameters> {
    any_parameters()
        .prop_map(|parameters| DeflectionParameters {
            switching: Switching::Flit,
            priority: Priority::OldestFirst,
            ..parameters
        })
        .boxed()
}

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn oldest_first_obeys_its_bound_everywhere(machine in machines_of(bounded())) {
        check_bound(&machine, &run(&machine));
    }
}
