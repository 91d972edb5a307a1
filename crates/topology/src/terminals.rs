//! The terminals of a network with switches, by rank: the network as traffic sees it.
//!
//! ```text
//!   nodes       0   1   2   3   4   5   6        switches: 0, 1 and 4
//!   terminals           0   1       2   3        their ranks
//! ```
//!
//! Patterns and processes number the nodes that send and receive from 0. On a network in which some nodes are
//! switches they see the terminals by their ranks: uniform traffic is uniform over terminals, and a
//! permutation permutes their ranks. Terminals have no coordinates.

use crate::Topology;
use flitwork_types::{NodeId, Port, PortSet};

/// The terminals of a network, each by its rank among them. Links are those of the terminals; the far end of
/// a link is known if it is a terminal.
pub struct Terminals<'a> {
    topology: &'a dyn Topology,
    nodes: Vec<NodeId>,
    /// Node by node.
    ranks: Vec<Option<NodeId>>,
}

impl<'a> Terminals<'a> {
    /// The terminals of a network; `None` if all its nodes are terminals.
    pub fn of(topology: &'a dyn Topology) -> Option<Terminals<'a>> {
        if topology.terminals() == topology.nodes() {
            return None;
        }
        let all = (0..topology.nodes()).map(NodeId);
        let nodes: Vec<NodeId> = all.filter(|node| topology.is_terminal(*node)).collect();
        let mut ranks = vec![None; topology.nodes() as usize];
        for (rank, node) in (0..).zip(&nodes) {
            ranks[node.index()] = Some(NodeId(rank));
        }
        Some(Terminals {
            topology,
            nodes,
            ranks,
        })
    }

    /// The nodes, by rank.
    pub fn by_rank(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The ranks, node by node; switches have none.
    pub fn ranks(&self) -> &[Option<NodeId>] {
        &self.ranks
    }

    fn node(&self, rank: NodeId) -> NodeId {
        self.nodes[rank.index()]
    }
}

impl Topology for Terminals<'_> {
    fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    fn ports(&self) -> usize {
        self.topology.ports()
    }

    fn links(&self, rank: NodeId) -> PortSet {
        self.topology.links(self.node(rank))
    }

    fn far(&self, rank: NodeId, port: Port) -> Option<(NodeId, Port)> {
        let (far, port) = self.topology.far(self.node(rank), port)?;
        Some((self.ranks[far.index()]?, port))
    }

    fn productive(&self, here: NodeId, destination: NodeId) -> PortSet {
        let topology = self.topology;
        topology.productive(self.node(here), self.node(destination))
    }

    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        self.topology.distance(self.node(from), self.node(to))
    }

    fn diameter_hops(&self) -> u32 {
        self.topology.diameter_hops()
    }

    fn port_name(&self, port: Port) -> String {
        self.topology.port_name(port)
    }

    fn node_name(&self, rank: NodeId) -> String {
        self.topology.node_name(self.node(rank))
    }
}
