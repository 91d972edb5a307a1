//! Which engine drives a configuration's network: the one place where it is chosen.

use crate::around::RouterContext;
use flitwork_config::EngineChoice;
pub(crate) use flitwork_debug::Use;
use flitwork_machine::{FastDriven, Start, Stepping, Usual};
use flitwork_network::Demand;
use flitwork_node::{AnyProbe, Probe, Reported};

/// The network on the engine that its configuration asks for, driven in the fastest way that the use, the demand and the
/// probe allow. The live engine's is the plain one, whose events equal those of a live run in lockstep: nothing here
/// depends on the host's timing.
pub(crate) fn chosen(
    around: &RouterContext<'_>,
    usage: Use,
    demand: &Demand,
    probe: &AnyProbe,
) -> Start {
    match fast(around, usage, demand, probe) {
        Some(fast) => fast.start,
        None => around.words().on(stepping(around)),
    }
}

/// The same, compiled for the usual probe, where the engine is.
pub(crate) fn chosen_usual(
    around: &RouterContext<'_>,
    demand: &Demand,
    probe: &Usual,
) -> Option<Start<Usual>> {
    fast(around, Use::Events, demand, probe)?.start_usual
}

fn stepping(around: &RouterContext<'_>) -> Stepping {
    let resolved = around.resolved();
    match resolved.run.engine {
        EngineChoice::Sync | EngineChoice::SyncStepped => Stepping::EventDriven,
        EngineChoice::SyncPlain | EngineChoice::Live => Stepping::Plain(resolved.run.seed),
        EngineChoice::Clocked => Stepping::Clocked(Box::new(resolved.clocks()), resolved.run.seed),
    }
}

fn fast(
    around: &RouterContext<'_>,
    usage: Use,
    demand: &Demand,
    probe: &impl Probe,
) -> Option<FastDriven> {
    // Details are reported only where words move one by one; words also where they are posted. Whoever moves whole packets
    // has no words to count in its buffers.
    let engine = around.resolved().run.engine;
    if engine != EngineChoice::Sync || usage == Use::Views || probe.wants(Reported::Details) {
        return None;
    }
    let timestamps = match demand.workload.foresees() && !probe.wants(Reported::Words) {
        true => around.timestamps(),
        false => None,
    };
    timestamps.or_else(|| around.mail())
}
