//! Traffic between the terminals of a network that has switches, too.

use crate::{Birth, Offer, Owed, TakeLeft, Workload};
use flitwork_topology::Terminals;
use flitwork_types::{Cycle, NodeId, Packet, PacketId};
use std::ops::ControlFlow;

/// The packets of sources that number terminals by rank, on a network whose nodes are numbered differently.
pub struct OnTerminals {
    workload: Box<dyn Workload>,
    /// By rank.
    nodes: Vec<NodeId>,
    /// Node by node; switches have none.
    ranks: Vec<Option<NodeId>>,
    /// Ranks that a delivery has woken.
    woken: Vec<NodeId>,
}

impl OnTerminals {
    /// A workload made for the terminals alone, on the whole network.
    pub fn new(workload: Box<dyn Workload>, terminals: &Terminals<'_>) -> OnTerminals {
        OnTerminals {
            workload,
            nodes: terminals.by_rank().to_vec(),
            ranks: terminals.ranks().to_vec(),
            woken: Vec::new(),
        }
    }

    fn rank(&self, node: NodeId) -> Option<NodeId> {
        self.ranks.get(node.index()).copied().flatten()
    }

    fn node(&self, rank: NodeId) -> NodeId {
        self.nodes[rank.index()]
    }
}

impl Workload for OnTerminals {
    fn next(&mut self, node: NodeId, now: Cycle) -> Offer {
        let Some(rank) = self.rank(node) else {
            return Offer::Never;
        };
        match self.workload.next(rank, now) {
            Offer::Packet(birth) => Offer::Packet(Birth {
                destination: self.node(birth.destination),
                ..birth
            }),
            other => other,
        }
    }

    fn sources(&self) -> Vec<NodeId> {
        let ranks = self.workload.sources().into_iter();
        ranks.map(|rank| self.node(rank)).collect()
    }

    fn foresees(&self) -> bool {
        self.workload.foresees()
    }

    fn delivered(&mut self, node: NodeId, packet: &Packet, now: Cycle, woken: &mut Vec<NodeId>) {
        let ends = [node, packet.id.source, packet.destination].map(|end| self.rank(end));
        let [Some(rank), Some(source), Some(destination)] = ends else {
            return;
        };
        let packet = Packet {
            id: PacketId {
                source,
                ..packet.id
            },
            destination,
            ..*packet
        };
        self.workload.delivered(rank, &packet, now, &mut self.woken);
        woken.extend(self.woken.drain(..).map(|rank| self.nodes[rank.index()]));
    }

    fn leave_over(&mut self, node: NodeId, end: Cycle, left: &mut TakeLeft<'_>) -> ControlFlow<()> {
        match self.rank(node) {
            Some(rank) => self.workload.leave_over(rank, end, left),
            None => ControlFlow::Continue(()),
        }
    }

    fn owed(&mut self) -> Owed {
        self.workload.owed()
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(OnTerminals {
            workload: self.workload.fork(),
            nodes: self.nodes.clone(),
            ranks: self.ranks.clone(),
            woken: self.woken.clone(),
        })
    }
}
