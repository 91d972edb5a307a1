//! Oldest first (Moscibroda and Mutlu 2009, section 3.1): by the cycle in which the packet was made, then
//! by the packet's number, then by the word's place in it.
//!
//! This is a total order of all words of a run, the same in every node and cycle whatever the clocks show.
//! The first word in the network by that order gets a productive port in each node and is ejected at its
//! destination. So there is no livelock, and a bound: see [`crate::deflection::bound`].

use super::{Candidate, Here, Priority, PriorityEntry, Rank};
use crate::parameters::Livelock;

pub(super) const ENTRY: PriorityEntry = PriorityEntry {
    name: "oldest-first",
    summary: "words of older packets first",
    priority: Priority::OldestFirst,
};

#[inline]
pub(super) fn rank(candidate: Candidate<'_>, _: Here) -> Rank {
    let Candidate { packet, index, .. } = candidate;
    Rank::from(packet.created.0) << 80 | Rank::from(packet.id.as_u64()) << 16 | Rank::from(index)
}

/// The first word changes when one that precedes the given one is ejected or enters.
pub(super) fn bound_cycles(home: u64, _: u32, before: u64) -> Option<u64> {
    Some((2 * before + 1) * home)
}

pub(super) fn livelock(_: bool) -> Livelock {
    Livelock::None("the oldest packet isn't deflected, whatever the clocks do".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::{Cycle, NodeId, Packet, PacketId, TerminalId};

    const HERE: Here = Here {
        seed: 0,
        node: NodeId(0),
        now: Cycle(0),
        terminals: 1,
    };

    #[test]
    fn age_counts_before_source_and_source_before_place() {
        let mut ranks = Vec::new();
        for created in [0, 1, Cycle::LAST.0] {
            for source in [0, 1, (1 << 24) - 1] {
                for serial in [0, 1, u32::MAX] {
                    for index in [0, 1, u16::MAX] {
                        let packet = Packet {
                            id: PacketId {
                                source: TerminalId(source),
                                serial,
                            },
                            created: Cycle(created),
                            ..Packet::default()
                        };
                        let candidate = Candidate {
                            packet: &packet,
                            index,
                            draw: 0,
                        };
                        ranks.push(rank(candidate, HERE));
                    }
                }
            }
        }
        assert!(ranks.is_sorted_by(|one, next| one < next));
    }
}
