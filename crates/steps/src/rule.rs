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
//! What a rule may know of a packet's destination is its [`Sight`]. A rule of [`Blind`] sight is destination-exchangeable
//! (Chinn 1995, section 2.1): it can't name a destination, so two packets whose destinations are exchanged are the same to
//! it as long as their productive links are.

use crate::store::Store;
use flitwork_topology::{Grid, MAX_DIMENSIONS, Topology};
use flitwork_types::{NodeId, Port, PortSet};
use std::fmt::Debug;

/// What a rule may know of destinations, beyond the links that bring a packet closer to them.
pub trait Sight: Debug + Send + Sync + 'static {
    /// What it knows of one packet.
    type Of: Copy + Debug + PartialEq;

    /// What it knows of a packet for `destination` that is `here`.
    fn of(topology: &impl Topology, here: NodeId, destination: NodeId) -> Self::Of;
}

/// Nothing more.
#[derive(Debug)]
pub enum Blind {}

impl Sight for Blind {
    type Of = ();

    #[inline]
    fn of(_: &impl Topology, _: NodeId, _: NodeId) {}
}

/// How far it is.
#[derive(Debug)]
pub enum Distances {}

/// How far a packet has to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToGo {
    links: u32,
    dimensions: usize,
    along: [u32; MAX_DIMENSIONS],
}

impl ToGo {
    /// Links of a shortest path.
    pub fn links(&self) -> u32 {
        self.links
    }

    /// The links of them that lead in [a dimension](Here::dimension); on graphs without dimensions all.
    pub fn along(&self, dimension: usize) -> u32 {
        match self.along[..self.dimensions].get(dimension) {
            Some(links) => *links,
            None => self.links,
        }
    }
}

impl Sight for Distances {
    type Of = ToGo;

    #[inline]
    fn of(topology: &impl Topology, here: NodeId, destination: NodeId) -> ToGo {
        let mut along = [0; MAX_DIMENSIONS];
        let Some(grid) = topology.grid() else {
            return ToGo {
                links: topology.distance(here, destination),
                dimensions: 0,
                along,
            };
        };
        let dimensions = grid.ports() / 2;
        for (dimension, links) in along[..dimensions].iter_mut().enumerate() {
            *links = grid.distance_in(dimension, here, destination);
        }
        ToGo {
            links: along[..dimensions].iter().sum(),
            dimensions,
            along,
        }
    }
}

/// The destination.
#[derive(Debug)]
pub enum Whole {}

impl Sight for Whole {
    type Of = NodeId;

    #[inline]
    fn of(_: &impl Topology, _: NodeId, destination: NodeId) -> NodeId {
        destination
    }
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
    /// Its state.
    pub state: &'a P,
    /// What the rule's sight tells of its destination.
    pub to_go: S::Of,
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
    /// Where it keeps packets.
    pub store: Store,
    /// The node's state.
    pub state: &'a R::Node,
    /// What it holds, in the order in which it came; of equal step, by the port.
    pub packets: &'a [Seen<'a, R::Sight, R::Packet>],
}

impl<R: Rule + ?Sized> Here<'_, R> {
    /// The dimension in which the link at a port leads; on graphs without dimensions the port's number.
    pub fn dimension(&self, port: Port) -> usize {
        match self.grid {
            Some(grid) => grid.dimension(port),
            None => port.index(),
        }
    }

    /// The port on the other side of a node, by which those come that leave at `port` if they go straight on.
    pub fn across(&self, port: Port) -> Option<Port> {
        self.grid.map(|grid| grid.opposite(port))
    }
}

/// A packet that a neighbour offers.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a, S: Sight, P> {
    /// The port by which it would come.
    pub through: Port,
    /// How many more packets fit where it would be put, by what is there as the step begins.
    pub room: usize,
    /// The packet.
    pub packet: Seen<'a, S, P>,
}

/// Accepts offers in an order, each that still fits.
pub fn accept_in_order<S: Sight, P>(
    store: Store,
    offers: &[Offer<'_, S, P>],
    order: impl IntoIterator<Item = usize>,
    accepted: &mut Vec<usize>,
) {
    for place in order {
        let taken = match store {
            Store::Central(_) => accepted.len(),
            // No two come by the same port.
            Store::Incoming(_) | Store::Unbounded => 0,
        };
        if offers[place].room > taken {
            accepted.push(place);
        }
    }
}

/// Which packet a node sends over each link: that with this place among those that it holds.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub(crate) sent: Vec<(Port, usize)>,
}

impl Choice {
    /// Sends a packet over the link at a port.
    pub fn send(&mut self, port: Port, packet: usize) {
        self.sent.push((port, packet));
    }

    /// Whether a packet is sent already.
    pub fn sends(&self, packet: usize) -> bool {
        self.sent.iter().any(|(_, sent)| *sent == packet)
    }

    /// Whether a link is taken already.
    pub fn takes(&self, port: Port) -> bool {
        self.sent.iter().any(|(taken, _)| *taken == port)
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

    /// Whether [`Rule::after`] does anything.
    const HAS_STATE: bool = false;

    /// The state of a node as the first step begins, by its number and the productive links of what it holds.
    fn begin(&self, node: NodeId, productive: &[PortSet]) -> Self::Node;

    /// The state of a packet as the first step begins, by its node's state, its source and its productive links.
    fn begin_packet(&self, node: &Self::Node, source: NodeId, productive: PortSet) -> Self::Packet;

    /// Which packets the node sends: at most one a link, each over at most one.
    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice);

    /// Which offers, by their places, the node accepts: at most what fits once the step is over.
    fn accept(
        &self,
        here: &Here<'_, Self>,
        offers: &[Offer<'_, Self::Sight, Self::Packet>],
        accepted: &mut Vec<usize>,
    );

    /// The states after the step, of the node and of what it holds then: `here` has those before it. A node that held nothing
    /// and holds nothing keeps its state.
    fn after(&self, _: &Here<'_, Self>, _node: &mut Self::Node, _packets: &mut [Self::Packet]) {}
}
