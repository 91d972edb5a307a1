//! The search on any graph: held to the checker, and to all states that a packet could reach.

use crate::{mesh, packets};
use flitwork_schedule::multistage::{
    Mesh, Paths, ProblemError, Rules, Scheduler, Search, longest_first,
};
use flitwork_schedule::{Plan, Request, check, makespan};
use flitwork_topology::{Graph, Grid, Topology};
use flitwork_types::{NodeId, Port, PortSet};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A ring one way, with links across, and one back: strongly connected.
fn graph() -> impl Strategy<Value = Graph> {
    (3u32..9).prop_flat_map(|nodes| {
        let links = prop::collection::vec((0..nodes, 0..nodes), 0..8);
        links.prop_map(move |links| {
            let mut graph = Graph::of_nodes(nodes).expect("a graph");
            let around = (0..nodes).map(|node| (node, (node + 1) % nodes));
            let mut next = vec![0; nodes as usize];
            for (from, to) in around.chain(links).filter(|(from, to)| from != to) {
                let mut port = |node: u32| {
                    next[node as usize] += 1;
                    (NodeId(node), Port(next[node as usize] - 1))
                };
                graph.link_one_way(port(from), port(to)).expect("a link");
            }
            graph.build_one_way().expect("a graph")
        })
    })
}

/// Nodes with links one way, each through the next free port of both of its ends.
fn one_way(nodes: u32, links: &[(u32, u32)]) -> Graph {
    let mut graph = Graph::of_nodes(nodes).expect("a graph");
    let mut next = vec![0; nodes as usize];
    for (from, to) in links {
        let mut port = |node: u32| {
            next[node as usize] += 1;
            (NodeId(node), Port(next[node as usize] - 1))
        };
        graph.link_one_way(port(*from), port(*to)).expect("a link");
    }
    graph.build_one_way().expect("a graph")
}

fn request(source: u32, destination: u32, words: u32) -> Request {
    Request {
        source: NodeId(source),
        destination: NodeId(destination),
        words,
    }
}

/// The steps of a plan's hops.
fn steps(plan: &Plan) -> Vec<u32> {
    plan.hops.iter().map(|hop| hop.step).collect()
}

/// The earliest arrival among what the others leave free, by all states of all steps. One word a packet.
fn earliest(
    graph: &impl Topology,
    request: &Request,
    others: &[(Request, Plan)],
    waiting: usize,
    paths: Paths,
) -> u32 {
    let mut taken = BTreeSet::new();
    let mut waits: BTreeMap<(NodeId, u32), usize> = BTreeMap::new();
    for (request, plan) in others {
        let mut at = request.source;
        for (number, hop) in plan.hops.iter().enumerate() {
            taken.insert((at, hop.port, hop.step));
            if number > 0 {
                for step in plan.hops[number - 1].step + 1..hop.step {
                    *waits.entry((at, step)).or_default() += 1;
                }
            }
            at = graph.neighbour(at, hop.port).expect("a link");
        }
    }
    let mut there: BTreeSet<NodeId> = BTreeSet::new();
    for step in 0.. {
        if request.source == request.destination || there.contains(&request.destination) {
            return step;
        }
        let mut next: BTreeSet<_> = there.iter().copied().collect();
        next.retain(|node| {
            waits
                .get(&(*node, step))
                .is_none_or(|waits| *waits < waiting)
        });
        if waiting == 0 {
            next.clear();
        }
        for node in there.iter().copied().chain([request.source]) {
            let ports = match paths {
                Paths::Shortest => graph.productive(node, request.destination),
                Paths::Any => graph.links(node),
            };
            let free = ports
                .iter()
                .filter(|port| !taken.contains(&(node, *port, step)));
            next.extend(free.filter_map(|port| graph.neighbour(node, port)));
        }
        there = next;
    }
    unreachable!("steps don't end")
}

