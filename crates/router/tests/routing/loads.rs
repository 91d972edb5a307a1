//! Channel load: numbers that are derived by hand, and flows against walks that share no code with them.

mod drawn;
mod walked;

use crate::common::{mesh, named, torus};
use crate::families::{built, network};
use flitwork_router::routing::{
    AnyFunction, Basis, ChannelLoad, Demand, NearestCommonAncestor, Routing, RoutingParameters,
    ShortestPaths, Unloaded, Up, build_routing, channel_load,
};
use flitwork_topology::{Shape, Spread, Topology};
use flitwork_types::{Duplex, NodeId, TerminalId};
use std::ops::ControlFlow;

/// Every other terminal alike.
fn uniform(_: TerminalId) -> Option<Spread> {
    Some(Spread {
        others: 1.0,
        single: Vec::new(),
    })
}

fn load_of(
    routing: &dyn Routing,
    shape: &Shape,
    spread: impl Fn(TerminalId) -> Option<Spread>,
) -> ChannelLoad {
    let demand = Demand::of(shape, spread).unwrap();
    let watch = &mut |_, _| ControlFlow::Continue(());
    let load = channel_load(routing, (shape, Duplex::Full), &demand, 1 << 30, watch);
    load.unwrap_or_else(|why| panic!("{shape:?}: {why}"))
}

/// The load under a function with its fewest channels.
fn load(
    function: &str,
    shape: &Shape,
    spread: impl Fn(TerminalId) -> Option<Spread>,
) -> ChannelLoad {
    load_of(&*built(function, shape).1, shape, spread)
}

/// Each terminal sends to its image.
fn to(image: impl Fn(u32) -> u32) -> impl Fn(TerminalId) -> Option<Spread> {
    move |source| {
        let image = TerminalId(image(source.0));
        Some(Spread::to((image != source).then_some(image)))
    }
}

/// Each terminal of a group sends to any of the next one.
fn adversarial(group: u32, groups: u32) -> impl Fn(TerminalId) -> Option<Spread> {
    move |source| {
        let first = (source.0 / group + 1) % groups * group;
        Some(Spread::alike((first..first + group).map(TerminalId)))
    }
}

#[track_caller]
fn hold(load: &ChannelLoad, busiest: f64, basis: Basis) {
    let apart = (load.busiest - busiest).abs();
    assert!(apart < 1e-9, "{} for {busiest}", load.busiest);
    assert_eq!(load.basis, basis);
}

/// The link in the middle of a line of k nodes carries words of k / 2 sources to the k * k / 2 nodes beyond, each one of k * k - 1
/// destinations.
#[test]
fn a_mesh_in_dimension_order() {
    for k in [2, 4, 8] {
        let shape = Shape::from(mesh(&[k, k]));
        let side = f64::from(k);
        let expected = side.powi(3) / 4.0 / (side * side - 1.0);
        for function in ["dimension-order", "o1turn"] {
            hold(&load(function, &shape, uniform), expected, Basis::Exact);
        }
        let queues = ShortestPaths::in_order(&shape).function;
        hold(&load_of(&*queues, &shape, uniform), expected, Basis::Exact);
    }
}

/// A word has k / 4 hops in each dimension, half of them each way, and none goes home: k / 8 * N / (N - 1).
#[test]
fn a_torus_in_dimension_order() {
    for k in [4, 8] {
        let shape = Shape::from(torus(&[k, k]));
        let nodes = f64::from(k * k);
        let expected = f64::from(k) / 8.0 * nodes / (nodes - 1.0);
        for function in ["dimension-order", "o1turn"] {
            hold(&load(function, &shape, uniform), expected, Basis::Exact);
        }
        let split = load("minimal-adaptive", &shape, uniform);
        hold(&split, expected, Basis::EvenSplit);
        // Twice uniform traffic, but for a packet that draws its own node or its destination, or comes by it.
        let twice = load("valiant", &shape, uniform).busiest;
        assert!(twice < 2.0 * expected && twice > 1.7 * expected, "{twice}");
    }
}

