//! A static problem: every packet exists in cycle 0.

use crate::{Birth, Left, Offer, StaticPacket, TakeLeft, Workload};
use flitwork_types::{Cycle, TerminalId};
use std::ops::ControlFlow;

/// Every packet is created in cycle 0, as in permutation and h-h problems.
///
/// Takes memory in proportion to the number of packets, not of terminals. A pair of a terminal and itself is dropped: such
/// a packet never enters the network. The network isn't known here: the caller ensures that the terminals exist.
#[derive(Clone, Debug)]
pub struct Once {
    /// Destinations, grouped by source in ascending order; in the order given within a source.
    destinations: Vec<TerminalId>,
    /// The sources, ascending.
    cursors: Vec<Cursor>,
    words: Words,
}

/// The lengths of the packets.
#[derive(Clone, Debug)]
enum Words {
    /// One length for all.
    All(u16),
    /// A length for each, in the order of the destinations.
    Each(Vec<u16>),
}

/// The range of a source's packets among the destinations.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    source: TerminalId,
    /// The next packet to be taken.
    next: usize,
    /// One past the last packet.
    end: usize,
}

impl Once {
    /// The problem of sending one packet of one word for each (source, destination). Several packets of a
    /// source keep their order.
    pub fn new(pairs: &[(TerminalId, TerminalId)]) -> Once {
        Once::sorted(pairs.to_vec(), |pair| *pair).0.of_words(1)
    }

    /// The problem of sending one packet for each (source, destination, words). Several packets of a
    /// source keep their order.
    ///
    /// # Panics
    /// If a packet has no words.
    pub fn of_packets(packets: Vec<StaticPacket>) -> Once {
        let (once, packets) = Once::sorted(packets, |(source, to, _)| (*source, *to));
        let words: Vec<u16> = packets.iter().map(|(_, _, words)| *words).collect();
        assert!(!words.contains(&0), "a packet has at least 1 word");
        match words.first() {
            Some(first) if words.iter().any(|words| words != first) => Once {
                words: Words::Each(words),
                ..once
            },
            first => once.of_words(first.copied().unwrap_or(1)),
        }
    }

    /// The problem of these packets, and those of them that enter the network, grouped by source.
    fn sorted<P>(
        mut packets: Vec<P>,
        ends: impl Fn(&P) -> (TerminalId, TerminalId),
    ) -> (Once, Vec<P>) {
        packets.retain(|packet| ends(packet).0 != ends(packet).1);
        // A stable sort keeps the order within a source.
        packets.sort_by_key(|packet| ends(packet).0);
        let mut cursors = Vec::new();
        let mut next = 0;
        for group in packets.chunk_by(|one, other| ends(one).0 == ends(other).0) {
            let end = next + group.len();
            cursors.push(Cursor {
                source: ends(&group[0]).0,
                next,
                end,
            });
            next = end;
        }
        let once = Once {
            destinations: packets.iter().map(|packet| ends(packet).1).collect(),
            cursors,
            words: Words::All(1),
        };
        (once, packets)
    }

    /// The same problem with `words` words per packet. A network whose packets have one length ignores them.
    ///
    /// # Panics
    /// If `words` is 0.
    #[must_use]
    pub fn of_words(self, words: u16) -> Once {
        assert!(words > 0, "a packet has at least 1 word");
        Once {
            words: Words::All(words),
            ..self
        }
    }

    /// A source's packets that haven't been taken.
    fn cursor(&mut self, source: TerminalId) -> Option<&mut Cursor> {
        let found = self
            .cursors
            .binary_search_by_key(&source, |cursor| cursor.source);
        let cursor = &mut self.cursors[found.ok()?];
        (cursor.next < cursor.end).then_some(cursor)
    }

    /// The number of packets, including those already taken.
    pub fn packets(&self) -> usize {
        self.destinations.len()
    }
}

