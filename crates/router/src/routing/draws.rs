//! A packet's own draws: functions of the seed and the packet, independent of the cycle and the node.

use super::contract::{Chance, Head};
use flitwork_types::draws::{GOLDEN, below, mix, split_mix};

/// Separates these draws from the nodes' own streams of the same seed.
const STREAM: u64 = 0x7061_636b_6574_2e31;

/// Which draw holds the coins; the others are numbers.
const COINS_DRAW: u32 = 0;
const FIRST_NUMBER_DRAW: u32 = 1;

/// Coins 0 to 15 decide which way around a ring of even side the packet goes to the opposite node, one per
/// dimension. This one decides in which order it goes through the dimensions.
pub(super) const ORDER_COIN: usize = 16;

const RINGS: u32 = 0xffff;
const ORDER: u32 = 1 << ORDER_COIN;

/// Settings of the coins (see [`Declaration::coins`](super::Declaration::coins)) if packets go around rings: a head uses
/// its ring's coin, and no other.
pub(super) const RING_COINS: &[u32] = &[0, RINGS];
/// If they have an order.
pub(super) const ORDER_COINS: &[u32] = &[0, ORDER];
/// If they have both.
pub(super) const ORDER_AND_RING_COINS: &[u32] = &[0, RINGS, ORDER, ORDER | RINGS];

/// The draws of all packets under a seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketDraws {
    key: u64,
}

impl PacketDraws {
    pub(super) const fn new(seed: u64) -> PacketDraws {
        PacketDraws {
            key: mix(split_mix(seed).wrapping_add(STREAM)),
        }
    }

    /// The numbers of the packet that the head belongs to.
    #[inline]
    pub(super) fn of(self, head: &Head) -> Numbers {
        Numbers(mix(head.packet.as_u64().wrapping_add(self.key)))
    }

    /// The outcomes of all of the packet's coin tosses.
    #[inline]
    pub(super) fn coins(self, head: &Head) -> u32 {
        self.of(head).draw(COINS_DRAW) as u32
    }

    /// The outcome of one of the packet's coin tosses.
    #[inline]
    pub(super) fn coin(self, head: &Head, chance: Chance, coin: usize) -> bool {
        let coins = match chance {
            Chance::Drawn => self.coins(head),
            Chance::Given { coins, .. } => coins,
        };
        coins >> coin & 1 == 1
    }
}

/// A packet's draws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    #[inline]
    fn draw(self, index: u32) -> u64 {
        mix(self
            .0
            .wrapping_add(u64::from(index + 1).wrapping_mul(GOLDEN)))
    }

    /// The `index`-th number, from 0 to `bound` - 1 (`bound` at least 1); its distribution deviates from
    /// uniform by less than 2^-32.
    #[inline]
    pub(super) fn below(self, index: u32, bound: u32) -> u32 {
        below(self.draw(FIRST_NUMBER_DRAW + index), bound.into()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::{NodeId, PacketId, TerminalId};

    fn head(source: u32, serial: u32) -> Head {
        Head {
            here: NodeId(0),
            packet: PacketId {
                source: TerminalId(source),
                serial,
            },
            destination: NodeId(1),
            terminal: TerminalId(1),
            deroutes: 0,
            from: None,
        }
    }

    #[test]
    fn coins_and_numbers_are_spread_over_packets_and_seeds() {
        for seed in [0, 1, u64::MAX] {
            let draws = PacketDraws::new(seed);
            let (mut coins, mut numbers, mut both) = ([0u32; 32], [0u32; 5], 0u32);
            for source in 0..100 {
                for serial in 0..100 {
                    let head = head(source, serial);
                    let shown = |coin| u32::from(draws.coin(&head, Chance::Drawn, coin));
                    (0..32).for_each(|coin| coins[coin] += shown(coin));
                    both += shown(0) & shown(ORDER_COIN);
                    numbers[draws.of(&head).below(0, 5) as usize] += 1;
                }
            }
            // 10,000 packets: 5,000 heads per coin, standard deviation 50; 2,500 of each outcome of two
            // coins, standard deviation 43; 2,000 of each number, standard deviation 40.
            assert!(
                coins.iter().all(|count| count.abs_diff(5000) < 250),
                "{coins:?}"
            );
            assert!(both.abs_diff(2500) < 215, "{both}");
            assert!(
                numbers.iter().all(|count| count.abs_diff(2000) < 200),
                "{numbers:?}"
            );
        }
    }

    #[test]
    fn draws_depend_only_on_the_packet_and_the_seed() {
        let elsewhere = Head {
            here: NodeId(9),
            deroutes: 3,
            from: Some((flitwork_types::Port(1), 2)),
            ..head(3, 4)
        };
        let first = |seed, head| PacketDraws::new(seed).of(&head).draw(0);
        assert_eq!(first(7, elsewhere), first(7, head(3, 4)));
        assert_ne!(first(7, head(3, 4)), first(7, head(4, 3)));
        assert_ne!(first(7, head(3, 4)), first(8, head(3, 4)));
    }
}