/// Half of all words change each dimension.
#[test]
fn a_hypercube() {
    let shape = network("hypercube", &[("dimensions", &[5])]);
    for function in ["dimension-order", "minimal-adaptive"] {
        let found = load(function, &shape, uniform);
        assert!(
            (found.busiest - 16.0 / 31.0).abs() < 1e-9,
            "{}",
            found.busiest
        );
        assert_eq!(found.throughput(), 1.0);
    }
}

/// Each word goes three links on around a ring of eight. By way of a random node both directions carry as much, and less; nothing that goes
/// straight makes that better.
#[test]
fn a_tornado_on_a_ring() {
    let shape = Shape::from(torus(&[8]));
    let tornado = |function| load(function, &shape, to(|at| (at + 3) % 8));
    hold(&tornado("dimension-order"), 3.0, Basis::Exact);
    let by_way = tornado("valiant");
    assert!(by_way.busiest < 2.0, "{}", by_way.busiest);
    hold(&tornado("ugal-l"), by_way.busiest, Basis::BestMix(1.0));
    let spread = load("ugal-l", &shape, uniform);
    hold(&spread, 8.0 / 7.0, Basis::BestMix(0.0));
}

/// From the nodes (0, y) to (i, y) of row y there are i + 1 words to turn beyond, if y > i; the last column's row has seven.
#[test]
fn a_transposed_mesh() {
    let shape = Shape::from(mesh(&[8, 8]));
    let transpose = || to(|at| at % 8 * 8 + at / 8);
    let found = load("dimension-order", &shape, transpose());
    hold(&found, 7.0, Basis::Exact);
    assert_eq!((found.senders, found.received), (56, 1.0));
    // Half of the packets x first: half of both.
    hold(&load("o1turn", &shape, transpose()), 3.5, Basis::Exact);
}

/// All words of a group share the link to the next: a p of them, 1 / (a h) if p = h (Kim and others 2008, section 4.2). By way of a random
/// node they are spread over all groups twice: each of G groups has 1 / G of the nodes, so a global link has a p / G words of its own group that go
/// first to a node beyond and as many that come from there.
#[test]
fn a_dragonfly() {
    for (a, h) in [(2, 1), (4, 2), (6, 3)] {
        let groups = a * h + 1;
        let keys: &[(&str, &[u64])] = &[
            ("group_nodes", &[a]),
            ("global_links", &[h]),
            ("concentration", &[h]),
        ];
        let shape = network("dragonfly", keys);
        let next = || adversarial((a * h) as u32, groups as u32);
        let (a, h, groups) = (a as f64, h as f64, groups as f64);
        hold(&load("minimal", &shape, next()), a * h, Basis::Exact);
        let by_way = load("valiant", &shape, next());
        let global = |load: &ChannelLoad| -> f64 {
            let of = |node: u32| {
                shape
                    .links(NodeId(node))
                    .iter()
                    .map(move |port| (node, port))
            };
            let all = (0..shape.nodes()).flat_map(of).filter(|(node, port)| {
                let far = shape.neighbour(NodeId(*node), *port).unwrap();
                shape.group(far) != shape.group(NodeId(*node))
            });
            let words =
                all.map(|(node, port)| load.links[node as usize * shape.ports() + port.index()]);
            words.fold(0.0, f64::max)
        };
        assert!((global(&by_way) - 2.0 * a * h / groups).abs() < 1e-9);
        assert_eq!(by_way.basis, Basis::Exact);
        let mixed = load("ugal-l", &shape, next());
        assert!(mixed.busiest <= by_way.busiest + 1e-9);
        // Each pair of groups has a link, and a h terminals for a h others of a h * G - 1.
        let spread = load("minimal", &shape, uniform);
        assert!((global(&spread) - (a * h).powi(2) / (a * h * groups - 1.0)).abs() < 1e-9);
    }
}

