//! How much of the host's memory a run will need, known before its network is built.
//!
//! ```text
//!  configuration ──▶ cheap bound ──▶ far below what is free: no measurement
//!                         │
//!                         └──▶ two small networks of the same kind, run ──▶ bytes a node ──▶ Need
//!                              under a counting allocator
//! ```
//!
//! No table lists what a node needs: the same router, engine, observer and sources run on two small grids, and their
//! peak allocations are extrapolated to all nodes. What a router makes of its packets' paths before the run grows with
//! their hops, which the router counts itself. So an array that somebody adds somewhere is counted from then on.
//! The small networks carry uniform traffic, at a load that fills them as the whole network would be filled; their
//! results are discarded.
//!
//! Memory that is reserved and never touched costs nothing (zeroed pages of nodes that no packet visits): where a
//! run's packets may leave most nodes untouched, such memory is not counted.

mod admit;
mod beside;
mod bound;
mod counted;
mod host;
mod plan;
mod scaled_down;
#[cfg(test)]
mod tests;

pub use admit::{Together, TooMuch, admit, admit_bytes, admit_with, limit_to};
pub use beside::Beside;
pub use host::{Free, free};

use crate::hardware::untouched_bytes_a_node;
use crate::live::simulate_live_with;
use crate::simulate::simulate_with;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_topology::Topology;
use std::ops::ControlFlow;

/// The program itself, its threads' stacks, tables and figures, in bytes.
pub const PROGRAM_BYTES: u64 = 14 << 20;
/// Bytes that a worker of a live run leaves unused in its own heap, and the most heaps that there are: measured
/// with the default allocator of Linux.
const HEAP_BYTES: u64 = 3 << 20;
const MOST_HEAPS: u64 = 8;
/// Bytes of each further worker, with its stack.
const WORKER_BYTES: u64 = 128 << 10;
/// Bytes of a batch reply waiting to be sent: a cycle and a node.
const WAITING_BYTES: u64 = 8;
/// Approximate node counts of the two small networks.
const SMALL_NODES: [u64; 2] = [256, 1024];
/// The most bytes that the larger of the two may need.
const SMALL_BYTES: u64 = 256 << 20;
/// Cycles of all terminals of a network that is only run to say what a router takes.
const SHOWN_TERMINAL_CYCLES: u32 = 1 << 18;
/// The least cycles of such a run: packets have come over a link or two.
const LEAST_SHOWN_CYCLES: u32 = 8;

/// Bytes that a run needs. This is an estimate: with the built-in routers and engines it is 0.8 to 1.5 times what a
/// loaded run touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it touches.
    pub bytes: u64,
    /// What it reserves beyond that.
    pub untouched_bytes: u64,
}

/// An upper bound on the bytes that a run needs, computed without building anything.
fn bound_bytes(resolved: &Resolved, beside: Beside) -> u64 {
    let nodes = u64::from(resolved.network.nodes());
    let a_node = bound::bytes_a_node(resolved);
    let copies = if beside.packets.is_some() { 2 } else { 1 };
    PROGRAM_BYTES
        .saturating_add(nodes.saturating_mul(a_node).saturating_mul(copies))
        .saturating_add(plan::bytes(resolved).most)
        .saturating_add(resolved.clocks.delays.bytes())
        .saturating_add(beside.bytes(resolved))
}

/// What a run needs. This runs small networks and takes a fraction of a second; nothing else may run in this
/// process meanwhile.
fn need(resolved: &Resolved, beside: Beside) -> Need {
    let nodes = u64::from(resolved.network.nodes());
    let (a_node, rest) = measured(resolved, beside, scaled_down::CYCLES);
    // What is only needed to make the plan is free again when the run begins.
    let plan = plan::bytes(resolved);
    let of_run = ((a_node * nodes as f64 + rest) as u64).saturating_add(plan.kept);
    let all = PROGRAM_BYTES
        .saturating_add(of_run.max(plan.most))
        .saturating_add(of_workers(resolved))
        .saturating_add(waiting_bytes(resolved))
        .saturating_add(resolved.clocks.delays.bytes())
        .saturating_add(beside.bytes(resolved));
    let untouched_bytes = match may_leave_nodes_untouched(resolved) {
        true => nodes * untouched_bytes_a_node(resolved),
        false => 0,
    };
    Need {
        bytes: all.saturating_sub(untouched_bytes).max(PROGRAM_BYTES),
        untouched_bytes,
    }
}

/// Bytes that a router takes, with its links, its sources and what is observed of it, once packets are under way: what [`admit`]
/// counts for each. A graph is run whole, for the fewer cycles the larger it is.
pub fn bytes_a_router(resolved: &Resolved) -> u64 {
    let shape = &resolved.network.shape;
    let at_a_time = match shape.plain_grid() {
        Some(_) => shape.nodes().min(SMALL_NODES[1] as u32),
        None => shape.nodes().max(shape.terminals()),
    };
    let cycles = SHOWN_TERMINAL_CYCLES / at_a_time;
    let cycles = cycles.clamp(LEAST_SHOWN_CYCLES, scaled_down::CYCLES);
    measured(resolved, Beside::default(), cycles).0 as u64
}

/// Bytes that each node takes, and bytes that don't depend on their number, in a run of so many cycles.
fn measured(resolved: &Resolved, beside: Beside, cycles: u32) -> (f64, f64) {
    let most = (SMALL_BYTES / bound::bytes_a_node(resolved)).max(4);
    let small = |nodes: u64| scaled_down::network(resolved, nodes.min(most), cycles);
    let of = |small: &Resolved| {
        let bytes = counted::peak_bytes(|| run(small, beside)) as u64;
        bytes.saturating_sub(plan::bytes(small).kept)
    };
    let [smaller, larger] = SMALL_NODES.map(small);
    let [few, many] = [&smaller, &larger].map(|it| u64::from(it.network.nodes()));
    let of_few = of(&smaller);
    if many <= few {
        return (of_few as f64 / few as f64, 0.0);
    }
    let a_node = of(&larger).saturating_sub(of_few) as f64 / (many - few) as f64;
    (a_node, (of_few as f64 - a_node * few as f64).max(0.0))
}

/// Bytes that the workers of a live run take for themselves.
fn of_workers(resolved: &Resolved) -> u64 {
    match resolved.run.engine {
        EngineChoice::Live => {
            let workers = resolved.live.workers as u64;
            workers.min(MOST_HEAPS) * HEAP_BYTES + workers * WORKER_BYTES
        }
        _ => 0,
    }
}

/// Bytes that pile up in the sources beyond what a short run shows.
fn waiting_bytes(resolved: &Resolved) -> u64 {
    let process = &resolved.traffic.process;
    let waiting = process.packets_gathered(resolved.run.deadline_cycles, scaled_down::CYCLES);
    u64::from(resolved.network.nodes()) * u64::from(waiting) * WAITING_BYTES
}

/// Whether the packets may visit only a few nodes: those of a listed permutation, such as an adversary
/// constructs, start in a corner.
fn may_leave_nodes_untouched(resolved: &Resolved) -> bool {
    let pattern = resolved.traffic.pattern.may_leave_nodes_untouched();
    resolved.traffic.process.may_leave_nodes_untouched(pattern)
}

fn run(small: &Resolved, beside: Beside) {
    let control = &mut |_| ControlFlow::Continue(());
    let (file, extras) = beside.trial_probes(small);
    match small.run.engine {
        // A network that cannot run is not measured; the run itself reports why.
        EngineChoice::Live => drop(simulate_live_with(small, None, extras, control)),
        _ => drop(simulate_with(small, extras, control)),
    }
    drop(file);
}
