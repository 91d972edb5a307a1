//! Who sends how much to whom.

use super::Unloaded;
use flitwork_topology::{Spread, Topology};
use flitwork_types::{NodeId, TerminalId};

/// The words that terminals send to each other in a cycle if each that sends sends one.
#[derive(Clone, Debug)]
pub struct Demand {
    /// How many terminals send.
    pub(super) senders: u32,
    /// By node, what enters there for each of the terminals that get alike.
    pub(super) alike: Vec<f64>,
    /// By terminal, where it takes delivery.
    homes: Vec<NodeId>,
    /// By node, how many terminals take delivery there.
    pub(super) receivers: Vec<f64>,
    /// What else enters at nodes for terminals, in the order of these; less than 0 to make up for what a terminal's own node doesn't send to it.
    single: Vec<Part>,
    /// The most that a terminal receives.
    received: f64,
}

/// Words that enter at a node for a terminal.
#[derive(Clone, Copy, Debug)]
struct Part {
    to: TerminalId,
    from: NodeId,
    words: f64,
}

/// Where packets go: to any terminal of a node, or to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    pub(super) node: NodeId,
    pub(super) terminal: Option<TerminalId>,
}

impl Demand {
    /// That of a pattern, by each terminal's spread; `None` if the spread of one isn't known.
    pub fn of(
        topology: &dyn Topology,
        spread: impl Fn(TerminalId) -> Option<Spread>,
    ) -> Option<Demand> {
        let (nodes, count) = (topology.nodes() as usize, topology.terminals());
        let terminals = || (0..count).map(TerminalId);
        let others = (f64::from(count) - 1.0).max(1.0);
        let (mut receivers, mut alike) = (vec![0.0; nodes], vec![0.0; nodes]);
        let mut received = vec![0.0; count as usize];
        let (mut single, mut senders, mut all) = (Vec::new(), 0, 0.0);
        for source in terminals() {
            let spread = spread(source)?;
            let (from, home) = (topology.entry(source), topology.home(source));
            receivers[home.index()] += 1.0;
            senders += u32::from(!spread.is_nothing());
            let each = spread.others / others;
            alike[from.index()] += each;
            all += each;
            received[source.index()] -= each;
            if from != home && each != 0.0 {
                let (to, words) = (source, -each);
                single.push(Part { to, from, words });
            }
            for (to, words) in spread.single {
                received[to.index()] += words;
                if topology.home(to) != from && words != 0.0 {
                    single.push(Part { to, from, words });
                }
            }
        }
        single.sort_by_key(|part| (part.to, part.from));
        let most = received.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Some(Demand {
            senders,
            alike,
            homes: terminals().map(|it| topology.home(it)).collect(),
            receivers,
            single,
            received: most + all,
        })
    }

    /// Refuses more than so many heads of packets: there is one at least for each pair of nodes that send to each other.
    ///
    /// # Errors
    /// [`Unloaded::TooMuch`].
    pub fn refuse_above(&self, allowed: u64) -> Result<(), Unloaded> {
        let used = |table: &[f64]| table.iter().filter(|it| **it != 0.0).count() as u64;
        let pairs = used(&self.alike) * used(&self.receivers);
        match pairs > allowed {
            true => Err(Unloaded::TooMuch { allowed }),
            false => Ok(()),
        }
    }

    pub(super) fn received(&self) -> f64 {
        self.received
    }

    /// Whether terminals get alike from any node.
    pub(super) fn has_alike(&self) -> bool {
        self.alike.iter().any(|words| *words != 0.0)
    }

    /// All goals: nodes, or the terminals of each.
    pub(super) fn goals(&self, by_terminal: bool) -> Vec<Goal> {
        if by_terminal {
            let terminals = (0..).map(TerminalId).zip(&self.homes);
            let goal = |(terminal, home): (_, &NodeId)| Goal {
                node: *home,
                terminal: Some(terminal),
            };
            return terminals.map(goal).collect();
        }
        let nodes = (0..).map(NodeId).zip(&self.receivers);
        let homes = nodes.filter(|(_, receivers)| **receivers > 0.0);
        let goal = |(node, _)| Goal {
            node,
            terminal: None,
        };
        homes.map(goal).collect()
    }

    /// How many terminals a goal stands for.
    pub(super) fn receivers(&self, goal: Goal) -> f64 {
        match goal.terminal {
            Some(_) => 1.0,
            None => self.receivers[goal.node.index()],
        }
    }

    /// What enters for single terminals, by the nodes or the terminals that are goals.
    pub(super) fn by_goal(&self, by_terminal: bool) -> Vec<(Goal, NodeId, f64)> {
        let part = |part: &Part| {
            let goal = Goal {
                node: self.homes[part.to.index()],
                terminal: by_terminal.then_some(part.to),
            };
            (goal, part.from, part.words)
        };
        let mut all: Vec<_> = self.single.iter().map(part).collect();
        all.sort_by_key(|(goal, from, _)| (goal.node, goal.terminal, *from));
        all.dedup_by(|next, before| {
            let is_same = (next.0, next.1) == (before.0, before.1);
            if is_same {
                before.2 += next.2;
            }
            is_same
        });
        all
    }
}
