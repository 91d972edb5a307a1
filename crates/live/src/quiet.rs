//! Whether the workers of a replay all wait for each other.
//!
//! A node of a replay that lacks a message waits until it is sent. If the record names a message that no node sends,
//! every worker waits in the end. On a busy host the time that this has lasted proves nothing; so workers count what
//! they do:
//!
//! - A worker begins a check of everything that could let it continue by reading how much all workers have
//!   done so far.
//! - If it continued, it counts that before its next check; if it could not, it publishes what it read.
//!
//! All of them wait forever if every worker has published a number that is still the sum. Suppose that one of
//! them continued after its check. The first one to do so could continue because of something that another
//! did in the meantime, and that other worker either is still busy, and has published nothing since its check
//! began, or has counted it, so that the sum is no longer that number.

use std::sync::atomic::{AtomicU64, Ordering};

/// The value in place of a published sum while a worker checks or continues.
const BUSY: u64 = u64::MAX;
/// The same for a worker that has ended.
const ENDED: u64 = u64::MAX - 1;

/// What the workers of a replay have done and seen, one entry each.
#[derive(Debug)]
pub(crate) struct Quiet {
    done: Vec<AtomicU64>,
    seen: Vec<AtomicU64>,
}

impl Quiet {
    pub(crate) fn new(workers: usize) -> Quiet {
        let all = |value| (0..workers).map(|_| AtomicU64::new(value)).collect();
        Quiet {
            done: all(0),
            seen: all(BUSY),
        }
    }

    fn all_done(&self) -> u64 {
        let counts = self.done.iter();
        counts.map(|count| count.load(Ordering::SeqCst)).sum()
    }

    /// A worker continues.
    pub(crate) fn continues(&self, worker: usize) {
        self.seen[worker].store(BUSY, Ordering::SeqCst);
    }

    /// A worker begins to check whether it can continue; returns how much all have done before that.
    pub(crate) fn begin_check(&self, worker: usize) -> u64 {
        self.continues(worker);
        self.all_done()
    }

    /// A worker has continued since its last check.
    pub(crate) fn has_continued(&self, worker: usize) {
        self.done[worker].fetch_add(1, Ordering::SeqCst);
    }

    /// A worker could not continue, according to a check that began when all had done this much.
    pub(crate) fn waits(&self, worker: usize, before: u64) {
        self.seen[worker].store(before, Ordering::SeqCst);
    }

    /// A worker has ended, and what it did is counted.
    pub(crate) fn ended(&self, worker: usize) {
        self.seen[worker].store(ENDED, Ordering::SeqCst);
    }

    /// Whether workers are left, and none of them will ever continue.
    pub(crate) fn is_for_good(&self) -> bool {
        let seen = |place: &AtomicU64| place.load(Ordering::SeqCst);
        let seen: Vec<u64> = self.seen.iter().map(seen).collect();
        let done = self.all_done();
        let left = seen.iter().any(|seen| *seen != ENDED);
        left && seen.iter().all(|seen| [done, ENDED].contains(seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_that_all_checked_in_vain_wait_forever() {
        let quiet = Quiet::new(3);
        assert!(!quiet.is_for_good(), "before the first check");
        for worker in 0..3 {
            let before = quiet.begin_check(worker);
            quiet.waits(worker, before);
            assert_eq!(quiet.is_for_good(), worker == 2);
        }
        // One is let continue: until that is counted, it is busy; afterwards the others' checks are outdated.
        quiet.begin_check(1);
        assert!(!quiet.is_for_good());
        quiet.has_continued(1);
        let before = quiet.begin_check(1);
        quiet.waits(1, before);
        assert!(!quiet.is_for_good());
        for worker in [0, 2] {
            assert!(!quiet.is_for_good());
            let before = quiet.begin_check(worker);
            quiet.waits(worker, before);
        }
        assert!(quiet.is_for_good());
    }

    /// A check that began before another worker counted what it did is of no use.
    #[test]
    fn a_check_that_began_too_early_does_not_count() {
        let quiet = Quiet::new(2);
        let before = quiet.begin_check(0);
        quiet.has_continued(1);
        quiet.waits(0, before);
        quiet.ended(1);
        assert!(!quiet.is_for_good());
        let before = quiet.begin_check(0);
        quiet.waits(0, before);
        assert!(quiet.is_for_good());
    }

    /// Once all have ended, no worker waits: the run is over.
    #[test]
    fn workers_that_have_ended_do_not_wait() {
        let quiet = Quiet::new(2);
        quiet.ended(0);
        quiet.ended(1);
        assert!(!quiet.is_for_good());
    }
}
