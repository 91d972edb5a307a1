//! A load that was tried: saturated or not, found out in as many cycles as that takes.

use super::Criterion;
use crate::error::Error;
use crate::row::Mean;
use flitwork_engine::Ended;
use flitwork_experiment::config::{Override, Resolved, RunParameters};
use flitwork_experiment::report::Results;
use flitwork_experiment::simulate::simulate;
use flitwork_measure::Reason;
use serde::Serialize;
use std::ops::ControlFlow;

/// How many times the configured cycles a load gets at most.
const MOST_TIMES: u32 = 8;

/// A run at a load.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The configured load, in words a node and cycle.
    pub load: f64,
    /// Whether the network was saturated.
    pub saturated: bool,
    /// Why it was, or what else was found.
    pub reason: Option<String>,
    /// The accepted load, in words a node and cycle.
    pub accepted: Option<Mean>,
    /// The mean latency, in cycles.
    pub latency: Option<Mean>,
    /// How many times the configured warm-up and measurement the run that decided took: a power of two.
    pub times_the_cycles: u32,
    /// Whether packets could not be delivered.
    pub failed: bool,
    /// The digest of all events.
    pub digest: String,
    /// The mean latency, or that of the transient where the run wasn't steady: what the criterion of latency
    /// judges by.
    #[serde(skip)]
    pub(super) judged_latency: Option<f64>,
}

impl Tried {
    /// How many runs it took.
    pub(super) fn runs(&self) -> u32 {
        self.times_the_cycles.ilog2() + 1
    }
}

/// Runs a load: the configuration that `resolve` gives with nothing more over it. As long as the run's latency
/// still moves and nothing else speaks of saturation, it is run again in twice the cycles: a warm-up that was
/// too short, and chance, then pass, and saturation shows itself by a backlog. Nothing where `flow` breaks it off.
///
/// # Errors
/// A configuration that makes no sense.
pub(super) fn try_load(
    criterion: Criterion,
    (load, zero_load): (f64, Option<f64>),
    resolve: impl Fn(&[Override]) -> Result<Resolved, Error>,
    flow: impl Fn() -> ControlFlow<()>,
) -> Result<Option<Tried>, Error> {
    let mut resolved = resolve(&[])?;
    let configured = resolved.run;
    let mut times = 1;
    loop {
        let simulated = simulate(&resolved, &mut |_| flow());
        if simulated.outcome.ended == Ended::Interrupted {
            return Ok(None);
        }
        let results = Results::new(&resolved, &simulated);
        let tried = judge(criterion, (load, times), zero_load, &results);
        if times == MOST_TIMES || !is_undecided(criterion, &results) {
            return Ok(Some(tried));
        }
        times *= 2;
        // Where a run can't be as long as that, the last one stands.
        match resolve(&lengthened(configured, times)) {
            Ok(longer) => resolved = longer,
            Err(_) => return Ok(Some(tried)),
        }
    }
}

/// So many times the cycles that are configured.
fn lengthened(configured: RunParameters, times: u32) -> [Override; 2] {
    let keys = [
        ("run.warmup_cycles", configured.warmup_cycles),
        ("run.measure_cycles", configured.measure_cycles),
    ];
    keys.map(|(key, cycles)| {
        let cycles = u64::from(cycles) * u64::from(times);
        Override::new(key, &cycles.to_string())
    })
}

/// Whether latency moved, and that is all that is known against a steady state.
fn is_undecided(criterion: Criterion, results: &Results) -> bool {
    let moves = matches!(
        reason(results),
        Some(Reason::WarmUpTooShort { .. } | Reason::Trend { .. })
    );
    criterion == Criterion::Steady && results.failure.is_none() && moves
}

/// What speaks against a steady state.
fn reason(results: &Results) -> Option<Reason> {
    results.steady.and_then(|steady| steady.reason())
}

/// Whether a run was saturated.
fn judge(
    criterion: Criterion,
    (load, times): (f64, u32),
    zero_load: Option<f64>,
    results: &Results,
) -> Tried {
    let unsteady = reason(results);
    let latency = results.latency.mean.as_ref().and_then(Mean::of);
    let overloaded = matches!(
        unsteady,
        Some(Reason::Overload { .. } | Reason::BacklogGrows { .. })
    );
    let few = matches!(unsteady, Some(Reason::TooFewObservations { .. }));
    let failed = results.failure.as_ref().map(|failure| failure.kind.name());
    let judged_latency = results.latency.mean_or_transient().map(|it| it.mean);
    let slow = match (criterion, judged_latency, zero_load) {
        (Criterion::Latency(factor), Some(latency), Some(zero_load)) => {
            let times = latency / zero_load;
            (times > factor)
                .then(|| format!("latency {latency:.2} cycles, {times:.2} times zero-load latency"))
        }
        _ => None,
    };
    let saturated = match criterion {
        _ if failed.is_some() => true,
        Criterion::Steady => unsteady.is_some() && !few,
        Criterion::Latency(_) => slow.is_some() || overloaded,
    };
    Tried {
        load,
        saturated,
        reason: failed
            .map(str::to_owned)
            .or(slow)
            .or(unsteady.map(|reason| reason.to_string())),
        accepted: results
            .load
            .as_ref()
            .and_then(|load| Mean::of(&load.accepted)),
        latency,
        judged_latency,
        times_the_cycles: times,
        failed: failed.is_some(),
        digest: results.digest.clone(),
    }
}
