//! Routing functions on graphs: what they promise about paths and deadlock, on random graphs.

use crate::common::named;
use flitwork_node::draw_below;
use flitwork_router::routing::{
    Chance, CheckError, Choices, Declaration, FaultKind, Freedom, Head, ROUTINGS, Routing,
    RoutingEntry, RoutingError, Verdict, build_routing, check,
};
use flitwork_topology::{Graph, Grid, Shape, Topology};
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId};
use std::collections::{HashSet, VecDeque};

/// A tree of 2 to 13 nodes with more links, some of them parallel.
fn random_graph(number: u32) -> Graph {
    let mut draws = 0;
    let mut below = |bound| {
        draws += 1;
        draw_below(bound, 41, NodeId(number), Cycle::ZERO, draws)
    };
    let nodes = 2 + below(12);
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for node in 1..nodes {
        graph.join(NodeId(node), NodeId(below(node))).unwrap();
    }
    for _ in 0..below(2 * nodes) {
        let one = below(nodes);
        let other = (one + 1 + below(nodes - 1)) % nodes;
        graph.join(NodeId(one), NodeId(other)).unwrap();
    }
    graph.build().unwrap()
}

/// A ring of this many nodes.
fn ring(nodes: u32) -> Graph {
    let mut graph = Graph::of_nodes(nodes).unwrap();
    for node in 0..nodes {
        let next = (NodeId((node + 1) % nodes), Port(1));
        graph.link((NodeId(node), Port(0)), next, None).unwrap();
    }
    graph.build().unwrap()
}

fn on_graphs() -> impl Iterator<Item = &'static RoutingEntry> {
    // Without a file there is no table.
    let all = ROUTINGS.iter().filter(|it| it.freedom != Freedom::Checked);
    all.filter(|entry| entry.needs.graph.is_some())
}

/// The function on a graph, with the fewest channels that it needs there.
fn built(name: &str, graph: &Graph) -> Box<dyn Routing> {
    let built = (1..=32).find_map(|channels| build_routing(&named(name, channels), graph).ok());
    built.unwrap_or_else(|| panic!("{name} on {graph:?}"))
}

fn choices(routing: &dyn Routing, head: &Head) -> Choices {
    let mut choices = Choices::default();
    let chance = Chance::Given {
        coins: 0,
        intermediate: head.destination,
    };
    routing.choices_under(head, chance, &mut choices);
    choices
}

/// The most links of any path that a packet can take, found by following all choices; every path ends.
fn longest_way(routing: &dyn Routing, graph: &Graph, from: NodeId, to: NodeId) -> u32 {
    let head = |here, from| Head {
        here,
        packet: PacketId::default(),
        destination: to,
        terminal: TerminalId(to.0),
        deroutes: 0,
        from,
    };
    let mut standing = vec![head(from, None)];
    for links in 0..=4 * graph.nodes() {
        let mut next = HashSet::new();
        for stand in standing {
            if stand.here == to {
                continue;
            }
            let choices = choices(routing, &stand);
            assert!(!choices.preferred.is_empty(), "{graph:?} {stand:?}");
            for choice in &choices.preferred {
                let (far, port) = graph.far(stand.here, choice.port).unwrap();
                let channels = (0..32).filter(|channel| choice.channels >> channel & 1 == 1);
                next.extend(channels.map(|channel| head(far, Some((port, channel)))));
            }
        }
        if next.is_empty() {
            return links;
        }
        standing = next.into_iter().collect();
    }
    panic!("{graph:?}: packets from {from} to {to} go around");
}

#[test]
fn every_packet_arrives_and_goes_by_the_ways_that_are_promised() {
    for graph in (0..60).map(random_graph) {
        for entry in on_graphs() {
            let routing = built(entry.name, &graph);
            for from in (0..graph.nodes()).map(NodeId) {
                for to in (0..graph.nodes()).map(NodeId).filter(|to| *to != from) {
                    let longest = longest_way(routing.as_ref(), &graph, from, to);
                    let expected = match entry.name {
                        "up-down" => shortest_up_down(&graph, from, to),
                        _ => graph.distance(from, to),
                    };
                    assert_eq!(longest, expected, "{} {graph:?} {from} {to}", entry.name);
                }
            }
        }
    }
}

