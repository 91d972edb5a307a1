//! What the probe of an experiment's runs records.

use flitwork_node::{Event, Probe};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, NodeId, PacketId};

/// Packets in each node at a cycle.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The cycle.
    pub cycle: Cycle,
    /// The side of the shown square in the north-west, in nodes.
    pub side: u32,
    /// Packets in each node, row by row.
    pub packets: Vec<f64>,
}

/// Records a run's events.
pub(super) struct Watched {
    pub(super) digest: Digest,
    /// Deliveries, each with its cycle.
    pub(super) deliveries: Vec<(Cycle, PacketId)>,
    pub(super) deroutes: u64,
    pub(super) occupancy: Option<Occupancy>,
}

/// Packets in each node once all events up to a cycle have happened.
pub(super) struct Occupancy {
    pub(super) grid: Grid,
    pub(super) at: Cycle,
    pub(super) link_latency_cycles: u32,
    pub(super) packets: Vec<i32>,
}

impl Probe for Occupancy {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let mut add = |node: NodeId, cycle: Cycle, change| {
            if cycle <= self.at {
                self.packets[node.index()] += change;
            }
        };
        match event {
            Event::Injected { .. } => add(node, cycle, 1),
            Event::Delivered { .. } => add(node, cycle, -1),
            Event::Head { port, .. } if port != self.grid.local() => {
                let far = self
                    .grid
                    .neighbour(node, port)
                    .expect("heads leave over links");
                add(node, cycle + self.link_latency_cycles, -1);
                add(far, cycle + self.link_latency_cycles, 1);
            }
            _ => {}
        }
    }
}

impl Probe for Watched {
    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.digest.event(node, cycle, event);
        match event {
            Event::Delivered { packet } => self.deliveries.push((cycle, packet.id)),
            Event::Moved { deroute: true, .. } => self.deroutes += 1,
            _ => {}
        }
        if let Some(occupancy) = &mut self.occupancy {
            occupancy.event(node, cycle, event);
        }
    }
}

impl Watched {
    pub(super) fn last_cycle(&self) -> Cycle {
        self.deliveries
            .iter()
            .map(|(cycle, _)| *cycle)
            .max()
            .unwrap_or(Cycle::ZERO)
    }
}
