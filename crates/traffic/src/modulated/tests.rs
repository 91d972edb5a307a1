//! Modulated sources against their definition.

use super::*;
use crate::Workload;
use crate::open_loop::tests::{cycles, mean, order_does_not_matter, simple};

fn states(states: &[(f64, f64)]) -> ModulatedParameters {
    let state = |(load, mean_cycles): &(f64, f64)| ModulatedState {
        load: *load,
        mean_cycles: *mean_cycles,
    };
    ModulatedParameters {
        states: states.iter().map(state).collect(),
        ..ModulatedParameters::default()
    }
}

fn traffic(parameters: &ModulatedParameters, until: u32, nodes: u32) -> Modulated {
    Modulated::new(parameters, simple(until, nodes)).unwrap()
}

/// The loads of independent sources: their mean is within five of its standard errors of the expected one.
fn has_load(parameters: &ModulatedParameters, load: f64) {
    let (until, nodes) = (4000, 2000);
    let mut traffic = traffic(parameters, until, nodes);
    assert!(
        (traffic.process.chain.packets_per_cycle() - load).abs() < 1e-12,
        "{parameters:?}"
    );
    let of_node = |node| cycles(&mut traffic, node).len() as f64 / f64::from(until);
    let (found, bound) = mean(&(4..nodes).map(of_node).collect::<Vec<_>>());
    assert!((found - load).abs() < bound, "{found} ± {bound} for {load}");
    // From the first cycles on.
    let early = 50;
    let mut traffic = self::traffic(parameters, early, 10 * nodes);
    let of_node = |node| cycles(&mut traffic, node).len() as f64 / f64::from(early);
    let (found, bound) = mean(&(4..10 * nodes).map(of_node).collect::<Vec<_>>());
    assert!(
        (found - load).abs() < bound,
        "{found} ± {bound} for {load} at first"
    );
}

#[test]
fn the_mean_load_is_that_of_the_shares() {
    // All other states equally likely: each state is visited equally often, so the shares are those of the
    // stays: 1, 2 and 5 eighths.
    let three = states(&[(0.8, 10.0), (0.0, 20.0), (0.04, 50.0)]);
    has_load(&three, 0.8 / 8.0 + 0.04 * 5.0 / 8.0);
    has_load(&states(&[(0.3, 1.0)]), 0.3);
    has_load(&states(&[(1.0, 1.0), (0.0, 3.0)]), 0.25);
    // State 0 is followed by 1 and 2 in the ratio 3 to 1, both are followed by 0: visits 4 : 3 : 1, stays 10,
    // 20 and 40, so times 40 : 60 : 40.
    let transitions = vec![
        vec![0.0, 0.75, 0.25],
        vec![1.0, 0.0, 0.0],
        vec![1.0, 0.0, 0.0],
    ];
    let star = ModulatedParameters {
        transitions: Some(transitions),
        ..states(&[(0.7, 10.0), (0.0, 20.0), (0.14, 40.0)])
    };
    has_load(&star, (0.7 * 40.0 + 0.14 * 40.0) / 140.0);
    let scaled = ModulatedParameters {
        load: Some(0.05),
        ..star
    };
    has_load(&scaled, 0.05);
}

/// State after state by a toss in each cycle: the process as defined, for comparison with drawn stays and
/// gaps.
#[test]
fn drawn_stays_agree_with_tosses_in_each_cycle() {
    let parameters = states(&[(1.0, 4.0), (0.0, 9.0), (0.3, 2.0)]);
    let (until, nodes) = (400, 4000);
    let pairs = |cycles: &[u32]| -> Vec<f64> {
        // How many packets follow another after 1, 2, 3 and 8 cycles.
        let after = |k: u32| move |cycle: &&u32| cycles.binary_search(&(**cycle + k)).is_ok();
        let count = |k| cycles.iter().filter(after(k)).count() as f64;
        [1, 2, 3, 8].map(count).to_vec()
    };
    let mut traffic = traffic(&parameters, until, nodes);
    let drawn: Vec<Vec<f64>> = (4..nodes)
        .map(|node| pairs(&cycles(&mut traffic, node)))
        .collect();
    let mut draws = Draws::new(99, TerminalId(0));
    let mut tossed = Vec::new();
    for _ in 4..nodes {
        // Shares of the states: 4, 9 and 2 fifteenths.
        let mut state = match draws.below(15) {
            0..4 => 0,
            4..13 => 1,
            _ => 2,
        };
        let mut cycles = Vec::new();
        for cycle in 0..until {
            if draws.toss([1.0, 0.0, 0.3][state]) {
                cycles.push(cycle);
            }
            if draws.toss([1.0 / 4.0, 1.0 / 9.0, 1.0 / 2.0][state]) {
                state = (state + 1 + draws.below(2) as usize) % 3;
            }
        }
        tossed.push(pairs(&cycles));
    }
    for k in 0..4 {
        let of = |all: &[Vec<f64>]| mean(&all.iter().map(|pairs| pairs[k]).collect::<Vec<_>>());
        let ((drawn, one), (tossed, other)) = (of(&drawn), of(&tossed));
        assert!(
            (drawn - tossed).abs() < one.hypot(other),
            "{k}: {drawn} and {tossed}"
        );
    }
}

