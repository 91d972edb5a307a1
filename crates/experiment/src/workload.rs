//! The sources of a configuration.

use crate::extras::Extras;
use crate::window::window;
use flitwork_config::{Resolved, open_packets};
use flitwork_network::{Again, Demand, Refusing};
use flitwork_router::scheduled::Route;
use flitwork_topology::Topology;
use flitwork_traffic::{Lengths, ReadySources, RunContext, StaticPacket, TraceHandle, Workload};
use flitwork_types::Cycle;

/// A demand, and the handle of the trace that it comes from.
pub struct Prepared {
    /// The demand.
    pub demand: Demand,
    /// The handle of the trace, if the sources follow one.
    pub trace: Option<TraceHandle>,
}

/// What the sources make, and until when. Open-loop sources stop at the end of the measurement; the packets that
/// they have made by then may enter the network during the drain, and the network has as long again to empty.
pub fn demand(resolved: &Resolved) -> Demand {
    prepare(resolved).demand
}

/// The same with the handle of the trace.
pub fn prepare(resolved: &Resolved) -> Prepared {
    prepare_for(resolved, &Extras::default())
}

/// The same; the extras of the run may ask for the trace's packet ids.
pub(crate) fn prepare_for(resolved: &Resolved, extras: &Extras) -> Prepared {
    let run = &resolved.run;
    let ReadySources { workload, trace } = sources(resolved);
    if let Some(trace) = &trace {
        let index = extras.index.as_ref().map(|index| &index.packets);
        extras
            .packets
            .iter()
            .chain(index)
            .for_each(|packets| packets.follow(trace));
    }
    let workload = failing(resolved, workload);
    let demand = if resolved.traffic.process.is_open_loop() {
        let inject_until = window(resolved).end() + run.drain_cycles;
        Demand {
            inject_until,
            is_task: false,
            ..Demand::until(workload, inject_until + run.drain_cycles)
        }
    } else {
        Demand::until(workload, Cycle(run.deadline_cycles))
    };
    Prepared { demand, trace }
}

/// The same traffic where links fail: sources refuse what finds no way, and may send again what is lost.
fn failing(resolved: &Resolved, mut workload: Box<dyn Workload>) -> Box<dyn Workload> {
    if let Some(cycles) = resolved.traffic.resend_after_cycles {
        workload = Box::new(Again::new(workload, cycles));
    }
    match &resolved.faults.faults {
        Some(faults) => Box::new(Refusing::new(workload, faults.clone())),
        None => workload,
    }
}

/// The sources. Whatever can be wrong with them was refused with the configuration.
fn sources(resolved: &Resolved) -> ReadySources {
    let context = RunContext {
        topology: &resolved.network.shape,
        seed: resolved.run.seed,
        until: window(resolved).end(),
        lengths: lengths(resolved),
        pattern: &resolved.traffic.pattern,
        open: open_packets,
        scheduled: &|| scheduled(resolved),
    };
    resolved.traffic.process.sources(&context)
}

/// The packets of the router's schedule.
fn scheduled(resolved: &Resolved) -> Vec<StaticPacket> {
    let shape = &resolved.network.shape;
    let packet = |route: &Route| {
        let mut hops = route.path.iter();
        let end = hops.try_fold(route.source, |node, hop| shape.neighbour(node, hop.port))?;
        let source = shape.terminal_at(route.source, shape.local())?;
        let destination = shape.terminal_at(end, shape.local())?;
        Some((source, destination, route.words))
    };
    let packet = |route: &Route| packet(route).expect("a schedule that was checked");
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
