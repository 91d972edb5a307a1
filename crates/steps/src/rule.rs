//! What a queueing algorithm is: a state of each node, a state of each packet, and four pure functions.
//!
//! ```text
//!               states, sources, productive links                       offers of the neighbours
//!                             │                                                    │
//!   begin ──▶ states ──▶ choose: at most one packet a link ──▶ links ──▶ accept: at most what fits ──▶ moves ──▶ after
//!                ▲                                                                                               │
//!                └───────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! What a rule may know of a packet's destination is its [`Sight`]. A rule of [`Blind`](crate::Blind) sight is
//! destination-exchangeable (Chinn 1995, section 2.1): it can't name a destination, so two packets whose destinations are
//! exchanged are the same to it as long as their productive links are.

mod sight;

pub use sight::{Blind, Distances, Sight, ToGo};

use crate::choice::Choice;
use crate::leg::Leg;
use crate::store::Store;
use flitwork_topology::{Grid, Topology, first_dimension};
use flitwork_types::{NodeId, Port, PortSet};
use std::fmt::Debug;

/// A packet where it begins, as a rule sees it: as the first step begins, or the first of another rule.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a, S: Sight> {
    /// The node that it is in.
    pub node: NodeId,
    /// The grid, if nodes have coordinates.
    pub grid: Option<&'a Grid>,
    /// Where it began.
    pub source: NodeId,
    /// The links that bring it closer.
    pub productive: PortSet,
    /// What the rule's sight tells of its destination.
    pub to_go: S::Of,
}

/// A packet as a rule sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a, S: Sight, P> {
    /// Where it began.
    pub source: NodeId,
    /// The links that bring it closer: of the node that it is in; of an offer, of the node that offers it.
    pub productive: PortSet,
    /// The step at whose end it came into this node: 0 where it began. A rule could keep this in the packet's state.
    pub arrived: u32,
    /// The port by which it came; none where it began. A rule could keep this in the packet's state.
    pub through: Option<Port>,
    /// The link in whose queue it lies: none beside such queues, and where a node has none. A rule could keep this in the
    /// packet's state.
    pub queue: Option<Port>,
    /// Its state.
    pub state: &'a P,
    /// What the rule's sight tells of its destination.
    pub to_go: S::Of,
    /// The leg that it is on; none of a packet that goes straight to its destination, and for a rule that doesn't
    /// [read legs](Rule::READS_LEGS).
    pub leg: Option<&'a Leg>,
}

impl<S: Sight, P> Seen<'_, S, P> {
    /// The stage of its leg: of packets that want the same link, those of a lower stage go first.
    #[inline]
    pub fn stage(&self) -> u16 {
        self.leg.map_or(0, |leg| leg.stage)
    }
}

/// A link for which packets of its node are ranked.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// The node.
    pub node: NodeId,
    /// The number of this step.
    pub step: u32,
    /// The link's [dimension](Here::dimension).
    pub dimension: usize,
    /// The port by which those have come that go straight on, if nodes have opposite ports.
    pub across: Option<Port>,
    /// The grid, if nodes have coordinates.
    pub grid: Option<&'a Grid>,
}

impl<'a> Link<'a> {
    /// The link at a port of a node, in a step.
    #[inline]
    pub fn of(node: NodeId, port: Port, step: u32, grid: Option<&'a Grid>) -> Link<'a> {
        Link {
            node,
            step,
            dimension: grid.map_or(port.index(), |grid| grid.dimension(port)),
            across: grid.map(|grid| grid.opposite(port)),
            grid,
        }
    }
}

/// A node as a rule sees it.
#[derive(Debug)]
pub struct Here<'a, R: Rule + ?Sized> {
    /// Its number.
    pub node: NodeId,
    /// Its ports with a link.
    pub links: PortSet,
    /// The grid, if nodes have coordinates.
    pub grid: Option<&'a Grid>,
    /// The number of this step, from 1. A rule could count it in the node's state.
    pub step: u32,
    /// The steps that were done when this rule began: none, or those of the rules before it.
    pub began: u32,
    /// Where it keeps packets.
    pub store: Store,
    /// The node's state.
    pub state: &'a R::Node,
    /// What it holds, in the order in which it came; of equal step, by the port.
    pub packets: &'a [Seen<'a, R::Sight, R::Packet>],
    /// The notes that came in this step, by the ports by which they came: [`Rule::after`] sees them.
    pub notes: &'a [(Port, R::Note)],
}

impl<R: Rule + ?Sized> Here<'_, R> {
    /// The dimension in which the link at a port leads; on graphs without dimensions the port's number.
    pub fn dimension(&self, port: Port) -> usize {
        match self.grid {
            Some(grid) => grid.dimension(port),
            None => port.index(),
        }
    }

    /// The node at the end of the link at a port, if nodes have coordinates.
    pub fn neighbour(&self, port: Port) -> Option<NodeId> {
        self.grid?.neighbour(self.node, port)
    }

    /// The port on the other side of a node, by which those come that leave at `port` if they go straight on.
    pub fn across(&self, port: Port) -> Option<Port> {
        self.grid.map(|grid| grid.opposite(port))
    }

    /// The productive link of the lowest dimension; of two ways around a torus, the lower port.
    #[inline]
    pub fn first_dimension(&self, productive: PortSet) -> Option<Port> {
        first_dimension(productive, self.grid)
    }
}

