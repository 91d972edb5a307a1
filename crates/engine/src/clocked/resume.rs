//! A run that stops before an instant, goes on from there, and can be copied there.

use super::Clocked;
use super::domains::Driver;
use crate::simulation::{Inside, TimeUnit};
use crate::{Ended, Resumable};
use flitwork_network::{Demand, Network};
use flitwork_node::{Probe, Stepped, View};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::ops::{ControlFlow, Deref};

impl<N, T, R, P> Clocked<N, R, P>
where
    N: Deref<Target = Network<T, R>>,
    T: Topology,
    R: Stepped,
    P: Probe,
{
    /// The same as [`Resumable::advance`] up to an instant, in ps: what happens at it or later is left to be done.
    pub fn advance_ps(&mut self, until_ps: u64) -> Ended {
        self.stands_at_ps = self.stands_at_ps.max(until_ps);
        self.go_on(until_ps, &mut |_| ControlFlow::Continue(()))
    }

    /// A node's current cycle, by its own count.
    pub(super) fn own_now(&self, node: NodeId) -> Cycle {
        match &self.domains[self.domain_of[node.index()] as usize].driver {
            Driver::Ticks(ticker) => self.local(node, ticker.ticks()),
            Driver::Wakes(waker) => waker.cycle(),
        }
    }

    /// A cycle of the nominal clock, in ps.
    pub fn nominal_ps(&self) -> u64 {
        self.reference.nominal_ps
    }
}

impl<N, T, R, P> Resumable for Clocked<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology,
    R: Stepped,
    P: Probe,
{
    fn advance(&mut self, until: Cycle) -> Ended {
        self.advance_ps(u64::from(until.get()).saturating_mul(self.nominal_ps()))
    }

    fn fork(&self, probe: P) -> Self {
        Clocked {
            network: self.network.clone(),
            nodes: self.nodes.clone(),
            packets: self.packets.clone(),
            probe,
            sources: self.sources.fork(),
            deliveries: self.deliveries.clone(),
            links: self.links.clone(),
            rights: self.rights.clone(),
            pauses: self.pauses.clone(),
            samplers: self.samplers.clone(),
            looks_closely: self.looks_closely,
            calendar: self.calendar.clone(),
            domains: self.domains.clone(),
            domain_of: self.domain_of.clone(),
            members: self.members.clone(),
            busy: self.busy.clone(),
            busy_nodes: self.busy_nodes,
            held: self.held.clone(),
            wakes: self.wakes.clone(),
            reference: self.reference.clone(),
            steps: self.steps,
            clock_ticks: self.clock_ticks,
            own_steps: self.own_steps,
            woken: self.woken.clone(),
            late: self.late.clone(),
            inbox: self.inbox.clone(),
            inbox_channels: self.inbox_channels.clone(),
            outbox: self.outbox.clone(),
            outbox_channels: self.outbox_channels.clone(),
            shuffle: self.shuffle,
            over: self.over,
            stands_at_ps: self.stands_at_ps,
        }
    }

    fn wake_source(&mut self, source: NodeId) {
        self.sources.wake(source);
        Clocked::wake_source(self, source);
    }

    fn probe(&self) -> &P {
        &self.probe
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }
}

impl<N, T, R, P> Inside for Clocked<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology + 'static,
    R: Stepped + 'static,
    P: Probe,
{
    type Router = R;

    const UNIT: TimeUnit = TimeUnit::Picoseconds;

    fn router(&self) -> &R {
        &self.network.router
    }

    fn states(&self) -> &[R::Node] {
        &self.nodes
    }

    fn stored(&self) -> &Packets {
        &self.packets
    }

    fn stands_at(&self) -> u64 {
        self.stands_at_ps
    }

    fn advance_to(&mut self, until_ps: u64) -> Ended {
        self.advance_ps(until_ps)
    }

    fn steps_at(&mut self) -> Option<u64> {
        let next = self.calendar.next_ps().filter(|_| self.over.is_none());
        next.map(|next| next.max(self.stands_at_ps))
    }

    fn local_cycle(&self, node: NodeId) -> Cycle {
        self.own_now(node)
    }

    fn view(&self, node: NodeId) -> Option<View> {
        let state = &self.nodes[node.index()];
        let router = &self.network.router;
        Some(router.look(node, state, &self.packets, self.own_now(node)))
    }

    fn demand(&mut self) -> &mut Demand {
        &mut self.sources.demand
    }

    fn link_time_of(&self, node: NodeId, port: Port) -> u64 {
        match self.network.topology.far(node, port) {
            Some(end) => self.links.latency_ps_to(end),
            None => 0,
        }
    }

    fn other_bytes(&self) -> usize {
        self.links.bytes() + size_of_val(&*self.domains) + self.domains.len() * 64
    }
}
