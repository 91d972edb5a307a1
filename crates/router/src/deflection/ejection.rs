//! Who leaves the network: the first words at their destination, as many as may leave in a cycle.

use super::hand::{Contenders, Hand};
use super::priority::{Here, Rank};
use super::{Deflection, Node, explain};
use arrayvec::ArrayVec;
use flitwork_node::{Event, Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, Packets, Port, PortSet};

/// Where a word is that may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ejected {
    /// At this place in the order of the words that came over links.
    Hand(usize),
    /// At the front of the side buffer.
    Waiting,
    /// In the injection register of the local port of this number: it goes to another terminal of its node.
    Source(usize),
}

/// The words that leave, in order, of those at their destination: the `hands` that came over links, and these others, which are in
/// order, too. `takes` is asked for each whether its terminal takes it. A word that follows another one of its worm elsewhere goes
/// with it.
#[inline]
pub(super) fn ejected(
    hands: &[Hand],
    others: &[(Ejected, Hand)],
    mut takes: impl FnMut(&Hand) -> bool,
) -> ArrayVec<Ejected, { 2 * MAX_PORTS }> {
    let mut others = others.iter().filter(|(_, hand)| hand.at_destination());
    let mut other = others.next();
    let mut ejected = ArrayVec::new();
    let at_home = hands
        .iter()
        .enumerate()
        .filter(|(_, hand)| hand.at_destination());
    for (place, hand) in at_home {
        while let Some((what, first)) = other.filter(|(_, other)| order(other) < order(hand)) {
            if takes(first) {
                ejected.push(*what);
            }
            other = others.next();
        }
        if takes(hand) {
            ejected.push(Ejected::Hand(place));
        }
    }
    let rest = other.into_iter().chain(others);
    ejected.extend(rest.filter(|(_, hand)| takes(hand)).map(|(what, _)| *what));
    ejected
}

/// The place of a word in the order.
#[inline]
fn order(hand: &Hand) -> (Rank, u32) {
    (hand.rank, hand.draw)
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

/// Where words are that leave.
struct Leaving<'a> {
    hands: &'a mut Contenders,
    /// In the side buffer, and in injection registers: in order.
    others: &'a [(Ejected, Hand)],
    /// The local ports whose packets have left their sources whole.
    left_source: &'a mut PortSet,
}

impl<T: Topology> Deflection<T> {
    /// Ejects words. Returns whether the side buffer's first flit was among them; adds the local ports whose packets have left
    /// their sources whole to `left_source`.
    #[inline]
    pub(super) fn eject<P: Probe>(
        &self,
        state: &mut Node,
        hands: &mut Contenders,
        here: Here,
        left_source: &mut PortSet,
        site: &mut Site<'_, P>,
    ) -> bool {
        if self.locals > 1 {
            return self.eject_to_several(state, hands, here, left_source, site);
        }
        let waiting = self.side_hand(state, site.packets, here);
        if waiting.is_none() && !hands.iter().any(|hand| hand.home) {
            return false;
        }
        let waiting = waiting.map(|hand| (Ejected::Waiting, hand));
        let others = waiting.as_slice();
        let mut left = self.parameters.eject_words;
        let leaving = ejected(hands, others, |_| {
            let takes = left > 0;
            left -= u8::from(takes);
            takes
        });
        let from = Leaving {
            hands,
            others,
            left_source,
        };
        self.carry_out(state, &leaving, from, here.now, site)
    }

    /// Ejects words where nodes have several terminals, to which others of the node send.
    #[inline(never)]
    fn eject_to_several<P: Probe>(
        &self,
        state: &mut Node,
        hands: &mut Contenders,
        here: Here,
        left_source: &mut PortSet,
        site: &mut Site<'_, P>,
    ) -> bool {
        let packets = &*site.packets;
        let own = (0..self.locals).filter_map(|local| {
            let hand = self.entering(state, local, packets, here)?;
            Some((Ejected::Source(local), hand))
        });
        let waiting = self.side_hand(state, packets, here);
        let waiting = waiting.map(|hand| (Ejected::Waiting, hand));
        let mut others: ArrayVec<_, { MAX_PORTS + 1 }> = own.chain(waiting).collect();
        others.sort_unstable_by_key(|(_, hand)| order(hand));
        let mut counts = [0; MAX_PORTS];
        let leaving = ejected(hands, &others, |hand| {
            let count = &mut counts[self.terminal_port(hand, packets).index()];
            let takes = *count < self.parameters.eject_words;
            *count += u8::from(takes);
            takes
        });
        let from = Leaving {
            hands,
            others: &others,
            left_source,
        };
        self.carry_out(state, &leaving, from, here.now, site)
    }

