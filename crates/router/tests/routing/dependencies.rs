//! The check against brute force, and what the table promises.

use crate::common::{built, defined_on, mesh, more_grids, named, nodes, small_grids, torus};
use crate::oracle::{self, Channel, Which, cyclic};
use flitwork_router::routing::{
    AxisOrder, CheckError, Circle, Dateline, Freedom, HeldChannel, MAX_CHECKED_NODES, ROUTINGS,
    Routing, RoutingEntry, RoutingParameters, Verdict, WhyCircle, check,
};
use flitwork_topology::{Grid, Topology};

fn entry(name: &str) -> &'static RoutingEntry {
    ROUTINGS.iter().find(|entry| entry.name == name).unwrap()
}

fn links(grid: &Grid) -> u64 {
    nodes(grid).map(|node| grid.links(node).len() as u64).sum()
}

/// The circle's dependencies are real, and caused by packets to the destinations that it names.
pub(crate) fn assert_circle(routing: &dyn Routing, grid: &Grid, circle: &Circle) {
    let channel = |held: &HeldChannel| -> Channel { (held.node.0, held.port.0, held.channel) };
    for (index, held) in circle.held.iter().enumerate() {
        let next = &circle.held[(index + 1) % circle.held.len()];
        let which = Which::To(held.destination);
        let pairs = match circle.why {
            WhyCircle::Oblivious | WhyCircle::Adaptive => oracle::direct(routing, grid, which),
            WhyCircle::Escape => oracle::extended(routing, grid, which),
        };
        assert!(pairs.contains(&(channel(held), channel(next))), "{circle}");
        let same = |other: &&HeldChannel| channel(other) == channel(held);
        assert_eq!(circle.held.iter().filter(same).count(), 1, "{circle}");
    }
}

/// The check's verdict is that of brute force.
pub(crate) fn assert_checked(routing: &dyn Routing, grid: &Grid) -> Verdict {
    let declaration = routing.declaration();
    let mut direct = oracle::direct(routing, grid, Which::All);
    if declaration.visits {
        direct.extend(oracle::joined(routing, grid));
    }
    let verdict = match check(routing, grid) {
        Ok(verdict) => verdict,
        Err(error) => panic!("{grid:?} {declaration:?}: {error}"),
    };
    match &verdict {
        Verdict::Acyclic {
            channels,
            dependencies,
        } => {
            assert!(!cyclic(&direct), "{grid:?} {declaration:?}");
            assert_eq!(*channels, links(grid) * u64::from(declaration.channels));
            assert_eq!(
                *dependencies,
                direct.len() as u64,
                "{grid:?} {declaration:?} {direct:?}"
            );
        }
        Verdict::EscapeAcyclic {
            channels,
            dependencies,
        } => {
            assert!(
                cyclic(&direct),
                "{grid:?} {declaration:?}: acyclic as it is"
            );
            let extended = oracle::extended(routing, grid, Which::All);
            assert!(!cyclic(&extended), "{grid:?} {declaration:?}");
            let escapes = declaration.escape.unwrap().count_ones();
            assert_eq!(*channels, links(grid) * u64::from(escapes));
            assert_eq!(*dependencies, extended.len() as u64);
        }
        Verdict::Circle(circle) => {
            let law = match circle.why {
                WhyCircle::Oblivious | WhyCircle::Adaptive => direct.len(),
                WhyCircle::Escape => oracle::extended(routing, grid, Which::All).len(),
            };
            assert_eq!(circle.dependencies, law as u64, "{grid:?} {declaration:?}");
            assert_circle(routing, grid, circle);
        }
    }
    verdict
}

#[test]
fn the_check_agrees_with_brute_force() {
    for grid in small_grids() {
        for (parameters, routing) in defined_on(&grid) {
            let verdict = assert_checked(&*routing, &grid);
            assert_promised(&parameters, &grid, &verdict);
        }
    }
}

/// What the table promises about a function.
fn assert_promised(parameters: &RoutingParameters, grid: &Grid, verdict: &Verdict) {
    // Packets without a choice of ports can't get around each other.
    let line = grid.sides().iter().filter(|side| **side > 1).count() == 1;
    let right = match (entry(&parameters.name).freedom, verdict) {
        (Freedom::Acyclic, Verdict::Acyclic { .. }) => true,
        (Freedom::Escape, Verdict::EscapeAcyclic { .. }) => true,
        (Freedom::Escape, Verdict::Acyclic { .. }) => line || grid.wraps(),
        (Freedom::None, Verdict::Circle(_)) => true,
        (Freedom::None, Verdict::Acyclic { .. }) => line,
        _ => false,
    };
    assert!(right, "{parameters:?} {grid:?}: {verdict}");
}

#[test]
fn every_function_keeps_the_promise_of_the_table() {
    let large = [mesh(&[16, 16]), torus(&[16, 16]), torus(&[5, 16])];
    for grid in more_grids().into_iter().chain(large) {
        for (parameters, routing) in defined_on(&grid) {
            let verdict = check(&*routing, &grid);
            let verdict =
                verdict.unwrap_or_else(|error| panic!("{parameters:?} {grid:?}: {error}"));
            assert_promised(&parameters, &grid, &verdict);
        }
    }
}

