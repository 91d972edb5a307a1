//! Sections 2.4.1 to 2.4.4: queues of links, tori, several packets a node, and rules that aren't minimal in their box.

use crate::{CENTRAL, central, hold_on};
use flitwork_steps::lower::{
    AdaptiveConstants, AdaptiveSetting, LowerError, Queues, construct_adaptive,
};
use flitwork_steps::rules::{
    Alternating, Derouting, DimensionOrder, Fifo, Fixed, GreedyAdaptive, Lifo, Random, RoundRobin,
    StraightThrough,
};
use flitwork_steps::{Blind, Corner, Machine, Nobody, Rule};
use flitwork_topology::{Grid, Topology};
use std::collections::BTreeMap;

fn grid(constants: &AdaptiveConstants) -> Grid {
    let sides = [constants.side; 2];
    match constants.setting.wraps {
        true => Grid::torus(&sides).unwrap(),
        false => Grid::mesh(&sides).unwrap(),
    }
}

/// The steps that a rule takes for what is constructed against it.
fn take<R: Rule<Sight = Blind>>(
    setting: AdaptiveSetting,
    (n, k): (u32, u32),
    corner: Corner,
    rule: &R,
) -> u32 {
    let constants = AdaptiveConstants::for_setting(setting, n, k).unwrap();
    let made = construct_adaptive(&constants, corner, rule, &mut |_| true);
    let made = made.unwrap_or_else(|error| panic!("{rule:?}, {corner:?}, {setting:?}: {error}"));
    let mut sent = BTreeMap::new();
    let mut received = BTreeMap::new();
    for (from, to) in &made.problem {
        *sent.entry(*from).or_insert(0) += 1;
        *received.entry(*to).or_insert(0) += 1;
    }
    let most = sent.values().chain(received.values()).max();
    assert!(*most.unwrap() <= setting.per_node);
    hold_on(&grid(&constants), constants.store(), rule, &made)
}

/// By hand. Incoming queues of 1: k = 4 in section 2.3, so for n = 480: cn = 40, dn = 192, p = 5 (40 + 3 1/3) + 192 = 408,
/// l = 1600 / 816 = 1. A torus of side 240: a mesh of 120. Two packets a node and queues of 2: n >= 52 25 / 4 = 325; for n = 450:
/// cn = 60, dn = 500, p = 3 (60 + 8) + 500 = 704, l = 7200 / 1408 = 5.
#[test]
fn constants_are_those_of_the_sections() {
    let of = |setting, n, k| AdaptiveConstants::for_setting(setting, n, k);
    let found = |setting, n, k| {
        let it: AdaptiveConstants = of(setting, n, k).unwrap();
        (it.corner, it.class_steps, it.per_class, it.classes)
    };
    for queues in [Queues::Incoming, Queues::Outgoing] {
        let setting = AdaptiveSetting { queues, ..CENTRAL };
        assert_eq!(found(setting, 480, 1), (40, 192, 408, 1));
        assert_eq!(found(setting, 960, 2), found(CENTRAL, 960, 8));
    }
    let torus = AdaptiveSetting {
        wraps: true,
        ..CENTRAL
    };
    assert_eq!(found(torus, 240, 1), found(CENTRAL, 120, 1));
    assert_eq!(found(torus, 241, 1), found(CENTRAL, 120, 1));
    let two = AdaptiveSetting {
        per_node: 2,
        ..CENTRAL
    };
    assert_eq!(found(two, 450, 2), (60, 500, 704, 5));
    let refused = |setting, n, k| of(setting, n, k).unwrap_err();
    assert_eq!(refused(two, 450, 0), LowerError::NoQueue);
    for per_node in [0, 3] {
        let setting = AdaptiveSetting {
            per_node,
            ..CENTRAL
        };
        assert_eq!(
            refused(setting, 450, 2),
            LowerError::PerNode { per_node, most: 2 }
        );
    }
    let least = Some(325);
    assert_eq!(
        refused(two, 324, 2),
        LowerError::TooSmall { side: 324, least }
    );
    assert!(of(two, 325, 2).is_ok());
    let least = None;
    let side = 4096;
    assert_eq!(
        refused(two, 4096, u32::MAX),
        LowerError::TooSmall { side, least }
    );
}

/// Whatever the setting, the side and the queue: the classes fit into the corner, and their destinations into the mesh.
#[test]
fn classes_fit() {
    for (n, k, h) in
        (1..700).flat_map(|n| (1..6).flat_map(move |k| (1..=k).map(move |h| (n, k, h))))
    {
        for (queues, wraps) in [
            (Queues::Central, false),
            (Queues::Incoming, false),
            (Queues::Central, true),
        ] {
            let setting = AdaptiveSetting {
                queues,
                wraps,
                per_node: h,
            };
            let Ok(it) = AdaptiveConstants::for_setting(setting, n, k) else {
                continue;
            };
            let side = if wraps { n / 2 } else { n };
            assert!(
                2 * it.per_class * it.classes <= h * it.corner * it.corner,
                "{it:?}"
            );
            assert!(it.per_class >= 2 * h * it.corner, "{it:?}");
            assert!(
                it.corner - 1 + it.classes + it.per_class.div_ceil(h) <= side,
                "{it:?}"
            );
        }
    }
}

