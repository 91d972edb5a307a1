//! What the owner of a trace's run can ask while it runs and after it.

use super::{TraceError, TraceId};
use flitwork_types::{Cycle, PacketId};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How far a trace has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceAccount {
    /// Packets read; all of the trace once `whole` is true.
    pub packets: u64,
    /// Packets given to the network.
    pub given: u64,
    /// Of them, those that it has delivered.
    pub delivered: u64,
    /// Packets to their own source, which never enter the network and have become ready.
    pub self_delivered: u64,
    /// The latest cycle in which a packet became ready, of those given and those to their own source.
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

/// A packet that was given to the network, for checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceBirth {
    /// What the network calls it.
    pub packet: PacketId,
    /// What the trace calls it.
    pub id: TraceId,
    /// The cycle in which it was ready.
    pub ready: Cycle,
}

/// What a trace's workload and its owner share. The owner keeps it when the workload goes into an engine.
#[derive(Clone, Debug)]
pub struct TraceHandle(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    error: OnceLock<TraceError>,
    packets: AtomicU64,
    given: AtomicU64,
    delivered: AtomicU64,
    self_delivered: AtomicU64,
    last_ready: AtomicU32,
    whole: AtomicBool,
    births: Option<Mutex<Vec<TraceBirth>>>,
}

/// Counts are told one by one and depend on nothing else, so no order is needed.
const ALONE: Ordering = Ordering::Relaxed;

impl TraceHandle {
    /// An account of nothing yet; `keep_births`: with a list of all births.
    pub(super) fn new(keep_births: bool) -> TraceHandle {
        let births = keep_births.then(Mutex::default);
        TraceHandle(Arc::new(Shared {
            births,
            ..Shared::default()
        }))
    }

    /// What went wrong while the trace was read. No packet behind it in the trace is ever given.
    pub fn error(&self) -> Option<TraceError> {
        self.0.error.get().cloned()
    }

    /// How far it has come.
    pub fn account(&self) -> TraceAccount {
        let shared = &self.0;
        TraceAccount {
            packets: shared.packets.load(ALONE),
            given: shared.given.load(ALONE),
            delivered: shared.delivered.load(ALONE),
            self_delivered: shared.self_delivered.load(ALONE),
            last_ready: Cycle(shared.last_ready.load(ALONE)),
            whole: shared.whole.load(ALONE),
        }
    }

    /// The packets given to the network so far, in the order of giving; none unless they are kept (see
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

    /// The same, and forgets them: what was taken isn't told again.
    pub fn take_births(&self) -> Vec<TraceBirth> {
        let births = self.0.births.as_ref();
        births.map_or(Vec::new(), |births| {
            std::mem::take(&mut births.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    pub(super) fn fail(&self, error: TraceError) {
        // The first error stays: it is the cause of those after it.
        let _ = self.0.error.set(error);
    }

    pub(super) fn read_one(&self) {
        self.0.packets.fetch_add(1, ALONE);
    }

    pub(super) fn read_all(&self) {
        self.0.whole.store(true, ALONE);
    }

    pub(super) fn give(&self, birth: TraceBirth) {
        self.0.given.fetch_add(1, ALONE);
        self.0.last_ready.fetch_max(birth.ready.get(), ALONE);
        if let Some(births) = &self.0.births {
            let mut births = births.lock().unwrap_or_else(PoisonError::into_inner);
            births.push(birth);
        }
    }

    pub(super) fn deliver(&self) {
        self.0.delivered.fetch_add(1, ALONE);
    }

    pub(super) fn deliver_to_self(&self, ready: Cycle) {
        self.0.self_delivered.fetch_add(1, ALONE);
        self.0.last_ready.fetch_max(ready.get(), ALONE);
    }
}
