//! Why packets were not delivered: which packet waits for which, or what was still to come.

use flitwork_config::{EngineChoice, Resolved};
use flitwork_debug::{CircleStep, Knot, knot};
use flitwork_engine::Ended;
use flitwork_experiment::hardware::{
    StoppedNodes, longest_silence_cycles, patience_cycles, running_cycles,
};
use flitwork_experiment::simulate::Simulated;
use flitwork_node::{Wait, WaitsFor};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketId};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use waiting::Describer;

pub use waiting::Waiting;

mod waiting;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// Packets wait for each other, or for nodes that have stopped, and never move again.
    Deadlock,
    /// Packets move and none has arrived for a long time.
    Livelock,
    /// The run ended too early: the packets that are left could still have arrived.
    Deadline,
}

impl FailureKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Deadlock => "deadlock",
            FailureKind::Livelock => "livelock",
            FailureKind::Deadline => "deadline",
        }
    }
}

/// A report on a network that failed.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Failure {
    /// Deadlock, livelock or deadline.
    pub kind: FailureKind,
    /// The cycle at which the run was given up.
    pub cycle: u32,
    /// The last cycle in which a packet left a node.
    pub last_head: Option<u32>,
    /// Packets in the network that are not delivered. A worm that spans several nodes is one.
    pub packets: u64,
    /// Packets that wait in the sources.
    pub in_sources: u64,
    /// Packets that were still to be made.
    pub owed: u64,
    /// Replies among them.
    pub owed_replies: u64,
    /// Whether there may be more of them: they were not counted to the end.
    pub owed_at_least: bool,
    /// Packets that never move again: they wait for each other, or for nodes that have stopped.
    pub stuck: u64,
    /// Nodes that wait for each other in a circle, each with its link, if there is a circle: each waits for the
    /// next, and the last for the first.
    pub circle: Vec<String>,
    /// Every place where a packet waits for something, and what it waits for; those of the circle first, in its order:
    /// where one waits for the next node, and then where one waits for another in its own.
    pub waits: Vec<Waiting>,
}

impl Failure {
    pub(super) fn of(resolved: &Resolved, run: &Simulated) -> Option<Failure> {
        if matches!(run.outcome.ended, Ended::Empty | Ended::Interrupted) {
            return None;
        }
        let (cycle, seen) = (run.outcome.cycle, &run.observation);
        let owed = run.outcome.owed;
        let shape = &resolved.network.shape;
        let knot = knot_of(resolved, run);
        let kind = kind(resolved, run, knot.is_some());
        let Knot { stuck, circle } = knot.unwrap_or_default();
        let stuck: HashSet<PacketId> = stuck.iter().map(|it| run.waits[*it].packet).collect();
        let links = circle.iter().filter_map(|step| {
            let link = step.link.as_ref()?;
            Some(format!("node {} {link}", shape.node_name(step.node)))
        });
        let mut waits = Describer::new(shape);
        Some(Failure {
            kind,
            cycle: cycle.get(),
            last_head: seen.last_head.map(|cycle| cycle.get()),
            packets: seen.injected.saturating_sub(seen.delivered),
            in_sources: seen.created - seen.injected,
            owed: owed.packets,
            owed_replies: owed.replies,
            owed_at_least: owed.at_least,
            stuck: stuck.len() as u64,
            circle: links.collect(),
            waits: circle_first(&circle, &run.waits)
                .filter(|wait| wait.waits_for != WaitsFor::Nothing)
                .map(|wait| waits.describe(wait))
                .collect(),
        })
    }
}

/// The packets that never move again, if there are any.
fn knot_of(resolved: &Resolved, run: &Simulated) -> Option<Knot> {
    let stopped = StoppedNodes::of(resolved);
    let end_ps = u64::from(run.outcome.cycle.get()).saturating_mul(resolved.clocks.period_ps);
    let has_stopped = |node| {
        stopped
            .as_ref()
            .is_some_and(|it| it.has_stopped(node, end_ps))
    };
    knot(&resolved.network.shape, &run.waits, &has_stopped)
}

/// The waits of a circle, in its order, first those behind links, and then all others.
fn circle_first<'a>(circle: &[CircleStep], waits: &'a [Wait]) -> impl Iterator<Item = &'a Wait> {
    let behind_links = circle.iter().filter(|step| step.link.is_some());
    let inside = circle.iter().filter(|step| step.link.is_none());
    let first: Vec<usize> = behind_links.chain(inside).map(|step| step.wait).collect();
    let on_circle: BTreeSet<usize> = first.iter().copied().collect();
    let others = (0..waits.len()).filter(move |wait| !on_circle.contains(wait));
    first.into_iter().chain(others).map(|wait| &waits[wait])
}

