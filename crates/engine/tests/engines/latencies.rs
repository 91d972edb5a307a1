//! Graphs whose links have latencies of their own: all engines give one digest, and lone packets and busy
//! links take the number of cycles derived by hand.

use flitwork_engine::{
    Clocked, Ended, Engine, EventDriven, MailEngine, Plain, TimestampEngine, can_post,
};
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{Event, Probe, TimestampRouter, WordRouter, draw_below};
use flitwork_router::chaos::{self, Chaos, ChaosParameters, TimestampFlow, WordFlow};
use flitwork_router::deflection::{Deflection, DeflectionParameters};
use flitwork_router::greedy_hp::{Assignment, GreedyHp};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::wormhole::{self, Wormhole, WormholeParameters};
use flitwork_topology::{Graph, Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{AnyPattern, Bernoulli, Uniform};
use flitwork_types::{Cycle, NodeId, Port};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The latencies that links are drawn from: none of their own, the least, some, more than a packet's words,
/// and large.
const LATENCIES: [Option<u32>; 7] = [None, None, Some(1), Some(2), Some(3), Some(17), Some(150)];
const PERIOD_PS: u64 = 1000;

/// A random graph, and the other properties of a case.
struct Case {
    graph: Graph,
    /// The latency of links without one of their own.
    latency: u32,
    words: u16,
    seed: u64,
    inject_until: Cycle,
    end: Cycle,
}

/// The draws of one case, one after the other.
fn drawing(number: u32) -> impl FnMut(u32) -> u32 {
    let mut draws = 0;
    move |bound| {
        draws += 1;
        draw_below(bound, 23, NodeId(number), Cycle::ZERO, draws)
    }
}

/// A tree of 2 to 9 nodes with additional links, some of them parallel.
fn random_graph(below: &mut impl FnMut(u32) -> u32) -> Graph {
    let nodes = 2 + below(8);
    let mut graph = Graph::of_nodes(nodes).unwrap();
    let mut ports = vec![0; nodes as usize];
    let mut link = |one: u32, other: u32, cycles| {
        let mut end = |node: u32| {
            let port = &mut ports[node as usize];
            *port += 1;
            (NodeId(node), Port(*port - 1))
        };
        graph.link(end(one), end(other), cycles).unwrap();
    };
    let latency = |below: &mut dyn FnMut(u32) -> u32| LATENCIES[below(7) as usize];
    for node in 1..nodes {
        link(node, below(node), latency(below));
    }
    for _ in 0..below(nodes + 2) {
        let one = below(nodes);
        let other = (one + 1 + below(nodes - 1)) % nodes;
        link(one, other, latency(below));
    }
    graph.build().unwrap()
}

impl Case {
    fn random(number: u32) -> Case {
        let mut below = drawing(number);
        Case {
            graph: random_graph(&mut below),
            latency: 1 + below(4),
            words: 1 + below(12) as u16,
            seed: number.into(),
            inject_until: Cycle(400),
            end: Cycle(4000),
        }
    }

    fn network<T: Clone, R>(&self, topology: &T, router: impl FnOnce(T) -> R) -> Network<T, R> {
        Network::new(topology.clone(), router(topology.clone()), self.latency)
    }

    fn demand(&self, words: u16) -> Demand {
        let pattern = AnyPattern::from(Uniform::default())
            .build(&self.graph, self.seed)
            .unwrap();
        let rate = 0.5 / f64::from(words);
        let nodes = self.graph.nodes();
        let sources = Bernoulli::new(pattern, rate, self.inject_until, self.seed, nodes);
        Demand {
            workload: Box::new(sources.unwrap().of_words(words)),
            inject_until: self.inject_until,
            end: self.end,
            review: None,
            is_task: false,
            reports_waits: true,
        }
    }

    /// Clocks that all tick at the same instants.
    fn clocks(&self) -> Clocks {
        let clock = Periodic::new(PERIOD_PS, 0);
        Clocks {
            nominal_ps: PERIOD_PS,
            domains: vec![Clock::Periodic(clock)],
            domain_of: vec![0; self.graph.nodes() as usize],
            links: LinkTiming::wires(PERIOD_PS * u64::from(self.latency), 5000, 2),
            seed: self.seed,
        }
    }

    fn describe(&self) -> String {
        let Case { graph, latency, .. } = self;
        let links = (0..graph.nodes()).map(NodeId).flat_map(|node| {
            let ports = graph.links(node);
            let links: Vec<_> = ports
                .iter()
                .map(|port| {
                    (
                        node.0,
                        graph.neighbour(node, port),
                        graph.link_cycles(node, port),
                    )
                })
                .collect();
            links
        });
        let links: Vec<_> = links.collect();
        format!("{} words, latency {latency}, {links:?}", self.words)
    }

    /// The digest of the engines that step nodes, which all agree.
    fn by_words<R>(&self, words: u16, router: impl FnOnce(Graph) -> R) -> Digest
    where
        R: WordRouter + Send + 'static,
    {
        let network = Arc::new(self.network(&self.graph, router));
        let demand = || self.demand(words);
        let plain = digest(Plain::new(
            network.clone(),
            demand(),
            Digest::default(),
            self.seed,
        ));
        let awake = digest(EventDriven::new(
            network.clone(),
            demand(),
            Digest::default(),
        ));
        assert_eq!(awake, plain, "awake, {}", self.describe());
        let clocked = Clocked::new(
            network,
            self.clocks(),
            demand(),
            Digest::default(),
            self.seed,
        );
        assert_eq!(digest(clocked), plain, "clocked, {}", self.describe());
        plain
    }

    fn by_timestamps<R>(&self, words: u16, router: impl FnOnce(Graph) -> R) -> Digest
    where
        R: TimestampRouter + Send + 'static,
    {
        let network = self.network(&self.graph, router);
        digest(TimestampEngine::new(
            network,
            self.demand(words),
            Digest::default(),
        ))
    }
}

fn digest<E: Engine<Probe = Digest>>(mut engine: E) -> Digest {
    engine.run(&mut |_| ControlFlow::Continue(()));
    let digest = Box::new(engine).into_probe();
    assert_ne!(digest, Digest::default(), "nothing happened");
    digest
}

fn chaos_of(graph: &Graph, words: u16) -> ChaosParameters {
    let mut parameters = ChaosParameters::chinn_1995(graph.ports());
    parameters.packet_words = words;
    parameters.input_release_cycles = parameters.least_release_cycles() + 1;
    parameters.check().unwrap();
    parameters
}

#[test]
fn chaos() {
    for case in (0..40).map(Case::random) {
        let (seed, words) = (case.seed, case.words);
        let parameters = || chaos_of(&case.graph, words);
        let stepped = case.by_words(words, |graph| {
            Chaos::<_, chaos::Any<WordFlow>>::new(graph, parameters(), seed)
        });
        let streamed = case.by_timestamps(words, |graph| {
            Chaos::<_, chaos::Any<TimestampFlow>>::new(graph, parameters(), seed)
        });
        assert_eq!(streamed, stepped, "fast, {}", case.describe());
    }
}

#[test]
fn greedy_hp() {
    for case in (100..140).map(Case::random) {
        let seed = case.seed;
        for assignment in &Assignment::ALL {
            case.by_words(1, |graph| GreedyHp::new(graph, seed).assigning(*assignment));
        }
    }
}

#[test]
fn deflection() {
    for case in (200..230).map(Case::random) {
        for parameters in [
            DeflectionParameters::flit_bless(),
            DeflectionParameters::worm_bless(),
        ] {
            case.by_words(case.words, |graph| {
                Deflection::new(graph, parameters.clone(), case.seed)
            });
        }
    }
}

/// A grid given as tables, with random link latencies: its routing function is the grid's.
#[test]
fn wormhole() {
    let mut posted = 0;
    for number in 300..330 {
        let mut below = drawing(number);
        let sides: Vec<u32> = (0..1 + below(2)).map(|_| 2 + below(3)).collect();
        let grid = Grid::mesh(&sides).unwrap();
        let most = [3, 7][below(2) as usize];
        let mut graph = Graph::of_nodes(grid.nodes()).unwrap();
        for node in (0..grid.nodes()).map(NodeId) {
            for port in grid.links(node).iter() {
                let far = grid.far(node, port).unwrap();
                if (node, port) < far {
                    let cycles = LATENCIES[below(most) as usize];
                    graph.link((node, port), far, cycles).unwrap();
                }
            }
        }
        let graph = graph.build().unwrap();
        let case = Case {
            graph: graph.clone(),
            ..Case::random(number)
        };
        let parameters = WormholeParameters::default;
        let routing = || {
            let parameters = RoutingParameters {
                name: "dimension-order".into(),
                channels: parameters().vcs,
                seed: case.seed,
                ..RoutingParameters::default()
            };
            build_routing(&parameters, &grid).unwrap()
        };
        let stepped = case.by_words(case.words, |graph| {
            Wormhole::<_, wormhole::Any>::new(graph, parameters(), routing())
        });
        let router = |graph| Wormhole::<_, wormhole::Plane>::new(graph, parameters(), routing());
        if graph.ports() == 4 {
            let network = case.network(&case.graph, router);
            // With longer latencies than the ring, the other engines run it.
            let is_short = *case.graph.latencies(case.latency).end() <= 10;
            if can_post(&network) {
                posted += usize::from(case.graph.has_own_latencies());
                let demand = case.demand(case.words);
                let by_mail = digest(MailEngine::new(network, demand, Digest::default()));
                assert_eq!(by_mail, stepped, "posted, {}", case.describe());
            } else {
                assert!(!is_short, "{}", case.describe());
            }
        }
    }
    assert!(posted > 3, "{posted} cases");
}

/// Records the cycles of deliveries, and of heads that leave node 0 over a link.
#[derive(Default)]
struct Kept {
    delivered: Vec<u32>,
    heads: Vec<u32>,
}

impl Probe for Kept {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Delivered { .. } => self.delivered.push(cycle.get()),
            Event::Head { port, .. } if node == NodeId(0) && port == Port(0) => {
                self.heads.push(cycle.get());
            }
            _ => {}
        }
    }
}

