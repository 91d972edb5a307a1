//! The sending side of the processors: what each source puts into its node's injection frame.

use crate::delivered::Deliveries;
use crate::engine::conclude_at;
use crate::{Control, Outcome, Stopped};
use flitwork_network::{Demand, Network, Source};
use flitwork_node::{Probe, Router};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Packets, Word};

/// All sources of a network whose words come one by one, and the demand that they meet.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) demand: Demand,
    /// Words per packet, if all packets have the same length.
    fixed: Option<u16>,
    all: Vec<Source>,
    /// Those that may make a packet before anything else is delivered.
    open: usize,
}

impl Sources {
    /// The sources before their first cycle.
    pub(crate) fn new<T: Topology, R: Router>(
        mut demand: Demand,
        network: &Network<T, R>,
    ) -> Sources {
        let all = demand.first_sources(network.topology.nodes());
        Sources {
            demand,
            fixed: network.router.packet_words(),
            open: all.iter().filter(|source| source.is_open()).count(),
            all,
        }
    }

    /// That of a node.
    #[inline]
    pub(crate) fn of(&self, node: NodeId) -> &Source {
        &self.all[node.index()]
    }

    /// Whether no packet enters the network from `now` on.
    #[inline]
    pub(crate) fn are_done(&self, now: Cycle) -> bool {
        self.open == 0 || now >= self.demand.inject_until
    }

    /// The word that a node's source puts into the injection frame in cycle `now`, if it has one.
    #[inline]
    pub(crate) fn step(&mut self, node: NodeId, now: Cycle, packets: &mut Packets) -> Option<Word> {
        let source = &mut self.all[node.index()];
        let (open, until) = (source.is_open(), self.demand.inject_until);
        let workload = &mut self.demand.workload;
        let ask = |now| workload.next(node, now);
        source.begin_due(node, (now, until), self.fixed, packets, ask);
        let word = source.word();
        self.open -= usize::from(open && !source.is_open());
        word
    }

    /// The injection frame of a node can take a packet from `cycle` on.
    #[inline]
    pub(crate) fn free(&mut self, node: NodeId, cycle: Cycle) {
        self.all[node.index()].free(cycle);
    }

    /// A node's source may have come to have a packet. Returns whether that opens it.
    #[inline]
    pub(crate) fn wake(&mut self, node: NodeId) -> bool {
        let woken = self.all[node.index()].wake();
        self.open += usize::from(woken);
        woken
    }

    /// Reports deliveries to the traffic, and wakes the sources that may have come to have a packet: `woken` is called
    /// with each of them.
    #[inline]
    pub(crate) fn report(&mut self, deliveries: &mut Deliveries, mut woken: impl FnMut(NodeId)) {
        let Sources {
            demand, all, open, ..
        } = self;
        let wake = |node: NodeId| {
            *open += usize::from(all[node.index()].wake());
            woken(node);
        };
        let workload = demand.workload.as_mut();
        deliveries.report(Due::NEVER, workload, |cycle| cycle, wake);
    }

    /// The outcome of a run that has stopped: the sources are asked what they are left with at `end`.
    pub(crate) fn conclude<P: Probe>(
        &mut self,
        end: Cycle,
        stopped: Stopped,
        probe: &mut P,
        control: Control<'_>,
    ) -> Outcome {
        let sources = (&mut self.all[..], self.fixed);
        conclude_at(end, stopped, &mut self.demand, sources, (probe, control))
    }
}
