//! Traffic that another program makes, packet by packet, while the network runs.

use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, NodeId};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The packets that have been given to the sources and that these have not taken.
pub(super) struct Outside {
    given: Receiver<(NodeId, Birth)>,
    queues: Vec<VecDeque<Birth>>,
}

impl Outside {
    /// No packets yet, for sources at this many nodes, and the sender by which packets are given to them.
    pub(super) fn new(nodes: u32) -> (Outside, Sender<(NodeId, Birth)>) {
        let (sender, given) = channel();
        let queues = vec![VecDeque::new(); nodes as usize];
        (Outside { given, queues }, sender)
    }
}

/// It foresees: nothing depends on deliveries, and a packet is handed over as soon as it is known.
impl Workload for Outside {
    fn next(&mut self, node: NodeId, _: Cycle) -> Offer {
        for (source, birth) in self.given.try_iter() {
            self.queues[source.index()].push_back(birth);
        }
        let birth = self.queues[node.index()].pop_front();
        birth.map_or(Offer::Later(Cycle::NEVER), Offer::Packet)
    }

    fn sources(&self) -> Vec<NodeId> {
        (0..self.queues.len() as u32).map(NodeId).collect()
    }
}
