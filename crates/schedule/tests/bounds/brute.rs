//! The shortest schedule, held to all schedules of tiny problems.

use crate::{grid, models, packets, request};
use flitwork_schedule::bounds::{Limits, Model, fractional, shortest};
use flitwork_schedule::multistage::Paths;
use flitwork_schedule::{Hop, Plan, Request, check, makespan};
use flitwork_topology::{Graph, Topology};
use flitwork_types::{NodeId, Port};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// All plans of a packet, also those that come back to where it was, and through its destination.
fn plans(graph: &impl Topology, request: &Request, model: Model, steps: u32) -> Vec<Plan> {
    let mut all = Vec::new();
    if request.source == request.destination {
        all.push(Plan::default());
        return all;
    }
    let mut open: Vec<(NodeId, u32, Plan)> = vec![(request.source, 0, Plan::default())];
    while let Some((node, step, plan)) = open.pop() {
        if node == request.destination {
            all.push(plan.clone());
        }
        if step + request.words > steps {
            continue;
        }
        if plan.hops.is_empty() || model.waiting > 0 {
            open.push((node, step + 1, plan.clone()));
        }
        let ports = match model.paths {
            Paths::Shortest => graph.productive(node, request.destination),
            Paths::Any => graph.links(node),
        };
        for port in ports.iter() {
            let mut plan = plan.clone();
            plan.hops.push(Hop { port, step });
            let far = graph.neighbour(node, port).expect("a link");
            open.push((far, step + 1, plan));
        }
    }
    all.sort_by_key(|plan| plan.hops.len());
    all.dedup();
    all
}

#[derive(Clone, Default)]
struct Taken {
    links: BTreeSet<(NodeId, Port, u32)>,
    waits: BTreeMap<(NodeId, u32), usize>,
}

impl Taken {
    /// What is taken with one more packet, unless that's too much.
    fn with(
        &self,
        graph: &impl Topology,
        request: &Request,
        plan: &Plan,
        most: usize,
    ) -> Option<Taken> {
        let mut taken = self.clone();
        let mut at = request.source;
        for (number, hop) in plan.hops.iter().enumerate() {
            for step in hop.step..hop.step + request.words {
                if !taken.links.insert((at, hop.port, step)) {
                    return None;
                }
            }
            let ready = number
                .checked_sub(1)
                .map(|before| plan.hops[before].step + 1);
            for step in ready.unwrap_or(hop.step)..hop.step {
                let waits = taken.waits.entry((at, step)).or_default();
                *waits += 1;
                if *waits > most {
                    return None;
                }
            }
            at = graph.neighbour(at, hop.port).expect("a link");
        }
        Some(taken)
    }
}

/// Whether packets have plans that leave each other free.
fn fits(
    graph: &impl Topology,
    requests: &[Request],
    choices: &[Vec<Plan>],
    taken: &Taken,
    most: usize,
) -> bool {
    let Some((first, rest)) = requests.split_first() else {
        return true;
    };
    choices[0].iter().any(|plan| {
        let taken = taken.with(graph, first, plan, most);
        taken.is_some_and(|taken| fits(graph, rest, &choices[1..], &taken, most))
    })
}

/// The fewest steps of any schedule.
fn fewest(graph: &impl Topology, requests: &[Request], model: Model) -> u32 {
    let is_enough = |steps: &u32| {
        let choices = requests.iter().map(|it| plans(graph, it, model, *steps));
        let choices: Vec<_> = choices.collect();
        fits(graph, requests, &choices, &Taken::default(), model.waiting)
    };
    (0..).find(is_enough).expect("there is a schedule")
}

fn hold(graph: &impl Topology, requests: &[Request], model: Model) -> Result<(), TestCaseError> {
    let limits = Limits::default();
    let fewest = fewest(graph, requests, model);
    let found = shortest(graph, requests, model, &limits).expect("a problem");
    prop_assert_eq!(check(graph, requests, &found.plans, model.waiting), Ok(()));
    prop_assert_eq!(makespan(requests, &found.plans), found.makespan);
    prop_assert_eq!((found.makespan, found.at_least), (fewest, fewest));
    let bound = fractional(graph, requests, model, &limits).expect("a problem");
    prop_assert!(bound.steps <= fewest);
    Ok(())
}

fn ring(nodes: u32) -> Graph {
    let mut ring = Graph::of_nodes(nodes).expect("a graph");
    for node in 0..nodes {
        let next = NodeId((node + 1) % nodes);
        ring.join(NodeId(node), next).expect("a link");
    }
    ring.build().expect("a graph")
}

/// A ring one way, with links across, some of them twice.
fn directed() -> impl Strategy<Value = Graph> {
    (3u32..6).prop_flat_map(|nodes| {
        let links = prop::collection::vec((0..nodes, 0..nodes), 0..6);
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

#[test]
fn of_worms_that_miss_the_fractional_bound() {
    let worms = [(0, 3, 3), (3, 0, 3), (0, 3, 2), (1, 2, 3), (2, 1, 2)];
    let requests = worms.map(|(from, to, words)| request(from, to, words));
    for model in models() {
        hold(&grid(2, 2), &requests, model).expect("the shortest");
    }
    assert_eq!(fewest(&grid(2, 2), &requests, Model::default()), 6);
}

/// A packet from end to end of the first row is there after 4 steps only if it crosses the link from node 1 in step 1. That
/// leaves step 0 to the packet of one word from there, and steps 2 and 3 to that of two, whichever is named first. So 4 steps are
/// enough, but the search before the solver takes more: whether packets turn early or late, one of the two that go from corner
/// to corner of a square takes the link that another needs from step 0 to step 3.
#[test]
fn of_packets_that_differ_only_in_words() {
    let mut alike = [request(1, 2, 2), request(1, 2, 1)];
    for _ in 0..2 {
        let squares = [(6, 11, 4), (13, 14, 4), (5, 11, 1), (8, 14, 1)];
        let squares = squares.map(|(from, to, words)| request(from, to, words));
        let requests = [&[request(0, 4, 1)], &alike[..], &squares].concat();
        for model in models() {
            hold(&grid(3, 5), &requests, model).expect("the shortest");
        }
        assert_eq!(fewest(&grid(3, 5), &requests, Model::default()), 4);
        alike.reverse();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn of_2_x_2(requests in packets(4, 2, 4), model in 0..4usize) {
        hold(&grid(2, 2), &requests, models()[model])?;
    }

    #[test]
    fn of_2_x_3(requests in packets(6, 1, 5), model in 0..4usize) {
        hold(&grid(2, 3), &requests, models()[model])?;
    }

    #[test]
    fn of_rings(requests in packets(5, 2, 4), model in 0..4usize) {
        hold(&ring(5), &requests, models()[model])?;
    }

    #[test]
    fn of_directed_graphs(
        (graph, requests) in directed().prop_flat_map(|graph| {
            let requests = packets(graph.nodes(), 2, 4);
            (Just(graph), requests)
        }),
        model in 0..4usize,
    ) {
        hold(&graph, &requests, models()[model])?;
    }
}
