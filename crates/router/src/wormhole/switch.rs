//! Switch allocation: words bid for a way through the switch.

use super::channels::created;
use super::registers::InputLane;
use super::{Node, Wormhole};
use crate::allocate::Speculation;
use crate::bits::Bits;
use flitwork_node::{Post, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Packets, Port, PortSet};

/// The input lanes that bid for the switch in a cycle.
#[derive(Clone, Copy)]
pub(super) struct SwitchBids<B> {
    /// Those whose next word bids: they hold an output lane with room.
    pub(super) words: B,
    /// Those whose head has bid for an output lane in this cycle and bids for the switch speculatively.
    pub(super) speculative: B,
}

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

    /// What decides which output lanes heads hope for ([`Wormhole::hoped_for`]).
    #[inline]
    fn hoping(&self, state: &Node<B, N, P>) -> (B, Option<B>) {
        let is_blind = self.parameters.speculation != super::Speculation::After;
        (state.active, is_blind.then_some(state.open))
    }

    /// The output lanes whose ports the head of an input lane bids for speculatively.
    pub(super) fn hopes(&self, state: &Node<B, N, P>, lane: usize) -> B {
        Self::hoped_for(self.hoping(state), &state.output, &state.inputs, lane)
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

    /// Lets words bid for the switch, among them `hopeful` heads that have bid for an output lane in this cycle.
    #[inline(never)]
    pub(super) fn speculate<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        (bids, sendable): (SwitchBids<B>, PortSet),
        post: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let SwitchBids { words, speculative } = bids;
        let before = site.is_witnessed().then(|| Box::new(state.clone()));
        let mut grants = B::NONE;
        let is_apart = self.parameters.speculation != super::Speculation::Together;
        if is_apart && !words.is_empty() {
            grants = self.allocate_switch(state, words, site.packets);
        }
        let others = if is_apart { grants } else { words };
        let packets = &*site.packets;
        let speculative_grants =
            self.allocate_rest(state, (speculative, sendable), others, packets);
        if let Some(before) = before {
            self.tell_grants(&before, bids, grants | speculative_grants, site);
        }
        if !grants.is_empty() {
            self.traverse(state, now, grants, post, site);
        }
        self.traverse(state, now, speculative_grants, post, site);
    }

    /// Tells whose words cross.
    #[inline(always)]
    pub(super) fn tell_grants<Pr: Probe>(
        &self,
        before: &Node<B, N, P>,
        bids: SwitchBids<B>,
        crossing: B,
        site: &mut Site<'_, Pr>,
    ) {
        let node = site.node;
        site.witness(|witness, packets| {
            self.tell_switch(before, (bids, crossing), (node, packets), witness);
        });
    }

    /// Selects, of the heads that bid for an output lane and for the switch at once, those that got both; the switch is
    /// wasted by heads that didn't get the lane. `others` are the lanes that already cross or, if all bids are allocated
    /// together, those that bid as well.
    #[inline(never)]
    fn allocate_rest(
        &self,
        state: &mut Node<B, N, P>,
        (bids, sendable): (B, PortSet),
        others: B,
        packets: &Packets,
    ) -> B {
        let able = bids & state.active & state.filled & state.roomy;
        let hoping = self.hoping(state);
        let speculation = Speculation {
            bids,
            is_blind: hoping.1.is_some(),
            hoped_for: |lane| Self::hoped_for(hoping, &state.output, &state.inputs, lane),
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
        state.timed &= !through;
        through
    }
}
