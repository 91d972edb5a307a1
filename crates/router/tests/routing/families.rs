//! Routing functions on networks of levels, of groups and of lines: free of deadlock, by the paths that papers describe.

use crate::common::named;
use flitwork_router::routing::{
    AnyFunction, Choices, Head, NearestCommonAncestor, Routing, RoutingError, RoutingParameters,
    Up, Verdict, build_routing, check,
};
use flitwork_schema::{Datum, Files, Parts, RawTable, Unreadable, Value};
use flitwork_topology::{Shape, Topology, TopologyEntry};
use flitwork_types::{NodeId, PacketId, TerminalId};
use std::path::PathBuf;

struct NoFiles;

impl Files for NoFiles {
    fn path(&self, name: &str) -> PathBuf {
        name.into()
    }

    fn text(&self, name: &str, _: u64) -> Result<String, Unreadable> {
        panic!("{name} is read")
    }

    fn is_no_file(&self, name: &str) -> Option<String> {
        panic!("{name} is asked for")
    }
}

pub(crate) fn network(name: &str, keys: &[(&str, &[u64])]) -> Shape {
    let whole = |number: &u64| Datum::Whole((*number).into());
    let datum = |key: &str, numbers: &[u64]| match (key, numbers) {
        ("sides" | "widths" | "block" | "jumps", numbers) => {
            Datum::List(numbers.iter().map(whole).map(Value::from).collect())
        }
        (_, numbers) => whole(&numbers[0]),
    };
    let given = keys
        .iter()
        .map(|(key, numbers)| ((*key).to_owned(), Value::from(datum(key, numbers))));
    let given: Vec<_> = given.collect();
    let entry: TopologyEntry = Parts::new().find(name).unwrap();
    let built = entry.build(&RawTable::new("network".into(), 0..0, &given), &NoFiles);
    built
        .unwrap_or_else(|refusal| panic!("{name}: {}", refusal.allowed))
        .shape
}

pub(crate) fn built(function: &str, shape: &Shape) -> (u8, Box<dyn Routing>) {
    let built = (1..=32).find_map(|channels| {
        let routing = build_routing(&named(function, channels), shape.clone());
        Some((channels, routing.ok()?))
    });
    built.unwrap_or_else(|| panic!("{function} on {shape:?}"))
}

pub(crate) fn trees() -> Vec<Shape> {
    let tree = |k, n| network("fat-tree", &[("radix", &[k]), ("levels", &[n])]);
    vec![tree(2, 2), tree(2, 4), tree(3, 3), tree(4, 2)]
}

fn stages() -> Vec<Shape> {
    let fly = |k, n| network("fly", &[("radix", &[k]), ("stages", &[n])]);
    let of = |name, d| network(name, &[("dimensions", &[d])]);
    vec![
        fly(2, 3),
        fly(3, 2),
        fly(2, 4),
        of("butterfly", 3),
        of("benes", 3),
    ]
}

pub(crate) fn groups() -> Vec<Shape> {
    let dragonfly = |a, h, groups: &[u64]| {
        let keys: &[(&str, &[u64])] = &[
            ("group_nodes", &[a]),
            ("global_links", &[h]),
            ("groups", groups),
        ];
        network("dragonfly", keys)
    };
    let megafly = network("megafly", &[("leaves", &[2]), ("global_links", &[2])]);
    vec![
        dragonfly(2, 1, &[3]),
        dragonfly(4, 2, &[9]),
        dragonfly(3, 2, &[4]),
        dragonfly(1, 4, &[5]),
        megafly,
    ]
}

pub(crate) fn lines() -> Vec<Shape> {
    let flat = |k, n| network("flattened-butterfly", &[("radix", &[k]), ("stages", &[n])]);
    let hyperx = network(
        "hyperx",
        &[
            ("sides", &[3, 4, 2]),
            ("widths", &[2, 1, 3]),
            ("concentration", &[2]),
        ],
    );
    vec![flat(4, 2), flat(3, 3), hyperx]
}

