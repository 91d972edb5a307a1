//! The run: it goes on, is copied where it stands, and is looked into.

use super::EventDriven;
use crate::engine::{answer_alike, bytes_of, cycle_of};
use crate::{Control, Ended, Engine, Outcome, Premises, Stopped};
use flitwork_node::{Probe, View, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet, PacketId, Port};

impl<T: Topology + 'static, R: WordRouter + 'static, P: Probe + Send + 'static> Engine
    for EventDriven<T, R, P>
{
    type Probe = P;

    answer_alike!(self: probe(self.probe), run(self, self.demand), words(self));
    answer_alike!(self: cycles(self, self.demand, self.stands_at), conclude());

    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended {
        self.now = self.now.max(self.stands_at);
        let until = cycle_of(until);
        self.stands_at = self.stands_at.max(until);
        self.cycles(until, control)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        Box::new(EventDriven {
            network: self.network.clone(),
            demand: self.demand.clone(),
            now: self.now,
            stands_at: self.stands_at,
            nodes: self.nodes.clone(),
            packets: self.packets.clone(),
            probe,
            sources: self.sources.clone(),
            open_sources: self.open_sources,
            deliveries: self.deliveries.clone(),
            wires: self.wires.clone(),
            ring: self.ring.clone(),
            far_ends: self.far_ends.clone(),
            wheel: self.wheel.clone(),
            acts_in: self.acts_in.clone(),
            fixed: self.fixed,
            local: self.local,
            steps: self.steps,
            outbox: self.outbox.clone(),
            outbox_channels: self.outbox_channels.clone(),
            watched: self.watched,
        })
    }

    fn watch(&mut self, node: Option<NodeId>) {
        self.watched = node;
    }

    fn wake_source(&mut self, source: NodeId) {
        self.now = self.now.max(self.stands_at);
        if self.sources[source.index()].wake() {
            self.open_sources += 1;
            self.ring.turn_to(self.now);
            self.wake_for_source(source.index(), self.now);
        }
    }

    fn bytes(&self) -> usize {
        let nodes = bytes_of(&self.network.router, &self.nodes, &self.packets);
        nodes + self.ring.bytes() + size_of_val(&*self.acts_in)
    }
}
