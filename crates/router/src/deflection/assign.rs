//! Which word leaves by which port. Pure: it maps the words of a node and cycle, in their order, to ports.
//!
//! Each word in turn takes the first available of:
//!
//! 1. the link of its worm, if it is the next word of one;
//! 2. a free productive link that no other worm holds;
//! 3. a free productive link: the worm that holds it is cut;
//! 4. a free link that no other worm holds;
//! 5. a free link.
//!
//! 2 to 5 are the rules for heads of WORM-BLESS (Moscibroda and Mutlu 2009, section 3.2); without worms only
//! 2 and 4 remain, the rules of FLIT-BLESS. A worm holds a link in this cycle if its next word has arrived
//! and hasn't had its turn. A word whose link was taken by one before it becomes a head.

use super::PortChoice;
use super::hand::{Hand, Ports};
use super::priority::{Here, draws};
use crate::greedy_hp;
use flitwork_node::draw_below;
use flitwork_types::{Port, PortSet};

/// How one of several equally good ports is chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'a> {
    pub(super) rule: PortChoice,
    /// All link ports, those of the first dimension first.
    pub(super) order: &'a [Port],
    pub(super) here: Here,
}

/// The link ports, those along the first dimension first.
pub(crate) fn port_order(ports: usize) -> Vec<Port> {
    // East and west are ports 1 and 3 of a plane.
    crate::routes::ports_from([1, 3, 0, 2], ports)
}

/// A word is about to get a port.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick<'a> {
    /// The word at this place in the order takes it: as one of equally `good` ones, or, if there are none, because it is
    /// the link of its worm. Other worms hold the links in `held`.
    InTurn {
        turn: usize,
        port: Port,
        good: Option<PortSet>,
        held: PortSet,
    },
    /// The link takes one of the words, or one that is left over takes a link.
    ByLinks(greedy_hp::assign::Pick<'a, Hand>),
}

/// The port of each word; there are no more words than links. `note` is called with each pick.
#[inline]
pub(super) fn by_rank(
    hands: &[Hand],
    links: PortSet,
    choice: Choice<'_>,
    mut note: impl FnMut(Pick<'_>),
) -> Ports {
    let mut free = links;
    let mut held = PortSet::EMPTY;
    for port in hands.iter().filter_map(|hand| hand.follows) {
        assert!(!held.contains(port), "two worms have the link at {port:?}");
        held.insert(port);
    }
    let mut ports = Ports::new();
    for (turn, hand) in hands.iter().enumerate() {
        let follows = hand.follows.filter(|port| free.contains(*port));
        let mut good = None;
        let port = follows.unwrap_or_else(|| {
            let both = |one: PortSet, other: PortSet| PortSet(one.0 & other.0);
            let unheld = PortSet(free.0 & !held.0);
            let ways = [both(hand.wants, unheld), both(hand.wants, free), unheld];
            let ports = ways.into_iter().find(|ports| !ports.is_empty());
            let ports = ports.unwrap_or(free);
            good = Some(ports);
            choice.of(ports, turn)
        });
        note(Pick::InTurn {
            turn,
            port,
            good,
            held,
        });
        free.remove(port);
        held.remove(port);
        ports.push(port);
    }
    ports
}

impl Choice<'_> {
    /// Chooses one of at least one port; `turn` is the word's place in the order.
    #[inline]
    fn of(&self, ports: PortSet, turn: usize) -> Port {
        let port = match self.rule {
            PortChoice::Ordered => self
                .order
                .iter()
                .copied()
                .find(|port| ports.contains(*port)),
            PortChoice::Random => {
                let drawn = match ports.len() {
                    1 => 0,
                    _ => self.draw(ports, turn),
                };
                ports.iter().nth(drawn as usize)
            }
        };
        port.expect("a link is left for each word")
    }

    /// Which of these ports a word takes if that is random: a number below how many they are.
    #[inline]
    pub(super) fn draw(&self, ports: PortSet, turn: usize) -> u32 {
        let Here {
            seed, node, now, ..
        } = self.here;
        let index = draws::PORT + turn as u32;
        draw_below(ports.len() as u32, seed, node, now, index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_node::Place;
    use flitwork_types::{Cycle, NodeId, PacketRef};

    fn set(ports: &[u8]) -> PortSet {
        let mut set = PortSet::EMPTY;
        ports.iter().for_each(|port| set.insert(Port(*port)));
        set
    }

    fn hand(wants: &[u8], follows: Option<u8>) -> Hand {
        Hand {
            from: Place::SideBuffer,
            packet: PacketRef(0),
            index: 0,
            rank: 0,
            draw: 0,
            wants: set(wants),
            home: false,
            follows: follows.map(Port),
        }
    }

    /// The ports of words in order, on a node with all links of a plane.
    fn assigned(hands: &[Hand]) -> Vec<u8> {
        let order = port_order(4);
        let choice = Choice {
            rule: PortChoice::Ordered,
            order: &order,
            here: Here {
                seed: 1,
                node: NodeId(0),
                now: Cycle::ZERO,
                terminals: 1,
            },
        };
        let ports = by_rank(hands, PortSet::first(4), choice, |_| ());
        ports.iter().map(|port| port.0).collect()
    }

    #[test]
    fn the_first_get_productive_links_and_the_rest_what_is_left() {
        // North-east twice, then east, then nowhere: x comes before y, and east before west.
        let hands = [
            hand(&[0, 1], None),
            hand(&[0, 1], None),
            hand(&[1], None),
            hand(&[], None),
        ];
        assert_eq!(assigned(&hands), [1, 0, 3, 2]);
    }

    #[test]
    fn a_head_leaves_a_worm_its_link_where_it_can() {
        // Rule 2: north instead of the worm's east. Rule 1: the worm goes on.
        let hands = [hand(&[0, 1], None), hand(&[], Some(1))];
        assert_eq!(assigned(&hands), [0, 1]);
        // Rule 3: only east is productive. The worm's next word becomes a head, and goes north (rule 2).
        let hands = [hand(&[1], None), hand(&[0, 1], Some(1))];
        assert_eq!(assigned(&hands), [1, 0]);
        // Rule 4: deflected past the worm, west instead of east.
        let hands = [hand(&[], None), hand(&[1], Some(1))];
        assert_eq!(assigned(&hands), [3, 1]);
        // Rule 5: all links belong to other worms. The first head cuts one, whose word cuts the next, and the
        // last word gets the remaining link.
        let worms = [hand(&[], Some(1)), hand(&[], Some(3)), hand(&[], Some(0))];
        let hands = [&[hand(&[1], None)], &worms[..]].concat();
        assert_eq!(assigned(&hands), [1, 2, 3, 0]);
        let hands = [hand(&[1], None), hand(&[3], Some(1)), worms[1], worms[2]];
        assert_eq!(assigned(&hands), [1, 3, 2, 0]);
    }

    #[test]
    fn a_random_choice_takes_every_port() {
        let order = port_order(4);
        let mut seen = PortSet::EMPTY;
        for now in 0..200 {
            let choice = Choice {
                rule: PortChoice::Random,
                order: &order,
                here: Here {
                    seed: 1,
                    node: NodeId(0),
                    now: Cycle(now),
                    terminals: 1,
                },
            };
            let ports = by_rank(
                &[hand(&[0, 1], None), hand(&[0], None)],
                set(&[0, 1, 2]),
                choice,
                |_| (),
            );
            assert!(ports[0].0 < 2);
            assert!(ports[1] == Port(0) || ports[0] == Port(0));
            ports.iter().for_each(|port| seen.insert(*port));
        }
        assert_eq!(seen, set(&[0, 1, 2]));
    }
}
