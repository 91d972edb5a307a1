//! Every packet arrives, in the right number of hops, whichever choices it takes.

use crate::common::{
    all_coins, channels_of, defined_on, follow, injected, moved, named, nodes, small_grids, torus,
};
use flitwork_router::routing::{
    Chance, Choice, Choices, Head, Routing, RoutingParameters, build_routing,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, PortSet};
use std::collections::HashSet;

/// Properties of any head's choices.
fn assert_sane(grid: &Grid, channels: u8, head: &Head, choices: &Choices) {
    let all: Vec<&Choice> = choices.preferred.iter().chain(&choices.fallback).collect();
    let context = || format!("{grid:?} {head:?} {choices:?}");
    assert!(!all.is_empty(), "{}", context());
    let mut seen = Vec::new();
    for choice in all {
        assert!(grid.links(head.here).contains(choice.port), "{}", context());
        assert_ne!(choice.channels, 0, "{}", context());
        assert_eq!(u64::from(choice.channels) >> channels, 0, "{}", context());
        // No virtual channel is offered twice, in one rank or in both.
        for channel in channels_of(choice.channels) {
            assert!(!seen.contains(&(choice.port, channel)), "{}", context());
            seen.push((choice.port, channel));
        }
    }
}

/// How many hops a packet makes without deroutes until it is delivered.
fn hops_by_way_of(grid: &Grid, source: NodeId, via: NodeId, destination: NodeId) -> u32 {
    grid.distance(source, via) + grid.distance(via, destination)
}

/// Follows a packet everywhere; returns the fewest and the most hops with which it arrives.
fn arrivals(
    grid: &Grid,
    parameters: &RoutingParameters,
    routing: &dyn Routing,
    first: Head,
    chance: Chance,
) -> (u32, u32) {
    let misroutes = u32::from(routing.declaration().misroutes);
    let most = 3 * grid.sides().iter().sum::<u32>() + 2 * misroutes;
    let mut arrived: Option<(u32, u32)> = None;
    follow(routing, grid, first, chance, |head, hops, choices| {
        // Otherwise the search wouldn't end.
        assert!(
            hops <= most,
            "{parameters:?} {grid:?} {first:?}: {hops} hops"
        );
        assert!(u32::from(head.deroutes) <= misroutes);
        match choices {
            Some(choices) => assert_sane(grid, parameters.channels, head, choices),
            None => {
                let (least, most) = arrived.unwrap_or((hops, hops));
                arrived = Some((least.min(hops), most.max(hops)));
            }
        }
    });
    arrived.unwrap_or_else(|| panic!("{parameters:?} {grid:?}: {first:?} never arrives"))
}

/// For all possible packets, on every small grid.
#[test]
fn every_packet_arrives_in_the_right_number_of_hops() {
    for grid in small_grids() {
        for (parameters, routing) in defined_on(&grid) {
            let declaration = routing.declaration();
            for source in nodes(&grid) {
                for destination in nodes(&grid).filter(|node| *node != source) {
                    let first = injected(source, destination, 0);
                    let distance = grid.distance(source, destination);
                    let visits = declaration.visits;
                    let ways: Vec<NodeId> = match visits {
                        true => nodes(&grid).collect(),
                        false => vec![destination],
                    };
                    for coins in all_coins(&grid) {
                        for intermediate in &ways {
                            let chance = Chance::Given {
                                coins,
                                intermediate: *intermediate,
                            };
                            let found = arrivals(&grid, &parameters, &*routing, first, chance);
                            let law = if visits {
                                by_way_of(&grid, &parameters, first, *intermediate, chance)
                            } else {
                                // A deroute leads away by one hop at most, and costs one hop itself.
                                let misroutes = u32::from(declaration.misroutes);
                                assert!(found.1 <= distance + 2 * misroutes);
                                (distance, if misroutes > 0 { found.1 } else { distance })
                            };
                            assert_eq!(found, law, "{parameters:?} {grid:?} {first:?} {chance:?}");
                        }
                    }
                }
            }
        }
    }
}

/// The hops of a packet that visits an intermediate node: both distances, unless it passes its destination
/// first. Whether it does follows from dimension order to that node.
fn by_way_of(
    grid: &Grid,
    parameters: &RoutingParameters,
    first: Head,
    intermediate: NodeId,
    chance: Chance,
) -> (u32, u32) {
    let channels = if grid.wraps() { 2 } else { 1 };
    let ordered = RoutingParameters {
        axis_order: parameters.axis_order,
        ..named("dimension-order", channels)
    };
    let ordered = build_routing(&ordered, grid).unwrap();
    let source = first.here;
    let mut hops = hops_by_way_of(grid, source, intermediate, first.destination);
    if source != intermediate {
        let towards = injected(source, intermediate, 0);
        follow(&*ordered, grid, towards, chance, |head, made, _| {
            if head.here == first.destination {
                hops = made;
            }
        });
    }
    (hops, hops)
}

