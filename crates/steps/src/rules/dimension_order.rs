//! Dimension order: a packet goes along its row until it is in its column, and then along that (Chinn 1995, chapter 1).

use super::{Inqueue, Order};
use crate::{Beginning, Choice, Here, Link, NoNotes, Offers, Rule, Seen};
use flitwork_types::{NodeId, PortSet};

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
    type Node = u64;
    type Packet = ();
    type Note = NoNotes;
    const WAITS_FOR_LINKS: bool = true;
    const READS_LEGS: bool = true;
    const KEEPS_RANKS: bool = O::STAYS;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> u64 {
        self.inqueue.begin(node)
    }

    fn begin_packet(&self, _: &u64, _: &Beginning<'_, O::Sight>) {}

    #[inline]
    fn rank(&self, link: &Link<'_>, packet: &Seen<'_, O::Sight, ()>) -> u64 {
        self.order.rank(link, packet)
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for (place, packet) in here.packets.iter().enumerate() {
            let Some(port) = here.first_dimension(packet.productive) else {
                continue;
            };
            let link = Link::of(here.node, port, here.step, here.grid);
            let rank = |place: usize| {
                let packet = &here.packets[place];
                (packet.stage(), self.order.rank(&link, packet))
            };
            match choice.sent.iter_mut().find(|it| it.0 == port) {
                Some((_, best)) if rank(place) < rank(*best) => *best = place,
                Some(_) => {}
                None => choice.send(port, place),
            }
        }
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        self.inqueue.accept(*here.state, here, offers, accepted);
    }

    fn has_state(&self) -> bool {
        self.inqueue.has_state()
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut u64, _: &mut [()]) {
        *node = self.inqueue.after(here, *node);
    }
}
