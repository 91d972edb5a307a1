//! The throughput that links allow, beside what a run accepts.

use flitwork_config::{EngineChoice, Resolved};
use flitwork_experiment::load::{Basis, pattern_load};
use flitwork_topology::Topology;
use std::ops::ControlFlow;

/// The throughput that the busiest link allows under the traffic's pattern and the routing function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ideal {
    /// Words per terminal and cycle, mean over all terminals, as the accepted load is.
    pub throughput: f64,
    /// What the load of links is based on.
    pub basis: Basis,
    /// The most that a link carries if each terminal that sends sends a word a cycle, in words per cycle.
    pub busiest: f64,
}

/// One head of a packet is followed for so many cycles of a node, at the most: about a hundredth of what these take.
const CYCLES_A_HEAD: u64 = 32;

impl Ideal {
    /// That of an open loop, where it takes next to nothing beside the run; not where nodes have clocks of their own.
    pub(crate) fn of(resolved: &Resolved) -> Option<Ideal> {
        let is_open = resolved.traffic.process.is_open_loop();
        if !is_open || resolved.run.engine == EngineChoice::Clocked {
            return None;
        }
        let run = &resolved.run;
        let cycles = u64::from(run.warmup_cycles) + u64::from(run.measure_cycles);
        let node_cycles = u64::from(resolved.network.shape.nodes()).saturating_mul(cycles);
        let allowed = node_cycles / CYCLES_A_HEAD;
        let on = &mut |_, _| ControlFlow::Continue(());
        let found = pattern_load(resolved, allowed, on).ok()?;
        Some(Ideal {
            throughput: found.mean_throughput(),
            basis: found.load.basis,
            busiest: found.load.busiest,
        })
    }
}
