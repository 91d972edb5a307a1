//! What an embedded network refuses, and what it reports when it can't continue.

use super::starts::{plain, posted, stepped, streamed};
use super::worms;
use flitwork_engine::{Advanced, Embedded, InjectError};
use flitwork_network::Network;
use flitwork_node::draw_below;
use flitwork_router::chaos::{self, Chaos, ChaosParameters, TimestampFlow, WordFlow};
use flitwork_router::deflection::{Deflection, DeflectionParameters};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::scheduled::{Schedule, Scheduled};
use flitwork_router::wormhole::{self, Switching, Wormhole, WormholeParameters};
use flitwork_topology::{Graph, Grid};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, NodeId, PacketId, TerminalId};

fn network<R>(grid: Grid, router: R) -> Network<Grid, R> {
    Network::new(grid, router, 1)
}

fn lone(router: DeflectionParameters) -> Embedded<Digest> {
    let grid = Grid::mesh(&[4, 4]).unwrap();
    let router = Deflection::new(grid.clone(), router, 1);
    stepped(network(grid, router), Digest::default())
}

#[test]
fn nothing_happens_if_nothing_is_injected() {
    let mut network = lone(DeflectionParameters::flit_bless());
    for until in [0, 1, 2, 1_000_000, 4_000_000_000] {
        assert_eq!(network.advance(Cycle(until)), Advanced::Reached);
        assert_eq!(network.cycle(), Cycle(until));
        assert_eq!(network.deliveries().count(), 0);
    }
    assert_eq!(network.advance(Cycle(4_000_000_001)), Advanced::OutOfTime);
    assert_eq!(network.cycle(), Cycle::LAST);
    assert_eq!(network.into_probe(), Digest::default());
}

#[test]
fn time_never_goes_back() {
    let mut network = lone(DeflectionParameters::flit_bless());
    network.inject(TerminalId(0), TerminalId(5), 1).unwrap();
    assert_eq!(network.advance(Cycle(100)), Advanced::Reached);
    assert_eq!(network.advance(Cycle(50)), Advanced::Reached);
    assert_eq!(network.cycle(), Cycle(100));
    assert_eq!(network.deliveries().count(), 1);
}

#[test]
fn packets_that_it_does_not_take_are_refused_and_change_nothing() {
    let mut network = lone(DeflectionParameters::flit_bless());
    network.advance(Cycle(10));
    let first = network.inject_at(Cycle(20), TerminalId(0), TerminalId(15), 2);
    let source = TerminalId(0);
    assert_eq!(first, Ok(PacketId { source, serial: 0 }));
    let mut refused = |cycle: u32, from: u32, to: u32, words: u16| {
        let given = network.inject_at(Cycle(cycle), TerminalId(from), TerminalId(to), words);
        given.unwrap_err().to_string()
    };
    let refusals = [
        (
            refused(20, 16, 0, 1),
            "there is no node 16: nodes are 0 to 15",
        ),
        (
            refused(20, 0, 99, 1),
            "there is no node 99: nodes are 0 to 15",
        ),
        (
            refused(20, 3, 3, 1),
            "a packet from node 3 to itself needs no network",
        ),
        (
            refused(20, 1, 2, 0),
            "the router takes packets of 1 to 65535 words, not of 0",
        ),
        (
            refused(9, 1, 2, 1),
            "cycle 9 has passed: the network is in cycle 10",
        ),
        (
            refused(19, 0, 2, 1),
            "cycle 19 lies before cycle 20 of the source's latest packet",
        ),
        (
            refused(4_000_000_000, 0, 2, 1),
            "cycle 4000000000 is too late: a run ends before cycle 4000000000",
        ),
    ];
    for (message, expected) in refusals {
        assert_eq!(message, expected);
    }
    assert_eq!(network.in_flight(), 1);
    assert_eq!(network.advance(Cycle(1000)), Advanced::Reached);
    let delivery = network.deliveries().next().unwrap();
    assert_eq!((delivery.packet.serial, delivery.created), (0, Cycle(20)));
    assert_eq!((delivery.words, delivery.hops), (2, 6));
}

#[test]
fn packets_begin_and_end_at_terminals() {
    let mut star = Graph::of_nodes(4).unwrap();
    for leaf in 1..4 {
        star.join(NodeId(0), NodeId(leaf)).unwrap();
    }
    star.set_terminals((1..4).map(NodeId)).unwrap();
    let star = star.build().unwrap();
    let network = Network::new(star.clone(), GreedyHp::new(star.clone(), 1), 1);
    let mut network = stepped(network, ());
    // The switch is no terminal: there are three.
    for (from, to) in [(0, 3), (3, 0)] {
        let refused = network.inject(TerminalId(from), TerminalId(to), 1);
        let node = TerminalId(3);
        assert_eq!(refused, Err(InjectError::NoSuchNode { node, nodes: 3 }));
    }
    network.inject(TerminalId(0), TerminalId(2), 1).unwrap();
    assert_eq!(network.advance(Cycle(100)), Advanced::Reached);
    assert_eq!(network.deliveries().next().unwrap().hops, 2);
}

