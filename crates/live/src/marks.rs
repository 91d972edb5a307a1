//! When all nodes are asked for their part of the record, and when they have handed it over.
//!
//! A mark is made in three steps. The record's writer requests it by raising a number that all nodes see
//! ([`RequestedMark`]). Each node sees it before it takes in anything that a neighbour sent after seeing it, ends its
//! chunk there, and hands it over. When all have done so, the mark holds: whatever arrived at a node before
//! its end of chunk was sent before its neighbour's. Time is passed in, counted from the beginning of the
//! recording.

use flitwork_trace::record::{Chunk, Mark};
use flitwork_types::{Cycle, NodeId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The longest time from one mark to the next, not counting the time that nodes take to hand over what they have. A
/// run that is killed loses no more than that.
pub const MARKS_EVERY: Duration = Duration::from_millis(400);
/// The time to the first mark. Each further one takes twice as long, so that a short run loses at most half.
const FIRST: Duration = Duration::from_micros(500);
/// Marks that take longer than they should are at least this fraction of the usual time apart.
const LEAST_PART: u32 = 4;

/// The number of the latest requested mark.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestedMark(Arc<AtomicU32>);

impl RequestedMark {
    /// The latest. If a node sees a number and then sends a message, every node that takes the message sees at least that
    /// number afterwards.
    #[inline]
    pub(crate) fn latest(&self) -> u32 {
        // The channels order what they carry, and a single variable never appears to go back.
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn raise(&self, mark: u32) {
        self.0.store(mark, Ordering::Relaxed);
    }
}

/// What a node completes by handing over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closes {
    /// What belongs before the mark of this number.
    Mark(u32),
    /// Everything that the node will ever hand over.
    ForGood,
}

/// What a node hands over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Handed {
    pub(crate) node: NodeId,
    /// None if it has run no cycle since the previous chunk.
    pub(crate) chunk: Option<Chunk>,
    /// Its digest when it had run what it has handed over.
    pub(crate) digest: u64,
    pub(crate) closes: Option<Closes>,
}

/// What a node has handed over.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The end of its chunks, and its digest there.
    upto: Cycle,
    digest: u64,
    /// The same at the mark that is being made, where it has closed that.
    closed: Option<(Cycle, u64)>,
    for_good: bool,
}

/// The marks of a record.
#[derive(Debug)]
pub(crate) struct Marks {
    nodes: Vec<Node>,
    /// The mark that was requested last, when, and how many nodes haven't closed it.
    number: u32,
    asked_at: Duration,
    missing: usize,
    /// Nodes that will still hand something over.
    open: usize,
    /// Time to the next mark, and the longest.
    every: Duration,
    longest: Duration,
    due: Duration,
}

impl Marks {
    pub(crate) fn new(nodes: u32, longest: Duration) -> Marks {
        let first = FIRST.min(longest);
        Marks {
            nodes: vec![Node::default(); nodes as usize],
            number: 0,
            asked_at: Duration::ZERO,
            missing: 0,
            open: nodes as usize,
            every: first,
            longest,
            due: first,
        }
    }

    /// The time until the next mark is to be requested; `None` while one is being made, or if nothing more comes.
    pub(crate) fn due_in(&self, now: Duration) -> Option<Duration> {
        (self.missing == 0 && self.open > 0).then(|| self.due.saturating_sub(now))
    }

    /// Requests a mark if one is due; returns its number.
    pub(crate) fn ask(&mut self, now: Duration) -> Option<u32> {
        if self.due_in(now)? > Duration::ZERO {
            return None;
        }
        self.number += 1;
        (self.asked_at, self.missing) = (now, self.open);
        for node in &mut self.nodes {
            node.closed = node.for_good.then_some((node.upto, node.digest));
        }
        Some(self.number)
    }

    /// Notes what a node hands over; returns the mark that this completes.
    pub(crate) fn take(&mut self, handed: &Handed, now: Duration) -> Option<Mark> {
        let node = &mut self.nodes[handed.node.index()];
        if let Some(chunk) = &handed.chunk {
            node.upto = chunk.upto;
        }
        node.digest = handed.digest;
        let closes = handed.closes?;
        if let Closes::Mark(mark) = closes {
            assert_eq!(
                mark, self.number,
                "node {} closes another mark",
                handed.node
            );
        }
        if closes == Closes::ForGood && !node.for_good {
            node.for_good = true;
            self.open -= 1;
        }
        if self.missing == 0 || node.closed.is_some() {
            return None;
        }
        node.closed = Some((node.upto, node.digest));
        self.missing -= 1;
        (self.missing == 0).then(|| self.whole(now))
    }

    fn whole(&mut self, now: Duration) -> Mark {
        self.every = (2 * self.every).min(self.longest);
        self.due = (self.asked_at + self.every).max(now + self.every / LEAST_PART);
        let mut mark = Mark::default();
        for (number, node) in (0..).zip(&self.nodes) {
            let (cycle, digest) = node.closed.unwrap_or_default();
            mark.digest = mark.digest.wrapping_add(digest);
            if cycle < node.upto {
                mark.behind.push((NodeId(number), cycle));
            }
        }
        mark
    }
}
