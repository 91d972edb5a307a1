//! The last cycle in which a packet may enter the network, and the last cycle of a run, on every engine.

use flitwork_engine::{Clocked, Engine, EventDriven, MailEngine, Plain, TimestampEngine};
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{Event, Place, Probe, WaitsFor};
use flitwork_router::chaos::{Chaos, ChaosParameters, Plane, TimestampFlow, WordFlow};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::wormhole::{self, Wormhole, WormholeParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{AnyPattern, Bernoulli, Uniform};
use flitwork_types::{Cycle, NodeId, PacketId, TerminalId};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// No packet is made from this cycle on.
const BIRTHS_UNTIL: Cycle = Cycle(60);

/// When each packet entered, and when each packet that never did was made.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entered {
    injected: BTreeSet<(Cycle, PacketId)>,
    left_over: Vec<(TerminalId, Cycle)>,
}

impl Probe for Entered {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        if let Event::Injected { packet } = event {
            self.injected.insert((cycle, packet.id));
        }
    }

    fn left_over(&mut self, source: TerminalId, created: Cycle, _: u16, packets: u64) {
        let alike = (0..packets).map(|_| (source, created));
        self.left_over.extend(alike);
    }
}

fn grid() -> Grid {
    Grid::mesh(&[3, 3]).unwrap()
}

fn network<R>(router: R) -> Arc<Network<Grid, R>> {
    Arc::new(Network::new(grid(), router, 1))
}

/// Packets of one word in every second cycle, so that one is made in nearly every cycle and most wait.
fn demand(inject_until: Cycle) -> Demand {
    let pattern = AnyPattern::from(Uniform::default())
        .build(&grid(), 0)
        .unwrap();
    let sources = Bernoulli::new(pattern, 0.5, BIRTHS_UNTIL, 1, grid().nodes()).unwrap();
    Demand {
        workload: Box::new(sources),
        inject_until,
        end: Cycle(10_000),
        review: None,
        is_task: false,
        reports_waits: true,
    }
}

fn entered<E: Engine<Probe = Entered>>(mut engine: E) -> Entered {
    engine.run(&mut |_| ControlFlow::Continue(()));
    let mut entered = Box::new(engine).into_probe();
    entered.left_over.sort_unstable();
    entered
}

fn one_clock() -> Clocks {
    let clock = Periodic::new(1000, 0);
    Clocks {
        nominal_ps: 1000,
        domains: vec![Clock::Periodic(clock)],
        domain_of: vec![0; 9],
        links: LinkTiming::wires(1000, 100, 2),
        seed: 1,
    }
}

/// What happens before a cycle doesn't depend on whether packets may enter from then on: with entry until
/// cycle c, exactly those packets enter that enter before c if entry isn't limited.
fn enters_until(engine: &str, run: impl Fn(Demand) -> Entered) {
    let free = run(demand(Cycle(10_000)));
    assert!(free.injected.len() > 50 && free.left_over.is_empty());
    for until in (0..BIRTHS_UNTIL.get() + 3).map(Cycle) {
        let cut = run(demand(until));
        let expected: BTreeSet<_> = free
            .injected
            .iter()
            .filter(|(cycle, _)| *cycle < until)
            .copied()
            .collect();
        assert_eq!(cut.injected, expected, "{engine} until {until}");
        let made = free.injected.len();
        let all = cut.injected.len() + cut.left_over.len();
        assert_eq!(all, made, "{engine} until {until}");
    }
    // In most cycles some packet is the first one that is too late.
    let cycles: BTreeSet<Cycle> = free.injected.iter().map(|(cycle, _)| *cycle).collect();
    assert!(cycles.len() > 20, "{engine}: {cycles:?}");
}

#[test]
fn no_packet_enters_greedy_hp_from_the_forbidden_cycle_on() {
    let machine = network(GreedyHp::new(grid(), 1));
    let probe = Entered::default;
    enters_until("plain", |demand| {
        entered(Plain::new(machine.clone(), demand, probe(), 1))
    });
    enters_until("awake", |demand| {
        entered(EventDriven::new(machine.clone(), demand, probe()))
    });
    enters_until("clocked", |demand| {
        let machine = machine.clone();
        entered(Clocked::new(machine, one_clock(), demand, probe(), 1))
    });
}

