//! Greedy adaptive that leaves shortest paths inside a box only (Chinn 1995, section 2.4.4).

use super::Inqueue;
use super::greedy::take_oldest;
use crate::{Beginning, Blind, Choice, Corner, Here, NoNotes, Offer, Rule};
use flitwork_types::{NodeId, PortSet};

/// Each link takes its oldest packet that it brings closer. Then, inside a box in a corner of a square mesh, a link that is
/// left and doesn't lead out of the box takes the oldest packet that is left.
#[derive(Clone, Copy, Debug)]
pub struct Derouting<I> {
    /// The mesh' side.
    pub side: u32,
    /// The box's corner.
    pub corner: Corner,
    /// The box's side; with 0 the rule is minimal.
    pub box_side: u32,
    /// Which is let in.
    pub inqueue: I,
}

impl<I> Derouting<I> {
    fn is_inside(&self, node: NodeId) -> bool {
        let is_of_mesh = u64::from(node.0) < u64::from(self.side).pow(2);
        let place = is_of_mesh.then(|| self.corner.place(self.side, node));
        place.is_some_and(|(column, row)| column.max(row) <= self.box_side)
    }
}

impl<I: Inqueue> Rule for Derouting<I> {
    type Sight = Blind;
    type Node = I::State;
    type Packet = ();
    type Note = NoNotes;
    const HAS_STATE: bool = I::HAS_STATE;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> I::State {
        self.inqueue.begin(node)
    }

    fn begin_packet(&self, _: &I::State, _: &Beginning<'_, Blind>) {}

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        take_oldest(here, choice, |_, _| true);
        if !self.is_inside(here.node) {
            return;
        }
        for port in here.links.iter() {
            let stays = here.neighbour(port).is_some_and(|it| self.is_inside(it));
            let oldest = (0..here.packets.len()).find(|place| !choice.sends(*place));
            if let Some(place) = oldest.filter(|_| stays && !choice.takes(port)) {
                choice.send(port, place);
            }
        }
    }

    fn accept(
        &self,
        here: &Here<'_, Self>,
        offers: &[Offer<'_, Blind, ()>],
        accepted: &mut Vec<usize>,
    ) {
        self.inqueue.accept(here.state, here, offers, accepted);
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut I::State, _: &mut [()]) {
        self.inqueue.after(here, node);
    }
}
