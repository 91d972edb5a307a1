//! Programs: rules of one type, one after the other.

use crate::machine::{Machine, MachineError};
use crate::meddler::Nobody;
use crate::rule::Rule;
use crate::store::Store;
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// When a rule of a program gives way to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After so many steps. Nodes can count them.
    Steps(u32),
    /// After so many steps, for a rule that moves nothing more once it is quiet: from there steps are counted, but not made.
    StepsOnceQuiet(u32, Quiet),
    /// Once it is quiet. No node can know that: it takes an oracle that sees all of them.
    Quiet(Quiet),
}

/// When a rule is quiet: as soon as nothing has moved in some steps, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// The first step of the rule that may be the last.
    pub at_least: u32,
    /// How many steps; 1 unless a rule may move something after a step in which it moved nothing.
    pub steps: u32,
}

impl Quiet {
    /// After the first step in which nothing moves, from a step on.
    pub fn at_least(step: u32) -> Quiet {
        Quiet {
            at_least: step,
            steps: 1,
        }
    }
}

/// A rule of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<R> {
    /// The rule.
    pub rule: R,
    /// How long.
    pub until: Until,
}

/// Who sees each step of a program.
pub trait Watcher {
    /// A part, by its place in the program, is about to begin.
    fn begins<T: Topology, R: Rule>(&mut self, _part: usize, _: &Machine<'_, T, R>) {}

    /// A step is done.
    fn stepped<T: Topology, R: Rule>(&mut self, _: &Machine<'_, T, R>) {}
}

impl Watcher for Nobody {}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The steps of all parts.
    pub steps: u32,
    /// The step in which the last packet arrived; none if one is under way.
    pub delivered_at: Option<u32>,
    /// The most packets that any node has held at the beginning of the first part, or at a step's end.
    pub queue_max: usize,
    /// The packets that are still under way.
    pub undelivered: usize,
}

/// Rules of one type, one after the other: packets stay where they are ([`Machine::go_on`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<R> {
    /// The rules, in their order.
    pub parts: Vec<Part<R>>,
}

impl<R: Rule> Program<R> {
    /// Routes a problem until the last part ends, whether or not packets are under way then. A program without parts does
    /// nothing.
    ///
    /// # Errors
    /// Those of [`Machine::new`].
    pub fn run<T: Topology>(
        &self,
        topology: &T,
        store: Store,
        problem: &[(NodeId, NodeId)],
        watcher: &mut impl Watcher,
    ) -> Result<Outcome, MachineError> {
        let Some(first) = self.parts.first() else {
            return Ok(Outcome {
                steps: 0,
                delivered_at: None,
                queue_max: 0,
                undelivered: problem.iter().filter(|(from, to)| from != to).count(),
            });
        };
        let mut machine = Machine::new(topology, &first.rule, store, problem)?;
        for (number, part) in self.parts.iter().enumerate() {
            if number > 0 {
                machine.go_on(&part.rule);
            }
            watcher.begins(number, &machine);
            part.run(&mut machine, watcher);
        }
        let arrivals = machine.packets().iter().map(|it| it.arrived);
        Ok(Outcome {
            steps: machine.steps(),
            delivered_at: machine.is_done().then(|| arrivals.max().unwrap_or(0)),
            queue_max: machine.queue_max(),
            undelivered: machine.undelivered(),
        })
    }
}

impl<R: Rule> Part<R> {
    fn run<T: Topology>(&self, machine: &mut Machine<'_, T, R>, watcher: &mut impl Watcher) {
        let (most, quiet) = match self.until {
            Until::Steps(steps) => (Some(steps), None),
            Until::StepsOnceQuiet(steps, quiet) => (Some(steps), Some(quiet)),
            Until::Quiet(quiet) => (None, Some(quiet)),
        };
        let (mut made, mut still) = (0, 0);
        while most.is_none_or(|most| made < most) {
            let moves = machine.step(&mut Nobody);
            made += 1;
            still = if moves { 0 } else { still + 1 };
            watcher.stepped(machine);
            if quiet.is_some_and(|it| made >= it.at_least && still >= it.steps.max(1)) {
                break;
            }
        }
        machine.wait(most.map_or(0, |most| most - made));
    }
}
