//! What a router asks a routing function, and what the check of its dependencies asks.

use arrayvec::ArrayVec;
use flitwork_types::{MAX_PORTS, NodeId, PacketId, Port, TerminalId};

/// The most virtual channels that a link may have.
pub const MAX_CHANNELS: u8 = 32;
/// The most link ports of a node.
const MAX_LINKS: usize = MAX_PORTS - 1;

/// Settings of the coins (see [`Declaration::coins`]) if none is tossed.
pub(super) const NO_COINS: &[u32] = &[0];

/// A head in a router that has to move on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Head {
    /// The node that it is in, which isn't its destination.
    pub here: NodeId,
    /// Its packet.
    pub packet: PacketId,
    /// Its destination.
    pub destination: NodeId,
    /// The terminal there to which it goes; the check examines any one.
    pub terminal: TerminalId,
    /// How often the packet has left through an unproductive port on purpose.
    pub deroutes: u16,
    /// The link port at which it arrived, and the virtual channel; `None` if it was injected here.
    pub from: Option<(Port, u8)>,
}

/// Virtual channels of one output port that a head may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The link port.
    pub port: Port,
    /// The virtual channels, one bit each; never empty.
    pub channels: u32,
    /// Whether the port isn't productive: taking it counts as a deroute.
    pub deroute: bool,
}

/// Choices of one rank.
pub type Rank = ArrayVec<Choice, MAX_LINKS>;

/// All choices of a head. It bids for the preferred channels that are free; only if none of them is does it
/// bid for the fallback ones, in every cycle in which it waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// What it prefers; may be empty, and then none of it is free.
    pub preferred: Rank,
    /// What it falls back on.
    pub fallback: Rank,
}

impl Choices {
    /// Removes all choices.
    #[inline]
    pub fn clear(&mut self) {
        self.preferred.clear();
        self.fallback.clear();
    }

    /// Adds virtual channels of a productive port, one bit each, to the preferred choices.
    #[inline]
    pub fn prefer(&mut self, port: Port, channels: u32) {
        self.preferred.push(Choice {
            port,
            channels,
            deroute: false,
        });
    }

    /// Adds virtual channels of a port, one bit each, to the fallback choices.
    #[inline]
    pub fn fall_back(&mut self, port: Port, channels: u32, deroute: bool) {
        self.fallback.push(Choice {
            port,
            channels,
            deroute,
        });
    }
}

/// What decides the random choices of a routing function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chance {
    /// Draws keyed by the seed and the packet.
    Drawn,
    /// The check, which examines every possible draw.
    Given {
        /// The outcome of each of the packet's coin tosses.
        coins: u32,
        /// The packet's intermediate node; if it has none, its destination.
        intermediate: NodeId,
    },
}

/// What a routing function declares about itself; the check verifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Virtual channels per link.
    pub channels: u8,
    /// The virtual channels that prevent every deadlock, one bit each (Duato's escape channels): one of them
    /// is always among a head's choices. `None` if no channel is special.
    pub escape: Option<u32>,
    /// How many deroutes a packet may take: it is offered some only while it has taken fewer, and nothing
    /// else depends on their number. All other hops bring it closer to its destination
    /// ([`Routing::links_left`]), or to the intermediate node that it visits first.
    pub misroutes: u16,
    /// The outcomes of the packet's coin tosses that matter: a list of settings of all coins that contains,
    /// for each head, every result that the coins can have on it. `[0]` if no coin is tossed.
    pub coins: &'static [u32],
    /// Whether a packet visits an intermediate node first, one that has a terminal. Until then it is routed as if that node were its
    /// destination; afterwards that node no longer matters.
    pub visits: bool,
    /// Whether it follows a table of nodes and destinations: its choices depend on nothing else, there may be none, and any may lead away
    /// from the destination. The check looks for packets that don't arrive.
    pub is_table: bool,
}

impl Declaration {
    /// Of a function of so many virtual channels per link, none of them special, which tosses no coins and takes the
    /// packet straight to its destination.
    pub const fn plain(channels: u8) -> Declaration {
        Declaration {
            channels,
            escape: None,
            misroutes: 0,
            coins: NO_COINS,
            visits: false,
            is_table: false,
        }
    }
}

/// Which queues a routing function looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sees {
    /// None.
    #[default]
    Nothing,
    /// Those of the node that the head is in.
    OwnNode,
    /// Those of all nodes, as they were at the end of the cycle before. So all nodes must be in the same cycle.
    Network,
}

/// The queues of a network, to a routing function that [sees](Routing::sees) them.
pub trait Queues {
    /// The words that a node has sent through a link port and for which no credit has come back, over all virtual channels.
    fn words(&self, node: NodeId, port: Port) -> u32;
}

/// How packets divide over the ports that a head may take, for the loads of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// By what is free: it isn't known before a run.
    #[default]
    Free,
    /// One is drawn for each packet, all as likely.
    Even,
    /// Of the packet only the terminal to which it goes decides.
    ByTerminal,
}

/// The nodes that packets may draw to visit first, on their way from a node to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stopovers {
    /// The function doesn't say.
    #[default]
    Unknown,
    /// Each of these is as likely, wherever packets come from and go.
    AnyOf(Vec<NodeId>),
    /// Each of these with a probability; they sum up to 1.
    Between(Vec<(NodeId, f64)>),
}

/// A routing function: where heads go.
///
/// It is pure. Its random choices are drawn from the seed and the packet, so a waiting head always gets the
/// same answer, on every engine. If it looks at queues the head gets the answer of the cycle in which it is routed, once at each node.
pub trait Routing: Send + Sync {
    /// Replaces `choices` with what a head may take. Must not be called at the head's destination, where it
    /// is delivered.
    #[inline]
    fn choices(&self, head: &Head, choices: &mut Choices) {
        self.choices_under(head, Chance::Drawn, choices);
    }

    /// The same for a head that has just been routed, by the queues that the function [sees](Routing::sees).
    fn choices_seeing(&self, head: &Head, _queues: &dyn Queues, choices: &mut Choices) {
        self.choices(head, choices);
    }

    /// The same, with random choices made by chance or by the check. What queues decide is one of them: under
    /// [`Chance::Given`] a packet takes the way by its intermediate node, unless it is there.
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices);

    /// The most links that a head still has to cross, for a function that doesn't always take shortest paths:
    /// every hop that isn't a deroute leaves fewer. `None` stands for the length of a shortest path. Called
    /// by the check.
    fn links_left(&self, _head: &Head) -> Option<u32> {
        None
    }

    /// Which queues it looks at.
    fn sees(&self) -> Sees {
        Sees::Nothing
    }

    /// The virtual channels, one bit each, in which packets haven't been to an intermediate node and may still be sent to one. Such a
    /// head is routed like one that is injected.
    fn turning(&self) -> u32 {
        0
    }

    /// How packets divide over the preferred ports of a head.
    fn split(&self) -> Split {
        Split::default()
    }

    /// The nodes that packets from a node to another visit first, of a function whose packets do.
    fn stopovers(&self, _from: NodeId, _to: NodeId) -> Stopovers {
        Stopovers::default()
    }

    /// What the function declares about itself.
    fn declaration(&self) -> Declaration;
}
