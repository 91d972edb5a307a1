//! Events as lines of text, `cycle node what`, in the terms of a router's datapath.

use flitwork_node::Event;
use flitwork_types::{Cycle, Loss, NodeId, PacketId};
use std::fmt;

/// An event, to be written as a line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Where it happened.
    pub node: NodeId,
    /// When, by the node's own count.
    pub cycle: Cycle,
    /// What happened.
    pub event: Event,
}

/// A packet as `source.serial`.
struct Name(PacketId);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0.source, self.0.serial)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.cycle, self.node)?;
        match self.event {
            Event::Injected { packet } => {
                write!(
                    f,
                    "injected {}, created {}",
                    Name(packet.id),
                    packet.created
                )
            }
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => {
                let why = if deroute { ", derouted" } else { "" };
                write!(f, "moved {} from {from} to {to}{why}", Name(packet))
            }
            Event::Head { packet, port } => write!(f, "head {} through {}", Name(packet), port.0),
            Event::Tail { packet, port, .. } => {
                write!(f, "tail {} through {}", Name(packet), port.0)
            }
            Event::Freed { port } => write!(f, "freed input frame {}", port.0),
            Event::Delivered { packet } => write!(
                f,
                "delivered {}, {} hops, {} deroutes",
                Name(packet.id),
                packet.hops,
                packet.deroutes
            ),
            Event::Lost { packet, port } => {
                let why = packet.loss.map_or("", Loss::name);
                write!(f, "lost {} at {}, {why}", Name(packet.id), port.0)
            }
        }
    }
}