/// What is drawn for a packet is among the possibilities: it goes as some packet of the check does. A packet
/// through a node between source and destination makes no more hops than any other.
#[test]
fn drawn_packets_go_as_those_that_can_be() {
    for grid in small_grids() {
        for (parameters, _) in defined_on(&grid) {
            let parameters = RoutingParameters {
                seed: 0x5eed,
                ..parameters
            };
            let routing = build_routing(&parameters, &grid).unwrap();
            let visits = routing.declaration().visits;
            for source in nodes(&grid) {
                for destination in nodes(&grid).filter(|node| *node != source) {
                    let first = injected(source, destination, 77);
                    let drawn = heads(&*routing, &grid, first, Chance::Drawn);
                    if parameters.name == "romm" {
                        let found = drawn.iter().map(|(_, hops)| *hops).max();
                        assert_eq!(found, Some(grid.distance(source, destination)));
                    }
                    let mut ways = nodes(&grid).filter(|node| visits || *node == destination);
                    let known = ways.any(|intermediate| {
                        all_coins(&grid).into_iter().any(|coins| {
                            let chance = Chance::Given {
                                coins,
                                intermediate,
                            };
                            heads(&*routing, &grid, first, chance) == drawn
                        })
                    });
                    assert!(known, "{parameters:?} {grid:?} {first:?}");
                }
            }
        }
    }
}

/// All heads that a packet can become, with their hops.
fn heads(routing: &dyn Routing, grid: &Grid, first: Head, chance: Chance) -> HashSet<(Head, u32)> {
    let mut heads = HashSet::new();
    follow(routing, grid, first, chance, |head, hops, _| {
        heads.insert((*head, hops));
    });
    heads
}

/// All of the allowed deroutes can be taken, and no more.
#[test]
fn chaotic_packets_are_derouted_as_often_as_they_may() {
    for grid in [crate::common::mesh(&[4, 3]), torus(&[3, 4])] {
        for misroutes in 0..4 {
            let parameters = RoutingParameters {
                misroutes: Some(misroutes),
                ..named("chaotic", 3)
            };
            let routing = build_routing(&parameters, &grid).unwrap();
            let mut most = 0;
            let first = injected(NodeId(0), NodeId(7), 0);
            follow(&*routing, &grid, first, Chance::Drawn, |head, _, _| {
                most = most.max(head.deroutes);
            });
            assert_eq!(most, misroutes, "{grid:?}");
        }
    }
}

/// Earlier contents of the choices don't matter, nor does how often the function is called.
#[test]
fn choices_are_a_function_of_the_head() {
    for grid in small_grids() {
        for (parameters, routing) in defined_on(&grid) {
            let mut reused = Choices::default();
            for source in nodes(&grid) {
                for destination in nodes(&grid).filter(|node| *node != source) {
                    let head = injected(source, destination, 9);
                    let mut fresh = Choices::default();
                    routing.choices(&head, &mut fresh);
                    for _ in 0..2 {
                        routing.choices(&head, &mut reused);
                        assert_eq!(reused, fresh, "{parameters:?} {grid:?}");
                    }
                }
            }
        }
    }
}

/// On a torus of sixteen rings of two every port is productive for the opposite node.
#[test]
fn sixteen_dimensions_fit() {
    let grid = torus(&[2; 16]);
    let first = injected(NodeId(0), NodeId(0xffff), 0);
    for name in ["minimal-adaptive", "chaotic", "fully-adaptive"] {
        let routing = build_routing(&named(name, 3), &grid).unwrap();
        let mut choices = Choices::default();
        routing.choices(&first, &mut choices);
        let ports = choices.preferred.iter().map(|choice| choice.port);
        let mut set = PortSet::EMPTY;
        ports.for_each(|port| set.insert(port));
        assert_eq!(set, PortSet::first(32), "{name}");
        // One ring done: 30 ports are productive, and 2 are not, one of which leads straight back.
        let next = moved(&grid, &first, &choices.preferred[0], 2);
        routing.choices(&next, &mut choices);
        assert_eq!(choices.preferred.len(), 30, "{name}");
        let deroutes = choices.fallback.iter().filter(|choice| choice.deroute);
        assert_eq!(deroutes.count(), usize::from(name == "chaotic"), "{name}");
    }
}
