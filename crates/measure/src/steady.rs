//! Whether a run had settled when it was measured.
//!
//! A mean latency is meaningful only in the steady state: the warm-up is over, the network accepts what the
//! sources make, and nothing drifts. [`findings`] checks a run against six rules, each stated above the
//! function that applies it, and [`SteadyState::of`] returns the gravest finding. Of a run that was interrupted in its window
//! too little may have been measured for most of them. At overload the answer is
//! always "not steady": the latency then measures how long one waited before looking. A run that is steady is called
//! otherwise less than once in a hundred times, however long its noise is correlated.

use std::fmt;

use flitwork_types::Cycle;
use schemars::JsonSchema;
use serde::Serialize;

use crate::course::{Course, MIN_PIECES, Shape};
use crate::estimate::{two_sided_normal, two_sided_t};
use crate::fit::Line;
use crate::{BatchMeans, Distrust, Estimate};

/// Differences smaller than this share aren't worth a verdict, however significant.
const MATERIAL: f64 = 0.01;

/// The name of the rule that asks for a longer window.
pub const WINDOW_TOO_SHORT: &str = "window too short";

/// The names of the rules that say of no run that it isn't steady.
pub const UNDECIDED: [&str; 2] = [WINDOW_TOO_SHORT, WINDOW_CUT_SHORT];
const WINDOW_CUT_SHORT: &str = "window cut short";

/// What may be left of a warm-up when measurement begins.
const SETTLED: f64 = 0.001;

/// The confidence at which overload is distinguished from chance.
const LEVEL: f64 = 0.99;

/// The whole batches by which an interrupted run is judged like others: the least that Schmeiser advises (see
/// `batch_means`), and half of a window of 20.
const ENOUGH_BATCHES: usize = 10;

/// By how much of what was delivered the backlog grows at overload, in whatever short part of a window.
const GROWTH_IN_A_PART: f64 = 0.5;

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
    /// Packets waiting at their sources when the window ended, or the run in it.
    pub backlog_at_end_packets: u64,
    /// The cycle before which the run was interrupted, if it was.
    pub interrupted_at: Option<Cycle>,
}

/// Whether a run was in its steady state while it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteadyState {
    /// No rule contradicts it.
    Steady,
    /// It was not, or there are too few observations to judge by.
    NotSteady {
        /// The gravest reason.
        reason: Reason,
    },
    /// What was measured of the window is too short to tell: nothing contradicts it, and nothing could.
    Unknown {
        /// How much too short.
        reason: Reason,
    },
}

/// Why a run isn't known to have been in its steady state, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, thiserror::Error)]
pub enum Reason {
    /// The network delivers less than it is offered.
    #[error("overload: {accepted:.4} accepted of {offered:.4} offered")]
    Overload {
        /// The load offered, in the caller's unit.
        offered: f64,
        /// The load accepted, in the same unit.
        accepted: f64,
    },
    /// More and more packets wait at their sources.
    #[error("the sources' backlog grew from {from_packets} to {to_packets} packets")]
    BacklogGrows {
        /// Packets waiting when the window began.
        from_packets: u64,
        /// Packets waiting when it ended.
        to_packets: u64,
    },
    /// There aren't enough observations to judge by.
    #[error("a batch has {observations} observations, of {needed} needed: measure longer")]
    TooFewObservations {
        /// How many observations the poorest batch has.
        observations: u64,
        /// How many it should have.
        needed: u64,
    },
    /// The first part of the window is still warm-up.
    #[error("the warm-up was too short: {}", remedy(*suggested_cycles, *is_whole_window))]
    WarmUpTooShort {
        /// The cycle, counted from the run's start, at which measurement should begin.
        suggested_cycles: u64,
        /// Whether that is the window's end: most of it is warm-up, and a later cycle may be needed.
        is_whole_window: bool,
    },
    /// Latency rises or falls through the whole window.
    #[error(
        "latency drifts by {slope_per_1000_cycles:+.3} cycles in 1000 cycles (significance {significance:.1e})"
    )]
    Trend {
        /// The change of the mean latency in 1,000 cycles, in cycles.
        slope_per_1000_cycles: f64,
        /// How often chance alone would fit a line so much better than none (likelihood ratio).
        significance: f64,
    },
    /// The window isn't long compared with the time over which latency is correlated.
    #[error(
        "the window is too short to tell: latency is correlated over about {relaxation_cycles} cycles; measure for \
         {needed_cycles} or more"
    )]
    WindowTooShort {
        /// The time after which latency has forgotten most of its past, as far as the window shows it.
        relaxation_cycles: u64,
        /// How long the window should be.
        needed_cycles: u64,
    },
    /// The run was interrupted, or aborted by a fault, before enough of the window was measured.
    #[error(
        "the window was cut short: {measured_cycles} of its {window_cycles} cycles were measured, and \
         {needed_cycles} are needed to tell"
    )]
    WindowCutShort {
        /// How many cycles of the window were measured.
        measured_cycles: u64,
        /// How many it has.
        window_cycles: u64,
        /// How many would have been enough.
        needed_cycles: u64,
    },
}

