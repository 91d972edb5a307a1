//! Inqueue disciplines of any type.

use super::{Fixed, Incoming, Inqueue};
use flitwork_types::{NodeId, Port};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What a node keeps for a discipline of any type.
pub struct AnyState(Box<dyn State>);

trait State: Any + fmt::Debug + Send {
    fn copy(&self) -> AnyState;
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<S: Clone + fmt::Debug + PartialEq + Send + 'static> State for S {
    fn copy(&self) -> AnyState {
        AnyState(Box::new(self.clone()))
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

impl Clone for AnyState {
    fn clone(&self) -> AnyState {
        (*self.0).copy()
    }
}

impl PartialEq for AnyState {
    fn eq(&self, other: &AnyState) -> bool {
        (*self.0).equals(&*other.0)
    }
}

impl fmt::Debug for AnyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self.0).fmt(f)
    }
}

/// A discipline of any type.
#[derive(Clone)]
pub struct AnyInqueue(Arc<dyn Object>);

trait Object: Any + fmt::Debug + Send + Sync {
    fn begin(&self, node: NodeId) -> AnyState;
    fn rank(&self, state: &AnyState, offer: &Incoming) -> u64;
    fn came(&self, state: &mut AnyState, through: &mut dyn Iterator<Item = Port>);
}

const OTHERS: &str = "a state that the discipline has made";

impl<I: Inqueue> Object for I {
    fn begin(&self, node: NodeId) -> AnyState {
        AnyState(Box::new(Inqueue::begin(self, node)))
    }

    fn rank(&self, state: &AnyState, offer: &Incoming) -> u64 {
        let state: &dyn Any = &*state.0;
        Inqueue::rank(self, state.downcast_ref().expect(OTHERS), offer)
    }

    fn came(&self, state: &mut AnyState, through: &mut dyn Iterator<Item = Port>) {
        let state: &mut dyn Any = &mut *state.0;
        Inqueue::came(self, state.downcast_mut().expect(OTHERS), through);
    }
}

impl AnyInqueue {
    /// A discipline.
    pub fn of(inqueue: impl Inqueue) -> AnyInqueue {
        AnyInqueue(Arc::new(inqueue))
    }

    /// The discipline, if it is of this type.
    pub fn get<I: Inqueue>(&self) -> Option<&I> {
        let inqueue: &dyn Any = &*self.0;
        inqueue.downcast_ref()
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
    type State = AnyState;
    const HAS_STATE: bool = true;

    fn begin(&self, node: NodeId) -> AnyState {
        self.0.begin(node)
    }

    fn rank(&self, state: &AnyState, offer: &Incoming) -> u64 {
        self.0.rank(state, offer)
    }

    fn came(&self, state: &mut AnyState, through: &mut dyn Iterator<Item = Port>) {
        self.0.came(state, through);
    }
}
