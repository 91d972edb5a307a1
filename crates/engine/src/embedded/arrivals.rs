//! What has come out of an embedded network.

use flitwork_node::{Event, Probe};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, TerminalId};

/// A packet that has arrived. Cycles count from the beginning of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The packet, by the id that [`Embedded::inject`](super::Embedded::inject) returned; includes its
    /// source.
    pub packet: PacketId,
    /// Its destination.
    pub destination: TerminalId,
    /// Its length, in words.
    pub words: u16,
    /// The cycle for which it was given to its source.
    pub created: Cycle,
    /// The cycle in which its head entered the network: later than `created` if its source was busy.
    pub injected: Cycle,
    /// The first cycle in which nothing of it was under way.
    pub delivered: Cycle,
    /// Links that it crossed.
    pub hops: u16,
    /// How many of them took it no closer to its destination.
    pub deroutes: u16,
}

/// A probe that collects deliveries, and observes whether anything moves.
#[derive(Default)]
pub(super) struct Arrivals {
    pub(super) deliveries: Vec<Delivery>,
    /// The latest cycle in which anything happened.
    pub(super) latest: Cycle,
    /// Packets that have entered the network and not left it.
    pub(super) in_network: u64,
    pub(super) delivered: u64,
}

impl Probe for Arrivals {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        self.latest = self.latest.max(cycle);
        match event {
            Event::Injected { .. } => self.in_network += 1,
            Event::Delivered { packet } => {
                self.in_network -= 1;
                self.delivered += 1;
                self.deliveries.push(Delivery::of(&packet, cycle));
            }
            Event::Lost { .. } => self.in_network -= 1,
            _ => {}
        }
    }
}

impl Delivery {
    fn of(packet: &Packet, delivered: Cycle) -> Delivery {
        Delivery {
            packet: packet.id,
            destination: packet.destination,
            words: packet.words,
            created: packet.created,
            injected: packet.injected,
            delivered,
            hops: packet.hops,
            deroutes: packet.deroutes,
        }
    }

    /// Cycles from its creation to its delivery.
    pub fn latency_cycles(&self) -> u32 {
        self.delivered.since(self.created)
    }

    /// Cycles from its entering the network to its delivery.
    pub fn network_latency_cycles(&self) -> u32 {
        self.delivered.since(self.injected)
    }
}
