//! Routes in memory: two bytes for each pair of nodes.

use flitwork_types::{NodeId, Port};
use std::collections::HashMap;
use std::fmt;

/// Virtual channels of a port that packets may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Way {
    pub(super) port: Port,
    /// One bit each.
    pub(super) channels: u32,
    /// Whether it is taken only if no channel of the others is free.
    pub(super) is_fallback: bool,
}

/// The ways of packets at a node to a destination.
type Ways = Box<[Way]>;

/// For each pair of a node and a destination the ways that packets may take; none for pairs that a table doesn't have.
#[derive(Clone, Default, PartialEq)]
pub struct Routes {
    nodes: usize,
    /// Virtual channels of a link.
    channels: u8,
    /// For each node the ways of one pair or several; the first are no ways.
    ways: Vec<Vec<Ways>>,
    /// For each node and destination the number of its ways among those of the node.
    of: Vec<u16>,
}

impl Routes {
    /// The ways from a node to a destination.
    #[inline]
    pub(super) fn ways(&self, here: NodeId, destination: NodeId) -> &[Way] {
        let number = self.of[here.index() * self.nodes + destination.index()];
        &self.ways[here.index()][usize::from(number)]
    }

    /// Whether they are those of a network of so many nodes and channels.
    pub(super) fn fit(&self, nodes: usize, channels: u8) -> bool {
        (self.nodes, self.channels) == (nodes, channels)
    }

    /// All that they say, in bytes.
    pub(super) fn content(&self, take: &mut dyn FnMut(&[u8])) {
        for (node, all) in self.ways.iter().enumerate() {
            for way in all.iter().flat_map(|ways| ways.iter().chain([&END])) {
                take(&[way.port.0, way.is_fallback.into()]);
                take(&way.channels.to_le_bytes());
            }
            for number in &self.of[node * self.nodes..][..self.nodes] {
                take(&number.to_le_bytes());
            }
        }
    }
}

/// Ends the ways of a pair: no channel at all.
const END: Way = Way {
    port: Port(u8::MAX),
    channels: 0,
    is_fallback: false,
};

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Routes of {} nodes", self.nodes)
    }
}

/// Routes that are being read.
pub(super) struct Builder {
    nodes: usize,
    channels: u8,
    ways: Vec<HashMap<Ways, u32>>,
    /// For each node, its ways by number.
    by_number: Vec<Vec<Ways>>,
    of: Vec<u32>,
}

impl Builder {
    pub(super) fn new(nodes: usize, channels: u8) -> Builder {
        Builder {
            nodes,
            channels,
            ways: vec![HashMap::from([(Ways::default(), 0)]); nodes],
            by_number: vec![vec![Ways::default()]; nodes],
            of: vec![0; nodes * nodes],
        }
    }

    /// Adds ways to those of a pair. Returns the first whose channels aren't all new, which is an error.
    pub(super) fn add(&mut self, (here, to): (NodeId, NodeId), new: &[Way]) -> Result<(), Way> {
        let pair = here.index() * self.nodes + to.index();
        let known = &mut self.by_number[here.index()];
        let first = self.of[pair] == 0;
        let same = self.ways[here.index()].get(new);
        if let Some(number) = same.filter(|_| first && !new.is_empty()) {
            self.of[pair] = *number;
            return Ok(());
        }
        let mut ways = known[self.of[pair] as usize].to_vec();
        for way in new {
            let clashes = |it: &&Way| it.port == way.port && it.channels & way.channels != 0;
            if ways.iter().any(|it| clashes(&it)) {
                return Err(*way);
            }
            let same = |it: &&mut Way| it.port == way.port && it.is_fallback == way.is_fallback;
            match ways.iter_mut().find(same) {
                Some(it) => it.channels |= way.channels,
                None => ways.push(*way),
            }
        }
        let ways = ways.into_boxed_slice();
        let next = known.len() as u32;
        let numbers = &mut self.ways[here.index()];
        let number = match numbers.get(&ways) {
            Some(number) => *number,
            None => {
                known.push(ways.clone());
                numbers.insert(ways, next);
                next
            }
        };
        self.of[pair] = number;
        Ok(())
    }

    /// The routes, without ways that no pair has in the end.
    pub(super) fn routes(self) -> Routes {
        let mut of = Vec::with_capacity(self.of.len());
        let mut all = Vec::with_capacity(self.nodes);
        for (node, known) in self.by_number.into_iter().enumerate() {
            let mut numbers: Vec<Option<u16>> = vec![None; known.len()];
            numbers[0] = Some(0);
            let mut ways = vec![Ways::default()];
            for old in &self.of[node * self.nodes..][..self.nodes] {
                let number = numbers[*old as usize].unwrap_or_else(|| {
                    ways.push(known[*old as usize].clone());
                    // A node has no more of them than there are destinations.
                    (ways.len() - 1) as u16
                });
                numbers[*old as usize] = Some(number);
                of.push(number);
            }
            all.push(ways);
        }
        Routes {
            nodes: self.nodes,
            channels: self.channels,
            ways: all,
            of,
        }
    }
}
