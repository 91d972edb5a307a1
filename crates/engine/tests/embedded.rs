//! An embedded network comes to what a run of a trace with its packets comes to, however it is advanced.

use flitwork_engine::{Advanced, Awake, Delivery, Embedded, Engine, InjectError, Plain};
use flitwork_network::{Load, Network};
use flitwork_node::{Event, Posting, Probe, Stepped, Streamed, draw_below};
use flitwork_router::chaos::{self, Chaos, ChaosParameters, Counted, Stamped};
use flitwork_router::deflection::{Deflection, DeflectionParameters};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::scheduled::{Schedule, Scheduled};
use flitwork_router::wormhole::{self, Switching, Wormhole, WormholeParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{CsvReader, NodeMap, TraceOptions, TraceWorkload};
use flitwork_types::{Cycle, NodeId, PacketId};
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// Numbers drawn for a case.
struct Drawn(u32, u32);

impl Drawn {
    fn below(&mut self, bound: u32) -> u32 {
        self.1 += 1;
        draw_below(bound, 5, NodeId(self.0), Cycle::ZERO, self.1)
    }
}

/// Packets on a network, by the cycles for which they are made.
struct Case {
    number: u32,
    grid: Grid,
    latency: u32,
    packets: Vec<(u32, NodeId, NodeId, u16)>,
    /// The run ends before this cycle, whatever is under way.
    end: Cycle,
}

impl Case {
    /// Packets of up to so many words.
    fn drawn(number: u32, longest: u16) -> Case {
        let mut drawn = Drawn(number, 0);
        let grid = match drawn.below(3) {
            0 => Grid::torus(&[3 + drawn.below(3), 3]),
            1 => Grid::mesh(&[2 + drawn.below(4), 2 + drawn.below(4)]),
            _ => Grid::mesh(&[2, 2, 3]),
        };
        let grid = grid.unwrap();
        let nodes = grid.nodes();
        let count = [0, 1, 40, 300][drawn.below(4) as usize];
        let spread = [1, 60, 500, 20_000][drawn.below(4) as usize];
        let mut packet = || {
            let source = drawn.below(nodes);
            let destination = (source + 1 + drawn.below(nodes - 1)) % nodes;
            let words = 1 + drawn.below(longest.into()) as u16;
            (
                drawn.below(spread),
                NodeId(source),
                NodeId(destination),
                words,
            )
        };
        let mut packets: Vec<_> = (0..count).map(|_| packet()).collect();
        packets.sort_by_key(|packet| packet.0);
        let end = match drawn.below(2) {
            0 => 1 + drawn.below(spread + 100),
            _ => 1_000_000,
        };
        Case {
            latency: 1 + drawn.below(3),
            number,
            grid,
            packets,
            end: Cycle(end),
        }
    }

    fn network<R>(&self, router: impl FnOnce(Grid) -> R) -> Network<Grid, R> {
        Network {
            topology: self.grid.clone(),
            router: router(self.grid.clone()),
            link_latency_cycles: self.latency,
        }
    }

    /// The packets as a trace.
    fn trace(&self) -> Load {
        let mut text = String::from("cycle,src,dst,words\n");
        for (cycle, source, destination, words) in &self.packets {
            writeln!(text, "{cycle},{source},{destination},{words}").unwrap();
        }
        let nodes = self.grid.nodes();
        let reader = CsvReader::new(std::io::Cursor::new(text.into_bytes()), nodes).unwrap();
        let map = NodeMap::in_order(nodes, nodes).unwrap();
        let workload = TraceWorkload::new(Box::new(reader), map, TraceOptions::default());
        Load::until(Box::new(workload.unwrap()), self.end)
    }

    /// Holds the network against runs of the trace, in strides of many lengths.
    fn holds(&self, network: impl Fn() -> Embedded<Digest>, expected: &Ran) {
        for round in 0..3 {
            let mut drawn = Drawn(self.number, 1000 + 10_000 * round);
            let ran = self.drive(network(), &mut drawn);
            let told = format!("case {}, round {round}, {:?}", self.number, self.grid);
            assert_eq!(ran.deliveries, expected.deliveries, "{told}");
            assert_eq!(ran.digest, expected.digest, "{told}");
        }
    }

    fn drive(&self, mut network: Embedded<Digest>, drawn: &mut Drawn) -> Ran {
        let (mut packets, mut deliveries) = (self.packets.iter().peekable(), Vec::new());
        let reach = [1, 2, 10, 1000][drawn.below(4) as usize];
        while network.cycle() < self.end {
            let stride = match drawn.below(8) {
                0..3 => 1,
                3..6 => 1 + drawn.below(reach),
                6 => 1 + drawn.below(5000),
                _ if reach == 1 => 1 + drawn.below(100),
                _ => 2_000_000,
            };
            // What is made before the next stop must be given now, and more may be.
            let stop = network
                .cycle()
                .get()
                .saturating_add(stride)
                .min(self.end.get());
            let known = stop + drawn.below(50);
            while let Some(packet) = packets.next_if(|packet| packet.0 < known) {
                let (cycle, source, destination, words) = *packet;
                let cycle = Cycle(cycle);
                let given = match cycle == network.cycle() {
                    true => network.inject(source, destination, words),
                    false => network.inject_at(cycle, source, destination, words),
                };
                given.unwrap();
            }
            assert_eq!(network.advance(Cycle(stop)), Advanced::Reached);
            assert_eq!(network.cycle(), Cycle(stop));
            let before = deliveries.len();
            deliveries.extend(network.deliveries());
            assert!(
                deliveries[before..]
                    .iter()
                    .all(|it| it.delivered <= network.cycle())
            );
        }
        let given = self.packets.len() - packets.count();
        assert_eq!(network.in_flight() as usize, given - deliveries.len());
        Ran {
            digest: network.into_probe(),
            deliveries,
        }
    }
}

/// What a run has come to.
#[derive(Debug, Default, PartialEq)]
struct Ran {
    digest: Digest,
    deliveries: Vec<Delivery>,
}

impl Probe for Ran {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.digest.event(node, cycle, event);
        if let Event::Delivered { packet } = event {
            self.deliveries.push(Delivery {
                packet: packet.id,
                destination: packet.destination,
                words: packet.words,
                created: packet.created,
                injected: packet.injected,
                delivered: cycle,
                hops: packet.hops,
                deroutes: packet.deroutes,
            });
        }
    }
}

