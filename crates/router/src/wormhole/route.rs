//! Route computation: the output lanes that a worm's head may take.

use super::queues::Seen;
use super::registers::Behind;
use super::{Node, Wormhole};
use crate::bits::Bits;
use crate::routing::{Chance, Choices, Head, Sees};
use flitwork_node::{Post, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, Port};

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// A worm reaches the front of an input lane: it is routed, and its head may bid after `wait` cycles.
    pub(super) fn begin(
        &self,
        state: &mut Node<B, N, P, L>,
        lane: usize,
        worm: Behind,
        (now, wait): (Cycle, u32),
        site: &Site<'_, impl Probe>,
    ) {
        state.occupied.put(lane);
        state.has_word.put(lane);
        state.waiting.put(lane);
        state.wait(now, lane, (wait, self.waits_are_short));
        state.at_head.put(lane);
        let packet = &site.packets[worm.worm];
        let front = &mut state.inputs[lane];
        front.worm = worm.worm;
        front.length = packet.words;
        state.words.set(lane, worm.words);
        state.has_tail.take(lane);
        if worm.whole {
            state.has_tail.put(lane);
        }
        let (preferred, fallback) = self.route((state, now), lane, packet, site);
        let front = &mut state.inputs[lane];
        (front.preferred, front.fallback) = (preferred, fallback);
    }

    /// The node to which a packet goes.
    #[inline]
    pub(super) fn destination(&self, packet: &Packet) -> NodeId {
        self.topology.home(packet.destination)
    }

    /// The output lanes that the head of an input lane bids for, and those that it falls back on: at its
    /// destination those of the packet's local port, otherwise what the routing function returns. A packet that no link
    /// leads to its destination leaves the network where it is.
    fn route(
        &self,
        (state, now): (&Node<B, N, P, L>, Cycle),
        lane: usize,
        packet: &Packet,
        site: &Site<'_, impl Probe>,
    ) -> (B, B) {
        let (port, channel) = self.lanes().place(lane);
        let destination = self.destination(packet);
        if destination == site.node || !self.topology.is_joined(site.node, destination) {
            let port = self.topology.local_of(packet.destination);
            return (self.lanes().at_row(port.index()), B::NONE);
        }
        let head = Head {
            here: site.node,
            packet: packet.id,
            destination,
            terminal: packet.destination,
            deroutes: packet.deroutes,
            from: (!self.is_local(port)).then_some((port, channel)),
        };
        let mut choices = Choices::default();
        let is_stranger = self.epoch.is_some_and(|epoch| !epoch.has(packet.injected));
        match self.sees {
            _ if is_stranger => {}
            Sees::Nothing => self.routing.choices(&head, &mut choices),
            Sees::OwnNode | Sees::Network => {
                let board = &site.packets.board;
                let seen = Seen {
                    router: self,
                    state,
                    now,
                    board,
                };
                self.routing.choices_seeing(&head, &seen, &mut choices);
            }
        }
        if self.epoch.is_some() && choices.preferred.is_empty() && choices.fallback.is_empty() {
            self.route_afresh(head, &mut choices);
        }
        let preferred = self.lanes_among(&choices.preferred);
        (preferred, self.lanes_among(&choices.fallback))
    }

    /// Routes a head whose way so far is none of this network: as if it were injected here, straight to its destination. Every hop brings
    /// it closer.
    #[cold]
    fn route_afresh(&self, head: Head, choices: &mut Choices) {
        let injected = Head { from: None, ..head };
        let straight = Chance::Given {
            coins: 0,
            intermediate: head.destination,
        };
        self.routing.choices_under(&injected, straight, choices);
    }

    /// Routes all heads that wait for an output lane once more.
    pub(super) fn route_again(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        site: &Site<'_, impl Probe>,
    ) {
        for lane in state.waiting.numbers() {
            let packet = &site.packets[state.inputs[lane].worm];
            let (preferred, fallback) = self.route((state, now), lane, packet, site);
            let front = &mut state.inputs[lane];
            (front.preferred, front.fallback) = (preferred, fallback);
        }
    }

    /// Routes heads that arrive, and lets those bid whose time has come.
    #[inline(always)]
    pub(super) fn route_heads<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        (heads, tails): (B, B),
        post: &W,
        site: &Site<'_, Pr>,
    ) {
        for lane in heads.numbers() {
            let head = post.head(Port(self.lanes().spot(lane).port));
            self.take_head(state, now, lane, (head, tails.has(lane)), site);
        }
        if !self.waits_are_short {
            self.end_waits(state, now);
        }
    }

    /// Ends the waits of lanes whose time has come.
    #[inline(never)]
    fn end_waits(&self, state: &mut Node<B, N, P, L>, now: Cycle) {
        for lane in state.in_stage.numbers() {
            if state.inputs[lane].ready <= now {
                state.in_stage.take(lane);
            }
        }
    }
}