#[test]
fn no_packet_enters_a_chaos_network_from_the_forbidden_cycle_on() {
    let parameters = ChaosParameters::chinn_1995(4);
    let counted = network(Chaos::<_, Plane<WordFlow>>::new(
        grid(),
        parameters.clone(),
        1,
    ));
    let stamped = network(Chaos::<_, Plane<TimestampFlow>>::new(grid(), parameters, 1));
    let probe = Entered::default;
    enters_until("plain", |demand| {
        entered(Plain::new(counted.clone(), demand, probe(), 1))
    });
    enters_until("fast", |demand| {
        entered(TimestampEngine::new(stamped.clone(), demand, probe()))
    });
    enters_until("awake", |demand| {
        entered(EventDriven::new(counted.clone(), demand, probe()))
    });
    enters_until("clocked", |demand| {
        let machine = counted.clone();
        entered(Clocked::new(machine, one_clock(), demand, probe(), 1))
    });
}

#[test]
fn no_packet_enters_a_wormhole_network_from_the_forbidden_cycle_on() {
    let parameters = WormholeParameters::default();
    let routing = RoutingParameters {
        name: "dimension-order".into(),
        channels: parameters.vcs,
        seed: 1,
        ..RoutingParameters::default()
    };
    let routing = build_routing(&routing, grid()).unwrap();
    let router = Wormhole::<_, wormhole::Plane>::new(grid(), parameters, routing);
    let machine = network(router);
    let probe = Entered::default;
    enters_until("plain", |demand| {
        entered(Plain::new(machine.clone(), demand, probe(), 1))
    });
    enters_until("posted", |demand| {
        entered(MailEngine::new(machine.clone(), demand, probe()))
    });
    enters_until("awake", |demand| {
        entered(EventDriven::new(machine.clone(), demand, probe()))
    });
    enters_until("clocked", |demand| {
        let machine = machine.clone();
        entered(Clocked::new(machine, one_clock(), demand, probe(), 1))
    });
}

/// What packets wait for at the end of a run, and where.
fn waiting<E: Engine>(mut engine: E) -> Vec<(NodeId, PacketId, Place, WaitsFor)> {
    engine.run(&mut |_| ControlFlow::Continue(()));
    let waits = engine.waits().into_iter();
    waits
        .filter(|wait| wait.waits_for != WaitsFor::Nothing)
        .map(|wait| (wait.node, wait.packet, wait.place, wait.waits_for))
        .collect()
}

/// An engine that knows the cycles of credits in advance doesn't say so: in whichever cycle a run ends, a packet in an output
/// frame whose credit comes then or later waits for the neighbour, as it does by an engine that steps every node in every
/// cycle.
#[test]
fn a_run_that_ends_in_any_cycle_reports_no_credit_that_is_still_to_come() {
    let parameters = ChaosParameters::chinn_1995(4);
    let counted = network(Chaos::<_, Plane<WordFlow>>::new(
        grid(),
        parameters.clone(),
        1,
    ));
    let stamped = network(Chaos::<_, Plane<TimestampFlow>>::new(grid(), parameters, 1));
    let mut for_neighbours = 0;
    for end in (2..BIRTHS_UNTIL.get() + 40).map(Cycle) {
        let demand = || Demand {
            end,
            ..demand(BIRTHS_UNTIL)
        };
        let probe = Entered::default;
        let plain = waiting(Plain::new(counted.clone(), demand(), probe(), 1));
        let fast = waiting(TimestampEngine::new(stamped.clone(), demand(), probe()));
        assert_eq!(fast, plain, "end {end}");
        let neighbours = plain
            .iter()
            .filter(|(_, _, _, waits_for)| matches!(waits_for, WaitsFor::Neighbour(_)));
        for_neighbours += neighbours.count();
    }
    assert!(for_neighbours > 100, "{for_neighbours}");
}
