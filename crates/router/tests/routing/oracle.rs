//! Dependencies by brute force: every packet, followed through every choice that it may take.

use crate::common::{all_coins, channels_of, follow, injected, moved, nodes};
use flitwork_router::routing::{Chance, Choices, Head, Routing};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A virtual channel: the node and the output port where it begins, and its number there.
pub(crate) type Channel = (u32, u8, u8);
/// Pairs of channels, the first of which depends on the second.
pub(crate) type Pairs = BTreeSet<(Channel, Channel)>;

/// A head that has crossed a channel, and its choices.
type Standing = (Channel, Head, Choices);

/// The channel over which a head arrived.
pub(crate) fn held_by(grid: &Grid, head: &Head) -> Option<Channel> {
    let (port, channel) = head.from?;
    let before = grid.neighbour(head.here, port).unwrap();
    Some((before.0, grid.opposite(port).0, channel))
}

/// The channels among choices.
pub(crate) fn wanted(here: NodeId, choices: &Choices) -> Vec<Channel> {
    let all = choices.preferred.iter().chain(&choices.fallback);
    all.flat_map(|choice| {
        channels_of(choice.channels).map(|channel| (here.0, choice.port.0, channel))
    })
    .collect()
}

/// All packets: from each node to each other one, under all possible draws.
pub(crate) fn packets(routing: &dyn Routing, grid: &Grid) -> Vec<(Head, Chance)> {
    let visits = routing.declaration().visits;
    let coins = all_coins(grid);
    let mut packets = Vec::new();
    for source in nodes(grid) {
        for destination in nodes(grid).filter(|node| *node != source) {
            for intermediate in nodes(grid).filter(|node| visits || *node == destination) {
                for coins in &coins {
                    let chance = Chance::Given {
                        coins: *coins,
                        intermediate,
                    };
                    packets.push((injected(source, destination, 0), chance));
                }
            }
        }
    }
    packets
}

/// All that a packet can become once it is under way.
fn standings(routing: &dyn Routing, grid: &Grid, first: Head, chance: Chance) -> Vec<Standing> {
    let mut standings = Vec::new();
    follow(routing, grid, first, chance, |head, _, choices| {
        if let (Some(held), Some(choices)) = (held_by(grid, head), choices) {
            standings.push((held, *head, choices.clone()));
        }
    });
    standings
}

/// Which packets are examined: all of them, or those to one destination.
#[derive(Clone, Copy)]
pub(crate) enum Which {
    All,
    To(NodeId),
}

impl Which {
    fn packets(self, routing: &dyn Routing, grid: &Grid) -> Vec<(Head, Chance)> {
        let mut packets = packets(routing, grid);
        if let Which::To(destination) = self {
            packets.retain(|(head, _)| head.destination == destination);
        }
        packets
    }
}

/// Direct dependencies of packets.
pub(crate) fn direct(routing: &dyn Routing, grid: &Grid, which: Which) -> Pairs {
    let mut pairs = Pairs::new();
    for (first, chance) in which.packets(routing, grid) {
        for (held, head, choices) in standings(routing, grid, first, chance) {
            pairs.extend(wanted(head.here, &choices).iter().map(|next| (held, *next)));
        }
    }
    pairs
}

/// Dependencies among escape channels, direct ones and those through other channels.
pub(crate) fn extended(routing: &dyn Routing, grid: &Grid, which: Which) -> Pairs {
    let escape = routing.declaration().escape.unwrap();
    let is_escape = |channel: &Channel| escape >> channel.2 & 1 == 1;
    let mut pairs = Pairs::new();
    for (first, chance) in which.packets(routing, grid) {
        for (held, head, _) in standings(routing, grid, first, chance) {
            if is_escape(&held) {
                let escapes = escapes_from(routing, grid, head, chance, escape);
                pairs.extend(escapes.iter().map(|next| (held, *next)));
            }
        }
    }
    pairs
}

/// The escape channels that a head can come to want before it takes one.
fn escapes_from(
    routing: &dyn Routing,
    grid: &Grid,
    first: Head,
    chance: Chance,
    escape: u32,
) -> BTreeSet<Channel> {
    let (mut open, mut seen) = (vec![first], HashSet::from([first]));
    let mut escapes = BTreeSet::new();
    let mut choices = Choices::default();
    while let Some(head) = open.pop() {
        if head.here == head.destination {
            continue;
        }
        routing.choices_under(&head, chance, &mut choices);
        let own = wanted(head.here, &choices);
        escapes.extend(own.iter().filter(|channel| escape >> channel.2 & 1 == 1));
        for choice in choices.preferred.iter().chain(&choices.fallback) {
            for channel in channels_of(choice.channels & !escape) {
                let next = moved(grid, &head, choice, channel);
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    escapes
}

/// Ways into an intermediate node combined with all ways out of it, whatever the coins: what the check
/// examines beyond what single packets do.
pub(crate) fn joined(routing: &dyn Routing, grid: &Grid) -> Pairs {
    let mut pairs = Pairs::new();
    for (first, chance) in packets(routing, grid) {
        let Chance::Given { intermediate, .. } = chance else {
            panic!("all packets are given");
        };
        if intermediate != first.destination {
            continue;
        }
        follow(routing, grid, first, chance, |head, _, choices| {
            if choices.is_some() {
                return;
            }
            let held = held_by(grid, head).unwrap();
            for destination in nodes(grid).filter(|node| *node != head.here) {
                let on = Head {
                    destination,
                    ..*head
                };
                for coins in all_coins(grid) {
                    let chance = Chance::Given {
                        coins,
                        intermediate,
                    };
                    let mut choices = Choices::default();
                    routing.choices_under(&on, chance, &mut choices);
                    let wanted = wanted(head.here, &choices);
                    pairs.extend(wanted.into_iter().map(|next| (held, next)));
                }
            }
        });
    }
    pairs
}

/// Whether dependencies form a cycle, found by removing channels on which nothing depends.
pub(crate) fn cyclic(pairs: &Pairs) -> bool {
    let mut depended_on: BTreeMap<Channel, u32> = BTreeMap::new();
    let mut next: BTreeMap<Channel, Vec<Channel>> = BTreeMap::new();
    for (held, wanted) in pairs {
        depended_on.entry(*held).or_default();
        *depended_on.entry(*wanted).or_default() += 1;
        next.entry(*held).or_default().push(*wanted);
    }
    let free = depended_on.iter().filter(|(_, count)| **count == 0);
    let mut free: Vec<Channel> = free.map(|(channel, _)| *channel).collect();
    let mut left = depended_on.len();
    while let Some(channel) = free.pop() {
        left -= 1;
        for wanted in next.get(&channel).into_iter().flatten() {
            let count = depended_on.get_mut(wanted).unwrap();
            *count -= 1;
            if *count == 0 {
                free.push(*wanted);
            }
        }
    }
    left > 0
}
