//! How a live run is set up on the host.

use flitwork_schema::{Datum, Field, Value};
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

/// Cycles by which a node may lead a neighbour's current cycle; `None` for any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack(pub Option<u32>);

impl Slack {
    /// The name of unlimited slack in configurations.
    pub const ANY: &'static str = "none";
}

impl Field for Slack {
    fn set(&mut self, value: &Value) {
        self.0 = match value.datum {
            Datum::Text(_) => None,
            _ => {
                let mut cycles = 0;
                Field::set(&mut cycles, value);
                Some(cycles)
            }
        };
    }

    fn get(&self) -> Option<Datum> {
        match &self.0 {
            Some(cycles) => cycles.get(),
            None => Some(Datum::text(Slack::ANY)),
        }
    }
}

/// How a live run is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What nodes run on.
    pub runtime: Runtime,
    /// How far a node may lead a neighbour.
    pub slack: Slack,
    /// Threads; with as many as nodes, each node has its own.
    pub workers: usize,
    /// Messages that a link's channel holds each way, at least the latency of the longest link plus one.
    pub channel_capacity: usize,
    /// Cycles that a node may run in a row in its turn, at least 1.
    pub burst_cycles: u32,
    /// Whether workers are pinned to cores.
    pub pinning: bool,
    /// A fault to rehearse.
    pub rehearsal: Option<Rehearsal>,
}

impl Options {
    /// The defaults for links the longest of which takes this many cycles.
    pub fn new(longest_link_cycles: u32) -> Options {
        Options {
            runtime: Runtime::Threads,
            slack: Slack(Some(4)),
            workers: 2,
            channel_capacity: (2 * (longest_link_cycles as usize + 1)).max(64),
            burst_cycles: Runtime::Threads.usual_burst_cycles(),
            pinning: false,
            rehearsal: None,
        }
    }
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