    /// These words leave. Returns whether the side buffer's first flit is among them.
    #[inline]
    fn carry_out<P: Probe>(
        &self,
        state: &mut Node,
        leaving: &[Ejected],
        from: Leaving<'_>,
        now: Cycle,
        site: &mut Site<'_, P>,
    ) -> bool {
        let Leaving {
            hands,
            others,
            left_source,
        } = from;
        let waiting_leaves = leaving.contains(&Ejected::Waiting);
        site.witness(|witness, packets| {
            let to = |hand: &Hand| self.terminal_port(hand, packets);
            explain::ejection(hands, (others, leaving), to, (witness, packets));
            if waiting_leaves {
                explain::behind(&state.side_buffer, (witness, packets));
            }
        });
        let other = |what: Ejected| {
            let found = others.iter().find(|(other, _)| *other == what);
            found.expect("a word that leaves is at its destination").1
        };
        let mut gone = 0u64;
        for what in leaving {
            match *what {
                Ejected::Hand(place) => {
                    gone |= 1 << place;
                    self.deliver(state, &hands[place], now, site);
                }
                Ejected::Waiting => {
                    state.side_buffer.pop();
                    self.deliver(state, &other(*what), now, site);
                }
                Ejected::Source(local) => {
                    let packet = self.leave_source(state, local, left_source, site.packets);
                    let hand = Hand {
                        packet,
                        ..other(*what)
                    };
                    self.deliver(state, &hand, now, site);
                }
            }
        }
        remove(hands, gone);
        waiting_leaves
    }

    /// The local port of the terminal to which a word goes that is at its destination.
    #[inline]
    fn terminal_port(&self, hand: &Hand, packets: &Packets) -> Port {
        self.topology.local_of(packets[hand.packet].destination)
    }

    /// A word leaves the network, and its packet with the last of its words.
    fn deliver<P: Probe>(&self, state: &mut Node, hand: &Hand, now: Cycle, site: &mut Site<'_, P>) {
        let (node, to) = (
            site.node,
            Place::Output(self.terminal_port(hand, site.packets)),
        );
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
    use flitwork_types::PacketRef;

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

    /// The first `most` of a terminal leave.
    fn first(hands: &[Hand], others: &[(Ejected, Hand)], most: usize) -> Vec<Ejected> {
        let mut left = most;
        let takes = |_: &Hand| {
            let takes = left > 0;
            left -= usize::from(takes);
            takes
        };
        ejected(hands, others, takes).to_vec()
    }

    #[test]
    fn the_first_at_home_leave() {
        use Ejected::{Hand as Came, Source, Waiting};
        let away = hand(0, false, None);
        let follows = hand(1, true, Some(Port(0)));
        let hands = [away, follows, hand(3, true, None), hand(5, true, None)];
        assert_eq!(first(&hands, &[], 1), [Came(2)]);
        assert_eq!(first(&hands, &[], 3), [Came(2), Came(3)]);
        let waiting = |rank| [(Waiting, hand(rank, true, None))];
        assert_eq!(first(&hands, &waiting(2), 1), [Waiting]);
        assert_eq!(first(&hands, &waiting(4), 1), [Came(2)]);
        assert_eq!(first(&hands, &waiting(4), 2), [Came(2), Waiting]);
        let all = [Came(2), Came(3), Waiting];
        assert_eq!(first(&hands, &waiting(6), 9), all);
        assert_eq!(first(&hands, &[(Waiting, away)], 9), all[..2]);
        assert_eq!(first(&[], &waiting(6), 1), [Waiting]);
        let own = [
            (Source(0), away),
            (Source(1), hand(4, true, None)),
            (Source(2), hand(7, true, None)),
        ];
        assert_eq!(first(&hands, &own, 2), [Came(2), Source(1)]);
        assert_eq!(
            first(&hands, &own, 9),
            [Came(2), Source(1), Came(3), Source(2)]
        );
    }
}