/// Follows a packet by the choice that `pick` makes of all; the nodes that it comes to.
pub(crate) fn way(
    routing: &dyn Routing,
    shape: &Shape,
    (from, to): (TerminalId, TerminalId),
    mut pick: impl FnMut(usize) -> usize,
) -> Vec<NodeId> {
    let mut head = Head {
        here: shape.entry(from),
        packet: PacketId {
            source: from,
            serial: to.0,
        },
        destination: shape.home(to),
        terminal: to,
        deroutes: 0,
        from: None,
    };
    let mut nodes = vec![head.here];
    let mut choices = Choices::default();
    while head.here != head.destination {
        routing.choices(&head, &mut choices);
        let all: Vec<_> = choices.preferred.iter().chain(&choices.fallback).collect();
        let choice = all[pick(all.len())];
        let (next, port) = shape.far(head.here, choice.port).unwrap();
        head.here = next;
        head.from = Some((port, choice.channels.trailing_zeros() as u8));
        nodes.push(next);
        assert!(nodes.len() < 100, "{shape:?}: {nodes:?}");
    }
    nodes
}

pub(crate) fn pairs(shape: &Shape) -> impl Iterator<Item = (TerminalId, TerminalId)> + use<> {
    let count = shape.terminals();
    let of = move |from| (0..count).map(move |to| (TerminalId(from), TerminalId(to)));
    (0..count).flat_map(of).filter(|(from, to)| from != to)
}

#[track_caller]
pub(crate) fn is_free(routing: &dyn Routing, shape: &Shape) {
    match check(routing, shape) {
        Ok(Verdict::Acyclic { .. } | Verdict::EscapeAcyclic { .. }) => {}
        other => panic!("{shape:?}: {other:?}"),
    }
}

/// With one channel, up to the nearest common ancestor and down, which is a shortest path whichever way is taken up.
#[test]
fn trees_are_climbed_no_higher_than_they_must() {
    for shape in trees() {
        for function in ["nearest-common-ancestor", "minimal"] {
            let (channels, routing) = built(function, &shape);
            assert_eq!(channels, 1, "{function}");
            is_free(routing.as_ref(), &shape);
            for (from, to) in pairs(&shape) {
                for first in 0..2 {
                    let nodes = way(routing.as_ref(), &shape, (from, to), |count| {
                        first.min(count - 1)
                    });
                    let links = shape.distance(shape.home(from), shape.home(to));
                    assert_eq!(nodes.len() as u32, links + 1);
                    // Up to the middle, and then down.
                    let levels: Vec<_> = nodes
                        .iter()
                        .map(|node| shape.level(*node).unwrap())
                        .collect();
                    let top = levels.len() / 2;
                    assert!(
                        levels[..=top].is_sorted_by(|one, next| one > next),
                        "{levels:?}"
                    );
                    assert!(
                        levels[top..].is_sorted_by(|one, next| one < next),
                        "{levels:?}"
                    );
                }
            }
        }
    }
}

/// Stages are crossed one after the other; by the only way, or on a Beneš network by any.
#[test]
fn stages_are_crossed_once() {
    for shape in stages() {
        let has_one_way = shape.nodes() != 5 * 4;
        let (channels, routing) = built("minimal", &shape);
        assert_eq!(channels, 1);
        is_free(routing.as_ref(), &shape);
        let tagged = build_routing(&named("destination-tag", 1), shape.clone());
        assert_eq!(tagged.is_ok(), has_one_way, "{shape:?}");
        if let Ok(tagged) = &tagged {
            is_free(tagged.as_ref(), &shape);
        }
        for (from, to) in pairs(&shape) {
            let nodes = way(routing.as_ref(), &shape, (from, to), |count| count - 1);
            let levels: Vec<_> = nodes
                .iter()
                .map(|node| shape.level(*node).unwrap())
                .collect();
            let all: Vec<u32> = (0..levels.len() as u32).collect();
            assert_eq!(levels, all);
            if let Ok(tagged) = &tagged {
                assert_eq!(
                    way(tagged.as_ref(), &shape, (from, to), |count| count - 1),
                    nodes
                );
            }
        }
        let ancestor = build_routing(&named("nearest-common-ancestor", 1), shape.clone());
        assert!(
            matches!(ancestor, Err(RoutingError::Topology(_))),
            "{shape:?}"
        );
    }
}

