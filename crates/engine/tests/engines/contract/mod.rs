//! The contract of a step ([`Stepped::step`]), verified for every router from outside: a checker around each
//! node compares what is reported with what is on the node's wires, and a ledger compares what is reported
//! about a packet with what its delivery says. Before each step the node is looked into ([`Stepped::look`]) and asked what
//! the step will do ([`Stepped::explain`]): a model that knows no router (`held`) follows what is reported and must hold
//! the same, and the step must do what was explained (`explained`).

mod explained;
mod frames;
mod held;
mod ledger;
mod log;
mod random;
mod table;

use explained::{Explained, Tally};
use flitwork_engine::{Clocked, Ended, Engine, Plain};
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{
    Event, Explanation, Inputs, Outputs, Place, Probe, Router, Site, Stepped, View, Wait,
    draw_below, step_in_detail,
};
use flitwork_router::chaos::{self, Chaos, ChaosParameters, Counted, Delivery};
use flitwork_router::deflection::{Deflection, DeflectionParameters, Golden};
use flitwork_router::greedy_hp::{Assignment, GreedyHp};
use flitwork_router::queueing::{Order, Queueing, QueueingParameters};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::scheduled::{Request, Scheduled, one_bend};
use flitwork_router::wormhole::{self, Wormhole, WormholeParameters};
use flitwork_schema::{Datum, Field, Value};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::Once;
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Packets, Port, PortSet, Word};
use held::Held;
use ledger::Ledger;
use log::{Log, Report, packet_of};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Routers that are held here to what they show and explain. Another one may leave that as it is given: then it shows what
/// its packets wait for. The wormhole router's is held elsewhere.
const DESCRIBED: &[&str] = &["chaos", "deflection", "greedy-hp", "queueing", "scheduled"];

/// Routers whose nodes decide nothing: what moves in them has won no decision.
const UNDECIDED: &[&str] = &["scheduled"];

/// A router whose nodes are checked in every step.
struct Checked<R> {
    router: R,
    grid: Grid,
    /// Whether it has frames of whole packets, and reports the credits of each; `None` if both are possible.
    frees: Option<bool>,
    /// What the router is called.
    name: &'static str,
    /// What has been explained.
    tally: Tally,
}

/// A node, and the state of its source.
#[derive(Clone)]
struct Kept<N> {
    node: N,
    /// What it holds, by what has been reported.
    held: Held,
    /// What its packets did last.
    waits: Explained,
    /// The remaining words of the packet that must be complete before the source may send another.
    sending: Option<u16>,
    /// Whether it is settled, so that no credit may be on its way to it.
    settled: bool,
}

impl<R: Stepped> Router for Checked<R> {
    type Node = Kept<R::Node>;

    fn nodes(&self) -> Vec<Self::Node> {
        let nodes = (0..).map(NodeId).zip(self.router.nodes());
        nodes
            .map(|(id, node)| Kept {
                held: self.held_at_first(id, &node),
                waits: Explained::default(),
                node,
                sending: None,
                settled: false,
            })
            .collect()
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.router.waits(node, &state.node, packets, now)
    }

    fn packet_words(&self) -> Option<u16> {
        self.router.packet_words()
    }

    fn channels(&self) -> u8 {
        self.router.channels()
    }

    fn credit_words(&self) -> Option<u32> {
        self.router.credit_words()
    }

    fn returned(&self, credit: u8) -> [(u8, u8); 2] {
        self.router.returned(credit)
    }

    fn takes_half_duplex(&self) -> bool {
        self.router.takes_half_duplex()
    }
}

impl<R: Stepped> Stepped for Checked<R> {
    fn is_idle(&self, state: &Self::Node) -> bool {
        self.router.is_idle(&state.node)
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        self.router.is_settled(&state.node)
    }

    fn next_step(&self, state: &Self::Node, now: Cycle) -> Cycle {
        self.router.next_step(&state.node, now)
    }