impl SteadyState {
    /// The gravest of the [`findings`].
    pub fn of(observed: &Observed<'_>) -> SteadyState {
        match findings(observed).first() {
            None => SteadyState::Steady,
            Some(&reason) if reason.is_undecided() => SteadyState::Unknown { reason },
            Some(&reason) => SteadyState::NotSteady { reason },
        }
    }

    /// Why it isn't known to have been steady.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            SteadyState::Steady => None,
            SteadyState::NotSteady { reason } | SteadyState::Unknown { reason } => Some(*reason),
        }
    }

    /// Whether it was steady; `None` if what was measured is too short to tell.
    pub fn known(&self) -> Option<bool> {
        match self {
            SteadyState::Steady => Some(true),
            SteadyState::NotSteady { .. } => Some(false),
            SteadyState::Unknown { .. } => None,
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
            SteadyState::Unknown { reason } => write!(f, "not known: {reason}"),
        }
    }
}

impl Reason {
    /// Whether the network delivers less than it is offered.
    pub fn is_overload(&self) -> bool {
        matches!(self, Reason::Overload { .. } | Reason::BacklogGrows { .. })
    }

    /// Whether it leaves open whether the network was in its steady state.
    pub fn is_undecided(&self) -> bool {
        UNDECIDED.contains(&self.name())
    }

    /// The violated rule, in a few words.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Overload { .. } => "overload",
            Reason::BacklogGrows { .. } => "growing backlog",
            Reason::TooFewObservations { .. } => "too few observations",
            Reason::WarmUpTooShort { .. } => "warm-up too short",
            Reason::Trend { .. } => "latency drifts",
            Reason::WindowTooShort { .. } => WINDOW_TOO_SHORT,
            Reason::WindowCutShort { .. } => WINDOW_CUT_SHORT,
        }
    }
}

/// What helps against a warm-up that was too short.
fn remedy(suggested_cycles: u64, is_whole_window: bool) -> String {
    match is_whole_window {
        false => format!("measure from cycle {suggested_cycles} on"),
        // Nothing of this window is left: a longer run is needed.
        true => format!(
            "this window may be all of it; warm up for {suggested_cycles} cycles or more and measure after that"
        ),
    }
}

/// All violations of the steady state, gravest first. The rules about the course of latency are applied only
/// if every batch has enough observations. An interrupted run is judged by the batches that were complete by then: by all
/// rules if they are enough, and else by those about overload.
pub fn findings(observed: &Observed<'_>) -> Vec<Reason> {
    let complete = observed
        .interrupted_at
        .map(|at| observed.latency.before(at));
    let latency = complete.as_ref().unwrap_or(observed.latency);
    let interrupted = interrupted(observed, latency);
    let too_few = match interrupted {
        None => too_few(latency),
        Some(_) => None,
    };
    let means: Vec<f64> = latency.fine_means().flatten().collect();
    let course = match interrupted.or(too_few) {
        None => Course::of(&means),
        Some(_) => None,
    };
    let moving = course
        .iter()
        .find_map(|course| warm_up(latency, course).or_else(|| trend(latency, course)));
    let mut found = Vec::new();
    if interrupted.is_none() || shows_scatter(observed) {
        found.extend(overload(observed));
    }
    let share = interrupted.map_or(MATERIAL, |_| GROWTH_IN_A_PART);
    found.extend(backlog(observed, latency, share, moving.is_some()));
    found.extend(moving);
    found.extend(too_few);
    found.extend(interrupted);
    if moving.is_none() {
        found.extend(course.iter().find_map(|course| too_short(latency, course)));
    }
    found
}

// Rule: of an interrupted run ten batches must be complete. With fewer nobody can say what is noise and what is the level.
fn interrupted(observed: &Observed<'_>, complete: &BatchMeans) -> Option<Reason> {
    let (window, all) = (observed.latency.window(), observed.latency.batches());
    let needed = all.min(ENOUGH_BATCHES);
    let window_cycles = u64::from(window.cycles());
    let measured = observed.interrupted_at?.since(window.start());
    (complete.batches() < needed).then(|| Reason::WindowCutShort {
        measured_cycles: u64::from(measured),
        window_cycles,
        needed_cycles: (window_cycles * needed as u64).div_ceil(all as u64),
    })
}

// Whether both loads come with what chance does to them. In a part of the window an unknown interval isn't 0.
fn shows_scatter(observed: &Observed<'_>) -> bool {
    let loads = [observed.offered, observed.accepted];
    loads.iter().all(|load| load.half_width.is_some())
}

// Rule: what is accepted must not fall short of what is offered by more than a hundredth of it and more than
// both measurements' errors together (they add in squares, as for independent means; Law, Simulation Modeling
// and Analysis, section 10.2), at a confidence of 99 %. An unknown interval counts as 0: then only the hundredth
// decides.
fn overload(observed: &Observed<'_>) -> Option<Reason> {
    let (offered, accepted) = (observed.offered, observed.accepted);
    let error = error(&offered).hypot(error(&accepted));
    let behind = offered.mean - accepted.mean;
    (behind > error && behind > MATERIAL * offered.mean).then_some(Reason::Overload {
        offered: offered.mean,
        accepted: accepted.mean,
    })
}