#[test]
fn births_do_not_depend_on_the_order_of_calls() {
    let parameters = states(&[(0.5, 3.0), (0.0, 30.0), (0.01, 10.0)]);
    order_does_not_matter(|| Box::new(traffic(&parameters, 100, 600)), 600);
}

#[test]
fn idle_sources_cost_nothing() {
    // 2^32 cycles in stays of a million: a few thousand steps.
    let rare = states(&[(0.0, 1e6), (1e-9, 1e6)]);
    let mut traffic = traffic(&rare, u32::MAX, 20);
    let packets: usize = (4..20).map(|node| cycles(&mut traffic, node).len()).sum();
    // 16 sources, 2.15 packets expected of each: 34, standard deviation below 6.
    assert!(packets.abs_diff(34) < 30, "{packets}");
    assert!(size_of::<Stay>() <= 12);
}

#[test]
fn nonsense_is_refused() {
    let refused = |parameters: &ModulatedParameters| {
        let refused = Modulated::new(parameters, simple(9, 9)).err();
        refused.expect("a refusal").to_string()
    };
    assert!(refused(&states(&[])).starts_with("states is 0; allowed: 1 to 64"));
    assert!(refused(&states(&[(0.1, 2.0); 65])).starts_with("states is 65;"));
    for load in [-0.1, 1.1, f64::NAN] {
        assert!(refused(&states(&[(load, 2.0)])).starts_with("states.load is"));
    }
    for cycles in [0.0, 0.99, f64::NAN, f64::INFINITY] {
        assert!(refused(&states(&[(0.1, cycles)])).starts_with("states.mean_cycles is"));
    }
    let with = |transitions: &[&[f64]]| ModulatedParameters {
        transitions: Some(transitions.iter().map(|row| row.to_vec()).collect()),
        ..states(&[(0.1, 2.0), (0.2, 2.0), (0.3, 2.0)])
    };
    let (ring, row) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    for (transitions, found) in [
        (vec![&ring[..]], "1 rows"),
        (
            vec![&ring, &row, &[0.5, 0.5]],
            "a matrix whose row 2 has length 2",
        ),
        (
            vec![&ring, &row, &[0.5, 0.4, 0.0]],
            "a matrix whose row 2 has the sum 0.9",
        ),
        (
            vec![&ring, &row, &[0.5, 0.4, 0.1]],
            "0.1 from state 2 to itself",
        ),
        (vec![&ring, &row, &[1.5, -0.5, 0.0]], "1.5"),
        (
            vec![&ring, &row, &ring],
            "a matrix without a path from state 1 to 0",
        ),
        (
            vec![&ring, &[1.0, 0.0, 0.0], &ring],
            "a matrix without a path from state 0 to 2",
        ),
    ] {
        let message = refused(&with(&transitions));
        assert!(
            message.starts_with(&format!("transitions is {found};")),
            "{message}"
        );
    }
    let scaled = |load| ModulatedParameters {
        load: Some(load),
        ..states(&[(0.5, 1.0), (0.0, 3.0)])
    };
    assert!(refused(&scaled(0.251)).starts_with("load is 0.251; allowed: a number from 0 to 0.25"));
    assert!(refused(&scaled(f64::NAN)).starts_with("load is NaN"));
    assert!(traffic(&scaled(0.0), 1000, 9).sources().is_empty());
    let exact = traffic(&scaled(0.25), 1000, 9);
    assert_eq!(exact.process.chain.packets_per_cycle(), 0.25);
    let idle = ModulatedParameters {
        load: Some(0.1),
        ..states(&[(0.0, 1.0)])
    };
    assert!(refused(&idle).starts_with("load is 0.1; allowed: a number from 0 to 0"));
}
