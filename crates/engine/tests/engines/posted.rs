//! The engine that posts messages ahead against the plain one, with wormhole routers of many parameters.

use flitwork_engine::{Ended, Engine, EventDriven, MailEngine, Outcome, Plain, can_post};
use flitwork_network::{Demand, Network};
use flitwork_node::draw_below;
use flitwork_router::allocate::{ALLOCATORS, Allocator, MatrixFirst};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::wormhole::{
    Counting, FirstTurn, Narrow, Plane, PortOrder, Reallocation, Speculation, Switching, Wormhole,
    WormholeParameters,
};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{
    AnyPattern, Batch, BatchParameters, Bernoulli, ReplyParameters, Uniform, Workload,
};
use flitwork_types::{Cycle, NodeId};
use std::ops::ControlFlow;
use std::sync::Arc;

type Machine<N> = Arc<Network<Grid, Wormhole<Grid, N>>>;

fn machine<N>(
    grid: &Grid,
    parameters: WormholeParameters,
    latency: u32,
    routing: &str,
) -> Machine<N> {
    let routing = RoutingParameters {
        name: routing.into(),
        channels: parameters.vcs,
        seed: 1,
        ..RoutingParameters::default()
    };
    parameters.check(5).unwrap();
    let routing = build_routing(&routing, grid).unwrap();
    let router = Wormhole::new(grid.clone(), parameters, routing);
    Arc::new(Network::new(grid.clone(), router, latency))
}

fn uniform(grid: &Grid) -> Box<dyn flitwork_traffic::Pattern> {
    AnyPattern::from(Uniform::default()).build(grid, 0).unwrap()
}

fn bernoulli(grid: &Grid, rate: f64, words: u16, until: Cycle) -> Box<dyn Workload> {
    let sources = Bernoulli::new(uniform(grid), rate, until, 1, grid.nodes()).unwrap();
    Box::new(sources.of_words(words))
}

fn requests(grid: &Grid, words: u16) -> Box<dyn Workload> {
    let parameters = BatchParameters {
        requests: 20,
        outstanding: Some(2),
        request_words: 1,
        reply: Some(ReplyParameters {
            words,
            service_cycles: 3,
        }),
    };
    Box::new(Batch::new(parameters, uniform(grid), 1, grid.nodes()).unwrap())
}

fn run<E: Engine>(mut engine: E) -> (Outcome, E::Probe, usize) {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    let waits = engine.waits().len();
    (outcome, Box::new(engine).into_probe(), waits)
}

/// Random numbers for a case.
struct CaseDraws(u32, u32);

impl CaseDraws {
    fn below(&mut self, bound: u32) -> u32 {
        self.1 += 1;
        draw_below(bound, 7, NodeId(self.0), Cycle::ZERO, self.1)
    }
}

fn parameters(draws: &mut CaseDraws) -> WormholeParameters {
    let allocator = |draws: &mut CaseDraws| match draws.below(8) {
        6 => Allocator::Islip(2),
        7 => Allocator::Islip(1),
        number => ALLOCATORS[number as usize].allocator,
    };
    let speculative = draws.below(3) == 0;
    WormholeParameters {
        vcs: 2 + draws.below(3) as u8,
        buffer_words: [1, 2, 5, 8, 12][draws.below(5) as usize],
        switching: [
            Switching::Wormhole,
            Switching::Wormhole,
            Switching::CutThrough,
            Switching::StoreAndForward,
        ][draws.below(4) as usize],
        reallocation: [Reallocation::TailSent, Reallocation::BufferEmpty][draws.below(2) as usize],
        route_cycles: draws.below(3),
        vc_allocation_cycles: if speculative { 0 } else { draws.below(3) },
        switch_allocation_cycles: draws.below(3),
        traversal_cycles: draws.below(3),
        credit_cycles: draws.below(4),
        injection_cycles: draws.below(3),
        speculative,
        vc_allocator: allocator(draws),
        switch_allocator: allocator(draws),
        matrix_first: [MatrixFirst::Lowest, MatrixFirst::Highest][draws.below(2) as usize],
        speculation: [
            Speculation::After,
            Speculation::Beside,
            Speculation::Together,
        ][draws.below(3) as usize],
        first_turn: [FirstTurn::Link, FirstTurn::Local][draws.below(2) as usize],
        port_order: [PortOrder::Compass, PortOrder::Pairs][draws.below(2) as usize],
        ..WormholeParameters::default()
    }
}

