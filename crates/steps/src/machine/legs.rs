//! Packets that go from goal to goal.

use super::{Machine, MachineError, PacketId};
use crate::leg::Leg;
use crate::rule::Rule;
use crate::store::Store;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet};

/// What is known of packets on legs.
#[derive(Debug)]
pub(super) struct Legs {
    /// By packet; of one that stands where it is, its last.
    pub(super) on: Vec<Leg>,
    /// Those that have come to the goals of their legs in the last step.
    reached: Vec<PacketId>,
}

/// The stage of a packet that has left the network.
const OUT: u16 = u16::MAX;

impl Legs {
    /// A packet has crossed a link.
    #[inline]
    pub(super) fn cross(&mut self, packet: PacketId) -> bool {
        let leg = &mut self.on[packet.index()];
        leg.links -= 1;
        leg.crossed += 1;
        let (links, crossed) = (leg.links, leg.crossed);
        if links == 0 {
            self.reach(packet, crossed);
        }
        links == 0
    }

    /// A packet has come to its goal, over so many links.
    #[inline]
    pub(super) fn reach(&mut self, packet: PacketId, crossed: u32) {
        let leg = &mut self.on[packet.index()];
        (leg.links, leg.crossed) = (0, crossed);
        self.reached.push(packet);
    }

    /// Whether a packet has left the network.
    pub(super) fn is_out(&self, packet: PacketId) -> bool {
        self.on[packet.index()].stage == OUT
    }

    /// A step begins.
    pub(super) fn clear(&mut self) {
        self.reached.clear();
    }

    /// The links that bring a packet closer to the goal of its leg.
    #[inline]
    pub(super) fn productive(&self, packet: PacketId) -> PortSet {
        let leg = &self.on[packet.index()];
        match leg.links {
            0 => PortSet::EMPTY,
            _ => PortSet::only(leg.port),
        }
    }
}

impl<'a, T: Topology, R: Rule> Machine<'a, T, R> {
    /// Packets that stand where they begin, until they [set out](Machine::set_out) on legs, and stay in the network until they
    /// are [taken out](Machine::take_out). Their destination is the goal of their leg.
    ///
    /// # Errors
    /// A [`MachineError`] for a store that the rule can't use, and for nodes that there aren't.
    pub fn on_legs(
        topology: &'a T,
        rule: &'a R,
        store: Store,
        at: impl IntoIterator<Item = NodeId>,
    ) -> Result<Machine<'a, T, R>, MachineError> {
        let mut machine = Machine::empty(topology, rule, store)?;
        let mut on = Vec::new();
        for (number, node) in at.into_iter().enumerate() {
            machine.put(number, node, node)?;
            on.push(Leg {
                goal: node,
                port: Port(0),
                links: 0,
                crossed: 0,
                beyond: 0,
                stage: 0,
            });
        }
        let reached = Vec::new();
        machine.legs = Some(Legs { on, reached });
        machine.begin_all();
        Ok(machine)
    }

    /// Whether a packet on legs has been taken out.
    pub fn is_out(&self, packet: PacketId) -> bool {
        self.legs.as_ref().is_some_and(|legs| legs.is_out(packet))
    }

    /// The leg that a packet is on, as it set out or came to its goal; none if it goes straight to its destination.
    #[inline]
    pub fn leg(&self, packet: PacketId) -> Option<&Leg> {
        self.legs.as_ref().map(|legs| &legs.on[packet.index()])
    }

    /// The packets that have come to the goals of their legs in the last step, in the order of the nodes.
    pub fn reached(&self) -> &[PacketId] {
        self.legs.as_ref().map_or(&[], |legs| &legs.reached)
    }

    /// A packet that stands begins a leg of at least one link, with the next step.
    ///
    /// # Panics
    /// For a packet of a machine without legs.
    pub fn set_out(&mut self, packet: PacketId, leg: Leg) {
        let legs = self.legs.as_mut().expect("a machine of packets on legs");
        let before = std::mem::replace(&mut legs.on[packet.index()], leg);
        self.packets[packet.index()].destination = leg.goal;
        match self.has_lanes() {
            true => {
                // It came straight along its last leg.
                let came = self.grid.map(|grid| grid.opposite(before.port));
                self.set_out_in_lane(packet, came, leg);
            }
            false => self.look(packet),
        }
        self.keep_busy(self.packets[packet.index()].at);
    }

    /// A packet that stands leaves the network: it is delivered.
    pub fn take_out(&mut self, packet: PacketId) {
        self.take_from(self.packets[packet.index()].at, packet);
        self.delivered += 1;
        if let Some(legs) = &mut self.legs {
            legs.on[packet.index()].stage = OUT;
        }
    }

    /// Counts what nodes hold, to which packets have come in the last step: those that leave have been taken out.
    pub fn note_queues(&mut self) {
        for crossed in 0..self.crossing.len() {
            let held = self.held(self.crossing[crossed].to);
            self.queue_max = self.queue_max.max(held);
        }
    }
}
