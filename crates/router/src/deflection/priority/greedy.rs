//! GreedyHP's order (Chinn 1995, section 4.3): each link chooses a word, rather than each word a link.
//!
//! The links take their turns in one of two orders, chosen at random: north, south, east, west, or its
//! reverse. Each takes a random word among those for which it is productive; words that are left over take
//! random free links, in the order of the ports at which they arrived. Where words need an order for other
//! purposes, such as ejection, it is random. Livelock is possible, but as improbable as with a random order.
//!
//! With one-word packets and no limit on ejections this is the router of [`crate::greedy_hp`], draw for draw.

use super::{Here, Priority, PriorityEntry};
use crate::deflection::assign::Pick;
use crate::deflection::hand::{Contenders, Hand, Ports};
use flitwork_node::{draw, draw_below};
use flitwork_types::{Port, PortSet};

pub(super) use super::random::{bound_cycles, livelock, rank};

pub(super) const ENTRY: PriorityEntry = PriorityEntry {
    name: "greedy",
    summary: "each link takes a random word that it is productive for; the rest anywhere",
    priority: Priority::Greedy,
};

/// A step's draws: one for the order, then one for each link assigned greedily, then one for each word left
/// over.
const ORDER_DRAW: u32 = 0;
const GREEDY_DRAWS: u32 = 1;
const LEFT_OVER_DRAWS: u32 = 64;

/// The links in the first of the two orders; the other is its reverse.
pub(in crate::deflection) fn link_order(ports: usize) -> Vec<Port> {
    // North, south, east, west are ports 0, 2, 1, 3 of a plane.
    let plane = [0, 2, 1, 3].into_iter().filter(|_| ports >= 4);
    let rest = if ports >= 4 { 4..ports } else { 0..ports };
    plane.chain(rest).map(|port| Port(port as u8)).collect()
}

/// The port of each word; there are no more words than links. `note` is called with each pick.
pub(in crate::deflection) fn assign(
    hands: &[Hand],
    links: PortSet,
    order: &[Port],
    here: Here,
    mut note: impl FnMut(Pick<'_>),
) -> Ports {
    let mut left: Contenders = hands.iter().copied().collect();
    left.sort_unstable_by_key(|hand| hand.draw);
    let mut free = links;
    let mut taken: arrayvec::ArrayVec<(u32, Port), { flitwork_types::MAX_PORTS }> =
        arrayvec::ArrayVec::new();
    let backwards = draw(here.seed, here.node, here.now, ORDER_DRAW) >> 63 == 1;
    for place in 0..order.len() {
        let port = order[if backwards {
            order.len() - 1 - place
        } else {
            place
        }];
        let wants = |hand: &Hand| hand.wants.contains(port);
        let count = left.iter().filter(|hand| wants(hand)).count() as u32;
        if !free.contains(port) || count == 0 {
            continue;
        }
        let index = GREEDY_DRAWS + place as u32;
        let drawn = draw_below(count, here.seed, here.node, here.now, index);
        note(Pick::Greedy {
            port,
            left: &left,
            good: count,
            drawn,
        });
        let mut good = (0..left.len()).filter(|hand| wants(&left[*hand]));
        let hand = good.nth(drawn as usize);
        let hand = left.remove(hand.expect("the draw is below their number"));
        taken.push((hand.draw, port));
        free.remove(port);
    }
    for (place, hand) in left.iter().enumerate() {
        let index = LEFT_OVER_DRAWS + place as u32;
        let drawn = draw_below(free.len() as u32, here.seed, here.node, here.now, index);
        let port = free.iter().nth(drawn as usize);
        let port = port.expect("a link is left for each word");
        note(Pick::LeftOver {
            port,
            hand,
            free: free.len() as u32,
            drawn,
        });
        taken.push((hand.draw, port));
        free.remove(port);
    }
    let port_of = |hand: &Hand| {
        let found = taken.iter().find(|(draw, _)| *draw == hand.draw);
        found.expect("each word got a port").1
    };
    hands.iter().map(port_of).collect()
}