#[test]
fn reports_what_the_plain_engine_reports() {
    for case in 0..400 {
        let mut draws = CaseDraws(case, 0);
        let parameters = parameters(&mut draws);
        let (grid, routing) = match draws.below(3) {
            0 => (Grid::torus(&[4, 4]).unwrap(), "dimension-order"),
            1 => (Grid::mesh(&[5, 3]).unwrap(), "minimal-adaptive"),
            _ => (Grid::mesh(&[4, 4]).unwrap(), "fully-adaptive"),
        };
        let most = match parameters.switching {
            Switching::Wormhole => 12,
            _ => parameters.buffer_words.into(),
        };
        let words = 1 + draws.below(most) as u16;
        let latency = 1 + draws.below(3);
        let narrow = machine::<Narrow>(&grid, parameters.clone(), latency, routing);
        let machine = machine::<Plane>(&grid, parameters.clone(), latency, routing);
        assert!(can_post(&machine));
        let rate = [0.01, 0.05, 0.2][draws.below(3) as usize];
        let until = Cycle(200 + draws.below(100));
        let end = until + draws.below(2) * 500;
        let closed = draws.below(4) == 0;
        let demand = || Demand {
            workload: if closed {
                requests(&grid, words)
            } else {
                bernoulli(&grid, rate, words, until)
            },
            inject_until: until,
            end,
            review: None,
            is_task: closed,
            reports_waits: true,
        };
        let plain = run(Plain::new(
            machine.clone(),
            demand(),
            Digest::default(),
            case.into(),
        ));
        let awake = run(EventDriven::new(
            machine.clone(),
            demand(),
            Digest::default(),
        ));
        let posted = run(MailEngine::new(machine, demand(), Digest::default()));
        // Five ports of three channels have exactly as many lanes as the narrow shape.
        assert_eq!(Narrow::fits((5, 1), &parameters), parameters.vcs <= 3);
        let posted = match Narrow::fits((5, 1), &parameters) && case % 2 == 0 {
            true => run(MailEngine::new(narrow, demand(), Digest::default())),
            false => posted,
        };
        let what = format!("case {case}: {parameters:?}, {grid:?}, latency {latency}");
        assert_eq!(posted.1, plain.1, "{what}");
        assert_eq!(awake.1, plain.1, "{what}");
        assert_eq!(posted.0.backlog, plain.0.backlog, "{what}");
        assert_eq!(posted.0.ended, awake.0.ended, "{what}");
        assert_eq!(posted.2, awake.2, "{what}");
    }
}

/// Credits of ejection that are counted, and more virtual channels than the smaller shapes have.
#[test]
fn counted_credits_are_what_the_plain_engine_counts() {
    for case in 0..100 {
        let mut draws = CaseDraws(case, 50);
        let parameters = WormholeParameters {
            vcs: 2 + draws.below(5) as u8,
            buffer_words: [1, 2, 3, 5, 8][draws.below(5) as usize],
            ejection_credits: true,
            ..parameters(&mut draws)
        };
        let (grid, routing) = match draws.below(2) {
            0 => (Grid::torus(&[4, 4]).unwrap(), "dimension-order"),
            _ => (Grid::mesh(&[5, 3]).unwrap(), "minimal-adaptive"),
        };
        let most = match parameters.switching {
            Switching::Wormhole => 12,
            _ => parameters.buffer_words.into(),
        };
        let words = 1 + draws.below(most) as u16;
        let machine = machine::<Counting>(&grid, parameters.clone(), 1, routing);
        assert!(can_post(&machine));
        let rate = [0.02, 0.2][draws.below(2) as usize];
        let demand = || Demand::until(bernoulli(&grid, rate, words, Cycle(250)), Cycle(250));
        let plain = Plain::new(machine.clone(), demand(), Digest::default(), case.into());
        let (plain, posted) = (
            run(plain),
            run(MailEngine::new(machine, demand(), Digest::default())),
        );
        let what = format!("case {case}: {parameters:?}, {grid:?}");
        assert_eq!(
            (posted.1, posted.0.backlog),
            (plain.1, plain.0.backlog),
            "{what}"
        );
    }
}

#[test]
fn buffers_are_as_long_as_they_can_be_counted() {
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let parameters = |buffer_words| WormholeParameters {
        buffer_words,
        ..WormholeParameters::default()
    };
    assert!(!Narrow::fits((5, 1), &parameters(256)) && !Narrow::fits((7, 1), &parameters(8)));
    assert!(Plane::fits((5, 1), &parameters(256)));
    let until = Cycle(20_000);
    // Worms that are long, and so many that buffers fill up.
    let demand = || Demand::until(bernoulli(&grid, 0.005, 400, until), until);
    let plain = machine::<Plane>(&grid, parameters(255), 1, "dimension-order");
    let plain = run(Plain::new(plain, demand(), Digest::default(), 1));
    let narrow = machine::<Narrow>(&grid, parameters(255), 1, "dimension-order");
    let narrow = run(MailEngine::new(narrow, demand(), Digest::default()));
    assert_eq!((narrow.0.backlog, narrow.1), (plain.0.backlog, plain.1));
}

#[test]
fn an_idle_network_is_not_stepped() {
    let grid = Grid::mesh(&[32, 32]).unwrap();
    let machine = machine::<Narrow>(&grid, WormholeParameters::default(), 1, "dimension-order");
    let end = Cycle(1_000_000_000);
    let demand = Demand::until(bernoulli(&grid, 0.0, 10, end), end);
    let (outcome, _, _) = run(MailEngine::new(machine, demand, ()));
    assert_eq!((outcome.ended, outcome.steps), (Ended::Empty, 0));
}

#[test]
fn a_node_takes_at_most_two_kilobytes() {
    let grid = Grid::mesh(&[32, 32]).unwrap();
    let machine = machine::<Narrow>(&grid, WormholeParameters::default(), 1, "dimension-order");
    let end = Cycle(1000);
    let demand = Demand::until(bernoulli(&grid, 0.01, 10, end), end);
    let mut engine = MailEngine::new(machine, demand, ());
    engine.run(&mut |_| ControlFlow::Continue(()));
    let bytes = engine.bytes_a_node();
    assert!(bytes <= 2048, "{bytes} bytes a node");
}
