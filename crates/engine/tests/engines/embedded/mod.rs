//! An embedded network gives the same as a run of a trace with its packets, however it is advanced.

mod refused;
pub(crate) mod starts;

use flitwork_engine::{Advanced, Delivery, Embedded, Engine, EventDriven, Plain};
use flitwork_network::{Demand, Network};
use flitwork_node::{Event, MailRouter, Probe, TimestampRouter, WordRouter, draw_below};
use flitwork_router::chaos::{self, Chaos, ChaosParameters, TimestampFlow, WordFlow};
use flitwork_router::deflection::{Deflection, DeflectionParameters};
use flitwork_router::greedy_hp::{Assignment, GreedyHp};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::wormhole::{self, Switching, Wormhole, WormholeParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{CsvReader, NodeMap, TraceOptions, TraceWorkload};
use flitwork_types::{Cycle, NodeId, TerminalId};
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// Random numbers for a case.
struct CaseDraws(u32, u32);

impl CaseDraws {
    fn below(&mut self, bound: u32) -> u32 {
        self.1 += 1;
        draw_below(bound, 5, NodeId(self.0), Cycle::ZERO, self.1)
    }
}

/// Packets on a network, by the cycles in which they are made.
struct Case {
    number: u32,
    grid: Grid,
    latency: u32,
    packets: Vec<(u32, TerminalId, TerminalId, u16)>,
    /// The run ends before this cycle, whatever is still under way.
    end: Cycle,
}

impl Case {
    /// Random packets of up to this many words.
    fn random(number: u32, longest: u16) -> Case {
        let mut draws = CaseDraws(number, 0);
        let grid = match draws.below(3) {
            0 => Grid::torus(&[3 + draws.below(3), 3]),
            1 => Grid::mesh(&[2 + draws.below(4), 2 + draws.below(4)]),
            _ => Grid::mesh(&[2, 2, 3]),
        };
        let grid = grid.unwrap();
        let nodes = grid.nodes();
        let count = [0, 1, 40, 300][draws.below(4) as usize];
        let spread = [1, 60, 500, 20_000][draws.below(4) as usize];
        let mut packet = || {
            let source = draws.below(nodes);
            let destination = (source + 1 + draws.below(nodes - 1)) % nodes;
            let words = 1 + draws.below(longest.into()) as u16;
            (
                draws.below(spread),
                TerminalId(source),
                TerminalId(destination),
                words,
            )
        };
        let mut packets: Vec<_> = (0..count).map(|_| packet()).collect();
        packets.sort_by_key(|packet| packet.0);
        let end = match draws.below(2) {
            0 => 1 + draws.below(spread + 100),
            _ => 1_000_000,
        };
        Case {
            latency: 1 + draws.below(3),
            number,
            grid,
            packets,
            end: Cycle(end),
        }
    }

    fn network<R>(&self, router: impl FnOnce(Grid) -> R) -> Network<Grid, R> {
        Network::new(self.grid.clone(), router(self.grid.clone()), self.latency)
    }

    /// The packets as a trace.
    fn trace(&self) -> Demand {
        let mut text = String::from("cycle,src,dst,words\n");
        for (cycle, source, destination, words) in &self.packets {
            writeln!(text, "{cycle},{source},{destination},{words}").unwrap();
        }
        let nodes = self.grid.nodes();
        let reader = CsvReader::new(std::io::Cursor::new(text.into_bytes()), nodes).unwrap();
        let map = NodeMap::in_order(nodes, nodes).unwrap();
        let workload = TraceWorkload::new(Box::new(reader), map, TraceOptions::default());
        Demand::until(Box::new(workload.unwrap()), self.end)
    }

    /// Compares the network with runs of the trace, in strides of many lengths.
    fn holds(&self, network: impl Fn() -> Embedded<Digest>, expected: &Ran) {
        for round in 0..3 {
            let mut draws = CaseDraws(self.number, 1000 + 10_000 * round);
            let ran = self.drive(network(), &mut draws);
            let what = format!("case {}, round {round}, {:?}", self.number, self.grid);
            assert_eq!(ran.deliveries, expected.deliveries, "{what}");
            assert_eq!(ran.digest, expected.digest, "{what}");
        }
    }

    fn drive(&self, mut network: Embedded<Digest>, draws: &mut CaseDraws) -> Ran {
        let (mut packets, mut deliveries) = (self.packets.iter().peekable(), Vec::new());
        let reach = [1, 2, 10, 1000][draws.below(4) as usize];
        while network.cycle() < self.end {
            let stride = match draws.below(8) {
                0..3 => 1,
                3..6 => 1 + draws.below(reach),
                6 => 1 + draws.below(5000),
                _ if reach == 1 => 1 + draws.below(100),
                _ => 2_000_000,
            };
            // What is made before the next stop must be given now, and more may be.
            let stop = network
                .cycle()
                .get()
                .saturating_add(stride)
                .min(self.end.get());
            let known = stop + draws.below(50);
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

/// The result of a run.
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
    let mut ran = Box::new(engine).into_probe();
    ran.deliveries.sort_by_key(|it| (it.delivered, it.packet));
    ran
}

/// Compares a router that is stepped with its traces.
fn stepped<R>(case: &Case, router: impl Fn(Grid) -> R) -> Ran
where
    R: WordRouter + Send + 'static,
{
    let network = || case.network(&router);
    let expected = ran(Plain::new(network(), case.trace(), Ran::default(), 1));
    let awake = ran(EventDriven::new(network(), case.trace(), Ran::default()));
    assert_eq!(awake, expected);
    case.holds(|| starts::stepped(network(), Digest::default()), &expected);
    if case.end < Cycle(30_000) {
        let shuffle = case.number.into();
        case.holds(
            || starts::plain(network(), Digest::default(), shuffle),
            &expected,
        );
    }
    expected
}

fn streamed<R>(case: &Case, router: impl Fn(Grid) -> R, expected: &Ran)
where
    R: TimestampRouter + Send + 'static,
{
    let network = || starts::streamed(case.network(&router), Digest::default());
    case.holds(network, expected);
}

fn posted<R>(case: &Case, router: impl Fn(Grid) -> R, expected: &Ran)
where
    R: MailRouter + Send + 'static,
{
    let network = || starts::posted(case.network(&router), Digest::default());
    case.holds(network, expected);
}

fn chaos_parameters(case: &Case) -> ChaosParameters {
    let mut parameters = ChaosParameters::chinn_1995(case.grid.ports());
    parameters.packet_words = 1 + (case.number % 7) as u16;
    parameters
}

#[test]
fn chaos() {
    for number in 0..60 {
        // Its packets are padded to the router's own length.
        let case = Case::random(number, 1 + (number % 7) as u16);
        let parameters = || chaos_parameters(&case);
        let expected = stepped(&case, |grid| {
            Chaos::<_, chaos::Any<WordFlow>>::new(grid, parameters(), 1)
        });
        let stamped = |grid| Chaos::<_, chaos::Any<TimestampFlow>>::new(grid, parameters(), 1);
        streamed(&case, stamped, &expected);
    }
}

#[test]
fn greedy_hp() {
    for case in (100..160).map(|number| Case::random(number, 1)) {
        for assignment in &Assignment::ALL {
            stepped(&case, |grid| GreedyHp::new(grid, 1).assigning(*assignment));
        }
    }
}

#[test]
fn deflection() {
    for case in (200..260).map(|number| Case::random(number, 5)) {
        let parameters = match case.number % 2 {
            0 => DeflectionParameters::flit_bless(),
            _ => DeflectionParameters::worm_bless(),
        };
        stepped(&case, |grid| Deflection::new(grid, parameters.clone(), 1));
    }
}

fn wormhole_parameters(number: u32) -> WormholeParameters {
    let mut draws = CaseDraws(number, 100);
    WormholeParameters {
        buffer_words: 5 + draws.below(4) as u16,
        switching: [Switching::Wormhole, Switching::CutThrough][draws.below(2) as usize],
        traversal_cycles: draws.below(3),
        credit_cycles: draws.below(3),
        injection_cycles: draws.below(3),
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
    for case in (300..360).map(|number| Case::random(number, 5)) {
        let parameters = || wormhole_parameters(case.number);
        let any = |grid| worms::<wormhole::Any>(grid, parameters());
        let expected = stepped(&case, any);
        if wormhole::Plane::fits((case.grid.ports() + 1, 1), &parameters()) {
            planes += 1;
            let plane = |grid| worms::<wormhole::Plane>(grid, parameters());
            posted(&case, plane, &expected);
        }
    }
    assert!(planes > 10, "{planes}");
}
