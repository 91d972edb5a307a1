//! Schedules against their phases.

use super::*;
use crate::open_loop::tests::{cycles, order_does_not_matter};
use crate::{HotSpotParameters, ManyToOneParameters, Offer, Workload};
use flitwork_topology::Grid;

fn hot(node: u32) -> AnyPattern {
    let hot = HotSpotParameters {
        hot_nodes: Some(vec![TerminalId(node)]),
        hot_fraction: Some(1.0),
    };
    hot.into()
}

fn to(node: u32) -> AnyPattern {
    let to = ManyToOneParameters {
        destination: Some(TerminalId(node)),
        sources: None,
    };
    to.into()
}

fn schedule(phases: &[(u32, AnyPattern, f64)], repeat: Option<u32>) -> PhasesParameters {
    let phase = |(from_cycle, pattern, load): &(u32, AnyPattern, f64)| PhaseParameters {
        from_cycle: *from_cycle,
        pattern: pattern.clone(),
        load: *load,
    };
    PhasesParameters {
        phases: phases.iter().map(phase).collect(),
        repeat_cycles: repeat,
    }
}

fn built(parameters: &PhasesParameters, until: u32) -> Result<Phases, PhaseError> {
    let grid = Grid::mesh(&[20, 15]).unwrap();
    Phases::new(parameters, &grid, Lengths::fixed(2), Cycle(until), 5)
}

#[test]
fn each_phase_has_its_load_and_its_pattern() {
    let parameters = schedule(
        &[(0, hot(7), 0.2), (1000, hot(9), 0.0), (1500, to(9), 0.5)],
        Some(2000),
    );
    let mut phases = built(&parameters, 7100).unwrap();
    let mut packets = [0f64; 3];
    for source in (0..300).filter(|source| ![7, 9].contains(source)) {
        while let Offer::Packet(birth) = phases.next(TerminalId(source), Cycle::ZERO) {
            let (phase, destination) = match birth.created.get() % 2000 {
                0..1000 => (0, 7),
                1000..1500 => (1, 9),
                _ => (2, 9),
            };
            assert_eq!(
                (birth.destination, birth.words),
                (TerminalId(destination), 2)
            );
            packets[phase] += 1.0;
        }
    }
    // 298 sources; phase 0 has 4,000 cycles at 0.1 packets, phase 2 has 1,500 at 0.25. Binomial.
    for (phase, cycles, rate) in [(0, 4000.0, 0.1), (1, 1600.0, 0.0), (2, 1500.0, 0.25)] {
        let tosses: f64 = 298.0 * cycles;
        let bound = 5.0 * (tosses * rate * (1.0 - rate)).sqrt();
        assert!(
            (packets[phase] - tosses * rate).abs() <= bound,
            "{phase}: {packets:?}"
        );
    }
    assert!(
        cycles(&mut phases, 9)
            .iter()
            .all(|cycle| cycle % 2000 < 1000)
    );
}

#[test]
fn the_first_and_the_last_cycle_of_a_phase_are_its_own() {
    // With one packet per cycle nothing is left to chance.
    let parameters = schedule(
        &[(0, to(0), 0.0), (5, to(1), 2.0), (9, to(2), 0.0)],
        Some(12),
    );
    let mut phases = built(&parameters, 40).unwrap();
    let law: Vec<u32> = (0..40)
        .filter(|cycle| (5..9).contains(&(cycle % 12)))
        .collect();
    assert_eq!(cycles(&mut phases, 4), law);
    assert!(cycles(&mut phases, 1).is_empty());
    assert!(!phases.sources().contains(&TerminalId(1)));
    let mut once = built(&schedule(&[(0, to(0), 0.0), (5, to(1), 2.0)], None), 40).unwrap();
    assert_eq!(cycles(&mut once, 4), (5..40).collect::<Vec<_>>());
}

/// A source has state from its first draw on: one without packets in every phase draws nothing, however long
/// the schedule; nor does one that is silent in the pattern of the only phase with a load.
#[test]
fn a_source_that_never_sends_draws_nothing() {
    let silent = schedule(&[(0, to(4), 0.5), (5, hot(1), 0.0)], Some(9));
    let mut phases = built(&silent, 40).unwrap();
    assert_eq!(phases.next(TerminalId(4), Cycle::ZERO), Offer::Never);
    assert_eq!(phases.blocks(), 0);
    assert!(phases.next(TerminalId(5), Cycle::ZERO).packet().is_some());
    assert_eq!(phases.blocks(), 1);
}

#[test]
fn one_phase_is_bernoulli_traffic() {
    let mut phases = built(&schedule(&[(0, hot(7), 0.3)], None), 5000).unwrap();
    let grid = Grid::mesh(&[20, 15]).unwrap();
    let pattern = hot(7).build(&grid, 0).unwrap();
    let mut bernoulli = crate::Bernoulli::new(pattern, 0.15, Cycle(5000), 5, 300)
        .unwrap()
        .of_words(2);
    loop {
        let next = phases.next(TerminalId(8), Cycle::ZERO);
        assert_eq!(next, bernoulli.next(TerminalId(8), Cycle::ZERO));
        if next == Offer::Never {
            break;
        }
    }
}

#[test]
fn births_do_not_depend_on_the_order_of_calls() {
    let parameters = schedule(
        &[(0, hot(7), 0.2), (30, to(9), 0.04), (50, hot(2), 0.0)],
        Some(60),
    );
    order_does_not_matter(|| Box::new(built(&parameters, 130).unwrap()), 300);
}

#[test]
fn the_last_cycles_of_a_run_overflow_nothing() {
    let late = schedule(
        &[(0, to(0), 0.0), (u32::MAX - 2, to(1), 2.0)],
        Some(u32::MAX - 1),
    );
    assert_eq!(
        cycles(&mut built(&late, u32::MAX).unwrap(), 5),
        [u32::MAX - 2]
    );
}

#[test]
fn nonsense_is_refused() {
    let refused = |phases: &[_], repeat| {
        let refused = built(&schedule(phases, repeat), 9).err();
        refused.expect("a refusal").to_string()
    };
    assert!(refused(&[], None).starts_with("phases is an empty list"));
    let message = refused(&[(3, hot(1), 0.1)], None);
    assert_eq!(
        message,
        "phase 0: from_cycle is 3; allowed: 0 for the first phase"
    );
    let message = refused(
        &[(0, hot(1), 0.1), (8, hot(1), 0.1), (8, hot(1), 0.1)],
        None,
    );
    let allowed = "allowed: cycles after the start of the phase before, from 9";
    assert_eq!(message, format!("phase 2: from_cycle is 8; {allowed}"));
    let message = refused(&[(0, hot(300), 0.1)], None);
    assert!(
        message.starts_with("phase 0: hot_nodes names node 300"),
        "{message}"
    );
    for load in [-0.1, 2.1, f64::NAN] {
        let message = refused(&[(0, hot(1), load)], None);
        assert!(message.starts_with("phase 0: load is "), "{message}");
    }
    let message = refused(&[(0, hot(1), 0.1), (8, hot(1), 0.1)], Some(8));
    assert!(
        message.starts_with("repeat_cycles is 8; allowed: cycles after"),
        "{message}"
    );
    assert!(refused(&[(0, hot(1), 0.1)], Some(0)).starts_with("repeat_cycles is 0;"));
}
