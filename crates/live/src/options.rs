//! How a live run is set up on the host.

use flitwork_types::{Cycle, NodeId};

/// What nodes run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// Worker threads that own a part of the nodes each, with crossbeam channels between them.
    Threads,
    /// A tokio task per node, with tokio's channels between them.
    Tokio,
}

flitwork_schema::named!(Runtime { Threads = "threads", Tokio = "tokio" });

impl Runtime {
    /// The default of `burst_cycles`: switching between tasks costs more than a worker's round over its nodes.
    pub fn usual_burst_cycles(self) -> u32 {
        match self {
            Runtime::Threads => 1,
            Runtime::Tokio => 8,
        }
    }
}

/// How a live run is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What nodes run on.
    pub runtime: Runtime,
    /// How many cycles a node may run ahead of a neighbour's current cycle; `None`: any number.
    pub slack: Option<u32>,
    /// Threads; with as many as nodes, each node has its own.
    pub workers: usize,
    /// Messages that a link's channel holds, at least the link's latency plus one.
    pub channel_capacity: usize,
    /// Cycles that a node may run in a row in its turn, at least 1.
    pub burst_cycles: u32,
    /// Whether workers are pinned to cores.
    pub pinning: bool,
    /// A fault to rehearse.
    pub rehearsal: Option<Rehearsal>,
}

/// A fault that is triggered on purpose, to see how the run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rehearsal {
    /// What happens.
    pub kind: RehearsalKind,
    /// Where.
    pub node: NodeId,
    /// When, by the node's own count.
    pub cycle: Cycle,
}

/// What a rehearsed fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RehearsalKind {
    /// The node panics.
    Panic,
    /// The channels into the node close.
    Close,
    /// The worker (or task) that runs the node ends without a word.
    Die,
}