fn ran<E: Engine<Probe = Ran>>(mut engine: E) -> Ran {
    engine.run(&mut |_| ControlFlow::Continue(()));
    let mut ran = engine.into_probe();
    ran.deliveries.sort_by_key(|it| (it.delivered, it.packet));
    ran
}

/// Holds a router against its traces, where it is stepped.
fn stepped<R>(case: &Case, router: impl Fn(Grid) -> R) -> Ran
where
    R: Stepped + Send + 'static,
{
    let network = || case.network(&router);
    let expected = ran(Plain::new(&network(), case.trace(), Ran::default(), 1));
    let awake = ran(Awake::new(&network(), case.trace(), Ran::default()));
    assert_eq!(awake, expected);
    case.holds(
        || Embedded::stepped(network(), Digest::default()),
        &expected,
    );
    if case.end < Cycle(30_000) {
        let shuffle = case.number.into();
        case.holds(
            || Embedded::plain(network(), Digest::default(), shuffle),
            &expected,
        );
    }
    expected
}

fn streamed<R>(case: &Case, router: impl Fn(Grid) -> R, expected: &Ran)
where
    R: Streamed + Send + 'static,
{
    let network = || Embedded::streamed(case.network(&router), Digest::default());
    case.holds(network, expected);
}

fn posted<R>(case: &Case, router: impl Fn(Grid) -> R, expected: &Ran)
where
    R: Posting + Send + 'static,
{
    let network = || Embedded::posted(case.network(&router), Digest::default());
    case.holds(network, expected);
}

fn chaos_parameters(case: &Case) -> ChaosParameters {
    let mut parameters = ChaosParameters::chinn_1995(case.grid.ports());
    parameters.packet_words = 1 + (case.number % 7) as u16;
    parameters.frame_words = parameters.packet_words;
    parameters
}

#[test]
fn chaos() {
    for number in 0..60 {
        // Its packets are filled up to the router's own length.
        let case = Case::drawn(number, 1 + (number % 7) as u16);
        let parameters = || chaos_parameters(&case);
        let expected = stepped(&case, |grid| {
            Chaos::<_, chaos::Any<Counted>>::new(grid, parameters(), 1)
        });
        let stamped = |grid| Chaos::<_, chaos::Any<Stamped>>::new(grid, parameters(), 1);
        streamed(&case, stamped, &expected);
    }
}

#[test]
fn greedy_hp() {
    for case in (100..160).map(|number| Case::drawn(number, 1)) {
        let expected = stepped(&case, |grid| GreedyHp::new(grid, 1));
        streamed(&case, |grid| GreedyHp::new(grid, 1), &expected);
    }
}

#[test]
fn deflection() {
    for case in (200..260).map(|number| Case::drawn(number, 5)) {
        let parameters = match case.number % 2 {
            0 => DeflectionParameters::flit_bless(),
            _ => DeflectionParameters::worm_bless(),
        };
        stepped(&case, |grid| Deflection::new(grid, parameters.clone(), 1));
    }
}

fn wormhole_parameters(number: u32) -> WormholeParameters {
    let mut drawn = Drawn(number, 100);
    WormholeParameters {
        buffer_words: 5 + drawn.below(4) as u16,
        switching: [Switching::Wormhole, Switching::CutThrough][drawn.below(2) as usize],
        traversal_cycles: drawn.below(3),
        credit_cycles: drawn.below(3),
        injection_cycles: drawn.below(3),
        ..WormholeParameters::default()
    }
}

fn worms<N>(grid: Grid, parameters: WormholeParameters) -> Wormhole<Grid, N> {
    let routing = RoutingParameters {
        name: "dimension-order".into(),
        channels: parameters.vcs,
        seed: 1,
        ..RoutingParameters::default()
    };
    let routing = build_routing(&routing, &grid).unwrap();
    Wormhole::new(grid, parameters, routing)
}

