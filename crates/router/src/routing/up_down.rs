//! Up and down (up*/down*: Schroeder et al. 1991): the links of a network are given a direction, and a packet
//! goes up some of them first and down some afterwards.
//!
//! ```text
//!             root            a link leads up where it leads closer to the root, or as
//!           ↗  ↑  ↖           close to a node of a lower number
//!          1 ─▶ ...  2
//!         ↗ ↖       ↗ ↖       up* down*: no way leads from a link down to a link up
//!        3   4     5   6
//! ```
//!
//! Links that lead up form no cycle, nor do those that lead down, and a link down is never followed by a link
//! up: so no dependencies of channels form a cycle, with one virtual channel and on any network. The path up
//! to the root and down again always exists; of all paths that obey the rule a packet takes a shortest one.
//! On a tree these are the shortest paths of all; elsewhere they may be longer, and links close to the root
//! carry more.

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::{Freedom, Needs, RoutingEntry};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};
use std::collections::VecDeque;

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "up-down",
    summary: "the shortest of the paths that first go up a tree's links and then down",
    needs: Needs::graph(1),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build: |parameters, shape| Ok(Box::new(UpDown::new(shape, parameters.channels))),
};

/// There is no path that obeys the rule.
const NO_WAY: u16 = u16::MAX;

struct UpDown {
    shape: Shape,
    channels: u8,
    /// For each node, its distance to the root in links.
    heights: Box<[u32]>,
    /// For each destination and node, the length in links of the shortest path that obeys the rule: for heads
    /// that may still go up, and for those that may not.
    links_left: Box<[[u16; 2]]>,
}

impl UpDown {
    fn new(shape: &Shape, channels: u8) -> UpDown {
        let root = root(shape);
        let nodes = || (0..shape.nodes()).map(NodeId);
        let mut own = UpDown {
            shape: shape.clone(),
            channels,
            heights: nodes().map(|node| shape.distance(node, root)).collect(),
            links_left: Box::default(),
        };
        let ways = nodes().flat_map(|to| own.ways_to(to));
        own.links_left = ways.collect();
        own
    }

    /// Whether a link from one node to another leads up.
    fn is_up(&self, from: NodeId, to: NodeId) -> bool {
        let place = |node: NodeId| (self.heights[node.index()], node);
        place(to) < place(from)
    }

    /// The links left from each node to a destination, found backwards: from where a head may be to where it
    /// may come from.
    fn ways_to(&self, to: NodeId) -> Vec<[u16; 2]> {
        let mut left = vec![[NO_WAY; 2]; self.shape.nodes() as usize];
        left[to.index()] = [0; 2];
        let mut found = VecDeque::from([(to, false), (to, true)]);
        while let Some((node, is_down)) = found.pop_front() {
            let next = left[node.index()][usize::from(is_down)] + 1;
            for port in self.shape.links(node).iter() {
                let Some(before) = self.shape.neighbour(node, port) else {
                    continue;
                };
                // A link up leads from heads that may go up to heads that may go up; a link down leads from
                // any heads to heads that may not.
                let from: &[bool] = match (self.is_up(before, node), is_down) {
                    (true, false) => &[false],
                    (false, true) => &[false, true],
                    _ => &[],
                };
                for was_down in from {
                    let known = &mut left[before.index()][usize::from(*was_down)];
                    if *known == NO_WAY {
                        *known = next;
                        found.push_back((before, *was_down));
                    }
                }
            }
        }
        left
    }

    /// The links left from a node.
    fn left(&self, node: NodeId, destination: NodeId, is_down: bool) -> u16 {
        let row = destination.index() * self.heights.len();
        self.links_left[row + node.index()][usize::from(is_down)]
    }

    /// Whether a head may no longer go up.
    fn is_down(&self, head: &Head) -> bool {
        let from = head.from.map(|(port, _)| port);
        let before = from.and_then(|port| self.shape.neighbour(head.here, port));
        before.is_some_and(|before| !self.is_up(before, head.here))
    }

    /// Whether a port leads along a shortest allowed path.
    fn leads_on(&self, head: &Head, is_down: bool, port: Port) -> bool {
        let (here, destination) = (head.here, head.destination);
        let Some(next) = self.shape.neighbour(here, port) else {
            return false;
        };
        let is_up = self.is_up(here, next);
        let left = self.left(here, destination, is_down);
        !(is_down && is_up) && self.left(next, destination, !is_up) < left
    }
}

/// The node with the least distance to the farthest other node: the first of several.
fn root(shape: &Shape) -> NodeId {
    let nodes = || (0..shape.nodes()).map(NodeId);
    let farthest = |from: NodeId| nodes().map(|to| shape.distance(from, to)).max();
    let root = nodes().min_by_key(|node| farthest(*node));
    root.unwrap_or(NodeId(0))
}

impl Routing for UpDown {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        let is_down = self.is_down(head);
        choices.clear();
        for port in self.shape.links(head.here).iter() {
            if self.leads_on(head, is_down, port) {
                choices.prefer(port, all(self.channels));
            }
        }
    }

    fn links_left(&self, head: &Head) -> Option<u32> {
        let is_down = self.is_down(head);
        Some(self.left(head.here, head.destination, is_down).into())
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels)
    }
}
