//! The machine that repeats steps: it keeps packets and queues, asks the rule, and carries out what the rule says.
//!
//! ```text
//!   for each node that holds packets      choose ──▶ scheduled
//!                                                       │
//!   the meddler                           exchanges destinations, if it likes
//!                                                       │
//!   for each node that is offered any     accept ──▶ moves: at its destination a packet leaves the network
//!                                                       │
//!   for each node that held or holds any  after ──▶ states
//! ```
//!
//! Nothing depends on the order in which nodes are asked: what comes into a node in a step is put in the order of its ports.

mod arrivals;
mod begin;
mod circle;
mod lanes;
mod legs;
mod queues;
mod steps;

use crate::meddler::{Adversary, Meddling, PacketState, Scheduled};
use crate::rule::Rule;
use crate::rule::Sight;
use crate::store::Store;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port, PortSet};

pub use begin::MachineError;

use arrivals::Arrivals;
use lanes::Lanes;
use legs::Legs;

/// A packet of a problem, by its place in the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId(pub u32);

impl PacketId {
    /// The number as an index into a table of packets.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A packet that has crossed a link in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// Which packet.
    pub packet: PacketId,
    /// From which node.
    pub from: NodeId,
    /// Over the link at which port.
    pub port: Port,
}

/// What is known of a packet besides its whereabouts.
#[derive(Clone, Debug, PartialEq)]
struct Carried<O, P> {
    productive: PortSet,
    through: Option<Port>,
    queue: Option<Port>,
    to_go: O,
    state: P,
}

/// What a rule's sight tells of a packet.
type Of<R> = <<R as Rule>::Sight as Sight>::Of;

/// A note on its way: to which node, to which port there.
type Posted<R> = (NodeId, Port, <R as Rule>::Note);

/// A problem being routed.
#[derive(Debug)]
pub struct Machine<'a, T, R: Rule> {
    topology: &'a T,
    /// The same, if nodes have coordinates: known by its type, so that a packet's links take no call.
    grid: Option<&'a Grid>,
    rule: &'a R,
    store: Store,
    step: u32,
    /// The steps that were done when the rule began.
    began: u32,
    packets: Vec<PacketState>,
    carried: Vec<Carried<Of<R>, R::Packet>>,
    nodes: Vec<R::Node>,
    /// Of packets that go from goal to goal.
    legs: Option<Legs>,
    /// By node: its ports with a link.
    links: Vec<PortSet>,
    /// The most ports of a node.
    ports: usize,
    lanes: Lanes,
    /// How many steps a packet takes to cross a link.
    flits: u32,
    /// By link: the first step in which it is free again; empty if packets cross in a step.
    free_from: Vec<u32>,
    /// What each node holds, in the order of its coming; nothing beside lanes.
    held: Vec<Vec<PacketId>>,
    /// The nodes that are asked, once each: those that hold anything and don't rest, or all if the rule sends notes.
    busy: Vec<NodeId>,
    /// By node: whether it is one of them.
    is_busy: Vec<bool>,
    /// Of the nodes that are asked, those that rest from this step on.
    resting: Vec<NodeId>,
    delivered: usize,
    moved: u64,
    queue_max: usize,
    scheduled: Vec<Scheduled>,
    arrivals: Arrivals,
    exchanged: Vec<(PacketId, PacketId)>,
    /// Of what is scheduled, what is accepted.
    crossing: Vec<Scheduled>,
    moves: Vec<Move>,
    notes: Vec<Posted<R>>,
}

