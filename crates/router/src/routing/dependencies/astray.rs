//! Where a table leads packets that don't arrive.
//!
//! ```text
//!   0 ──▶ 1 ──▶ 0       a circle of nodes
//!   0 ──▶ 2             a node without a row for the destination
//! ```
//!
//! As a table knows only nodes, its ways to a destination are a graph of nodes. All packets arrive, whichever choices they take, if no node
//! that they reach is without one and no ways form a cycle.

use super::cycle::first_cycle;
use super::examine::nodes_of;
use super::{Stopped, Watch};
use crate::routing::contract::{Chance, Choices, Head, Routing};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketId, TerminalId};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// How many of several nodes are named.
const MOST_NAMED: usize = 8;
/// How many nodes of a circle are named.
const MOST_IN_CIRCLE: usize = 16;

/// What is wrong with the ways to a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Astray {
    /// The destination, and what users call it.
    pub destination: NodeId,
    /// The same.
    pub name: String,
    /// Nodes that packets to it reach, and that have no choice for them.
    pub unrouted: SomeNodes,
    /// Nodes among which packets to it may go around, in their order, each once; empty if there is no such circle.
    pub circle: Vec<NodeId>,
    /// What users call them.
    pub circle_names: Vec<String>,
    /// Nodes with terminals from which no choices lead to it.
    pub unreached: SomeNodes,
}

/// The first of several nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SomeNodes {
    /// The first eight, with what users call them.
    pub first: Vec<(NodeId, String)>,
    /// How many there are.
    pub count: usize,
}

impl SomeNodes {
    fn of(nodes: &BTreeSet<NodeId>, topology: &dyn Topology) -> SomeNodes {
        let named = nodes.iter().take(MOST_NAMED);
        SomeNodes {
            first: named
                .map(|node| (*node, topology.node_name(*node)))
                .collect(),
            count: nodes.len(),
        }
    }

    /// `0, 1 and 3 more`.
    fn in_words(&self) -> String {
        let names: Vec<&str> = self.first.iter().map(|(_, name)| name.as_str()).collect();
        match self.count - names.len() {
            0 => match names.split_last() {
                Some((last, first)) if !first.is_empty() => {
                    format!("{} and {last}", first.join(", "))
                }
                _ => names.concat(),
            },
            more => format!("{} and {more} more", names.join(", ")),
        }
    }
}

impl Astray {
    /// A line for each fault.
    pub fn lines(&self) -> Vec<String> {
        let to = &self.name;
        let mut lines = Vec::new();
        if let Some(first) = self.circle_names.first() {
            let named: Vec<&str> = self
                .circle_names
                .iter()
                .take(MOST_IN_CIRCLE)
                .map(String::as_str)
                .collect();
            let more = match self.circle_names.len() - named.len() {
                0 => String::new(),
                more => format!("{more} more nodes, "),
            };
            lines.push(format!(
                "livelock: packets to {to} go {}, {more}{first}",
                named.join(", ")
            ));
        }
        if self.unrouted.count > 0 {
            let at = self.unrouted.in_words();
            let have = if self.unrouted.count == 1 {
                "has"
            } else {
                "have"
            };
            lines.push(format!(
                "no route: packets to {to} come to {at}, which {have} no row for them"
            ));
        }
        if self.unreached.count > 0 {
            let from = self.unreached.in_words();
            lines.push(format!(
                "unreachable: no packet to {to} from {from} can arrive"
            ));
        }
        lines
    }
}

/// The destinations to which a table may lead packets astray, all of them, in order; none for other routing functions, whose measure the
/// check follows.
pub fn astray(routing: &dyn Routing, topology: &dyn Topology) -> Vec<Astray> {
    astray_under(routing, topology, &mut |_, _| ControlFlow::Continue(())).unwrap_or_default()
}

/// The same, under observation.
pub(super) fn astray_under(
    routing: &dyn Routing,
    topology: &dyn Topology,
    watch: &mut Watch<'_>,
) -> Result<Vec<Astray>, Stopped> {
    if !routing.declaration().is_table {
        return Ok(Vec::new());
    }
    let entries = nodes_of(topology, |terminal| topology.entry(terminal));
    let homes = nodes_of(topology, |terminal| topology.home(terminal));
    let mut found = Vec::new();
    for (done, to) in homes.iter().enumerate() {
        if watch(done as u32, homes.len() as u32).is_break() {
            return Err(Stopped);
        }
        let ways = Ways::of(routing, topology, &entries, *to);
        found.extend(ways.faults(&entries, topology));
    }
    Ok(found)
}

