//! Packets reassembled from their words at the destination.
//!
//! The words of a packet arrive in any order. The memory for them belongs to the processor, like that for the
//! packets at a source: it isn't bounded here.

use flitwork_types::{Packet, PacketId};
use std::collections::BTreeMap;

/// The packets of which some words, but not all, have arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly(BTreeMap<PacketId, Partial>);

/// A packet of which some words have arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    words: u16,
    /// The most hops and deroutes of any of these words.
    hops: u16,
    deroutes: u16,
}

impl Assembly {
    /// Bytes outside of its own size, about.
    pub(super) fn heap_bytes(&self) -> usize {
        // Nodes of the tree are at least half full.
        self.0.len() * size_of::<(PacketId, Partial)>() * 3 / 2
    }

    /// The packets of which some words have arrived, and how many.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PacketId, u16)> {
        self.0
            .iter()
            .map(|(packet, partial)| (*packet, partial.words))
    }

    /// A word has arrived with its record. Returns the packet if it was the last: with that word's record,
    /// and with the most hops and the most deroutes that any of its words made.
    #[inline]
    pub(super) fn put(&mut self, word: Packet) -> Option<Packet> {
        if word.words == 1 {
            return Some(word);
        }
        let partial = self.0.entry(word.id).or_default();
        partial.words += 1;
        partial.hops = partial.hops.max(word.hops);
        partial.deroutes = partial.deroutes.max(word.deroutes);
        let Partial {
            words,
            hops,
            deroutes,
        } = *partial;
        if words < word.words {
            return None;
        }
        self.0.remove(&word.id);
        Some(Packet {
            hops,
            deroutes,
            ..word
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::TerminalId;

    #[test]
    fn a_packet_is_whole_with_its_last_word_whatever_the_order() {
        let word = |serial, hops, deroutes, skew| Packet {
            id: PacketId {
                source: TerminalId(3),
                serial,
            },
            words: 3,
            hops,
            deroutes,
            skew,
            ..Packet::default()
        };
        let mut assembly = Assembly::default();
        assert_eq!(assembly.put(word(0, 4, 0, 7)), None);
        assert_eq!(assembly.put(word(1, 1, 0, 0)), None);
        assert_eq!(assembly.put(word(0, 8, 2, 5)), None);
        assert_eq!(assembly.put(word(0, 6, 1, -2)), Some(word(0, 8, 2, -2)));
        assert_eq!(assembly.0.len(), 1);
        let alone = Packet {
            words: 1,
            ..word(2, 1, 0, 0)
        };
        assert_eq!(assembly.put(alone), Some(alone));
    }
}
