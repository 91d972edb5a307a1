//! Switch allocation: words bid for a way through the switch.

use super::channels::created;
use super::registers::InputLane;
use super::{Node, Wormhole};
use crate::allocate::Speculation;
use crate::bits::Bits;
use flitwork_topology::Topology;
use flitwork_types::{Packets, Port, PortSet};

/// The input lanes that bid for the switch in a cycle.
#[derive(Clone, Copy)]
pub(super) struct SwitchBids<B> {
    /// Those whose next word bids: they hold an output lane with room.
    pub(super) words: B,
    /// Those whose head has bid for an output lane in this cycle and bids for the switch speculatively.
    pub(super) speculative: B,
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// The input lanes that bid for the switch: with their next word those that hold an output lane with room, except
    /// the `speculative`, whose heads have bid for an output lane in this cycle.
    #[inline]
    pub(super) fn bid_for_switch(
        &self,
        state: &Node<B, N, P, L>,
        (speculative, sendable): (B, PortSet),
    ) -> SwitchBids<B> {
        let words = state.can_cross() & !state.in_stage & !speculative;
        let words = self.sendable(&state.output, words, sendable);
        SwitchBids { words, speculative }
    }

    /// Selects the input lanes that cross the switch among those that bid: at most one from each input port,
    /// and one to each output port.
    #[inline]
    pub(super) fn allocate_switch(
        &self,
        state: &mut Node<B, N, P, L>,
        bids: B,
        packets: &Packets,
    ) -> B {
        match state.switch.repeat(bids) {
            Some(through) => through,
            None => self.allocate_anew(state, bids, packets),
        }
    }

    /// The same if they didn't all cross together before.
    #[inline(never)]
    fn allocate_anew(&self, state: &mut Node<B, N, P, L>, bids: B, packets: &Packets) -> B {
        let (inputs, held) = (&state.inputs, &state.output);
        let born = |lane: usize| created(inputs[lane].worm, packets);
        self.switch.allocate(&mut state.switch, bids, held, born)
    }

    /// Those of `lanes` whose links take words.
    #[inline]
    fn sendable(&self, output: &[u8; N], lanes: B, sendable: PortSet) -> B {
        if sendable.0 | self.local_ports.0 == u64::MAX {
            return lanes;
        }
        let mut found = lanes;
        for lane in lanes.numbers() {
            let port = Port(self.lanes().spot(output[lane].into()).port);
            if !self.is_local(port) && !sendable.contains(port) {
                found.take(lane);
            }
        }
        found
    }

    /// The output lanes for whose ports a head bids that has bid for an output lane in this cycle: the one
    /// that it got, or all that it may take, since it would have bid for the switch regardless. If bids are blind, those
    /// that were `open`: free, and with room.
    #[inline]
    fn wanted_by(
        (active, open): (B, Option<B>),
        output: &[u8; N],
        inputs: &[InputLane<B>; N],
        lane: usize,
    ) -> B {
        if let Some(open) = open {
            (inputs[lane].preferred | inputs[lane].fallback) & open
        } else if active.has(lane) {
            B::only(output[lane].into())
        } else {
            inputs[lane].preferred | inputs[lane].fallback
        }
    }

    /// What decides for which ports heads bid ([`Wormhole::wanted_by`]).
    #[inline]
    fn known_to_heads(&self, state: &Node<B, N, P, L>) -> (B, Option<B>) {
        let is_blind = self.parameters.speculation != super::Speculation::After;
        (state.active, is_blind.then_some(state.open))
    }

    /// The output lanes for whose ports the head of an input lane bids speculatively.
    pub(super) fn wanted_speculatively(&self, state: &Node<B, N, P, L>, lane: usize) -> B {
        let known = self.known_to_heads(state);
        Self::wanted_by(known, &state.output, &state.inputs, lane)
    }

    /// Notes the output lanes that were free for the heads that have just bid for them, and have room.
    #[inline(never)]
    pub(super) fn note_open(&self, state: &mut Node<B, N, P, L>, bidding: B) {
        let given = (bidding & state.active).numbers();
        let given = given.fold(B::NONE, |all, lane| {
            all | B::only(state.output[lane].into())
        });
        state.open = (state.free | given) & !state.no_credit;
    }

    /// Selects the input lanes that cross the switch among words that bid and heads that bid speculatively: first the
    /// words, then the heads, or all together. Returns those of the words, and those of the heads, of which none may be
    /// among them; if all are allocated together, the former are none.
    #[inline(always)]
    pub(super) fn allocate_speculatively(
        &self,
        state: &mut Node<B, N, P, L>,
        (bids, sendable): (SwitchBids<B>, PortSet),
        packets: &Packets,
    ) -> (B, B) {
        let SwitchBids { words, speculative } = bids;
        if self.parameters.speculation == super::Speculation::Together {
            let all = self.allocate_rest(state, (speculative, sendable), words, packets);
            return (B::NONE, all);
        }
        let mut grants = B::NONE;
        if !words.is_empty() {
            grants = self.allocate_switch(state, words, packets);
        }
        let heads = self.allocate_rest(state, (speculative, sendable), grants, packets);
        (grants, heads)
    }

    /// Selects, of the heads that bid for an output lane and for the switch at once, those that got both; the switch is
    /// wasted by heads that didn't get the lane. `others` are the lanes that already cross or, if all bids are allocated
    /// together, those that bid as well.
    #[inline(never)]
    fn allocate_rest(
        &self,
        state: &mut Node<B, N, P, L>,
        (bids, sendable): (B, PortSet),
        others: B,
        packets: &Packets,
    ) -> B {
        let able = bids & state.can_cross();
        let known = self.known_to_heads(state);
        let speculation = Speculation {
            bids,
            is_blind: known.1.is_some(),
            wanted: |lane| Self::wanted_by(known, &state.output, &state.inputs, lane),
            able: self.sendable(&state.output, able, sendable),
            taken: others,
        };
        let born = |lane: usize| created(state.inputs[lane].worm, packets);
        let (memory, held) = (&mut state.switch, &state.output);
        let through = match self.parameters.speculation {
            super::Speculation::Together => {
                self.switch.allocate_all(memory, held, &speculation, born)
            }
            _ => {
                let of_speculation = &mut state.speculation_memory;
                self.switch
                    .speculate(memory, of_speculation, held, &speculation, born)
            }
        };
        state.in_stage &= !through;
        through
    }
}
