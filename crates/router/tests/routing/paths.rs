//! The paths that are allowed on a mesh, against the turns that the papers forbid.
//!
//! The search knows nothing about a routing function: it lists all shortest paths of a packet and removes
//! those with a forbidden turn. The rest must be exactly the packet's paths.

use crate::common::{all_coins, injected, mesh, named, nodes};
use flitwork_router::routing::{
    AxisOrder, Chance, Choices, Head, Routing, RoutingParameters, build_routing,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::collections::BTreeSet;

/// The directions of a packet's hops.
type Path = Vec<String>;

/// All shortest paths from `here`.
fn shortest_paths(grid: &Grid, here: NodeId, destination: NodeId) -> Vec<Path> {
    if here == destination {
        return vec![Path::new()];
    }
    let mut paths = Vec::new();
    for port in grid.links(here).iter() {
        let next = grid.neighbour(here, port).unwrap();
        if grid.distance(next, destination) < grid.distance(here, destination) {
            for rest in shortest_paths(grid, next, destination) {
                paths.push([vec![grid.port_name(port)], rest].concat());
            }
        }
    }
    paths
}

/// The paths that a routing function lets a packet take.
fn routed_paths(routing: &dyn Routing, grid: &Grid, head: Head, chance: Chance) -> Vec<Path> {
    if head.here == head.destination {
        return vec![Path::new()];
    }
    let mut choices = Choices::default();
    routing.choices_under(&head, chance, &mut choices);
    let mut paths = Vec::new();
    for choice in choices.preferred.iter().chain(&choices.fallback) {
        for channel in crate::common::channels_of(choice.channels) {
            let next = crate::common::moved(grid, &head, choice, channel);
            for rest in routed_paths(routing, grid, next, chance) {
                paths.push([vec![grid.port_name(choice.port)], rest].concat());
            }
        }
    }
    paths
}

/// Whether a turn is forbidden: from one direction to another, at a node's coordinates.
type Forbidden = fn(from: &str, to: &str, at: &[u32]) -> bool;

/// Whether no turn of a path is forbidden.
fn allowed(grid: &Grid, source: NodeId, path: &Path, forbidden: Forbidden) -> bool {
    let mut at = source;
    path.windows(2).all(|turn| {
        let ports = grid.links(at);
        let port = ports.iter().find(|port| grid.port_name(*port) == turn[0]);
        at = grid.neighbour(at, port.unwrap()).unwrap();
        !forbidden(&turn[0], &turn[1], &grid.coordinates(at))
    })
}

/// The function's paths are the shortest ones without a forbidden turn, for every packet.
fn assert_paths(parameters: &RoutingParameters, grid: &Grid, forbidden: Forbidden) {
    let routing = build_routing(parameters, grid).unwrap();
    for source in nodes(grid) {
        for destination in nodes(grid).filter(|node| *node != source) {
            let all = shortest_paths(grid, source, destination);
            let law: BTreeSet<Path> = all
                .into_iter()
                .filter(|path| allowed(grid, source, path, forbidden))
                .collect();
            let first = injected(source, destination, 0);
            let found = routed_paths(&*routing, grid, first, Chance::Drawn);
            let found: BTreeSet<Path> = found.into_iter().collect();
            assert_eq!(found, law, "{parameters:?} {grid:?} {source} {destination}");
        }
    }
}

fn planes() -> Vec<Grid> {
    let sides: [&[u32]; 7] = [
        &[1, 4],
        &[5, 1],
        &[2, 2],
        &[3, 4],
        &[4, 3],
        &[5, 5],
        &[6, 4],
    ];
    sides.iter().map(|sides| mesh(sides)).collect()
}

/// Glass and Ni 1992: the two turns to the west are forbidden.
#[test]
fn west_first() {
    for grid in planes() {
        assert_paths(&named("west-first", 1), &grid, |from, to, _| {
            from != to && to == "west"
        });
    }
}

/// Glass and Ni 1992: the two turns from north are forbidden.
#[test]
fn north_last() {
    for grid in planes() {
        assert_paths(&named("north-last", 2), &grid, |from, to, _| {
            from != to && from == "north"
        });
    }
}

/// Glass and Ni 1992: turns from a positive direction (coordinates grow) to a negative one are forbidden.
#[test]
fn negative_first() {
    let forbidden: Forbidden = |from, to, _| {
        ["east", "south", "+d3", "+d4"].contains(&from)
            && ["west", "north", "-d3", "-d4"].contains(&to)
    };
    let more = [mesh(&[5]), mesh(&[3, 3, 3]), mesh(&[2, 3, 1, 3])];
    for grid in planes().into_iter().chain(more) {
        assert_paths(&named("negative-first", 1), &grid, forbidden);
    }
}

/// Chiu 2000, rules 1 and 2: no turn from east to north or south in an even column, none from north or south
/// to west in an odd one.
#[test]
fn odd_even() {
    for grid in planes() {
        assert_paths(&named("odd-even", 1), &grid, |from, to, at| {
            let even = at[0] % 2 == 0;
            let vertical = |way: &str| way == "north" || way == "south";
            (from == "east" && vertical(to) && even) || (vertical(from) && to == "west" && !even)
        });
    }
}

/// One dimension after the other: no turn leads back to an earlier one.
#[test]
fn dimension_order() {
    for grid in planes().into_iter().chain([mesh(&[3, 2, 3])]) {
        assert_paths(&named("dimension-order", 1), &grid, |from, to, _| {
            rank(from) > rank(to)
        });
        let x_last = RoutingParameters {
            axis_order: Some(AxisOrder::XLast),
            ..named("dimension-order", 1)
        };
        assert_paths(&x_last, &grid, |from, to, _| rank(from) < rank(to));
    }
}

fn rank(way: &str) -> u32 {
    match way {
        "west" | "east" => 1,
        "north" | "south" => 2,
        _ => 3,
    }
}

/// Nothing is forbidden.
#[test]
fn fully_and_minimal_adaptive() {
    for grid in planes().into_iter().chain([mesh(&[3, 2, 3])]) {
        assert_paths(&named("fully-adaptive", 1), &grid, |_, _, _| false);
        assert_paths(&named("minimal-adaptive", 2), &grid, |_, _, _| false);
        let straight = RoutingParameters {
            misroutes: Some(0),
            ..named("chaotic", 2)
        };
        assert_paths(&straight, &grid, |_, _, _| false);
    }
}

/// Seo et al. 2005: half of the packets turn once from x to y, half once from y to x.
#[test]
fn o1turn() {
    for grid in planes() {
        let routing = build_routing(&named("o1turn", 2), &grid).unwrap();
        for source in nodes(&grid) {
            for destination in nodes(&grid).filter(|node| *node != source) {
                let all = shortest_paths(&grid, source, destination);
                let mut law = BTreeSet::new();
                for forbidden in [
                    (|from, to, _| rank(from) > rank(to)) as Forbidden,
                    |from, to, _| rank(from) < rank(to),
                ] {
                    let ordered = |path: &&Path| allowed(&grid, source, path, forbidden);
                    law.extend(all.iter().filter(ordered).cloned());
                }
                let first = injected(source, destination, 0);
                let mut found = BTreeSet::new();
                for coins in all_coins(&grid) {
                    let chance = Chance::Given {
                        coins,
                        intermediate: destination,
                    };
                    let paths = routed_paths(&*routing, &grid, first, chance);
                    assert_eq!(paths.len(), 1, "the coin decides alone");
                    found.extend(paths);
                }
                assert_eq!(found, law, "{grid:?} {source} {destination}");
            }
        }
    }
}
