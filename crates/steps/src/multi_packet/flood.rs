//! Information packets, by which nodes learn the locality of a problem (section 9.2, step 1.a).

use crate::machine::Machine;
use crate::rule::Rule;
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// What nodes know of the locality, and the information packets that are on their way.
///
/// A node knows the farthest move of its own packets, rounded down to a power of two. It tells its neighbours, unless it is 0;
/// a node that hears of twice as much as it knows, or more, knows that and tells its own neighbours with the next step. So all
/// nodes come to know the same, and a link carries at most one information packet for each power of two. The paper rounds
/// afterwards, in step 1.c: then a node that knows 9 never hears of 16, and rounds to 8.
#[derive(Debug)]
pub(super) struct Flood {
    /// By node.
    known: Vec<u32>,
    /// The nodes that tell their neighbours in the next step.
    telling: Vec<NodeId>,
    /// By node: how often it has told them.
    told: Vec<u32>,
}

/// The greatest power of two up to a number; 0 of 0.
fn rounded(number: u32) -> u32 {
    number.checked_ilog2().map_or(0, |log| 1 << log)
}

impl Flood {
    /// Nodes know how far packets have to go from them.
    pub(super) fn of(nodes: u32, farthest: impl Iterator<Item = (NodeId, u32)>) -> Flood {
        let mut known = vec![0; nodes as usize];
        for (node, links) in farthest {
            let known: &mut u32 = &mut known[node.index()];
            *known = rounded(links).max(*known);
        }
        let nodes = (0..nodes).map(NodeId);
        let tells = |node: &NodeId| known[node.index()] > 0;
        Flood {
            telling: nodes.filter(tells).collect(),
            told: vec![0; known.len()],
            known,
        }
    }

    /// Whether no information packet is on its way.
    pub(super) fn is_done(&self) -> bool {
        self.telling.is_empty()
    }

    /// Information packets cross links in the machine's next step, before all others.
    pub(super) fn step<T: Topology, R: Rule>(&mut self, machine: &mut Machine<'_, T, R>) {
        let mut heard = Vec::new();
        for node in self.telling.drain(..) {
            self.told[node.index()] += 1;
            for port in machine.topology().links(node).iter() {
                machine.take_link(node, port);
                let far = machine.topology().neighbour(node, port);
                heard.extend(far.map(|far| (far, self.known[node.index()])));
            }
        }
        for (node, locality) in heard {
            let known = &mut self.known[node.index()];
            if locality >= 2 * *known {
                *known = locality;
                self.telling.push(node);
            }
        }
        self.telling.sort_unstable();
        self.telling.dedup();
    }

    /// The most information packets that a link has carried in one direction.
    pub(super) fn most_of_a_link(&self) -> u32 {
        self.told.iter().copied().max().unwrap_or(0)
    }

    /// What each node knows.
    pub(super) fn into_localities(self) -> Vec<u32> {
        self.known
    }
}
