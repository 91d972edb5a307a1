//! Wormhole routers explained: before each step a node is looked at, and its step is explained. A model that is fed with
//! the step's details alone must hold what the node shows, and the step must do what was said, for the reasons that the
//! book gives.

mod case;
mod model;
mod posted;
mod reasons;
mod verdict;
mod watched;

use flitwork_engine::{Clocked, Engine, EventDriven, Plain};
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{Cause, WordRouter, draw_below};
use flitwork_router::allocate::{ALLOCATORS, Allocator, MatrixFirst};
use flitwork_router::routing::{Freedom, ROUTINGS, Routing, RoutingParameters, Sees};
use flitwork_router::wormhole::{
    Any, Counting, FirstTurn, Narrow, PortOrder, Reallocation, Speculation, Switching, Wormhole,
    WormholeParameters,
};
use flitwork_topology::{Graph, Grid, Shape, Topology};
use flitwork_traffic::{AnyPattern, Bernoulli, Once, StaticPacket, Uniform, Workload};
use flitwork_types::{Cycle, NodeId, Port, TerminalId};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use verdict::Tally;
use watched::Watched;

/// Random numbers for a case.
pub(super) struct CaseDraws(u32, u32);

impl CaseDraws {
    fn below(&mut self, bound: u32) -> u32 {
        self.1 += 1;
        draw_below(bound, 19, NodeId(self.0), Cycle::ZERO, self.1)
    }

    fn one_of<X: Copy>(&mut self, choices: &[X]) -> X {
        choices[self.below(choices.len() as u32) as usize]
    }
}

/// A network, its router, and what it carries.
#[derive(Debug)]
pub(super) struct Setting {
    shape: Shape,
    parameters: WormholeParameters,
    routing: RoutingParameters,
    latency: u32,
    /// All packets of a case are made at first, or those of a length one after the other.
    packets: Vec<StaticPacket>,
    later_words: Option<u16>,
    end: Cycle,
}

fn drawn_parameters(draws: &mut CaseDraws) -> WormholeParameters {
    // Each kind of speculation by each allocator, and none as often.
    let number = draws.0 as usize;
    let allocator = |number: usize, draws: &mut CaseDraws| match ALLOCATORS
        [number % ALLOCATORS.len()]
    .allocator
    {
        Allocator::Islip(_) => Allocator::Islip(draws.one_of(&[1, 1, 2, 3])),
        other => other,
    };
    let round = number / ALLOCATORS.len();
    let speculation = [
        Speculation::After,
        Speculation::Beside,
        Speculation::Together,
    ][round % 3];
    let speculative = (round / 3).is_multiple_of(2);
    let switch_allocation_cycles = draws.one_of(&[0, 1, 1, 2, 3]);
    let vc_allocation_cycles = draws.one_of(&[0, 1, 1, 2]);
    WormholeParameters {
        vcs: 1 + draws.below(4) as u8,
        buffer_words: draws.one_of(&[1, 2, 3, 5, 8]),
        switching: draws.one_of(&[
            Switching::Wormhole,
            Switching::Wormhole,
            Switching::CutThrough,
            Switching::StoreAndForward,
        ]),
        reallocation: draws.one_of(&[Reallocation::TailSent, Reallocation::BufferEmpty]),
        route_cycles: draws.one_of(&[0, 1, 1, 2]),
        vc_allocation_cycles: match speculative {
            true => vc_allocation_cycles.min(switch_allocation_cycles),
            false => vc_allocation_cycles,
        },
        switch_allocation_cycles,
        traversal_cycles: draws.one_of(&[0, 1, 1, 2]),
        credit_cycles: draws.below(4),
        injection_cycles: draws.below(4),
        speculative,
        vc_allocator: allocator(number + round, draws),
        switch_allocator: allocator(number, draws),
        matrix_first: draws.one_of(&[MatrixFirst::Lowest, MatrixFirst::Highest]),
        speculation,
        ejection_credits: draws.below(2) == 0,
        port_order: PortOrder::Compass,
        first_turn: FirstTurn::Link,
    }
}

