//! What a run will need of the host's memory, known before it is built.
//!
//! ```text
//!  configuration ──▶ cheap bound ──▶ far below what is free: nothing more is asked
//!                         │
//!                         └──▶ two small networks of the same kind, run ──▶ bytes a node ──▶ Need
//!                              under a counting allocator
//! ```
//!
//! What a node needs stands in no table: the same router, engine, observer and sources run on two small grids,
//! and what they allocate at most is drawn out to the nodes of the whole. So an array that is added
//! somewhere is counted from that day on. The small networks carry uniform traffic, with a load that fills
//! them as the whole network would be filled; nothing of their results is used.
//!
//! Memory that is reserved and never touched costs nothing (zeroed pages of nodes that no packet comes to):
//! where a run's packets may leave most nodes alone, such memory isn't counted.

mod admit;
mod bound;
mod counted;
mod host;
mod small;

pub use admit::{Together, TooMuch, admit, admit_bytes, limit_to};
pub use host::{Free, free};

use crate::config::{EngineChoice, Process, Resolved};
use crate::live::simulate_live;
use crate::machine::untouched_bytes_a_node;
use crate::simulate::simulate;
use flitwork_topology::Topology;
use std::ops::ControlFlow;

/// The program itself, its threads' stacks, tables and figures, in bytes.
pub(crate) const PROGRAM_BYTES: u64 = 14 << 20;
/// What a worker of a live run leaves unused in a heap of its own, in bytes, and how many heaps there are at
/// most: as the usual allocator of Linux does it, measured.
const WORKER_BYTES: u64 = 3 << 20;
const MOST_HEAPS: u64 = 8;
/// Nodes of the two small networks, about.
const SMALL_NODES: [u64; 2] = [256, 1024];
/// What the larger of the two may need, in bytes.
const SMALL_BYTES: u64 = 256 << 20;

/// What a run needs, in bytes. It is an estimate: what a loaded run touches lies between 0.8 and 1.5 of it
/// for the routers and engines that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it touches.
    pub bytes: u64,
    /// What it reserves beyond that.
    pub untouched_bytes: u64,
}

/// What a run can't need more than, in bytes; without building anything.
pub fn bound_bytes(resolved: &Resolved) -> u64 {
    let nodes = u64::from(resolved.network.grid.nodes());
    PROGRAM_BYTES.saturating_add(nodes.saturating_mul(bound::bytes_a_node(resolved)))
}

/// What a run needs. It takes a fraction of a second: small networks are run for it. Nothing else may run in
/// this process meanwhile.
pub fn need(resolved: &Resolved) -> Need {
    let nodes = u64::from(resolved.network.grid.nodes());
    let most = (SMALL_BYTES / bound::bytes_a_node(resolved)).max(4);
    let smalls = SMALL_NODES.map(|nodes| small::network(resolved, nodes.min(most)));
    let measured = smalls.map(|small| {
        let nodes = u64::from(small.network.grid.nodes());
        (nodes, counted::peak_bytes(|| run(&small)) as u64)
    });
    let [(few, of_few), (many, of_many)] = measured;
    let (a_node, rest) = match many > few {
        true => {
            let a_node = of_many.saturating_sub(of_few) as f64 / (many - few) as f64;
            (a_node, (of_few as f64 - a_node * few as f64).max(0.0))
        }
        false => (of_few as f64 / few as f64, 0.0),
    };
    let heaps = match resolved.run.engine {
        EngineChoice::Live => u64::from(resolved.live.workers).min(MOST_HEAPS) * WORKER_BYTES,
        _ => 0,
    };
    let all = PROGRAM_BYTES + heaps + (a_node * nodes as f64 + rest) as u64;
    let untouched_bytes = match leaves_nodes_alone(resolved) {
        true => nodes * untouched_bytes_a_node(resolved),
        false => 0,
    };
    Need {
        bytes: all.saturating_sub(untouched_bytes).max(PROGRAM_BYTES),
        untouched_bytes,
    }
}

/// Whether the packets may come to few nodes only: those of a permutation that was given, as an adversary
/// constructs it, start in a corner.
fn leaves_nodes_alone(resolved: &Resolved) -> bool {
    let pattern = &resolved.traffic.pattern;
    let all_send = pattern.permutation.is_none() && pattern.sources.is_none();
    match &resolved.traffic.process {
        Process::Trace(_) | Process::Schedule { .. } => true,
        Process::HH { packets, .. } => packets.is_some(),
        Process::Bernoulli { load } => *load == 0.0 || !all_send,
        _ => !all_send,
    }
}

fn run(small: &Resolved) {
    let control = &mut |_| ControlFlow::Continue(());
    match small.run.engine {
        // What can't be run isn't counted; the run itself tells why.
        EngineChoice::Live => drop(simulate_live(small, None, None, control)),
        _ => drop(simulate(small, control)),
    }
}
