//! A rule whose every decision is drawn from a table that looks random: as blind as any, and as far from sense.

use crate::{central, hold, hold_on};
use flitwork_steps::lower::{
    AdaptiveConstants, AdaptiveSetting, DimensionClass, DimensionConstants, Queues,
    construct_adaptive, construct_dimension,
};
use flitwork_steps::{Beginning, Blind, Choice, Corner, Here, NoNotes, Offers, Rule, Store};
use flitwork_topology::Grid;
use flitwork_types::{NodeId, Port, PortSet};
use proptest::prelude::*;

/// Which links a packet may take.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ways {
    /// All that bring it closer.
    Minimal,
    /// That of the first dimension.
    DimensionOrder,
}

/// What it decides depends on all that a blind rule may see, through a number of 64 bits.
#[derive(Clone, Copy, Debug)]
struct Table {
    seed: u64,
    ways: Ways,
    /// Of 8, how often a node sends nothing over a link, or refuses what fits.
    lazy: u64,
}

fn mix(one: u64, other: u64) -> u64 {
    let z = (one ^ other.rotate_left(32)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

type Seen<'a> = flitwork_steps::Seen<'a, Blind, u64>;

impl Table {
    fn entry(&self, node: u64, packet: &Seen<'_>) -> u64 {
        let of_packet = mix(*packet.state, u64::from(packet.source.0));
        mix(mix(self.seed, node), mix(of_packet, packet.productive.0))
    }

    fn is_lazy(&self, entry: u64) -> bool {
        entry >> 32 & 7 < self.lazy
    }
}

impl Rule for Table {
    type Sight = Blind;
    type Node = u64;
    type Packet = u64;
    type Note = NoNotes;
    const WAITS_FOR_LINKS: bool = true;

    fn begin(&self, node: NodeId, productive: &[PortSet]) -> u64 {
        let links = productive.iter().map(|it| it.0);
        links.fold(mix(self.seed, node.0.into()), mix)
    }

    fn begin_packet(&self, node: &u64, packet: &Beginning<'_, Blind>) -> u64 {
        mix(mix(*node, packet.source.0.into()), packet.productive.0)
    }

    fn waits_for(
        &self,
        at: NodeId,
        source: NodeId,
        productive: PortSet,
        _: Option<&Grid>,
    ) -> Option<Port> {
        let entry = mix(mix(self.seed, at.0.into()), source.0.into());
        let place = entry.checked_rem(productive.len() as u64)?;
        productive.iter().nth(place as usize)
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for port in here.links.iter() {
            let may = |it: &Seen<'_>| match (here.store, self.ways) {
                (_, Ways::DimensionOrder) => here.first_dimension(it.productive) == Some(port),
                (Store::Outgoing(_), _) => {
                    self.waits_for(here.node, it.source, it.productive, here.grid) == Some(port)
                }
                _ => it.productive.contains(port),
            };
            let seen = here.packets.iter().enumerate();
            let free = seen.filter(|(place, it)| may(it) && !choice.sends(*place));
            let rank =
                free.map(|(place, it)| (mix(self.entry(*here.state, it), port.0.into()), place));
            if let Some((entry, place)) = rank.min()
                && !self.is_lazy(entry)
            {
                choice.send(port, place);
            }
        }
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        let entry = |place: &usize| mix(self.entry(*here.state, &offers[*place].packet), 5);
        let mut order: Vec<usize> = (0..offers.len())
            .filter(|it| !self.is_lazy(entry(it)))
            .collect();
        order.sort_unstable_by_key(entry);
        flitwork_steps::accept_in_order(here.store, offers, order, accepted);
    }

    fn has_state(&self) -> bool {
        true
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut u64, packets: &mut [u64]) {
        let entries = here.packets.iter().map(|it| self.entry(*here.state, it));
        let all = entries.clone().fold(mix(*node, here.step.into()), mix);
        for (packet, entry) in packets.iter_mut().zip(entries) {
            *packet = mix(entry, all);
        }
        *node = all;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_rules_take_their_bounds(seed in any::<u64>(), lazy in 0u64..4, k in 1u32..3, corner in 0usize..4) {
        let corner = Corner::ALL[corner];
        let rule = Table { seed, lazy, ways: Ways::Minimal };
        let n = [100, 160][k as usize - 1];
        let constants = central(n, k).unwrap();
        hold(n, k, &rule, &construct_adaptive(&constants, corner, &rule, &mut |_| true).unwrap());
        let rule = Table { ways: Ways::DimensionOrder, ..rule };
        let constants = DimensionConstants::new(DimensionClass::Blind, 60, k, k).unwrap();
        hold(60, k, &rule, &construct_dimension(&constants, corner, &rule, &mut |_| true).unwrap());
    }
}

proptest! {
    // Large meshes: each setting once.
    #![proptest_config(ProptestConfig { cases: 1, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_rules_take_the_bounds_of_other_settings(seed in any::<u64>(), lazy in 0u64..4) {
        let rule = Table { seed, lazy, ways: Ways::Minimal };
        for (n, k, queues, wraps, per_node) in [
            (300, 1, Queues::Incoming, false, 1),
            (300, 1, Queues::Outgoing, false, 1),
            (220, 1, Queues::Central, true, 1),
            (325, 2, Queues::Central, false, 2),
        ] {
            let setting = AdaptiveSetting { queues, wraps, per_node };
            let constants = AdaptiveConstants::for_setting(setting, n, k).unwrap();
            let made = construct_adaptive(&constants, Corner::SouthWest, &rule, &mut |_| true).unwrap();
            let sides = [n, n];
            let grid = if wraps { Grid::torus(&sides) } else { Grid::mesh(&sides) }.unwrap();
            hold_on(&grid, constants.store(), &rule, &made);
        }
    }
}
