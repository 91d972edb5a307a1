//! A run that stops before a cycle, goes on from there, and can be copied there.

use super::{Clipped, Posted, Traffic, Walk};
use crate::simulation::{Inside, TimeUnit};
use crate::{Ended, Resumable};
use flitwork_network::{Demand, Network};
use flitwork_node::{Posting, Probe, View};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::ops::{ControlFlow, Deref};

impl<N, T, R, P> Resumable for Posted<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology,
    R: Posting,
    P: Probe,
{
    fn advance(&mut self, until: Cycle) -> Ended {
        let Posted { rings, walk } = self;
        walk.probe.go_on_until(until);
        let ended = walk.go_on(rings, &mut |_| ControlFlow::Continue(()));
        walk.now = walk.now.max(until);
        match walk.probe.deliveries.are_none() {
            true => walk.probe.held_back.ended(ended),
            // The traffic is told of them in the next cycle, and may go on.
            false => Ended::Deadline,
        }
    }

    fn fork(&self, probe: P) -> Self {
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
        Posted {
            rings: self.rings.clone(),
            walk,
        }
    }

    fn wake_source(&mut self, source: NodeId) {
        let Posted { rings, walk } = self;
        if walk.traffic.sources[source.index()].wake() {
            walk.traffic.wake(source.index(), walk.now, rings);
            walk.quiet = 0;
        }
    }

    fn probe(&self) -> &P {
        &self.walk.probe.probe
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.walk.probe.probe
    }
}

impl<N, T, R, P> Inside for Posted<N, R, P>
where
    N: Clone + Deref<Target = Network<T, R>>,
    T: Topology + 'static,
    R: Posting + 'static,
    P: Probe,
{
    type Router = R;

    const UNIT: TimeUnit = TimeUnit::Cycles;

    fn router(&self) -> &R {
        &self.walk.network.router
    }

    fn states(&self) -> &[R::Node] {
        &self.walk.nodes
    }

    fn stored(&self) -> &Packets {
        &self.walk.packets
    }

    fn stands_at(&self) -> u64 {
        self.walk.now.get().into()
    }

    fn view(&self, node: NodeId) -> Option<View> {
        let Walk {
            network,
            nodes,
            packets,
            now,
            ..
        } = &self.walk;
        let state = &nodes[node.index()];
        Some(
            network
                .router
                .look_at(node, &state.registers, packets, *now),
        )
    }

    fn demand(&mut self) -> &mut Demand {
        &mut self.walk.traffic.demand
    }

    fn link_time_of(&self, node: NodeId, port: Port) -> u64 {
        self.walk.network.link_cycles(node, port).into()
    }

    fn other_bytes(&self) -> usize {
        self.walk.nodes.len() * self.rings.bytes_a_node()
    }
}
