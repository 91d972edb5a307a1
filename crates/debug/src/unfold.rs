//! What the packet to blame for a wait does meanwhile: whom it waits for itself, and so on, down to a packet that nothing
//! holds, or in a circle.
//!
//! ```text
//!   12 cycles  no credit          7.3 in node 5
//!              └─ 9 cycles  output taken by 2.8 in node 5 ── 9 cycles  sends its words
//!              └─ 3 cycles  sends its words
//! ```
//!
//! A wait is cut into its cycles, or into [`MOST_SAMPLES`] equal parts if it is longer; what holds whom is asked at the
//! beginning of each.

use crate::buffers::last_in;
use crate::timeline::Timeline;
use flitwork_node::{Cause, Place, Wait, WaitsFor, What};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketId, Port};

/// Into at most how many parts a wait is cut.
pub const MOST_SAMPLES: u64 = 64;
/// How far waits are followed. A longer chain is cut there, and says so.
const MOST_DEEP: usize = 64;
/// Where nodes have clocks, others' steps come before its next.
const PATIENCE_CYCLES: u64 = 8;

/// What a packet does that holds up another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It goes on: nothing holds it.
    Goes,
    /// It stays, for a reason.
    Stays(Cause),
    /// It waits for one that waits for it.
    Circle,
    /// It has left the node, and room is yet to be heard of; or the router doesn't say.
    Unknown,
}

/// A part of a wait, and what the packet to blame does meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The packet to blame.
    pub packet: PacketId,
    /// Where it stands.
    pub node: NodeId,
    /// For how much of the wait, in the unit of the run's time.
    pub amount: u64,
    /// What it does.
    pub does: Does,
    /// Whom it waits for in turn, in the order in which they begin to hold it.
    pub held_by: Vec<Held>,
}

/// A packet in a node, and what it does there.
type Link = (PacketId, NodeId, Does);

/// Unfolds a wait from a time on, so long in the run's time, for a packet that stands in a node.
pub fn unfold(
    timeline: &mut Timeline,
    topology: &dyn Topology,
    (time, amount): (u64, u64),
    (packet, node): (PacketId, NodeId),
) -> Vec<Held> {
    let cycles = amount.div_ceil(timeline.cycle_time()).max(1);
    let parts = cycles.min(MOST_SAMPLES);
    let mut held = Vec::new();
    let mut from = 0;
    for part in 1..=parts {
        let until = amount * part / parts;
        let chain = chain(timeline, topology, time + from, (packet, node));
        add(&mut held, &chain, until - from);
        from = until;
    }
    held
}

/// Adds a chain of waits to a tree.
fn add(held: &mut Vec<Held>, chain: &[Link], amount: u64) {
    let Some((&(packet, node, does), rest)) = chain.split_first() else {
        return;
    };
    let same = |it: &Held| {
        let is_last = it.held_by.is_empty();
        (it.packet, it.node, it.does, is_last) == (packet, node, does, rest.is_empty())
    };
    let known = held.iter().position(same);
    let place = known.unwrap_or_else(|| {
        held.push(Held {
            packet,
            node,
            amount: 0,
            does,
            held_by: Vec::new(),
        });
        held.len() - 1
    });
    held[place].amount += amount;
    add(&mut held[place].held_by, rest, amount);
}

/// Who waits for whom at a time.
fn chain(
    timeline: &mut Timeline,
    topology: &dyn Topology,
    time: u64,
    first: (PacketId, NodeId),
) -> Vec<Link> {
    let mut chain: Vec<Link> = Vec::new();
    let (mut packet, mut node) = first;
    while chain.len() < MOST_DEEP {
        if chain.iter().any(|(p, n, _)| (*p, *n) == (packet, node)) {
            chain.push((packet, node, Does::Circle));
            break;
        }
        let (does, next) = held(timeline, topology, time, (packet, node));
        chain.push((packet, node, does));
        match next {
            Some(next) => (packet, node) = next,
            None => break,
        }
    }
    chain
}

/// What a packet does in a node at a time, and, if it waits for another, for which one and where.
fn held(
    timeline: &mut Timeline,
    topology: &dyn Topology,
    time: u64,
    (packet, node): (PacketId, NodeId),
) -> (Does, Option<(PacketId, NodeId)>) {
    let Some(step) = timeline.step_at(time, node, PATIENCE_CYCLES) else {
        return (Does::Unknown, None);
    };
    let mut doing = step.explanation.doing(packet);
    let goes = |it: &flitwork_node::Doing| !matches!(it.what, What::Stays { .. });
    if step.explanation.doing(packet).any(goes) {
        return (Does::Goes, None);
    }
    let Some(doing) = doing.next() else {
        return (Does::Unknown, None);
    };
    let What::Stays { cause, culprit } = doing.what else {
        return (Does::Goes, None);
    };
    match (cause, culprit) {
        (Cause::Pipeline, None) => (Does::Goes, None),
        (_, Some(culprit)) => (Does::Stays(cause), Some((culprit, node))),
        (Cause::NoCredit, None) => {
            timeline.go(time);
            let next = far_holder(timeline, topology, packet, (node, doing.place));
            (Does::Stays(cause), next)
        }
        (_, None) => (Does::Stays(cause), None),
    }
}

/// The packet that takes the room for which another waits at the far end of its link.
fn far_holder(
    timeline: &Timeline,
    topology: &dyn Topology,
    packet: PacketId,
    (node, place): (NodeId, Place),
) -> Option<(PacketId, NodeId)> {
    let (port, channel) = wanted_room(timeline, packet, (node, place))?;
    let (far, far_port) = topology.far(node, port)?;
    last_in(timeline.present(), far, (far_port, channel)).map(|last| (last, far))
}

/// Behind which port and on which channel a packet wants room.
fn wanted_room(
    timeline: &Timeline,
    packet: PacketId,
    (node, place): (NodeId, Place),
) -> Option<(Port, u8)> {
    if let Place::Output(port) = place {
        return Some((port, 0));
    }
    let waits = timeline.present().waits();
    let of_it = |wait: &&Wait| (wait.node, wait.packet, wait.place) == (node, packet, place);
    match waits.iter().find(of_it)?.waits_for {
        WaitsFor::Room(port, channel) => Some((port, channel)),
        WaitsFor::Neighbour(port) => Some((port, 0)),
        _ => None,
    }
}
