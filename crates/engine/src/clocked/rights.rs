//! The right to send over half-duplex links between nodes that need not share a clock.
//!
//! A right that a node has not used leaves at its next tick, and crosses the link and the receiver's synchronizer like
//! a word; one that a packet's last word brings is there when that word is taken. While a link is idle its right goes to
//! and fro, at the pace of both clocks.

use super::crossing::{Links, Seen};
use super::{Clocked, Tick};
use flitwork_network::{Network, WireEnds};
use flitwork_node::{Probe, Stepped};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PortSet, Word};

/// The rights to send over all links; nothing if they are full duplex.
pub(super) struct Rights {
    /// Link ports of a node.
    links: usize,
    /// Each node's ends of its links.
    ends: Vec<WireEnds>,
    /// The ports of each node to which a right is under way without a word, and when each stands there, in ps.
    coming: Vec<PortSet>,
    stands_ps: Vec<u64>,
}

impl Rights {
    pub(super) fn new<T: Topology, R>(network: &Network<T, R>) -> Rights {
        let (ends, links) = (network.wire_ends(), network.topology.ports());
        Rights {
            links,
            coming: vec![PortSet::EMPTY; ends.len()],
            stands_ps: vec![0; ends.len() * links],
            ends,
        }
    }

    /// Whether links are full duplex.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.ends.is_empty()
    }

    /// In a tick of a node, its cycle `now`: rights that have come alone, and those that came with `words` at the
    /// ports of `came`.
    fn take(
        &mut self,
        (node, now): (NodeId, Cycle),
        (came, words): (PortSet, &[Word]),
        links: &Links,
        seen: Seen,
    ) {
        let ends = &mut self.ends[node.index()];
        let link_ports = PortSet::first(self.links).0;
        for port in PortSet(came.0 & link_ports).iter() {
            if words[port.index()].flit.is_tail() {
                ends.receive(port, now);
            }
        }
        for port in self.coming[node.index()].iter() {
            let stands_ps = self.stands_ps[node.index() * self.links + port.index()];
            if stands_ps <= links.limit_ps(node, port, seen) {
                self.coming[node.index()].remove(port);
                ends.receive(port, now);
            }
        }
    }

    /// The node has sent `words` at the ports of `sent` in its cycle `now`, at `now_ps`: rights that it has not used
    /// leave.
    fn pass<T: Topology>(
        &mut self,
        (node, now): (NodeId, Cycle),
        (sent, words): (PortSet, &[Word]),
        (topology, links): (&T, &Links),
        now_ps: u64,
    ) {
        for port in self.ends[node.index()].pass(now, sent, words).iter() {
            let (far, far_port, stands_ps) = links.arrival(topology, (node, port), now_ps);
            self.coming[far.index()].insert(far_port);
            self.stands_ps[far.index() * self.links + far_port.index()] = stands_ps;
        }
    }
}

impl<T: Topology, R: Stepped, P: Probe> Clocked<'_, T, R, P> {
    /// A tick of a node that isn't stepped: only rights to send over half-duplex links come and go.
    #[inline(never)]
    pub(super) fn pass_idle_rights(&mut self, node: NodeId, tick: Tick) {
        let now = self.local(node, tick.number);
        self.take_rights(node, now, PortSet::EMPTY, tick);
        self.pass_rights(node, now, PortSet::EMPTY, tick);
    }

    /// Takes the rights to send that are seen at a tick, and those that come with the words at the ports of `came`;
    /// returns the ports over which the node may send.
    #[inline(never)]
    pub(super) fn take_rights(
        &mut self,
        node: NodeId,
        now: Cycle,
        came: PortSet,
        tick: Tick,
    ) -> PortSet {
        let came = (came, &self.inbox[..]);
        self.rights.take((node, now), came, &self.links, tick.seen);
        self.rights.ends[node.index()].sendable(now)
    }

    /// Passes on the rights to send that a node that has sent at the ports of `sent` has not used.
    #[inline(never)]
    pub(super) fn pass_rights(&mut self, node: NodeId, now: Cycle, sent: PortSet, tick: Tick) {
        let (sent, links) = (
            (sent, &self.outbox[..]),
            (&self.network.topology, &self.links),
        );
        let now_ps = tick.seen.shared_ps;
        self.rights.pass((node, now), sent, links, now_ps);
    }
}
