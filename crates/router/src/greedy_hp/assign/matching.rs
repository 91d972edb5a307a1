//! A random one of the assignments in which as many packets advance as can: a maximum matching between the packets and
//! the outlinks that are productive for them. Chinn 1995, section 4.3, names it as what the greedy assignment
//! approximates, and as impractical in hardware; Borodin and Hopcroft 1985 suggest it.
//!
//! At a node with few outlinks all maximum matchings are counted, and one is drawn by its number: uniformly. At a node
//! with more of them packets look for outlinks along augmenting paths, in a random order: the matching is maximum, too,
//! and any of them may be drawn, but some more often than others.

mod counted;
mod searched;

use super::{Assigned, Departures, Hand, Here, Pick};
use crate::greedy_hp::Contenders;
use arrayvec::ArrayVec;
use counted::{COUNTED_LINKS, Counted};
use flitwork_node::{Draw, draw_below};
use flitwork_types::{MAX_PORTS, Port, PortSet};

/// The draw of the matching's number.
const NUMBER_DRAW: u32 = 0;

flitwork_node::rules! {
    /// At a node with few outlinks.
    COUNTED = "matching",
        "as many packets advance as can: of all assignments in which they do, each has a number, and one is drawn for \
         the whole node; the packets that the outlink is productive for could have had it in some assignment",
        "Chinn 1995, section 4.3";

    /// At a node with many.
    SEARCHED = "matching by augmenting paths",
        "as many packets advance as can: packets look for outlinks in a random order, of which the draw is this \
         packet's place, and others make way for them if they can advance over another outlink",
        "Chinn 1995, section 4.3; docs/src/routers/greedy-hp.md for the search";
}

/// What a node's packets do.
#[derive(Clone, Debug, Default)]
struct Matching {
    /// The outlink of each packet; `None` for a packet that doesn't advance.
    links: ArrayVec<Option<Port>, MAX_PORTS>,
    /// The draw by which each packet has what it has.
    draws: ArrayVec<Option<Draw>, MAX_PORTS>,
}

// Not part of the greedy step's code.
#[inline(never)]
pub(super) fn advance(
    here: Here<'_>,
    hands: &mut Contenders,
    free: &mut PortSet,
    note: &mut impl FnMut(Pick<'_, Hand>),
    assigned: &mut Departures,
) {
    if hands.is_empty() {
        return;
    }
    let (rule, matching) = match free.len() <= COUNTED_LINKS {
        true => (&COUNTED, by_number(here, hands, *free)),
        false => (&SEARCHED, searched::search(here, hands, *free)),
    };
    for port in free.iter() {
        let Some(hand) = matching.links.iter().position(|link| *link == Some(port)) else {
            continue;
        };
        let before = hands[..hand].iter();
        note(Pick::Advances {
            rule,
            port,
            among: hands,
            winner: before.filter(|(_, wants)| wants.contains(port)).count() as u32,
            draw: matching.draws[hand],
        });
        assigned.push(Assigned {
            arrival: hands[hand].0,
            port,
            deroute: false,
        });
        free.remove(port);
    }
    let mut links = matching.links.into_iter();
    hands.retain(|_| links.next().flatten().is_none());
}

/// One of all maximum matchings, by its number.
fn by_number(here: Here<'_>, hands: &Contenders, links: PortSet) -> Matching {
    let counted = Counted::new(hands, links);
    let below = counted.matchings();
    let draw = (below > 1).then(|| Draw {
        below,
        drawn: draw_below(below, here.seed, here.node, here.now, NUMBER_DRAW),
    });
    Matching {
        links: counted.matching(draw.map_or(0, |draw| draw.drawn)),
        draws: hands.iter().map(|_| draw).collect(),
    }
}

#[cfg(test)]
mod tests;
