//! A run in as many cycles as it takes to tell a steady state from chance.
//!
//! Latency that moves in a run may be a warm-up that was too short, saturation, or chance: about one steady run
//! in a hundred seems to drift. A run may have too few packets to judge by. As long as nothing graver speaks
//! against a steady state, the run is repeated with twice the cycles: warm-up and chance then pass, packets arrive,
//! and saturation shows as a backlog.

use flitwork_config::{Override, Resolved, RunParameters};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_results::Results;
use std::ops::ControlFlow;

/// How many times the configured cycles a run gets at most.
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

/// Whether a key sets the length of runs, which the user then chooses, so that it must stay as it is.
pub(crate) fn is_length(key: &str) -> bool {
    [WARMUP, MEASURE].contains(&key)
}

/// Runs the configuration that `resolve` returns without further overrides, and for longer where a longer run may
/// settle what speaks against a steady state, and `may_wait` allows it. Returns nothing if `flow` stops it.
///
/// # Errors
/// A configuration that makes no sense.
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

/// Whether something other than overload speaks against a steady state.
fn is_undecided(results: &Results) -> bool {
    results.failure.is_none()
        && results
            .unsteady()
            .is_some_and(|reason| !reason.is_overload())
}
