//! How long a word can be under way, with one clock and flits routed independently.
//!
//! Suppose that a word is the first in the network by the router's order, and remains so. In each node it
//! gets a productive port, and at its destination it is ejected. If it is on a link, it needs up to a link's
//! latency to arrive, and then crosses at most as many links as the diameter has. If it is in a side buffer,
//! each flit before it leaves after at most `redirection_cycles` + 1 cycles; it enters a side buffer at most
//! once, because a word that isn't deflected isn't put there, and only in a node with one link can it be the
//! one that makes room. So it is delivered within
//!
//! ```text
//!   home = (diameter + 1) * latency + side_buffer_flits * (redirection_cycles + 1)    cycles.
//! ```
//!
//! **Oldest first.** Words of higher priority than a given one belong to packets made no later, so they all
//! exist when it enters the network. Let there be r of them anywhere. The first word in the network changes
//! when it is ejected or when one of higher priority enters, each at most r times, and no word stays first
//! for longer than `home`. So the given word is delivered within (2 r + 1) * `home` of entering.
//!
//! **Golden.** If epochs last at least `home`, each epoch with golden words delivers the first of them. A
//! word with r words of higher priority among the packets of its source and number waits at most one round
//! for the next of their epochs, and for r more: it is delivered within (r + 2) rounds.
//!
//! **Worms** have no such bound here, though with oldest first they have no livelock. Only its own earlier
//! words precede a word of the oldest packet. Once these are delivered it continues along the path of the
//! word before it, which has ended, or as a head straight to its destination.

use super::{DeflectionParameters, Switching};

/// What a bound depends on in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// How many terminals there are.
    pub terminals: u32,
    /// The most links between two nodes.
    pub diameter_hops: u32,
    /// Cycles that a word takes over a link.
    pub link_latency_cycles: u32,
}

impl DeflectionParameters {
    /// Cycles within which the first word in the network is delivered.
    pub fn home_cycles(&self, extent: Extent) -> u64 {
        let links = u64::from(extent.diameter_hops) + 1;
        let waits = self.side_buffer_flits as u64 * (u64::from(self.redirection_cycles) + 1);
        links * u64::from(extent.link_latency_cycles) + waits
    }

    /// Cycles within which a word that enters the network is delivered, if there is a bound. `before` is the
    /// number of words of higher priority: with oldest first all undelivered words of packets made no later,
    /// with golden packets those in the network of its source and number.
    pub fn bound_cycles(&self, extent: Extent, before: u64) -> Option<u64> {
        let home = self.home_cycles(extent);
        if self.switching == Switching::Worm {
            return None;
        }
        self.priority.bound_cycles(home, extent.terminals, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflection::Golden;

    #[test]
    fn bounds_are_what_the_text_derives() {
        let extent = Extent {
            terminals: 16,
            diameter_hops: 6,
            link_latency_cycles: 2,
        };
        let bless = DeflectionParameters::flit_bless();
        assert_eq!(bless.home_cycles(extent), 14);
        assert_eq!(bless.bound_cycles(extent, 0), Some(14));
        assert_eq!(bless.bound_cycles(extent, 10), Some(21 * 14));
        let golden = |epoch_cycles| {
            DeflectionParameters::minbd(Golden {
                epoch_cycles,
                transactions: 4,
            })
        };
        // 4 flits, each taking 3 cycles more.
        assert_eq!(golden(26).home_cycles(extent), 26);
        assert_eq!(golden(26).bound_cycles(extent, 1), Some(3 * 26 * 4 * 16));
        assert_eq!(golden(25).bound_cycles(extent, 1), None);
        assert_eq!(
            DeflectionParameters::worm_bless().bound_cycles(extent, 0),
            None
        );
    }
}
