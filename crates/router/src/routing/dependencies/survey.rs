//! All heads on all legs, and what they depend on.

use super::Watch;
use super::examine::{Examiner, Leg};
use super::fault::CheckError;
use super::graph::EscapeChannels;
use super::links::ChannelNumber;
use super::reach::Reach;
use super::walk::Walk;
use crate::routing::contract::Choice;
use flitwork_types::NodeId;
use std::ops::ControlFlow;

/// Receives dependencies. `destination` is that of a packet that causes them.
pub(super) trait Sink {
    /// A packet that holds the channel `held` may wait for `wanted`, at the node where `held` ends.
    fn direct(&mut self, destination: NodeId, held: ChannelNumber, wanted: &[Choice]);

    /// A packet that crossed the escape channel `held` may wait for the escape channels of `wanted`, one bit
    /// each; the lowest is number 64 * `place`.
    fn extended(&mut self, destination: NodeId, held: usize, place: usize, wanted: u64);

    /// Whether no more dependencies are needed.
    fn done(&self) -> bool {
        false
    }
}

/// Examines all possible heads.
pub(super) fn survey(
    examiner: &mut Examiner<'_>,
    escape: Option<EscapeChannels>,
    sink: &mut impl Sink,
    watch: &mut Watch<'_>,
) -> Result<(), CheckError> {
    let visits = examiner.declaration.visits;
    let passes = if visits { 2 } else { 1 };
    let all = examiner.homes.len() as u32 * passes;
    let mut done = 0;
    let mut go_on = || {
        done += 1;
        match watch(done - 1, all) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(CheckError::Stopped),
        }
    };
    assert!(
        !visits || escape.is_none(),
        "escape channels of packets that visit an intermediate node can't be checked"
    );
    let mut walk = Walk::new(examiner.links);
    let mut arrivals = Vec::new();
    if visits {
        let turning = examiner.turning();
        for destination in examiner.homes.clone() {
            go_on()?;
            let leg = Leg {
                destination,
                visited: false,
            };
            let depends = |held, wanted: &[Choice]| sink.direct(destination, held, wanted);
            walk.run(examiner, leg, &turning, depends)?;
            arrivals.extend(walk.arrivals(examiner.links, destination));
        }
    }
    let mut reach = escape.map(Reach::new);
    for destination in examiner.homes.clone() {
        if sink.done() {
            break;
        }
        go_on()?;
        let leg = Leg {
            destination,
            visited: visits,
        };
        let depends = |held, wanted: &[Choice]| sink.direct(destination, held, wanted);
        walk.run(examiner, leg, &arrivals, depends)?;
        if let Some(reach) = &mut reach {
            let depends = |held, place, wanted| sink.extended(destination, held, place, wanted);
            reach.run(examiner, &mut walk, depends)?;
        }
    }
    Ok(())
}
