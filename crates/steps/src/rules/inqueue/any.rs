//! Inqueue disciplines of any type.

use super::{Fixed, Incoming, Inqueue};
use flitwork_types::{NodeId, Port};
use std::fmt;
use std::sync::Arc;

/// A discipline of any type.
#[derive(Clone)]
pub struct AnyInqueue(Arc<dyn Object>);

trait Object: fmt::Debug + Send + Sync {
    fn begin(&self, node: NodeId) -> u64;
    fn rank(&self, state: u64, offer: &Incoming) -> u64;
    fn has_state(&self) -> bool;
    fn came(&self, state: u64, through: &mut dyn Iterator<Item = Port>) -> u64;
}

impl<I: Inqueue> Object for I {
    fn begin(&self, node: NodeId) -> u64 {
        Inqueue::begin(self, node)
    }

    fn rank(&self, state: u64, offer: &Incoming) -> u64 {
        Inqueue::rank(self, state, offer)
    }

    fn has_state(&self) -> bool {
        Inqueue::has_state(self)
    }

    fn came(&self, state: u64, through: &mut dyn Iterator<Item = Port>) -> u64 {
        Inqueue::came(self, state, through)
    }
}

impl AnyInqueue {
    /// A discipline.
    pub fn of(inqueue: impl Inqueue) -> AnyInqueue {
        AnyInqueue(Arc::new(inqueue))
    }
}

impl Default for AnyInqueue {
    fn default() -> AnyInqueue {
        AnyInqueue::of(Fixed)
    }
}

impl fmt::Debug for AnyInqueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Inqueue for AnyInqueue {
    fn begin(&self, node: NodeId) -> u64 {
        self.0.begin(node)
    }

    fn rank(&self, state: u64, offer: &Incoming) -> u64 {
        self.0.rank(state, offer)
    }

    fn has_state(&self) -> bool {
        self.0.has_state()
    }

    fn came(&self, state: u64, through: &mut dyn Iterator<Item = Port>) -> u64 {
        self.0.came(state, through)
    }
}
