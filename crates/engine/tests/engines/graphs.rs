//! A grid given as tables has the digest of the grid, on every engine and with every router that supports
//! both.

use flitwork_engine::{Clocked, Engine, EventDriven, MailEngine, Plain, TimestampEngine, can_post};
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{TimestampRouter, WordRouter, draw_below};
use flitwork_router::chaos::{self, Chaos, ChaosParameters, TimestampFlow, WordFlow};
use flitwork_router::deflection::{Deflection, DeflectionParameters};
use flitwork_router::greedy_hp::{Assignment, GreedyHp};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::wormhole::{self, Wormhole, WormholeParameters};
use flitwork_topology::{Graph, Grid, Shape, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{AnyPattern, Bernoulli, Uniform};
use flitwork_types::{Cycle, NodeId};
use std::ops::ControlFlow;
use std::sync::Arc;

const INJECT_UNTIL: Cycle = Cycle(150);

/// A random grid, and the other properties of a case.
struct Case {
    grid: Grid,
    graph: Graph,
    latency: u32,
    words: u16,
    seed: u64,
}

impl Case {
    fn random(number: u32) -> Case {
        let mut draws = 0;
        let mut below = |bound| {
            draws += 1;
            draw_below(bound, 11, NodeId(number), Cycle::ZERO, draws)
        };
        let dimensions = 1 + below(3);
        let sides: Vec<u32> = (0..dimensions).map(|_| 2 + below(3)).collect();
        let grid = match below(2) {
            0 => Grid::mesh(&sides),
            _ => Grid::torus(&sides),
        };
        let grid = grid.unwrap();
        Case {
            graph: Graph::copy_of(&grid).unwrap(),
            grid,
            latency: 1 + below(3),
            words: 1 + below(6) as u16,
            seed: number.into(),
        }
    }

    fn network<T, R>(&self, topology: &T, router: impl FnOnce(T) -> R) -> Network<T, R>
    where
        T: Topology + Clone,
    {
        Network::new(topology.clone(), router(topology.clone()), self.latency)
    }

    fn demand(&self, words: u16) -> Demand {
        let pattern = AnyPattern::from(Uniform::default())
            .build(&self.grid, self.seed)
            .unwrap();
        let rate = 0.4 / f64::from(words);
        let sources = Bernoulli::new(pattern, rate, INJECT_UNTIL, self.seed, self.grid.nodes());
        Demand {
            workload: Box::new(sources.unwrap().of_words(words)),
            inject_until: INJECT_UNTIL,
            end: Cycle(3000),
            review: None,
            is_task: false,
            reports_waits: true,
        }
    }

    /// Clocks that differ from node to node.
    fn clocks(&self) -> Clocks {
        let clock = |node: u32| {
            let (period_ps, phase_ps) = (1000 + node * 37 % 200, node * 311 % 1000);
            let clock = Periodic::new(period_ps.into(), phase_ps.into());
            Clock::Periodic(clock.with_jitter(20))
        };
        let nodes = self.grid.nodes();
        Clocks {
            nominal_ps: 1000,
            domains: (0..nodes).map(clock).collect(),
            domain_of: (0..nodes).collect(),
            links: LinkTiming::wires(1000 * u64::from(self.latency), 100, 2),
            seed: self.seed,
        }
    }

    fn by_words<T, R>(&self, words: u16, topology: &T, router: impl FnOnce(T) -> R) -> [Digest; 3]
    where
        T: Topology + Clone + Send + 'static,
        R: WordRouter + Send + 'static,
    {
        let network = Arc::new(self.network(topology, router));
        let (demand, probe) = (|| self.demand(words), Digest::default);
        [
            digest(Plain::new(network.clone(), demand(), probe(), self.seed)),
            digest(EventDriven::new(network.clone(), demand(), probe())),
            digest(Clocked::new(
                network,
                self.clocks(),
                demand(),
                probe(),
                self.seed,
            )),
        ]
    }

    fn by_timestamps<T, R>(&self, words: u16, topology: &T, router: impl FnOnce(T) -> R) -> Digest
    where
        T: Topology + Clone + Send + 'static,
        R: TimestampRouter + Send + 'static,
    {
        let network = self.network(topology, router);
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

/// Builds a router on the grid, on the graph and on the shape of either, and compares what they do. Returns it.
macro_rules! assert_same {
    ($case:expr, $run:ident, $words:expr, |$topology:ident| $router:expr) => {{
        let (case, words): (&Case, u16) = ($case, $words);
        let what = format!("{:?}, latency {}, {words} words", case.grid, case.latency);
        let on_grid = case.$run(words, &case.grid, |$topology| $router);
        let on_graph = case.$run(words, &case.graph, |$topology| $router);
        assert_eq!(on_graph, on_grid, "{what}");
        let shape = Shape::from(case.graph.clone());
        let on_shape = case.$run(words, &shape, |$topology| $router);
        assert_eq!(on_shape, on_grid, "{what}");
        on_grid
    }};
}

#[test]
fn chaos() {
    for case in (0..12).map(Case::random) {
        let seed = case.seed;
        let mut parameters = ChaosParameters::chinn_1995(case.grid.ports());
        parameters.packet_words = case.words;
        let parameters = || parameters.clone();
        let usual = assert_same!(&case, by_words, case.words, |topology| {
            Chaos::<_, chaos::Any<WordFlow>>::new(topology, parameters(), seed)
        });
        let wide = case.by_words(case.words, &case.grid, |topology| {
            Chaos::<_, chaos::Wide<WordFlow>>::new(topology, parameters(), seed)
        });
        assert_eq!(wide, usual, "with wide nodes");
        let usual = assert_same!(&case, by_timestamps, case.words, |topology| {
            Chaos::<_, chaos::Any<TimestampFlow>>::new(topology, parameters(), seed)
        });
        let wide = case.by_timestamps(case.words, &case.grid, |topology| {
            Chaos::<_, chaos::Wide<TimestampFlow>>::new(topology, parameters(), seed)
        });
        assert_eq!(wide, usual, "with wide nodes");
    }
}

#[test]
fn greedy_hp() {
    for case in (20..32).map(Case::random) {
        let seed = case.seed;
        for assignment in &Assignment::ALL {
            assert_same!(&case, by_words, 1, |topology| {
                GreedyHp::new(topology, seed).assigning(*assignment)
            });
        }
    }
}

#[test]
fn deflection() {
    for case in (40..52).map(Case::random) {
        let seed = case.seed;
        for parameters in [
            DeflectionParameters::flit_bless(),
            DeflectionParameters::worm_bless(),
        ] {
            assert_same!(&case, by_words, case.words, |topology| {
                Deflection::new(topology, parameters.clone(), seed)
            });
        }
    }
}

/// Its routing functions need coordinates: those of the grid.
#[test]
fn wormhole() {
    for case in (60..72).map(Case::random) {
        let parameters = WormholeParameters::default;
        let routing = || {
            let parameters = RoutingParameters {
                name: "dimension-order".into(),
                channels: parameters().vcs,
                seed: case.seed,
                ..RoutingParameters::default()
            };
            build_routing(&parameters, &case.grid).unwrap()
        };
        let usual = assert_same!(&case, by_words, case.words, |topology| {
            Wormhole::<_, wormhole::Any>::new(topology, parameters(), routing())
        });
        let wide = case.by_words(case.words, &case.grid, |topology| {
            Wormhole::<_, wormhole::Wide>::new(topology, parameters(), routing())
        });
        assert_eq!(wide, usual, "with wide nodes");
        let middle = case.by_words(case.words, &case.grid, |topology| {
            Wormhole::<_, wormhole::Middle>::new(topology, parameters(), routing())
        });
        assert_eq!(middle, usual, "with nodes of 64 lanes");
        if wormhole::Plane::fits((case.grid.ports() + 1, 1), &parameters()) {
            let posted = |topology| {
                let router = |topology| {
                    Wormhole::<_, wormhole::Plane>::new(topology, parameters(), routing())
                };
                let network = case.network(&topology, router);
                assert!(can_post(&network));
                digest(MailEngine::new(
                    network,
                    case.demand(case.words),
                    Digest::default(),
                ))
            };
            let on_grid = posted(Shape::from(&case.grid));
            assert_eq!(posted(Shape::from(case.graph.clone())), on_grid);
        }
    }
}
