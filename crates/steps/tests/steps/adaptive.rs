//! Section 2.3: every blind minimal rule takes its bound, and repeats without exchanges what it did with them.

use crate::central;
use flitwork_steps::lower::{Corner, LowerError, construct_adaptive};
use flitwork_steps::rules::{
    Alternating, DimensionOrder, Fifo, Fixed, GreedyAdaptive, Lifo, Random, RoundRobin,
    StraightFirst,
};
use flitwork_steps::{Blind, Rule};

/// From Theorem 2.13 by hand: for n = 120 and k = 1, cn = 20, dn = 48, p = 2 (20 + 3 1/3) + 48 = 94, l = 400 / 188 = 2.
#[test]
fn constants_are_those_of_the_section() {
    let bound = |n, k| central(n, k).unwrap().bound_steps();
    let bounds = [120, 240, 480, 960].map(|n| bound(n, 1));
    assert_eq!(bounds, [96, 384, 1536, 6144]);
    assert_eq!(central(120, 1).unwrap().per_class, 94);
    assert_eq!(central(120, 0), Err(LowerError::NoQueue));
    let Err(LowerError::TooSmall {
        least: Some(least), ..
    }) = central(5, 1)
    else {
        panic!("a class in a mesh of side 5");
    };
    assert!(central(least, 1).is_ok());
    assert!((2..least).all(|n| central(n, 1).is_err()));
}

/// Whatever the side and the queue: the classes fit into the corner, and their destinations into the mesh. Sides and queues
/// for which there is no mesh are refused.
#[test]
fn classes_fit() {
    for k in 1..12 {
        for n in 1..1200 {
            let Ok(it) = central(n, k) else {
                continue;
            };
            assert!(
                2 * it.per_class * it.classes <= it.corner * it.corner,
                "{it:?}"
            );
            assert!(it.per_class >= 2 * it.corner, "{it:?}");
            assert!(it.corner - 1 + it.classes + it.per_class <= n, "{it:?}");
        }
    }
    let error = |n, k| central(n, k).unwrap_err();
    assert_eq!(
        error(4097, 1),
        LowerError::TooLarge {
            side: 4097,
            most: 4096
        }
    );
    assert_eq!(
        error(4096, u32::MAX),
        LowerError::TooSmall {
            side: 4096,
            least: None
        }
    );
    assert_eq!(
        error(0, 1000),
        LowerError::TooSmall {
            side: 0,
            least: None
        }
    );
}

/// The bound is more than the distance from these sides on.
#[test]
fn the_bound_beats_the_distance() {
    for (k, from) in [(1, 342), (2, 640), (4, 1475)] {
        let beats = |n| central(n, k).is_ok_and(|it| it.bound_steps() > 2 * n - 2);
        assert!(!beats(from - 1) && beats(from), "{k}");
    }
}

fn hold<R: Rule<Sight = Blind>>(n: u32, k: u32, corner: Corner, rule: &R) {
    let constants = central(n, k).unwrap();
    let made = construct_adaptive(&constants, corner, rule, &mut |_| true);
    let made = made.unwrap_or_else(|error| panic!("{rule:?}: {error}"));
    crate::hold(n, k, rule, &made);
}

#[test]
fn every_rule_takes_its_bound() {
    for corner in Corner::ALL {
        hold(120, 1, corner, &GreedyAdaptive::<Fixed>::default());
        hold(120, 1, corner, &GreedyAdaptive::<RoundRobin>::default());
        hold(120, 1, corner, &Alternating::<Fixed>::default());
        hold(120, 1, corner, &Alternating::<RoundRobin>::default());
        hold(
            120,
            1,
            corner,
            &DimensionOrder::<Fifo, RoundRobin>::default(),
        );
        hold(160, 2, corner, &DimensionOrder::<Lifo, Fixed>::default());
        hold(
            160,
            2,
            corner,
            &DimensionOrder::<StraightFirst, Fixed>::default(),
        );
        let order = Random { seed: 7 };
        let inqueue = RoundRobin;
        hold(160, 2, corner, &DimensionOrder { order, inqueue });
    }
}

/// A construction that is to stop stops before its bound, and so does its repetition.
#[test]
fn a_construction_can_be_stopped() {
    let constants = central(120, 1).unwrap();
    let rule = GreedyAdaptive::<Fixed>::default();
    for most in [0, 40] {
        let mut asked = Vec::new();
        let mut go_on = |steps: u32| {
            asked.push(steps);
            steps < most
        };
        let stopped = construct_adaptive(&constants, Corner::SouthWest, &rule, &mut go_on);
        assert_eq!(stopped, Err(LowerError::Stopped));
        let last = asked.last().copied();
        assert!(
            last.is_some_and(|last| (most..most + 32).contains(&last)),
            "{asked:?}"
        );
    }
}
