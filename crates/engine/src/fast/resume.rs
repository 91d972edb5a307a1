//! A run that stops before a cycle, goes on from there, and can be copied there.

use super::Fast;
use crate::simulation::{Inside, TimeUnit};
use crate::{Ended, Resumable};
use flitwork_network::{Demand, Network};
use flitwork_node::{Probe, Streamed, View};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::ops::{ControlFlow, Deref};

impl<N, T, R, P> Resumable for Fast<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology,
    R: Streamed,
    P: Probe,
{
    fn advance(&mut self, until: Cycle) -> Ended {
        self.probe.go_on_until(until);
        let ended = self.go_on(until, &mut |_| ControlFlow::Continue(()));
        self.probe.held_back.ended(ended)
    }

    fn fork(&self, probe: P) -> Self {
        Fast {
            network: self.network.clone(),
            demand: self.demand.fork(),
            now: self.now,
            nodes: self.nodes.clone(),
            packets: self.packets.clone(),
            probe: self.probe.fork(probe),
            due: self.due.clone(),
            wheel: self.wheel.clone(),
            signals: self.signals.clone(),
            turns: self.turns.clone(),
            waiting: self.waiting.clone(),
            serials: self.serials.clone(),
            backlog: self.backlog,
            steps: self.steps,
        }
    }

    fn wake_source(&mut self, source: NodeId) {
        if let Some(from) = self.waiting.remove(&source) {
            self.inject(source, from);
            self.settle();
        }
    }

    fn probe(&self) -> &P {
        &self.probe.probe
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.probe.probe
    }
}

impl<N, T, R, P> Inside for Fast<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology + 'static,
    R: Streamed + 'static,
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
        self.probe.end.get().into()
    }

    /// A packet's stamps don't say where it was before: what has been decided is forgotten.
    fn view(&self, _: NodeId) -> Option<View> {
        None
    }

    fn demand(&mut self) -> &mut Demand {
        &mut self.demand
    }

    fn link_time_of(&self, node: NodeId, port: Port) -> u64 {
        self.network.link_cycles(node, port).into()
    }

    fn other_bytes(&self) -> usize {
        size_of_val(&*self.due) + self.wheel.bytes() + 4 * self.nodes.len()
    }
}
