//! Who sends next over half-duplex links.
//!
//! A packet that is ready leaves in the first cycle in which the right to send is at its end of the link, unless a
//! packet at the other end gets it before. Both are arithmetic ([`Wire`]), so nothing needs to be simulated while a
//! link is idle. When a packet is ready, it may not be known yet whether the other end sends first:
//!
//! ```text
//!   now                 the other end could have the right        this end has it
//!    ├──── ahead ────┤          ▼                                       ▼
//!    ├───────────────┼──────────●───────────────────────────────────────●────▶ cycles
//!     known           unknown
//! ```
//!
//! Whatever leaves within a router's `ahead` cycles ([`Streamed::ahead_cycles`]) has been declared ready before now. So
//! a departure is certain if the other end can't have the right before it (nothing to wait for), or only within those
//! cycles (it would have been granted). Otherwise the node looks again as soon as one of them holds. That is always
//! earlier than the departure itself, and never later than that of the other end.
//!
//! [`Wire`]: flitwork_network::Wire

use super::Fast;
use flitwork_network::{Network, SharedWires};
use flitwork_node::{Probe, Site, Streamed};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Port, PortSet};
use std::ops::Deref;

/// The half-duplex links of a network, and the packets that are ready to leave over them.
pub(super) struct Turns {
    wires: SharedWires,
    /// For each node: the ports at which a packet is ready.
    ready: Vec<PortSet>,
    /// For each of these ports: the first cycle in which its head could leave.
    from: Vec<Cycle>,
    links: usize,
    ahead_cycles: u32,
}

/// When a packet that is ready leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaves {
    /// In this cycle.
    In(Cycle),
    /// That is known in this cycle.
    KnownIn(Cycle),
}

impl Turns {
    /// Nothing is ready before the first cycle; `None` if links are full duplex.
    pub(super) fn new<T: Topology, R: Streamed>(network: &Network<T, R>) -> Option<Turns> {
        let wires = SharedWires::new(network)?;
        let (nodes, links) = (network.topology.nodes() as usize, network.topology.ports());
        Some(Turns {
            wires,
            ready: vec![PortSet::EMPTY; nodes],
            from: vec![Cycle::NEVER; nodes * links],
            links,
            ahead_cycles: network.router.ahead_cycles(),
        })
    }

    /// A packet is ready to leave.
    fn insert(&mut self, node: NodeId, port: Port, from: Cycle) {
        self.ready[node.index()].insert(port);
        self.from[node.index() * self.links + port.index()] = from;
    }

    /// When the packet that is ready at a port leaves, as known in cycle `now`.
    fn leaves(&self, node: NodeId, port: Port, now: Cycle) -> Leaves {
        let (wire, side, hop_cycles) = self.wires.at(node, port);
        let from = self.from[node.index() * self.links + port.index()];
        let head = wire.next(side, from, hop_cycles);
        let known = now + self.ahead_cycles;
        if wire.is_next(side, head) || head - hop_cycles < known {
            Leaves::In(head)
        } else {
            Leaves::KnownIn(head - hop_cycles - self.ahead_cycles + 1)
        }
    }
}

impl<N, T, R, P> Fast<N, R, P>
where
    N: Deref<Target = Network<T, R>>,
    T: Topology,
    R: Streamed,
    P: Probe,
{
    /// A packet is ready to leave over a half-duplex link from a cycle on.
    #[cold]
    #[inline(never)]
    pub(super) fn ready(&mut self, node: NodeId, port: Port, from: Cycle) {
        let turns = self.turns.as_mut();
        turns
            .expect("a router that waits for its turns is built for half-duplex links")
            .insert(node, port, from);
        self.take_turn(node, port);
    }

    /// Looks again at what is ready at a node.
    #[cold]
    #[inline(never)]
    pub(super) fn take_turns(&mut self, node: NodeId) {
        let ready = self.turns.as_ref().map(|turns| turns.ready[node.index()]);
        for port in ready.unwrap_or_default().iter() {
            self.take_turn(node, port);
        }
        self.settle();
    }

    /// Lets the packet that is ready at a port leave if it is certain when, and then the one at the other end;
    /// otherwise looks again later.
    fn take_turn(&mut self, node: NodeId, port: Port) {
        let Some(turns) = &mut self.turns else { return };
        match turns.leaves(node, port, self.now) {
            Leaves::KnownIn(cycle) => self.schedule(node, cycle),
            Leaves::In(head) => {
                turns.ready[node.index()].remove(port);
                let mut site = Site {
                    node,
                    packets: &mut self.packets,
                    probe: &mut self.probe,
                };
                let state = &mut self.nodes[node.index()];
                let router = &self.network.router;
                let departure = router.depart(state, port, head, &mut site, &mut self.signals);
                turns.wires.send_packet(node, port, departure.cycles, head);
                self.schedule(node, departure.next);
                let (far, far_port) = self.far_end(node, port);
                let turns = self.turns.as_ref();
                if turns.is_some_and(|turns| turns.ready[far.index()].contains(far_port)) {
                    self.take_turn(far, far_port);
                }
            }
        }
    }
}