/// A link leads from c terminals to all nodes of one of k coordinates; to the next node go all c words.
#[test]
fn a_flattened_butterfly() {
    let k = 4;
    let shape = network("flattened-butterfly", &[("radix", &[k]), ("stages", &[3])]);
    let terminals = f64::from(shape.terminals());
    assert_eq!(terminals, 64.0);
    let found = load("dimension-order", &shape, uniform);
    hold(&found, terminals / (terminals - 1.0), Basis::Exact);
    let next = |at: u32| at / 16 * 16 + (at + 4) % 16;
    hold(
        &load("dimension-order", &shape, to(next)),
        4.0,
        Basis::Exact,
    );
}

/// Words that go up are spread over all k links of a switch, and so come down from all: no link carries more than a word, whatever the
/// permutation.
#[test]
fn a_tree_with_random_ways_up() {
    let shape = network("fat-tree", &[("radix", &[3]), ("levels", &[3])]);
    let with = |up| {
        let parameters = RoutingParameters {
            own: Some(AnyFunction::from(NearestCommonAncestor { up })),
            ..named("nearest-common-ancestor", 1)
        };
        build_routing(&parameters, shape.clone()).unwrap()
    };
    let random = with(Up::Random);
    for shift in 1..27 {
        let found = load_of(&*random, &shape, to(|at| (at + shift) % 27));
        assert!(found.busiest <= 1.0 + 1e-9, "{shift}: {}", found.busiest);
        assert_eq!((found.throughput(), found.basis), (1.0, Basis::Exact));
        let free = load_of(&*with(Up::Adaptive), &shape, to(|at| (at + shift) % 27));
        assert_eq!((free.links, free.basis), (found.links, Basis::EvenSplit));
        // By destination no two of a shift share a link down, nor a link up (Zahavi 2012).
        let fixed = load_of(&*with(Up::Destination), &shape, to(|at| (at + shift) % 27));
        assert_eq!((fixed.busiest, fixed.basis), (1.0, Basis::Exact));
    }
    let reversed = |at: u32| at % 3 * 9 + at / 3 % 3 * 3 + at / 9;
    assert!(load_of(&*random, &shape, to(reversed)).busiest <= 1.0);
}

/// A hot spot is limited by what its terminal receives, and a half-duplex link by both ways.
#[test]
fn other_limits() {
    let shape = Shape::from(mesh(&[8]));
    let hot = |source| {
        let hot = [TerminalId(0)].into_iter().filter(|hot| *hot != source);
        Some(Spread::alike(hot))
    };
    let found = load("dimension-order", &shape, hot);
    assert_eq!(
        (found.busiest, found.received, found.senders),
        (7.0, 7.0, 7)
    );
    let neighbour = |at: u32| at ^ 1;
    let demand = Demand::of(&shape, to(neighbour)).unwrap();
    let routing = built("dimension-order", &shape).1;
    let half = Duplex::Half {
        turnaround_cycles: 0,
    };
    for (duplex, expected) in [(Duplex::Full, 1.0), (half, 2.0)] {
        let watch = &mut |_, _| ControlFlow::Continue(());
        let found = channel_load(&*routing, (&shape, duplex), &demand, 100, watch).unwrap();
        assert_eq!(found.busiest, expected);
    }
}

#[test]
fn work_is_limited_and_ends_when_it_is_asked_to() {
    let shape = Shape::from(mesh(&[8, 8]));
    let demand = Demand::of(&shape, uniform).unwrap();
    for function in ["dimension-order", "valiant", "romm"] {
        let routing = built(function, &shape).1;
        let of = (&shape, Duplex::Full);
        let on = &mut |_, _| ControlFlow::Continue(());
        let found = channel_load(&*routing, of, &demand, 1000, on);
        assert_eq!(found.err(), Some(Unloaded::TooMuch { allowed: 1000 }));
        let mut passes = 0;
        let mut end = |done, of| {
            assert!(done < of);
            passes += 1;
            if passes > 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let found = channel_load(&*routing, of, &demand, 1 << 20, &mut end);
        assert_eq!(found.err(), Some(Unloaded::Stopped));
    }
    assert!(Demand::of(&shape, |_| None).is_none());
}
