//! Numbers and records that all crates share: nodes, ports, cycles, words and packets.
//!
//! May depend on nothing of Flitwork. Must never know a topology, a router or an engine.

mod cycle;
mod gaps;
mod packet;
mod port;

pub use cycle::Cycle;
pub use gaps::Gaps;
pub use packet::{Flit, Packet, PacketId, PacketRef, Packets, Word};
pub use port::{MAX_PORTS, NodeId, Port, PortSet};
