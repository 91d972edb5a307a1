//! What breaks a live run.

use flitwork_types::{Cycle, NodeId, Port};
use std::cell::Cell;

/// Why a live run was aborted, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node} in its cycle {cycle}: {cause}")]
pub struct NodeFault {
    /// The node.
    pub node: NodeId,
    /// Its current cycle, by its own count.
    pub cycle: Cycle,
    /// What happened.
    pub cause: Cause,
}

/// What breaks a live run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The node panicked with this message.
    #[error("panic: {0}")]
    Panic(String),
    /// The channel of a link has closed at its far end.
    #[error("the channel behind port {} to node {far} closed at its far end", .port.0)]
    Closed {
        /// The node's port of the link.
        port: Port,
        /// The node at the far end.
        far: NodeId,
    },
    /// The worker that ran the node is gone.
    #[error("{0}")]
    Lost(String),
    /// The record cannot be written.
    #[error("the record can't be written: {0}")]
    Record(String),
}

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread is caught and turned into a [`NodeFault`], so that a panic hook has nothing to do.
pub fn panics_are_contained() -> bool {
    CONTAINED.get()
}

/// Runs `work`; catches a panic in it and returns its message.
pub(crate) fn contain<A>(work: impl FnOnce() -> A) -> Result<A, String> {
    let before = CONTAINED.replace(true);
    // Whatever the panic leaves broken is only inspected afterwards.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    CONTAINED.set(before);
    result.map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| payload.downcast_ref::<String>().cloned());
        message.unwrap_or_else(|| "without a message".into())
    })
}
