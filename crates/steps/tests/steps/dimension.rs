//! Section 2.4.5: dimension order, blind, farthest-first and nearest-first.

use crate::hold;
use flitwork_steps::lower::{
    Corner, DimensionClass, DimensionConstants, LowerError, construct_adaptive,
    construct_dimension, construct_farthest, construct_nearest,
};
use flitwork_steps::rules::{
    DimensionOrder, FarthestFirst, Fifo, Fixed, GreedyAdaptive, Lifo, NearestFirst, Random,
    RoundRobin, StraightFirst,
};

/// By hand: n = 240, k = 1: cn = 40, dn = 120, p = 2 40 + 120 = 200, l = 200 40 / 200 = 40. Farthest-first, n = 120, k = 1:
/// cn = 15, dn = 60, p = 3 15 + 60 = 105, l = 120 15 / 105 = 17.
#[test]
fn constants_are_those_of_the_section() {
    let bound = |class, n, k| {
        DimensionConstants::new(class, n, k, 1)
            .unwrap()
            .bound_steps()
    };
    assert_eq!(bound(DimensionClass::Blind, 240, 1), 4800);
    assert_eq!(bound(DimensionClass::Blind, 240, 4), 2400);
    assert_eq!(bound(DimensionClass::FarthestFirst, 120, 1), 1020);
    assert_eq!(bound(DimensionClass::NearestFirst, 120, 1), 1200);
    let refused = |class, n, k, h| DimensionConstants::new(class, n, k, h).unwrap_err();
    let blind = DimensionClass::Blind;
    assert_eq!(refused(blind, 60, 0, 1), LowerError::NoQueue);
    let most = |error| matches!(error, LowerError::PerNode { most: 2, .. });
    assert!(most(refused(blind, 60, 2, 3)) && most(refused(blind, 60, 2, 0)));
    let LowerError::TooSmall {
        least: Some(least), ..
    } = refused(blind, 2, 1, 1)
    else {
        panic!("a class in a mesh of side 2");
    };
    assert!(DimensionConstants::new(blind, least, 1, 1).is_ok());
    assert!(DimensionConstants::new(blind, least - 1, 1, 1).is_err());
}

/// Whatever the side, the queue and the packets a node: the classes fit into the rows, and their destinations beyond them.
#[test]
fn classes_fit() {
    let classes = [
        DimensionClass::Blind,
        DimensionClass::NearestFirst,
        DimensionClass::FarthestFirst,
    ];
    for class in classes {
        for (n, k, h) in
            (1..600).flat_map(|n| (1..8).flat_map(move |k| (1..8).map(move |h| (n, k, h))))
        {
            let Ok(it) = DimensionConstants::new(class, n, k, h) else {
                continue;
            };
            let columns = if class == DimensionClass::FarthestFirst {
                n
            } else {
                n - it.rows
            };
            assert!(it.per_class * it.classes <= h * columns * it.rows, "{it:?}");
            assert!(it.per_class.div_ceil(h) <= n - it.rows, "{it:?}");
            assert!(
                it.classes
                    <= if class == DimensionClass::FarthestFirst {
                        n
                    } else {
                        it.rows
                    },
                "{it:?}"
            );
        }
        let error = |n, k| DimensionConstants::new(class, n, k, 1).unwrap_err();
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
    }
}

#[test]
fn every_blind_rule_takes_its_bound() {
    let fifo = DimensionOrder::<Fifo, RoundRobin>::default();
    let lifo = DimensionOrder::<Lifo, Fixed>::default();
    let straight = DimensionOrder::<StraightFirst, Fixed>::default();
    for corner in Corner::ALL {
        for (n, k, h) in [(60, 1, 1), (61, 2, 1), (64, 2, 2), (63, 3, 2)] {
            let made = construct_dimension(n, k, h, corner, &fifo, &mut |_| true).unwrap();
            hold(n, k, &fifo, &made);
            let made = construct_dimension(n, k, h, corner, &lifo, &mut |_| true).unwrap();
            hold(n, k, &lifo, &made);
            let made = construct_dimension(n, k, h, corner, &straight, &mut |_| true).unwrap();
            hold(n, k, &straight, &made);
            let order = Random {
                seed: u64::from(n + k),
            };
            let random = DimensionOrder {
                order,
                inqueue: RoundRobin,
            };
            let made = construct_dimension(n, k, h, corner, &random, &mut |_| true).unwrap();
            hold(n, k, &random, &made);
        }
    }
}

#[test]
fn rules_that_see_distances_take_their_bounds() {
    let farthest = DimensionOrder::<FarthestFirst, RoundRobin>::default();
    let nearest = DimensionOrder::<NearestFirst, RoundRobin>::default();
    for corner in Corner::ALL {
        for (n, k) in [(60, 1), (63, 2), (120, 1)] {
            let made = construct_farthest(n, k, corner, &farthest, &mut |_| true).unwrap();
            hold(n, k, &farthest, &made);
            let made = construct_nearest(n, k, corner, &nearest, &mut |_| true).unwrap();
            hold(n, k, &nearest, &made);
        }
    }
}

/// A rule that isn't of the class is refused, in the step in which that shows.
#[test]
fn other_rules_are_refused() {
    let greedy = GreedyAdaptive::<Fixed>::default();
    let error =
        construct_dimension(60, 1, 1, Corner::SouthWest, &greedy, &mut |_| true).unwrap_err();
    assert!(matches!(error, LowerError::Outside { .. }), "{error}");
    // But dimension order is minimal too.
    let fifo = DimensionOrder::<Fifo, RoundRobin>::default();
    let constants = flitwork_steps::lower::AdaptiveConstants::new(120, 1).unwrap();
    assert!(construct_adaptive(&constants, Corner::SouthWest, &fifo, &mut |_| true).is_ok());
}
