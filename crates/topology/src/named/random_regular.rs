//! `topology = "random-regular"`: a graph drawn at random in which every node has the same number of links.
//!
//! It begins as a circle in which each node is linked to the nearest others, and exchanges the ends of two links drawn at
//! random, as long as that makes no link twice and none from a node to itself: 16 times as often as there are links, and on
//! until all nodes are connected. Singla, Hong, Popa and Godfrey 2012 (Jellyfish) compare such networks with fat trees.

use super::{built, check_nodes};
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES, TopologyEntry, keys};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::draws::split_mix;
use flitwork_types::{MAX_PORTS, NodeId};
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
struct RandomRegular {
    nodes: u32,
    degree: u32,
    seed: u64,
}

impl Default for RandomRegular {
    fn default() -> RandomRegular {
        RandomRegular {
            nodes: 0,
            degree: 0,
            seed: 1,
        }
    }
}

const DEGREE: &str = "degree";

#[rustfmt::skip]
const KEYS: &[Key<RandomRegular>] = &[
    keys::nodes(|it| &mut it.nodes),
    key(DEGREE, |it| &mut it.degree, Allowed::Whole(2, MAX_PORTS as u64 - 1), "required", "links of each node: fewer than the nodes, and even if the number of nodes is odd"),
    keys::seed(|it| &mut it.seed),
];

pub(crate) fn entry() -> TopologyEntry {
    let help =
        "a graph drawn at random (seed) whose nodes all have the same number of links (degree)";
    TopologyEntry::new("random-regular", help, KEYS, |given, table| {
        check(given, table)?;
        built(table, "nodes", drawn(given))
    })
}

fn check(given: &RandomRegular, table: &RawTable<'_>) -> Result<(), Refusal> {
    let (nodes, degree) = (given.nodes, given.degree);
    check_nodes(nodes, 3..=MAX_GRAPH_NODES, table)?;
    if degree >= nodes {
        let allowed = format!("fewer than the {nodes} nodes");
        return Err(table.conflict(DEGREE, allowed));
    }
    match degree % 2 == 1 && nodes % 2 == 1 {
        true => Err(table.conflict(DEGREE, "an even number, since the number of nodes is odd")),
        false => Ok(()),
    }
}

fn drawn(given: &RandomRegular) -> Result<GraphBuilder, GraphError> {
    let mut links = Links::near(given);
    let mut draws = Draws {
        seed: given.seed,
        count: 0,
    };
    for _ in 0..16 * links.all.len() {
        links.exchange(&mut draws);
    }
    while !links.are_connected(given.nodes) {
        links.exchange(&mut draws);
    }
    let mut graph = Graph::of_nodes(given.nodes)?;
    for (one, other) in links.there {
        graph.join(NodeId(one), NodeId(other))?;
    }
    Ok(graph)
}

/// Numbers of a stream of their own.
struct Draws {
    seed: u64,
    count: u64,
}

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.count += 1;
        let drawn = split_mix(split_mix(self.seed).wrapping_add(self.count));
        ((u128::from(drawn) * bound as u128) >> 64) as usize
    }
}

/// The links of a graph, the lower end first: in a list to draw from, and as a set.
struct Links {
    all: Vec<(u32, u32)>,
    there: BTreeSet<(u32, u32)>,
}

impl Links {
    /// Those of a circle in which each node is linked to the nearest others, and to the opposite one if their number is odd.
    fn near(given: &RandomRegular) -> Links {
        let (nodes, degree) = (given.nodes, given.degree);
        let opposite = (degree % 2 == 1).then_some(nodes / 2);
        let jumps = (1..=degree / 2).chain(opposite);
        let of = |jump: u32| (0..nodes).map(move |node| ordered(node, (node + jump) % nodes));
        let there: BTreeSet<(u32, u32)> = jumps.flat_map(of).collect();
        let all = there.iter().copied().collect();
        Links { all, there }
    }

    /// Exchanges ends of two links drawn at random: a–b and c–d become a–d and c–b, or a–c and b–d; unless that makes a
    /// link twice or a loop.
    fn exchange(&mut self, draws: &mut Draws) {
        let [one, other] = [0, 1].map(|_| draws.below(self.all.len()));
        let (old, (a, b), (c, d)) = (
            [self.all[one], self.all[other]],
            self.all[one],
            self.all[other],
        );
        let new = match draws.below(2) {
            0 => [(a, d), (c, b)],
            _ => [(a, c), (b, d)],
        };
        let new = new.map(|(one, other)| ordered(one, other));
        let is_loop = new.iter().any(|(one, other)| one == other);
        if is_loop || new[0] == new[1] || new.iter().any(|link| self.there.contains(link)) {
            return;
        }
        for ((place, old), new) in [one, other].into_iter().zip(old).zip(new) {
            self.there.remove(&old);
            self.there.insert(new);
            self.all[place] = new;
        }
    }

    fn are_connected(&self, nodes: u32) -> bool {
        let mut group: Vec<u32> = (0..nodes).collect();
        fn first(group: &mut [u32], mut node: u32) -> u32 {
            while group[node as usize] != node {
                group[node as usize] = group[group[node as usize] as usize];
                node = group[node as usize];
            }
            node
        }
        let mut groups = nodes;
        for (one, other) in &self.all {
            let (one, other) = (first(&mut group, *one), first(&mut group, *other));
            groups -= u32::from(one != other);
            group[one as usize] = other;
        }
        groups == 1
    }
}

fn ordered(one: u32, other: u32) -> (u32, u32) {
    (one.min(other), one.max(other))
}
