//! A static problem: every packet is there in cycle 0.

use crate::{Birth, Workload};
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
        }
    }

    /// How many packets the problem has, those already taken included.
    pub fn packets(&self) -> usize {
        self.destinations.len()
    }
}

impl Workload for Once {
    fn next(&mut self, node: NodeId) -> Option<Birth> {
        let place = self
            .cursors
            .binary_search_by_key(&node, |cursor| cursor.source)
            .ok()?;
        let cursor = &mut self.cursors[place];
        if cursor.next == cursor.end {
            return None;
        }
        let destination = self.destinations[cursor.next];
        cursor.next += 1;
        Some(Birth {
            created: Cycle::ZERO,
            destination,
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
            };
            assert_eq!(once.next(NodeId(5)), Some(birth));
        }
        assert_eq!(once.next(NodeId(5)), None);
        assert_eq!(once.next(NodeId(5)), None);
        assert_eq!(once.next(NodeId(4)), None);
        assert!(once.next(NodeId(2_400_000)).is_some());
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
                let found: Vec<u32> = std::iter::from_fn(|| once.next(NodeId(source)))
                    .map(|birth| birth.destination.0)
                    .collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
