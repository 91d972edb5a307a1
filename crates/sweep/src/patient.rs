//! Runs for as many cycles as it takes to distinguish a steady state from chance.
//!
//! Latency that moves in a run may be a warm-up that was too short, saturation, or chance: up to one steady run in a
//! hundred seems to drift. A run may have too few packets to judge by, or be no longer than its noise is correlated. As
//! long as nothing worse contradicts a steady state, the run is repeated with twice the cycles: then the warm-up ends,
//! chance evens out, packets arrive, and saturation shows as a backlog.

use flitwork_config::{Override, Resolved, RunParameters};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_results::Results;
use std::ops::ControlFlow;

/// The most times the configured cycles that a run takes.
const MOST_TIMES: u32 = 8;
const WARMUP: &str = "run.warmup_cycles";
const MEASURE: &str = "run.measure_cycles";

/// The run that decided.
pub struct Decided {
    /// Its results.
    pub results: Results,
    /// How many times the configured warm-up and measurement it took: a power of two.
    pub times_the_cycles: u32,
}

/// Whether a key sets the length of runs. If it is varied, lengths are the user's choice and aren't changed.
pub(crate) fn is_length(key: &str) -> bool {
    [WARMUP, MEASURE].contains(&key)
}

/// Runs the configuration that `resolve` returns without further overrides; if `may_wait`, for longer if that may
/// settle what contradicts a steady state. Returns nothing if `flow` stops it.
///
/// # Errors
/// An invalid configuration.
pub fn run_patiently<E>(
    resolve: impl Fn(&[Override]) -> Result<Resolved, E>,
    may_wait: bool,
    flow: impl Fn() -> ControlFlow<()>,
) -> Result<Option<Decided>, E> {
    let mut resolved = resolve(&[])?;
    let configured = resolved.run;
    let mut times_the_cycles = 1;
    loop {
        let simulated = simulate(&resolved, &mut |_| flow());
        if simulated.outcome.ended == Ended::Interrupted {
            return Ok(None);
        }
        let results = Results::new(&resolved, &simulated);
        let longer = match may_wait && times_the_cycles < MOST_TIMES && is_undecided(&results) {
            // If a run can't be that long, this one counts.
            true => resolve(&lengthened(configured, 2 * times_the_cycles)).ok(),
            false => None,
        };
        let Some(longer) = longer else {
            return Ok(Some(Decided {
                results,
                times_the_cycles,
            }));
        };
        times_the_cycles *= 2;
        resolved = longer;
    }
}

/// A multiple of the configured cycles.
fn lengthened(configured: RunParameters, times: u32) -> [Override; 2] {
    let keys = [
        (WARMUP, configured.warmup_cycles),
        (MEASURE, configured.measure_cycles),
    ];
    keys.map(|(key, cycles)| {
        let cycles = u64::from(cycles) * u64::from(times);
        Override::new(key, &cycles.to_string())
    })
}

/// Whether something other than overload contradicts a steady state.
fn is_undecided(results: &Results) -> bool {
    results.failure.is_none()
        && results
            .unsteady()
            .is_some_and(|reason| !reason.is_overload())
}

#[cfg(test)]
mod lengths;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::base;

    /// Without packets there is never enough to judge by: the run is repeated with 2, 4 and 8 times the cycles, and then
    /// counts as it is. Where lengths are the user's choice there is one run.
    #[test]
    fn a_run_takes_at_most_eight_times_the_cycles() {
        let run = |may_wait| {
            let resolve = |more: &[Override]| {
                let mut over = vec![
                    Override::new("traffic.load", "0"),
                    Override::new("run.warmup_cycles", "50"),
                    Override::new("run.measure_cycles", "100"),
                ];
                over.extend_from_slice(more);
                base().resolve(&over)
            };
            let decided = run_patiently(resolve, may_wait, || ControlFlow::Continue(()));
            decided.unwrap().unwrap()
        };
        let patient = run(true);
        assert_eq!(patient.times_the_cycles, 8);
        assert_eq!(patient.results.measured_cycles, 800);
        assert_eq!(run(false).times_the_cycles, 1);
    }
}
