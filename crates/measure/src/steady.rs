//! Whether a run had settled when it was measured.
//!
//! A mean latency is meaningful only in the steady state: the warm-up is over, the network accepts what the
//! sources make, and nothing drifts. [`findings`] checks a run against five rules, each stated above the
//! function that applies it, and [`SteadyState::of`] returns the gravest finding. At overload the answer is
//! always "not steady": the latency then measures how long one waited before looking.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::estimate::{two_sided_significance, two_sided_t};
use crate::fit::Line;
use crate::{BatchMeans, Distrust, Estimate};

/// Differences smaller than this share aren't worth a verdict, however significant.
const MATERIAL: f64 = 0.01;

/// The significance below which a drift isn't attributed to chance.
const TREND_SIGNIFICANCE: f64 = 0.01;

/// The confidence at which a warm-up's effect is distinguished from scatter.
const LEVEL: f64 = 0.95;

/// What a verdict is based on.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Latencies of the packets delivered in the window, by the cycle of delivery.
    pub latency: &'a BatchMeans,
    /// What the sources made in the window, in any unit of load.
    pub offered: Estimate,
    /// What was delivered in the window, in the same unit.
    pub accepted: Estimate,
    /// Packets waiting at their sources when the window began.
    pub backlog_at_start_packets: u64,
    /// Packets waiting at their sources when the window ended.
    pub backlog_at_end_packets: u64,
}

/// Whether a run was in its steady state while it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteadyState {
    /// No rule contradicts it.
    Steady,
    /// It was not, or that can't be determined.
    NotSteady {
        /// The gravest reason.
        reason: Reason,
    },
}

/// Why a run isn't known to have been in its steady state, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub enum Reason {
    /// The network delivers less than it is offered.
    Overload {
        /// The load offered, in the caller's unit.
        offered: f64,
        /// The load accepted, in the same unit.
        accepted: f64,
    },
    /// More and more packets wait at their sources.
    BacklogGrows {
        /// Packets waiting when the window began.
        from_packets: u64,
        /// Packets waiting when it ended.
        to_packets: u64,
    },
    /// There aren't enough observations to judge by.
    TooFewObservations {
        /// How many observations the poorest batch has.
        observations: u64,
        /// How many it should have.
        needed: u64,
    },
    /// The first part of the window is still warm-up.
    WarmUpTooShort {
        /// The cycle, counted from the run's start, at which measurement should begin.
        suggested_cycles: u64,
        /// Whether that is the window's end: most of it is warm-up, and a later cycle may be needed.
        is_whole_window: bool,
    },
    /// Latency rises or falls through the whole window.
    Trend {
        /// The change of the mean latency in 1,000 cycles, in cycles.
        slope_per_1000_cycles: f64,
        /// How often chance alone would show such a slope (two-sided t test).
        significance: f64,
    },
}

impl SteadyState {
    /// The gravest of the [`findings`].
    pub fn of(observed: &Observed<'_>) -> SteadyState {
        match findings(observed).first() {
            None => SteadyState::Steady,
            Some(&reason) => SteadyState::NotSteady { reason },
        }
    }

    /// Why it isn't known to have been steady.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            SteadyState::Steady => None,
            SteadyState::NotSteady { reason } => Some(*reason),
        }
    }

    /// Whether no rule contradicts the steady state.
    pub fn is_steady(&self) -> bool {
        *self == SteadyState::Steady
    }
}

impl fmt::Display for SteadyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SteadyState::Steady => write!(f, "steady"),
            SteadyState::NotSteady { reason } => write!(f, "not steady: {reason}"),
        }
    }
}

impl Reason {
    /// Whether the network delivers less than it is offered.
    pub fn is_overload(&self) -> bool {
        matches!(self, Reason::Overload { .. } | Reason::BacklogGrows { .. })
    }

    /// Whether latency drifts, which may be chance: about one steady run in a hundred seems to drift.
    pub fn is_moving(&self) -> bool {
        matches!(self, Reason::WarmUpTooShort { .. } | Reason::Trend { .. })
    }

