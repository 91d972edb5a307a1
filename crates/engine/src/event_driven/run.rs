//! The run: it goes on, is copied where it stands, and is looked into.

use super::EventDriven;
use crate::engine::{bytes_of, cycle_of, leave_out, packets_in_network, waits_at};
use crate::{Control, Ended, Engine, Outcome, Premises, Progress, Stopped};
use flitwork_node::{Probe, View, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet, PacketId, Port};

impl<T: Topology + 'static, R: WordRouter + 'static, P: Probe + Send + 'static> Engine
    for EventDriven<T, R, P>
{
    type Probe = P;

    fn now(&self) -> u64 {
        self.stands_at.get().into()
    }

    fn end(&self) -> u64 {
        self.demand.end.get().into()
    }

    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended {
        self.now = self.now.max(self.stands_at);
        let until = cycle_of(until);
        self.stands_at = self.stands_at.max(until);
        self.cycles(until, control)
    }

    fn conclude(&mut self, ended: Ended, control: Control<'_>) -> Outcome {
        let now = self.now;
        let end = match ended {
            Ended::Interrupted => now,
            _ => self.demand.end,
        };
        let (sources, probe) = (&mut self.sources, &mut self.probe);
        let go_on = &mut || control(Progress::counting(now));
        let remains = self
            .demand
            .leave_over(sources, end, self.fixed, (probe, go_on));
        let stopped = Stopped {
            ended,
            cycle: now,
            in_network: self.deliveries.in_network(),
            steps: self.steps,
        };
        Outcome::of(self.demand.aim(), stopped, remains)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        Box::new(EventDriven {
            network: self.network.clone(),
            demand: self.demand.fork(),
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

    fn premises(&self) -> Premises {
        Premises::of_stepped(&self.network)
    }

    fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    fn look(&self, node: NodeId) -> Option<View> {
        let state = &self.nodes[node.index()];
        let router = &self.network.router;
        Some(router.look(node, state, &self.packets, self.stands_at))
    }

    fn waits(&self) -> Vec<Wait> {
        let router = &self.network.router;
        waits_at(router, &self.nodes, &self.packets, self.stands_at)
    }

    fn packets(&self) -> Vec<Packet> {
        packets_in_network(&self.packets, |node| self.local(node))
    }

    fn watch(&mut self, node: Option<NodeId>) {
        self.watched = node;
    }

    fn link_time(&self, node: NodeId, port: Port) -> u64 {
        self.network.link_cycles(node, port).into()
    }

    fn leave_out(&mut self, packet: PacketId) -> bool {
        leave_out(&mut self.demand, packet)
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

    fn probe(&self) -> &P {
        &self.probe
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }

    fn into_probe(self: Box<Self>) -> P {
        self.probe
    }
}
