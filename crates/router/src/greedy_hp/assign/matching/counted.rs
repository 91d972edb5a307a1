//! Counts the maximum matchings of a node with few outlinks, and finds the one of a number.
//!
//! Outlinks decide one after the other whether to take a packet, and which. How far the outlinks that are still to
//! decide can go depends only on the set of packets that are taken, so this is counted once for each set, from the last
//! outlink to the first.

use crate::greedy_hp::{Arrival, Contenders};
use arrayvec::ArrayVec;
use flitwork_types::{MAX_PORTS, Port, PortSet};

/// The most outlinks of a node whose matchings are counted.
pub(super) const COUNTED_LINKS: usize = 6;
/// One for each set of packets, for each number of outlinks that are still to decide.
const COUNTS: usize = (COUNTED_LINKS + 1) << COUNTED_LINKS;

/// The matchings of some outlinks with some packets in which as many packets advance as can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    /// Packets that advance in each of them.
    packets: u8,
    /// How many of them there are; 6! at most.
    matchings: u16,
}

/// All maximum matchings of a node's packets and outlinks, numbered from 0.
pub(super) struct Counted {
    /// How many packets there are.
    packets: usize,
    /// The outlinks, the last to decide first.
    links: ArrayVec<Port, COUNTED_LINKS>,
    /// For each of them the packets that it is productive for, as a set of bits.
    wanted: ArrayVec<u8, COUNTED_LINKS>,
    /// With no outlink left to decide, for each set of packets that are taken; then with one left, and so on.
    counts: ArrayVec<Count, COUNTS>,
}

impl Counted {
    /// Counts them; there are at most as many packets as outlinks.
    pub(super) fn new(hands: &Contenders, links: PortSet) -> Counted {
        let wanted_of = |port: Port| {
            let wants = |(index, (_, wants)): (usize, &(Arrival, PortSet))| {
                u8::from(wants.contains(port)) << index
            };
            hands.iter().enumerate().map(wants).sum()
        };
        let mut links: ArrayVec<Port, COUNTED_LINKS> = links.iter().collect();
        links.reverse();
        let mut all = Counted {
            packets: hands.len(),
            wanted: links.iter().copied().map(wanted_of).collect(),
            links,
            counts: ArrayVec::new(),
        };
        let nobody = Count {
            packets: 0,
            matchings: 1,
        };
        (0..all.sets()).for_each(|_| all.counts.push(nobody));
        for deciding in 0..all.links.len() {
            for taken in 0..all.sets() {
                let count = all.count(deciding, taken);
                all.counts.push(count);
            }
        }
        all
    }

    /// How many sets of packets there are.
    fn sets(&self) -> usize {
        1 << self.packets
    }

    /// What the first `links` outlinks of the list can still do once these packets are taken.
    fn after(&self, links: usize, taken: usize) -> Count {
        self.counts[links * self.sets() + taken]
    }

    /// What an outlink and those that decide after it can do once these packets are taken.
    fn count(&self, link: usize, taken: usize) -> Count {
        let nothing = self.after(link, taken);
        self.choices(link, taken).fold(nothing, |best, packet| {
            let rest = self.after(link, taken | 1 << packet);
            let packets = rest.packets + 1;
            match packets.cmp(&best.packets) {
                std::cmp::Ordering::Less => best,
                std::cmp::Ordering::Equal => Count {
                    packets,
                    matchings: best.matchings + rest.matchings,
                },
                std::cmp::Ordering::Greater => Count { packets, ..rest },
            }
        })
    }

    /// The packets that an outlink can take once others are taken.
    fn choices(&self, link: usize, taken: usize) -> impl Iterator<Item = usize> {
        let left = usize::from(self.wanted[link]) & !taken;
        (0..self.packets).filter(move |packet| left >> packet & 1 == 1)
    }

    /// How many maximum matchings there are: at least one.
    pub(super) fn matchings(&self) -> u32 {
        self.after(self.links.len(), 0).matchings.into()
    }

    /// The outlink of each packet in the matching of a number below [`Counted::matchings`].
    pub(super) fn matching(&self, number: u32) -> ArrayVec<Option<Port>, MAX_PORTS> {
        let mut found: ArrayVec<_, MAX_PORTS> = (0..self.packets).map(|_| None).collect();
        let (mut left, mut taken) = (number, 0);
        for link in (0..self.links.len()).rev() {
            let most = self.after(link + 1, taken).packets;
            for packet in self.choices(link, taken) {
                let rest = self.after(link, taken | 1 << packet);
                if rest.packets + 1 < most {
                    continue;
                }
                if left < rest.matchings.into() {
                    found[packet] = Some(self.links[link]);
                    taken |= 1 << packet;
                    break;
                }
                left -= u32::from(rest.matchings);
            }
        }
        found
    }
}
