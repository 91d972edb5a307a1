//! What a node holds at a time, and what its next step decides.

use crate::gather::{Explained, Wanted};
use crate::timeline::{Branch, Stopped, Timeline};
use flitwork_engine::Ended;
use flitwork_node::View;
use flitwork_types::{Cycle, NodeId};

/// How many cycles are looked ahead for the node's next step. Where nodes have clocks, it may come a little later; where
/// they sleep, much later.
const CYCLES_AHEAD: u64 = 1 << 12;

/// A node's inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// The node.
    pub node: NodeId,
    /// At which time, in the unit of the run's.
    pub time: u64,
    /// The first of its own cycles that comes after it.
    pub cycle: Cycle,
    /// What it holds.
    pub view: View,
    /// Its next step.
    pub next: Next,
}

/// A node's next step, as far as one has looked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// This one.
    Step(Box<Explained>),
    /// It comes at this time or later, if at all.
    NotBefore(u64),
    /// Nothing happens in the node any more.
    Never,
}

impl Next {
    /// The step, if it is known.
    pub fn step(&self) -> Option<&Explained> {
        match self {
            Next::Step(step) => Some(step),
            Next::NotBefore(_) | Next::Never => None,
        }
    }
}

/// Looks into a node at a time, as long as it is to go on: `go_on` is asked now and then.
///
/// # Errors
/// [`Stopped`] if it was to stop.
pub fn inside(
    timeline: &mut Timeline,
    node: NodeId,
    time: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Inside, Stopped> {
    timeline.go_while(time, go_on)?;
    let cycle = timeline.present().local(node);
    let view = timeline.present().look(node).unwrap_or_default();
    let mut branch = timeline.copy_at(time, Wanted::steps_of(node));
    let cycle_time = timeline.cycle_time();
    let last = time.saturating_add(cycle_time.saturating_mul(CYCLES_AHEAD));
    let first = |branch: &mut Branch, _| branch.explained().into_iter().next();
    let next = match branch.stretches(last, (1, 64, cycle_time), go_on, first)? {
        (Some(step), _) => Next::Step(Box::new(step)),
        (None, Ended::Deadline) => Next::NotBefore(branch.now()),
        (None, _) => Next::Never,
    };
    Ok(Inside {
        node,
        time,
        cycle,
        view,
        next,
    })
}
