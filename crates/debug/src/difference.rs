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
use flitwork_types::{Cycle, NodeId, PacketId, Port};
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
    let cycle_times = [one.cycle_time(), other.cycle_time()];
    let mut branches = [
        one.copy_at(0, Wanted::EVENTS),
        other.copy_at(0, Wanted::EVENTS),
    ];
    // What the slower run hasn't come to yet.
    let mut waiting: [ByNode; 2] = Default::default();
    let mut reached = [Reached::On; 2];
    loop {
        if !go_on() {
            return None;
        }
        let nodes = branches[0].simulation().nodes();
        for side in 0..2 {
            let far = [0, 1].map(|side| {
                (0..nodes)
                    .map(|node| branches[side].local(NodeId(node)))
                    .min()
            });
            // A run that is far ahead waits for the other, so that what is kept isn't more than a stretch.
            let waits = reached[1 - side] == Reached::On && far[side] > far[1 - side];
            if reached[side] != Reached::On || waits {
                continue;
            }
            reached[side] = gather(
                &mut branches[side],
                &mut waiting[side],
                cycle_times[side],
                ends[side],
            );
        }
        let known = |node: NodeId| {
            let known = [0, 1].map(|side| match reached[side] {
                Reached::Quiet => Cycle::NEVER,
                Reached::On | Reached::Cut => branches[side].local(node),
            });
            known[0].min(known[1])
        };
        let found = (0..nodes)
            .map(NodeId)
            .filter_map(|node| parts(node, &mut waiting, known(node)));
        let first = found.min_by_key(|(node, cycle, events)| {
            let time = events.iter().flatten().map(|it| it.time).min();
            (time, *cycle, *node)
        });
        if let Some((node, cycle, events)) = first {
            let times = [0, 1].map(|side| events[side].map_or(0, |it| it.time));
            let spread = spread(&mut branches, &mut waiting, (cycle_times, ends), cycle);
            return Some(FirstDifference {
                node,
                cycle,
                events,
                times,
                spread,
            });
        }
        if is_compared(&branches, reached) {
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

/// Whether nothing is left to compare: both runs are over, or one has come to where the other is cut.
fn is_compared(branches: &[Branch; 2], reached: [Reached; 2]) -> bool {
    if reached.iter().all(|it| *it != Reached::On) {
        return true;
    }
    let nodes = branches[0].simulation().nodes();
    [0, 1].into_iter().any(|side| {
        let is_there = |node: u32| {
            let node = NodeId(node);
            branches[1 - side].local(node) >= branches[side].local(node)
        };
        reached[side] == Reached::Cut && (0..nodes).all(is_there)
    })
}

/// Goes on by a stretch.
fn gather(branch: &mut Branch, waiting: &mut ByNode, cycle_time: u64, end: u64) -> Reached {
    if branch.now() >= end {
        return Reached::Cut;
    }
    let until = branch
        .now()
        .saturating_add(STRETCH_CYCLES * cycle_time)
        .min(end);
    let (mut happened, ended) = branch.advance(until);
    if ended != Ended::Deadline || branch.now() >= end {
        happened.extend(branch.rest());
    }
    for it in happened {
        waiting.entry(it.node).or_default().push(it);
    }
    match ended {
        Ended::Deadline if branch.now() >= end => Reached::Cut,
        Ended::Deadline => Reached::On,
        _ => Reached::Quiet,
    }
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
        What::Word { port, index, .. } | What::Arrived { port, index, .. } => two(port, index),
    };
    let created = match it.what {
        What::Event(Event::Injected { packet }) => packet.created,
        _ => Cycle::ZERO,
    };
    (it.cycle, kind(it), packet, rest, created)
}

/// The first difference of a node before a cycle: both runs have come so far. What is the same is dropped.
fn parts(
    node: NodeId,
    waiting: &mut [ByNode; 2],
    known: Cycle,
) -> Option<(NodeId, Cycle, [Option<Happening>; 2])> {
    let mut lists = [0, 1].map(|side| {
        let all = waiting[side].remove(&node).unwrap_or_default();
        let (mut now, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.cycle < known);
        if !later.is_empty() {
            waiting[side].insert(node, later);
        }
        now.sort_by_key(key);
        now
    });
    let place = (0..lists[0].len().max(lists[1].len())).find(|place| {
        let pair = [0, 1].map(|side| lists[side].get(*place).map(key));
        pair[0] != pair[1]
    })?;
    let found = [0, 1].map(|side| lists[side].get(place).copied());
    let cycle = found.iter().flatten().map(|it| it.cycle).min()?;
    // One may do more in that cycle, or the same later.
    let events = found.map(|it| it.filter(|it| it.cycle == cycle));
    // They differ from here on: kept for how that spreads.
    for side in [1, 0] {
        let rest = lists[side].split_off(place);
        waiting[side].entry(node).or_default().splice(0..0, rest);
    }
    Some((node, cycle, events))
}

/// How many nodes have done something else by so many cycles after the first difference.
fn spread(
    branches: &mut [Branch; 2],
    waiting: &mut [ByNode; 2],
    (cycle_times, ends): ([u64; 2], [u64; 2]),
    first: Cycle,
) -> Vec<(u64, usize)> {
    const MOST_CYCLES: u32 = 256;
    for side in 0..2 {
        let nodes = branches[side].simulation().nodes();
        let is_far = |branch: &Branch| {
            let all = (0..nodes).map(NodeId);
            all.map(|node| branch.simulation().local(node)).min() > Some(first + MOST_CYCLES)
        };
        while !is_far(&branches[side]) {
            let reached = gather(
                &mut branches[side],
                &mut waiting[side],
                cycle_times[side],
                ends[side],
            );
            if reached != Reached::On {
                break;
            }
        }
    }
    let nodes = branches[0].simulation().nodes();
    let firsts: Vec<Cycle> = (0..nodes)
        .filter_map(|node| {
            let of = |side: usize| {
                let all = waiting[side].get(&NodeId(node)).map_or(&[][..], |all| all);
                let mut keys: Vec<_> = all.iter().map(key).collect();
                keys.sort();
                keys
            };
            let (one, other) = (of(0), of(1));
            let place = (0..one.len().max(other.len()))
                .find(|place| one.get(*place) != other.get(*place))?;
            [one.get(place), other.get(place)]
                .into_iter()
                .flatten()
                .map(|key| key.0)
                .min()
        })
        .collect();
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