/// Two nodes and one link.
fn pair(cycles: Option<u32>) -> Graph {
    let mut graph = Graph::of_nodes(2).unwrap();
    let ends = [0, 1].map(|node| (NodeId(node), Port(0)));
    graph.link(ends[0], ends[1], cycles).unwrap();
    graph.build().unwrap()
}

fn kept(graph: &Graph, rate: f64) -> (Kept, Ended) {
    let parameters = chaos_of(graph, 10);
    let network = Network::new(
        graph.clone(),
        Chaos::<_, chaos::Any<WordFlow>>::new(graph.clone(), parameters, 5),
        2,
    );
    let pattern = AnyPattern::from(Uniform::default())
        .build(graph, 5)
        .unwrap();
    let sources = Bernoulli::new(pattern, rate, Cycle(20_000), 5, graph.nodes()).unwrap();
    let demand = Demand {
        workload: Box::new(sources.of_words(10)),
        inject_until: Cycle(20_000),
        end: Cycle(200_000),
        review: None,
        is_task: false,
        reports_waits: true,
    };
    let mut engine = Plain::new(network, demand, Kept::default(), 5);
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    (Box::new(engine).into_probe(), outcome.ended)
}

/// An input frame that a decision at t releases returns a credit that leaves at t + 12 (packets of 10 words,
/// a decision latency of 3: over a link of one cycle the next packet arrives at t + 14 at the earliest). Over
/// a link of L cycles the credit arrives at t + 12 + L, and the next head at t + 12 + 2 L: on a busy link
/// heads follow each other every 12 + 2 L cycles, if that is more than the 13 of an output frame.
#[test]
fn a_credit_returns_with_its_links_latency() {
    for (own, cycles) in [(None, 2), (Some(1), 1), (Some(5), 5), (Some(40), 40)] {
        let (kept, _) = kept(&pair(own), 1.0 / 10.0);
        let between = kept.heads.windows(2).map(|two| two[1] - two[0]);
        assert_eq!(between.min(), Some(12 + 2 * cycles), "{own:?}");
        assert!(kept.heads.len() > 50);
    }
}

/// A line of links that take 1, 9, 30 and, by default, 2 cycles. At a load at which packets hardly meet
/// nothing is lost, whatever the links on the way.
#[test]
fn everything_that_enters_is_delivered() {
    let mut graph = Graph::of_nodes(5).unwrap();
    for (node, cycles) in (0..).zip([Some(1), Some(9), Some(30), None]) {
        let next = (NodeId(node + 1), Port(0));
        graph.link((NodeId(node), Port(1)), next, cycles).unwrap();
    }
    let (kept, ended) = kept(&graph.build().unwrap(), 0.002);
    assert_eq!(ended, Ended::Empty);
    assert!(kept.delivered.len() > 100);
}