impl<'a, T: Topology, R: Rule> Machine<'a, T, R> {
    /// The network.
    pub fn topology(&self) -> &'a T {
        self.topology
    }

    /// How many steps are done.
    pub fn steps(&self) -> u32 {
        self.step
    }

    /// Whether all packets are where they go.
    pub fn is_done(&self) -> bool {
        self.delivered == self.packets.len()
    }

    /// The packets that aren't where they go.
    pub fn undelivered(&self) -> usize {
        self.packets.len() - self.delivered
    }

    /// The packets' whereabouts, by number.
    pub fn packets(&self) -> &[PacketState] {
        &self.packets
    }

    /// How many packets a node holds.
    pub fn held(&self, node: NodeId) -> usize {
        match self.has_lanes() {
            true => self.held_in_lanes(node) as usize,
            false => self.held[node.index()].len(),
        }
    }

    /// The most packets that any node has held at the beginning, or at a step's end.
    pub fn queue_max(&self) -> usize {
        self.queue_max
    }

    /// The moves of the last step, in the order of the nodes to which they led.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The links that packets have crossed so far.
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// How many notes have crossed links in the last step.
    pub fn notes(&self) -> usize {
        self.notes.len()
    }

    /// The packets whose destinations were exchanged in the last step.
    pub fn exchanged(&self) -> &[(PacketId, PacketId)] {
        &self.exchanged
    }

    /// What two machines must have in common to go on alike: everything that isn't a count of what was.
    pub fn is_like(&self, other: &Machine<'_, T, R>) -> bool {
        self.packets == other.packets
            && self.nodes == other.nodes
            && self.held == other.held
            && self.carried == other.carried
    }

    /// The order in which nodes are asked in the next step; nothing depends on it.
    pub fn busy_mut(&mut self) -> &mut [NodeId] {
        &mut self.busy
    }

    /// The node at the end of a link, and the port there.
    #[inline]
    fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        match self.grid {
            Some(grid) => grid.far(node, port),
            None => self.topology.far(node, port),
        }
    }

    /// The place of a link in tables by node and port.
    #[inline]
    fn place(&self, node: NodeId, port: Port) -> usize {
        self.ports * node.index() + port.index()
    }

    /// How many places there are.
    fn places(&self) -> usize {
        self.ports * self.topology.nodes() as usize
    }

    /// Makes a step. Returns whether any packet or note has crossed a link.
    pub fn step(&mut self, meddler: &mut impl Adversary) -> bool {
        self.step += 1;
        self.exchanged.clear();
        if let Some(legs) = &mut self.legs {
            legs.clear();
        }
        match self.has_lanes() {
            true => self.choose_first(),
            false => self.choose(),
        }
        let mut meddling = Meddling {
            step: self.step,
            scheduled: &self.scheduled,
            packets: &mut self.packets,
            exchanged: &mut self.exchanged,
        };
        meddler.meddle(&mut meddling);
        for exchange in 0..self.exchanged.len() {
            let (one, other) = self.exchanged[exchange];
            self.look(one);
            self.look(other);
            self.wake(one);
            self.wake(other);
        }
        match self.has_lanes() {
            true => self.cross_all(),
            false => {
                self.sort_scheduled();
                self.accept();
                self.carry_out();
            }
        }
        !self.moves.is_empty() || !self.notes.is_empty()
    }

    /// Node by node, and of one node by its ports: the order of the nodes that chose leaves no trace.
    fn sort_scheduled(&mut self) {
        let order = self.arrivals.order(&self.scheduled, self.ports);
        self.crossing.clear();
        let sorted = order.iter().map(|place| self.scheduled[*place as usize]);
        self.crossing.extend(sorted);
        std::mem::swap(&mut self.scheduled, &mut self.crossing);
        self.arrivals.take_back(order);
    }

    /// Packets become worms of so many flits: whoever crosses a link holds it for as many steps. Its head goes on with the next
    /// step, and where it waits the flits behind it gather.
    #[must_use]
    pub fn of_flits(mut self, flits: u32) -> Self {
        self.flits = flits.max(1);
        self.free_from = match self.flits {
            1 => Vec::new(),
            _ => vec![0; self.places()],
        };
        self
    }

    /// A link carries something else in the next step.
    pub fn take_link(&mut self, node: NodeId, port: Port) {
        if self.free_from.is_empty() {
            self.free_from = vec![0; self.places()];
        }
        let place = self.place(node, port);
        self.free_from[place] = self.free_from[place].max(self.step + 2);
    }

    /// Lets steps go by in which nothing moves: for rules that, once nothing moves, move nothing more.
    pub fn wait(&mut self, steps: u32) {
        self.step += steps;
        self.moves.clear();
        self.crossing.clear();
        self.scheduled.clear();
        self.notes.clear();
        self.exchanged.clear();
    }
}
