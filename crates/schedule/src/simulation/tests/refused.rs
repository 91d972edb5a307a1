//! What can't be routed.

use super::*;

const FROM: Place = Place { column: 1, row: 0 };
const UNTIL: Place = Place { column: 4, row: 6 };

#[test]
fn meshes_that_no_network_can_hold() {
    let supernode = Supernode::new(4, 12).unwrap();
    for across in [0, 456, u32::MAX] {
        let made = Simulation::new(supernode, across, Consumption::AfterRound);
        let error = made.unwrap_err();
        assert_eq!(error, SimulationError::Mesh { across, most: 455 });
        assert!(error.to_string().contains("1 to 455"), "{error}");
    }
    // 4096 / 9 = 455.1.
    assert!(Simulation::new(supernode, 455, Consumption::AfterRound).is_ok());
    // 4096 / 1021 = 4.01.
    let large = Supernode::new(4, 510 * 510 - 4).unwrap();
    assert!(Simulation::new(large, 4, Consumption::AfterRound).is_ok());
    assert!(Simulation::new(large, 5, Consumption::AfterRound).is_err());
}

#[test]
fn worms_that_are_not_of_a_round() {
    let sizes = [4, 12, 2];
    let simulation = simulation(sizes, Consumption::AfterRound);
    let to = [Some(3), Some(2), None, Some(0)];
    let good = worms(sizes, &to, FROM, UNTIL);
    assert!(simulation.round(&good).is_ok());
    let refused = |change: &dyn Fn(&mut Vec<Request>)| {
        let mut requests = good.clone();
        change(&mut requests);
        let error = simulation.round(&requests).unwrap_err();
        assert!(!error.to_string().is_empty());
        error
    };
    let node = NodeId(324);
    let error = refused(&|it| it[1].destination = node);
    assert_eq!(error, SimulationError::NoNode { worm: 1, node });
    let error = refused(&|it| it[2].source = NodeId(u32::MAX));
    assert!(matches!(error, SimulationError::NoNode { worm: 2, .. }));
    for words in [0, 3, u32::MAX] {
        let error = refused(&|it| it[0].words = words);
        let needed = 4;
        assert_eq!(
            error,
            SimulationError::Words {
                worm: 0,
                words,
                needed
            }
        );
    }
    for end in 0..2 {
        let error = refused(&|it| match end {
            0 => it[2].source.0 += 1,
            _ => it[2].destination.0 -= 18,
        });
        assert_eq!(error, SimulationError::OtherRound { worm: 2 });
    }
    let error = refused(&|it| it[1].source = it[0].source);
    assert_eq!(error, SimulationError::SharedSource { worms: [0, 1] });
    // What no round has together, several have.
    let mut requests = good.clone();
    requests[1].source = good[0].source;
    requests[2].source.0 += 1;
    let rounds = simulation.partition_into_rounds(&requests).unwrap();
    assert_eq!(rounds, [vec![0], vec![1], vec![2]]);
    assert!(
        simulation
            .partition_into_rounds(&[good[0], requests[1]])
            .is_ok()
    );
    let schedule = schedule(&simulation, &requests);
    let steps = schedule.totals.steps as u32;
    hold(&simulation.mesh(), &requests, &schedule.plans, steps);
    assert_eq!(schedule.totals.rounds, 3);
}

#[test]
fn no_worms_and_worms_that_are_there() {
    let sizes = [4, 12, 2];
    let simulation = simulation(sizes, Consumption::EachSuperstep);
    assert_eq!(simulation.superstep_steps(), 188);
    let none = simulation.round(&[]).unwrap();
    assert_eq!((none.supersteps, none.steps, none.plans.len()), (0, 0, 0));
    assert_eq!(schedule(&simulation, &[]).totals, Totals::default());
    let there = worms(sizes, &[Some(0), Some(1), None, None], FROM, FROM);
    let round = simulation.round(&there).unwrap();
    assert_eq!((round.supersteps, round.steps), (0, 0));
    assert_eq!(round.plans, [Plan::default(), Plan::default()]);
}

/// All of 4 x 4 supernodes send to one in a corner, and none is consumed: by hand, it has all 16 in the end, and more than 8
/// before.
#[test]
fn queues_that_are_too_long() {
    let sizes = [4, 12, 4];
    let to = [Some(0); 16];
    let requests = worms(sizes, &to, FROM, UNTIL);
    let error = simulation(sizes, Consumption::AfterRound)
        .round(&requests)
        .unwrap_err();
    let SimulationError::Queue { longest, most } = error else {
        panic!("{error}");
    };
    assert_eq!(most, 8);
    assert_eq!(longest.supernode, Cell { column: 0, row: 0 });
    assert!((9..16).contains(&longest.packets), "{longest:?}");
    assert!(error.to_string().contains("a queue may have 8"), "{error}");
    // Consumed as they come, there are never so many.
    let simulation = simulation(sizes, Consumption::EachSuperstep);
    let round = simulation.round(&requests).unwrap();
    hold(&simulation.mesh(), &requests, &round.plans, round.steps);
}
