//! In which queues packets lie, and what fits there.

use super::Machine;
use crate::meddler::Scheduled;
use crate::rule::Rule;
use crate::rule::Sight;
use crate::store::Store;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet};

impl<T: Topology, R: Rule> Machine<'_, T, R> {
    /// How many packets lie in the queue of a link.
    pub(super) fn lie_in(&self, node: NodeId, queue: Port) -> usize {
        let held = self.held[node.index()].iter();
        held.filter(|it| self.carried[it.index()].queue == Some(queue))
            .count()
    }

    /// How many more packets fit where an offered one would lie, and the links in whose queues it may.
    pub(super) fn room(&self, offered: &Scheduled) -> (usize, PortSet) {
        let (node, through) = (offered.to, offered.through);
        let left = |capacity: usize, queue| capacity.saturating_sub(self.lie_in(node, queue));
        match self.store {
            Store::Central(capacity) => {
                let held = self.held[node.index()].len();
                (capacity.saturating_sub(held), PortSet::EMPTY)
            }
            Store::Incoming(capacity) => (left(capacity, through), PortSet::only(through)),
            Store::Outgoing(capacity) => {
                let queues = self.may_wait_for(offered);
                let least = queues.iter().map(|queue| left(capacity, queue)).min();
                (least.unwrap_or(usize::MAX), queues)
            }
            Store::Unbounded => (usize::MAX, PortSet::EMPTY),
        }
    }

    /// The links for which an offered packet may wait at the end of the link that it is offered to, by what the rule's sight
    /// tells.
    fn may_wait_for(&self, offered: &Scheduled) -> PortSet {
        let Scheduled {
            packet, port, to, ..
        } = *offered;
        let packet = &self.packets[packet.index()];
        let links = self.links[to.index()];
        let grid = self.grid;
        let wait = |productive| self.rule.waits_for(to, packet.source, productive, grid);
        if R::Sight::IS_BEYOND_LINKS {
            let productive = self.topology.productive(to, packet.destination);
            return wait(productive).into_iter().collect();
        }
        let Some(grid) = grid else {
            return links;
        };
        let productive = self.carried[offered.packet.index()].productive;
        let back = grid.opposite(port);
        // A productive link ends in its packet's line or before it; another may change what is productive along it.
        let ways: &[&[Port]] = match productive.contains(port) {
            true => &[&[], &[port]],
            false => &[&[], &[port], &[back], &[port, back]],
        };
        let across = productive.0 & !(1 << port.0 | 1 << back.0);
        let may = ways.iter().map(|way| {
            let along: PortSet = way.iter().copied().collect();
            PortSet(across | along.0)
        });
        let is_there = |it: &PortSet| it.0 & !links.0 == 0;
        may.filter(is_there).filter_map(wait).collect()
    }

    /// The link in whose queue a packet that comes into a node lies.
    #[inline]
    pub(super) fn queue(&self, crossed: &Scheduled, productive: PortSet) -> Option<Port> {
        self.store.queue(crossed.through, || {
            let source = self.packets[crossed.packet.index()].source;
            let grid = self.grid;
            self.rule.waits_for(crossed.to, source, productive, grid)
        })
    }

    /// A rule that accepts more than fits is a bug.
    #[inline]
    pub(super) fn check_room(&self, node: NodeId, queue: Option<Port>) {
        let Some(capacity) = self.store.capacity() else {
            return;
        };
        let there = match queue {
            Some(queue) => self.lie_in(node, queue),
            None => self.held[node.index()].len(),
        };
        assert!(
            there <= capacity,
            "{:?} accepts more than fits: {there} packets in node {node}, {}, in step {}",
            self.rule,
            self.store,
            self.step
        );
    }
}
