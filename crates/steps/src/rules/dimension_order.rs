//! Dimension order: a packet goes along its row until it is in its column, and then along that (Chinn 1995, chapter 1).

use super::{Inqueue, Link, Order};
use crate::{Choice, Here, Offer, Rule, Seen};
use flitwork_types::{NodeId, Port, PortSet};

/// Dimension order, with an order of those that want the same link.
#[derive(Clone, Copy, Debug, Default)]
pub struct DimensionOrder<O, I> {
    /// Which goes first.
    pub order: O,
    /// Which is let in.
    pub inqueue: I,
}

impl<O: Order, I: Inqueue> Rule for DimensionOrder<O, I> {
    type Sight = O::Sight;
    type Node = I::State;
    type Packet = ();
    const HAS_STATE: bool = I::HAS_STATE;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> I::State {
        self.inqueue.begin(node)
    }

    fn begin_packet(&self, _: &I::State, _: NodeId, _: PortSet) {}

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for port in here.links.iter() {
            let link = Link {
                node: here.node,
                step: here.step,
                dimension: here.dimension(port),
                across: here.across(port),
            };
            let wants = |(place, packet): (usize, &Seen<'_, O::Sight, ()>)| {
                let port_of = here.first_dimension(packet.productive);
                (port_of == Some(port)).then(|| (self.order.rank(&link, packet), place))
            };
            let best = here.packets.iter().enumerate().filter_map(wants).min();
            if let Some((_, place)) = best {
                choice.send(port, place);
            }
        }
    }

    fn accept(
        &self,
        here: &Here<'_, Self>,
        offers: &[Offer<'_, O::Sight, ()>],
        accepted: &mut Vec<usize>,
    ) {
        self.inqueue.accept(here.state, here, offers, accepted);
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut I::State, _: &mut [()]) {
        self.inqueue.after(here, node);
    }
}

impl<R: Rule> Here<'_, R> {
    /// The productive link of the lowest dimension; of two ways around a torus, the lower port.
    pub fn first_dimension(&self, productive: PortSet) -> Option<Port> {
        productive.iter().min_by_key(|port| self.dimension(*port))
    }
}
