//! A static problem: every packet is there in cycle 0.

use crate::{Birth, Next, Workload};
use flitwork_types::{Cycle, NodeId};

/// Every packet is created in cycle 0, as in permutation and h-h problems.
///
/// Takes memory by the number of packets, not of nodes. A pair of a node and itself is left out: such a
/// packet never enters the network. What the network's nodes are isn't known here: whoever makes the pairs
/// sees to it that they are on it.
#[derive(Clone, Debug)]
pub struct Once {
    /// Destinations, grouped by source in ascending order; in the order given within a source.
    destinations: Vec<NodeId>,
    /// The sources, ascending.
    cursors: Vec<Cursor>,
    /// Words a packet.
    words: u16,
}

/// Where a source's packets stand among the destinations.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    source: NodeId,
    /// The next packet to be taken.
    next: usize,
    /// One past the last packet.
    end: usize,
}

impl Once {
    /// The problem of sending one packet for each (source, destination). Several packets of a source
    /// keep their order.
    pub fn new(pairs: &[(NodeId, NodeId)]) -> Once {
        let mut sorted: Vec<(NodeId, NodeId)> = pairs
            .iter()
            .copied()
            .filter(|(source, destination)| source != destination)
            .collect();
        // A stable sort: the order within a source stays.
        sorted.sort_by_key(|(source, _)| *source);
        let mut cursors = Vec::new();
        let mut next = 0;
        for packets in sorted.chunk_by(|one, other| one.0 == other.0) {
            let end = next + packets.len();
            cursors.push(Cursor {
                source: packets[0].0,
                next,
                end,
            });
            next = end;
        }
        let destinations = sorted
            .into_iter()
            .map(|(_, destination)| destination)
            .collect();
        Once {
            destinations,
            cursors,
            words: 1,
        }
    }

    /// The same with `words` words a packet; a network whose packets all have the same length keeps to
    /// that.
    #[must_use]
    pub fn of_words(self, words: u16) -> Once {
        Once { words, ..self }
    }

    /// How many packets the problem has, those already taken included.
    pub fn packets(&self) -> usize {
        self.destinations.len()
    }
}

impl Workload for Once {
    fn next(&mut self, node: NodeId, _: Cycle) -> Next {
        let place = self
            .cursors
            .binary_search_by_key(&node, |cursor| cursor.source);
        let Some(cursor) = place.ok().map(|place| &mut self.cursors[place]) else {
            return Next::Never;
        };
        if cursor.next == cursor.end {
            return Next::Never;
        }
        let destination = self.destinations[cursor.next];
        cursor.next += 1;
        Next::Packet(Birth {
            created: Cycle::ZERO,
            destination,
            words: self.words,
            class: 0,
        })
    }

    fn sources(&self) -> Vec<NodeId> {
        self.cursors.iter().map(|cursor| cursor.source).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nodes(pairs: &[(u32, u32)]) -> Vec<(NodeId, NodeId)> {
        pairs
            .iter()
            .map(|(source, to)| (NodeId(*source), NodeId(*to)))
            .collect()
    }

    #[test]
    fn packets_of_a_source_keep_their_order() {
        let mut once = Once::new(&nodes(&[(5, 9), (2_400_000, 1), (5, 3), (4, 4), (5, 7)]));
        assert_eq!(once.packets(), 4);
        assert_eq!(once.sources(), [NodeId(5), NodeId(2_400_000)]);
        for to in [9, 3, 7] {
            let birth = Birth {
                created: Cycle::ZERO,
                destination: NodeId(to),
                words: 1,
                class: 0,
            };
            assert_eq!(once.next(NodeId(5), Cycle::ZERO), Next::Packet(birth));
        }
        let mut next = |node| once.next(NodeId(node), Cycle::ZERO);
        assert_eq!(next(5), Next::Never);
        assert_eq!(next(5), Next::Never);
        assert_eq!(next(4), Next::Never);
        assert_ne!(next(2_400_000), Next::Never);
        assert_eq!(once.sources().len(), 2);
    }

    proptest! {
        #[test]
        fn every_packet_comes_out_once(pairs in prop::collection::vec((0u32..20, 0u32..20), 0..60)) {
            let mut once = Once::new(&nodes(&pairs));
            for source in 0..21 {
                let expected: Vec<u32> = pairs
                    .iter()
                    .filter(|(from, to)| *from == source && from != to)
                    .map(|(_, to)| *to)
                    .collect();
                prop_assert_eq!(once.sources().contains(&NodeId(source)), !expected.is_empty());
                let found: Vec<u32> = std::iter::from_fn(|| once.next(NodeId(source), Cycle::ZERO).packet())
                    .map(|birth| birth.destination.0)
                    .collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
