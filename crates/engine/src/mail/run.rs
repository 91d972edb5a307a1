//! The run: it goes on, is copied where it stands, and is looked into.

use super::{Clipped, MailEngine, Traffic, Walk};
use crate::engine::{bytes_of, cycle_of, leave_out, packets_in_network, waits_at};
use crate::{Control, Ended, Engine, Outcome, Premises, Progress, Stopped};
use flitwork_node::{MailRouter, Probe, View, Wait};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet, PacketId, Port};

impl<T: Topology + 'static, R: MailRouter + 'static, P: Probe + Send + 'static> Engine
    for MailEngine<T, R, P>
{
    type Probe = P;

    fn now(&self) -> u64 {
        self.walk.stands_at.get().into()
    }

    fn end(&self) -> u64 {
        self.walk.traffic.demand.end.get().into()
    }

    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended {
        let MailEngine { rings, walk } = self;
        walk.now = walk.now.max(walk.stands_at);
        let until = cycle_of(until);
        walk.stands_at = walk.stands_at.max(until);
        walk.probe.go_on_until(until);
        let ended = walk.cycles_until_end(rings, control);
        match walk.probe.deliveries.are_none() {
            true => walk.probe.held_back.ended(ended),
            // The traffic is told of them in the next cycle, and may go on.
            false if ended != Ended::Interrupted => Ended::Deadline,
            false => ended,
        }
    }

    fn conclude(&mut self, ended: Ended, control: Control<'_>) -> Outcome {
        let MailEngine { rings, walk } = self;
        let now = walk.now;
        let end = match ended {
            Ended::Interrupted => now,
            _ => walk.probe.end,
        };
        walk.report_deliveries(end, rings);
        let Traffic {
            demand,
            sources,
            fixed,
            ..
        } = &mut walk.traffic;
        let go_on = &mut || control(Progress::counting(now));
        let remains = demand.leave_over(sources, end, *fixed, (&mut walk.probe.probe, go_on));
        let stopped = Stopped {
            ended,
            cycle: now,
            in_network: walk.probe.deliveries.in_network(),
            steps: walk.steps,
        };
        Outcome::of(demand.aim(), stopped, remains)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        let walk = &self.walk;
        let probe = Clipped {
            probe,
            deliveries: walk.probe.deliveries.clone(),
            end: walk.probe.end,
            held_back: walk.probe.held_back.clone(),
        };
        let traffic = Traffic {
            demand: walk.traffic.demand.fork(),
            sources: walk.traffic.sources.clone(),
            wheel: walk.traffic.wheel.clone(),
            ..walk.traffic
        };
        let walk = Walk {
            network: walk.network.clone(),
            nodes: walk.nodes.clone(),
            packets: walk.packets.clone(),
            probe,
            traffic,
            ..*walk
        };
        Box::new(MailEngine {
            rings: self.rings.clone(),
            walk,
        })
    }

    fn premises(&self) -> Premises {
        Premises::of(&self.walk.network)
    }

    fn nodes(&self) -> u32 {
        self.walk.nodes.len() as u32
    }

    fn look(&self, node: NodeId) -> Option<View> {
        let Walk {
            network, packets, ..
        } = &self.walk;
        let registers = &self.walk.nodes[node.index()].registers;
        let now = self.walk.stands_at;
        Some(network.router.look_at(node, registers, packets, now))
    }

    fn waits(&self) -> Vec<Wait> {
        let walk = &self.walk;
        let router = &walk.network.router;
        waits_at(router, &walk.nodes, &walk.packets, walk.stands_at)
    }

    fn packets(&self) -> Vec<Packet> {
        packets_in_network(&self.walk.packets, |node| self.local(node))
    }

    fn link_time(&self, node: NodeId, port: Port) -> u64 {
        self.walk.network.link_cycles(node, port).into()
    }

    fn leave_out(&mut self, packet: PacketId) -> bool {
        leave_out(&mut self.walk.traffic.demand, packet)
    }

    fn wake_source(&mut self, source: NodeId) {
        let MailEngine { rings, walk } = self;
        walk.now = walk.now.max(walk.stands_at);
        if walk.traffic.sources[source.index()].wake() {
            walk.traffic.wake(source.index(), walk.now, rings);
            walk.quiet = 0;
        }
    }

    fn bytes(&self) -> usize {
        let MailEngine { rings, walk } = self;
        let nodes = bytes_of(&walk.network.router, &walk.nodes, &walk.packets);
        nodes + walk.nodes.len() * rings.bytes_a_node()
    }

    fn probe(&self) -> &P {
        &self.walk.probe.probe
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.walk.probe.probe
    }

    fn into_probe(self: Box<Self>) -> P {
        self.walk.probe.probe
    }
}
