//! When the first knot of a run closes, found while it runs.
//!
//! What is in a knot stays in it. So it is enough to look now and then, and where there is a knot that wasn't there before, to
//! find the moment in which it closed by halving.

use crate::knot::{Knot, knot};
use crate::timeline::Stopped;
use flitwork_engine::{Ended, Simulation};
use flitwork_node::{AnyProbe, Probe, Wait};
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// The first knot of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstKnot {
    /// The first time at which there is one: what happened just before closed it.
    pub time: u64,
    /// What all packets wait for then.
    pub waits: Vec<Wait>,
    /// Those of them that never move again.
    pub knot: Knot,
}

/// The first knot of a run, if one closes before the run's end, and what has observed the run up to then. What is in nodes that have
/// stopped by a time stays there. The run begins under the probe `P`, and is looked at every `stride` of its time.
///
/// # Errors
/// [`Stopped`] if `go_on`, which is asked as often, says that it is to stop.
pub fn first_knot<P: Probe + Clone + Send + 'static>(
    mut run: Box<Simulation>,
    (topology, has_stopped): (&dyn Topology, &dyn Fn(NodeId, u64) -> bool),
    stride: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(P, Option<FirstKnot>), Stopped> {
    let knot_of = |run: &Simulation| {
        let now = run.now();
        knot(topology, &run.waits(), &|node| has_stopped(node, now))
    };
    loop {
        if !go_on() {
            return Err(Stopped);
        }
        let before = copy::<P>(&*run);
        let until = run.now().saturating_add(stride.max(1)).min(run.end());
        let ended = run.advance(until);
        if knot_of(&*run).is_some() {
            let closed = halve::<P>(before, run, |run| knot_of(run).is_some());
            let found = knot_of(&*closed).map(|knot| FirstKnot {
                time: closed.now(),
                waits: closed.waits(),
                knot,
            });
            return Ok((closed.into_probe().into_probe(), found));
        }
        if ended != Ended::Deadline || until >= run.end() {
            return Ok((run.into_probe().into_probe(), None));
        }
    }
}

/// The run at the first time at which something holds that never ceases to: of two of its copies, the later one of which it holds.
fn halve<P: Probe + Clone + Send + 'static>(
    mut early: Box<Simulation>,
    mut late: Box<Simulation>,
    holds: impl Fn(&Simulation) -> bool,
) -> Box<Simulation> {
    while late.now() - early.now() > 1 {
        let mut middle = copy::<P>(&*early);
        middle.advance(early.now() + (late.now() - early.now()) / 2);
        match holds(&*middle) {
            true => late = middle,
            false => early = middle,
        }
    }
    late
}

fn copy<P: Probe + Clone + Send + 'static>(run: &Simulation) -> Box<Simulation> {
    run.fork(AnyProbe::new(run.probe().probe::<P>().clone()))
}
