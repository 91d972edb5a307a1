//! A word that must leave its node in this cycle, and all that its way is decided by.

use super::priority::Rank;
use arrayvec::ArrayVec;
use flitwork_node::Place;
use flitwork_types::{MAX_PORTS, PacketRef, Port, PortSet};

/// A word in the hands of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    /// Where it stands.
    pub(super) from: Place,
    /// What it carries with it; the packet's own record for a word that is being injected.
    pub(super) packet: PacketRef,
    /// Its place in its packet.
    pub(super) index: u16,
    /// Its place in the order of this node and cycle.
    pub(super) rank: Rank,
    /// The number of the draw that is its own in this step: that of its input port, or the side buffer's.
    pub(super) draw: u32,
    /// The links that bring it closer to its destination.
    pub(super) wants: PortSet,
    /// Whether it is at its destination.
    pub(super) home: bool,
    /// The link that the word before it in its worm has taken, if that is still the worm's.
    pub(super) follows: Option<Port>,
}

/// The words of a node and cycle.
pub(super) type Hands = ArrayVec<Hand, MAX_PORTS>;
/// The ports that they get, in the same order.
pub(super) type Ports = ArrayVec<Port, MAX_PORTS>;

/// Puts words in their order.
#[inline]
pub(super) fn sort(hands: &mut [Hand]) {
    // Ranks that are drawn may be equal; ports never are.
    hands.sort_unstable_by_key(|hand| (hand.rank, hand.draw));
}