fn paths() -> impl Strategy<Value = Paths> {
    prop_oneof![Just(Paths::Shortest), Just(Paths::Any)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_packet_arrives_as_early_as_it_can(
        (graph, requests) in graph().prop_flat_map(|graph| {
            let requests = packets(graph.nodes(), 1);
            (Just(graph), requests)
        }),
        waiting in 0usize..3,
        paths in paths(),
    ) {
        let order = longest_first(&graph, &requests);
        let plans = Search::new(&graph, waiting, paths).schedule(&requests, &order).expect("plans");
        prop_assert_eq!(check(&graph, &requests, &plans, waiting), Ok(()));
        let mut others = Vec::new();
        for packet in order.iter().map(|packet| *packet as usize) {
            let (request, plan) = (requests[packet], plans[packet].clone());
            let links = plan.hops.len() as u32;
            let distance = graph.distance(request.source, request.destination);
            prop_assert!(links >= distance && (paths == Paths::Any || links == distance));
            prop_assert_eq!(plan.end(1), earliest(&graph, &request, &others, waiting, paths));
            others.push((request, plan));
        }
    }

    #[test]
    fn worms_pass_the_checker(
        (graph, problems) in graph().prop_flat_map(|graph| {
            let problems = prop::collection::vec(packets(graph.nodes(), 6), 2);
            (Just(graph), problems)
        }),
        waiting in 0usize..3,
        paths in paths(),
    ) {
        let mut search = Search::new(&graph, waiting, paths);
        for requests in &problems {
            let order = longest_first(&graph, requests);
            let plans = search.schedule(requests, &order).expect("plans");
            prop_assert_eq!(check(&graph, requests, &plans, waiting), Ok(()));
        }
    }
}

/// One-bend paths are among the shortest, so the first packets, at least, can't arrive later by the search.
#[test]
fn a_search_on_a_mesh_keeps_the_distance() {
    let mesh = mesh(8, 8);
    let reversal: Vec<u32> = (0..64).rev().collect();
    let requests = Mesh::permutation(&reversal);
    let mut scheduler = Scheduler::new(mesh.clone());
    let order = scheduler
        .order(&requests, &Rules::default())
        .expect("an order")
        .to_vec();
    for (waiting, paths) in [(0, Paths::Shortest), (1, Paths::Shortest), (1, Paths::Any)] {
        let plans = Search::new(mesh.grid(), waiting, paths).schedule(&requests, &order);
        let plans = plans.expect("plans");
        assert_eq!(check(mesh.grid(), &requests, &plans, waiting), Ok(()));
        assert_eq!(makespan(&requests, &plans), 14);
    }
}

/// A mesh on which no link leads anywhere.
struct Cut(Grid);

impl Topology for Cut {
    fn nodes(&self) -> u32 {
        self.0.nodes()
    }
    fn ports(&self) -> usize {
        self.0.ports()
    }
    fn links(&self, _: NodeId) -> PortSet {
        PortSet::EMPTY
    }
    fn far(&self, _: NodeId, _: Port) -> Option<(NodeId, Port)> {
        None
    }
    fn productive(&self, _: NodeId, _: NodeId) -> PortSet {
        PortSet::EMPTY
    }
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        self.0.distance(from, to)
    }
    fn diameter_hops(&self) -> u32 {
        self.0.diameter_hops()
    }
    fn port_name(&self, port: Port) -> String {
        self.0.port_name(port)
    }
    fn node_name(&self, node: NodeId) -> String {
        self.0.node_name(node)
    }
}