#[test]
fn wormhole() {
    let mut planes = 0;
    for case in (300..360).map(|number| Case::drawn(number, 5)) {
        let parameters = || wormhole_parameters(case.number);
        let any = |grid| worms::<wormhole::Any>(grid, parameters());
        let expected = stepped(&case, any);
        if wormhole::Plane::fits(case.grid.ports() + 1, &parameters()) {
            planes += 1;
            let plane = |grid| worms::<wormhole::Plane>(grid, parameters());
            posted(&case, plane, &expected);
        }
    }
    assert!(planes > 10, "{planes}");
}

fn network<R>(grid: Grid, router: R) -> Network<Grid, R> {
    Network {
        topology: grid,
        router,
        link_latency_cycles: 1,
    }
}

fn lone(router: DeflectionParameters) -> Embedded<Digest> {
    let grid = Grid::mesh(&[4, 4]).unwrap();
    let router = Deflection::new(grid.clone(), router, 1);
    Embedded::stepped(network(grid, router), Digest::default())
}

#[test]
fn nothing_happens_where_nothing_is_injected() {
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
    network.inject(NodeId(0), NodeId(5), 1).unwrap();
    assert_eq!(network.advance(Cycle(100)), Advanced::Reached);
    assert_eq!(network.advance(Cycle(50)), Advanced::Reached);
    assert_eq!(network.cycle(), Cycle(100));
    assert_eq!(network.deliveries().count(), 1);
}

#[test]
fn packets_that_it_does_not_take_are_refused_and_change_nothing() {
    let mut network = lone(DeflectionParameters::flit_bless());
    network.advance(Cycle(10));
    let first = network.inject_at(Cycle(20), NodeId(0), NodeId(15), 2);
    let source = NodeId(0);
    assert_eq!(first, Ok(PacketId { source, serial: 0 }));
    let mut refused = |cycle: u32, from: u32, to: u32, words: u16| {
        let given = network.inject_at(Cycle(cycle), NodeId(from), NodeId(to), words);
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
    for (told, expected) in refusals {
        assert_eq!(told, expected);
    }
    assert_eq!(network.in_flight(), 1);
    assert_eq!(network.advance(Cycle(1000)), Advanced::Reached);
    let delivery = network.deliveries().next().unwrap();
    assert_eq!((delivery.packet.serial, delivery.created), (0, Cycle(20)));
    assert_eq!((delivery.words, delivery.hops), (2, 6));
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
        let mut network = Embedded::stepped(network(grid(), router), ());
        let given = network.inject(NodeId(0), NodeId(1), words);
        assert_eq!(given, Err(InjectError::Length { words, longest }));
        assert!(network.inject(NodeId(0), NodeId(1), longest).is_ok());
    }
    let scheduled = Scheduled::new(grid(), Schedule::new(&grid(), 1, Vec::new()).unwrap());
    let given = Embedded::stepped(network(grid(), scheduled), ()).inject(NodeId(0), NodeId(1), 1);
    assert_eq!(
        given.unwrap_err().to_string(),
        "the router takes only the packets that it was built for"
    );
}

/// Fills a network until nothing in it can move, and holds that this is reported, with what each packet waits for.
fn gets_stuck(mut network: Embedded<Digest>, words: u16, pairs: impl Iterator<Item = (u32, u32)>) {
    let mut given = 0;
    for (source, destination) in pairs.filter(|(source, destination)| source != destination) {
        network
            .inject(NodeId(source), NodeId(destination), words)
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
    // It says so as often as it is asked.
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
        Network {
            topology: grid.clone(),
            router: Wormhole::new(grid.clone(), parameters.clone(), routing),
            link_latency_cycles: 1,
        }
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
    gets_stuck(Embedded::stepped(any(), digest()), 12, anywhere());
    gets_stuck(Embedded::plain(any(), digest(), 1), 12, anywhere());
    let plane = worms::<wormhole::Plane>(&grid, &parameters, &routing);
    gets_stuck(Embedded::posted(plane, digest()), 12, anywhere());

    let grid = Grid::torus(&[8, 8]).unwrap();
    let mut parameters = ChaosParameters::chinn_1995(4);
    parameters.derouting = false;
    fn chaos<N>(grid: &Grid, parameters: &ChaosParameters) -> Network<Grid, Chaos<Grid, N>> {
        Network {
            topology: grid.clone(),
            router: Chaos::new(grid.clone(), parameters.clone(), 1),
            link_latency_cycles: 1,
        }
    }
    let counted = || chaos::<chaos::Any<Counted>>(&grid, &parameters);
    gets_stuck(Embedded::stepped(counted(), digest()), 1, reversed());
    gets_stuck(Embedded::plain(counted(), digest(), 1), 1, reversed());
    let stamped = chaos::<chaos::Any<Stamped>>(&grid, &parameters);
    gets_stuck(Embedded::streamed(stamped, digest()), 1, reversed());
}
