//! A run that stops before a cycle, goes on from there, and can be copied there.

use super::Plain;
use crate::simulation::{Inside, TimeUnit};
use crate::{Ended, Resumable};
use flitwork_network::{Demand, Network};
use flitwork_node::{Probe, Stepped, View};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::ops::{ControlFlow, Deref};

impl<N, T, R, P> Resumable for Plain<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology,
    R: Stepped,
    P: Probe,
{
    fn advance(&mut self, until: Cycle) -> Ended {
        let ended = self.go_on(until, &mut |_| ControlFlow::Continue(()));
        // On idle half-duplex links the right to send goes on alternating.
        while !self.wire_ends.is_empty() && self.now < until {
            self.cycle(self.now);
            self.now += 1;
        }
        self.now = self.now.max(until);
        ended
    }

    fn fork(&self, probe: P) -> Self {
        Plain {
            network: self.network.clone(),
            demand: self.demand.fork(),
            now: self.now,
            nodes: self.nodes.clone(),
            packets: self.packets.clone(),
            probe,
            sources: self.sources.clone(),
            open_sources: self.open_sources,
            under_way: self.under_way.clone(),
            wire_ends: self.wire_ends.clone(),
            deliveries: self.deliveries.clone(),
            steps: self.steps,
            outbox: self.outbox.clone(),
            outbox_channels: self.outbox_channels.clone(),
            shuffle: self.shuffle,
        }
    }

    fn wake_source(&mut self, source: NodeId) {
        let woken = self.sources[source.index()].wake();
        self.open_sources += usize::from(woken);
    }

    fn probe(&self) -> &P {
        &self.probe
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }
}

impl<N, T, R, P> Inside for Plain<N, R, P>
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

    fn demand(&mut self) -> &mut Demand {
        &mut self.demand
    }

    fn link_time_of(&self, node: NodeId, port: Port) -> u64 {
        self.network.link_cycles(node, port).into()
    }

    fn other_bytes(&self) -> usize {
        self.under_way.bytes()
    }
}
