//! The queues of output ports, which routing functions may see: the words at the far ends, and on the way there.

use super::{Node, Wormhole};
use crate::bits::Bits;
use crate::routing::{Queues, Sees};
use flitwork_node::{Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Board, Cycle, NodeId, Port};

/// The queues that a node sees in a cycle.
pub(super) struct Seen<'a, T, B: Bits, const N: usize, const P: usize, const L: usize> {
    pub(super) router: &'a Wormhole<T, Node<B, N, P, L>>,
    pub(super) state: &'a Node<B, N, P, L>,
    pub(super) now: Cycle,
    pub(super) board: &'a Board,
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize> Queues
    for Seen<'_, T, B, N, P, L>
{
    fn words(&self, node: NodeId, port: Port) -> u32 {
        match self.router.sees {
            Sees::Network => self.board.seen(self.router.notice(node, port), self.now),
            Sees::OwnNode | Sees::Nothing => self.router.queue(self.state, port),
        }
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// The words sent through a link port of a node for which no credit has come back.
    fn queue(&self, state: &Node<B, N, P, L>, port: Port) -> u32 {
        let most = self.parameters.buffer_words;
        let channels = 0..self.parameters.vcs;
        let lanes = channels.map(|channel| self.lanes().number(port, channel));
        lanes
            .map(|lane| u32::from(most - state.room_words.get(lane)))
            .sum()
    }

    /// Where a node shows the queue of a link port.
    fn notice(&self, node: NodeId, port: Port) -> usize {
        node.index() * usize::from(self.local.0) + port.index()
    }

    /// A node shows its queues, if others look at them.
    #[cold]
    #[inline(never)]
    pub(super) fn show_queues<Pr: Probe>(
        &self,
        state: &Node<B, N, P, L>,
        now: Cycle,
        site: &mut Site<'_, Pr>,
    ) {
        for port in self.topology.links(site.node).iter() {
            let words = self.queue(state, port);
            let notice = self.notice(site.node, port);
            site.packets.board.put(notice, now, words);
        }
    }
}
