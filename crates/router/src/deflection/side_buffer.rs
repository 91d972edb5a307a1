//! The side buffer (Fallin and others 2012, section 4): a few flits that would have been deflected wait for a
//! link, first in, first out.

use super::hand::{Contenders, Hand};
use super::priority::Here;
use super::{Deflection, Node, explain};
use flitwork_node::{Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Packets, Port};
use std::collections::VecDeque;

/// A flit that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) packet: PacketRef,
    pub(super) index: u16,
}

/// The waiting flits, in order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct SideBuffer {
    /// The first of them leaves next.
    pub(super) flits: VecDeque<Waiting>,
    /// Cycles in which the first of them has found no link.
    pub(super) refused_cycles: u32,
}

/// What happens to the first flit of the side buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reinjection {
    /// It stays, or there is none.
    No,
    /// It leaves over a free link.
    Room,
    /// It leaves, and the last of the flits that came over links takes its place in the buffer.
    Swap,
}

impl SideBuffer {
    /// Bytes outside of its own size.
    pub(super) fn heap_bytes(&self) -> usize {
        self.flits.len() * size_of::<Waiting>()
    }

    /// What happens to the first flit if `through` flits came over links and weren't ejected. A flit that has
    /// found none of `links` free for `redirection_cycles` leaves in the next cycle.
    #[inline]
    pub(super) fn reinjection(
        &self,
        through: usize,
        links: usize,
        redirection_cycles: u32,
    ) -> Reinjection {
        match (self.flits.is_empty(), through < links) {
            (true, _) => Reinjection::No,
            (false, true) => Reinjection::Room,
            (false, false) if self.refused_cycles >= redirection_cycles => Reinjection::Swap,
            (false, false) => Reinjection::No,
        }
    }

    /// The first flit has found no link in this cycle.
    pub(super) fn refuse(&mut self) {
        let waits = u32::from(!self.flits.is_empty());
        self.refused_cycles = self.refused_cycles.saturating_add(waits);
    }

    /// The first flit leaves.
    pub(super) fn pop(&mut self) {
        self.refused_cycles = 0;
        self.flits.pop_front();
    }
}

impl<T: Topology> Deflection<T> {
    /// The side buffer's first flit, ranked among the others.
    #[inline]
    pub(super) fn side_hand(&self, state: &Node, packets: &Packets, here: Here) -> Option<Hand> {
        let Waiting { packet, index } = *state.side_buffer.flits.front()?;
        Some(self.hand(Place::SideBuffer, packet, index, packets, here))
    }

    /// Reinjects the side buffer's first flit if there is room for it, or if it has waited too long. Returns
    /// whether another flit took its place in the buffer.
    pub(super) fn reinject<P: Probe>(
        &self,
        state: &mut Node,
        hands: &mut Contenders,
        links: usize,
        here: Here,
        site: &mut Site<'_, P>,
    ) -> bool {
        let most_cycles = self.parameters.redirection_cycles;
        let decided = state
            .side_buffer
            .reinjection(hands.len(), links, most_cycles);
        site.witness(|witness, packets| {
            if let Some(first) = self.side_hand(state, packets, here) {
                explain::reinjection(decided, &first, hands, (witness, packets));
                explain::behind(&state.side_buffer, (witness, packets));
            }
        });
        if decided == Reinjection::No {
            state.side_buffer.refuse();
            return false;
        }
        let back = self.side_hand(state, site.packets, here);
        state.side_buffer.pop();
        if decided == Reinjection::Swap {
            let last = hands.pop().expect("all links have sent a flit");
            self.put_aside(state, &last, here.now, site);
        }
        hands.extend(back);
        decided == Reinjection::Swap
    }

    /// Puts a flit into the side buffer.
    pub(super) fn put_aside<P: Probe>(
        &self,
        state: &mut Node,
        hand: &Hand,
        now: Cycle,
        site: &mut Site<'_, P>,
    ) {
        let Hand { packet, index, .. } = *hand;
        state.side_buffer.flits.push_back(Waiting { packet, index });
        assert!(
            state.side_buffer.flits.len() <= self.parameters.side_buffer_flits,
            "node {}: the side buffer overflows in cycle {now}",
            site.node
        );
        let places = (hand.from, Place::SideBuffer);
        site.moved(now, hand.packet, places, false);
        site.shifted(now, hand.packet, hand.index, places);
    }

    /// Which flit goes into the side buffer instead of over the link that it was assigned: the first that
    /// came over a link and was deflected, if there is room.
    #[inline]
    pub(super) fn set_aside(&self, state: &Node, hands: &[Hand], ports: &[Port]) -> Option<usize> {
        if state.side_buffer.flits.len() >= self.parameters.side_buffer_flits {
            return None;
        }
        let mut pairs = hands.iter().zip(ports);
        pairs.position(|(hand, port)| self.may_be_put_aside(hand, *port))
    }

    /// Whether a word came over a link and is deflected.
    #[inline]
    pub(super) fn may_be_put_aside(&self, hand: &Hand, port: Port) -> bool {
        let over_link = match hand.from {
            Place::Input(input) => !self.topology.is_local(input),
            _ => false,
        };
        over_link && hand.is_deroute(port)
    }
}
