//! One number for all that happened.
//!
//! Each event is hashed with its node and local cycle, and the hashes are added up, so that the digest does not depend
//! on the order in which nodes stepped. An event that is missing, repeated, altered or in another cycle changes it,
//! except with a probability of 2^-64. Destinations are left out, so that a permutation and the run that constructed
//! it can be compared (Chinn 1995, Lemma 2.12).

use flitwork_node::{Event, Place, Probe};
use flitwork_types::{Cycle, NodeId};
use std::fmt;

/// A probe that folds all events into a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(u64);

const KEYS: [u64; 2] = [0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9];

/// A 64 x 64 -> 128 bit product folded in half: each bit of both numbers reaches each bit of the result.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = ((a ^ KEYS[0]) as u128).wrapping_mul((b ^ KEYS[1]) as u128);
    (product >> 64) as u64 ^ product as u64
}

/// Distinguishes a virtual channel's buffer from a frame at the same port, and from other channels.
const fn channel(place: Place) -> u64 {
    match place {
        Place::InputChannel(_, channel) | Place::OutputChannel(_, channel) => 1 + channel as u64,
        Place::Input(_) | Place::Output(_) | Place::Queue | Place::SideBuffer | Place::Assembly => {
            0
        }
    }
}

const fn place(place: Place) -> u64 {
    match place {
        Place::Input(port) => port.0 as u64,
        Place::Queue => 0x40,
        Place::Output(port) => 0x80 | port.0 as u64,
        Place::InputChannel(port, _) => port.0 as u64,
        Place::OutputChannel(port, _) => 0x80 | port.0 as u64,
        Place::SideBuffer => 0x41,
        Place::Assembly => 0x42,
    }
}

impl Digest {
    /// The digest as a number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// A digest from its number.
    pub const fn of(number: u64) -> Digest {
        Digest(number)
    }

    /// The digest of a single event.
    #[inline(always)]
    pub fn of_event(node: NodeId, cycle: Cycle, event: Event) -> Digest {
        let mut digest = Digest::default();
        digest.event(node, cycle, event);
        digest
    }
}

impl Probe for Digest {
    // A call of its own would copy the event, which takes as long as the sum.
    #[inline(always)]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        // Eight bits of kind, then two places of eight bits each and a flag.
        let mut channels = 0;
        let (what, packet) = match event {
            Event::Injected { packet } => (1, packet.id.as_u64()),
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => {
                channels = channel(from) | channel(to) << 9;
                let places = place(from) << 8 | place(to) << 16;
                (2 | places | (deroute as u64) << 24, packet.as_u64())
            }
            Event::Head { packet, port } => (3 | (port.0 as u64) << 8, packet.as_u64()),
            Event::Tail { packet, port, .. } => (4 | (port.0 as u64) << 8, packet.as_u64()),
            Event::Freed { port } => (5 | (port.0 as u64) << 8, 0),
            Event::Delivered { packet } => (6, packet.id.as_u64()),
            Event::Lost { packet, port } => {
                let loss = packet.loss.map_or(0, |loss| loss as u64 + 1);
                (7 | u64::from(port.0) << 8 | loss << 16, packet.id.as_u64())
            }
        };
        let place = (node.0 as u64) << 32 | what;
        let when = (cycle.0 as u64) << 32 | channels;
        let hash = fold(place, when ^ packet.rotate_left(17));
        self.0 = self.0.wrapping_add(fold(hash, packet));
    }
}

/// The digest of more events.
impl std::ops::AddAssign for Digest {
    #[inline]
    fn add_assign(&mut self, more: Digest) {
        self.0 = self.0.wrapping_add(more.0);
    }
}

/// The digest of several nodes' events together.
impl std::iter::Sum for Digest {
    fn sum<I: Iterator<Item = Digest>>(parts: I) -> Digest {
        Digest(parts.fold(0, |sum, part| sum.wrapping_add(part.0)))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::{Packet, PacketId, Port, TerminalId};

    fn events() -> Vec<(NodeId, Cycle, Event)> {
        let mut events = Vec::new();
        for node in [0, 1, 70_000] {
            for cycle in [0, 1, 3_999_999_999] {
                for serial in [0, 1, 1 << 31] {
                    let packet = PacketId {
                        source: TerminalId(node ^ 1),
                        serial,
                    };
                    for port in [Port(0), Port(1), Port(32)] {
                        let moved = |from, to, deroute| Event::Moved {
                            packet,
                            from,
                            to,
                            deroute,
                        };
                        for event in [
                            Event::Head { packet, port },
                            Event::Tail {
                                packet,
                                port,
                                words: 1,
                            },
                            moved(
                                Place::InputChannel(port, 0),
                                Place::OutputChannel(port, 1),
                                false,
                            ),
                            moved(
                                Place::InputChannel(port, 1),
                                Place::OutputChannel(port, 0),
                                false,
                            ),
                            moved(Place::SideBuffer, Place::Output(port), false),
                            moved(Place::Input(port), Place::Queue, false),
                            moved(Place::Queue, Place::Output(port), false),
                            moved(Place::Queue, Place::Output(port), true),
                        ] {
                            events.push((NodeId(node), Cycle(cycle), event));
                        }
                    }
                    events.push((
                        NodeId(node),
                        Cycle(cycle),
                        Event::Injected {
                            packet: Packet {
                                id: packet,
                                ..Packet::default()
                            },
                        },
                    ));
                }
                events.push((NodeId(node), Cycle(cycle), Event::Freed { port: Port(3) }));
            }
        }
        events
    }

    fn fold_all<'a>(events: impl Iterator<Item = &'a (NodeId, Cycle, Event)>) -> Digest {
        let mut digest = Digest::default();
        events.for_each(|(node, cycle, event)| digest.event(*node, *cycle, *event));
        digest
    }

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let events = events();
        let all = fold_all(events.iter());
        assert_eq!(all, fold_all(events.iter().rev()));
        let mut alone = std::collections::HashSet::new();
        for skipped in 0..events.len() {
            let rest = events
                .iter()
                .take(skipped)
                .chain(events.iter().skip(skipped + 1));
            assert_ne!(all, fold_all(rest));
            assert!(
                alone.insert(fold_all(events[skipped..=skipped].iter())),
                "two events alike"
            );
        }
    }
}
