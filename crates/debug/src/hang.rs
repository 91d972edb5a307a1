//! Why a network hangs: the circle of packets that wait for each other, and when it closed.
//!
//! A circle in which each packet waits for the next and for nothing else stays closed, whatever else goes on. So the moment
//! in which it closed is found by halving: the first at which each of its packets stands where it stands at the end, and waits
//! for the same. Where a packet may go on in several ways, or may be derouted, a circle of waits proves nothing: whether it
//! holds is for the run to say, if it goes on ([`still_waits`]).

use crate::circle::circle;
use crate::gather::{Happening, Wanted};
use crate::timeline::{Stopped, Timeline};
use flitwork_node::Wait;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet};
use std::collections::BTreeSet;

/// A circle of packets that wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hang {
    /// The waits of the circle, each with the link that leads to the node of the next.
    pub circle: Vec<(Wait, String)>,
    /// The first time at which the circle is closed: what happened just before closed it.
    pub closed: u64,
    /// The last events in the nodes of the circle before that.
    pub last: Vec<Happening>,
}

/// How many of the last events are kept.
const LAST: usize = 12;

/// The circle of waits in which a run ends before `end`, if there is one.
///
/// # Errors
/// [`Stopped`] if `go_on` says that it is to stop.
pub fn hang(
    timeline: &mut Timeline,
    topology: &dyn Topology,
    end: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Hang>, Stopped> {
    if !timeline.go_while(end, go_on) {
        return Err(Stopped);
    }
    let stands = timeline.over().map_or(end, |(at, _)| at);
    let waits = timeline.present().waits();
    let steps = circle(topology, &waits);
    let closing: Vec<(Wait, String)> = steps
        .into_iter()
        .map(|step| (waits[step.wait].clone(), step.link))
        .collect();
    if closing.is_empty() {
        return Ok(None);
    }
    let (mut early, mut late) = (0, stands);
    while early < late {
        let middle = early + (late - early) / 2;
        match still_waits(timeline, &closing, middle, go_on)? {
            true => late = middle,
            false => early = middle + 1,
        }
    }
    let nodes: BTreeSet<NodeId> = closing.iter().map(|(wait, _)| wait.node).collect();
    let last = last_events(timeline, late, &nodes);
    Ok(Some(Hang {
        circle: closing,
        closed: late,
        last,
    }))
}

/// Whether each packet of a circle stands at a time where it stands in the circle, and waits for the same.
///
/// # Errors
/// [`Stopped`] if `go_on` says that it is to stop.
pub fn still_waits(
    timeline: &mut Timeline,
    circle: &[(Wait, String)],
    time: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Stopped> {
    if !timeline.go_while(time, go_on) {
        return Err(Stopped);
    }
    let waits = timeline.present().waits();
    Ok(circle.iter().all(|(wait, _)| waits.contains(wait)))
}

/// The last events in some nodes before a time.
fn last_events(timeline: &mut Timeline, time: u64, nodes: &BTreeSet<NodeId>) -> Vec<Happening> {
    let cycle_time = timeline.cycle_time();
    let mut cycles = 64;
    loop {
        let from = time.saturating_sub(cycles * cycle_time);
        let (happened, _) = timeline.copy_at(from, Wanted::EVENTS).advance(time);
        let mut found: Vec<Happening> = happened
            .into_iter()
            .filter(|it| nodes.contains(&it.node))
            .collect();
        if found.len() >= LAST || from == 0 {
            return found.split_off(found.len().saturating_sub(LAST));
        }
        cycles *= 4;
    }
}

/// The packets in the network at a time that have been derouted more often than this, the most often first.
pub fn wanderers(timeline: &mut Timeline, time: u64, deroutes: u16) -> Vec<Packet> {
    timeline.go(time);
    let mut packets = timeline.present().packets();
    packets.retain(|packet| packet.deroutes > deroutes);
    packets.sort_by_key(|packet| (std::cmp::Reverse(packet.deroutes), packet.id));
    packets
}
