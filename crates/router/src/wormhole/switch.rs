//! Switch allocation: words that bid for a way through the switch, and those that get it.

use super::matching::oldest;
use super::{Node, Wormhole};
use crate::allocate::Requests;
use crate::bits::Bits;
use flitwork_node::{Post, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Packets, Port, PortSet};

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// The input lanes whose next word bids for the switch: those that hold an output lane with room, but for
    /// the `hopeful`, whose heads have bid for an output lane in this cycle and bid for the switch by speculation,
    /// after all others ([`Wormhole::speculate`]).
    #[inline]
    pub(super) fn bid_for_switch(
        &self,
        state: &Node<B, N, P>,
        (hopeful, sendable): (B, PortSet),
    ) -> B {
        let bids = state.active & state.filled & state.roomy & !state.timed & !hopeful;
        self.sendable(&state.output, bids, sendable)
    }

    /// Of the input lanes that bid for the switch those that get through: of each input port at most one, and to
    /// each output port.
    #[inline]
    pub(super) fn allocate_switch(
        &self,
        state: &mut Node<B, N, P>,
        bids: B,
        packets: &Packets,
    ) -> B {
        if (bids & !state.settled).is_empty() {
            return bids;
        }
        self.match_lanes(state, bids, packets)
    }

    /// Of `lanes` those whose links take words.
    #[inline]
    fn sendable(&self, output: &[u8; N], lanes: B, sendable: PortSet) -> B {
        if sendable.0 | PortSet::only(self.local).0 == u64::MAX {
            return lanes;
        }
        let mut found = lanes;
        for lane in lanes.numbers() {
            let port = Port(self.spot(output[lane].into()).port);
            if port != self.local && !sendable.contains(port) {
                found.take(lane);
            }
        }
        found
    }

    /// The output lanes for whose ports a head bids that has bid for an output lane in this cycle: the one that
    /// it got, or all that it may take, as it would have bid for the switch all the same.
    #[inline]
    fn hoped_for(&self, state: &Node<B, N, P>, lane: usize) -> B {
        if state.active.has(lane) {
            B::only(state.output[lane].into())
        } else {
            state.inputs[lane].preferred | state.inputs[lane].fallback
        }
    }

    /// Heads that bid for an output lane and for the switch at once.
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

    /// Of the heads that bid for an output lane and for the switch at once those that got both: for the
    /// switch after all others, whose lanes are `taken`, and for nothing where they didn't get the lane.
    #[inline(never)]
    fn allocate_rest(
        &self,
        state: &mut Node<B, N, P>,
        (bids, sendable): (B, PortSet),
        taken: B,
        packets: &Packets,
    ) -> B {
        state.settled = B::NONE;
        let mut requests: Requests<B, P> = Requests::none();
        for lane in bids.numbers() {
            for output in self.hoped_for(state, lane).numbers() {
                requests.ask(self.port_of(lane), self.port_of(output));
            }
        }
        let (mut rows, mut columns) = (B::NONE, B::NONE);
        for lane in taken.numbers() {
            rows.put(self.port_of(lane));
            columns.put(self.port_of(state.output[lane].into()));
        }
        requests.without(rows, columns);
        // Borrowed apart from the rest, which ages hang on.
        let mut memory = std::mem::take(&mut state.speculation_memory);
        let born = |input, output| {
            let mut lanes = bids & self.lanes_of(input);
            for lane in lanes.numbers() {
                if (self.hoped_for(state, lane) & self.lanes_of(output)).is_empty() {
                    lanes.take(lane);
                }
            }
            oldest(&state.inputs, lanes, packets)
        };
        let allocator = self.parameters.switch_allocator;
        let found = allocator.allocate(&mut memory, self.ports, &requests, born);
        state.speculation_memory = memory;
        let lucky = bids & state.active & state.filled & state.roomy;
        let lucky = self.sendable(&state.output, lucky, sendable);
        let mut through = B::NONE;
        for (input, output) in found.pairs() {
            let lanes = self.candidates(&state.output, lucky, input, output);
            if !lanes.is_empty() {
                let lane = self.choose_lane(state, lanes, input, output, packets);
                through.put(lane);
            }
        }
        state.timed &= !through;
        through
    }
}
