//! Where a run stands, for messages about what it breaks.

use flitwork_types::{Cycle, NodeId};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Before the first step.
const NOWHERE: u64 = u64::MAX;

/// The node that is stepped, and its cycle. All copies stand at the same place; a panic doesn't spoil them.
#[derive(Clone, Debug)]
pub(crate) struct Stand(Arc<AtomicU64>);

impl Stand {
    /// A run that has not begun.
    pub(crate) fn new() -> Stand {
        Stand(Arc::new(AtomicU64::new(NOWHERE)))
    }

    /// Another run begins.
    pub(crate) fn reset(&self) {
        self.0.store(NOWHERE, Ordering::Relaxed);
    }

    /// A node is in its local cycle.
    pub(crate) fn set(&self, node: NodeId, cycle: Cycle) {
        let place = u64::from(node.0) << 32 | u64::from(cycle.get());
        self.0.store(place, Ordering::Relaxed);
    }
}

impl fmt::Display for Stand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.load(Ordering::Relaxed) {
            NOWHERE => f.write_str("before the first step"),
            place => write!(f, "node {}, cycle {}", place >> 32, place as u32),
        }
    }
}
