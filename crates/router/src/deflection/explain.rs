//! What a step decides, and why words stay.
//!
//! The step's own choices are made in their order on copies of the node's words: who is ejected, comes back, makes room,
//! enters, gets which link, is put aside.

mod decisions;

use super::ejection::{Ejected, ejected, remove};
use super::hand::{Hand, Hands, Ports, sort};
use super::priority::Here;
use super::side_buffer::Reinjection;
use super::{Deflection, Node, has_room};
use decisions::Decisions;
use flitwork_node::{Cause, Doing, Explanation, Inputs, Place, What};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Packets};

/// A step's words, choice by choice.
struct Seen<'a> {
    here: Here,
    packets: &'a Packets,
    /// Registers as the choices leave them.
    state: Node,
    /// Words that still need a link.
    hands: Hands,
    decisions: Decisions<'a>,
    doings: Vec<Doing>,
}

impl Seen<'_> {
    fn moves(&mut self, hand: &Hand, to: Place, deroute: bool) {
        self.tell(hand, What::Moves { to, deroute });
    }

    fn stays(&mut self, hand: &Hand, cause: Cause, culprit: Option<PacketId>) {
        let own = self.packets[hand.packet].id;
        let culprit = culprit.filter(|culprit| *culprit != own);
        self.tell(hand, What::Stays { cause, culprit });
    }

    fn tell(&mut self, hand: &Hand, what: What) {
        self.doings.push(Doing {
            packet: self.packets[hand.packet].id,
            place: hand.from,
            what,
        });
    }

    /// All links are taken; the packet without which one would be left, if all words that go on are of one.
    fn all_links_taken(&self) -> Option<PacketId> {
        sole(self.hands.iter().map(|hand| self.packets[hand.packet].id))
    }
}

/// The only packet among these.
fn sole(mut packets: impl Iterator<Item = PacketId>) -> Option<PacketId> {
    let first = packets.next()?;
    packets.all(|packet| packet == first).then_some(first)
}

impl<T: Topology> Deflection<T> {
    /// What a step with these inputs decides.
    pub(super) fn explanation(
        &self,
        node: NodeId,
        state: &Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        let here = self.here(node, now);
        let mut seen = Seen {
            here,
            packets,
            state: state.clone(),
            hands: Hands::new(),
            decisions: Decisions::new(packets),
            doings: Vec::new(),
        };
        if let Some(word) = inputs.word(self.topology.local()) {
            Self::take_word(&mut seen.state, word, node, packets);
        }
        let links = self.topology.links(node);
        self.receive(state, &mut seen.hands, inputs, packets, here);
        sort(&mut seen.hands);
        let waiting_leaves = self.see_ejection(&mut seen);
        let back = match waiting_leaves {
            true => Reinjection::No,
            false => self.see_reinjection(&mut seen, links.len()),
        };
        let first_left = waiting_leaves || back != Reinjection::No;
        self.see_side_buffer(&mut seen, state, first_left);
        self.see_entry(&mut seen, links.len());
        sort(&mut seen.hands);
        let (hands, choice) = (seen.hands.clone(), self.choice(here));
        let decisions = &mut seen.decisions;
        let ports = self.assign(&hands, links, here, |pick| {
            decisions.pick(pick, &hands, choice);
        });
        self.see_departures(&mut seen, &ports, back == Reinjection::Swap);
        seen.doings.sort_by_key(|doing| order(doing.place));
        Explanation {
            decisions: seen.decisions.made,
            packets: seen.doings,
        }
    }

