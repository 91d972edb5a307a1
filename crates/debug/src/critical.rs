//! The critical way: what a run's last delivery waited for, back to the beginning.
//!
//! ```text
//!   0 ──▶ 5.2 makes its way ──▶ 5.2's words leave node 6 ──▶ 9.0, which waited for them, goes on ──▶ last delivery
//! ```
//!
//! From the delivery back in time: what a packet does takes its time; where it waits for another, the way goes on with
//! that one, from the moment in which it let the other go. So no wait is left that has a packet to blame, and the
//! stretches add up to the whole time.

use crate::journey::Journey;
use crate::timeline::Timeline;
use crate::why::{Charge, Why, why};
use flitwork_node::Cause;
use flitwork_types::{NodeId, PacketId, Port};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A stretch of the critical way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// When it begins, in the unit of the run's time.
    pub time: u64,
    /// How long it takes, in the same unit.
    pub amount: u64,
    /// The packet that takes it.
    pub packet: PacketId,
    /// Where that is.
    pub node: NodeId,
    /// By which port the packet leaves the node, if it does.
    pub port: Option<Port>,
    /// What it does, or what it waits for.
    pub cause: Cause,
}

/// The critical way back from a packet's delivery, in the order of time: to time 0, or to where the first of its packets
/// was made. `journey_of` says how a packet went.
pub fn critical<E>(
    timeline: &mut Timeline,
    last: PacketId,
    end: u64,
    mut journey_of: impl FnMut(&mut Timeline, PacketId) -> Result<Journey, E>,
) -> Result<Vec<Stretch>, E> {
    let mut known: BTreeMap<PacketId, Rc<Why>> = BTreeMap::new();
    let mut why_of = |packet: PacketId| -> Result<Rc<Why>, E> {
        if let Some(found) = known.get(&packet) {
            return Ok(Rc::clone(found));
        }
        let journey = journey_of(timeline, packet)?;
        let found = Rc::new(why(timeline, journey, end));
        known.insert(packet, Rc::clone(&found));
        Ok(found)
    };
    let mut way: Vec<Stretch> = Vec::new();
    let (mut packet, mut found) = (last, why_of(last)?);
    let mut now = found.journey.delivered.map_or(end, |it| it.time);
    // Who was followed at the present time: two that wait for each other would be followed for ever.
    let mut followed: Vec<PacketId> = Vec::new();
    while let Some((place, charge)) = before(&found.charges, now) {
        followed.push(packet);
        let culprit = charge.culprit.filter(|culprit| !followed.contains(culprit));
        let (who, node, cause, from) = match culprit {
            Some(culprit) => {
                let node = found.culprits_node(place).unwrap_or(charge.node);
                let of_it = why_of(culprit)?;
                let from = words_behind(&of_it, node, now).max(charge.time);
                (packet, found) = (culprit, of_it);
                (culprit, node, Cause::WordsBehind, from)
            }
            None => (packet, charge.node, charge.cause, charge.time),
        };
        if from < now {
            way.push(Stretch {
                time: from,
                amount: now - from,
                packet: who,
                node,
                port: found.journey.way_out(node, from),
                cause,
            });
            followed.clear();
        }
        now = from;
    }
    way.reverse();
    Ok(way)
}

/// The charge that is under way just before a time.
fn before(charges: &[Charge], time: u64) -> Option<(usize, &Charge)> {
    let begun = charges.iter().enumerate();
    begun.take_while(|(_, charge)| charge.time < time).last()
}

/// Since when nothing but its words follow a packet's head out of a node, if the last one leaves at a time.
fn words_behind(found: &Why, node: NodeId, time: u64) -> u64 {
    let stays = found.journey.stays.iter();
    let mut stays = stays.filter(|stay| stay.node == node && stay.arrived.time <= time);
    let left = stays.next_back().and_then(|stay| stay.left);
    match left {
        Some((left, _)) if left.time < time => {
            let words = u64::from(found.journey.packet.words) * found.cycle_time;
            left.time.max(time.saturating_sub(words))
        }
        _ => time,
    }
}
