//! Numbers and records that all crates share: nodes, terminals, ports, cycles, words and packets.
//!
//! May depend on nothing of Flitwork. Must never know a topology, a router or an engine.
//!
//! ```
//! use flitwork_types::{Cycle, Packet, PortSet, Port, TerminalId};
//!
//! let packet = Packet {
//!     destination: TerminalId(5),
//!     created: Cycle(10),
//!     injected: Cycle(12),
//!     words: 4,
//!     ..Packet::default()
//! };
//! // It waited at its source for two cycles.
//! assert_eq!(packet.latency(Cycle(30)), 20);
//! assert_eq!(packet.network_latency(Cycle(30)), 18);
//!
//! let mut ports = PortSet::first(4);
//! ports.remove(Port(2));
//! assert_eq!(ports.iter().map(|port| port.0).collect::<Vec<_>>(), [0, 1, 3]);
//! ```

mod board;
mod by_packet;
mod cycle;
pub mod draws;
mod due;
mod duplex;
mod moment;
mod packet;
mod port;
mod terminal;

pub use board::Board;
pub use by_packet::{ByPacket, PacketSet, SpreadPacketId};
pub use cycle::Cycle;
pub use due::{Due, Time};
pub use duplex::Duplex;
pub use moment::Moment;
pub use packet::{Flit, Loss, Packet, PacketId, PacketRef, Packets, Word};
pub use port::{MAX_NODES, MAX_PORTS, NodeId, Port, PortSet};
pub use terminal::TerminalId;