#[test]
fn what_is_no_problem_is_refused() {
    let cut = Cut(Grid::mesh(&[2, 2]).expect("a grid"));
    let mut search = Search::new(&cut, 0, Paths::Any);
    let mut refused = |requests: &[Request], order: &[u32]| search.schedule(requests, order);
    assert_eq!(
        refused(&[request(1, 1, 1)], &[0]),
        Ok(vec![Plan::default()])
    );
    let apart = [request(1, 1, 1), request(0, 3, 1)];
    assert_eq!(
        refused(&apart, &[0, 1]),
        Err(ProblemError::Apart { packet: 1 })
    );
    let node = NodeId(4);
    assert_eq!(
        refused(&[request(4, 0, 1)], &[0]),
        Err(ProblemError::Node { packet: 0, node })
    );
    // 65,536 words are the most of a packet on a mesh, too.
    for words in [0, 65_537, u32::MAX] {
        let wrong = Err(ProblemError::Words { packet: 0, words });
        assert_eq!(refused(&[request(0, 1, words)], &[0]), wrong);
    }
    let four = [0, 1, 2, 3].map(|node| request(node, node, 1));
    for order in [
        &[0, 1, 2][..],
        &[0, 1, 2, 2],
        &[0, 1, 2, 4],
        &[0, 1, 2, 3, 3],
    ] {
        assert_eq!(refused(&four, order), Err(ProblemError::Order));
    }
}

/// A worm may cross a link again in the step in which its last word has left it. By hand, with links one way: a worm of 2 words
/// goes from node 0 by way of node 1 to node 2. The link from 0 to 1 is taken from step 2 on, so that it must leave at once, and
/// that from 1 to 2 in steps 1 to 4. Meanwhile it goes to node 3 and back, twice: from 1 in steps 1 and 3, from 3 in 2 and 4. In
/// step 3 its last word has just left the link to node 3.
#[test]
fn a_worm_comes_back_behind_its_last_word() {
    // Two from node 4 to node 0, one from node 6 to node 1; and a ring back, so that all reach all.
    let there: &[(u32, u32)] = &[(0, 1), (1, 2), (1, 3), (3, 1), (4, 5), (5, 0), (6, 1)];
    let graph = one_way(7, &[there, &[(2, 6), (6, 4)]].concat());
    let requests = [request(4, 1, 20), request(6, 2, 4), request(0, 2, 2)];
    let mut search = Search::new(&graph, 0, Paths::Any);
    let plans = search.schedule(&requests, &[0, 1, 2]).expect("plans");
    assert_eq!(check(&graph, &requests, &plans, 0), Ok(()));
    assert_eq!(
        steps(&plans[0]),
        [0, 1, 2],
        "on the link from 0 to 1 from step 2 on"
    );
    assert_eq!(
        steps(&plans[1]),
        [0, 1],
        "on that from 1 to 2 in steps 1 to 4"
    );
    assert_eq!(steps(&plans[2]), [0, 1, 2, 3, 4, 5]);
}

/// It may not in the step in which its last word is still there. The same with a worm of 3 words, and with one node more before
/// node 0: the link from 0 to 1 is taken in steps 3 to 22, and that from 1 to 2 in steps 1 to 4 again. If it left in step 0, it
/// would be back in node 1 for step 3, in which its third word is on the link to node 3, and that to node 2 isn't free: it would
/// have to wait, and no packet may. So it leaves in step 23, when the link to node 1 is free again for three steps.
#[test]
fn a_worm_does_not_cross_its_last_word() {
    let there: &[(u32, u32)] = &[(0, 1), (1, 2), (1, 3), (3, 1), (4, 5), (5, 7), (7, 0)];
    let graph = one_way(8, &[there, &[(6, 1), (2, 6), (6, 4)]].concat());
    let requests = [request(4, 1, 20), request(6, 2, 4), request(0, 2, 3)];
    let mut search = Search::new(&graph, 0, Paths::Any);
    let plans = search.schedule(&requests, &[0, 1, 2]).expect("plans");
    assert_eq!(check(&graph, &requests, &plans, 0), Ok(()));
    let found: Vec<Vec<u32>> = plans.iter().map(steps).collect();
    assert_eq!(found, [vec![0, 1, 2, 3], vec![0, 1], vec![23, 24]]);
}
