//! Who leaves the network: the first words at their destination, as many as may leave in a cycle.

use super::hand::{Contenders, Hand};
use super::priority::Here;
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

/// A word at its destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtHome {
    pub(super) what: Ejected,
    pub(super) hand: Hand,
}

/// Words at their destination.
pub(super) type AllAtHome = ArrayVec<AtHome, { 2 * MAX_PORTS }>;

/// The words of a node that may leave, in order: those at their destination that came over links, and these others. A word
/// that follows another one of its worm elsewhere goes with it.
#[inline]
pub(super) fn at_home(hands: &[Hand], others: impl Iterator<Item = AtHome>) -> AllAtHome {
    let hands = hands.iter().enumerate();
    let came = hands.map(|(place, hand)| AtHome {
        what: Ejected::Hand(place),
        hand: *hand,
    });
    let mut all: AllAtHome = came.filter(|one| one.hand.at_destination()).collect();
    let came = all.len();
    all.extend(others.filter(|one| one.hand.at_destination()));
    if all.len() > came {
        all.sort_unstable_by_key(|one| (one.hand.rank, one.hand.draw));
    }
    all
}

/// The first of these words that leave: at most `most` for each terminal, whose local port `to` returns.
#[inline]
pub(super) fn first_of_each(
    all: &[AtHome],
    most: usize,
    to: impl Fn(&Hand) -> Port,
) -> AllAtHome {
    let mut leaving = AllAtHome::new();
    for one in all {
        let port = to(&one.hand);
        let before = leaving.iter().filter(|left| to(&left.hand) == port);
        if before.count() < most {
            leaving.push(*one);
        }
    }
    leaving
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
        let waiting = self.side_hand(state, site.packets, here);
        let is_shared = self.topology.locals() > 1;
        if waiting.is_none() && !is_shared && !hands.iter().any(|hand| hand.home) {
            return false;
        }
        let waiting = waiting.map(|hand| (Ejected::Waiting, hand));
        let own = (0..self.topology.locals()).filter(|_| is_shared);
        let own = own.filter_map(|local| {
            let hand = self.entering(state, local, site.packets, here)?;
            Some((Ejected::Source(local), hand))
        });
        let others = waiting.into_iter().chain(own);
        let all = at_home(hands, others.map(|(what, hand)| AtHome { what, hand }));
        let most = usize::from(self.parameters.eject_words);
        let packets = &*site.packets;
        let leaving = first_of_each(&all, most, |hand| self.terminal_port(hand, packets));
        site.witness(|witness, packets| {
            let to = |hand: &Hand| self.terminal_port(hand, packets);
            explain::ejection(&all, &leaving, to, (witness, packets));
            if leaving.iter().any(|one| one.what == Ejected::Waiting) {
                explain::behind(&state.side_buffer, (witness, packets));
            }
        });
        let (mut gone, mut waiting_left) = (0u64, false);
        for AtHome { what, mut hand } in leaving {
            match what {
                Ejected::Hand(place) => gone |= 1 << place,
                Ejected::Waiting => {
                    state.side_buffer.pop();
                    waiting_left = true;
                }
                Ejected::Source(local) => {
                    hand.packet = self.leave_source(state, local, left_source, site.packets);
                }
            }
            self.deliver(state, &hand, here.now, site);
        }
        remove(hands, gone);
        waiting_left
    }

    /// The local port of the terminal to which a word goes that is at its destination.
    #[inline]
    fn terminal_port(&self, hand: &Hand, packets: &Packets) -> Port {
        self.topology.local_of(packets[hand.packet].destination)
    }

    /// A word leaves the network, and its packet with the last of its words.
    fn deliver<P: Probe>(&self, state: &mut Node, hand: &Hand, now: Cycle, site: &mut Site<'_, P>) {
        let (node, to) = (site.node, Place::Output(self.terminal_port(hand, site.packets)));
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

    fn places(all: &[AtHome]) -> Vec<Ejected> {
        all.iter().map(|one| one.what).collect()
    }

    #[test]
    fn the_first_at_home_leave() {
        use Ejected::{Hand as Came, Source, Waiting};
        let away = hand(0, false, None);
        let follows = hand(1, true, Some(Port(0)));
        let hands = [away, follows, hand(3, true, None), hand(5, true, None)];
        let ejected = |hands: &[Hand], others: &[(Ejected, Hand)], most| {
            let others = others.iter().map(|(what, hand)| AtHome {
                what: *what,
                hand: *hand,
            });
            places(&first_of_each(&at_home(hands, others), most, |_| Port(4)))
        };
        assert_eq!(ejected(&hands, &[], 1), [Came(2)]);
        assert_eq!(ejected(&hands, &[], 3), [Came(2), Came(3)]);
        let waiting = |rank| [(Waiting, hand(rank, true, None))];
        assert_eq!(ejected(&hands, &waiting(2), 1), [Waiting]);
        assert_eq!(ejected(&hands, &waiting(4), 1), [Came(2)]);
        assert_eq!(ejected(&hands, &waiting(4), 2), [Came(2), Waiting]);
        let all = [Came(2), Came(3), Waiting];
        assert_eq!(ejected(&hands, &waiting(6), 9), all);
        assert_eq!(ejected(&hands, &[(Waiting, away)], 9), all[..2]);
        assert_eq!(ejected(&[], &waiting(6), 1), [Waiting]);
        let own = [(Source(1), hand(4, true, None)), (Source(0), away)];
        assert_eq!(ejected(&hands, &own, 2), [Came(2), Source(1)]);
    }

    /// Words for two terminals, by their ranks: each terminal takes its first.
    #[test]
    fn each_terminal_takes_its_first() {
        let hands = [1, 2, 3, 4, 6].map(|rank| hand(rank, true, None));
        let all = at_home(&hands, std::iter::empty());
        let to = |hand: &Hand| Port(if hand.rank < 4 { 7 } else { 8 });
        use Ejected::Hand as Came;
        assert_eq!(places(&first_of_each(&all, 1, to)), [Came(0), Came(3)]);
        assert_eq!(
            places(&first_of_each(&all, 2, to)),
            [Came(0), Came(1), Came(3), Came(4)]
        );
    }
}