#[test]
fn queues_of_links_are_no_help() {
    let incoming = AdaptiveSetting {
        queues: Queues::Incoming,
        ..CENTRAL
    };
    let outgoing = AdaptiveSetting {
        queues: Queues::Outgoing,
        ..CENTRAL
    };
    for corner in [Corner::SouthWest, Corner::NorthEast] {
        for setting in [incoming, outgoing] {
            take(
                setting,
                (300, 1),
                corner,
                &GreedyAdaptive::<Fixed>::default(),
            );
            take(
                setting,
                (300, 1),
                corner,
                &GreedyAdaptive::<RoundRobin>::default(),
            );
            take(
                setting,
                (300, 1),
                corner,
                &DimensionOrder::<Fifo, RoundRobin>::default(),
            );
            take(
                setting,
                (300, 1),
                corner,
                &DimensionOrder::<Lifo, Fixed>::default(),
            );
            take(setting, (300, 1), corner, &StraightThrough);
        }
        take(
            incoming,
            (300, 1),
            corner,
            &Alternating::<RoundRobin>::default(),
        );
    }
    let constants = AdaptiveConstants::for_setting(outgoing, 300, 1).unwrap();
    let alternating = Alternating::<Fixed>::default();
    let error =
        construct_adaptive(&constants, Corner::SouthWest, &alternating, &mut |_| true).unwrap_err();
    assert!(matches!(error, LowerError::Machine(_)), "{error}");
}

#[test]
fn tori_are_no_help() {
    let torus = AdaptiveSetting {
        wraps: true,
        ..CENTRAL
    };
    for corner in Corner::ALL {
        take(torus, (240, 1), corner, &GreedyAdaptive::<Fixed>::default());
        take(
            torus,
            (243, 1),
            corner,
            &Alternating::<RoundRobin>::default(),
        );
        take(
            torus,
            (321, 2),
            corner,
            &DimensionOrder::<Fifo, RoundRobin>::default(),
        );
    }
}

#[test]
fn several_packets_a_node_take_longer() {
    let of = |per_node| AdaptiveSetting {
        per_node,
        ..CENTRAL
    };
    let order = Random { seed: 3 };
    let inqueue = RoundRobin;
    let round_robin = GreedyAdaptive::<RoundRobin>::default();
    take(of(2), (325, 2), Corner::NorthWest, &round_robin);
    let alternating = Alternating::<Fixed>::default();
    take(of(3), (284, 3), Corner::SouthEast, &alternating);
    let dimension_order = DimensionOrder { order, inqueue };
    take(of(4), (264, 4), Corner::NorthWest, &dimension_order);
    let fixed = GreedyAdaptive::<Fixed>::default();
    take(of(4), (264, 4), Corner::SouthEast, &fixed);
}

/// A rule that leaves shortest paths inside the 0-box is of the class, though not minimal; one that leaves them on the edge of
/// the 1-box, or farther away, isn't.
#[test]
fn leaving_shortest_paths_inside_the_box_is_no_help() {
    let (side, queue) = (360, 4);
    let constants = central(side, queue).unwrap();
    for corner in Corner::ALL {
        let rule = Derouting {
            side,
            corner,
            box_side: constants.before_the_edge(),
            inqueue: RoundRobin,
        };
        take(CENTRAL, (side, queue), corner, &rule);
        let made = construct_adaptive(&constants, corner, &rule, &mut |_| true).unwrap();
        let mesh = grid(&constants);
        let mut machine = Machine::new(&mesh, &rule, constants.store(), &made.problem).unwrap();
        let mut deroutes = 0;
        for _ in 0..constants.bound_steps() {
            machine.step(&mut Nobody);
            let leaves = |it: &&flitwork_steps::Move| {
                let to = machine.packets()[it.packet.index()];
                mesh.distance(it.from, to.destination) < mesh.distance(to.at, to.destination)
            };
            deroutes += machine.moves().iter().filter(leaves).count();
        }
        assert!(deroutes > 100, "{deroutes}");
        let rule = Derouting {
            box_side: 2 * constants.corner,
            ..rule
        };
        let made = construct_adaptive(&constants, corner, &rule, &mut |_| true);
        let error = made.map(|made| made.exchanges).unwrap_err();
        assert!(matches!(error, LowerError::Outside { .. }), "{error}");
        // A row and a column more are the edge itself: what was made there wouldn't repeat.
        for (side, queue) in [(240, 3), (480, 3)] {
            let constants = central(side, queue).unwrap();
            let (box_side, inqueue) = (constants.corner, Fixed);
            let rule = Derouting {
                side,
                corner,
                box_side,
                inqueue,
            };
            let made = construct_adaptive(&constants, corner, &rule, &mut |_| true);
            let error = made.map(|made| made.exchanges).unwrap_err();
            assert!(matches!(error, LowerError::Outside { .. }), "{error}");
        }
    }
}
