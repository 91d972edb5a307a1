//! Which packet leaves by which outlink. Pure: it maps the packets of a node and cycle to ports.

use super::{Arrival, GreedyHp, Hands};
use arrayvec::ArrayVec;
use flitwork_node::{draw, draw_below};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, NodeId, Port, PortSet};

/// A step's draws: one for the order, then one for each outlink assigned greedily, then one for each packet
/// left over.
const ORDER_DRAW: u32 = 0;
const GREEDY_DRAWS: u32 = 1;
const LEFT_OVER_DRAWS: u32 = 64;

/// A packet that leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assigned {
    pub(super) arrival: Arrival,
    pub(super) port: Port,
    /// Whether the outlink isn't productive for it.
    pub(super) deroute: bool,
}

/// All packets that leave, in the order in which they are assigned.
pub(super) type Assignment = ArrayVec<Assigned, MAX_PORTS>;

/// A packet is about to be assigned.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick<'a> {
    /// An outlink takes one of the packets left that it is productive for: the one of that number among `good` of them.
    Greedy {
        port: Port,
        left: &'a [(Arrival, PortSet)],
        good: u32,
        drawn: u32,
    },
    /// A packet that is left over takes the outlink of that number among `free` ones.
    LeftOver {
        port: Port,
        arrival: Arrival,
        free: u32,
        drawn: u32,
    },
}

impl<T: Topology> GreedyHp<T> {
    /// The outlink of each packet; there are no more packets than links. `note` is called with each pick.
    #[inline]
    pub(super) fn assign(
        &self,
        mut hands: Hands,
        links: PortSet,
        node: NodeId,
        now: Cycle,
        mut note: impl FnMut(Pick<'_>),
    ) -> Assignment {
        let (mut free, mut assigned) = (links, Assignment::new());
        self.assign_greedily(&mut hands, &mut free, (node, now), &mut note, &mut assigned);
        for (index, (arrival, _)) in hands.into_iter().enumerate() {
            let index = LEFT_OVER_DRAWS + index as u32;
            let drawn = draw_below(free.len() as u32, self.seed, node, now, index);
            let port = free
                .iter()
                .nth(drawn as usize)
                .expect("a link is left for each packet");
            note(Pick::LeftOver {
                port,
                arrival,
                free: free.len() as u32,
                drawn,
            });
            assigned.push(Assigned {
                arrival,
                port,
                deroute: true,
            });
            free.remove(port);
        }
        assigned
    }

    /// For each outlink, in one of the two orders at random, picks a random packet that it is productive for.
    #[inline]
    fn assign_greedily(
        &self,
        hands: &mut Hands,
        free: &mut PortSet,
        (node, now): (NodeId, Cycle),
        note: &mut impl FnMut(Pick<'_>),
        assigned: &mut Assignment,
    ) {
        let backwards = draw(self.seed, node, now, ORDER_DRAW) >> 63 == 1;
        let count = self.order.len();
        for place in 0..count {
            if hands.is_empty() {
                return;
            }
            let port = self.order[if backwards { count - 1 - place } else { place }];
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
                _ => draw_below(good, self.seed, node, now, GREEDY_DRAWS + place as u32),
            };
            note(Pick::Greedy {
                port,
                left: hands,
                good,
                drawn,
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
}
