//! Packets' draws, observed through the paths that they take.

use crate::common::{injected, mesh, moved, named, torus};
use flitwork_router::routing::{Choices, Head, Routing, RoutingParameters, build_routing};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};

/// The hops of a packet that has no choice: the node, the port and the channel of each.
fn hops(routing: &dyn Routing, grid: &Grid, first: Head) -> Vec<(NodeId, Port, u8)> {
    let (mut head, mut hops) = (first, Vec::new());
    let mut choices = Choices::default();
    while head.here != head.destination {
        routing.choices(&head, &mut choices);
        let [choice] = choices.preferred[..] else {
            panic!("{choices:?}");
        };
        let channel = choice.channels.trailing_zeros() as u8;
        hops.push((head.here, choice.port, channel));
        head = moved(grid, &head, &choice, channel);
    }
    hops
}

fn seeded(name: &str, channels: u8, seed: u64) -> RoutingParameters {
    RoutingParameters {
        seed,
        ..named(name, channels)
    }
}

#[test]
fn o1turn_tosses_fairly_and_once_a_packet() {
    let grid = mesh(&[5, 5]);
    for seed in [0, 1, 99] {
        let routing = build_routing(&seeded("o1turn", 2, seed), &grid).unwrap();
        let mut x_first = 0;
        for serial in 0..10_000 {
            // From (0, 0) to (4, 4).
            let hops = hops(&*routing, &grid, injected(NodeId(0), NodeId(24), serial));
            let names: Vec<String> = hops.iter().map(|hop| grid.port_name(hop.1)).collect();
            let east = vec!["east"; 4];
            let south = vec!["south"; 4];
            if names[0] == "east" {
                x_first += 1;
                assert_eq!(names, [east, south].concat());
                assert!(hops.iter().all(|hop| hop.2 == 0));
            } else {
                assert_eq!(names, [south, east].concat());
                assert!(hops.iter().all(|hop| hop.2 == 1));
            }
        }
        // Of 10,000, 5,000 expected; the standard deviation is 50.
        assert!(i32::abs(x_first - 5000) < 250, "{x_first}");
    }
}

/// Where a packet's channels change from the first phase to the second: its intermediate node. `None` if that
/// was the destination.
fn changes_at(hops: &[(NodeId, Port, u8)], second: u8) -> Option<NodeId> {
    let hop = hops.iter().find(|(_, _, channel)| *channel >= second);
    hop.map(|(node, _, _)| *node)
}

#[test]
fn valiant_goes_by_way_of_any_node() {
    // A mesh of 4 x 4, from node 5 to node 6, its neighbour. A packet that passes node 6 before its
    // intermediate node never enters the second phase: those through the nodes east of 5 in its row, and
    // through the columns that x first reaches past node 6: 6, 7, and 2, 10, 14, 3, 11, 15.
    let grid = mesh(&[4, 4]);
    let routing = build_routing(&seeded("valiant", 2, 3), &grid).unwrap();
    let mut counts = [0u32; 16];
    let mut unseen = 0;
    for serial in 0..16_000 {
        let hops = hops(&*routing, &grid, injected(NodeId(5), NodeId(6), serial));
        match changes_at(&hops, 1) {
            Some(node) => counts[node.index()] += 1,
            None => unseen += 1,
        }
    }
    // 1,000 expected for each node; the standard deviation is 31. 8,000 of the others, standard deviation 63.
    for node in [0, 1, 4, 5, 8, 9, 12, 13] {
        assert!(counts[node].abs_diff(1000) < 155, "{node}: {counts:?}");
    }
    assert!(u32::abs_diff(unseen, 8000) < 315, "{unseen}");
    assert_eq!(counts.iter().sum::<u32>() + unseen, 16_000);
}

#[test]
fn romm_goes_by_way_of_any_node_between() {
    // From (3, 1) to (1, 2) on a mesh of 5 x 4: x from 1 to 3, y 1 or 2, six nodes.
    let grid = mesh(&[5, 4]);
    let (from, to) = (grid.node_at(&[3, 1]), grid.node_at(&[1, 2]));
    let routing = build_routing(&seeded("romm", 2, 4), &grid).unwrap();
    let mut counts = vec![0u32; 20];
    for serial in 0..6_000 {
        let hops = hops(&*routing, &grid, injected(from, to, serial));
        counts[changes_at(&hops, 1).unwrap_or(to).index()] += 1;
    }
    for node in 0..20 {
        let at = grid.coordinates(NodeId(node));
        let between = (1..=3).contains(&at[0]) && (1..=2).contains(&at[1]);
        // 1,000 expected; the standard deviation is 29.
        let law = if between { 1000 } else { 0 };
        let bound = if between { 145 } else { 1 };
        assert!(
            counts[node as usize].abs_diff(law) < bound,
            "{node}: {counts:?}"
        );
    }
}

#[test]
fn romm_on_a_torus_uses_all_boxes_between() {
    // On a 4 x 4 torus the node at (2, 2) is opposite (0, 0): four boxes of nine nodes, each with probability
    // 1/4; (0, 0) is in all of them, (1, 0) in two, (1, 1) in one.
    let grid = torus(&[4, 4]);
    let routing = build_routing(&seeded("romm", 4, 4), &grid).unwrap();
    let to = grid.node_at(&[2, 2]);
    let mut counts = [0u32; 16];
    for serial in 0..14_400 {
        let hops = hops(&*routing, &grid, injected(NodeId(0), to, serial));
        assert_eq!(hops.len(), 4);
        counts[changes_at(&hops, 2).unwrap_or(to).index()] += 1;
    }
    for node in 0..16 {
        let odd = grid
            .coordinates(NodeId(node))
            .iter()
            .filter(|at| **at % 2 == 1)
            .count();
        // 1,600 times 1, 1/2 or 1/4; standard deviations 38, 27 and 20.
        let (law, bound) = [(1600, 190), (800, 135), (400, 100)][odd];
        assert!(
            counts[node as usize].abs_diff(law) < bound,
            "{node}: {counts:?}"
        );
    }
}

#[test]
fn half_way_around_a_ring_packets_go_both_ways_alike() {
    let grid = torus(&[8]);
    for name in ["dimension-order", "minimal-adaptive"] {
        let routing = build_routing(&seeded(name, 3, 5), &grid).unwrap();
        let mut choices = Choices::default();
        let mut east = 0;
        for serial in 0..10_000 {
            routing.choices(&injected(NodeId(1), NodeId(5), serial), &mut choices);
            let ordered = choices.fallback.first().or(choices.preferred.first());
            east += i32::from(grid.port_name(ordered.unwrap().port) == "east");
        }
        // 5,000 expected; the standard deviation is 50.
        assert!(i32::abs(east - 5000) < 250, "{name}: {east}");
    }
}

#[test]
fn draws_depend_on_the_seed_and_the_packet() {
    let grid = mesh(&[8, 8]);
    let all = |seed, source: u32| -> Vec<_> {
        let routing = build_routing(&seeded("valiant", 2, seed), &grid).unwrap();
        (0..50)
            .map(|serial| {
                hops(
                    &*routing,
                    &grid,
                    injected(NodeId(source), NodeId(63), serial),
                )
            })
            .collect()
    };
    assert_eq!(all(1, 0), all(1, 0));
    assert_ne!(all(1, 0), all(2, 0));
    assert_ne!(all(1, 0)[0], all(1, 0)[1]);
}
