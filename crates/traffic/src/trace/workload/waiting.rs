//! The dependencies among the packets that have been read and not yet delivered.
//!
//! ```text
//!   read ──▶ waiting ──last dependency delivered──▶ ready ──▶ handed over ──▶ delivered: dropped
//!                                                     └─ to its own source: delivered a cycle later
//! ```
//!
//! A packet that is named before it is read has an entry, too, with the number of packets that it will wait for.

use crate::trace::{Links, TraceId, TraceNode};
use flitwork_types::{Cycle, Due};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A packet that has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The run's cycle before which it doesn't start.
    pub(super) cycle: Cycle,
    pub(super) source: TraceNode,
    pub(super) destination: TraceNode,
    pub(super) words: u16,
    pub(super) class: u8,
}

/// A packet that has been read or named.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// `None` if the packet has only been named.
    facts: Option<Facts>,
    /// How many undelivered packets it waits for.
    waits_for: u32,
    /// The first cycle after the deliveries that it waited for.
    not_before: Cycle,
    /// The packets that wait for it, as far as they are known.
    dependents: Vec<TraceId>,
}

/// Packets that have become ready.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Packets for the network: the cycle in which each is ready, its id and its source.
    pub(super) ready: Vec<(Cycle, TraceId, TraceNode)>,
    /// Packets to their own source: the cycle in which each is ready, and the source.
    pub(super) to_self: Vec<(Cycle, TraceNode)>,
}

/// The packets that have been read or named and not yet delivered.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    entries: HashMap<TraceId, Entry>,
    /// Delivered packets to their own source, with the first cycle after the delivery, for as long as a packet of an
    /// earlier cycle may still be read.
    delivered: HashMap<TraceId, Cycle>,
    /// Entries that have no effect on packets from these cycles on.
    lapsing: BinaryHeap<Reverse<(Cycle, TraceId)>>,
}

impl Waiting {
    /// The number of packets.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The facts of a packet that has been read.
    pub(super) fn facts(&self, id: TraceId) -> Option<Facts> {
        self.entries.get(&id)?.facts
    }

    /// Adds a packet, which follows all that have been read.
    pub(super) fn read(&mut self, id: TraceId, facts: Facts, links: Links) -> Settled {
        let mut entry = self.entries.remove(&id).unwrap_or_default();
        entry.facts = Some(facts);
        match links {
            Links::After(names) => {
                for named in names {
                    if let Some(earlier) = self.entries.get_mut(&named) {
                        earlier.dependents.push(id);
                        entry.waits_for += 1;
                    } else if let Some(from) = self.delivered.get(&named) {
                        entry.not_before = entry.not_before.max(*from);
                    }
                }
            }
            Links::Before(names) => {
                for named in &names {
                    self.entries.entry(*named).or_default().waits_for += 1;
                }
                entry.dependents = names;
            }
        }
        let is_ready = entry.waits_for == 0;
        self.entries.insert(id, entry);
        let mut settled = Settled::default();
        if is_ready {
            self.settle(vec![id], &mut settled);
        }
        settled
    }

    /// Removes a packet that was delivered in the cycle before `from`. All packets of earlier cycles have been read.
    pub(super) fn deliver(&mut self, id: TraceId, from: Cycle) -> Settled {
        let mut settled = Settled::default();
        if let Some(entry) = self.entries.remove(&id) {
            let ready = self.release(&entry.dependents, from);
            self.settle(ready, &mut settled);
        }
        settled
    }

    /// Drops what is no longer needed: no packet of a cycle before `next` will be read.
    pub(super) fn lapse(&mut self, next: Due) {
        while let Some(Reverse((from, id))) = self.lapsing.peek()
            && next >= *from
        {
            self.delivered.remove(id);
            let has_no_effect = |entry: &Entry| {
                entry.facts.is_none() && entry.waits_for == 0 && next >= entry.not_before
            };
            if self.entries.get(id).is_some_and(has_no_effect) {
                self.entries.remove(id);
            }
            self.lapsing.pop();
        }
    }

    /// Removes a dependency that was delivered in the cycle before `from`. Returns the dependents that are now ready.
    fn release(&mut self, dependents: &[TraceId], from: Cycle) -> Vec<TraceId> {
        let mut ready = Vec::new();
        for id in dependents {
            let Some(entry) = self.entries.get_mut(id) else {
                continue;
            };
            entry.waits_for -= 1;
            entry.not_before = entry.not_before.max(from);
            match (entry.waits_for, entry.facts) {
                (0, Some(_)) => ready.push(*id),
                (0, None) => self.lapsing.push(Reverse((entry.not_before, *id))),
                _ => {}
            }
        }
        ready
    }

    /// Settles packets that are ready. Those to their own source are delivered a cycle later, which may make others ready:
    /// a list and not a recursion, because such a chain can be as long as the trace.
    fn settle(&mut self, mut ready: Vec<TraceId>, settled: &mut Settled) {
        while let Some(id) = ready.pop() {
            let Some((facts, not_before)) = self
                .entries
                .get(&id)
                .and_then(|entry| Some((entry.facts?, entry.not_before)))
            else {
                continue;
            };
            let cycle = facts.cycle.max(not_before);
            if facts.source != facts.destination {
                settled.ready.push((cycle, id, facts.source));
                continue;
            }
            settled.to_self.push((cycle, facts.source));
            let from = cycle + 2;
            if let Some(entry) = self.entries.remove(&id) {
                ready.extend(self.release(&entry.dependents, from));
            }
            self.delivered.insert(id, from);
            self.lapsing.push(Reverse((from, id)));
        }
    }
}
