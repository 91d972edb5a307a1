//! A run that stops before a cycle, goes on from there, and can be copied there.

use super::Awake;
use crate::simulation::{Inside, TimeUnit};
use crate::{Ended, Resumable};
use flitwork_network::{Demand, Network};
use flitwork_node::{Probe, Stepped, View};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::ops::{ControlFlow, Deref};

impl<N, T, R, P> Resumable for Awake<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology,
    R: Stepped,
    P: Probe,
{
    fn advance(&mut self, until: Cycle) -> Ended {
        let ended = self.go_on(until, &mut |_| ControlFlow::Continue(()));
        self.now = self.now.max(until);
        ended
    }

    fn fork(&self, probe: P) -> Self {
        Awake {
            network: self.network.clone(),
            demand: self.demand.fork(),
            now: self.now,
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
        }
    }

    fn wake_source(&mut self, source: NodeId) {
        if self.sources[source.index()].wake() {
            self.open_sources += 1;
            self.ring.turn_to(self.now);
            self.wake_for_source(source.index(), self.now);
        }
    }

    fn probe(&self) -> &P {
        &self.probe
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }
}

impl<N, T, R, P> Inside for Awake<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology + 'static,
    R: Stepped + 'static,
    P: Probe,
{
    type Router = R;

    const UNIT: TimeUnit = TimeUnit::Cycles;

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
        self.now.get().into()
    }

    fn view(&self, node: NodeId) -> Option<View> {
        let state = &self.nodes[node.index()];
        let router = &self.network.router;
        Some(router.look(node, state, &self.packets, self.now))
    }

    fn watch_node(&mut self, node: Option<NodeId>) {
        self.watched = node;
    }

    fn demand(&mut self) -> &mut Demand {
        &mut self.demand
    }

    fn link_time_of(&self, node: NodeId, port: Port) -> u64 {
        self.network.link_cycles(node, port).into()
    }

    fn other_bytes(&self) -> usize {
        self.ring.bytes() + size_of_val(&*self.acts_in)
    }
}