/// Half of the interval at [`LEVEL`].
fn error(load: &Estimate) -> f64 {
    let half_width = load.half_width.unwrap_or(0.0);
    match load.batches.checked_sub(1) {
        Some(freedom @ 1..) => {
            half_width * two_sided_t(freedom, LEVEL) / two_sided_t(freedom, load.level)
        }
        // It is exact.
        _ => half_width,
    }
}

// Rule: the sources' backlog must not grow by more than a hundredth of what was delivered meanwhile, and by
// more than three times the square root of both backlogs together (their error if they were Poisson counts).
// What is offered and not accepted is either in the network, which is bounded, or here: this is the rule
// above from the other side, and detects overload if the loads' errors are wide. Near saturation a backlog comes and
// goes with latency, the one times the rate of packets being the other (Little, "A proof for the queuing formula L = λW",
// Operations Research 9, 1961). Where latency ranges so widely that it explains the growth, latency's course decides.
// In a part of the window that doesn't show its course, the backlog must grow by more than half of what was delivered.
fn backlog(
    observed: &Observed<'_>,
    latency: &BatchMeans,
    share: f64,
    latency_moves: bool,
) -> Option<Reason> {
    let (from_packets, to_packets) = (
        observed.backlog_at_start_packets,
        observed.backlog_at_end_packets,
    );
    let growth = to_packets.saturating_sub(from_packets) as f64;
    let chance = 3.0 * (from_packets as f64 + to_packets as f64).sqrt();
    let delivered = latency.observations() as f64;
    let (least, most) = latency
        .fine_means()
        .flatten()
        .fold((f64::INFINITY, 0.0_f64), |(least, most), mean| {
            (least.min(mean), most.max(mean))
        });
    let explained = delivered / f64::from(latency.window().cycles()) * (most - least).max(0.0);
    let is_more = growth > chance && growth > share * delivered;
    (is_more && (latency_moves || growth > explained)).then_some(Reason::BacklogGrows {
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

// Rule: latency must not settle within the window: no exponential decay may fit its course (see `course`) and matter.
// It matters if it moves the mean of the window by more than a hundredth, or by more than the mean's own standard error.
// Measurement should begin when less than a thousandth, or than the error, is left of it. If that is beyond the first
// half, the rest is too short to show where the warm-up ends, and the whole window is suspect.
fn warm_up(latency: &BatchMeans, course: &Course) -> Option<Reason> {
    let change = course.change?;
    let Shape::Decaying(constant) = change.shape else {
        return None;
    };
    let parts = latency.batches() * crate::batch_means::CELLS_PER_BATCH;
    let added = |part: usize| {
        let middle = (part as f64 + 0.5) / parts as f64;
        (change.size * (-middle / constant).exp()).exp_m1()
    };
    let bias = (0..parts).map(added).sum::<f64>() / parts as f64;
    if bias.abs() <= MATERIAL.min(course.error) {
        return None;
    }
    let window = latency.window();
    let cycles = u64::from(window.cycles());
    let left = SETTLED.max(course.error);
    let settled = constant * (change.size.abs() / left).ln();
    let is_whole_window = settled > 0.5;
    let cut_cycles = match is_whole_window {
        true => cycles,
        false => (settled.max(1.0 / parts as f64) * cycles as f64).ceil() as u64,
    };
    Some(Reason::WarmUpTooShort {
        suggested_cycles: u64::from(window.start().get()) + cut_cycles,
        is_whole_window,
    })
}

// Rule: latency must not rise or fall through the whole window: no straight line may fit its course (see `course`) whose
// gain is more than a hundredth of the mean. The slope is that of least squares through the batch means.
fn trend(latency: &BatchMeans, course: &Course) -> Option<Reason> {
    let change = course.change.filter(|it| it.shape == Shape::Straight)?;
    let batch_cycles = f64::from(latency.window().cycles()) / latency.batches() as f64;
    let points: Vec<(f64, f64)> = latency
        .batch_means()
        .enumerate()
        .filter_map(|(batch, mean)| Some(((batch as f64 + 0.5) * batch_cycles, mean?)))
        .collect();
    let line = Line::fit(&points).ok()?;
    let gain = line.slope * f64::from(latency.window().cycles());
    (gain.abs() > MATERIAL * latency.mean()?.abs()).then_some(Reason::Trend {
        slope_per_1000_cycles: 1000.0 * line.slope,
        significance: two_sided_normal(change.ratio.sqrt()),
    })
}

// Rule: the window is worth at least ten independent pieces: it is twenty times as long as latency takes to forget. In
// less nobody can say what is noise and what is the level.
fn too_short(latency: &BatchMeans, course: &Course) -> Option<Reason> {
    (course.pieces < MIN_PIECES).then(|| {
        let relaxation = f64::from(latency.window().cycles()) / (2.0 * course.pieces);
        Reason::WindowTooShort {
            relaxation_cycles: relaxation.ceil() as u64,
            needed_cycles: (2.0 * MIN_PIECES * relaxation).ceil() as u64,
        }
    })
}

#[cfg(test)]
mod tests;
