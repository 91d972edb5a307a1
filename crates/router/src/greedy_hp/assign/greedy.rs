//! Each outlink takes a random packet (Chinn 1995, section 4.3), in one of two orders, drawn at random: north, south,
//! east, west, or the reverse. What an early outlink takes may have been the only packet for a later one, so fewer
//! packets may advance than could.

use super::{Assigned, Contender, Departures, Hand, Here, Pick};
use crate::greedy_hp::{Contenders, rules};
use arrayvec::ArrayVec;
use flitwork_node::{Draw, draw, draw_below};
use flitwork_types::{MAX_PORTS, Port, PortSet};

/// A step's draws: one for the order, then one for each outlink.
const ORDER_DRAW: u32 = 0;
const LINK_DRAWS: u32 = 1;

#[inline]
pub(super) fn advance(
    here: Here<'_>,
    hands: &mut Contenders,
    free: &mut PortSet,
    note: &mut impl FnMut(Pick<'_, Hand>),
    assigned: &mut Departures,
) {
    by_links(here, hands, free, note, |(arrival, _), port| {
        assigned.push(Assigned {
            arrival,
            port,
            deroute: false,
        });
    });
}

/// The same for any contenders: each that an outlink takes is passed to `take` with it.
#[inline]
pub(crate) fn by_links<H: Contender>(
    here: Here<'_>,
    hands: &mut ArrayVec<H, MAX_PORTS>,
    free: &mut PortSet,
    note: &mut impl FnMut(Pick<'_, H>),
    mut take: impl FnMut(H, Port),
) {
    let Here {
        seed,
        node,
        now,
        order,
    } = here;
    let backwards = draw(seed, node, now, ORDER_DRAW) >> 63 == 1;
    let count = order.len();
    for place in 0..count {
        if hands.is_empty() {
            return;
        }
        let port = order[if backwards { count - 1 - place } else { place }];
        if !free.contains(port) {
            continue;
        }
        let good = hands.iter().filter(|hand| hand.wants(port)).count() as u32;
        if good == 0 {
            continue;
        }
        let drawn = match good {
            1 => 0,
            _ => draw_below(good, seed, node, now, LINK_DRAWS + place as u32),
        };
        let draw = Draw { below: good, drawn };
        note(Pick::Advances {
            rule: &rules::GREEDY,
            port,
            among: hands,
            winner: drawn,
            draw: (good > 1).then_some(draw),
        });
        let mut good = (0..hands.len()).filter(|hand| hands[*hand].wants(port));
        let hand = good
            .nth(drawn as usize)
            .expect("the draw is below their number");
        take(hands.remove(hand), port);
        free.remove(port);
    }
}
