//! Switch allocation: words bid for a way through the switch.

use super::channels::created;
use super::registers::InputLane;
use super::{Node, Wormhole};
use crate::allocate::Speculation;
use crate::bits::Bits;
use flitwork_node::{Post, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Packets, Port, PortSet};

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// The input lanes whose next word bids for the switch: those that hold an output lane with room, except
    /// the `hopeful`, whose heads have bid for an output lane in this cycle and bid for the switch
    /// speculatively, after all others ([`Wormhole::speculate`]).
    #[inline]
    pub(super) fn bid_for_switch(
        &self,
        state: &Node<B, N, P>,
        (hopeful, sendable): (B, PortSet),
    ) -> B {
        let bids = state.active & state.filled & state.roomy & !state.timed & !hopeful;
        self.sendable(&state.output, bids, sendable)
    }

    /// Selects the input lanes that cross the switch among those that bid: at most one from each input port,
    /// and one to each output port.
    #[inline]
    pub(super) fn allocate_switch(
        &self,
        state: &mut Node<B, N, P>,
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
    fn allocate_anew(&self, state: &mut Node<B, N, P>, bids: B, packets: &Packets) -> B {
        let (inputs, held) = (&state.inputs, &state.output);
        let born = |lane: usize| created(inputs[lane].worm, packets);
        self.switch.allocate(&mut state.switch, bids, held, born)
    }

    /// Those of `lanes` whose links take words.
    #[inline]
    fn sendable(&self, output: &[u8; N], lanes: B, sendable: PortSet) -> B {
        if sendable.0 | PortSet::only(self.local).0 == u64::MAX {
            return lanes;
        }
        let mut found = lanes;
        for lane in lanes.numbers() {
            let port = Port(self.lanes().spot(output[lane].into()).port);
            if port != self.local && !sendable.contains(port) {
                found.take(lane);
            }
        }
        found
    }

    /// The output lanes whose ports a head that has bid for an output lane in this cycle bids for: the one
    /// that it got, or all that it may take, since it would have bid for the switch regardless. If bids are blind, those
    /// that were `open`: free, and with room.
    #[inline]
    fn hoped_for(
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

    /// Notes the output lanes that were free for the heads that have just bid for them, and have room.
    #[inline(never)]
    pub(super) fn note_open(&self, state: &mut Node<B, N, P>, hopeful: B) {
        let given = (hopeful & state.active).numbers();
        let given = given.fold(B::NONE, |all, lane| {
            all | B::only(state.output[lane].into())
        });
        state.open = (state.free | given) & !state.closed;
    }

    /// Lets heads bid for an output lane and for the switch at once.
    #[inline(never)]
    pub(super) fn speculate<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        (hopeful, sendable, through): (B, PortSet, B),
        post: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let lucky = self.allocate_rest(state, (hopeful, sendable), through, site.packets);
        self.traverse(state, now, lucky, post, site);
    }

    /// Selects, of the heads that bid for an output lane and for the switch at once, those that got both: the
    /// switch comes after all other bids, whose lanes are `taken`, and is wasted by heads that didn't get the
    /// lane.
    #[inline(never)]
    fn allocate_rest(
        &self,
        state: &mut Node<B, N, P>,
        (bids, sendable): (B, PortSet),
        taken: B,
        packets: &Packets,
    ) -> B {
        let able = bids & state.active & state.filled & state.roomy;
        let is_blind = self.parameters.speculation == super::Speculation::Beside;
        let hoping = (state.active, is_blind.then_some(state.open));
        let speculation = Speculation {
            bids,
            is_blind,
            hoped_for: |lane| Self::hoped_for(hoping, &state.output, &state.inputs, lane),
            able: self.sendable(&state.output, able, sendable),
            taken,
        };
        let born = |lane: usize| created(state.inputs[lane].worm, packets);
        let through = self.switch.speculate(
            &mut state.switch,
            &mut state.speculation_memory,
            &state.output,
            &speculation,
            born,
        );
        state.timed &= !through;
        through
    }
}
