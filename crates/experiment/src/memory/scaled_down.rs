//! A small network of the same kind as a large one.

use crate::hardware::needs_packets;
use crate::window::last_cycle;
use flitwork_config::{ClockParameters, Domains, FaultPlan, Resolved, Stepping};
use flitwork_topology::{Graph, Grid, Shape, Topology};
use flitwork_traffic::{AnyPattern, OnceParameters, PermutationParameters, Uniform};

/// The shortest side to cut to: below it a torus has fewer links per node.
const SHORTEST_SIDE: u32 = 4;
/// Cycles of a run that fills the buffers.
pub(super) const CYCLES: u32 = 400;

/// The same configuration on a grid of about that many nodes, or on its graph, for a run of so many cycles: [`CYCLES`] are just enough
/// to show what is allocated. Its packets go anywhere, whatever the configuration's pattern.
pub(super) fn network(resolved: &Resolved, nodes: u64, cycles: u32) -> Resolved {
    let whole = &resolved.network.shape;
    let mut small = resolved.clone();
    // A graph has no smaller version of itself.
    if let Some(grid) = whole.plain_grid() {
        small.network.reshape(cut(grid, nodes));
    }
    if small.faults.faults.is_some() {
        let graph = Graph::copy_of(&small.network.shape);
        small.network.shape = graph.map_or_else(|_| resolved.intact().clone(), Shape::from);
        small.faults = FaultPlan::default();
        small.traffic.resend_after_cycles = None;
    }
    // As many packets per node as in the whole network: its paths are longer, but there are never more packets
    // under way than the sources have made by the last cycle.
    let hops = |shape: &Shape| f64::from(shape.diameter_hops().max(1));
    let most = f64::from(last_cycle(resolved).get()) / hops(&small.network.shape);
    let longer = (hops(whole) / hops(&small.network.shape)).min(most.max(1.0));
    let cycles = cycles.min(last_cycle(resolved).get()).max(2);
    if whole.plain_grid().is_some() {
        small.router = small.router.scaled_down();
    }
    let is_at_once = needs_packets(&small);
    small.traffic.pattern = match is_at_once {
        // A generated schedule takes one packet per source and destination.
        true => AnyPattern::from(PermutationParameters::default()),
        false => AnyPattern::from(Uniform::default()),
    };
    small.traffic.process = match is_at_once {
        true => OnceParameters { packets: 1 }.into(),
        // As much in flight per node: nothing but the kind of traffic is known here.
        false => resolved.traffic.process.scaled_down(longer, CYCLES),
    };
    small.clocks = clocks(&resolved.clocks);
    let run = &mut small.run;
    if small.traffic.process.is_open_loop() {
        run.warmup_cycles = cycles / 2;
        run.measure_cycles = cycles - cycles / 2;
        run.drain_cycles = 0;
        run.stop_at_overload = resolved.run.stop_at_overload;
    } else {
        run.warmup_cycles = 0;
        run.measure_cycles = 0;
        run.drain_cycles = 0;
    }
    run.deadline_cycles = cycles;
    small
}

/// Shortens the longest sides until few nodes are left.
fn cut(whole: &Grid, nodes: u64) -> Grid {
    let mut sides = whole.sides();
    let product = |sides: &[u32]| sides.iter().map(|side| u64::from(*side)).product::<u64>();
    while product(&sides) > nodes {
        let longest = sides.iter_mut().max();
        match longest.filter(|side| **side > SHORTEST_SIDE) {
            // By an eighth at a time, so that the product ends near the target.
            Some(side) => *side = (*side - side.div_ceil(8)).max(SHORTEST_SIDE),
            None => break,
        }
    }
    let grid = match whole.wraps() {
        true => Grid::torus(&sides),
        false => Grid::mesh(&sides),
    };
    grid.unwrap_or_else(|_| whole.clone())
}

/// The same clocks, except those of named nodes.
fn clocks(whole: &ClockParameters) -> ClockParameters {
    let mut clocks = whole.clone();
    clocks.islands.clear();
    clocks.delays = clocks.delays.scaled_down();
    clocks.changes.clear();
    if let Stepping::Oscillators(oscillators) = &mut clocks.stepping
        && oscillators.domains == Domains::Blocks
    {
        (oscillators.domains, oscillators.block_sides) = (Domains::Node, None);
    }
    clocks
}
