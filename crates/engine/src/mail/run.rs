//! The run: it goes on, is copied where it stands, and is looked into.

use super::{MailEngine, Traffic, Walk};
use crate::engine::{answer_alike, bytes_of, conclude_at, cycle_of};
use crate::{Control, Ended, Engine, Outcome, Premises, Stopped};
use flitwork_node::{MailRouter, Probe, View, Wait};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet, PacketId, Port, TerminalId};

impl<T: Topology + 'static, R: MailRouter + 'static, P: Probe + Send + 'static> Engine
    for MailEngine<T, R, P>
{
    type Probe = P;

    answer_alike!(self: probe(self.walk.probe.probe), run(self.walk, self.walk.traffic.demand));
    answer_alike!(self: waits(self.walk));
    answer_alike!(self: cycles(self.walk, self.walk.traffic.demand, self.walk.stands_at));

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
        let end = match ended {
            Ended::Interrupted => walk.now,
            _ => walk.probe.end,
        };
        walk.report_deliveries(end, rings);
        let stopped = Stopped {
            ended,
            cycle: walk.now,
            in_network: walk.probe.deliveries.in_network(),
            steps: walk.steps,
        };
        let Traffic {
            demand,
            sources,
            fixed,
            ..
        } = &mut walk.traffic;
        let told = (&mut walk.probe.probe, control);
        conclude_at(end, stopped, demand, (sources, *fixed), told)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        let walk = &self.walk;
        let walk = Walk {
            network: walk.network.clone(),
            nodes: walk.nodes.clone(),
            packets: walk.packets.clone(),
            probe: walk.probe.fork(probe),
            traffic: walk.traffic.clone(),
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

    fn look(&self, node: NodeId) -> Option<View> {
        let Walk {
            network, packets, ..
        } = &self.walk;
        let registers = &self.walk.nodes[node.index()].registers;
        let now = self.walk.stands_at;
        Some(network.router.look_at(node, registers, packets, now))
    }

    fn wake_source(&mut self, source: TerminalId) {
        let MailEngine { rings, walk } = self;
        walk.now = walk.now.max(walk.stands_at);
        if walk.traffic.sources[source.index()].wake() {
            let home = walk.network.topology.home(source);
            walk.traffic.wake((home, source), walk.now, rings);
            walk.quiet = 0;
        }
    }

    fn bytes(&self) -> usize {
        let MailEngine { rings, walk } = self;
        let nodes = bytes_of(&walk.network.router, &walk.nodes, &walk.packets);
        nodes + walk.nodes.len() * rings.bytes_a_node()
    }
}
