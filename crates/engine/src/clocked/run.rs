//! The run: it goes on, is copied where it stands, and is looked into.

use super::Clocked;
use super::domains::Driver;
use crate::engine::{answer_alike, bytes_of, copy_of};
use crate::{Control, Ended, Engine, Outcome, Premises, Stopped, TimeUnit};
use flitwork_node::{Probe, View, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port, TerminalId};

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// A cycle of the nominal clock, in ps.
    pub fn nominal_ps(&self) -> u64 {
        self.reference.nominal_ps
    }
}

impl<T: Topology + 'static, R: WordRouter + 'static, P: Probe + Send + 'static> Engine
    for Clocked<T, R, P>
{
    type Probe = P;

    answer_alike!(self: probe(self.probe), run(self, self.sources.all.demand), words(self));

    fn unit(&self) -> TimeUnit {
        TimeUnit::Picoseconds
    }

    fn now(&self) -> u64 {
        self.stands_at_ps
    }

    fn end(&self) -> u64 {
        let cycles = u64::from(self.sources.all.demand.end.get());
        cycles.saturating_mul(self.nominal_ps())
    }

    fn go_on(&mut self, until_ps: u64, control: Control<'_>) -> Ended {
        self.stands_at_ps = self.stands_at_ps.max(until_ps);
        self.instants(until_ps, control)
    }

    fn conclude(&mut self, ended: Ended, control: Control<'_>) -> Outcome {
        if ended == Ended::Deadline && self.reference.advance(self.end()) {
            self.report_clocks(self.reference.cycle);
        }
        self.report_all_paused();
        if ended == Ended::Interrupted {
            self.report_clocks(self.reference.cycle + 1);
        }
        let (cycle, until) = match ended {
            Ended::Interrupted => (self.reference.cycle + 1, self.reference.cycle + 1),
            _ => (self.reference.cycle, self.sources.all.demand.end),
        };
        let stopped = Stopped {
            ended,
            cycle,
            in_network: self.deliveries.in_network(),
            steps: self.steps,
        };
        let sources = &mut self.sources.all;
        sources.conclude(until, stopped, &mut self.probe, control)
    }

    fn fork(&self, probe: P) -> Box<dyn Engine<Probe = P>> {
        copy_of! {
            Clocked of self under probe;
            network nodes packets sources deliveries links rights pauses samplers looks_closely
            calendar domains domain_of members busy busy_nodes held wakes reference steps
            clock_ticks working_ticks own_steps woken late inbox inbox_channels outbox outbox_channels shuffle
            over stands_at_ps
        }
    }

    fn next_step(&mut self) -> Option<u64> {
        let next = self.calendar.next_ps().filter(|_| self.over.is_none());
        next.map(|next| next.max(self.stands_at_ps))
    }

    fn local(&self, node: NodeId) -> Cycle {
        match &self.domains[self.domain_of[node.index()] as usize].driver {
            Driver::Ticks(ticker) => Clocked::local(self, node, ticker.ticks()),
            Driver::Wakes(waker) => waker.cycle(),
        }
    }

    fn link_time(&self, node: NodeId, port: Port) -> u64 {
        match self.network.topology.far(node, port) {
            Some(end) => self.links.latency_ps_to(end),
            None => 0,
        }
    }

    fn wake_source(&mut self, source: TerminalId) {
        self.sources.wake(source);
        self.wake_for_source(source);
    }

    fn bytes(&self) -> usize {
        let nodes = bytes_of(&self.network.router, &self.nodes, &self.packets);
        nodes + self.links.bytes() + size_of_val(&*self.domains) + self.domains.len() * 64
    }
}