/// A ring with chords, some of whose links have latencies of their own.
fn drawn_graph(draws: &mut CaseDraws) -> Graph {
    let nodes = 4 + draws.below(5);
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
    for node in 0..nodes {
        link(
            node,
            (node + 1) % nodes,
            draws.one_of(&[None, Some(1), Some(3)]),
        );
    }
    for _ in 0..draws.below(4) {
        let one = draws.below(nodes);
        let other = (one + 1 + draws.below(nodes - 1)) % nodes;
        link(one, other, None);
    }
    graph.build().unwrap()
}

fn drawn_shape(draws: &mut CaseDraws) -> Shape {
    match draws.below(6) {
        0 | 1 => Grid::mesh(&[3, 3]).unwrap().into(),
        2 => Grid::torus(&[3, 4]).unwrap().into(),
        3 => Grid::mesh(&[2, 3, 2]).unwrap().into(),
        4 => Grid::torus(&[5]).unwrap().into(),
        _ => drawn_graph(draws).into(),
    }
}

/// A routing function that the network allows, with as many channels as it needs at least.
fn drawn_routing(shape: &Shape, vcs: &mut u8, draws: &mut CaseDraws) -> RoutingParameters {
    // Without a file there is no table.
    let all = ROUTINGS.iter().filter(|it| it.freedom != Freedom::Checked);
    let needs = all.filter_map(|entry| {
        let least = entry.needs.on_shape(shape)?;
        let is_blind = (least..=8).any(|channels| named(entry.name, channels, shape).is_some());
        is_blind.then_some((entry.name, least))
    });
    let (name, least) = draws.one_of(&needs.collect::<Vec<_>>());
    *vcs = (*vcs).max(least);
    // A function may need more channels on a network than on others of its kind.
    while *vcs < 8 && named(name, *vcs, shape).is_none() {
        *vcs += 1;
    }
    RoutingParameters {
        name: name.into(),
        channels: *vcs,
        seed: 1,
        ..RoutingParameters::default()
    }
}

fn named(name: &str, channels: u8, shape: &Shape) -> Option<Box<dyn Routing>> {
    let parameters = RoutingParameters {
        name: name.into(),
        channels,
        seed: 1,
        ..RoutingParameters::default()
    };
    let entry = ROUTINGS.iter().find(|it| it.name == name)?;
    let built = entry.build(&parameters, shape).ok()?;
    // What sees queues chooses by what these nodes don't show before a step.
    (built.sees() == Sees::Nothing).then_some(built)
}

impl Setting {
    pub(super) fn drawn(number: u32) -> Setting {
        let mut draws = CaseDraws(number, 0);
        let mut parameters = drawn_parameters(&mut draws);
        let shape = drawn_shape(&mut draws);
        if shape.grid().is_some() {
            parameters.port_order = draws.one_of(&[PortOrder::Compass, PortOrder::Pairs]);
            parameters.first_turn = draws.one_of(&[FirstTurn::Link, FirstTurn::Local]);
        }
        let routing = drawn_routing(&shape, &mut parameters.vcs, &mut draws);
        parameters.check(shape.ports() + 1).unwrap();
        let most = match parameters.switching {
            Switching::Wormhole => draws.one_of(&[1, 4, 12]),
            _ => parameters.buffer_words.into(),
        };
        let nodes = shape.nodes();
        let hot = draws.below(nodes);
        let packet = |number: u32| {
            let from = number % nodes;
            let to = match draws.below(3) {
                0 => hot,
                _ => draws.below(nodes),
            };
            (
                TerminalId(from),
                TerminalId(to),
                1 + draws.below(most) as u16,
            )
        };
        let packets = (0..nodes * 10).map(packet);
        let packets = packets.filter(|(from, to, _)| from != to).collect();
        Setting {
            shape,
            parameters,
            routing,
            latency: 1 + number % 3,
            packets,
            later_words: (draws.below(2) == 0).then(|| 1 + draws.below(most) as u16),
            end: Cycle(400),
        }
    }

    fn routing(&self) -> Box<dyn Routing> {
        let Setting { routing, shape, .. } = self;
        named(&routing.name, routing.channels, shape).unwrap()
    }

    pub(super) fn router<N>(&self) -> Wormhole<Shape, N> {
        Wormhole::new(self.shape.clone(), self.parameters.clone(), self.routing())
    }

