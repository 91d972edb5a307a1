//! Where two runs part.
//!
//! Both runs are made side by side, a stretch at a time. Within the first stretch in which they differ, each node's events
//! are compared in the order of its own cycles, and of all nodes' first differences the earliest is the first: nothing that
//! differs came before it.

use crate::gather::{Explained, Happening, Wanted, What};
use crate::rows::{kind, place_kind, place_parts};
use crate::timeline::{Branch, Timeline};
use flitwork_engine::Ended;
use flitwork_node::{Event, Place};
use flitwork_types::{Cycle, Due, NodeId, PacketId, Port};
use std::collections::BTreeMap;

/// Cycles that are compared at a time.
const STRETCH_CYCLES: u64 = 256;

/// The first event in which two runs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstDifference {
    /// The node.
    pub node: NodeId,
    /// In which of its cycles.
    pub cycle: Cycle,
    /// What it does there in either run; nothing where it does less than in the other.
    pub events: [Option<Happening>; 2],
    /// The time, in either run's unit, at which the node stands at that cycle.
    pub times: [u64; 2],
    /// How the difference spread: how many nodes have done something else so many cycles later.
    pub spread: Vec<(u64, usize)>,
}

impl FirstDifference {
    /// Whether the sources made different packets.
    pub fn is_of_sources(&self) -> bool {
        let mut events = self.events.iter().flatten();
        events.any(|it| matches!(it.what, What::Event(Event::Injected { .. })))
    }
}

/// A node's events, each with the cycle of its own in which it happens.
type ByNode = BTreeMap<NodeId, Vec<Happening>>;

