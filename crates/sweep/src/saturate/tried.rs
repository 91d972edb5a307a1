//! A load that was tried: saturated or not, found out in as many cycles as that takes.

use super::Criterion;
use crate::error::Error;
use crate::patient::{Decided, run_patiently};
use crate::row::Mean;
use flitwork_config::{Override, Resolved};
use flitwork_results::Results;
use serde::Serialize;
use std::ops::ControlFlow;

/// A run at a load.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The configured load, in words a node and cycle.
    pub load: f64,
    /// Whether the network was saturated.
    pub saturated: bool,
    /// Why it was, or what else was found.
    pub reason: Option<String>,
    /// The load that the sources offered, in words a node and cycle.
    pub offered: Option<Mean>,
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
    /// The mean latency, or at overload that of the packets delivered in the window: what the criterion of
    /// latency judges by.
    #[serde(skip)]
    pub(super) judged_latency: Option<f64>,
}

impl Tried {
    /// How many runs it took.
    pub(super) fn runs(&self) -> u32 {
        self.times_the_cycles.ilog2() + 1
    }
}

/// Runs a load: the configuration that `resolve` gives with nothing more over it, patiently where saturated means
/// not steady. Nothing where `flow` breaks it off.
///
/// # Errors
/// A configuration that makes no sense.
pub(super) fn try_load(
    criterion: Criterion,
    (load, zero_load): (f64, Option<f64>),
    resolve: impl Fn(&[Override]) -> Result<Resolved, Error>,
    flow: impl Fn() -> ControlFlow<()>,
) -> Result<Option<Tried>, Error> {
    let decided = run_patiently(resolve, criterion == Criterion::Steady, flow)?;
    Ok(decided.map(
        |Decided {
             results,
             times_the_cycles,
             ..
         }| { judge(criterion, (load, times_the_cycles), zero_load, &results) },
    ))
}

/// Whether a run was saturated.
fn judge(
    criterion: Criterion,
    (configured, times): (f64, u32),
    zero_load: Option<f64>,
    results: &Results,
) -> Tried {
    let unsteady = results.unsteady();
    let latency = results.latency.mean.as_ref().and_then(Mean::of);
    let overloaded = unsteady.is_some_and(|reason| reason.is_overload());
    let failed = results.failure.as_ref().map(|failure| failure.kind.name());
    let judged_latency = results.latency.mean_or_window().map(|it| it.mean);
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
        Criterion::Steady => results.is_saturated(),
        Criterion::Latency(_) => slow.is_some() || overloaded,
    };
    let load = results.load.as_ref();
    Tried {
        load: configured,
        saturated,
        reason: failed
            .map(str::to_owned)
            .or(slow)
            .or(unsteady.map(|reason| reason.to_string())),
        offered: load.and_then(|load| Mean::of(&load.offered)),
        accepted: load.and_then(|load| Mean::of(&load.accepted)),
        latency,
        judged_latency,
        times_the_cycles: times,
        failed: failed.is_some(),
        digest: results.digest.clone(),
    }
}
