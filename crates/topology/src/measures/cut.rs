//! A search for few links that part the terminals into halves: from several halves to begin with, nodes change sides, the
//! one that saves most first, as long as anything is saved (Fiduccia and Mattheyses 1982).

use crate::Topology;
use flitwork_types::NodeId;
use flitwork_types::draws::split_mix;
use std::collections::{BTreeSet, VecDeque};

/// Random halves to begin with.
const RANDOM: u64 = 8;
/// Halves that grow from a node.
const GROWN: u32 = 8;

/// The fewest links that a search finds to part the terminals into halves.
pub(super) fn least_cut(topology: &impl Topology) -> u64 {
    let graph = Weighted::of(topology);
    let nodes = graph.near.len() as u32;
    let by_number = (0..nodes).collect();
    let grown = (0..GROWN.min(nodes)).map(|at| graph.grown(at * (nodes / GROWN.min(nodes))));
    let drawn = (1..=RANDOM).map(|seed| shuffled(nodes, seed));
    let orders = std::iter::once(by_number).chain(grown).chain(drawn);
    let cuts = orders.map(|order: Vec<u32>| graph.refined(graph.halves(&order)));
    cuts.min().unwrap_or(0)
}

/// Nodes, the nodes that they are linked to, and how many terminals they have.
struct Weighted {
    near: Vec<Vec<u32>>,
    weight: Vec<i64>,
}

impl Weighted {
    fn of(topology: &impl Topology) -> Weighted {
        let nodes = || (0..topology.nodes()).map(NodeId);
        let near = |node: NodeId| {
            let links = topology.links(node);
            let far = links
                .iter()
                .filter_map(|port| topology.neighbour(node, port));
            far.map(|far| far.0).collect()
        };
        Weighted {
            near: nodes().map(near).collect(),
            weight: nodes()
                .map(|node| topology.terminals_of(node).count() as i64)
                .collect(),
        }
    }

    fn total(&self) -> i64 {
        self.weight.iter().sum()
    }

    /// The nodes in the order in which a search from one reaches them.
    fn grown(&self, from: u32) -> Vec<u32> {
        let mut seen = vec![false; self.near.len()];
        seen[from as usize] = true;
        let (mut order, mut queue) = (Vec::new(), VecDeque::from([from]));
        while let Some(node) = queue.pop_front() {
            order.push(node);
            for next in &self.near[node as usize] {
                if !std::mem::replace(&mut seen[*next as usize], true) {
                    queue.push_back(*next);
                }
            }
        }
        order
    }

    /// Which nodes are in the first half, if they are taken in an order until half of the terminals are in it.
    fn halves(&self, order: &[u32]) -> Vec<bool> {
        let mut first = vec![false; self.near.len()];
        let mut left = self.total() / 2;
        for node in order {
            if left <= 0 {
                break;
            }
            first[*node as usize] = true;
            left -= self.weight[*node as usize];
        }
        first
    }

    /// The links between two sides.
    fn cut(&self, first: &[bool]) -> u64 {
        let crosses = |node: usize| {
            let near = self.near[node].iter();
            near.filter(|far| first[node] && !first[**far as usize])
                .count() as u64
        };
        (0..self.near.len()).map(crosses).sum()
    }

    /// The links of the best cut to which passes lead.
    fn refined(&self, mut first: Vec<bool>) -> u64 {
        let mut best = self.cut(&first);
        loop {
            let (links, better) = self.pass(&first);
            if links >= best {
                return best;
            }
            (best, first) = (links, better);
        }
    }

    /// Each node changes sides once; the best halves on the way.
    fn pass(&self, begin: &[bool]) -> (u64, Vec<bool>) {
        let mut side = begin.to_vec();
        let mut gains: Vec<i64> = (0..side.len()).map(|node| self.gain(&side, node)).collect();
        // By side, the nodes that haven't moved, with what their moving saves.
        let mut free = [BTreeSet::new(), BTreeSet::new()];
        for (node, gain) in gains.iter().enumerate() {
            free[usize::from(side[node])].insert((*gain, node));
        }
        let total = self.total();
        let weigh = |side: &[bool]| -> i64 {
            let weights = self.weight.iter().zip(side);
            weights
                .filter(|(_, first)| **first)
                .map(|(weight, _)| *weight)
                .sum()
        };
        let (mut weight, mut links) = (weigh(&side), self.cut(&side) as i64);
        let (mut best, mut moved, mut kept) = (i64::MAX, Vec::new(), 0);
        loop {
            // From the heavier side; of equal ones the node that saves more.
            let of = |from: usize| free[from].last().copied();
            let next = match (2 * weight).cmp(&total) {
                std::cmp::Ordering::Greater => of(1).or(of(0)),
                std::cmp::Ordering::Less => of(0).or(of(1)),
                std::cmp::Ordering::Equal => of(0).max(of(1)),
            };
            let Some((gain, node)) = next else { break };
            free[usize::from(side[node])].remove(&(gain, node));
            side[node] = !side[node];
            weight += if side[node] {
                self.weight[node]
            } else {
                -self.weight[node]
            };
            links -= gain;
            moved.push(node);
            for far in self.near[node].iter().map(|far| *far as usize) {
                let now = self.gain(&side, far);
                let own = &mut free[usize::from(side[far])];
                if own.remove(&(gains[far], far)) {
                    own.insert((now, far));
                }
                gains[far] = now;
            }
            if (2 * weight - total).abs() <= total % 2 && links < best {
                (best, kept) = (links, moved.len());
            }
        }
        let mut halves = begin.to_vec();
        for node in &moved[..kept] {
            halves[*node] = !halves[*node];
        }
        (u64::try_from(best).unwrap_or(u64::MAX), halves)
    }

    /// How many links a node's change of sides takes out of the cut.
    fn gain(&self, side: &[bool], node: usize) -> i64 {
        let crosses = |far: &&u32| side[**far as usize] != side[node];
        let out = self.near[node].iter().filter(crosses).count() as i64;
        2 * out - self.near[node].len() as i64
    }
}

/// All nodes in an order drawn from a seed.
fn shuffled(nodes: u32, seed: u64) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = (0..nodes)
        .map(|node| (split_mix(split_mix(seed).wrapping_add(node.into())), node))
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, node)| node).collect()
}