    /// The violated rule, in a few words.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Overload { .. } => "overload",
            Reason::BacklogGrows { .. } => "growing backlog",
            Reason::TooFewObservations { .. } => "too few observations",
            Reason::WarmUpTooShort { .. } => "warm-up too short",
            Reason::Trend { .. } => "latency drifts",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Overload { offered, accepted } => {
                write!(
                    f,
                    "overload: {accepted:.4} accepted of {offered:.4} offered"
                )
            }
            Reason::BacklogGrows {
                from_packets,
                to_packets,
            } => {
                write!(
                    f,
                    "the sources' backlog grew from {from_packets} to {to_packets} packets"
                )
            }
            Reason::TooFewObservations {
                observations,
                needed,
            } => {
                write!(
                    f,
                    "a batch has {observations} observations, of {needed} needed: measure longer"
                )
            }
            Reason::WarmUpTooShort {
                suggested_cycles,
                is_whole_window: false,
            } => {
                write!(
                    f,
                    "the warm-up was too short: measure from cycle {suggested_cycles} on"
                )
            }
            // Nothing of this window is left: a longer run is needed.
            Reason::WarmUpTooShort {
                suggested_cycles,
                is_whole_window: true,
            } => {
                write!(
                    f,
                    "the warm-up was too short: this window may be all of it; warm up for \
                     {suggested_cycles} cycles or more and measure after that"
                )
            }
            Reason::Trend {
                slope_per_1000_cycles,
                significance,
            } => write!(
                f,
                "latency drifts by {slope_per_1000_cycles:+.3} cycles in 1000 cycles \
                 (significance {significance:.1e})"
            ),
        }
    }
}

/// All violations of the steady state, gravest first. The rules about the course of latency are applied only
/// if every batch has enough observations.
pub fn findings(observed: &Observed<'_>) -> Vec<Reason> {
    let mut found = Vec::new();
    found.extend(overload(observed));
    found.extend(backlog(observed));
    let too_few = too_few(observed.latency);
    if too_few.is_none() {
        found.extend(warm_up(observed.latency));
        found.extend(trend(observed.latency));
    }
    found.extend(too_few);
    found
}

// Rule: what is accepted must not fall short of what is offered by more than a hundredth of it and more than
// both measurements' errors together (they add in squares, as for independent means; Law, Simulation Modeling
// and Analysis, section 10.2). An unknown interval counts as 0: then only the hundredth decides.
fn overload(observed: &Observed<'_>) -> Option<Reason> {
    let (offered, accepted) = (observed.offered, observed.accepted);
    let error = offered
        .half_width
        .unwrap_or(0.0)
        .hypot(accepted.half_width.unwrap_or(0.0));
    let behind = offered.mean - accepted.mean;
    (behind > error && behind > MATERIAL * offered.mean).then_some(Reason::Overload {
        offered: offered.mean,
        accepted: accepted.mean,
    })
}

// Rule: the sources' backlog must not grow by more than a hundredth of what was delivered meanwhile, and by
// more than three times the square root of both backlogs together (their error if they were Poisson counts).
// What is offered and not accepted is either in the network, which is bounded, or here: this is the rule
// above from the other side, and detects overload if the loads' errors are wide.
fn backlog(observed: &Observed<'_>) -> Option<Reason> {
    let (from_packets, to_packets) = (
        observed.backlog_at_start_packets,
        observed.backlog_at_end_packets,
    );
    let growth = to_packets.saturating_sub(from_packets) as f64;
    let chance = 3.0 * (from_packets as f64 + to_packets as f64).sqrt();
    let material = MATERIAL * observed.latency.observations() as f64;
    (growth > chance && growth > material).then_some(Reason::BacklogGrows {
        from_packets,
        to_packets,
    })
}

// Rule: every batch has its minimum of observations (see `Distrust`).
fn too_few(latency: &BatchMeans) -> Option<Reason> {
    match latency.distrust()? {
        Distrust::TooFewObservations { needed, .. } => {
            let observations = latency.batch_observations().min().unwrap_or(0);
            Some(Reason::TooFewObservations {
                observations,
                needed,
            })
        }
        Distrust::OneBatch => Some(Reason::TooFewObservations {
            observations: latency.observations(),
            needed: 2 * crate::MIN_OBSERVATIONS_PER_BATCH,
        }),
        Distrust::Correlated { .. } => None,
    }
}

