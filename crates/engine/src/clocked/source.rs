//! The sources of a network whose nodes have clocks of their own, and when each has something for its node.

use crate::sources::Sources;
use flitwork_network::{Demand, Network};
use flitwork_node::Router;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Packets, Word};

/// All sources of a network. They run on the nominal clock.
#[derive(Clone)]
pub(super) struct NominalSources {
    pub(super) all: Sources,
    /// The reference cycle from which each source has something for its node.
    due: Vec<Due>,
}

impl NominalSources {
    pub(super) fn new<T: Topology, R: Router>(
        demand: Demand,
        network: &Network<T, R>,
    ) -> NominalSources {
        let all = Sources::new(demand, network);
        let nodes = (0..network.topology.nodes()).map(NodeId);
        NominalSources {
            due: nodes.map(|node| all.of(node).due()).collect(),
            all,
        }
    }

    /// The reference cycle from which a node's source may have a word for it.
    #[inline]
    pub(super) fn due(&self, node: NodeId) -> Due {
        self.due[node.index()]
    }

    /// Whether a node's source may have a word for it in a tick in reference cycle `reference`.
    #[inline]
    pub(super) fn are_due(&self, node: NodeId, reference: Cycle) -> bool {
        self.due[node.index()] <= reference
    }

    /// The word that a source puts into the injection frame in a tick, if it has one.
    #[inline]
    pub(super) fn step(
        &mut self,
        node: NodeId,
        reference: Cycle,
        packets: &mut Packets,
    ) -> Option<Word> {
        let word = self.all.step(node, reference, packets);
        let source = self.all.of(node);
        let over = reference >= self.all.demand.inject_until && !source.is_sending();
        self.due[node.index()] = Due::when(!over, source.due());
        word
    }

    /// The injection frame of a node is free from its next tick on.
    #[inline]
    pub(super) fn free(&mut self, node: NodeId) {
        self.all.free(node, Cycle::ZERO);
        self.due[node.index()] = self.all.of(node).due();
    }

    /// A delivery may have given a source a packet.
    #[inline]
    pub(super) fn wake(&mut self, node: NodeId) {
        self.all.wake(node);
        self.due[node.index()] = self.all.of(node).due();
    }
}
