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
//! Once all nodes have been woken that are due now, whatever leaves within a router's `ahead` cycles
//! ([`TimestampRouter::ahead_cycles`]) and the next has been declared ready. So a departure is certain if the other end can't
//! have the right before it (nothing to wait for), or only within those cycles (it would have been granted). Otherwise
//! the node looks again as soon as one of them holds. That is always earlier than the departure itself, and never later
//! than that of the other end.
//!
//! [`Wire`]: flitwork_network::Wire

use super::TimestampEngine;
use flitwork_network::{Network, SharedWires, Side};
use flitwork_node::{Probe, Site, TimestampRouter};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Port, PortSet};

/// The half-duplex links of a network, and the packets that are ready to leave over them.
#[derive(Clone)]
pub(super) struct Turns {
    wires: SharedWires,
    /// For each wire's ends: the first cycle in which the head of the packet that is ready there could leave.
    from: Vec<[Due; 2]>,
    /// For each node: the ports at which it isn't certain yet when a ready packet leaves.
    uncertain: Vec<PortSet>,
    /// What to look at once all nodes have been woken that are due in this cycle.
    pending: Vec<End>,
    ahead_cycles: u32,
}

/// The end of a wire.
#[derive(Clone, Copy, Debug)]
struct End {
    node: NodeId,
    port: Port,
    wire: u32,
    side: Side,
}

/// When a packet that is ready leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaves {
    /// In this cycle.
    In(Cycle),
    /// After the one that is ready at the other end.
    Second,
    /// That is known in this cycle.
    KnownIn(Cycle),
}

impl Turns {
    /// Nothing is ready before the first cycle; `None` if links are full duplex.
    pub(super) fn new<T: Topology, R: TimestampRouter>(network: &Network<T, R>) -> Option<Turns> {
        let wires = SharedWires::new(network)?;
        Some(Turns {
            from: vec![[Due::NEVER; 2]; wires.count()],
            wires,
            uncertain: vec![PortSet::EMPTY; network.topology.nodes() as usize],
            pending: Vec::new(),
            ahead_cycles: network.router.ahead_cycles(),
        })
    }

    /// The end of a wire at a node's port.
    #[inline]
    fn end(&self, node: NodeId, port: Port) -> End {
        let (wire, side) = self.wires.end(node, port);
        let wire = wire as u32;
        End {
            node,
            port,
            wire,
            side,
        }
    }

    /// A node has been woken: what is ready there may now be certain.
    #[inline(never)]
    pub(super) fn look_again(&mut self, node: NodeId) {
        for port in self.uncertain[node.index()].iter() {
            self.pending.push(self.end(node, port));
        }
    }

    /// The first cycle in which the head of the packet that is ready at an end could leave, and that at the other end.
    #[inline]
    fn from(&self, end: End) -> (Due, Due) {
        let from = self.from[end.wire as usize];
        (from[end.side as usize], from[end.side.other() as usize])
    }

    /// Whatever leaves before this cycle is known once all nodes have been woken that are due in `now`.
    #[inline]
    fn known_before(&self, now: Cycle) -> Cycle {
        now + (self.ahead_cycles + 1)
    }

    /// When the packet that is ready at an end leaves, as known once all nodes have been woken that are due in `now`.
    #[inline]
    fn leaves(&self, end: End, (from, beyond): (Cycle, Due), now: Cycle) -> Leaves {
        let (wire, hop_cycles) = self.wires.wire(end.wire as usize);
        let head = wire.next(end.side, from, hop_cycles);
        if wire.is_next(end.side, head) {
            return Leaves::In(head);
        }
        let beyond = beyond.get();
        if beyond.is_some_and(|from| wire.next(end.side.other(), from, hop_cycles) < head) {
            Leaves::Second
        } else if head - hop_cycles < self.known_before(now) {
            Leaves::In(head)
        } else {
            Leaves::KnownIn(head - hop_cycles - self.ahead_cycles)
        }
    }
}

