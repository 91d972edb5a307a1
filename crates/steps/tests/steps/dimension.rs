//! Section 2.4.5: dimension order, blind, farthest-first and nearest-first.

use crate::{central, hold, hold_on};
use flitwork_steps::lower::{
    Constructed, Corner, DimensionClass, DimensionConstants, LowerError, construct_adaptive,
    construct_dimension,
};
use flitwork_steps::rules::{
    DimensionOrder, FarthestFirst, Fifo, Fixed, GreedyAdaptive, Lifo, NearestFirst, Random,
    RoundRobin, StraightFirst, StraightThrough,
};
use flitwork_steps::{Machine, Nobody, Rule, Store};
use flitwork_topology::Grid;

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
        DimensionClass::StraightThrough,
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
            let constants = DimensionConstants::new(DimensionClass::Blind, n, k, h).unwrap();
            let made = construct_dimension(&constants, corner, &fifo, &mut |_| true).unwrap();
            hold(n, k, &fifo, &made);
            let made = construct_dimension(&constants, corner, &lifo, &mut |_| true).unwrap();
            hold(n, k, &lifo, &made);
            let made = construct_dimension(&constants, corner, &straight, &mut |_| true).unwrap();
            hold(n, k, &straight, &made);
            let order = Random {
                seed: u64::from(n + k),
            };
            let random = DimensionOrder {
                order,
                inqueue: RoundRobin,
            };
            let made = construct_dimension(&constants, corner, &random, &mut |_| true).unwrap();
            hold(n, k, &random, &made);
        }
    }
}

/// Straight-through keeps up with the bound against it (Theorem 2.19), and isn't below it. By hand, for n = 120 and k = 1: a
/// node of a column holds at most one packet that turns and one that goes along it, so it is k = 2 in the formulas: cn = 15,
/// dn = 60, p = 3 15 + 60 = 105, l = 105 15 / 105 = 15.
#[test]
fn straight_through_takes_its_bound() {
    let of = |n, k| DimensionConstants::new(DimensionClass::StraightThrough, n, k, 1).unwrap();
    assert_eq!((of(120, 1).rows, of(120, 1).bound_steps()), (15, 900));
    for corner in Corner::ALL {
        for (n, k) in [(60, 1), (61, 2), (64, 4), (120, 1)] {
            let constants = of(n, k);
            let made = construct_dimension(&constants, corner, &StraightThrough, &mut |_| true);
            let made = made.unwrap_or_else(|error| panic!("n = {n}, k = {k}: {error}"));
            let mesh = Grid::mesh(&[n, n]).unwrap();
            let steps = hold_on(&mesh, Store::Incoming(k as usize), &StraightThrough, &made);
            assert!(u64::from(steps) <= StraightThrough::bound_steps(n, k));
        }
    }
    let most = |h| DimensionConstants::new(DimensionClass::StraightThrough, 120, 2, h);
    assert_eq!(
        most(2),
        Err(LowerError::PerNode {
            per_node: 2,
            most: 1
        })
    );
}

#[test]
fn rules_that_see_distances_take_their_bounds() {
    let farthest = DimensionOrder::<FarthestFirst, RoundRobin>::default();
    let nearest = DimensionOrder::<NearestFirst, RoundRobin>::default();
    for corner in Corner::ALL {
        let larger = (corner == Corner::NorthWest).then_some((120, 1));
        for (n, k) in [(60, 1), (63, 2)].into_iter().chain(larger) {
            let of = |class| DimensionConstants::new(class, n, k, 1).unwrap();
            let constants = of(DimensionClass::FarthestFirst);
            let made = construct_dimension(&constants, corner, &farthest, &mut |_| true).unwrap();
            hold(n, k, &farthest, &made);
            let constants = of(DimensionClass::NearestFirst);
            let made = construct_dimension(&constants, corner, &nearest, &mut |_| true).unwrap();
            hold(n, k, &nearest, &made);
        }
    }
}

/// A rule that isn't of the class is refused, in the step in which that shows.
#[test]
fn other_rules_are_refused() {
    let greedy = GreedyAdaptive::<Fixed>::default();
    let constants = DimensionConstants::new(DimensionClass::Blind, 60, 1, 1).unwrap();
    let error =
        construct_dimension(&constants, Corner::SouthWest, &greedy, &mut |_| true).unwrap_err();
    assert!(matches!(error, LowerError::Outside { .. }), "{error}");
    // But dimension order is minimal too.
    let fifo = DimensionOrder::<Fifo, RoundRobin>::default();
    let constants = central(120, 1).unwrap();
    assert!(construct_adaptive(&constants, Corner::SouthWest, &fifo, &mut |_| true).is_ok());
}

/// Up to and with step i dn, no packet of a later class than i is in the N_i-column within the rows in which packets begin: an
/// exchange is made in that last step too. Read off the run without exchanges, by the destinations that were made, apart from
/// what the construction checks itself.
fn stays_out<R: Rule>(
    constants: &DimensionConstants,
    corner: Corner,
    rule: &R,
    made: &Constructed,
) {
    let n = constants.side;
    let mesh = Grid::mesh(&[n, n]).unwrap();
    let mut machine = Machine::new(&mesh, rule, constants.store(), &made.problem).unwrap();
    let first = n - constants.rows;
    let mut last_steps = 0;
    while machine.steps() < made.bound_steps {
        machine.step(&mut Nobody);
        for moved in machine.moves() {
            let (_, to) = made.problem[moved.packet.index()];
            let class = corner.place(n, to).0 - first;
            let (column, row) = corner.place(n, machine.packets()[moved.packet.index()].at);
            if column <= first || row > constants.rows || corner.place(n, moved.from).0 == column {
                continue;
            }
            let guard = column - first;
            let is_guarded = machine.steps() <= guard * constants.class_steps;
            assert!(!is_guarded || class <= guard, "step {}", machine.steps());
            last_steps += u32::from(machine.steps() == guard * constants.class_steps);
        }
    }
    assert!(last_steps > 0, "nobody enters in a last step");
}

#[test]
fn exchanges_are_made_in_the_last_step_of_a_class_too() {
    let fifo = DimensionOrder::<Fifo, RoundRobin>::default();
    let lifo = DimensionOrder::<Lifo, Fixed>::default();
    for (n, k, corners) in [
        (60, 1, &Corner::ALL[..]),
        (61, 2, &Corner::ALL),
        (120, 1, &[Corner::SouthEast]),
    ] {
        let constants = DimensionConstants::new(DimensionClass::Blind, n, k, 1).unwrap();
        for &corner in corners {
            let made = construct_dimension(&constants, corner, &fifo, &mut |_| true).unwrap();
            stays_out(&constants, corner, &fifo, &made);
            let made = construct_dimension(&constants, corner, &lifo, &mut |_| true).unwrap();
            stays_out(&constants, corner, &lifo, &made);
        }
    }
}
