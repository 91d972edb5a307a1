//! What synchronizers did that may fail.

use flitwork_config::Resolved;
use flitwork_observe::{Observation, Synchronizers};

/// Seconds in a picosecond.
const SECONDS_PER_PS: f64 = 1e-12;

/// What the synchronizers of all crossings did in the window.
#[derive(Clone, Debug, PartialEq)]
pub struct SynchronizerUse {
    /// What they sampled.
    pub sampled: Synchronizers,
    /// The mean time between failures of any of them, in seconds of simulated time, by the formula; `None` where nothing
    /// came, or it is longer than a number can say.
    pub mean_time_between_failures_seconds: Option<f64>,
}

impl SynchronizerUse {
    pub(super) fn of(
        sampled: Synchronizers,
        resolved: &Resolved,
        seen: &Observation,
    ) -> SynchronizerUse {
        let window_ps = f64::from(seen.measured_cycles) * resolved.clocks.period_ps as f64;
        let mean = window_ps * SECONDS_PER_PS / sampled.failures_expected.sum();
        SynchronizerUse {
            sampled,
            mean_time_between_failures_seconds: Some(mean).filter(|mean| mean.is_finite()),
        }
    }

    /// In words: what came, and how it went.
    pub(super) fn in_words(&self) -> String {
        let Synchronizers {
            arrivals,
            undecided,
            failures,
            ..
        } = &self.sampled;
        format!("{arrivals} arrivals, {undecided} left undecided, {failures} failures")
    }

    /// The mean time between failures in words.
    pub(super) fn mean_in_words(&self) -> Option<String> {
        match self.mean_time_between_failures_seconds {
            Some(mean) => Some(format!("{mean:.3e} s between failures, mean")),
            None if self.sampled.arrivals > 0 => {
                Some("longer than 1e300 s between failures".into())
            }
            None => None,
        }
    }
}
