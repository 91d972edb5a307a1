//! Every router of the table is held to the contract of a step, with its defaults and with parameters that change what
//! happens in a cycle. What the contract is, and how it is verified, is in `flitwork-testing`.

#[path = "contract/random.rs"]
mod random;

use flitwork_node::draw_below;
use flitwork_router::chaos::{ChaosParameters, Delivery};
use flitwork_router::deflection::{DeflectionParameters, Golden};
use flitwork_router::greedy_hp::{Assignment, GreedyHp, GreedyHpParameters};
use flitwork_router::parameters::RouterParameters;
use flitwork_router::queueing::{Order, QueueingParameters};
use flitwork_router::routing::{RoutingParameters, build_routing};
use flitwork_router::scheduled::{Request, Scheduled, one_bend};
use flitwork_router::wormhole::{self, RoutedWormhole, Wormhole, WormholeParameters};
use flitwork_router::{Visitor, each_router};
use flitwork_schema::{Datum, Field, Value};
use flitwork_testing::{Contract, Shown, Trial, contending_packets};
use flitwork_topology::{Graph, Grid, Shape, Topology};
use flitwork_types::{Cycle, NodeId};

/// Routers that are held to what they show and explain. Another one may leave that as it is given. The wormhole router's
/// is held in the engine's tests.
const DESCRIBED: &[(&str, Shown)] = &[
    ("chaos", Shown::Decisions),
    ("deflection", Shown::Decisions),
    ("greedy-hp", Shown::Decisions),
    ("queueing", Shown::Decisions),
    ("scheduled", Shown::Moves),
];

fn shown(name: &str) -> Shown {
    let mut described = DESCRIBED.iter();
    let it = described.find(|(described, _)| *described == name);
    it.map_or(Shown::Waits, |(_, shown)| *shown)
}

struct Every(Vec<&'static str>);

impl Visitor for Every {
    fn router<P: RouterParameters>(&mut self) {
        Contract::<P>::new().shows(shown(P::NAME)).hold();
        self.0.push(P::NAME);
    }
}

/// A new line of the table is verified like all others.
#[test]
fn every_router_of_the_table_obeys_the_contract() {
    let mut every = Every(Vec::new());
    each_router(&mut every);
    assert!(every.0.is_sorted() && every.0.len() >= 5, "{:?}", every.0);
    for (name, _) in DESCRIBED {
        assert!(every.0.contains(name), "there is no router {name}");
    }
}

fn grid() -> Grid {
    Grid::mesh(&[4, 4]).unwrap()
}

fn with<P: RouterParameters>(parameters: P, words: u16) {
    Contract::new()
        .parameters(parameters)
        .words([words])
        .shows(shown(P::NAME))
        .hold();
}

#[test]
fn chaos_obeys_the_contract() {
    for delivery in [Delivery::Frame, Delivery::Vanish] {
        let mut parameters = ChaosParameters::chinn_1995(4);
        parameters.delivery = delivery;
        let words = parameters.packet_words;
        with(parameters, words);
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
        Trial {
            frees: Some(false),
            ..Trial::new(
                "wormhole",
                grid(),
                router,
                contending_packets(&grid(), words, 3),
            )
        }
        .run();
    }
}

/// A random connected graph of 3 to 8 nodes, each with up to three terminals.
fn with_terminals(seed: u64) -> Shape {
    let mut drawn = 0;
    let mut below = |bound: u32| {
        drawn += 1;
        draw_below(bound, seed, NodeId(0), Cycle::ZERO, drawn)
    };
    let nodes = 3 + below(6);
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for node in 1..nodes {
        graph.join(NodeId(node), NodeId(below(node))).unwrap();
    }
    for _ in 0..below(nodes) {
        let (one, other) = (below(nodes), below(nodes));
        if one != other {
            graph.join(NodeId(one), NodeId(other)).unwrap();
        }
    }
    // Two of node 0 at least, so that some packets cross one node only.
    let mut homes: Vec<NodeId> = vec![NodeId(0); 2];
    for node in 1..nodes {
        homes.extend((0..below(4)).map(|_| NodeId(node)));
    }
    // Numbered in any order.
    let first = below(homes.len() as u32) as usize;
    homes.rotate_left(first);
    graph.set_terminals(homes).unwrap();
    Shape::from(graph.build().unwrap())
}

/// The contract on networks whose nodes have several terminals, or none.
#[test]
fn several_terminals_a_node() {
    let shapes: Vec<Shape> = (0..12).map(with_terminals).collect();
    for shape in &shapes {
        let chaos = ChaosParameters::chinn_1995(shape.ports());
        let words = chaos.packet_words;
        Contract::new()
            .parameters(chaos)
            .shapes([shape.clone()])
            .words([words])
            .shows(Shown::Decisions)
            .hold();
    }
    Contract::<RoutedWormhole>::new()
        .shapes(shapes.clone())
        .words([1, 3, 7])
        .hold();
    for parameters in [
        DeflectionParameters::flit_bless(),
        DeflectionParameters::worm_bless(),
        DeflectionParameters::minbd(Golden::USUAL),
    ] {
        Contract::new()
            .parameters(parameters)
            .shapes(shapes.clone())
            .words([1, 4])
            .shows(Shown::Decisions)
            .hold();
    }
    for assignment in Assignment::ALL {
        Contract::new()
            .parameters(GreedyHpParameters { assignment })
            .shapes(shapes.clone())
            .words([1])
            .shows(Shown::Decisions)
            .hold();
    }
    let queues = QueueingParameters {
        frames: 2,
        allow_deadlock: true,
        ..QueueingParameters::default()
    };
    // Of trees, as others may deadlock.
    let trees = shapes.into_iter().filter(|shape| {
        let nodes = (0..shape.nodes()).map(NodeId);
        nodes.map(|node| shape.links(node).len()).sum::<usize>() == 2 * (shape.nodes() as usize - 1)
    });
    Contract::new()
        .parameters(queues)
        .shapes(trees)
        .words([1, 5])
        .shows(Shown::Decisions)
        .hold();
}

#[test]
fn deflection_obeys_the_contract() {
    let (flits, worms) = (
        DeflectionParameters::flit_bless(),
        DeflectionParameters::worm_bless(),
    );
    let aside = DeflectionParameters::minbd(Golden::USUAL);
    for (parameters, words) in [(&flits, 1), (&flits, 4), (&worms, 4), (&aside, 3)] {
        with(parameters.clone(), words);
    }
}

#[test]
fn hot_potatoes_obey_the_contract() {
    for assignment in &Assignment::ALL {
        let router = GreedyHp::new(grid(), 1).assigning(*assignment);
        Trial {
            frees: Some(false),
            shown: shown("greedy-hp"),
            clocks: None,
            ..Trial::new(
                "greedy-hp",
                grid(),
                router,
                contending_packets(&grid(), 1, 3),
            )
        }
        .run();
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
            with(parameters, words);
        }
    }
}

#[test]
fn a_schedule_obeys_the_contract() {
    let packets = contending_packets(&grid(), 3, 3);
    let requests = packets.iter().map(|(source, destination, words)| Request {
        source: grid().home(*source),
        destination: grid().home(*destination),
        words: *words,
    });
    let requests: Vec<Request> = requests.collect();
    let schedule = one_bend(&grid(), 1, &requests).unwrap();
    Trial {
        frees: Some(false),
        shown: shown("scheduled"),
        clocks: None,
        ..Trial::new(
            "scheduled",
            grid(),
            Scheduled::new(grid(), schedule),
            packets,
        )
    }
    .run();
}