/// Whether each node ends at its own last cycle, however far the others are.
pub fn ends_apart(resolved: &Resolved) -> bool {
    resolved.run.engine == EngineChoice::Live && resolved.live.slack.0.is_none()
}

// Rule: a network with a knot is deadlocked, whether or not others still move, and so is one all of whose clocks are gated
// for good. Where some are, packets on links to their nodes wait for nothing that is seen: such a network is deadlocked if
// also no packet has entered, left a node or arrived for as long as its nodes can wait at all; times in which a clock is
// gated that ticks again don't count. One whose packets leave nodes, but in which none has entered or arrived for ten
// thousand cycles, a tenth of the run, and a hundred times as long as it may stand still, is livelocked. Of any other, all
// that is known is that the run was over. Only waits and observations count, not what an engine knows, so that all engines
// report the same.
fn kind(resolved: &Resolved, run: &Simulated, is_tied: bool) -> FailureKind {
    let (cycle, seen) = (run.outcome.cycle, &run.observation);
    if seen.injected <= seen.delivered {
        return FailureKind::Deadline;
    }
    if is_tied {
        return FailureKind::Deadlock;
    }
    // Without a slack, nodes run their last cycles at different times and accept nothing afterwards.
    if ends_apart(resolved) {
        return FailureKind::Deadline;
    }
    let still = |last: Option<Cycle>| running_cycles(resolved, last.unwrap_or(Cycle::ZERO), cycle);
    let flow = seen.last_injection.max(seen.last_delivery);
    if let Some(stopped) = StoppedNodes::of(resolved) {
        let patience = patience_cycles(resolved);
        let is_silent = patience.is_some_and(|it| still(flow.max(seen.last_head)) > it);
        if is_silent || stopped.are_all() && run.outcome.ended == Ended::Stuck {
            return FailureKind::Deadlock;
        }
    }
    // A packet that only waits for its time does not move, and still arrives.
    let moves = still(seen.last_head) < still(flow);
    if moves && still(flow) >= (cycle.get() / 10).max(10_000) {
        let slow = longest_silence_cycles(resolved).saturating_mul(100);
        if still(flow) >= slow {
            return FailureKind::Livelock;
        }
    }
    FailureKind::Deadline
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, cycle) = (self.kind.name(), self.cycle);
        write!(f, "{kind}: by cycle {cycle} ")?;
        self.write_left(f)?;
        if self.stuck > 0 {
            write!(
                f,
                "; {} never move{} again",
                counted(self.stuck),
                if self.stuck == 1 { "s" } else { "" }
            )?;
        }
        match self.last_head {
            _ if self.packets == 0 => writeln!(f)?,
            Some(last) => writeln!(f, "; the last one to leave a node did so in cycle {last}")?,
            None => writeln!(f, "; none has left its node")?,
        }
        if !self.circle.is_empty() {
            writeln!(f, "nodes that wait for each other in a circle:")?;
            for node in &self.circle {
                writeln!(f, "  {node} ─▶")?;
            }
        }
        const SHOWN: usize = 12;
        // The whole circle, however long, and a few others.
        let shown = SHOWN.max(self.circle.len());
        for wait in self.waits.iter().take(shown) {
            writeln!(f, "{wait}")?;
        }
        if self.waits.len() > shown {
            writeln!(f, "… and {} more waits", self.waits.len() - shown)?;
        }
        Ok(())
    }
}

impl Failure {
    /// The packets that are left, and where they are.
    fn write_left(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = [
            (self.packets, "in the network"),
            (self.in_sources, "in the sources"),
        ];
        let left = left.iter().filter(|(packets, _)| *packets > 0);
        let left: Vec<String> = left
            .map(|(packets, place)| format!("{} {place}", counted(*packets)))
            .collect();
        let one = left.len() == 1 && self.packets + self.in_sources == 1;
        let are = if one { "is" } else { "are" };
        if !left.is_empty() {
            write!(f, "{} {are} not delivered", left.join(" and "))?;
        }
        if self.owed == 0 {
            return Ok(());
        }
        let and = if left.is_empty() { "" } else { ", and " };
        let least = if self.owed_at_least { "at least " } else { "" };
        let are = if self.owed == 1 { "is" } else { "are" };
        write!(
            f,
            "{and}{least}{} {are} still to be made",
            counted(self.owed)
        )?;
        match (self.owed_replies, self.owed - self.owed_replies) {
            (0, _) => Ok(()),
            (replies, requests) => write!(f, " ({requests} requests, {replies} replies)"),
        }
    }
}

fn counted(packets: u64) -> String {
    format!("{packets} packet{}", if packets == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