    fn next_step_over(&self, state: &Self::Node, now: Cycle, sendable: PortSet) -> Cycle {
        self.router.next_step_over(&state.node, now, sendable)
    }

    fn patience_cycles(&self) -> u32 {
        self.router.patience_cycles()
    }

    fn look(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> View {
        self.router.look(node, &state.node, packets, now)
    }

    fn explain(
        &self,
        node: NodeId,
        state: &Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        self.router.explain(node, &state.node, now, inputs, packets)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let (node, local) = (site.node, self.grid.local());
        let credits = inputs.credits;
        assert!(
            credits.is_empty() || !state.settled,
            "node {node}: {credits:?} came to a node that was settled"
        );
        let came = inputs.word(local);
        let came = came.map(|word| (site.packets[word.packet], word));
        if let Some((packet, word)) = came {
            state.sending = match (state.sending, word.flit.is_head()) {
                (None, true) => Some(packet.words - 1),
                (Some(words), false) => Some(words - 1),
                _ => panic!(
                    "node {node}: the source sent {word:?} after {:?}",
                    state.sending
                ),
            };
        }
        let before = self.before(site, state, now, inputs);
        let mut log = Log::new(&mut *site.probe);
        let mut inner = Site {
            node,
            packets: &mut *site.packets,
            probe: &mut log,
        };
        let router = &self.router;
        step_in_detail(router, &mut state.node, now, inputs, outputs, &mut inner);
        self.check_wires(node, now, inputs, outputs, &log);
        self.check_events(node, now, came, &log);
        let (events, reports) = (log.events, log.reports);
        if let Some(before) = before {
            self.check_described(before, state, (now, inputs), (&events, &reports), site);
        }
        if outputs.credits.contains(local) {
            assert_eq!(
                state.sending,
                Some(0),
                "node {node}: a credit for the source"
            );
            state.sending = None;
        }
        state.settled = self.router.is_settled(&state.node);
    }
}

impl<R: Stepped> Checked<R> {
    /// What leaves is reported as it is, and nothing else.
    fn check_wires<P>(
        &self,
        node: NodeId,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
        log: &Log<'_, P>,
    ) {
        let local = PortSet::only(self.grid.local());
        let takes = self.grid.links(node).0 & inputs.sendable.0 | local.0;
        assert_eq!(outputs.sent.0 & !takes, 0, "node {node} sent over no link");
        let reported = log.words.iter().map(|(cycle, port, _, word)| {
            assert_eq!(*cycle, now, "node {node}: {word:?}");
            (*port, *word)
        });
        let mut reported: Vec<(Port, Word)> = reported.collect();
        reported.sort_by_key(|(port, _)| *port);
        let sent = outputs.sent.iter();
        let sent: Vec<_> = sent
            .map(|port| (port, outputs.words[port.index()]))
            .collect();
        assert_eq!(reported, sent, "node {node}, cycle {now}");
        let heads = log.picked(now, |event| match event {
            Event::Head { packet, port } => Some((*port, *packet)),
            _ => None,
        });
        assert_eq!(heads, log.words_that(|word| word.flit.is_head()));
        let tails = log.picked(now, |event| match event {
            Event::Tail { packet, port, .. } => Some((*port, *packet)),
            _ => None,
        });
        assert_eq!(tails, log.words_that(|word| word.flit.is_tail()));
        let freed = log.picked(now, |event| match event {
            Event::Freed { port } => Some(*port),
            _ => None,
        });
        let credits: Vec<Port> = match self.frees.unwrap_or(!freed.is_empty()) {
            true => outputs.credits.iter().collect(),
            false => Vec::new(),
        };
        assert_eq!(freed, credits, "node {node}, cycle {now}");
    }