impl Workload for Once {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        let Some(cursor) = self.cursor(source) else {
            return Offer::Never;
        };
        let place = cursor.next;
        cursor.next += 1;
        let destination = self.destinations[place];
        let words = match &self.words {
            Words::All(words) => *words,
            Words::Each(words) => words[place],
        };
        Offer::Packet(Birth {
            created: Cycle::ZERO,
            destination,
            words,
            class: 0,
        })
    }

    fn sources(&self) -> Vec<TerminalId> {
        self.cursors.iter().map(|cursor| cursor.source).collect()
    }

    fn leave_over(
        &mut self,
        source: TerminalId,
        end: Cycle,
        left: &mut TakeLeft<'_>,
    ) -> ControlFlow<()> {
        if end == Cycle::ZERO {
            return ControlFlow::Continue(());
        }
        let Some(cursor) = self.cursor(source) else {
            return ControlFlow::Continue(());
        };
        let places = cursor.next..cursor.end;
        cursor.next = cursor.end;
        let created = Cycle::ZERO;
        match &self.words {
            Words::All(words) => left(Left {
                created,
                words: *words,
                packets: places.len() as u64,
            }),
            Words::Each(words) => {
                for alike in words[places].chunk_by(|one, other| one == other) {
                    left(Left {
                        created,
                        words: alike[0],
                        packets: alike.len() as u64,
                    })?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terminals(pairs: &[(u32, u32)]) -> Vec<(TerminalId, TerminalId)> {
        pairs
            .iter()
            .map(|(source, to)| (TerminalId(*source), TerminalId(*to)))
            .collect()
    }

    #[test]
    fn packets_of_a_source_keep_their_order() {
        let mut once = Once::new(&terminals(&[
            (5, 9),
            (2_400_000, 1),
            (5, 3),
            (4, 4),
            (5, 7),
        ]));
        assert_eq!(once.packets(), 4);
        assert_eq!(once.sources(), [TerminalId(5), TerminalId(2_400_000)]);
        for to in [9, 3, 7] {
            let birth = Birth {
                created: Cycle::ZERO,
                destination: TerminalId(to),
                words: 1,
                class: 0,
            };
            assert_eq!(once.next(TerminalId(5), Cycle::ZERO), Offer::Packet(birth));
        }
        let mut next = |node| once.next(TerminalId(node), Cycle::ZERO);
        assert_eq!(next(5), Offer::Never);
        assert_eq!(next(5), Offer::Never);
        assert_eq!(next(4), Offer::Never);
        assert_ne!(next(2_400_000), Offer::Never);
        assert_eq!(once.sources().len(), 2);
    }

    #[test]
    fn every_packet_keeps_its_length() {
        let packets = [(5, 9, 3), (2, 1, 8), (5, 3, 1), (4, 4, 2), (5, 7, 65_535)];
        let packets =
            packets.map(|(source, to, words)| (TerminalId(source), TerminalId(to), words));
        let mut once = Once::of_packets(packets.to_vec());
        let mut words = |node| {
            let next = || once.next(TerminalId(node), Cycle::ZERO).packet();
            let births = std::iter::from_fn(next);
            births
                .map(|birth| (birth.destination.0, birth.words))
                .collect::<Vec<_>>()
        };
        assert_eq!(words(5), [(9, 3), (3, 1), (7, 65_535)]);
        assert_eq!(words(2), [(1, 8)]);
        let mut alike = Once::of_packets(vec![(TerminalId(1), TerminalId(2), 4)]).of_words(6);
        let words = alike
            .next(TerminalId(1), Cycle::ZERO)
            .packet()
            .map(|birth| birth.words);
        assert_eq!(words, Some(6));
        assert!(Once::of_packets(Vec::new()).sources().is_empty());
    }

    #[test]
    fn what_is_left_over_comes_in_groups_of_one_length() {
        let packets = [(5, 9, 3), (5, 1, 3), (5, 3, 1), (5, 7, 3), (2, 3, 4)];
        let packets =
            packets.map(|(source, to, words)| (TerminalId(source), TerminalId(to), words));
        let mut once = Once::of_packets(packets.to_vec());
        let mut left = |node, end| {
            let mut groups = Vec::new();
            let flow = once.leave_over(TerminalId(node), Cycle(end), &mut |left| {
                groups.push((left.words, left.packets));
                ControlFlow::Continue(())
            });
            assert!(flow.is_continue());
            groups
        };
        assert_eq!(left(5, 0), []);
        assert_eq!(left(5, 1), [(3, 2), (1, 1), (3, 1)]);
        assert_eq!(left(5, 1), []);
        assert_eq!(left(4, 1), []);
        assert_eq!(once.next(TerminalId(5), Cycle::ZERO), Offer::Never);
        let mut alike = Once::new(&terminals(&[(5, 9), (5, 3), (5, 7)])).of_words(2);
        alike.next(TerminalId(5), Cycle::ZERO);
        let mut groups = Vec::new();
        let flow = alike.leave_over(TerminalId(5), Cycle(1), &mut |left| {
            groups.push(left);
            ControlFlow::Break(())
        });
        assert!(flow.is_break());
        let group = Left {
            created: Cycle::ZERO,
            words: 2,
            packets: 2,
        };
        assert_eq!(groups, [group]);
    }

    proptest! {
        #[test]
        fn every_packet_comes_out_once(pairs in prop::collection::vec((0u32..20, 0u32..20), 0..60)) {
            let mut once = Once::new(&terminals(&pairs));
            for source in 0..21 {
                let expected: Vec<u32> = pairs
                    .iter()
                    .filter(|(from, to)| *from == source && from != to)
                    .map(|(_, to)| *to)
                    .collect();
                prop_assert_eq!(once.sources().contains(&TerminalId(source)), !expected.is_empty());
                let found: Vec<u32> = std::iter::from_fn(|| once.next(TerminalId(source), Cycle::ZERO).packet())
                    .map(|birth| birth.destination.0)
                    .collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
