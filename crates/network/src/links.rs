//! The timing of links between nodes that need not share a clock.

use crate::crossing::Crossing;
use crate::delay::Arbiter;
use crate::handshake::{Handshake, Segment};
use flitwork_types::{NodeId, Port};
use std::collections::BTreeMap;

/// The timing of all links, and what differs from link to link. A link is described each way; one with a latency of
/// its own in its topology takes that, in nominal cycles, unless its timing is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTiming {
    /// From the tick in which a word or a credit leaves until it is at the far end, in ps; at least 1. Links with
    /// handshakes don't read it.
    pub latency_ps: u64,
    /// How many words may be under way or wait at the far end, at least 1.
    pub capacity_words: u32,
    /// What happens where a word or a credit crosses from one clock to another.
    pub crossing: Crossing,
    /// How words are handed over, if each is acknowledged; `None` where they are put on the link at the sender's pace.
    pub handshake: Option<Handshake>,
    /// What is different about single links, by the node and the port from which words leave.
    pub own: BTreeMap<(NodeId, Port), OwnTiming>,
}

/// What is different about one direction of a link; `None` for what isn't.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnTiming {
    /// Its latency, in ps.
    pub latency_ps: Option<u64>,
    /// Its crossing.
    pub crossing: Option<Crossing>,
    /// The segments of its handshakes, in the order in which a word passes them; at least one.
    pub segments: Option<Vec<Segment>>,
}

impl LinkTiming {
    /// Links that are wires, all alike, with synchronizers of that many edges of the receiver's clock where they
    /// cross from one clock to another.
    pub fn wires(latency_ps: u64, capacity_words: u32, synchronizer_edges: u32) -> LinkTiming {
        LinkTiming {
            latency_ps,
            capacity_words,
            crossing: Crossing::synchronizer(synchronizer_edges),
            handshake: None,
            own: BTreeMap::new(),
        }
    }

    /// What is different about the link that leads from a port of a node.
    pub fn own(&self, node: NodeId, port: Port) -> Option<&OwnTiming> {
        self.own.get(&(node, port))
    }

    /// How long the longest link is, in ps, as far as links have no latency of their own in their topology.
    pub fn longest_ps(&self) -> u64 {
        let own = self.own.values().filter_map(|own| own.latency_ps);
        own.fold(self.latency_ps, u64::max)
    }

    /// The crossing of the link that leads from a port of a node.
    pub fn crossing_of(&self, node: NodeId, port: Port) -> &Crossing {
        let own = self.own(node, port).and_then(|own| own.crossing.as_ref());
        own.unwrap_or(&self.crossing)
    }

    /// The segments of the link that leads from a port of a node, if words are handed over.
    pub fn segments_of(&self, node: NodeId, port: Port) -> Option<&[Segment]> {
        let handshake = self.handshake.as_ref()?;
        let own = self.own(node, port).and_then(|own| own.segments.as_deref());
        Some(own.unwrap_or(&handshake.segments))
    }

    /// Gives every clock that waits for what comes this arbiter.
    pub fn arbitrate(&mut self, arbiter: Option<Arbiter>) {
        let own = self.own.values_mut();
        let own = own.filter_map(|own| own.crossing.as_mut());
        for crossing in own.chain([&mut self.crossing]) {
            if let Some(pause) = &mut crossing.pause {
                pause.arbiter = arbiter;
            }
        }
    }

    /// All crossings that there are.
    pub fn crossings(&self) -> impl Iterator<Item = &Crossing> {
        let own = self.own.values().filter_map(|own| own.crossing.as_ref());
        std::iter::once(&self.crossing).chain(own)
    }

    /// The most edges that anything waits at a crossing.
    pub fn most_edges(&self) -> u32 {
        let edges = self.crossings().map(|crossing| crossing.edges);
        edges.max().unwrap_or(0)
    }
}
