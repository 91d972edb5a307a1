//! Why a network hangs: the knot of packets that wait for each other, a circle of it, and when that closed.
//!
//! What is in a knot stays in it, whatever else goes on. So the moment in which the circle closed is found by halving: the
//! first at which all of its packets are in a knot.

use crate::gather::{Happening, Wanted};
use crate::knot::{Knot, knot};
use crate::timeline::{Stopped, Timeline};
use flitwork_node::Wait;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packet};
use std::collections::{BTreeSet, HashSet};

/// A circle of packets that wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hang {
    /// The waits of the circle, each with the link that leads to the node of the next if that is another node.
    pub circle: Vec<(Wait, Option<String>)>,
    /// The first time at which the circle is closed: what happened just before closed it.
    pub closed: u64,
    /// The last events in the nodes of the circle before that.
    pub last: Vec<Happening>,
}

impl Hang {
    /// The packets of the circle: one may stand in several of its places.
    pub fn packets(&self) -> usize {
        let packets = self.circle.iter().map(|(wait, _)| wait.packet);
        packets.collect::<HashSet<_>>().len()
    }
}

/// How many of the last events are kept.
const LAST: usize = 12;

/// The circle of waits in which a run ends before `end`, if there is one; what is in nodes that have
/// stopped by a time stays there.
///
/// # Errors
/// [`Stopped`] if `go_on` says that it is to stop.
pub fn hang(
    timeline: &mut Timeline,
    (topology, has_stopped): (&dyn Topology, &dyn Fn(NodeId, u64) -> bool),
    end: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Hang>, Stopped> {
    timeline.go_while(end, go_on)?;
    let stands = timeline.over().map_or(end, |(at, _)| at);
    let waits = timeline.present().waits();
    let found = knot(topology, &waits, &|node| has_stopped(node, stands));
    let steps = found.map_or_else(Vec::new, |knot| knot.circle);
    let closing: Vec<(Wait, Option<String>)> = steps
        .into_iter()
        .map(|step| (waits[step.wait].clone(), step.link))
        .collect();
    if closing.is_empty() {
        return Ok(None);
    }
    let (mut early, mut late) = (0, stands);
    while early < late {
        let middle = early + (late - early) / 2;
        timeline.go_while(middle, go_on)?;
        let waits = timeline.present().waits();
        let knot = knot(topology, &waits, &|node| has_stopped(node, middle));
        match knot.is_some_and(|knot| holds(&knot, &waits, &closing)) {
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

/// Whether each packet of a circle is in a knot where it stands in the circle.
fn holds(knot: &Knot, waits: &[Wait], circle: &[(Wait, Option<String>)]) -> bool {
    let place = |wait: &Wait| (wait.node, wait.packet, wait.place);
    let stuck: HashSet<_> = knot.stuck.iter().map(|it| place(&waits[*it])).collect();
    circle.iter().all(|(wait, _)| stuck.contains(&place(wait)))
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
