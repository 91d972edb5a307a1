//! What a configuration's sources make.

use crate::config::{Process, Resolved, TraceParameters};
use crate::extras::Extras;
use crate::simulate::window;
use flitwork_network::Load;
use flitwork_router::scheduled::Route;
use flitwork_topology::Topology;
use flitwork_traffic::{
    Batch, Bernoulli, Lengths, Modulated, OnOff, Once, OpenLoop, Phases, TraceError, TraceHandle,
    TraceOptions, TraceWorkload, Workload, at_once, build_pattern, h_h, k_k,
};
use flitwork_types::{Cycle, NodeId};

/// What is to be sent, and what tells of the trace that it comes from.
pub struct Prepared {
    /// The load.
    pub load: Load,
    /// Where the sources follow a trace.
    pub trace: Option<TraceHandle>,
}

/// What the sources make, and until when. Open-loop sources stop with the measurement; what they have
/// made by then may enter the network during the drain, and the network has as long again to empty.
pub fn load(resolved: &Resolved) -> Load {
    prepare(resolved).load
}

/// The same with what tells of the trace.
pub fn prepare(resolved: &Resolved) -> Prepared {
    prepare_for(resolved, &Extras::default())
}

/// The same, where the extras of the run want to know what a trace calls its packets.
pub(crate) fn prepare_for(resolved: &Resolved, extras: &Extras) -> Prepared {
    let run = &resolved.run;
    let (workload, trace) = workload(resolved, extras.packets.is_some());
    if let (Some(packets), Some(trace)) = (&extras.packets, &trace) {
        packets.follow(trace);
    }
    let load = if resolved.traffic.process.is_open_loop() {
        let inject_until = window(resolved).end() + run.drain_cycles;
        Load {
            workload,
            inject_until,
            end: inject_until + run.drain_cycles,
            review: None,
            is_task: false,
        }
    } else {
        Load::until(workload, Cycle(run.deadline_cycles))
    };
    Prepared { load, trace }
}

/// The sources. All that can be wrong about them has been refused with the configuration.
fn workload(resolved: &Resolved, keep_births: bool) -> (Box<dyn Workload>, Option<TraceHandle>) {
    const CHECKED: &str = "a resolved configuration's traffic";
    let (seed, nodes) = (resolved.run.seed, resolved.network.nodes());
    let traffic = &resolved.traffic;
    let lengths = lengths(resolved);
    let mean_words = lengths.mean_words();
    let sources: Box<dyn Workload> = match &traffic.process {
        Process::Trace(trace) => {
            let traced = traced(resolved, trace, keep_births).unwrap_or_else(TraceWorkload::broken);
            let handle = traced.handle();
            return (Box::new(traced), Some(handle));
        }
        Process::Bernoulli { load } => {
            let (rate, until) = (load / mean_words, window(resolved).end());
            let sources = Bernoulli::new(pattern(resolved), rate, until, seed, nodes);
            Box::new(sources.expect(CHECKED).with_lengths(lengths))
        }
        Process::OnOff(bursts) => {
            Box::new(OnOff::new(bursts, open_loop(resolved, lengths)).expect(CHECKED))
        }
        Process::Modulated(chain) => {
            Box::new(Modulated::new(chain, open_loop(resolved, lengths)).expect(CHECKED))
        }
        Process::Phases(phases) => {
            let (grid, until) = (resolved.network.grid(), window(resolved).end());
            Box::new(Phases::new(phases, grid, lengths, until, seed).expect(CHECKED))
        }
        Process::Once { packets } => {
            let pattern = pattern(resolved);
            let sources = at_once(*packets, pattern.as_ref(), &lengths, seed, nodes);
            Box::new(sources.expect(CHECKED))
        }
        Process::KK { k } => Box::new(k_k(*k, &lengths, seed, nodes).expect(CHECKED)),
        Process::HH { h, packets } => {
            Box::new(h_h(*h, *packets, &lengths, seed, nodes).expect(CHECKED))
        }
        Process::Schedule { .. } => Box::new(Once::of_packets(scheduled(resolved))),
        Process::Batch(batch) => {
            let sources = Batch::new(*batch, pattern(resolved), seed, nodes);
            Box::new(sources.expect(CHECKED))
        }
    };
    (sources, None)
}

/// The packets of the router's schedule.
fn scheduled(resolved: &Resolved) -> Vec<(NodeId, NodeId, u16)> {
    let grid = resolved.network.grid();
    let end = |route: &Route| {
        let mut ports = route.path.iter();
        let end = ports.try_fold(route.source, |node, port| grid.neighbour(node, *port));
        end.expect("a schedule that was checked on this network")
    };
    let packet = |route: &Route| (route.source, end(route), route.words);
    let routes = resolved.router.packets().unwrap_or_default();
    routes.iter().map(packet).collect()
}

fn lengths(resolved: &Resolved) -> Lengths {
    match resolved.router.fixed_words() {
        Some(words) => Lengths::fixed(words),
        None => Lengths::new(&resolved.traffic.lengths)
            .unwrap_or_else(|error| panic!("a resolved configuration's lengths: {error}")),
    }
}

fn pattern(resolved: &Resolved) -> Box<dyn flitwork_traffic::Pattern> {
    build_pattern(&resolved.traffic.pattern, resolved.network.grid())
        .unwrap_or_else(|error| panic!("a resolved configuration's pattern: {error}"))
}

fn open_loop(resolved: &Resolved, lengths: Lengths) -> OpenLoop {
    OpenLoop {
        pattern: pattern(resolved),
        lengths,
        until: window(resolved).end(),
        seed: resolved.run.seed,
        nodes: resolved.network.nodes(),
    }
}

/// A trace may have changed or gone since it was read first.
fn traced(
    resolved: &Resolved,
    trace: &TraceParameters,
    keep_births: bool,
) -> Result<TraceWorkload, TraceError> {
    let reader = trace.reader()?;
    let nodes = reader.nodes();
    let map = trace.node_map(nodes, resolved.network.grid());
    let Ok(map) = map else {
        return Err(TraceError::changed(nodes));
    };
    let options = TraceOptions {
        obey_dependencies: trace.dependencies,
        window_packets: trace.window_packets as usize,
        keep_births,
    };
    let workload = TraceWorkload::new(reader, map, options)?;
    Ok(match &trace.summary {
        Some(summary) => workload.with_summary(summary),
        None => workload,
    })
}