    pub(super) fn demand(&self) -> Demand {
        let workload: Box<dyn Workload> = match self.later_words {
            None => Box::new(Once::of_packets(self.packets.clone())),
            Some(words) => {
                let pattern = AnyPattern::from(Uniform::default());
                let pattern = pattern.build(&self.shape, 1).unwrap();
                let (rate, nodes) = (0.4 / f64::from(words), self.shape.nodes());
                let sources = Bernoulli::new(pattern, rate, Cycle(250), 1, nodes).unwrap();
                Box::new(sources.of_words(words))
            }
        };
        Demand::until(workload, self.end)
    }

    fn watched<R: WordRouter>(&self, router: R) -> Arc<Network<Shape, Watched<R>>> {
        let watched = Watched {
            router,
            shape: self.shape.clone(),
            parameters: self.parameters.clone(),
            routing: self.routing(),
            tally: Mutex::default(),
        };
        Arc::new(Network::new(self.shape.clone(), watched, self.latency))
    }

    /// Clocks of different speeds, and links that hold few words: words come with gaps, and links refuse some.
    fn clocks(&self) -> Clocks {
        let domain = |index: u64| Clock::Periodic(Periodic::new(1000 + 170 * index, 17 * index));
        let nodes = self.shape.nodes();
        Clocks {
            nominal_ps: 1000,
            domains: (0..3).map(domain).collect(),
            domain_of: (0..nodes).map(|node| node % 3).collect(),
            links: LinkTiming::wires(1000, 2, 2),
            seed: 1,
        }
    }

    /// Runs the network on the engine of this number, every step explained.
    fn run<R: WordRouter + Send + 'static>(&self, router: R, engine: u32) -> Tally {
        let network = self.watched(router);
        let go_on = &mut |_| ControlFlow::Continue(());
        match engine {
            0 => Plain::new(network.clone(), self.demand(), (), 1).run(go_on),
            1 => EventDriven::new(network.clone(), self.demand(), ()).run(go_on),
            _ => Clocked::new(network.clone(), self.clocks(), self.demand(), (), 1).run(go_on),
        };
        let network = Arc::into_inner(network).unwrap();
        network.router.tally.into_inner().unwrap()
    }
}

/// The cases of these numbers, on an engine, and what was seen in them.
fn explained(cases: std::ops::Range<u32>, engine: u32) -> Tally {
    let mut all = Tally::default();
    for number in cases {
        let setting = Setting::drawn(number);
        let ports = setting.shape.ports() + 1;
        let tally = if Narrow::fits((ports, 1), &setting.parameters) {
            setting.run(setting.router::<Narrow>(), engine)
        } else if Counting::fits((ports, 1), &setting.parameters) {
            setting.run(setting.router::<Counting>(), engine)
        } else {
            setting.run(setting.router::<Any>(), engine)
        };
        all.add(tally);
    }
    all
}

/// Every cause, every rule and every kind of decision has been seen often; the culprit, if there may be one, and none.
fn has_seen_everything(tally: &Tally) {
    let Tally {
        causes,
        culprits,
        rules,
        ..
    } = tally;
    use Cause::*;
    for cause in [SourceQueue, ChannelOrSwitch, Ejection, LostDecision] {
        let (all, blamed) = (causes[&cause], culprits[&cause]);
        assert!(blamed > 100 && all - blamed > 20, "{cause:?}: {tally:?}");
    }
    for cause in [Pipeline, WordsBehind, NoCredit, BehindAnother] {
        assert!(causes[&cause] > 1000, "{cause:?}: {tally:?}");
    }
    assert_eq!(culprits[&BehindAnother], causes[&BehindAnother]);
    // Six allocators, of channels and of the switch in four ways, and two rules for the source.
    assert_eq!(rules.len(), ALLOCATORS.len() * 5 + 2, "{tally:?}");
    assert!(rules.values().all(|count| *count > 20), "{tally:?}");
    assert!(tally.contested > 1000 && tally.at_once > 1000, "{tally:?}");
    assert!(tally.deroutes > 100, "{tally:?}");
}

#[test]
fn what_a_step_does_was_said_on_the_plain_engine() {
    has_seen_everything(&explained(0..72, 0));
}

#[test]
fn what_a_step_does_was_said_on_the_engine_that_skips() {
    has_seen_everything(&explained(1008..1080, 1));
}

#[test]
fn what_a_step_does_was_said_under_clocks() {
    let tally = explained(2016..2088, 2);
    has_seen_everything(&tally);
    assert!(tally.causes[&Cause::Crossing] > 100, "{tally:?}");
}