    /// Events are reported in their cycles and in order.
    fn check_events<P>(
        &self,
        node: NodeId,
        now: Cycle,
        came: Option<(Packet, Word)>,
        log: &Log<'_, P>,
    ) {
        let injected = log.picked(now, |event| match event {
            Event::Injected { packet } => Some(packet.id),
            _ => None,
        });
        let head = came.filter(|(_, word)| word.flit.is_head());
        let head: Vec<PacketId> = head.iter().map(|(packet, _)| packet.id).collect();
        assert_eq!(injected, head, "node {node}, cycle {now}");
        let local = self.grid.local();
        let gone = log.words_that(|word| word.flit.is_tail());
        let mut over_links = Vec::new();
        for (place, (cycle, event)) in log.events.iter().enumerate() {
            let of_it = |(_, other): &(Cycle, Event)| packet_of(other) == packet_of(event);
            let (before, after) = (&log.events[..place], &log.events[place + 1..]);
            match event {
                Event::Injected { .. } => {
                    assert!(!before.iter().any(of_it), "{before:?} {event:?}");
                }
                Event::Delivered { packet } => {
                    assert_eq!(packet.destination, node);
                    assert!(!after.iter().any(of_it), "{event:?} {after:?}");
                    // On the wires to the processor in this cycle, or taken off the links in it.
                    let leaves = gone.contains(&(local, packet.id));
                    assert_eq!(*cycle, now + u32::from(leaves), "node {node}: {event:?}");
                    continue;
                }
                Event::Moved {
                    to: Place::Output(port) | Place::OutputChannel(port, _),
                    ..
                } if *port != local => over_links.push(*port),
                _ => {}
            }
            assert_eq!(*cycle, now, "node {node}: {event:?}");
        }
        assert_eq!(log.scheduled, over_links, "node {node}, cycle {now}");
    }
}

/// Packets from every node to others: some to a single distant one, so that they get in each other's way.
fn packets(grid: &Grid, words: u16) -> Vec<(NodeId, NodeId, u16)> {
    let nodes = grid.nodes();
    let pairs = (0..nodes).flat_map(|from| (0..6).map(move |index| (from, index)));
    let packet = |(from, index)| {
        let drawn = draw_below(nodes, 3, NodeId(from), Cycle::ZERO, index);
        let to = if index % 3 == 0 { nodes / 2 } else { drawn };
        (NodeId(from), NodeId(to), words)
    };
    pairs
        .map(packet)
        .filter(|(from, to, _)| from != to)
        .collect()
}

fn grid() -> Grid {
    Grid::mesh(&[4, 4]).unwrap()
}

/// Clocks of three speeds, and links that hold few words: full links hold up their senders.
fn clocks(nodes: u32) -> Clocks {
    let domain = |index: u64| Clock::Periodic(Periodic::new(1000 + 130 * index, 17 * index));
    Clocks {
        nominal_ps: 1000,
        domains: (0..3).map(domain).collect(),
        domain_of: (0..nodes).map(|node| node % 3).collect(),
        links: LinkTiming::wires(1000, 4, 2),
        seed: 1,
    }
}

/// A router and its packets.
struct Case<R> {
    router: R,
    packets: Vec<(NodeId, NodeId, u16)>,
    /// Whether it has frames of whole packets; `None` if that isn't known.
    frees: Option<bool>,
    /// Whether a packet's words travel together.
    together: bool,
    /// What the router is called.
    name: &'static str,
}

fn case<R>(name: &'static str, router: R, words: u16) -> Case<R> {
    Case {
        name,
        router,
        packets: packets(&grid(), words),
        frees: Some(false),
        together: true,
    }
}

/// A network of checked routers, its packets and the initial ledger.
fn checked<R>(
    case: Case<R>,
) -> (
    Network<Grid, Checked<R>>,
    impl Fn() -> Demand,
    impl Fn() -> Ledger,
) {
    let (grid, packets, together) = (grid(), case.packets, case.together);
    let local = grid.local();
    let router = Checked {
        router: case.router,
        grid: grid.clone(),
        frees: case.frees,
        name: case.name,
        tally: Tally::default(),
    };
    let network = Network::new(grid, router, 1);
    let demand = move || {
        let traffic = Once::of_packets(packets.clone());
        Demand::until(Box::new(traffic), Cycle(100_000))
    };
    let ledger = move || Ledger::new(local, together);
    (network, demand, ledger)
}

/// All packets arrive, and nothing is left of them: the routers have removed what the engine inserted.
fn all_arrive(mut engine: impl Engine<Probe = Ledger>) {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    let ledger = Box::new(engine).into_probe();
    assert_eq!(outcome.ended, Ended::Empty);
    assert!(ledger.is_done() && ledger.delivered > 50);
}

fn holds<R: Stepped + Send + 'static>(case: Case<R>) {
    let (network, demand, ledger) = checked(case);
    all_arrive(Plain::new(network, demand(), ledger(), 1));
}