impl<T: Topology, R: TimestampRouter, P: Probe> TimestampEngine<T, R, P> {
    /// A packet is ready to leave over a half-duplex link from a cycle on.
    #[inline(never)]
    pub(super) fn ready(&mut self, node: NodeId, port: Port, from: Cycle) {
        let turns = self.turns.as_mut();
        let turns =
            turns.expect("a router that waits for its turns is built for half-duplex links");
        let end = turns.end(node, port);
        turns.from[end.wire as usize][end.side as usize] = from.into();
        turns.pending.push(end);
    }

    /// All nodes have been woken that are due now: packets leave that are certain to be next.
    #[inline(never)]
    pub(super) fn take_turns(&mut self) {
        let now = self.now;
        let woken = self.turns.as_ref().map_or(0, |turns| turns.pending.len());
        let mut next = 0;
        while let Some(turns) = &mut self.turns {
            let Some(end) = turns.pending.get(next).copied() else {
                turns.pending.clear();
                return;
            };
            debug_assert!(
                next < woken || turns.from(end).0 >= turns.known_before(now),
                "only a wake declares ready what leaves that soon"
            );
            next += 1;
            self.take_turn(end);
            self.settle();
        }
    }

    /// Lets the packet that is ready at an end leave if it is certain when, and the one at the other end before it or
    /// after it; otherwise looks again later.
    fn take_turn(&mut self, end: End) {
        let Some(turns) = &mut self.turns else { return };
        let (from, beyond) = turns.from(end);
        // It may have left since it was to be looked at.
        let Some(from) = from.get() else { return };
        let End { node, port, .. } = end;
        match turns.leaves(end, (from, beyond), self.now) {
            Leaves::KnownIn(cycle) => {
                turns.uncertain[node.index()].insert(port);
                self.schedule(node, cycle.into());
            }
            Leaves::Second => self.take_turn(self.far_end_of(end)),
            Leaves::In(head) => {
                let (wire, side) = (end.wire as usize, end.side);
                turns.from[wire][side as usize] = Due::NEVER;
                turns.uncertain[node.index()].remove(port);
                let mut site = Site::new(node, &mut self.packets, &mut self.probe);
                let state = &mut self.nodes[node.index()];
                let router = &self.network.router;
                let departure = router.depart(state, port, head, &mut site, &mut self.signals);
                let wires = &mut turns.wires;
                wires.send_packet((wire, side), departure.cycles, head);
                self.schedule(node, departure.next);
                if beyond != Due::NEVER {
                    self.take_turn(self.far_end_of(end));
                }
            }
        }
    }

    /// The other end of the same wire.
    fn far_end_of(&self, end: End) -> End {
        let (node, port) = self.network.far_end(end.node, end.port);
        let side = end.side.other();
        End {
            node,
            port,
            side,
            ..end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_router::chaos::{Chaos, ChaosParameters, Plane, TimestampFlow};
    use flitwork_topology::Grid;
    use flitwork_types::Duplex;

    /// Links of three cycles and a turnaround of one: the right is at node 0 in cycles 0, 8, 16, … and at node 1 in 4, 12, 20, ….
    /// What is ready at node 1 from cycle 5 on could leave in 12, and what is ready at node 0 before it if it is by cycle 8.
    #[test]
    fn of_two_packets_that_of_the_end_with_the_next_turn_is_first() {
        let grid = Grid::mesh(&[2]).unwrap();
        let router =
            Chaos::<_, Plane<TimestampFlow>>::new(grid.clone(), ChaosParameters::chinn_1995(2), 1);
        let network =
            Network::new(grid, router.with_half_duplex(true), 3).with_duplex(Duplex::Half {
                turnaround_cycles: 1,
            });
        let turns = Turns::new(&network).unwrap();
        let node = NodeId(1);
        let port = network.topology.links(node).iter().next().unwrap();
        let end = turns.end(node, port);
        let leaves = |beyond: Due| turns.leaves(end, (Cycle(5), beyond), Cycle(0));
        for beyond in 0..=8 {
            assert_eq!(leaves(Due::at(Cycle(beyond))), Leaves::Second, "{beyond}");
        }
        // The right would have to leave node 0 in cycle 8 for that.
        let known = Leaves::KnownIn(Cycle(8 - turns.ahead_cycles));
        for beyond in [Due::at(Cycle(9)), Due::at(Cycle(16)), Due::NEVER] {
            assert_eq!(leaves(beyond), known, "{beyond:?}");
        }
    }
}
