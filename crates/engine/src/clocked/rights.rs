//! The right to send over half-duplex links between nodes that need not share a clock.
//!
//! A right that a node has not used leaves at its next tick, and crosses the link and the receiver's synchronizer like
//! a word; one that a packet's last word brings is there when that word is taken. While a link is idle its right goes to
//! and fro, at the pace of both clocks.

use super::ends::Seen;
use super::links::Links;
use super::{Clocked, Tick};
use flitwork_network::{Network, WireEnds};
use flitwork_node::{Probe, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Port, PortSet, Word};

/// The rights to send over all links; nothing if they are full duplex.
#[derive(Clone)]
pub(super) struct Rights {
    /// Link ports of a node.
    links: usize,
    /// Each node's ends of its links.
    ends: Vec<WireEnds>,
    /// The ports of each node to which a right is under way without a word, and when each stands there, in ps.
    coming: Vec<PortSet>,
    available_at_ps: Vec<u64>,
}

impl Rights {
    pub(super) fn new<T: Topology, R>(network: &Network<T, R>) -> Rights {
        let (ends, links) = (network.wire_ends(), network.topology.ports());
        Rights {
            links,
            coming: vec![PortSet::EMPTY; ends.len()],
            available_at_ps: vec![0; ends.len() * links],
            ends,
        }
    }

    /// Whether links are full duplex.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.ends.is_empty()
    }

    /// When the next right comes to stand at a node's ports, in ps.
    pub(super) fn next_ps(&self, node: NodeId) -> Due<u64> {
        let coming = self.coming.get(node.index()).copied().unwrap_or_default();
        let available_at_ps =
            |port: Port| self.available_at_ps[node.index() * self.links + port.index()];
        Due::soonest(coming.iter().map(available_at_ps))
    }

    /// When a right came alone to a port after the first of these times and no later than the second, in ps, into
    /// `came`.
    pub(super) fn came_ps(
        &self,
        (node, port): (NodeId, Port),
        (after_ps, until_ps): (u64, u64),
        came: &mut Vec<(Port, u64)>,
    ) {
        let coming = self.coming.get(node.index());
        if coming.is_some_and(|coming| coming.contains(port)) {
            let at_ps = self.available_at_ps[node.index() * self.links + port.index()];
            if (after_ps + 1..=until_ps).contains(&at_ps) {
                came.push((port, at_ps));
            }
        }
    }

    /// The first cycle from `now` on in which a node passes on a right that it has not used.
    pub(super) fn next_pass(&self, node: NodeId, now: Cycle) -> Due {
        let ends = self.ends.get(node.index());
        ends.map_or(Due::NEVER, |ends| ends.next_pass(now))
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
            let available_at_ps = self.available_at_ps[node.index() * self.links + port.index()];
            if available_at_ps <= links.limit_ps(node, port, seen) {
                self.coming[node.index()].remove(port);
                ends.receive(port, now);
            }
        }
    }

    /// A right is under way to a node's port, and stands there at `available_at_ps`.
    fn come(&mut self, (node, port, available_at_ps): (NodeId, Port, u64)) {
        self.coming[node.index()].insert(port);
        self.available_at_ps[node.index() * self.links + port.index()] = available_at_ps;
    }
}

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// A tick of a node that isn't stepped: only rights to send over half-duplex links come and go.
    #[inline(never)]
    pub(super) fn pass_idle_rights(&mut self, node: NodeId, tick: Tick) {
        let now = self.local(node, tick.number);
        self.take_rights(node, now, PortSet::EMPTY, tick.seen);
        self.pass_rights(node, now, PortSet::EMPTY, tick.seen.shared_ps);
    }

    /// Takes the rights to send that are seen at a tick, and those that come with the words at the ports of `came`;
    /// returns the ports over which the node may send.
    #[inline(never)]
    pub(super) fn take_rights(
        &mut self,
        node: NodeId,
        now: Cycle,
        came: PortSet,
        seen: Seen,
    ) -> PortSet {
        let came = (came, &self.inbox[..]);
        self.rights.take((node, now), came, &self.links, seen);
        self.rights.ends[node.index()].sendable(now)
    }

    /// The rights that a node passes on in cycle `now`, by port: those that it has not used, having sent at the ports
    /// of `sent`.
    #[inline(never)]
    pub(super) fn unused_rights(&mut self, node: NodeId, now: Cycle, sent: PortSet) -> PortSet {
        self.rights.ends[node.index()].pass(now, sent, &self.outbox)
    }

    /// Rights to send leave a node at `at_ps`.
    #[inline(never)]
    pub(super) fn send_rights(&mut self, node: NodeId, passed: PortSet, at_ps: u64) {
        for port in passed.iter() {
            let (far, far_port, available_at_ps) = self.links.arrival((node, port), at_ps);
            self.rights.come((far, far_port, available_at_ps));
            self.call((far, available_at_ps.into()));
        }
    }

    /// Passes on the rights to send that a node with a clock, having sent at the ports of `sent`, has not used.
    pub(super) fn pass_rights(&mut self, node: NodeId, now: Cycle, sent: PortSet, now_ps: u64) {
        let passed = self.unused_rights(node, now, sent);
        self.send_rights(node, passed, now_ps);
    }
}
