//! Virtual-channel allocation: heads bid for output lanes.

use super::{Node, Reallocation, Switching, Wormhole};
use crate::allocate::Requests;
use crate::bits::Bits;
use flitwork_node::{Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, Packets, Port};
use std::hint::select_unpredictable;

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// Heads that have been routed bid for free output lanes. Returns, with speculation, the heads that have
    /// bid.
    ///
    /// A head bids for all of its preferred lanes that it could take; if there is none, for all of its
    /// fallback lanes.
    #[inline]
    pub(super) fn allocate_channels<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        site: &mut Site<'_, Pr>,
    ) -> B {
        let before = state.noted(site);
        let heads = state.routed_heads();
        let bidding = if heads.is_empty() {
            B::NONE
        } else {
            self.allocate_channels_to(state, now, heads, site)
        };
        self.tell(before, site, |stage| stage.channels(state));
        bidding
    }

    #[inline(never)]
    fn allocate_channels_to<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        heads: B,
        site: &mut Site<'_, Pr>,
    ) -> B {
        let (mut bidding, mut wanted, mut apart) = (B::NONE, B::NONE, true);
        let mut bids = B::NONE;
        for lane in heads.numbers() {
            bids = self.bids(state, lane);
            if !bids.is_empty() {
                bidding.put(lane);
                apart &= (wanted & bids).is_empty();
                wanted |= bids;
            }
        }
        if bidding.is_empty() {
            return B::NONE;
        }
        let allocator = self.parameters.vc_allocator;
        if !(apart && allocator.settles_apart()) {
            self.match_channels(state, now, bidding, site);
        } else if bidding == heads && (heads & (heads - B::from(1))).is_empty() {
            self.take_apart(state, now, (heads.first(), bids), site);
        } else {
            for lane in bidding.numbers() {
                let bids = self.bids(state, lane);
                self.take_apart(state, now, (lane, bids), site);
            }
        }
        if !self.parameters.speculative {
            return B::NONE;
        }
        self.note_open(state, bidding);
        bidding
    }

    /// A head gets one of the lanes that it bids for, none of which another head bids for.
    #[inline]
    fn take_apart<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        (lane, bids): (usize, B),
        site: &mut Site<'_, Pr>,
    ) {
        let (allocator, memory) = (self.parameters.vc_allocator, &mut state.channel_memory);
        let output = allocator.allocate_apart(memory, self.lanes().count, (lane, bids));
        self.take_lane(state, now, lane, output, site);
    }

    /// The same if heads bid for the same lanes.
    #[inline(never)]
    fn match_channels<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        bidding: B,
        site: &mut Site<'_, Pr>,
    ) {
        let mut requests = Requests::none();
        for lane in bidding.numbers() {
            for output in self.bids(state, lane).numbers() {
                requests.ask(lane, output);
            }
        }
        let (inputs, packets) = (&state.inputs, &*site.packets);
        let born = |lane: usize, _| created(inputs[lane].worm, packets);
        let (allocator, memory) = (self.parameters.vc_allocator, &mut state.channel_memory);
        let matches = allocator.allocate(memory, self.lanes().count, &requests, born);
        for (lane, output) in matches.pairs() {
            self.take_lane(state, now, lane, output, site);
        }
    }

    /// The output lanes that the head of an input lane bids for now.
    #[inline]
    pub(super) fn bids(&self, state: &Node<B, N, P, L>, lane: usize) -> B {
        if self.parameters.switching != Switching::Wormhole {
            return self.bids_with_room(state, lane);
        }
        let front = &state.inputs[lane];
        let preferred = front.preferred & state.free;
        let fallback = front.fallback & state.free;
        select_unpredictable(preferred.is_empty(), fallback, preferred)
    }

    /// The same if a head may take a lane only with room for its whole packet at the far end.
    #[inline(never)]
    fn bids_with_room(&self, state: &Node<B, N, P, L>, lane: usize) -> B {
        let front = &state.inputs[lane];
        let preferred = front.preferred & state.free;
        let fallback = front.fallback & state.free;
        if self.parameters.switching == Switching::StoreAndForward && !state.has_tail.has(lane) {
            return B::NONE;
        }
        let local = self.local_lanes::<B>();
        let with_room = |lanes: B| {
            let mut found = lanes;
            for output in lanes.numbers() {
                if state.room_words.get(output) < front.length && !local.has(output) {
                    found.take(output);
                }
            }
            found
        };
        let preferred = with_room(preferred);
        if preferred.is_empty() {
            with_room(fallback)
        } else {
            preferred
        }
    }

    /// From now on the worm of an input lane holds an output lane.
    fn take_lane<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        lane: usize,
        output: usize,
        site: &mut Site<'_, Pr>,
    ) {
        state.free.take(output);
        state.waiting.take(lane);
        state.active.put(lane);
        state.holder[output] = lane as u8;
        let (to, _) = self.lanes().place(output);
        let has_room = match self.is_local(to) {
            true => !self.counts_ejection() || !state.no_credit.has(output),
            false => state.room_words.get(output) != 0,
        };
        if has_room {
            state.has_credit.put(lane);
        }
        state.switch.connect(lane, self.lanes().row_of(output));
        state.output[lane] = output as u8;
        if self.parameters.vc_allocation_cycles > 0 {
            let wait = self.parameters.vc_allocation_cycles;
            state.wait(now, lane, (wait, self.waits_are_short));
        }
        let worm = state.inputs[lane].worm;
        let mut deroute = false;
        if !self.is_local(to) {
            deroute = self.derouted(site.node, &site.packets[worm], to);
            site.hops(now, worm, to, deroute);
        }
        let places = (self.input_place(lane), self.output_place(output));
        site.moved(now, worm, places, deroute);
    }

    /// Whether a packet that leaves over a link of a node is derouted.
    #[inline]
    pub(super) fn derouted(&self, node: NodeId, packet: &Packet, to: Port) -> bool {
        self.deroutes && {
            let productive = self.topology.productive(node, self.destination(packet));
            !productive.contains(to)
        }
    }

    /// The worm that held an output lane has left.
    #[inline]
    pub(super) fn leave_lane(&self, state: &mut Node<B, N, P, L>, output: usize) {
        let room = state.room_words.get(output);
        let waits = self.parameters.reallocation == Reallocation::BufferEmpty
            && match output < self.link_lanes {
                true => room < self.parameters.buffer_words,
                false => self.must_drain(state, output),
            };
        if waits {
            state.draining.put(output);
        } else {
            state.free.put(output);
        }
    }
}

/// The time by which packets are ordered.
#[inline]
pub(super) fn created(worm: flitwork_types::PacketRef, packets: &Packets) -> u64 {
    packets[worm].created.get().into()
}
