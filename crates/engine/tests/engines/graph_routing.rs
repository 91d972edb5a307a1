//! Wormhole routers on random graphs, under more load than they can carry: a network that is promised to be
//! free of deadlock empties once nothing more is made, others sometimes get stuck, and all engines agree on
//! which.

use flitwork_engine::{Ended, Engine, EventDriven, MailEngine, Plain, can_post};
use flitwork_network::{Demand, Network};
use flitwork_node::draw_below;
use flitwork_router::routing::{RoutingParameters, Verdict, build_routing, check};
use flitwork_router::wormhole::{self, Wormhole, WormholeParameters};
use flitwork_topology::{Graph, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{AnyPattern, Bernoulli, Uniform};
use flitwork_types::{Cycle, NodeId};
use std::ops::ControlFlow;
use std::sync::Arc;

const WORDS: u16 = 12;

/// A ring with some chords, parallel links among them, and latencies of their own.
fn random_graph(number: u32) -> Graph {
    let mut draws = 0;
    let mut below = |bound| {
        draws += 1;
        draw_below(bound, 53, NodeId(number), Cycle::ZERO, draws)
    };
    let nodes = 4 + below(9);
    let mut graph = Graph::of_nodes(nodes).unwrap();
    let mut ports = vec![0; nodes as usize];
    let mut link = |one: u32, other: u32, cycles| {
        let mut end = |node: u32| {
            let port = &mut ports[node as usize];
            *port += 1;
            (NodeId(node), flitwork_types::Port(*port - 1))
        };
        graph.link(end(one), end(other), cycles).unwrap();
    };
    let latency = |below: &mut dyn FnMut(u32) -> u32| [None, Some(1), Some(4)][below(3) as usize];
    for node in 0..nodes {
        let cycles = latency(&mut below);
        link(node, (node + 1) % nodes, cycles);
    }
    for _ in 0..below(4) {
        let one = below(nodes);
        let other = (one + 1 + below(nodes - 1)) % nodes;
        let cycles = latency(&mut below);
        link(one, other, cycles);
    }
    graph.build().unwrap()
}

fn demand(graph: &Graph, seed: u64) -> Demand {
    let pattern = AnyPattern::from(Uniform::default())
        .build(graph, seed)
        .unwrap();
    let until = Cycle(1500);
    let rate = 0.9 / f64::from(WORDS);
    let sources = Bernoulli::new(pattern, rate, until, seed, graph.nodes()).unwrap();
    Demand {
        workload: Box::new(sources.of_words(WORDS)),
        inject_until: until,
        end: Cycle(40_000),
        review: None,
        is_task: false,
        reports_waits: true,
    }
}

/// How all engines end, after the same events.
fn ended(graph: &Graph, name: &str, vcs: u8, seed: u64) -> Ended {
    let parameters = RoutingParameters {
        name: name.into(),
        channels: vcs,
        seed,
        ..RoutingParameters::default()
    };
    let routing = || build_routing(&parameters, graph).unwrap();
    let verdict = check(routing().as_ref(), graph).unwrap();
    let wormhole = WormholeParameters {
        vcs,
        buffer_words: 4,
        ..WormholeParameters::default()
    };
    let router = Wormhole::<_, wormhole::Any>::new(graph.clone(), wormhole.clone(), routing());
    let network = Arc::new(Network::new(graph.clone(), router, 2));
    let go_on = &mut |_| ControlFlow::Continue(());
    let mut awake = EventDriven::new(network.clone(), demand(graph, seed), Digest::default());
    let ended = awake.run(go_on).ended;
    let digest = Box::new(awake).into_probe();
    let what = format!("{name} on {graph:?}, {vcs} channels, seed {seed}: {verdict}");
    let is_free = matches!(verdict, Verdict::Acyclic { .. });
    assert!(!is_free || ended == Ended::Empty, "{ended:?}, {what}");
    // An engine that is stuck stops; the plain engine would step to the end.
    if ended == Ended::Empty {
        let mut plain = Plain::new(network, demand(graph, seed), Digest::default(), seed);
        assert_eq!(plain.run(go_on).ended, ended, "{what}");
        assert_eq!(Box::new(plain).into_probe(), digest, "{what}");
    }
    if wormhole::Plane::fits((graph.ports() + 1, 1), &wormhole) {
        let network = Network::new(
            graph.clone(),
            Wormhole::<_, wormhole::Plane>::new(graph.clone(), wormhole, routing()),
            2,
        );
        // Queues of other nodes are seen in the order of cycles only.
        assert_eq!(can_post(&network), name != "ugal-g", "{what}");
        if name == "ugal-g" {
            return ended;
        }
        let mut posted = MailEngine::new(network, demand(graph, seed), Digest::default());
        assert_eq!(posted.run(go_on).ended, ended, "{what}");
        assert_eq!(Box::new(posted).into_probe(), digest, "{what}");
    }
    ended
}

#[test]
fn no_function_that_is_free_of_deadlock_gets_stuck() {
    let mut stuck = 0;
    for number in 0..24 {
        let graph = random_graph(number);
        let seed = number.into();
        let diameter = graph.diameter_hops() as u8;
        ended(&graph, "up-down", 1, seed);
        ended(&graph, "up-down", 3, seed);
        ended(&graph, "hop-classes", diameter, seed);
        ended(&graph, "hop-classes", diameter + 2, seed);
        ended(&graph, "valiant", 2 * diameter, seed);
        ended(&graph, "ugal-l", 2 * diameter, seed);
        ended(&graph, "ugal-g", 2 * diameter, seed);
        let any = ended(&graph, "fully-adaptive", 1, seed);
        stuck += u32::from(any != Ended::Empty);
    }
    // The load is high enough to find out.
    assert!(stuck > 3, "{stuck}");
}
