//! The state of a trace's run, which its owner can read during the run and afterwards.

use super::{TraceError, TraceId};
use flitwork_types::{Cycle, PacketId};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
#[derive(Clone, Debug)]
pub struct TraceHandle(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    error: Arc<OnceLock<TraceError>>,
    packets: AtomicU64,
    given: AtomicU64,
    delivered: AtomicU64,
    self_delivered: AtomicU64,
    last_ready: AtomicU32,
    whole: AtomicBool,
    births: Option<Mutex<Vec<TraceBirth>>>,
    followers: Mutex<Vec<TraceFollower>>,
}

/// The packets handed to the network since it was asked last, for one of those who want to know.
#[derive(Clone, Debug, Default)]
pub struct TraceFollower(Arc<Mutex<Vec<TraceBirth>>>);

impl TraceFollower {
    /// Takes them.
    pub fn take(&self) -> Vec<TraceBirth> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The counters are independent of each other, so no ordering is needed.
const RELAXED: Ordering = Ordering::Relaxed;

impl TraceHandle {
    /// A handle with counts of 0; `keep_births` adds a list of all births.
    pub(super) fn new(keep_births: bool) -> TraceHandle {
        let births = keep_births.then(Mutex::default);
        TraceHandle(Arc::new(Shared {
            births,
            ..Shared::default()
        }))
    }

    /// A handle with the counts of this one, which then go on by themselves; an error is shared.
    pub(super) fn fork(&self) -> TraceHandle {
        let shared = &self.0;
        TraceHandle(Arc::new(Shared {
            error: shared.error.clone(),
            packets: AtomicU64::new(shared.packets.load(RELAXED)),
            given: AtomicU64::new(shared.given.load(RELAXED)),
            delivered: AtomicU64::new(shared.delivered.load(RELAXED)),
            self_delivered: AtomicU64::new(shared.self_delivered.load(RELAXED)),
            last_ready: AtomicU32::new(shared.last_ready.load(RELAXED)),
            whole: AtomicBool::new(shared.whole.load(RELAXED)),
            births: shared.births.as_ref().map(|_| Mutex::new(self.births())),
            followers: Mutex::default(),
        }))
    }

    /// The error that ended the reading of the trace. No later packet of the trace is ever handed over.
    pub fn error(&self) -> Option<TraceError> {
        self.0.error.get().cloned()
    }

    /// The progress so far.
    pub fn account(&self) -> TraceAccount {
        let shared = &self.0;
        TraceAccount {
            packets: shared.packets.load(RELAXED),
            given: shared.given.load(RELAXED),
            delivered: shared.delivered.load(RELAXED),
            self_delivered: shared.self_delivered.load(RELAXED),
            last_ready: Cycle(shared.last_ready.load(RELAXED)),
            whole: shared.whole.load(RELAXED),
        }
    }

    /// The packets handed to the network so far, in that order; none unless they are kept (see
    /// [`TraceOptions`](super::TraceOptions)).
    pub fn births(&self) -> Vec<TraceBirth> {
        let births = self.0.births.as_ref();
        births.map_or(Vec::new(), |births| {
            births
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        })
    }

    /// From now on the follower learns of each packet that is handed to the network.
    pub fn follow(&self) -> TraceFollower {
        let follower = TraceFollower::default();
        let mut all = self
            .0
            .followers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.push(follower.clone());
        follower
    }

    pub(super) fn fail(&self, error: TraceError) {
        // The first error is kept: it causes the later ones.
        let _ = self.0.error.set(error);
    }

    pub(super) fn read_one(&self) {
        self.0.packets.fetch_add(1, RELAXED);
    }

    pub(super) fn read_all(&self) {
        self.0.whole.store(true, RELAXED);
    }

    pub(super) fn give(&self, birth: TraceBirth) {
        self.0.given.fetch_add(1, RELAXED);
        self.0.last_ready.fetch_max(birth.ready.get(), RELAXED);
        if let Some(births) = &self.0.births {
            let mut births = births.lock().unwrap_or_else(PoisonError::into_inner);
            births.push(birth);
        }
        let followers = self
            .0
            .followers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for follower in &*followers {
            let mut births = follower.0.lock().unwrap_or_else(PoisonError::into_inner);
            births.push(birth);
        }
    }

    pub(super) fn deliver(&self) {
        self.0.delivered.fetch_add(1, RELAXED);
    }

    pub(super) fn deliver_to_self(&self, ready: Cycle) {
        self.0.self_delivered.fetch_add(1, RELAXED);
        self.0.last_ready.fetch_max(ready.get(), RELAXED);
    }
}