#[test]
fn a_router_takes_only_packets_that_fit_it() {
    let grid = || Grid::mesh(&[3, 3]).unwrap();
    let mut parameters = WormholeParameters {
        buffer_words: 4,
        ..WormholeParameters::default()
    };
    for (switching, words, longest) in [
        (Switching::CutThrough, 5, 4),
        (Switching::StoreAndForward, 5, 4),
    ] {
        parameters.switching = switching;
        let router = worms::<wormhole::Any>(grid(), parameters.clone());
        let mut network = stepped(network(grid(), router), ());
        let given = network.inject(TerminalId(0), TerminalId(1), words);
        assert_eq!(given, Err(InjectError::Length { words, longest }));
        assert!(
            network
                .inject(TerminalId(0), TerminalId(1), longest)
                .is_ok()
        );
    }
    let scheduled = Scheduled::new(grid(), Schedule::new(&grid(), 1, 0, Vec::new()).unwrap());
    let given = stepped(network(grid(), scheduled), ()).inject(TerminalId(0), TerminalId(1), 1);
    assert_eq!(
        given.unwrap_err().to_string(),
        "the router takes only the packets that it was built for"
    );
}

/// Fills a network until nothing in it can move, and verifies that this is reported, with what each packet
/// waits for.
fn gets_stuck(mut network: Embedded<Digest>, words: u16, pairs: impl Iterator<Item = (u32, u32)>) {
    let mut given = 0;
    for (source, destination) in pairs.filter(|(source, destination)| source != destination) {
        network
            .inject(TerminalId(source), TerminalId(destination), words)
            .unwrap();
        given += 1;
    }
    let advanced = network.advance(Cycle(3_000_000_000));
    assert_eq!(advanced, Advanced::Stuck, "{network:?}");
    assert!(network.cycle() < Cycle(3_000_000_000));
    let delivered = network.deliveries().count() as u64;
    assert_eq!(network.in_flight(), given - delivered);
    let mut waiting: Vec<_> = network.waits().iter().map(|wait| wait.packet).collect();
    waiting.sort_unstable();
    waiting.dedup();
    assert!(waiting.len() > 1 && waiting.len() as u64 <= network.in_flight());
    // It says so each time it is asked.
    let now = network.cycle();
    assert_eq!(network.advance(now + 1), Advanced::Stuck);
}

#[test]
fn a_deadlock_is_reported() {
    let grid = Grid::torus(&[6, 6]).unwrap();
    let parameters = WormholeParameters {
        vcs: 1,
        buffer_words: 2,
        ..WormholeParameters::default()
    };
    let routing = RoutingParameters {
        name: "fully-adaptive".into(),
        channels: 1,
        ..RoutingParameters::default()
    };
    fn worms<N>(
        grid: &Grid,
        parameters: &WormholeParameters,
        routing: &RoutingParameters,
    ) -> Network<Grid, Wormhole<Grid, N>> {
        let routing = build_routing(routing, grid).unwrap();
        Network::new(
            grid.clone(),
            Wormhole::new(grid.clone(), parameters.clone(), routing),
            1,
        )
    }
    let digest = Digest::default;
    let anywhere = || {
        (0..1440).map(|packet: u32| {
            let to = draw_below(36, 3, NodeId(packet % 36), Cycle(packet), 0);
            (packet % 36, to)
        })
    };
    // The bits of a node's number in reverse.
    let reversed =
        || (0..64 * 250).map(|packet: u32| (packet % 64, (packet % 64).reverse_bits() >> 26));
    let any = || worms::<wormhole::Any>(&grid, &parameters, &routing);
    gets_stuck(stepped(any(), digest()), 12, anywhere());
    gets_stuck(plain(any(), digest(), 1), 12, anywhere());
    let plane = worms::<wormhole::Plane>(&grid, &parameters, &routing);
    gets_stuck(posted(plane, digest()), 12, anywhere());

    let grid = Grid::torus(&[8, 8]).unwrap();
    let mut parameters = ChaosParameters::chinn_1995(4);
    parameters.derouting = false;
    fn chaos<N>(grid: &Grid, parameters: &ChaosParameters) -> Network<Grid, Chaos<Grid, N>> {
        Network::new(
            grid.clone(),
            Chaos::new(grid.clone(), parameters.clone(), 1),
            1,
        )
    }
    let counted = || chaos::<chaos::Any<WordFlow>>(&grid, &parameters);
    gets_stuck(stepped(counted(), digest()), 1, reversed());
    gets_stuck(plain(counted(), digest(), 1), 1, reversed());
    let stamped = chaos::<chaos::Any<TimestampFlow>>(&grid, &parameters);
    gets_stuck(streamed(stamped, digest()), 1, reversed());
}
