//! A problem routed to its end.

use crate::machine::{Machine, MachineError};
use crate::meddler::{Nobody, Scheduled};
use crate::rule::Rule;
use crate::store::Store;
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// How a problem ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All packets are where they go.
    Done,
    /// Nothing has moved for [`STILL_STEPS`] steps.
    Stuck,
    /// It was to stop.
    Stopped,
}

/// After so many steps in which nothing moves, nothing will: a packet that is refused wants into a queue that stays full. Rules
/// may turn to another link meanwhile, but not to more than a node has.
pub const STILL_STEPS: u32 = 64;

/// How many steps are made before it is asked whether to go on.
const ASK_STEPS: u32 = 16;

/// Whether to go on, asked now and then with the steps that are done.
pub type GoOn<'a> = &'a mut dyn FnMut(u32) -> bool;

impl<T: Topology, R: Rule> Machine<'_, T, R> {
    /// Whether it is time to ask.
    pub(crate) fn asks(&self) -> bool {
        self.steps().is_multiple_of(ASK_STEPS)
    }

    /// Goes on until all packets are where they go, or nothing moves any more.
    pub fn route(&mut self, go_on: GoOn<'_>) -> Ended {
        let mut still = 0;
        while !self.is_done() {
            if self.asks() && !go_on(self.steps()) {
                return Ended::Stopped;
            }
            let moves = self.step(&mut Nobody);
            still = if moves { 0 } else { still + 1 };
            if still == STILL_STEPS {
                return Ended::Stuck;
            }
        }
        Ended::Done
    }
}

/// What came of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routed {
    /// How it ended.
    pub ended: Ended,
    /// The steps until the last packet arrived, or until then.
    pub steps: u32,
    /// The most packets that any node has held at the beginning, or at a step's end.
    pub queue_max: usize,
    /// The packets that are still under way.
    pub undelivered: usize,
    /// The links that packets have crossed.
    pub moves: u64,
    /// Where packets wait for each other: offers, each made by the node to which the one before would lead.
    pub circle: Vec<Scheduled>,
    /// The steps of each phase of an algorithm that has such, and of each smearing.
    pub phase_steps: Vec<u32>,
}

/// Routes a problem by a rule.
///
/// # Errors
/// Those of [`Machine::new`].
pub fn route<T: Topology, R: Rule>(
    topology: &T,
    rule: &R,
    (store, problem): (Store, &[(NodeId, NodeId)]),
    go_on: GoOn<'_>,
) -> Result<Routed, MachineError> {
    let mut machine = Machine::new(topology, rule, store, problem)?;
    let ended = machine.route(go_on);
    Ok(Routed {
        ended,
        steps: match ended {
            Ended::Stuck => machine.steps() - STILL_STEPS,
            Ended::Done | Ended::Stopped => machine.steps(),
        },
        queue_max: machine.queue_max(),
        undelivered: machine.undelivered(),
        moves: machine.moved(),
        circle: match ended {
            Ended::Stuck => machine.circle().unwrap_or_default(),
            Ended::Done | Ended::Stopped => Vec::new(),
        },
        phase_steps: Vec::new(),
    })
}
