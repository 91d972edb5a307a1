//! The state of a trace's run, which its owner can read during the run and afterwards.

use super::{TraceError, TraceId};
use flitwork_types::{Cycle, PacketId};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The progress of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceAccount {
    /// Packets read; all packets of the trace once `whole` is true.
    pub packets: u64,
    /// Packets handed to the network.
    pub given: u64,
    /// Of these, those that it has delivered.
    pub delivered: u64,
    /// Packets to their own source that have become ready; they never enter the network.
    pub self_delivered: u64,
    /// The latest cycle in which a packet became ready, of those handed over and those to their own source.
    pub last_ready: Cycle,
    /// Whether the trace was read to its end, without an error.
    pub whole: bool,
}

impl TraceAccount {
    /// Whether every packet of the trace has been delivered.
    pub fn is_finished(&self) -> bool {
        self.whole && self.delivered + self.self_delivered == self.packets
    }

    /// A packet has become ready.
    fn set_ready(&mut self, ready: Cycle) {
        self.last_ready = self.last_ready.max(ready);
    }
}

/// A packet that was handed to the network, for checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceBirth {
    /// Its id in the network.
    pub packet: PacketId,
    /// Its id in the trace.
    pub id: TraceId,
    /// The cycle in which it was ready.
    pub ready: Cycle,
}

/// State that a trace's workload shares with its owner, who keeps the handle when the workload moves into an engine.
#[derive(Clone, Debug, Default)]
pub struct TraceHandle {
    error: Arc<OnceLock<TraceError>>,
    progress: Arc<Mutex<Progress>>,
}

/// What has been reported so far.
#[derive(Debug, Default)]
struct Progress {
    account: TraceAccount,
    followers: Vec<TraceFollower>,
}

/// The contents, even if another holder has panicked.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The packets handed to the network since it was asked last, for one of those who want to know.
#[derive(Clone, Debug, Default)]
pub struct TraceFollower(Arc<Mutex<Vec<TraceBirth>>>);

impl TraceFollower {
    /// Takes them.
    pub fn take(&self) -> Vec<TraceBirth> {
        std::mem::take(&mut locked(&self.0))
    }
}

impl TraceHandle {
    /// A handle with the counts of this one, which then go on by themselves; an error is shared.
    pub(super) fn fork(&self) -> TraceHandle {
        let progress = Progress {
            account: self.account(),
            followers: Vec::new(),
        };
        TraceHandle {
            error: self.error.clone(),
            progress: Arc::new(Mutex::new(progress)),
        }
    }

    /// The error that ended the reading of the trace. No later packet of the trace is ever handed over.
    pub fn error(&self) -> Option<TraceError> {
        self.error.get().cloned()
    }

    /// The progress so far.
    pub fn account(&self) -> TraceAccount {
        locked(&self.progress).account
    }

    /// From now on the follower learns of each packet that is handed to the network.
    pub fn follow(&self) -> TraceFollower {
        let follower = TraceFollower::default();
        locked(&self.progress).followers.push(follower.clone());
        follower
    }

    pub(super) fn fail(&self, error: TraceError) {
        // The first error is kept: it causes the later ones.
        let _ = self.error.set(error);
    }

    pub(super) fn read_one(&self) {
        locked(&self.progress).account.packets += 1;
    }

    pub(super) fn read_all(&self) {
        locked(&self.progress).account.whole = true;
    }

    pub(super) fn give(&self, birth: TraceBirth) {
        let mut progress = locked(&self.progress);
        progress.account.given += 1;
        progress.account.set_ready(birth.ready);
        for follower in &progress.followers {
            locked(&follower.0).push(birth);
        }
    }

    pub(super) fn deliver(&self) {
        locked(&self.progress).account.delivered += 1;
    }

    pub(super) fn deliver_to_self(&self, ready: Cycle) {
        let mut progress = locked(&self.progress);
        progress.account.self_delivered += 1;
        progress.account.set_ready(ready);
    }
}
