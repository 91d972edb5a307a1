//! A shortest path from each node to each destination, spread over the links: for one destination after the other, each node takes the port whose path carries the fewest of the
//! paths so far (Hoefler, Schneider and Lumsdaine 2009; Domke, Hoefler and Nagel 2011, section III).

use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port, TerminalId};

/// One path from each node to each node at which packets are delivered.
pub(super) struct Trees {
    /// The nodes at which packets are delivered, and for each node its place among them.
    pub(super) homes: Vec<NodeId>,
    place: Vec<u32>,
    /// For each of them and each node the port along the path.
    ports: Vec<Port>,
    nodes: usize,
}

/// The terminals of each node by a map.
fn terminals_at(shape: &Shape, of: impl Fn(TerminalId) -> NodeId) -> Vec<u64> {
    let mut counts = vec![0; shape.nodes() as usize];
    for terminal in (0..shape.terminals()).map(TerminalId) {
        counts[of(terminal).index()] += 1;
    }
    counts
}

impl Trees {
    /// Those of a network. A path counts as often as there are pairs of terminals that use it.
    pub(super) fn new(shape: &Shape) -> Trees {
        let nodes = shape.nodes() as usize;
        let sent = terminals_at(shape, |terminal| shape.entry(terminal));
        let received = terminals_at(shape, |terminal| shape.home(terminal));
        let all = || (0..nodes as u32).map(NodeId);
        let homes: Vec<NodeId> = all().filter(|node| received[node.index()] > 0).collect();
        let mut place = vec![u32::MAX; nodes];
        for (number, home) in (0..).zip(&homes) {
            place[home.index()] = number;
        }
        let mut trees = Trees {
            ports: vec![Port(0); homes.len() * nodes],
            homes,
            place,
            nodes,
        };
        let mut carried = vec![0u64; nodes * shape.ports()];
        for home in trees.homes.clone() {
            let order = trees.grow(shape, home, &carried);
            // From the leaves to the root.
            let mut paths = sent.clone();
            for node in order.iter().rev().filter(|node| **node != home) {
                let port = trees.port(*node, home);
                let through = paths[node.index()];
                carried[node.index() * shape.ports() + port.index()] +=
                    through * received[home.index()];
                if let Some(next) = shape.neighbour(*node, port) {
                    paths[next.index()] += through;
                }
            }
        }
        trees
    }

    /// Finds the paths to a destination; returns the nodes, the nearest first.
    fn grow(&mut self, shape: &Shape, home: NodeId, carried: &[u64]) -> Vec<NodeId> {
        let mut order: Vec<NodeId> = (0..self.nodes as u32).map(NodeId).collect();
        order.sort_by_key(|node| shape.distance(*node, home));
        let mut cost = vec![0u64; self.nodes];
        let row = self.place[home.index()] as usize * self.nodes;
        for node in order.iter().filter(|node| **node != home) {
            let by = |port: Port| {
                let next = shape.neighbour(*node, port)?;
                let link = node.index() * shape.ports() + port.index();
                Some((cost[next.index()] + carried[link], port))
            };
            let ways = shape.productive(*node, home);
            if let Some((least, port)) = ways.iter().filter_map(by).min() {
                cost[node.index()] = least;
                self.ports[row + node.index()] = port;
            }
        }
        order
    }

    /// The port of a node along its path to a node at which packets are delivered.
    #[inline]
    pub(super) fn port(&self, from: NodeId, home: NodeId) -> Port {
        let row = self.place[home.index()] as usize * self.nodes;
        self.ports[row + from.index()]
    }

    /// The place of a node among those at which packets are delivered.
    #[inline]
    pub(super) fn place(&self, home: NodeId) -> usize {
        self.place[home.index()] as usize
    }
}
