//! The classes of dimension order on a torus, by hand.

use crate::common::{injected, moved, named, nodes, torus};
use flitwork_router::routing::{Chance, Choices, Dateline, RoutingParameters, build_routing};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;

/// The nodes and channels of a packet's path, if it has no choice.
fn way(parameters: &RoutingParameters, grid: &Grid, from: u32, to: u32, coins: u32) -> String {
    let routing = build_routing(parameters, grid).unwrap();
    let mut head = injected(NodeId(from), NodeId(to), 0);
    let mut way = from.to_string();
    let mut choices = Choices::default();
    while head.here != head.destination {
        let chance = Chance::Given {
            coins,
            intermediate: head.destination,
        };
        routing.choices_under(&head, chance, &mut choices);
        assert!(choices.fallback.is_empty());
        let [choice] = choices.preferred[..] else {
            panic!("{choices:?}");
        };
        // Two classes of two channels each: the lower or the upper two.
        let class = match choice.channels {
            0b0011 => 0,
            0b1100 => 1,
            other => panic!("{other:b} is no class"),
        };
        head = moved(grid, &head, &choice, 2 * class + 1);
        way += &format!(" {class}> {}", head.here);
    }
    way
}

fn by(dateline: Dateline) -> RoutingParameters {
    RoutingParameters {
        dateline: Some(dateline),
        ..named("dimension-order", 4)
    }
}

/// A ring of six, in both directions; the wrap link is the one between 5 and 0.
#[test]
fn a_ring_by_hand() {
    let ring = torus(&[6]);
    let wrapping = |from, to| way(&by(Dateline::Wrapping), &ring, from, to, 0);
    assert_eq!(wrapping(1, 3), "1 0> 2 0> 3");
    assert_eq!(
        wrapping(4, 1),
        "4 0> 3 0> 2 0> 1",
        "half way, coin 0: towards 0"
    );
    assert_eq!(wrapping(4, 0), "4 1> 5 1> 0");
    assert_eq!(wrapping(5, 1), "5 1> 0 1> 1");
    assert_eq!(wrapping(1, 5), "1 1> 0 1> 5");
    assert_eq!(wrapping(0, 4), "0 1> 5 1> 4");
    assert_eq!(wrapping(5, 3), "5 0> 4 0> 3");
    let descending = |from, to| way(&by(Dateline::Descending), &ring, from, to, 0);
    assert_eq!(descending(1, 3), "1 0> 2 0> 3");
    assert_eq!(descending(4, 0), "4 1> 5 1> 0");
    assert_eq!(descending(1, 5), "1 0> 0 0> 5");
    assert_eq!(descending(5, 3), "5 1> 4 1> 3");
    let crossed = |from, to| way(&by(Dateline::Crossed), &ring, from, to, 0);
    assert_eq!(crossed(1, 3), "1 0> 2 0> 3");
    assert_eq!(crossed(4, 0), "4 0> 5 0> 0");
    assert_eq!(crossed(5, 1), "5 0> 0 1> 1");
    assert_eq!(crossed(1, 5), "1 0> 0 0> 5");
    assert_eq!(crossed(0, 4), "0 0> 5 1> 4");
    assert_eq!(crossed(5, 3), "5 0> 4 0> 3");
    // Half way around, coin 1: away from 0.
    let wrapping = by(Dateline::Wrapping);
    assert_eq!(way(&wrapping, &ring, 4, 1, 1), "4 1> 5 1> 0 1> 1");
    assert_eq!(way(&wrapping, &ring, 1, 4, 1), "1 0> 2 0> 3 0> 4");
    assert_eq!(way(&wrapping, &ring, 1, 4, 0), "1 1> 0 1> 5 1> 4");
    let crossed = by(Dateline::Crossed);
    assert_eq!(way(&crossed, &ring, 4, 1, 1), "4 0> 5 0> 0 1> 1");
    assert_eq!(way(&crossed, &ring, 1, 4, 0), "1 0> 0 0> 5 1> 4");
}

/// On a ring of two both links lead to the other node; one of them is the wrap link.
#[test]
fn a_ring_of_two_by_hand() {
    let ring = torus(&[2]);
    let wrapping = by(Dateline::Wrapping);
    // Away from 0 by coin 1: 0 to 1 directly, 1 to 0 around. Towards 0 by coin 0: the reverse.
    assert_eq!(way(&wrapping, &ring, 0, 1, 1), "0 0> 1");
    assert_eq!(way(&wrapping, &ring, 1, 0, 1), "1 1> 0");
    assert_eq!(way(&wrapping, &ring, 0, 1, 0), "0 1> 1");
    assert_eq!(way(&wrapping, &ring, 1, 0, 0), "1 0> 0");
}

/// A 6 x 6 torus, node = x + 6 y: each dimension has its own class.
#[test]
fn two_dimensions_by_hand() {
    let grid = torus(&[6, 6]);
    // From (5, 1) to (1, 5): x around in class 1, then y around in class 1.
    let wrapping = by(Dateline::Wrapping);
    assert_eq!(way(&wrapping, &grid, 11, 31, 0), "11 1> 6 1> 7 1> 1 1> 31");
    let crossed = by(Dateline::Crossed);
    assert_eq!(way(&crossed, &grid, 11, 31, 0), "11 0> 6 1> 7 0> 1 0> 31");
    // From (5, 1) to (1, 3): x around in class 1, then y straight in class 0.
    assert_eq!(way(&wrapping, &grid, 11, 19, 0), "11 1> 6 1> 7 0> 13 0> 19");
}

/// Only class 1 uses the wrap link under the first rule, and only class 0 under the second.
#[test]
fn only_one_class_uses_the_wrap_link() {
    for side in 2..9 {
        let ring = torus(&[side]);
        for (dateline, class) in [(Dateline::Wrapping, 1), (Dateline::Crossed, 0)] {
            for from in nodes(&ring) {
                for to in nodes(&ring).filter(|to| *to != from) {
                    for coins in [0, 1] {
                        let way = way(&by(dateline), &ring, from.0, to.0, coins);
                        let words: Vec<&str> = way.split(' ').collect();
                        for hop in words.windows(3).step_by(2) {
                            let at = |word: &str| word.parse::<u32>().unwrap();
                            let apart = at(hop[0]).abs_diff(at(hop[2]));
                            if side > 2 && apart == side - 1 {
                                assert_eq!(hop[1], format!("{class}>"), "{dateline:?} {way}");
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(ring.ports(), 2);
    }
}