/// A packet that a neighbour offers.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a, S: Sight, P> {
    /// The port by which it would come.
    pub through: Port,
    /// How many more packets fit where it would be put, by what is there as the step begins.
    pub room: usize,
    /// The links in whose queues it may come to lie, by what the rule's sight tells: one or none where queues are of
    /// incoming links, and none where a node has but one queue.
    pub queues: PortSet,
    /// The packet.
    pub packet: Seen<'a, S, P>,
}

/// Offers, as a rule sees them.
pub type Offers<'a, R> = [Offer<'a, <R as Rule>::Sight, <R as Rule>::Packet>];

impl<S: Sight, P> Offer<'_, S, P> {
    /// Whether it may come to lie in one queue with another.
    pub fn shares(&self, store: Store, other: &Offer<'_, S, P>) -> bool {
        match store {
            Store::Central(_) => true,
            Store::Incoming(_) | Store::Outgoing(_) => self.queues.0 & other.queues.0 != 0,
            Store::Unbounded => false,
        }
    }
}

/// Accepts offers in an order, each that still fits.
pub fn accept_in_order<S: Sight, P>(
    store: Store,
    offers: &[Offer<'_, S, P>],
    order: impl IntoIterator<Item = usize>,
    accepted: &mut Vec<usize>,
) {
    for place in order {
        let offer = &offers[place];
        let taken = match store {
            Store::Central(_) => accepted.len(),
            Store::Outgoing(_) => {
                let before = accepted.iter().map(|it| &offers[*it]);
                before.filter(|it| it.shares(store, offer)).count()
            }
            // No two come by the same port.
            Store::Incoming(_) | Store::Unbounded => 0,
        };
        if offer.room > taken {
            accepted.push(place);
        }
    }
}

/// A queueing algorithm.
pub trait Rule: Debug + Send + Sync {
    /// What it may know of destinations.
    type Sight: Sight;
    /// A node's state.
    type Node: Clone + Debug + PartialEq + Send;
    /// A packet's state, which goes with it.
    type Packet: Clone + Debug + PartialEq + Send;
    /// What a link carries instead of a packet: [`NoNotes`](crate::NoNotes) for most rules.
    type Note: Copy + Debug + PartialEq + Send + Sync;

    /// Whether it sends notes: nodes that hold nothing are then asked as well.
    const HAS_NOTES: bool = false;
    /// Whether [`Rule::waits_for`] says for which link a packet waits, as queues of outgoing links need.
    const WAITS_FOR_LINKS: bool = false;
    /// Whether it reads the [legs](Seen::leg) of packets that are on such; otherwise it isn't told.
    const READS_LEGS: bool = false;
    /// Whether a packet keeps its [rank](Rule::rank) for as long as it waits in a node, for the link that [`Rule::waits_for`] says;
    /// whether packets of equal rank came in one step, or began there; and whether the rule chooses by stage and rank alone, of
    /// equals the first that the node holds, and accepts all that fits. A machine then asks once for each packet that comes, so
    /// long as no node has a state that changes, and queues are unbounded.
    const KEEPS_RANKS: bool = false;

    /// The state of a node as the first step begins, by its number and the productive links of what it holds.
    fn begin(&self, node: NodeId, productive: &[PortSet]) -> Self::Node;

    /// The state of a packet as the first step begins, by its node's state and what is seen of it.
    fn begin_packet(&self, node: &Self::Node, packet: &Beginning<'_, Self::Sight>) -> Self::Packet;

    /// The state of a packet that another rule of this type has left: as it begins, unless the rule keeps something of it.
    fn resume_packet(
        &self,
        node: &Self::Node,
        packet: &Beginning<'_, Self::Sight>,
        _before: &Self::Packet,
    ) -> Self::Packet {
        self.begin_packet(node, packet)
    }

    /// The link in whose queue a packet begins, where links have queues and there is room; none beside them.
    fn begins_in(&self, _: Store, _: &Beginning<'_, Self::Sight>) -> Option<Port> {
        None
    }

    /// The one link for which a packet waits in a node: by default the productive one of the lowest dimension.
    fn waits_for(
        &self,
        _at: NodeId,
        _source: NodeId,
        productive: PortSet,
        grid: Option<&Grid>,
    ) -> Option<Port> {
        first_dimension(productive, grid)
    }

    /// The rank of a packet for the link for which it waits, if the rule [keeps ranks](Rule::KEEPS_RANKS): the least goes first.
    fn rank(&self, _: &Link<'_>, _: &Seen<'_, Self::Sight, Self::Packet>) -> u64 {
        0
    }

    /// Which packets the node sends: at most one a link, each over at most one.
    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice<Self::Note>);

    /// Whether a node that sends nothing in this step sends nothing, and keeps all states, until a packet comes into it: then it
    /// isn't asked before.
    fn rests(&self, _: &Here<'_, Self>) -> bool {
        false
    }

    /// Which offers, by their places, the node accepts: at most what fits once the step is over.
    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>);

    /// Whether [`Rule::after`] does anything.
    fn has_state(&self) -> bool {
        false
    }

    /// The states after the step, of the node and of what it holds then: `here` has those before it. A node that held nothing
    /// and holds nothing keeps its state, unless the rule sends notes.
    fn after(&self, _: &Here<'_, Self>, _node: &mut Self::Node, _packets: &mut [Self::Packet]) {}
}
