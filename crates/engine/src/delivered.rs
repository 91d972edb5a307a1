//! Deliveries, as the traffic is told of them, and how many packets are in the network.

use flitwork_node::{Event, Probe};
use flitwork_traffic::Workload;
use flitwork_types::{Cycle, NodeId, Packet};

/// A probe that keeps what was delivered until the traffic is told, and counts.
pub(crate) struct Deliveries {
    /// Whether the traffic wants to be told.
    wanted: bool,
    kept: Vec<(NodeId, Cycle, Packet)>,
    woken: Vec<NodeId>,
    /// Packets that have entered the network and left it, by its events.
    injected: u64,
    delivered: u64,
}

impl Deliveries {
    /// None yet, of a load with this traffic.
    pub(crate) fn new(workload: &dyn Workload) -> Deliveries {
        Deliveries {
            wanted: !workload.foresees(),
            kept: Vec::new(),
            woken: Vec::new(),
            injected: 0,
            delivered: 0,
        }
    }

    /// Packets in the network, by its events.
    pub(crate) fn in_network(&self) -> u64 {
        self.injected - self.delivered
    }

    /// Whether the traffic knows of everything.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.kept.is_empty()
    }

    /// Tells the traffic, by the clock of its sources, and `wake` of the sources that it may have given a
    /// packet.
    #[inline]
    pub(crate) fn tell(
        &mut self,
        workload: &mut dyn Workload,
        by_source: impl Fn(Cycle) -> Cycle,
        wake: impl FnMut(NodeId),
    ) {
        self.tell_until(Cycle::NEVER, workload, by_source, wake);
    }

    /// The same up to those of cycle `until`, where all are kept in the order of their cycles.
    #[inline]
    pub(crate) fn tell_until(
        &mut self,
        until: Cycle,
        workload: &mut dyn Workload,
        by_source: impl Fn(Cycle) -> Cycle,
        wake: impl FnMut(NodeId),
    ) {
        if self.are_none() {
            return;
        }
        let due = self.kept.partition_point(|(_, cycle, _)| *cycle <= until);
        for (node, cycle, packet) in self.kept.drain(..due) {
            workload.delivered(node, &packet, by_source(cycle), &mut self.woken);
        }
        self.woken.drain(..).for_each(wake);
    }
}

impl Probe for Deliveries {
    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { .. } => self.injected += 1,
            Event::Delivered { packet } => {
                self.delivered += 1;
                if self.wanted {
                    self.kept.push((node, cycle, packet));
                }
            }
            _ => {}
        }
    }
}
