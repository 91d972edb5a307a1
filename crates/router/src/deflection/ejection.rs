//! Who leaves the network: the first words at their destination, as many as may leave in a cycle.

use super::hand::{Contenders, Hand};
use super::priority::Here;
use super::{Deflection, Node, explain};
use arrayvec::ArrayVec;
use flitwork_node::{Event, Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS};

/// A word that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ejected {
    /// The word at this place in the order.
    Hand(usize),
    /// The flit at the front of the side buffer.
    Waiting,
}

/// The words that leave, in order: at most `most` of those at their destination, the side buffer's first flit
/// among them. A word that follows another one of its worm elsewhere goes with it.
#[inline]
pub(super) fn ejected(
    hands: &[Hand],
    waiting: Option<&Hand>,
    most: usize,
) -> ArrayVec<Ejected, MAX_PORTS> {
    let mut waiting = waiting.filter(|hand| hand.at_destination());
    let mut ejected = ArrayVec::new();
    let at_home = hands
        .iter()
        .enumerate()
        .filter(|(_, hand)| hand.at_destination());
    for (place, hand) in at_home {
        if waiting.is_some_and(|waiting| waiting.rank < hand.rank) {
            waiting = None;
            ejected.push(Ejected::Waiting);
        }
        ejected.push(Ejected::Hand(place));
    }
    ejected.extend(waiting.map(|_| Ejected::Waiting));
    ejected.truncate(most);
    ejected
}

/// Removes the words at these places, a bit each.
#[inline]
fn remove(hands: &mut Contenders, gone: u64) {
    let mut place = 0;
    hands.retain(|_| {
        place += 1;
        gone >> (place - 1) & 1 == 0
    });
}

impl<T: Topology> Deflection<T> {
    /// Ejects words. Returns whether the side buffer's first flit was among them.
    #[inline]
    pub(super) fn eject<P: Probe>(
        &self,
        state: &mut Node,
        hands: &mut Contenders,
        here: Here,
        site: &mut Site<'_, P>,
    ) -> bool {
        let waiting = self.side_hand(state, site.packets, here);
        if waiting.is_none() && !hands.iter().any(|hand| hand.home) {
            return false;
        }
        let most = usize::from(self.parameters.eject_words);
        let leaving = ejected(hands, waiting.as_ref(), most);
        site.witness(|witness, packets| {
            explain::ejection(hands, waiting.as_ref(), &leaving, (witness, packets));
            if leaving.contains(&Ejected::Waiting) {
                explain::behind(&state.side_buffer, (witness, packets));
            }
        });
        let mut gone = 0u64;
        for one in &leaving {
            match *one {
                Ejected::Hand(place) => {
                    gone |= 1 << place;
                    self.deliver(state, &hands[place], here.now, site);
                }
                Ejected::Waiting => {
                    state.side_buffer.pop();
                    let hand = waiting.expect("the side buffer has a flit at home");
                    self.deliver(state, &hand, here.now, site);
                }
            }
        }
        remove(hands, gone);
        leaving.contains(&Ejected::Waiting)
    }

    /// A word leaves the network, and its packet with the last of its words.
    fn deliver<P: Probe>(&self, state: &mut Node, hand: &Hand, now: Cycle, site: &mut Site<'_, P>) {
        let (node, to) = (site.node, Place::Output(self.topology.local()));
        site.moved(now, hand.packet, (hand.from, to), false);
        if let (Some(lanes), Place::Input(port)) = (&mut state.lanes, hand.from) {
            lanes.end(port);
        }
        match state.assembly.put(site.packets[hand.packet]) {
            Some(packet) => site.probe.event(node, now, Event::Delivered { packet }),
            None => site.shifted(now, hand.packet, hand.index, (hand.from, Place::Assembly)),
        }
        site.packets.remove(hand.packet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::{PacketRef, Port, PortSet};

    fn hand(rank: u128, home: bool, follows: Option<Port>) -> Hand {
        Hand {
            from: Place::SideBuffer,
            packet: PacketRef(0),
            index: 0,
            rank,
            draw: 0,
            wants: PortSet::EMPTY,
            home,
            follows,
        }
    }

    #[test]
    fn the_first_at_home_leave() {
        use Ejected::{Hand, Waiting};
        let away = hand(0, false, None);
        let follows = hand(1, true, Some(Port(0)));
        let hands = [away, follows, hand(3, true, None), hand(5, true, None)];
        assert_eq!(ejected(&hands, None, 1)[..], [Hand(2)]);
        assert_eq!(ejected(&hands, None, 3)[..], [Hand(2), Hand(3)]);
        let waiting = |rank| hand(rank, true, None);
        assert_eq!(ejected(&hands, Some(&waiting(2)), 1)[..], [Waiting]);
        assert_eq!(ejected(&hands, Some(&waiting(4)), 1)[..], [Hand(2)]);
        assert_eq!(
            ejected(&hands, Some(&waiting(4)), 2)[..],
            [Hand(2), Waiting]
        );
        let all = [Hand(2), Hand(3), Waiting];
        assert_eq!(ejected(&hands, Some(&waiting(6)), 9)[..], all);
        assert_eq!(ejected(&hands, Some(&away), 9)[..], all[..2]);
        assert_eq!(ejected(&[], Some(&waiting(6)), 1)[..], [Waiting]);
    }
}
