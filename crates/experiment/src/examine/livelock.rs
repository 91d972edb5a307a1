//! Whether packets can move for ever and not arrive.

use super::extent;
use crate::config::{EngineChoice, Resolved, RouterParameters};
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::deflection::{DeflectionParameters, Priority};
use flitwork_topology::Topology;
use std::fmt;

/// Whether packets can move for ever and not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Livelock {
    /// They can't, and why.
    None(String),
    /// With probability 0: how long a packet is under way has no bound, and every one arrives.
    ProbabilityZero(String),
    /// Nobody knows, and why not.
    Unknown(String),
}

impl fmt::Display for Livelock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Livelock::None(why) => write!(f, "free of livelock: {why}"),
            Livelock::ProbabilityZero(why) => {
                write!(f, "livelock has probability 0, without a bound: {why}")
            }
            Livelock::Unknown(why) => write!(f, "livelock is not known to be impossible: {why}"),
        }
    }
}

/// Of a configuration.
pub(super) fn of(resolved: &Resolved) -> Livelock {
    match &resolved.router {
        RouterParameters::Chaos(chaos) => of_chaos(chaos, resolved.network.grid.ports()),
        RouterParameters::GreedyHp => {
            Livelock::ProbabilityZero("whose word is deflected is drawn".into())
        }
        RouterParameters::Deflection(router) => of_deflection(router, resolved),
        RouterParameters::Scheduled(_) => {
            Livelock::None("each packet takes the hops of its schedule".into())
        }
        RouterParameters::Wormhole(_) => {
            Livelock::None("the routing function bounds the hops of a packet".into())
        }
    }
}

fn of_chaos(chaos: &ChaosParameters, links: usize) -> Livelock {
    if !chaos.derouting {
        return Livelock::None("every hop brings a packet closer".into());
    }
    match draws_among_several(chaos, links) {
        true => Livelock::ProbabilityZero(
            "which packet of a full multiqueue is derouted is drawn (Konstantinidou and Snyder 1990)"
                .into(),
        ),
        false => Livelock::Unknown(
            "of a full multiqueue a single packet may be ready, which leaves nothing to draw".into(),
        ),
    }
}

/// Whether two packets or more of every full multiqueue are ready, so that what is derouted is drawn. Those that
/// came within the last decision's latency and lag aren't; they came at most one a cycle, and one from each link,
/// as an input frame isn't free again before.
fn draws_among_several(chaos: &ChaosParameters, links: usize) -> bool {
    let late = chaos.decision_latency_cycles + chaos.lag_cycles() - 1;
    let late = usize::try_from(late).map_or(links, |late| late.min(links));
    chaos.multiqueue_frames >= late + 2
}

fn of_deflection(router: &DeflectionParameters, resolved: &Resolved) -> Livelock {
    let bound = match is_in_step(resolved) {
        true => router.bound_cycles(extent(resolved), 0),
        false => None,
    };
    match (router.priority, bound) {
        (Priority::OldestFirst | Priority::Golden(_), Some(cycles)) => Livelock::None(format!(
            "a word that no other comes before is home within {cycles} cycles"
        )),
        (Priority::OldestFirst, None) => {
            Livelock::None("the oldest packet isn't deflected, whatever the clocks do".into())
        }
        (Priority::Golden(_), None) if is_in_step(resolved) => Livelock::Unknown(
            "a golden packet may not get home within its epoch, or comes as a worm".into(),
        ),
        (Priority::Golden(_), None) => Livelock::Unknown(
            "nodes with clocks of their own disagree about which packet is golden".into(),
        ),
        (Priority::Greedy | Priority::Random, _) => {
            Livelock::ProbabilityZero("whose word is deflected is drawn".into())
        }
    }
}

/// Whether all nodes are in the same cycle, always.
fn is_in_step(resolved: &Resolved) -> bool {
    match resolved.run.engine {
        EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => true,
        EngineChoice::Live => resolved.live.slack.0 == Some(0),
        EngineChoice::Clocked => false,
    }
}
