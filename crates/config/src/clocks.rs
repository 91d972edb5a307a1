//! The clocks of the nodes as they are configured: `[clocks]`. `clock_draws.rs` draws each node's from them.

pub(crate) mod changes;
pub(crate) mod delays;
pub(crate) mod keys;
pub(crate) mod self_timed;
pub(crate) mod table;

pub use changes::{ChangeParameters, ChangedClocks};
pub use delays::DelayParameters;
pub use self_timed::{GivenStages, SelfTimedParameters};
pub use table::DelayTable;

use flitwork_network::{Arbiter, Periodic, Wander};
use flitwork_types::NodeId;

/// What makes the nodes step; only the clocked engine reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockParameters {
    /// The period of the nominal clock, in ps, 1 to 10^9: the mean of drawn periods, and the unit in
    /// which times are reported as cycles.
    pub period_ps: u64,
    /// What makes the nodes outside islands step.
    pub stepping: Stepping,
    /// Domains with a given clock. No node is in two of them.
    pub islands: Vec<IslandParameters>,
    /// What becomes of clocks during the run. No clock changes twice at a time.
    pub changes: Vec<ChangeParameters>,
    /// What decides between requests that come to self-timed nodes without a common clock; at once if `None`.
    pub arbiter: Option<Arbiter>,
    /// What stages of single nodes and single links take.
    pub delays: DelayParameters,
}

/// When a domain ticks first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// At the start of the run.
    #[default]
    Zero,
    /// Drawn uniformly from the first period.
    Random,
}

/// What makes nodes step.
#[derive(Clone, Debug, PartialEq)]
pub enum Stepping {
    /// An oscillator for each domain.
    Oscillators(Oscillators),
    /// Nothing: events drive them.
    SelfTimed(SelfTimedParameters),
}

/// The oscillators of domains.
#[derive(Clone, Debug, PartialEq)]
pub struct Oscillators {
    /// When domains tick first; islands have phases of their own.
    pub phase: Phase,
    /// How periods are distributed around the nominal one.
    pub spread: Spread,
    /// Each domain's drift is drawn uniformly from plus and minus this, in parts per million, 0 to
    /// 100,000.
    pub drift_ppm: f64,
    /// How late a tick may come, in ps; below every period that is drawn.
    pub jitter_ps: u64,
    /// How single periods differ; together with the jitter below every period that is drawn.
    pub wander: Option<Wander>,
    /// Which nodes share an oscillator.
    pub domains: Domains,
}

/// How periods are distributed around the nominal one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// All periods are nominal.
    None,
    /// Uniformly.
    Uniform {
        /// The greatest difference, in percent of the nominal period, 0 to below 100.
        percent: f64,
    },
    /// Normally, within three standard deviations.
    Normal {
        /// The standard deviation, in percent of the nominal period, 0 to below 100.
        percent: f64,
    },
}

/// Which nodes share an oscillator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domains {
    /// None.
    Node,
    /// All.
    One,
    /// Those of a block of neighbours.
    Blocks {
        /// Nodes of a block along each dimension, at least 1; the last block of a line may be shorter.
        sides: Vec<u32>,
    },
}

/// A voltage-frequency island: nodes that share a given clock.
#[derive(Clone, Debug, PartialEq)]
pub struct IslandParameters {
    /// Its nodes, at least one.
    pub nodes: Vec<NodeId>,
    /// From one tick to the next, in ps, 1 to 10^9.
    pub period_ps: u64,
    /// The first tick, in ps.
    pub phase_ps: u64,
    /// How late a tick may come, in ps; below the period.
    pub jitter_ps: u64,
    /// How single periods differ; together with the jitter below the period.
    pub wander: Option<Wander>,
    /// How much slower (positive) or faster than its period the oscillator runs, in parts per million,
    /// -100,000 to 100,000.
    pub drift_ppm: f64,
}

impl Default for ClockParameters {
    /// A nominal clock of 1 GHz for every node, all of them in step.
    fn default() -> ClockParameters {
        ClockParameters {
            period_ps: 1000,
            stepping: Stepping::Oscillators(Oscillators {
                phase: Phase::Zero,
                spread: Spread::None,
                drift_ppm: 0.0,
                jitter_ps: 0,
                wander: None,
                domains: Domains::Node,
            }),
            islands: Vec::new(),
            changes: Vec::new(),
            arbiter: None,
            delays: DelayParameters::default(),
        }
    }
}

impl IslandParameters {
    /// The island's oscillator, as long as nothing changes.
    pub fn clock(&self) -> Periodic {
        Periodic::new(self.period_ps, self.phase_ps)
            .with_drift((self.drift_ppm * 1000.0).round() as i32)
            .with_jitter(self.jitter_ps)
            .with_wander(self.wander)
    }
}
