//! Draws against their generator: SplitMix64 (Steele, Lea and Flood 2014), whose published first outputs from
//! seed 1234567 are those of its reference implementation.

use flitwork_node::{draw, draw_below, mix};
use flitwork_types::{Cycle, NodeId};

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The reference implementation's test vector: the state grows by gamma, and each output is the state mixed.
#[test]
fn the_mixer_is_splitmix64s() {
    let state = |step: u64| 1_234_567_u64.wrapping_add(step.wrapping_mul(GAMMA));
    let outputs: Vec<u64> = (1..=5).map(|step| mix(state(step))).collect();
    let published = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(outputs, published);
}

/// Seed, node, cycle and number each change the draw, even if only their sums are equal.
#[test]
fn every_key_has_a_draw_of_its_own() {
    let mut draws = Vec::new();
    for seed in 0..6 {
        for node in 0..6 {
            for cycle in 0..6 {
                for index in 0..6 {
                    draws.push(draw(seed, NodeId(node), Cycle(cycle), index));
                }
            }
        }
    }
    let all = draws.len();
    draws.sort_unstable();
    draws.dedup();
    assert_eq!(draws.len(), all);
}

/// A draw below a bound is the draw's position among that many equal parts; the upper 32 bits of the draw
/// count.
#[test]
fn a_draw_below_a_bound_is_in_proportion() {
    for bound in [1, 2, 3, 7, 1 << 20, u32::MAX] {
        for cycle in 0..200 {
            let whole = draw(5, NodeId(9), Cycle(cycle), 3);
            let found = draw_below(bound, 5, NodeId(9), Cycle(cycle), 3);
            let parts = f64::from(bound);
            let place = (whole >> 32) as f64 / 2f64.powi(32) * parts;
            assert!(found < bound);
            assert_eq!(f64::from(found), place.floor(), "of {bound} parts");
        }
    }
}