// Rule: MSER (White, "An effective truncation heuristic for bias reduction in simulation output", Simulation
// 69, 1997; over means of groups as in MSER-5: White, Cobb and Spratt, Winter Simulation Conference 2000).
// Among all numbers d of groups to drop at the front, take the one whose remainder has the least Σ (x -
// mean)² / (k - d)², the squared error of the remainder's mean. The warm-up was too short if dropping the d
// groups changes the mean by more than the remainder's own confidence interval: MSER alone also drops a few
// groups of pure noise. If d is beyond the first half, the rest is too short to show where the warm-up ends
// (White's rule), and the whole window is suspect.
fn warm_up(latency: &BatchMeans) -> Option<Reason> {
    let means: Vec<f64> = latency.fine_means().flatten().collect();
    let cut = mser(&means)?;
    let rest = &means[cut..];
    let (whole_mean, (rest_mean, rest_squares)) = (spread(&means).0, spread(rest));
    let error = (rest_squares / (rest.len() - 1) as f64 / rest.len() as f64).sqrt();
    let half_width = two_sided_t(rest.len() - 1, LEVEL) * error;
    let bias = (whole_mean - rest_mean).abs();
    // Below that share it is rounding.
    if cut == 0 || bias <= half_width || bias <= 1e-9 * rest_mean.abs() {
        return None;
    }
    let window = latency.window();
    let cycles = u64::from(window.cycles());
    let is_whole_window = 2 * cut > means.len();
    let cut_cycles = if is_whole_window {
        cycles
    } else {
        (cut as u64 * cycles).div_ceil(means.len() as u64)
    };
    Some(Reason::WarmUpTooShort {
        suggested_cycles: u64::from(window.start().get()) + cut_cycles,
        is_whole_window,
    })
}

/// How many of `means` to drop at the front. The last quarter always stays: a short tail that happens to be
/// calm would win (Hoad, Robinson and Davies, "Automating warm-up length estimation", 2010, leave out the
/// last points for this reason). `None` if the remainder has no scatter.
fn mser(means: &[f64]) -> Option<usize> {
    let last = means.len() * 3 / 4;
    let error = |cut: usize| spread(&means[cut..]).1 / ((means.len() - cut) as f64).powi(2);
    (0..=last)
        .filter(|&cut| means.len() - cut >= 2)
        .map(|cut| (cut, error(cut)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(cut, _)| cut)
}

/// The mean, and the sum of squared distances from it.
fn spread(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (
        mean,
        values.iter().map(|value| (value - mean).powi(2)).sum(),
    )
}

// Rule: a straight line through the batch means over time must not have a slope that chance would produce
// less than once in a hundred times (t test of a regression's slope, batches - 2 degrees of freedom; the
// batch means are nearly independent, Law, section 9.5.3) and that changes the mean by more than a hundredth
// over the window.
fn trend(latency: &BatchMeans) -> Option<Reason> {
    let batches = latency.batches();
    let batch_cycles = f64::from(latency.window().cycles()) / batches as f64;
    let points: Vec<(f64, f64)> = latency
        .batch_means()
        .enumerate()
        .filter_map(|(batch, mean)| Some(((batch as f64 + 0.5) * batch_cycles, mean?)))
        .collect();
    let freedom = points
        .len()
        .checked_sub(2)
        .filter(|&freedom| freedom >= 1)?;
    let line = Line::fit(&points).ok()?;
    let gain = line.slope * f64::from(latency.window().cycles());
    if gain.abs() <= MATERIAL * latency.mean()?.abs() {
        return None;
    }
    let times: Vec<f64> = points.iter().map(|(time, _)| *time).collect();
    let residual: f64 = points
        .iter()
        .map(|(time, mean)| (mean - line.at(*time)).powi(2))
        .sum();
    let slope_error = (residual / freedom as f64 / spread(&times).1).sqrt();
    let significance = if slope_error > 0.0 {
        two_sided_significance(freedom, line.slope / slope_error)
    } else {
        0.0
    };
    (significance < TREND_SIGNIFICANCE).then_some(Reason::Trend {
        slope_per_1000_cycles: 1000.0 * line.slope,
        significance,
    })
}

#[cfg(test)]
mod tests;
