//! Counts what routers report about packets.

use flitwork_node::{Event, Probe};
use flitwork_types::{Cycle, NodeId, PacketId, Port};
use std::collections::HashMap;

/// What was reported about each packet under way, compared with what its delivery says.
#[derive(Default)]
pub(crate) struct Ledger {
    open: HashMap<PacketId, Counts>,
    pub(crate) delivered: usize,
    /// The port of the processors; no packet leaves over it for another node.
    local: u8,
    /// Whether a packet's words travel together.
    together: bool,
}

#[derive(Default)]
struct Counts {
    heads: u16,
    deroutes: u16,
}

impl Probe for Ledger {
    fn event(&mut self, node: NodeId, _: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => {
                assert_eq!(
                    (packet.id.source, packet.hops, packet.deroutes),
                    (node, 0, 0)
                );
                let twice = self.open.insert(packet.id, Counts::default());
                assert!(twice.is_none(), "{packet:?} was injected twice");
            }
            Event::Head { packet, port } if port.0 != self.local => {
                self.counts(packet).heads += 1;
            }
            Event::Moved {
                packet, deroute, ..
            } => self.counts(packet).deroutes += u16::from(deroute),
            Event::Delivered { packet } => {
                let counts = self.open.remove(&packet.id);
                let counts = counts.expect("a packet that is delivered is in the network");
                if self.together {
                    let said = (packet.hops, packet.deroutes);
                    assert_eq!(said, (counts.heads, counts.deroutes), "{packet:?}");
                }
                self.delivered += 1;
            }
            _ => {}
        }
    }
}

impl Ledger {
    /// An empty ledger, with processors at port `local`.
    pub(crate) fn new(local: Port, together: bool) -> Ledger {
        Ledger {
            local: local.0,
            together,
            ..Ledger::default()
        }
    }

    /// Whether every packet that was injected has been delivered.
    pub(crate) fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    fn counts(&mut self, packet: PacketId) -> &mut Counts {
        let counts = self.open.get_mut(&packet);
        counts.unwrap_or_else(|| panic!("{packet:?} isn't in the network"))
    }
}