    /// Who is ejected, and which packets wait for more of their words. Returns whether the side buffer's first flit is
    /// ejected.
    fn see_ejection(&self, seen: &mut Seen<'_>) -> bool {
        let waiting = self.side_hand(&seen.state, seen.packets, seen.here);
        let all = ejected(&seen.hands, waiting.as_ref(), usize::MAX);
        let most = usize::from(self.parameters.eject_words);
        let leaving = ejected(&seen.hands, waiting.as_ref(), most);
        let hand_of = |one: &Ejected| match *one {
            Ejected::Hand(place) => Some(seen.hands[place]),
            Ejected::Waiting => waiting,
        };
        let at_home: Vec<Hand> = all.iter().filter_map(hand_of).collect();
        seen.decisions.ejection(&at_home, leaving.len());
        let home = Place::Output(self.topology.local());
        let mut gone = 0u64;
        for (one, hand) in leaving.iter().zip(&at_home) {
            seen.moves(hand, home, false);
            if let Ejected::Hand(place) = one {
                gone |= 1 << place;
            }
        }
        remove(&mut seen.hands, gone);
        let packets = seen.packets;
        let came = |packet: PacketId| {
            let leaving = at_home[..leaving.len()].iter();
            let of_it = leaving.map(|hand| &packets[hand.packet]);
            let of_it = of_it.filter(move |word| word.id == packet);
            (of_it.clone().count(), of_it.map(|word| word.words).next())
        };
        for (packet, words) in seen.state.assembly.iter() {
            let (more, of_all) = came(packet);
            // Its last words have come: it is delivered.
            if of_all.is_some_and(|all| usize::from(words) + more == usize::from(all)) {
                continue;
            }
            seen.doings.push(Doing {
                packet,
                place: Place::Assembly,
                what: What::Stays {
                    cause: Cause::WordsBehind,
                    culprit: None,
                },
            });
        }
        let waiting_leaves = leaving.contains(&Ejected::Waiting);
        if waiting_leaves {
            seen.state.side_buffer.pop();
        }
        waiting_leaves
    }

    /// Whether the side buffer's first flit comes back, and another takes its place.
    fn see_reinjection(&self, seen: &mut Seen<'_>, links: usize) -> Reinjection {
        let Some(first) = self.side_hand(&seen.state, seen.packets, seen.here) else {
            return Reinjection::No;
        };
        let most_cycles = self.parameters.redirection_cycles;
        let buffer = &mut seen.state.side_buffer;
        let decided = buffer.reinjection(seen.hands.len(), links, most_cycles);
        if decided == Reinjection::No {
            seen.decisions.reinjection(&first, false);
            return decided;
        }
        buffer.pop();
        if decided == Reinjection::Swap {
            seen.decisions.redirection(&seen.hands);
            let last = seen.hands.pop().expect("all links have sent a flit");
            seen.state.side_buffer.push(&last);
            seen.moves(&last, Place::SideBuffer, false);
        }
        seen.decisions.reinjection(&first, true);
        seen.hands.push(first);
        decided
    }

    /// Why flits stay in the side buffer, which was `before`; its first may have left.
    fn see_side_buffer(&self, seen: &mut Seen<'_>, before: &Node, first_left: bool) {
        let packets = seen.packets;
        let flits: Vec<_> = before.side_buffer.iter().collect();
        for (place, flit) in flits.iter().enumerate().skip(first_left.into()) {
            let hand = self.hand(
                Place::SideBuffer,
                flit.packet,
                flit.index,
                packets,
                seen.here,
            );
            let (cause, culprit) = match place {
                0 => (Cause::OutputTaken, seen.all_links_taken()),
                _ => {
                    let ahead = flits[..place].iter();
                    let ahead = ahead.map(|flit| packets[flit.packet].id);
                    (Cause::BehindAnother, sole(ahead))
                }
            };
            seen.stays(&hand, cause, culprit);
        }
    }

    /// Whether the next word of the packet in the injection register enters.
    fn see_entry(&self, seen: &mut Seen<'_>, links: usize) {
        let Some(own) = self.entering(&seen.state, seen.packets, seen.here) else {
            return;
        };
        let room = has_room(&seen.hands, links);
        seen.decisions.entry(&own, room);
        match room {
            true => seen.hands.push(own),
            false => seen.stays(&own, Cause::OutputTaken, seen.all_links_taken()),
        }
    }

    /// Where the words go that have got links.
    fn see_departures(&self, seen: &mut Seen<'_>, ports: &Ports, swapped: bool) {
        let hands = seen.hands.clone();
        let aside = self
            .set_aside(&seen.state, &hands, ports)
            .filter(|_| !swapped);
        if let Some(aside) = aside {
            let deflected = hands.iter().zip(ports);
            let deflected = deflected.filter(|(hand, port)| self.may_be_put_aside(hand, **port));
            let deflected: Vec<Hand> = deflected.map(|(hand, _)| *hand).collect();
            seen.decisions.put_aside(&deflected, &hands[aside]);
        }
        for (place, (hand, port)) in hands.iter().zip(ports).enumerate() {
            match aside == Some(place) {
                true => seen.moves(hand, Place::SideBuffer, false),
                false => seen.moves(hand, Place::Output(*port), hand.is_deroute(*port)),
            }
        }
    }
}

/// In the order of the datapath.
fn order(place: Place) -> (u8, u8) {
    match place {
        Place::Input(port) => (0, port.0),
        Place::SideBuffer => (1, 0),
        _ => (2, 0),
    }
}
