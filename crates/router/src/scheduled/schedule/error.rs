//! Why a schedule can't be run.

use flitwork_types::{Cycle, NodeId, PacketId, Port};
use thiserror::Error;

/// Why a schedule can't be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// A worm without words, or a path of no hops or of more than 65,535.
    #[error("{} has no words, or a path without hops or with more than {}", name(.0), u16::MAX)]
    Empty(PacketId),
    /// A route from a node without a terminal, which sends nothing.
    #[error("a worm begins at node {0}, which isn't a terminal")]
    NoTerminal(NodeId),
    /// A path that ends where it begins.
    #[error("the path of {} ends where it begins", name(.0))]
    Home(PacketId),
    /// A path through a port without a link.
    #[error("hop {hop} of {}: node {node} has no link at port {}", name(.packet), .port.0)]
    MissingLink {
        /// Whose path it is.
        packet: PacketId,
        /// Which hop of it, from 0.
        hop: usize,
        /// The node that the hop leaves.
        node: NodeId,
        /// The port.
        port: Port,
    },
    /// A worm that starts before its head has come from its source, after the packets before it, or before its own start.
    #[error("{} starts in cycle {start}, before it has arrived from its source; the earliest is {earliest}", name(.packet))]
    Early {
        /// The worm's packet.
        packet: PacketId,
        /// The cycle in which it leaves.
        start: Cycle,
        /// The first in which it may.
        earliest: Cycle,
    },
    /// A hop that names a cycle in which the head isn't there yet.
    #[error("hop {hop} of {} leaves in cycle {cycle}, before its head is ready in cycle {ready}", name(.packet))]
    BeforeHead {
        /// The worm's packet.
        packet: PacketId,
        /// Which hop of it, from 0.
        hop: usize,
        /// The cycle that it names.
        cycle: u64,
        /// The cycle in which the head comes.
        ready: u64,
    },
    /// A worm that is still under way after the last cycle that a run may have.
    #[error("{} is still under way after cycle {}, the last of a run", name(.0), Cycle::LAST)]
    Late(PacketId),
    /// Two words on one link in one cycle.
    #[error("{} and {} both need the link of node {node} at port {} in cycle {cycle}", name(&.packets[0]), name(&.packets[1]), .port.0)]
    Collision {
        /// The first cycle in which they meet.
        cycle: Cycle,
        /// The node that the link leaves.
        node: NodeId,
        /// The port by which it leaves.
        port: Port,
        /// The packets of these words; twice the same for a worm that collides with itself.
        packets: [PacketId; 2],
    },
    /// More worms wait in a node than may.
    #[error("{} waits in node {node} in cycle {cycle}, where {}", name(.packet), may_wait(.waiting))]
    Crowd {
        /// The first cycle in which they do.
        cycle: Cycle,
        /// The node.
        node: NodeId,
        /// The one that comes last.
        packet: PacketId,
        /// How many may wait.
        waiting: u32,
    },
}

impl ScheduleError {
    /// The packet that it is about, if it is about one; of several, the last.
    pub fn packet(&self) -> Option<PacketId> {
        match self {
            ScheduleError::NoTerminal(_) => None,
            ScheduleError::Empty(packet)
            | ScheduleError::Home(packet)
            | ScheduleError::MissingLink { packet, .. }
            | ScheduleError::Early { packet, .. }
            | ScheduleError::BeforeHead { packet, .. }
            | ScheduleError::Late(packet)
            | ScheduleError::Crowd { packet, .. } => Some(*packet),
            ScheduleError::Collision { packets, .. } => Some(packets[1]),
        }
    }
}

/// What people call a packet.
pub(in crate::scheduled) fn name(packet: &PacketId) -> String {
    format!("packet {}.{}", packet.source, packet.serial)
}

/// How many may wait, of whom there is one too many.
fn may_wait(waiting: &u32) -> String {
    match waiting {
        0 => "none may".to_owned(),
        1 => "one may, and another does".to_owned(),
        _ => format!("{waiting} may, and as many others do"),
    }
}
