//! How a live run is set up on the host.

use flitwork_types::{Cycle, NodeId};

/// What nodes run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// Worker threads that own a part of the nodes each, with crossbeam channels between them.
    Threads,
    /// A tokio task a node, with tokio's channels between them.
    Tokio,
}

impl Runtime {
    /// Its name, as in configurations and records.
    pub const fn name(self) -> &'static str {
        match self {
            Runtime::Threads => "threads",
            Runtime::Tokio => "tokio",
        }
    }
}

/// How a live run is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What nodes run on.
    pub runtime: Runtime,
    /// A node begins no cycle further than this ahead of the one a neighbour is in; `None`: any cycle.
    pub slack: Option<u32>,
    /// Threads; as many as nodes makes one thread a node.
    pub workers: usize,
    /// Messages that a link's channel holds, at least the link's latency and one more.
    pub channel_capacity: usize,
    /// Cycles that a node may run in a row when its turn comes, at least 1.
    pub burst_cycles: u32,
    /// Whether workers are pinned to cores.
    pub pinning: bool,
    /// A fault to be rehearsed.
    pub rehearsal: Option<Rehearsal>,
}

/// A fault that is set off on purpose, to see what becomes of the run.
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
