//! Finds a maximum matching along augmenting paths, in a random order.
//!
//! One after the other, packets look for an outlink, each trying those that are productive for it in an order of its
//! own. An outlink that another packet holds is taken if that packet finds another one in the same way. So no packet
//! that has an outlink loses it for good, and once all have looked as many have one as can (Berge 1957). Any maximum
//! matching can come out: if its packets look first, and each tries its outlink of the matching first.

use super::{Here, Matching};
use crate::greedy_hp::Contenders;
use crate::greedy_hp::assign::FURTHER_DRAWS;
use arrayvec::ArrayVec;
use flitwork_node::{Draw, draw};
use flitwork_types::{MAX_PORTS, Port, PortSet};

/// The draws of the packets' places, one for each; then the outlinks' of each packet.
const PLACE_DRAWS: u32 = FURTHER_DRAWS;

/// For how many ports there are draws in nodes of up to 32 outlinks: once all nodes had no more, and with other numbers their packets
/// would draw other orders.
const USUAL_PORTS: u32 = 33;

/// For how many ports there are draws in a node of so many outlinks.
fn drawing_ports(outlinks: usize) -> u32 {
    match outlinks < USUAL_PORTS as usize {
        true => USUAL_PORTS,
        false => MAX_PORTS as u32,
    }
}

/// Who looks for what, and what has been found.
struct Search {
    /// The outlinks that each packet tries, in its order.
    tries: ArrayVec<ArrayVec<Port, MAX_PORTS>, MAX_PORTS>,
    /// The packet that holds each outlink.
    holders: [Option<usize>; MAX_PORTS],
}

/// A maximum matching of packets and outlinks.
pub(super) fn search(here: Here<'_>, hands: &Contenders, links: PortSet) -> Matching {
    let drawn = |index| draw(here.seed, here.node, here.now, index);
    let ports_drawing = drawing_ports(here.order.len());
    let tries = |(hand, (_, wants)): (usize, &(_, PortSet))| {
        let first = PLACE_DRAWS + (1 + hand as u32) * ports_drawing;
        let mut ports: ArrayVec<Port, MAX_PORTS> = PortSet(wants.0 & links.0).iter().collect();
        ports.sort_unstable_by_key(|port| drawn(first + u32::from(port.0)));
        ports
    };
    let mut search = Search {
        tries: hands.iter().enumerate().map(tries).collect(),
        holders: [None; MAX_PORTS],
    };
    let mut order: ArrayVec<usize, MAX_PORTS> = (0..hands.len()).collect();
    order.sort_unstable_by_key(|hand| drawn(PLACE_DRAWS + *hand as u32));
    let mut matching = Matching {
        links: hands.iter().map(|_| None).collect(),
        draws: hands.iter().map(|_| None).collect(),
    };
    for (place, hand) in order.into_iter().enumerate() {
        search.finds(hand, &mut PortSet::default());
        matching.draws[hand] = Some(Draw {
            below: hands.len() as u32,
            drawn: place as u32,
        });
    }
    for port in links.iter() {
        if let Some(hand) = search.holders[port.index()] {
            matching.links[hand] = Some(port);
        }
    }
    matching
}

impl Search {
    /// Whether a packet finds an outlink that none has tried in this search; others may move to other ones.
    fn finds(&mut self, hand: usize, tried: &mut PortSet) -> bool {
        for index in 0..self.tries[hand].len() {
            let port = self.tries[hand][index];
            if tried.contains(port) {
                continue;
            }
            tried.insert(port);
            let holder = self.holders[port.index()];
            if holder.is_none_or(|other| self.finds(other, tried)) {
                self.holders[port.index()] = Some(hand);
                return true;
            }
        }
        false
    }
}
