//! How long the steps of self-timed nodes took, beside the longest that there may be.

use flitwork_config::Resolved;
use flitwork_observe::Observation;

/// The steps of all self-timed nodes that began in the window and took time: in each of them something was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTimes {
    /// How many there were.
    pub steps: u64,
    /// Their mean, in ps; `None` without any.
    pub mean_ps: Option<f64>,
    /// The most that a step of any node may take by its delays, in ps, as long as arbiters decide at once: the period of
    /// a clock that waits for the slowest.
    pub worst_ps: u64,
}

impl StepTimes {
    /// Those of a run; `None` if no node is self-timed.
    pub(super) fn of(resolved: &Resolved, seen: &Observation) -> Option<StepTimes> {
        let worst_ps = resolved.longest_step_ps()?;
        let clocking = seen.clocking?;
        let steps = clocking.steps;
        Some(StepTimes {
            steps,
            mean_ps: (steps > 0).then(|| clocking.steps_ps as f64 / steps as f64),
            worst_ps,
        })
    }

    /// The mean as a part of the most.
    pub fn of_worst(&self) -> Option<f64> {
        self.mean_ps.map(|mean_ps| mean_ps / self.worst_ps as f64)
    }
}
