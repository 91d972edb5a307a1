//! Golden packets (Fallin, Craik and Mutlu 2011, section 3): one packet of the network before all others.
//!
//! A source numbers its packets modulo `transactions`. Time is divided into epochs; in epoch e the golden
//! packet is that of source e mod N with number (e / N) mod `transactions`, on a network of N terminals. All
//! nodes know this without communicating. A golden word precedes any other; of two golden ones the earlier
//! packet goes first, then the earlier word. All other words are in a random order.
//!
//! Golden words are ordered as they entered the network, so none ever overtakes the first of them. It is
//! never deflected, and it is delivered within its epoch if that is long enough: see
//! [`crate::deflection::bound`]. So each epoch delivers a golden word if there was one at its beginning, and
//! every word eventually becomes the first golden one. CHIPPER's sources never have more packets under way
//! than transactions; here they may, and the packets with the same number are then golden together.
//!
//! An epoch is counted in a node's own cycles. If clocks differ, nodes disagree about which packet is golden,
//! and the effect is a random order.

use super::{Candidate, Here, Priority, PriorityEntry, Rank, random};
use crate::parameters::Livelock;
use flitwork_types::{Cycle, PacketId};

pub(super) const ENTRY: PriorityEntry = PriorityEntry {
    name: "golden",
    summary: "one packet of the network before all others, each in its turn; the rest at random",
    priority: Priority::Golden(Golden::USUAL),
};

/// Which packets are golden when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Golden {
    /// Cycles for which a packet is golden.
    pub epoch_cycles: u32,
    /// How many numbers the packets of a source have.
    pub transactions: u32,
}

impl Golden {
    /// Epochs that are long enough for a diameter of 63 hops of one cycle each, and 16 numbers per source, as
    /// many as CHIPPER's processors have requests under way.
    pub const USUAL: Golden = Golden {
        epoch_cycles: 64,
        transactions: 16,
    };

    /// Whether a packet is golden in cycle `now`, on a network of `terminals` terminals.
    #[inline]
    pub fn is_golden(&self, packet: PacketId, now: Cycle, terminals: u32) -> bool {
        let epoch = now.0 / self.epoch_cycles;
        let transaction = epoch / terminals % self.transactions;
        packet.source.0 == epoch % terminals && packet.serial % self.transactions == transaction
    }

    /// Cycles after which the same packet is golden again.
    pub fn round_cycles(&self, terminals: u32) -> u64 {
        u64::from(self.epoch_cycles) * u64::from(self.transactions) * u64::from(terminals)
    }
}

#[inline]
pub(super) fn rank(golden: &Golden, candidate: Candidate<'_>, here: Here) -> Rank {
    let id = candidate.packet.id;
    if golden.is_golden(id, here.now, here.terminals) {
        Rank::from(id.serial) << 16 | Rank::from(candidate.index)
    } else {
        1 << 127 | random::rank(candidate, here)
    }
}

/// A round until the packet's number and source are golden again, one more for each preceding word, and the
/// last.
pub(super) fn bound_cycles(golden: &Golden, home: u64, terminals: u32, before: u64) -> Option<u64> {
    let is_enough = u64::from(golden.epoch_cycles) >= home;
    is_enough.then(|| (before + 2) * golden.round_cycles(terminals))
}

pub(super) fn livelock(is_in_step: bool) -> Livelock {
    Livelock::Unknown(match is_in_step {
        true => {
            "a golden packet may not be delivered within its epoch, or travels as a worm".into()
        }
        false => "nodes with clocks of their own disagree about which packet is golden".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::TerminalId;

    #[test]
    fn every_packet_is_golden_for_one_epoch_a_round() {
        let golden = Golden {
            epoch_cycles: 5,
            transactions: 3,
        };
        let terminals = 4;
        let round = golden.round_cycles(terminals);
        assert_eq!(round, 60);
        for source in 0..terminals {
            for serial in 0..7 {
                let packet = PacketId {
                    source: TerminalId(source),
                    serial,
                };
                let cycles = (0..2 * round as u32).map(Cycle);
                let when: Vec<u32> = cycles
                    .filter(|now| golden.is_golden(packet, *now, terminals))
                    .map(Cycle::get)
                    .collect();
                let first = 5 * (source + terminals * (serial % 3));
                let epoch = |begin: u32| begin..begin + 5;
                let expected: Vec<u32> = epoch(first).chain(epoch(first + 60)).collect();
                assert_eq!(when, expected);
            }
        }
    }
}
