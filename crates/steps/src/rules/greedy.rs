//! Greedy minimal adaptive: each link takes the oldest packet that it brings closer.

use super::Inqueue;
use crate::{Blind, Choice, Here, Offer, Rule};
use flitwork_types::{NodeId, PortSet};

/// Each link takes its oldest packet that no link before it has taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct GreedyAdaptive<I> {
    /// Which is let in.
    pub inqueue: I,
}

impl<I: Inqueue> Rule for GreedyAdaptive<I> {
    type Sight = Blind;
    type Node = I::State;
    type Packet = ();
    const HAS_STATE: bool = I::HAS_STATE;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> I::State {
        self.inqueue.begin(node)
    }

    fn begin_packet(&self, _: &I::State, _: NodeId, _: PortSet) {}

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for port in here.links.iter() {
            // The oldest are first.
            let mut held = here.packets.iter().enumerate();
            let oldest =
                held.find(|(place, it)| it.productive.contains(port) && !choice.sends(*place));
            if let Some((place, _)) = oldest {
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
