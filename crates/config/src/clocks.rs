//! The clocks of the nodes as a run has them. `tables::clocks` reads them, `clock_draws` draws each node's from them.

pub(crate) mod table;

pub use table::DelayTable;

use flitwork_network::{Arbiter, Delay, Law, Periodic, StageDelays, Wander};
use flitwork_schema::Between;
use flitwork_types::NodeId;
use std::sync::Arc;

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

/// Nodes of a block along each dimension, if nothing gives them.
pub(crate) const BLOCK_SIDE: u32 = 4;

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

/// The oscillators of domains; all alike and in step by default.
#[derive(Clone, Debug, Default, PartialEq)]
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
    pub wander: Wander,
    /// Which nodes share an oscillator.
    pub domains: Domains,
    /// Nodes of a block along each dimension, at least 1, if those of a block share one; 4 if they aren't given. The last
    /// block of a line may be shorter.
    pub block_sides: Option<Vec<u32>>,
}

/// How periods are distributed around the nominal one, or delays around theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// By which law.
    pub(crate) law: SpreadLaw,
    /// The greatest difference or the standard deviation, in percent, 0 to below 100; `None` without a law.
    pub(crate) percent: Option<f64>,
}

/// The law of a [`Spread`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpreadLaw {
    /// All are nominal.
    #[default]
    None,
    /// Uniformly.
    Uniform,
    /// Normally, within three standard deviations.
    Normal,
}

impl Spread {
    /// None.
    pub const NONE: Spread = Spread {
        law: SpreadLaw::None,
        percent: None,
    };

    /// Uniformly, up to a difference in percent.
    pub fn uniform(percent: f64) -> Spread {
        Spread {
            law: SpreadLaw::Uniform,
            percent: Some(percent),
        }
    }

    /// Normally, with a standard deviation in percent.
    pub fn normal(percent: f64) -> Spread {
        Spread {
            law: SpreadLaw::Normal,
            percent: Some(percent),
        }
    }
}

/// Which nodes share an oscillator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Domains {
    /// None.
    #[default]
    Node,
    /// All.
    One,
    /// Those of a block of neighbours.
    Blocks,
}

/// A voltage-frequency island: nodes that share a given clock.
#[derive(Clone, Debug, Default, PartialEq)]
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
    pub wander: Wander,
    /// How much slower (positive) or faster than its period the oscillator runs, in parts per million,
    /// -100,000 to 100,000.
    pub drift_ppm: f64,
}

/// Self-timed nodes: what their stages take, and how that differs from node to node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelfTimedParameters {
    /// What the stages of a node take that is neither slow nor fast, at all its ports, unless a table says it: a word
    /// through a frame or buffer and a decision, which keys or a table must give, then an allocation and a credit, which
    /// take no time if nothing gives one.
    pub delays: [GivenDelay; 4],
    /// A cycle in which the router only counts, in ps, 0 to 10^9.
    pub count_ps: u64,
    /// How much longer all of it takes in every node, in percent, -99 to 1,000.
    pub corner_percent: f64,
    /// How much longer it takes in each node, relative to the corner.
    pub spread: Spread,
}

/// What keys give of a stage's delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenDelay {
    /// The delay in ps, if any is given.
    pub ps: Option<Between>,
    /// How it is drawn, if its least isn't its most.
    pub law: Option<Law>,
}

impl GivenDelay {
    /// The delay, if any is given.
    pub(crate) fn delay(self) -> Option<Delay> {
        self.ps.map(|ps| Delay {
            least_ps: ps.least,
            most_ps: ps.most,
            law: self.law.unwrap_or_default(),
        })
    }
}

impl From<Delay> for GivenDelay {
    fn from(delay: Delay) -> GivenDelay {
        let Delay {
            least_ps: least,
            most_ps: most,
            law,
        } = delay;
        GivenDelay {
            ps: Some(Between { least, most }),
            law: (least < most).then_some(law),
        }
    }
}

impl SelfTimedParameters {
    /// Nodes that are all alike.
    pub fn new(delays: StageDelays) -> SelfTimedParameters {
        let StageDelays {
            word,
            decision,
            allocation,
            credit,
        } = delays;
        let stages = [Some(word), Some(decision), allocation, credit];
        SelfTimedParameters {
            delays: stages.map(|delay| delay.map(GivenDelay::from).unwrap_or_default()),
            ..SelfTimedParameters::default()
        }
    }
}

/// What becomes of some clocks at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeParameters {
    /// When, in ps, up to 2^62.
    pub at_ps: u64,
    /// Which clocks.
    pub clocks: ChangedClocks,
    /// Their period from then on, in ps, 1 to 10^9; `None` if they are gated.
    pub period_ps: Option<u64>,
}

/// Which clocks change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedClocks {
    /// All of them.
    All,
    /// Those of these islands, by their places in the configuration.
    Islands(Vec<usize>),
    /// Those of these nodes, one node of each clock.
    Nodes(Vec<NodeId>),
}

/// What the stages of single nodes and single links take; what keys give, everywhere, by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DelayParameters {
    /// The delays of a file, which take the place of the keys'.
    pub table: Option<Arc<DelayTable>>,
    /// How far each delay, of a stage at a port of a node or of a link, lies from its value.
    pub spread: Spread,
}

impl DelayParameters {
    /// What the file says, as bytes, for a checksum: none without a file.
    pub fn content(&self, take: &mut dyn FnMut(&[u8])) {
        if let Some(table) = &self.table {
            table.content(take);
        }
    }

    /// Bytes of the table, about.
    pub fn bytes(&self) -> u64 {
        self.table.as_ref().map_or(0, |table| table.bytes())
    }

    /// The same for another network: with one delay for each stage of a table, and a spread if nodes or links differ.
    #[must_use]
    pub fn scaled_down(&self) -> DelayParameters {
        let differ = self.table.as_ref().is_some_and(|table| table.differs());
        DelayParameters {
            table: self.table.as_ref().map(|table| Arc::new(table.typical())),
            spread: match self.spread.law {
                SpreadLaw::None if differ => Spread::uniform(1.0),
                _ => self.spread,
            },
        }
    }
}

impl Default for ClockParameters {
    /// A nominal clock of 1 GHz for every node, all of them in step.
    fn default() -> ClockParameters {
        ClockParameters {
            period_ps: 1000,
            stepping: Stepping::Oscillators(Oscillators::default()),
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
            .with_wander(self.wander.if_any())
    }
}
