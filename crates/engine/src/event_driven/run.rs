//! The run: it goes on, is copied where it stands, and is looked into.

use super::EventDriven;
use crate::engine::{answer_alike, bytes_of, copy_of, cycle_of};
use crate::{Control, Ended, Engine, Outcome, Premises, Stopped};
use flitwork_node::{Probe, View, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet, PacketId, Port, TerminalId};

impl<T: Topology + 'static, R: WordRouter + 'static, P: Probe + Send + 'static> Engine
    for EventDriven<T, R, P>
{
    type Probe = P;

    answer_alike!(self: probe(self.probe), run(self, self.sources.demand), words(self));
    answer_alike!(self: cycles(self, self.sources.demand, self.stands_at), conclude());

    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended {
        self.now = self.now.max(self.stands_at);
        let until = cycle_of(until);
        self.stands_at = self.stands_at.max(until);
        self.cycles(until, control)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        copy_of! {
            EventDriven of self under probe;
            network now stands_at nodes packets sources deliveries wires ring
            far_ends wheel acts_in local locals steps outbox outbox_channels watched
        }
    }

    fn watch(&mut self, node: Option<NodeId>) {
        self.watched = node;
    }

    fn wake_source(&mut self, source: TerminalId) {
        self.now = self.now.max(self.stands_at);
        if self.sources.wake(source) {
            self.ring.turn_to(self.now);
            let entry = self.network.topology.entry(source);
            self.wake_for_sources(entry.index(), self.now);
        }
    }

    fn bytes(&self) -> usize {
        let nodes = bytes_of(&self.network.router, &self.nodes, &self.packets);
        nodes + self.ring.bytes() + size_of_val(&*self.acts_in)
    }
}