/// The same with any dateline rule and any order of dimensions.
#[test]
fn every_option_keeps_the_promise_of_the_table() {
    for grid in [torus(&[5, 4]), torus(&[2, 3, 4]), mesh(&[3, 4])] {
        for (plain, _) in defined_on(&grid) {
            let reads = entry(&plain.name).reads;
            for dateline in [None, Some(Dateline::Wrapping), Some(Dateline::Crossed)] {
                for axis_order in [None, Some(AxisOrder::XFirst), Some(AxisOrder::XLast)] {
                    let parameters = RoutingParameters {
                        dateline: dateline.filter(|_| reads.contains(&"dateline")),
                        axis_order: axis_order.filter(|_| reads.contains(&"axis_order")),
                        ..plain.clone()
                    };
                    let verdict = check(&*built(&parameters, &grid), &grid).unwrap();
                    assert_promised(&parameters, &grid, &verdict);
                }
            }
        }
    }
}

/// Dependencies of dimension order on a mesh of two dimensions, counted by hand: straight ahead in a row
/// 2 (w - 2) h, in a column 2 (h - 2) w; and at each node a turn from each of its row's links to each of its
/// column's: 2 (w - 1) h ways to arrive along a row, 2 (h - 1) / h ways to continue in a column on average.
#[test]
fn dependencies_counted_by_hand() {
    for (w, h) in [(4, 4), (16, 16), (3, 7)] {
        let grid = mesh(&[w, h]);
        let turns = 2 * (w - 1) * 2 * (h - 1);
        let straight = 2 * (w - 2) * h + 2 * (h - 2) * w;
        let law = Verdict::Acyclic {
            channels: u64::from(2 * (w - 1) * h + 2 * (h - 1) * w),
            dependencies: u64::from(turns + straight),
        };
        let routing = built(&named("dimension-order", 1), &grid);
        assert_eq!(check(&*routing, &grid), Ok(law));
    }
}

/// Four packets that turn left, or right, around a square.
#[test]
fn fully_adaptive_packets_wait_around_a_square() {
    for grid in [mesh(&[2, 2]), mesh(&[5, 4]), mesh(&[3, 3, 3])] {
        let routing = built(&named("fully-adaptive", 1), &grid);
        let Ok(Verdict::Circle(circle)) = check(&*routing, &grid) else {
            panic!("{grid:?} is said to be free of deadlock");
        };
        assert_eq!(circle.why, WhyCircle::Adaptive);
        assert_eq!(circle.held.len(), 4, "{circle}");
    }
}

#[test]
fn a_circle_in_words() {
    let grid = mesh(&[2, 2]);
    let routing = built(&named("fully-adaptive", 1), &grid);
    let text = check(&*routing, &grid).unwrap().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "may deadlock: packets in 4 virtual channels can wait for each other in a circle:"
    );
    assert_eq!(lines.len(), 6, "{text}");
    for line in &lines[1..5] {
        // On two by two nodes a waiting packet goes to the opposite node.
        let known = [
            "  node 0 (0, 0) east, channel 0: a packet to node 3 (1, 1) waits for",
            "  node 1 (1, 0) south, channel 0: a packet to node 2 (0, 1) waits for",
            "  node 3 (1, 1) west, channel 0: a packet to node 0 (0, 0) waits for",
            "  node 2 (0, 1) north, channel 0: a packet to node 1 (1, 0) waits for",
            "  node 0 (0, 0) south, channel 0: a packet to node 3 (1, 1) waits for",
            "  node 2 (0, 1) east, channel 0: a packet to node 1 (1, 0) waits for",
            "  node 3 (1, 1) north, channel 0: a packet to node 0 (0, 0) waits for",
            "  node 1 (1, 0) west, channel 0: a packet to node 2 (0, 1) waits for",
        ];
        assert!(known.contains(line), "{text}");
    }
    assert_eq!(Some(lines[5]), lines[1].split(':').next());
}

#[test]
fn large_networks_are_refused() {
    let too_large = |grid: &Grid, channels| {
        let routing = built(&named("dimension-order", channels), grid);
        check(&*routing, grid).unwrap_err()
    };
    assert_eq!(
        too_large(&mesh(&[4097]), 1),
        CheckError::TooLarge {
            what: "nodes",
            found: 4097,
            allowed: MAX_CHECKED_NODES.into(),
        }
    );
    // 4,096 destinations times 4,096 nodes of 24 ports with 32 channels.
    let error = too_large(&mesh(&[2; 12]), 32);
    assert_eq!(
        error,
        CheckError::TooLarge {
            what: "heads",
            found: 4096 * 4096 * 24 * 32,
            allowed: 1 << 32,
        }
    );
    let text = "the network is too large to check: 12884901888 heads; allowed: 4294967296";
    assert_eq!(error.to_string(), text);
}
