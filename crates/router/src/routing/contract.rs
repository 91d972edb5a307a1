//! What a router asks of a routing function, and what the check of its dependencies asks.

use arrayvec::ArrayVec;
use flitwork_types::{MAX_PORTS, NodeId, PacketId, Port};

/// The most virtual channels that a link may have.
pub const MAX_CHANNELS: u8 = 32;
/// The most link ports of a node.
const MAX_LINKS: usize = MAX_PORTS - 1;

/// A head that stands in a router and has to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Head {
    /// The node it stands in, which isn't its destination.
    pub here: NodeId,
    /// Whose head it is.
    pub packet: PacketId,
    /// Where it goes.
    pub destination: NodeId,
    /// How often the packet has left through an unproductive port on purpose.
    pub deroutes: u16,
    /// The link port at which it came in, and the virtual channel; `None` where it was injected here.
    pub from: Option<(Port, u8)>,
}

/// Virtual channels of one output port that a head may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The link port.
    pub port: Port,
    /// The virtual channels, a bit each; never empty.
    pub channels: u32,
    /// Whether the port isn't productive: taking it counts as a deroute.
    pub deroute: bool,
}

/// Choices of one rank.
pub type Rank = ArrayVec<Choice, MAX_LINKS>;

/// All that a head may take. It bids for preferred channels that are free; only where none of them is
/// does it bid for fallback ones. This is asked anew in every cycle in which the head waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// What it would rather have; may be empty, and then nothing of it is free.
    pub preferred: Rank,
    /// What it takes where it must.
    pub fallback: Rank,
}

impl Choices {
    /// No choice.
    pub fn new() -> Choices {
        Choices::default()
    }

    /// Takes all choices out.
    #[inline]
    pub fn clear(&mut self) {
        self.preferred.clear();
        self.fallback.clear();
    }

    /// Adds virtual channels of a productive port, a bit each, to what the head would rather have.
    #[inline]
    pub fn prefer(&mut self, port: Port, channels: u32) {
        self.preferred.push(Choice {
            port,
            channels,
            deroute: false,
        });
    }

    /// Adds virtual channels of a port, a bit each, to what the head takes where it must.
    #[inline]
    pub fn fall_back(&mut self, port: Port, channels: u32, deroute: bool) {
        self.fallback.push(Choice {
            port,
            channels,
            deroute,
        });
    }
}

/// Who decides what a routing function leaves to chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chance {
    /// Draws keyed by the seed and the packet.
    Drawn,
    /// The check, which looks at everything that could be drawn.
    Given {
        /// What each of the packet's coins shows.
        coins: u32,
        /// The packet's intermediate node; without one, its destination.
        intermediate: NodeId,
    },
}

/// What a routing function says of itself; the check holds it to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Virtual channels a link.
    pub channels: u8,
    /// The virtual channels that break every deadlock, a bit each (Duato's escape channels): a head always
    /// has one of them among its choices. `None` where no channel is special.
    pub escape: Option<u32>,
    /// How many deroutes a packet may take: it is offered some only while it has taken fewer, and nothing
    /// else hangs on their number. All other hops bring it closer to its destination
    /// ([`Routing::links_left`]), or to the intermediate node that it visits first.
    pub misroutes: u16,
    /// What the packet's coins can show, as far as it matters: settings of all coins among which there is,
    /// for each head, one for everything that coins can make of it. `[0]` where no coin is tossed.
    pub coins: &'static [u32],
    /// Whether a packet visits an intermediate node first. Until it has been there it goes as if that were
    /// its destination; from then on that node doesn't matter any more.
    pub visits: bool,
}

/// A routing function: where heads go.
///
/// It is pure. What it leaves to chance is drawn by the seed and the packet, so a head that waits is
/// always told the same, on every engine.
pub trait Routing: Send + Sync {
    /// Puts what a head may take in the place of what stands in `choices`. Must not be asked at the
    /// head's destination, where it is delivered.
    #[inline]
    fn choices(&self, head: &Head, choices: &mut Choices) {
        self.choices_under(head, Chance::Drawn, choices);
    }

    /// The same, under chance's or the check's decisions.
    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices);

    /// Links that a head still has to go over at the most, of a function that doesn't always take shortest paths:
    /// every hop that isn't a deroute leaves fewer. `None` where those of a shortest path are meant. The check asks.
    fn links_left(&self, _head: &Head) -> Option<u32> {
        None
    }

    /// What the function says of itself.
    fn declaration(&self) -> Declaration;
}