/// Compares two runs from their beginnings; `None` if they do the same until one of the ends. `go_on` says now and then
/// whether to go on.
pub fn first_difference(
    timelines: [&mut Timeline; 2],
    ends: [u64; 2],
    go_on: &mut dyn FnMut() -> bool,
) -> Option<FirstDifference> {
    let [one, other] = timelines;
    let mut sides = [Side::new(one, ends[0]), Side::new(other, ends[1])];
    loop {
        if !go_on() {
            return None;
        }
        for side in 0..2 {
            let (own, other) = (&sides[side], &sides[1 - side]);
            // A run that is far ahead waits for the other, so that what is kept isn't more than a stretch.
            let waits = other.reached == Reached::On && own.least() > other.least();
            if own.reached == Reached::On && !waits {
                sides[side].gather();
            }
        }
        let nodes = sides[0].nodes();
        let found = nodes.filter_map(|node| parts(node, &mut sides));
        let first = found.min_by_key(|(node, cycle, events)| {
            let time = events.iter().flatten().map(|it| it.time).min();
            (time, *cycle, *node)
        });
        if let Some((node, cycle, events)) = first {
            return Some(FirstDifference {
                node,
                cycle,
                events,
                times: events.map(|event| event.map_or(0, |it| it.time)),
                spread: spread(&mut sides, cycle),
            });
        }
        if is_compared(&sides) {
            return None;
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    /// It goes on.
    On,
    /// Nothing happens in it any more.
    Quiet,
    /// Its end: what it would do later isn't known.
    Cut,
}

/// One of the two runs.
struct Side {
    branch: Branch,
    /// What the slower run hasn't come to yet.
    waiting: ByNode,
    cycle_time: u64,
    end: u64,
    reached: Reached,
}

impl Side {
    fn new(timeline: &mut Timeline, end: u64) -> Side {
        Side {
            branch: timeline.copy_at(0, Wanted::EVENTS),
            waiting: ByNode::new(),
            cycle_time: timeline.cycle_time(),
            end,
            reached: Reached::On,
        }
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.branch.simulation().nodes()).map(NodeId)
    }

    /// The cycle of the node that is least far.
    fn least(&self) -> Option<Cycle> {
        self.nodes().map(|node| self.branch.local(node)).min()
    }

    /// The cycle before which all is known that a node does.
    fn known(&self, node: NodeId) -> Due {
        match self.reached {
            Reached::Quiet => Due::NEVER,
            Reached::On | Reached::Cut => self.branch.local(node).into(),
        }
    }

    /// Goes on by a stretch.
    fn gather(&mut self) {
        let now = self.branch.now();
        if now >= self.end {
            self.reached = Reached::Cut;
            return;
        }
        let until = now.saturating_add(STRETCH_CYCLES * self.cycle_time);
        let (mut happened, ended) = self.branch.advance(until.min(self.end));
        let is_cut = self.branch.now() >= self.end;
        if ended != Ended::Deadline || is_cut {
            happened.extend(self.branch.rest());
        }
        for it in happened {
            self.waiting.entry(it.node).or_default().push(it);
        }
        self.reached = match ended {
            Ended::Deadline if is_cut => Reached::Cut,
            Ended::Deadline => Reached::On,
            _ => Reached::Quiet,
        };
    }
}

/// Whether nothing is left to compare: both runs are over, or one has come to where the other is cut.
fn is_compared(sides: &[Side; 2]) -> bool {
    if sides.iter().all(|side| side.reached != Reached::On) {
        return true;
    }
    [0, 1].into_iter().any(|side| {
        let (own, other) = (&sides[side], &sides[1 - side]);
        let is_there = |node: NodeId| other.branch.local(node) >= own.branch.local(node);
        own.reached == Reached::Cut && own.nodes().all(is_there)
    })
}

/// By what two runs' events of a node are compared: in which cycle of its own it does what, to which packet. Where a
/// packet goes, and when it was made, counts when it enters the network; what a delivery says of its way follows from earlier events.
fn key(it: &Happening) -> (Cycle, i64, u64, u64, Cycle) {
    let number = |place: Place| {
        let (port, channel) = place_parts(place);
        let port = port.map_or(0, |port| u64::from(port.0));
        u64::from(channel.unwrap_or(0)) << 16 | (place_kind(place) as u64) << 8 | port
    };
    let packet = it.packet().map_or(0, PacketId::as_u64);
    let two = |port: Port, number: u16| u64::from(port.0) << 32 | u64::from(number);
    let rest = match it.what {
        What::Event(Event::Injected { packet }) => {
            u64::from(packet.destination.0) << 32 | u64::from(packet.words)
        }
        What::Event(Event::Moved {
            from, to, deroute, ..
        }) => number(from) << 32 | number(to) << 1 | u64::from(deroute),
        What::Event(Event::Head { port, .. } | Event::Freed { port }) => port.0.into(),
        What::Event(Event::Tail { port, words, .. }) => two(port, words),
        What::Event(Event::Delivered { .. }) => 0,
        What::Event(Event::Lost { packet, port }) => {
            two(port, packet.loss.map_or(0, |it| it as u16))
        }
        What::Word(word) | What::Arrived(word) => two(word.port, word.index),
    };
    let created = match it.what {
        What::Event(Event::Injected { packet }) => packet.created,
        _ => Cycle::ZERO,
    };
    (it.cycle, kind(it), packet, rest, created)
}

/// The first difference of a node as far as both runs have come. What is the same is dropped.
fn parts(node: NodeId, sides: &mut [Side; 2]) -> Option<(NodeId, Cycle, [Option<Happening>; 2])> {
    let known = sides[0].known(node).min(sides[1].known(node));
    let mut lists = sides.each_mut().map(|side| {
        let all = side.waiting.remove(&node).unwrap_or_default();
        let (mut now, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| known > it.cycle);
        if !later.is_empty() {
            side.waiting.insert(node, later);
        }
        now.sort_by_key(key);
        now
    });
    let place = (0..lists[0].len().max(lists[1].len())).find(|place| {
        let pair = lists.each_ref().map(|list| list.get(*place).map(key));
        pair[0] != pair[1]
    })?;
    let found = lists.each_ref().map(|list| list.get(place).copied());
    let cycle = found.iter().flatten().map(|it| it.cycle).min()?;
    // One may do more in that cycle, or the same later.
    let events = found.map(|it| it.filter(|it| it.cycle == cycle));
    // They differ from here on: kept for how that spreads.
    for (side, list) in sides.iter_mut().zip(&mut lists) {
        let rest = list.split_off(place);
        let waiting = side.waiting.entry(node).or_default();
        waiting.splice(0..0, rest);
    }
    Some((node, cycle, events))
}

/// How many nodes have done something else by so many cycles after the first difference.
fn spread(sides: &mut [Side; 2], first: Cycle) -> Vec<(u64, usize)> {
    const MOST_CYCLES: u32 = 256;
    for side in sides.iter_mut() {
        while side.least() <= Some(first + MOST_CYCLES) {
            side.gather();
            if side.reached != Reached::On {
                break;
            }
        }
    }
    let firsts = sides[0].nodes().filter_map(|node| {
        let [one, other] = sides.each_ref().map(|side| {
            let all = side.waiting.get(&node).into_iter().flatten();
            let mut keys: Vec<_> = all.map(key).collect();
            keys.sort();
            keys
        });
        let most = one.len().max(other.len());
        let place = (0..most).find(|place| one.get(*place) != other.get(*place))?;
        let keys = [one.get(place), other.get(place)].into_iter().flatten();
        keys.map(|key| key.0).min()
    });
    let firsts: Vec<Cycle> = firsts.collect();
    let mut later = 1;
    let mut counts = Vec::new();
    while later <= u64::from(MOST_CYCLES) {
        let until = first + later as u32;
        counts.push((later, firsts.iter().filter(|cycle| **cycle < until).count()));
        later *= 2;
    }
    counts
}

/// What a node holds and decides at a cycle of its own, in one of the runs.
/// Nothing if `go_on` says that it is to stop.
pub fn explain(
    timeline: &mut Timeline,
    node: NodeId,
    cycle: Cycle,
    end: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Explained> {
    let time = timeline.time_of(node, cycle, end, go_on).ok()??;
    timeline.step_at(time, node, 64)
}