/// Between groups a packet takes one link, and two classes of channels are enough; by way of a third group it needs four.
#[test]
fn groups_are_left_once() {
    for shape in groups() {
        let crossings = |nodes: &[NodeId]| {
            let of = |node: &NodeId| shape.group(*node);
            nodes
                .windows(2)
                .filter(|pair| of(&pair[0]) != of(&pair[1]))
                .count()
        };
        let (channels, routing) = built("minimal", &shape);
        assert_eq!(channels, 2);
        is_free(routing.as_ref(), &shape);
        for (from, to) in pairs(&shape) {
            for first in 0..3 {
                let nodes = way(routing.as_ref(), &shape, (from, to), |count| {
                    first.min(count - 1)
                });
                let apart = shape.group(shape.home(from)) != shape.group(shape.home(to));
                assert_eq!(crossings(&nodes), usize::from(apart), "{nodes:?}");
            }
        }
        let (channels, valiant) = built("valiant", &shape);
        assert_eq!(channels, 4);
        is_free(valiant.as_ref(), &shape);
        let most = pairs(&shape).map(|pair| crossings(&way(valiant.as_ref(), &shape, pair, |_| 0)));
        assert_eq!(most.max(), Some(2));
    }
}

/// Along each dimension one link; one dimension after the other with one channel, in any order with an escape channel or with a channel for each dimension.
#[test]
fn lines_are_crossed_by_one_link() {
    for shape in lines() {
        let dimensions = shape.lines().unwrap().len();
        for (function, needs) in [
            ("dimension-order", 1),
            ("minimal-adaptive", 2),
            ("minimal", dimensions as u8),
            ("valiant", 2 * dimensions as u8),
        ] {
            let (channels, routing) = built(function, &shape);
            assert_eq!(channels, needs, "{function}");
            is_free(routing.as_ref(), &shape);
            for (from, to) in pairs(&shape).filter(|_| function != "valiant") {
                for pick in [0, usize::MAX] {
                    let nodes = way(routing.as_ref(), &shape, (from, to), |count| {
                        pick.min(count - 1)
                    });
                    assert_eq!(
                        nodes.len() as u32,
                        shape.distance(nodes[0], shape.home(to)) + 1
                    );
                }
            }
        }
        // In order: dimensions are done from the first on.
        let (_, ordered) = built("dimension-order", &shape);
        let sides = shape.lines().unwrap();
        for (from, to) in pairs(&shape) {
            let nodes = way(ordered.as_ref(), &shape, (from, to), |_| 0);
            let mut strides = sides.iter().scan(1, |stride, side| {
                *stride *= side;
                Some(*stride)
            });
            let mut done = 0;
            for node in &nodes {
                let is_there = |stride: u32| node.0 % stride == shape.home(to).0 % stride;
                while strides.clone().next().is_some_and(is_there) {
                    strides.next();
                    done += 1;
                }
            }
            assert_eq!(done, dimensions, "{nodes:?}");
        }
    }
}

/// By destination all packets to a terminal go up through the same switches from a switch, those to others of its switch through different ones as far as there are any; drawn
/// ways differ.
#[test]
fn ways_up_are_those_that_are_asked_for() {
    let tree = network("fat-tree", &[("radix", &[4]), ("levels", &[3])]);
    let routing = |up: Up| {
        let own = AnyFunction::from(NearestCommonAncestor { up });
        let parameters = RoutingParameters {
            own: Some(own),
            ..named("nearest-common-ancestor", 1)
        };
        build_routing(&parameters, tree.clone()).unwrap()
    };
    let tops = |up: Up, from: u32, all: &[u32]| -> Vec<NodeId> {
        let routing = routing(up);
        let way = |to: &u32| {
            way(
                routing.as_ref(),
                &tree,
                (TerminalId(from), TerminalId(*to)),
                |_| 0,
            )[2]
        };
        all.iter().map(way).collect()
    };
    // From terminal 0, whose switch is 32; to the four of the last switch, whose packets meet nowhere above the last level's links down.
    let last = [60, 61, 62, 63];
    let by_destination = tops(Up::Destination, 0, &last);
    let mut distinct = by_destination.clone();
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "{by_destination:?}");
    // Another source comes to the same top for the same destination.
    assert_eq!(tops(Up::Destination, 5, &last), by_destination);
    let drawn = tops(Up::Random, 0, &(16..64).collect::<Vec<_>>());
    let different: std::collections::BTreeSet<_> = drawn.iter().collect();
    assert!(different.len() > 8, "{drawn:?}");
}
