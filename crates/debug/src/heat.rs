//! What each node counts over a stretch of a run: what it holds at its end, the deroutes that it decided, and the words
//! that it sent over each of its links.
//!
//! ```text
//!            Injected            Head at a link's port              Delivered
//!   source ──────────▶ node ─────────────────────────▶ far node ────────────▶
//!               holds one more     holds one less, holds one more   holds one less
//! ```
//!
//! What is on a link counts for the node at its end. A node holds packets or, where words travel alone, words.

use flitwork_node::Event;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Packet, Port};
use std::sync::Arc;

/// Something that a node counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// It holds so many packets or words more.
    Held(i32),
    /// It has decided a deroute.
    Deroute,
    /// A worm has left over the link at a port: its words are all sent.
    Words(Port, u16),
}

/// The far ends of a network's links, by node and port; nothing where a port has no link.
pub fn far_ends(shape: &Shape) -> impl Iterator<Item = Option<NodeId>> {
    let nodes = (0..shape.nodes()).map(NodeId);
    nodes.flat_map(move |node| {
        let ports = (0..shape.ports() as u8).map(Port);
        ports.map(move |port| shape.neighbour(node, port))
    })
}

/// How a network's events are counted.
#[derive(Clone, Debug)]
pub struct Counting {
    /// The node at the end of each link, by node and port.
    far: Arc<[Option<NodeId>]>,
    nodes: u32,
    ports: usize,
    words_travel_alone: bool,
}

impl Counting {
    /// On a network of this shape; where words travel alone, nodes hold words and not packets.
    pub fn new(shape: &Shape, words_travel_alone: bool) -> Counting {
        Counting {
            far: far_ends(shape).collect(),
            nodes: shape.nodes(),
            ports: shape.ports(),
            words_travel_alone,
        }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How much of a packet a node holds: itself or, where words travel alone, its words.
    #[inline(always)]
    fn weight(&self, packet: &Packet) -> i32 {
        match self.words_travel_alone {
            true => packet.words.into(),
            false => 1,
        }
    }

    #[inline(always)]
    fn far(&self, node: NodeId, port: Port) -> Option<NodeId> {
        match port.index() < self.ports {
            true => self.far[node.index() * self.ports + port.index()],
            false => None,
        }
    }

    /// What an event in a node counts, and at which node. Who calls it most often knows the event's kind.
    #[inline(always)]
    pub fn count(&self, node: NodeId, event: &Event, mut put: impl FnMut(NodeId, Count)) {
        match event {
            Event::Injected { packet } => put(node, Count::Held(self.weight(packet))),
            Event::Delivered { packet } => put(node, Count::Held(-self.weight(packet))),
            Event::Lost { packet, port } => {
                let at = self.far(node, *port).unwrap_or(node);
                put(at, Count::Held(-self.weight(packet)));
            }
            Event::Moved { deroute: true, .. } => put(node, Count::Deroute),
            Event::Head { port, .. } => {
                if let Some(far) = self.far(node, *port) {
                    put(node, Count::Held(-1));
                    put(far, Count::Held(1));
                }
            }
            Event::Tail { port, words, .. } => {
                if port.index() < self.ports {
                    put(node, Count::Words(*port, *words));
                }
            }
            Event::Moved { .. } | Event::Freed { .. } => {}
        }
    }
}

/// What the nodes of a network count over a stretch of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heat {
    /// When the stretch begins, in the unit of the run's time.
    pub from: u64,
    /// Before which time it ends.
    pub to: u64,
    /// The packets or, where words travel alone, words that each node holds at its end.
    pub held: Vec<u32>,
    /// The deroutes that each node decided in it.
    pub deroutes: Vec<u32>,
    /// The words that left over each link in it, by node and port.
    pub words: Vec<u32>,
    /// How many ports for links a node has.
    pub ports: usize,
}

impl Heat {
    /// What all nodes hold together.
    pub fn held_in_all(&self) -> u64 {
        sum(&self.held)
    }

    /// The deroutes of all nodes.
    pub fn deroutes_in_all(&self) -> u64 {
        sum(&self.deroutes)
    }

    /// The words over all links.
    pub fn words_in_all(&self) -> u64 {
        sum(&self.words)
    }
}

fn sum(counts: &[u32]) -> u64 {
    counts.iter().map(|it| u64::from(*it)).sum()
}

/// Counts that go on with a run.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    counting: Counting,
    held: Vec<i32>,
    deroutes: Vec<u32>,
    words: Vec<u32>,
}

impl Counts {
    pub(crate) fn new(counting: Counting) -> Counts {
        let (nodes, ports) = (counting.nodes as usize, counting.ports);
        Counts {
            held: vec![0; nodes],
            deroutes: vec![0; nodes],
            words: vec![0; nodes * ports],
            counting,
        }
    }

    /// The same from here on, for a copy of the run: a stretch begins.
    pub(crate) fn fork(&self) -> Counts {
        Counts {
            held: self.held.clone(),
            ..Counts::new(self.counting.clone())
        }
    }

    /// A stretch begins.
    pub(crate) fn begin(&mut self) {
        self.deroutes.fill(0);
        self.words.fill(0);
    }

    #[inline]
    pub(crate) fn event(&mut self, node: NodeId, event: &Event) {
        let Counts {
            counting,
            held,
            deroutes,
            ..
        } = self;
        counting.count(node, event, |node, count| match count {
            Count::Held(more) => held[node.index()] += more,
            Count::Deroute => deroutes[node.index()] += 1,
            // Word by word: a link sends through a stretch, and not when its worm ends.
            Count::Words(..) => {}
        });
    }

    #[inline]
    pub(crate) fn word(&mut self, node: NodeId, port: Port) {
        let ports = self.counting.ports;
        if port.index() < ports {
            self.words[node.index() * ports + port.index()] += 1;
        }
    }

    /// What all nodes hold, the deroutes and the words over links.
    pub(crate) fn sums(&self) -> (u64, u64, u64) {
        let held: i64 = self.held.iter().map(|it| i64::from(*it)).sum();
        (held.max(0) as u64, sum(&self.deroutes), sum(&self.words))
    }

    pub(crate) fn heat(&self, from: u64, to: u64) -> Heat {
        Heat {
            from,
            to,
            held: self.held.iter().map(|it| (*it).max(0) as u32).collect(),
            deroutes: self.deroutes.clone(),
            words: self.words.clone(),
            ports: self.counting.ports,
        }
    }
}
