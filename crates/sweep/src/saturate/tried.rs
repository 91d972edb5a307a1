//! Tries a load: saturated or not, decided in as many cycles as that takes.

use super::Criterion;
use crate::error::Error;
use crate::figures::Figures;
use crate::patient::run_patiently;
use flitwork_config::{Override, Resolved};
use flitwork_results::Results;
use std::ops::ControlFlow;

/// A run at a load; `columns.rs` says what is what.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    pub(crate) load: f64,
    pub(crate) saturated: bool,
    pub(crate) reason: Option<String>,
    pub(crate) figures: Figures,
    pub(crate) times_the_cycles: u32,
    pub(crate) failed: bool,
    /// What the criterion of latency judges by: the mean latency, or at overload that of the packets delivered in
    /// the window; in ps where nodes have clocks of their own, otherwise in cycles.
    pub(super) judged_latency: Option<f64>,
}

impl Tried {
    /// How many runs it took.
    pub(super) fn runs(&self) -> u32 {
        self.times_the_cycles.ilog2() + 1
    }
}

/// Runs a load: the configuration that `resolve` returns without further overrides, patiently where saturated means
/// not steady. Returns nothing if `flow` stops it.
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
    Ok(decided.map(|it| {
        let configured = (load, it.times_the_cycles);
        judge(criterion, configured, zero_load, &it.results)
    }))
}

/// Whether a run was saturated.
fn judge(
    criterion: Criterion,
    (configured, times): (f64, u32),
    zero_load: Option<f64>,
    results: &Results,
) -> Tried {
    let unsteady = results.unsteady();
    let overloaded = unsteady.is_some_and(|reason| reason.is_overload());
    let failed = results.failure.is_some();
    let (latency, unit) = match &results.exact {
        Some(exact) => (&exact.latency, "ps"),
        None => (&results.latency, "cycles"),
    };
    let judged_latency = latency.mean_or_window().map(|it| it.mean);
    let slow = match (criterion, judged_latency, zero_load) {
        (Criterion::Latency(factor), Some(latency), Some(zero_load)) => {
            let times = latency / zero_load;
            (times > factor)
                .then(|| format!("latency {latency:.2} {unit}, {times:.2} times zero-load latency"))
        }
        _ => None,
    };
    let saturated = match criterion {
        _ if failed => true,
        Criterion::Steady => results.is_saturated(),
        Criterion::Latency(_) => slow.is_some() || overloaded,
    };
    Tried {
        load: configured,
        saturated,
        // A failure, where there is one, explains it whatever the criterion.
        reason: slow.filter(|_| !failed).or_else(|| results.reason()),
        figures: Figures::of(results),
        judged_latency,
        times_the_cycles: times,
        failed,
    }
}

#[cfg(test)]
mod tests;
