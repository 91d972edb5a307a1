//! What a node holds at a time, and what its next step decides.

use crate::gather::{Explained, Wanted};
use crate::timeline::Timeline;
use flitwork_node::View;
use flitwork_types::{Cycle, NodeId};

/// How many cycles are looked ahead for the node's next step: where nodes have clocks, it may come a little later.
const CYCLES_AHEAD: u64 = 64;

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
    /// Its next step; none if nothing happens in it any more.
    pub next: Option<Explained>,
}

/// Looks into a node at a time, as long as it is to go on: `go_on` is asked now and then. `None` if it was to stop.
pub fn inside(
    timeline: &mut Timeline,
    node: NodeId,
    time: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Inside> {
    if !timeline.go_while(time, go_on) {
        return None;
    }
    let cycle = timeline.present().local(node);
    let view = timeline.present().look(node).unwrap_or_default();
    let wanted = Wanted {
        explain: Some(node),
        ..Wanted::NOTHING
    };
    let mut branch = timeline.copy_at(time, wanted);
    let mut next = None;
    for _ in 0..CYCLES_AHEAD {
        branch.advance(branch.now().saturating_add(timeline.cycle_time()));
        next = branch.explained().into_iter().next();
        if next.is_some() {
            break;
        }
    }
    Some(Inside {
        node,
        time,
        cycle,
        view,
        next,
    })
}