/// The links of the shortest path that goes up first and down afterwards, by a forward search over nodes and
/// whether the path has gone down; the root is the first of the nodes with the least distance to the farthest
/// node.
fn shortest_up_down(graph: &Graph, from: NodeId, to: NodeId) -> u32 {
    let nodes: Vec<NodeId> = (0..graph.nodes()).map(NodeId).collect();
    let farthest = |node: &NodeId| nodes.iter().map(|to| graph.distance(*node, *to)).max();
    let nearest = nodes.iter().map(farthest).min().unwrap();
    let root = *nodes.iter().find(|node| farthest(node) == nearest).unwrap();
    let rank = |node: NodeId| (graph.distance(node, root), node.0);
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(from, false, 0)]);
    while let Some((node, is_down, links)) = queue.pop_front() {
        if node == to {
            return links;
        }
        for port in graph.links(node).iter() {
            let next = graph.neighbour(node, port).unwrap();
            let goes_down = rank(next) > rank(node);
            if (goes_down || !is_down) && seen.insert((next, goes_down)) {
                queue.push_back((next, goes_down, links + 1));
            }
        }
    }
    panic!("no way from {from} to {to}");
}

/// The check confirms the freedom from deadlock that the table promises: on graphs with many cycles, with the
/// fewest channels and with more.
#[test]
fn functions_that_promise_no_deadlock_have_none() {
    let mut circles = 0;
    for graph in (100..200)
        .map(random_graph)
        .chain([ring(3), ring(4), ring(9)])
    {
        for entry in on_graphs() {
            for channels in [1, 2, 5, 8, 13] {
                let routing = build_routing(&named(entry.name, channels), &graph);
                let Ok(routing) = routing else {
                    let needs = match entry.name {
                        // As many as it says, which has a test of its own.
                        "layered" => u32::MAX,
                        "hop-classes" | "minimal" => graph.diameter_hops(),
                        "valiant" | "ugal-g" | "ugal-l" => 2 * graph.diameter_hops(),
                        other => panic!("{other} with {channels}"),
                    };
                    assert!(u32::from(channels) < needs);
                    continue;
                };
                let verdict = check(routing.as_ref(), &graph).unwrap();
                match entry.freedom {
                    Freedom::Acyclic => {
                        let is_free = matches!(verdict, Verdict::Acyclic { .. });
                        assert!(is_free, "{} {graph:?}: {verdict}", entry.name);
                    }
                    _ => circles += usize::from(matches!(verdict, Verdict::Circle(_))),
                }
            }
        }
    }
    // The check does find circles if nothing prevents them.
    assert!(circles > 100, "{circles}");
}

#[test]
fn any_shortest_path_on_a_ring_of_four_closes_a_circle() {
    // On a ring of three every shortest path is one link: nothing waits at the end of a link.
    let verdict = |nodes| check(built("fully-adaptive", &ring(nodes)).as_ref(), &ring(nodes));
    assert!(matches!(verdict(3).unwrap(), Verdict::Acyclic { .. }));
    assert!(matches!(verdict(4).unwrap(), Verdict::Circle(_)));
}

#[test]
fn functions_that_need_coordinates_refuse_a_graph() {
    let graph = ring(5);
    for entry in ROUTINGS.iter().filter(|entry| entry.needs.graph.is_none()) {
        let Err(error) = build_routing(&named(entry.name, 8), &graph) else {
            panic!("{} on a graph", entry.name);
        };
        assert!(matches!(error, RoutingError::Topology(_)), "{error}");
        assert_eq!(error.value().key, "name");
    }
    let refused = |name, channels, shape: Shape| {
        let refused = build_routing(&named(name, channels), shape);
        refused.err().map(|error| error.to_string())
    };
    let text = "name is odd-even on a graph of 5 nodes and 5 links; allowed: odd-even on a mesh of two dimensions";
    assert_eq!(refused("odd-even", 1, graph.into()).unwrap(), text);
    let mesh = Shape::from(Grid::mesh(&[4]).unwrap());
    let text =
        "name is up-down on a mesh of 4; allowed: up-down on a topology other than mesh and torus";
    assert_eq!(refused("up-down", 1, mesh).unwrap(), text);
    let text = "channels is 3; allowed: 4 to 32 with hop-classes on this topology";
    assert_eq!(refused("hop-classes", 3, ring(9).into()).unwrap(), text);
    assert_eq!(refused("hop-classes", 4, ring(9).into()), None);
    let text = "name is hop-classes where shortest paths have up to 33 links; allowed: hop-classes where they have at \
                most 32, one a channel";
    assert_eq!(refused("hop-classes", 32, ring(66).into()).unwrap(), text);
}

/// Goes up and down correctly, but claims that fewer links are left than there are.
struct Boasting(Box<dyn Routing>);

impl Routing for Boasting {
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        self.0.choices_under(head, chance, choices);
    }

    fn links_left(&self, _: &Head) -> Option<u32> {
        Some(1)
    }

    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }
}

#[test]
fn a_function_must_leave_as_many_links_as_it_declares() {
    let graph = ring(6);
    let routing = Boasting(built("up-down", &graph));
    let Err(CheckError::Broken(fault)) = check(&routing, &graph) else {
        panic!("it isn't detected");
    };
    assert_eq!(fault.kind, FaultKind::NotCloser);
}