/// The ways of packets to a destination.
struct Ways {
    to: NodeId,
    /// The nodes that packets reach, the destination apart.
    reached: Vec<NodeId>,
    /// For each node, where its choices are in `next`; empty for those that no packet reaches.
    at: Vec<(u32, u32)>,
    next: Vec<NodeId>,
}

impl Ways {
    fn of(routing: &dyn Routing, topology: &dyn Topology, entries: &[NodeId], to: NodeId) -> Ways {
        let mut is_known = vec![false; topology.nodes() as usize];
        is_known[to.index()] = true;
        let mut ways = Ways {
            to,
            reached: Vec::new(),
            at: vec![(0, 0); topology.nodes() as usize],
            next: Vec::new(),
        };
        let mut choices = Choices::default();
        let mut reach = |node: NodeId, reached: &mut Vec<NodeId>| {
            if !std::mem::replace(&mut is_known[node.index()], true) {
                reached.push(node);
            }
        };
        for entry in entries {
            reach(*entry, &mut ways.reached);
        }
        let mut looked_at = 0;
        while let Some(here) = ways.reached.get(looked_at).copied() {
            looked_at += 1;
            routing.choices_under(&injected(here, to), given(to), &mut choices);
            let begin = ways.next.len() as u32;
            for choice in choices.preferred.iter().chain(&choices.fallback) {
                let Some(next) = topology.neighbour(here, choice.port) else {
                    continue;
                };
                ways.next.push(next);
                reach(next, &mut ways.reached);
            }
            ways.at[here.index()] = (begin, ways.next.len() as u32);
        }
        ways
    }

    fn nexts(&self, node: usize) -> &[NodeId] {
        let (begin, end) = self.at[node];
        &self.next[begin as usize..end as usize]
    }

    fn faults(&self, entries: &[NodeId], topology: &dyn Topology) -> Option<Astray> {
        let is_unrouted = |node: &&NodeId| self.nexts(node.index()).is_empty();
        let unrouted: BTreeSet<NodeId> = self.reached.iter().filter(is_unrouted).copied().collect();
        let circle = first_cycle(self.at.len(), |node, tried| {
            let next = self.nexts(node).get(tried)?;
            Some((next.index(), tried + 1))
        });
        if unrouted.is_empty() && circle.is_none() {
            return None;
        }
        let mut circle: Vec<NodeId> = circle
            .into_iter()
            .flatten()
            .map(|node| NodeId(node as u32))
            .collect();
        let least = circle.iter().enumerate().min_by_key(|(_, node)| **node);
        let least = least.map_or(0, |(place, _)| place);
        circle.rotate_left(least);
        Some(Astray {
            destination: self.to,
            name: topology.node_name(self.to),
            unrouted: SomeNodes::of(&unrouted, topology),
            circle_names: circle
                .iter()
                .map(|node| topology.node_name(*node))
                .collect(),
            circle,
            unreached: SomeNodes::of(&self.unreached(entries), topology),
        })
    }

    /// The entries from which no choices lead to the destination.
    fn unreached(&self, entries: &[NodeId]) -> BTreeSet<NodeId> {
        let mut before = vec![Vec::new(); self.at.len()];
        for node in &self.reached {
            for next in self.nexts(node.index()) {
                before[next.index()].push(*node);
            }
        }
        let mut arrives = vec![false; self.at.len()];
        arrives[self.to.index()] = true;
        let mut open = vec![self.to];
        while let Some(node) = open.pop() {
            for earlier in &before[node.index()] {
                if !std::mem::replace(&mut arrives[earlier.index()], true) {
                    open.push(*earlier);
                }
            }
        }
        entries
            .iter()
            .filter(|entry| !arrives[entry.index()])
            .copied()
            .collect()
    }
}

fn injected(here: NodeId, destination: NodeId) -> Head {
    Head {
        here,
        packet: PacketId::default(),
        destination,
        terminal: TerminalId::default(),
        deroutes: 0,
        from: None,
    }
}

/// No coin decides.
fn given(intermediate: NodeId) -> Chance {
    Chance::Given {
        coins: 0,
        intermediate,
    }
}
