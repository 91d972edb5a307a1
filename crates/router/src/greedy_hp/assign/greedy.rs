//! Each outlink takes a random packet (Chinn 1995, section 4.3), in one of two orders, drawn at random: north, south,
//! east, west, or the reverse. What an early outlink takes may have been the only packet for a later one, so fewer
//! packets may advance than could.

use super::{Assigned, Departures, Here, Pick};
use crate::greedy_hp::{Contenders, rules};
use flitwork_node::{Draw, draw, draw_below};
use flitwork_types::PortSet;

/// A step's draws: one for the order, then one for each outlink.
const ORDER_DRAW: u32 = 0;
const LINK_DRAWS: u32 = 1;

#[inline]
pub(super) fn advance(
    here: Here<'_>,
    hands: &mut Contenders,
    free: &mut PortSet,
    note: &mut impl FnMut(Pick<'_>),
    assigned: &mut Departures,
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
        let good = hands
            .iter()
            .filter(|(_, wants)| wants.contains(port))
            .count() as u32;
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
        let mut good = (0..hands.len()).filter(|hand| hands[*hand].1.contains(port));
        let hand = good
            .nth(drawn as usize)
            .expect("the draw is below their number");
        let (arrival, _) = hands.remove(hand);
        assigned.push(Assigned {
            arrival,
            port,
            deroute: false,
        });
        free.remove(port);
    }
}
