//! A word that must leave its node in this cycle, with everything that decides its way.

use super::priority::Rank;
use crate::greedy_hp::assign::Contender;
use arrayvec::ArrayVec;
use flitwork_node::Place;
use flitwork_types::{MAX_PORTS, PacketId, PacketRef, Packets, Port, PortSet};

/// A word that a node must send on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    /// Where it is.
    pub(super) from: Place,
    /// Its own record; for a word that is being injected, the packet's.
    pub(super) packet: PacketRef,
    /// Its place in its packet.
    pub(super) index: u16,
    /// Its place in the order of this node and cycle.
    pub(super) rank: Rank,
    /// The number of its draw in this step: by its input port, or the side buffer's.
    pub(super) draw: u32,
    /// The links that bring it closer to its destination.
    pub(super) wants: PortSet,
    /// Whether it is at its destination.
    pub(super) home: bool,
    /// The link that the word before it in its worm has taken, if it still belongs to the worm.
    pub(super) follows: Option<Port>,
}

impl Hand {
    /// Whether it may leave the network: one that follows another of its worm elsewhere goes with it.
    #[inline]
    pub(super) fn at_destination(&self) -> bool {
        self.home && self.follows.is_none()
    }

    /// Whether a port doesn't bring it closer to its destination.
    #[inline]
    pub(super) fn is_deroute(&self, port: Port) -> bool {
        !self.wants.contains(port)
    }
}

impl Contender for Hand {
    #[inline]
    fn wants(&self, port: Port) -> bool {
        self.wants.contains(port)
    }

    fn placed(&self, packets: &Packets) -> (PacketId, Place) {
        (packets[self.packet].id, self.from)
    }
}

/// The words of a node and cycle.
pub(super) type Contenders = ArrayVec<Hand, MAX_PORTS>;
/// The ports that they get, in the same order.
pub(super) type Ports = ArrayVec<Port, MAX_PORTS>;

/// Sorts words into their order.
#[inline]
pub(super) fn sort(hands: &mut [Hand]) {
    // Ranks that are drawn may be equal; draw numbers never are.
    hands.sort_unstable_by_key(|hand| (hand.rank, hand.draw));
}
