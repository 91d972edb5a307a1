//! Runs a configuration.

#[cfg(test)]
mod observed;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod topologies;

use crate::around::around;
use crate::chosen::{Use, chosen, chosen_usual};
use crate::extras::{Extras, Together};
use crate::overload::review;
pub use crate::window::{last_cycle, window};
use crate::workload::prepare_for;
pub use crate::workload::{Prepared, demand, prepare};
use flitwork_config::{EngineChoice, Resolved};
pub use flitwork_engine::Progress;
use flitwork_engine::{Control, Ended, Outcome, ticks_between};
pub use flitwork_machine::Finished;
use flitwork_machine::{Usual, run};
use flitwork_network::Demand;
use flitwork_node::{AnyProbe, Probe, Wait};
use flitwork_observe::{Observation, Observer};
use flitwork_trace::Digest;
use flitwork_traffic::TraceError;
use flitwork_types::Cycle;
use std::time::Duration;

/// The outcome of a configuration's run.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// What was observed.
    pub observation: Observation,
    /// The digest of all events.
    pub digest: Digest,
    /// The first cycle that was not simulated; every engine gives the same.
    pub cycles: Cycle,
    /// How it ended.
    pub outcome: Outcome,
    /// What the packets still in the network wait for.
    pub waits: Vec<Wait>,
    /// Host time of the run.
    pub elapsed: Duration,
    /// The error that ended the trace early, if there is a trace.
    pub trace_error: Option<TraceError>,
}

/// Runs a configuration to its end, or until the control stops it. For the live engine there is
/// [`crate::live::simulate_live_with`].
pub fn simulate(resolved: &Resolved, control: Control<'_>) -> Simulated {
    simulate_with(resolved, Extras::default(), control).0
}

/// The same with extra probes, which it returns.
pub fn simulate_with(
    resolved: &Resolved,
    extras: Extras,
    control: Control<'_>,
) -> (Simulated, Extras) {
    let Prepared { mut demand, trace } = prepare_for(resolved, &extras);
    // A run that leaves packets behind takes more at its end.
    demand.reports_waits = !extras.is_trial;
    let extras = match resolved.run.engine {
        EngineChoice::Clocked => extras.of_clocks(resolved.clocks.period_ps),
        _ => extras,
    };
    let mut observer = observer(resolved);
    if resolved.run.stop_at_overload {
        let (ledger, review) = review(resolved);
        observer = observer.with_ledger(ledger);
        demand.review = Some(review);
    }
    let usual = (Digest::default(), observer);
    // Probes that aren't there cost nothing.
    let (finished, extras) = match extras.are_none() {
        true => (execute_usual(resolved, demand, usual, control), extras),
        false => {
            let mut kept = Extras::default();
            let together = execute(resolved, demand, Together { usual, extras }, control);
            let finished = together.map_probe(|Together { usual, extras }| {
                kept = extras;
                usual
            });
            (finished, kept)
        }
    };
    let simulated = Simulated {
        trace_error: trace.and_then(|trace| trace.error()),
        ..conclude(resolved, finished)
    };
    (simulated, extras)
}

/// Runs another demand than the configuration's own, such as one whose sources fall silent early, under the usual probe.
pub fn simulate_demand(resolved: &Resolved, demand: Demand, control: Control<'_>) -> Simulated {
    let usual = (Digest::default(), observer(resolved));
    conclude(resolved, execute_usual(resolved, demand, usual, control))
}

/// An observer of a configuration's run.
pub(crate) fn observer(resolved: &Resolved) -> Observer {
    let latency = resolved.network.link_latency_cycles;
    let observer = Observer::new(resolved.network.shape.clone(), latency, window(resolved));
    let observer = match resolved.run.engine {
        EngineChoice::Clocked => observer.of_clocks(resolved.clocks.period_ps),
        _ => observer,
    };
    match resolved.router.facts().words_travel_alone {
        true => observer.of_lone_words(),
        false => observer,
    }
}

/// The outcome of a finished run.
pub(crate) fn conclude(resolved: &Resolved, finished: Finished<Usual>) -> Simulated {
    let (digest, observer) = finished.probe;
    // Once nothing is left, engines stop at different cycles; the last delivery is the same on all.
    let last = observer.after_last_delivery();
    let open_loop = resolved.traffic.process.is_open_loop();
    let end = match finished.outcome.ended {
        // An open-loop run that ended early had nothing to do in the rest of its window.
        Ended::Empty if open_loop => last.max(window(resolved).end()),
        Ended::Empty => last,
        _ => finished.outcome.cycle,
    };
    let mut observation = observer.finish(end);
    let is_empty = finished.outcome.ended == Ended::Empty;
    if let Some(clocking) = observation.clocking.as_mut().filter(|_| is_empty) {
        // Clocks tick on while nothing is left to do.
        let window = window(resolved);
        let (from, to) = (finished.outcome.cycle + 1, end.min(window.end()));
        let from = from.max(window.start());
        if from < to {
            let idle = ticks_between(&resolved.clocks(), from, to);
            clocking.clock_ticks += idle;
            clocking.idle_clock_ticks += idle;
        }
    }
    Simulated {
        observation,
        cycles: end,
        digest,
        outcome: finished.outcome,
        waits: finished.waits,
        elapsed: finished.elapsed,
        trace_error: None,
    }
}

/// Runs a demand on a configuration's network and deterministic engine under a probe. A configuration for the
/// live engine runs on the plain one, whose events equal those of a live run in lockstep: nothing here depends
/// on the host's timing.
pub fn execute<P: Probe + Send + 'static>(
    resolved: &Resolved,
    demand: Demand,
    probe: P,
    control: Control<'_>,
) -> Finished<P> {
    let (around, probe) = (around(resolved), AnyProbe::new(probe));
    let start = chosen(&around, Use::Events, &demand, &probe);
    run(start, demand, probe, control).map_probe(AnyProbe::into_probe)
}

/// The same for the usual probe, for which one engine is compiled.
fn execute_usual(
    resolved: &Resolved,
    demand: Demand,
    probe: Usual,
    control: Control<'_>,
) -> Finished<Usual> {
    match chosen_usual(&around(resolved), &demand, &probe) {
        Some(start) => run(start, demand, probe, control),
        None => execute(resolved, demand, probe, control),
    }
}