fn holds_under_any_clock<R: Stepped + Send + 'static>(case: Case<R>) {
    let (network, demand, ledger) = checked(case);
    let network = Arc::new(network);
    all_arrive(Plain::new(network.clone(), demand(), ledger(), 1));
    let clocks = clocks(network.topology.nodes());
    all_arrive(Clocked::new(network, clocks, demand(), ledger(), 1));
}

#[test]
fn chaos_obeys_the_contract() {
    for delivery in [Delivery::Frame, Delivery::Vanish] {
        let mut parameters = ChaosParameters::chinn_1995(4);
        parameters.delivery = delivery;
        let words = parameters.packet_words;
        let router = Chaos::<_, chaos::Plane<Counted>>::new(grid(), parameters, 1);
        holds_under_any_clock(Case {
            frees: Some(true),
            ..case("chaos", router, words)
        });
    }
}

#[test]
fn wormhole_obeys_the_contract() {
    for (cycles, words) in [(0, 1), (1, 5), (2, 9), (3, 4)] {
        let parameters = WormholeParameters {
            traversal_cycles: cycles,
            switch_allocation_cycles: cycles.min(1),
            credit_cycles: cycles,
            injection_cycles: cycles,
            ..WormholeParameters::default()
        };
        let routing = RoutingParameters {
            name: "dimension-order".into(),
            channels: parameters.vcs,
            ..RoutingParameters::default()
        };
        let routing = build_routing(&routing, grid()).unwrap();
        let router = Wormhole::<_, wormhole::Plane>::new(grid(), parameters, routing);
        holds_under_any_clock(case("wormhole", router, words));
    }
}

#[test]
fn deflection_obeys_the_contract() {
    let (flits, worms) = (
        DeflectionParameters::flit_bless(),
        DeflectionParameters::worm_bless(),
    );
    let aside = DeflectionParameters::minbd(Golden::USUAL);
    for (parameters, words) in [(&flits, 1), (&flits, 4), (&worms, 4), (&aside, 3)] {
        holds(Case {
            together: words == 1,
            ..case(
                "deflection",
                Deflection::new(grid(), parameters.clone(), 1),
                words,
            )
        });
    }
}

#[test]
fn hot_potatoes_obey_the_contract() {
    for assignment in Assignment::ALL {
        let router = GreedyHp::new(grid(), 1).assigning(*assignment);
        holds(case("greedy-hp", router, 1));
    }
}

#[test]
fn queues_obey_the_contract() {
    for order in Order::NAMES {
        for (frames, words) in [(1, 1), (1, 3), (2, 1), (3, 4)] {
            let mut parameters = QueueingParameters {
                frames,
                frame_words: words,
                ..QueueingParameters::default()
            };
            parameters.order.set(&Value::from(Datum::text(*order)));
            let router = Queueing::new(grid(), parameters, 1);
            holds_under_any_clock(case("queueing", router, words));
        }
    }
}

#[test]
fn a_schedule_obeys_the_contract() {
    let packets = packets(&grid(), 3);
    let requests = packets.iter().map(|(source, destination, words)| Request {
        source: *source,
        destination: *destination,
        words: *words,
    });
    let requests: Vec<Request> = requests.collect();
    let schedule = one_bend(&grid(), 1, &requests).unwrap();
    holds(case("scheduled", Scheduled::new(grid(), schedule), 3));
}
