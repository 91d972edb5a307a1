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
use crate::greedy_hp::assign::{self, greedy, leave_over};
use arrayvec::ArrayVec;
use flitwork_types::{MAX_PORTS, Port, PortSet};

pub(super) use super::random::{bound_cycles, livelock, rank};

pub(super) const ENTRY: PriorityEntry = PriorityEntry {
    name: "greedy",
    summary: "each link takes a random word that it is productive for; the rest anywhere",
    priority: Priority::Greedy,
};

/// The port of each word; there are no more words than links. `note` is called with each pick.
pub(in crate::deflection) fn assign(
    hands: &[Hand],
    links: PortSet,
    order: &[Port],
    here: Here,
    mut note: impl FnMut(Pick<'_>),
) -> Ports {
    let Here {
        seed, node, now, ..
    } = here;
    let here = assign::Here {
        seed,
        node,
        now,
        order,
    };
    let mut left: Contenders = hands.iter().copied().collect();
    left.sort_unstable_by_key(|hand| hand.draw);
    let mut free = links;
    let mut taken: ArrayVec<(u32, Port), MAX_PORTS> = ArrayVec::new();
    let mut take = |hand: Hand, port| taken.push((hand.draw, port));
    let mut note = |pick: assign::Pick<'_, Hand>| note(Pick::ByLinks(pick));
    greedy::by_links(here, &mut left, &mut free, &mut note, &mut take);
    leave_over(here, left, free, &mut note, take);
    let port_of = |hand: &Hand| {
        let found = taken.iter().find(|(draw, _)| *draw == hand.draw);
        found.expect("each word got a port").1
    };
    hands.iter().map(port_of).collect()
}
