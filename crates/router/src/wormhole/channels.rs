//! Virtual channel allocation: heads and the output lanes that they get.

use super::{Node, Reallocation, Switching, Wormhole};
use crate::allocate::Requests;
use crate::bits::Bits;
use flitwork_node::{Event, Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Packets};

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Heads that have been routed bid for output lanes that are free. Gives the heads that have bid.
    ///
    /// A head bids for all of its preferred lanes that it could take; where there is none, for all of its
    /// fallback lanes.
    #[inline]
    pub(super) fn allocate_channels<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        site: &mut Site<'_, Pr>,
    ) -> B {
        let heads = state.waiting & !state.timed;
        if heads.is_empty() {
            return B::NONE;
        }
        let mut bidding = B::NONE;
        let mut bids = [B::NONE; N];
        for lane in heads.numbers() {
            bids[lane] = self.bids(state, lane, site.packets);
            if !bids[lane].is_empty() {
                bidding.put(lane);
            }
        }
        if bidding.is_empty() {
            return B::NONE;
        }
        let mut requests = Requests::none();
        for lane in bidding.numbers() {
            for output in bids[lane].numbers() {
                requests.ask(lane, output);
            }
        }
        let (inputs, packets) = (&state.inputs, &*site.packets);
        let born = |lane: usize, _| created(inputs[lane].worm, packets);
        let (allocator, memory) = (self.parameters.vc_allocator, &mut state.channel_memory);
        let matches = allocator.allocate(memory, self.lanes, &requests, born);
        for (lane, output) in matches.pairs() {
            self.take_lane(state, now, lane, output, site);
        }
        bidding
    }

    /// The output lanes that the head of an input lane bids for now.
    #[inline]
    fn bids(&self, state: &Node<B, N, P>, lane: usize, packets: &Packets) -> B {
        let preferred = state.preferred[lane] & state.free;
        let fallback = state.fallback[lane] & state.free;
        if self.parameters.switching == Switching::Wormhole {
            return if preferred.is_empty() {
                fallback
            } else {
                preferred
            };
        }
        let front = &state.inputs[lane];
        if self.parameters.switching == Switching::StoreAndForward && !front.whole {
            return B::NONE;
        }
        let words = packets[front.worm].words;
        let with_room = |lanes: B| {
            let mut roomy = lanes;
            for output in lanes.numbers() {
                if state.outputs[output].room_words < words {
                    roomy.take(output);
                }
            }
            roomy
        };
        let preferred = with_room(preferred);
        if preferred.is_empty() {
            with_room(fallback)
        } else {
            preferred
        }
    }

    /// The worm of an input lane holds an output lane from now on.
    fn take_lane<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        lane: usize,
        output: usize,
        site: &mut Site<'_, Pr>,
    ) {
        state.stirred = true;
        state.free.take(output);
        state.waiting.take(lane);
        state.active.put(lane);
        state.outputs[output].holder = lane as u8;
        if state.outputs[output].room_words > 0 {
            state.roomy.put(lane);
        }
        let front = &mut state.inputs[lane];
        front.output = output as u8;
        if self.parameters.vc_allocation_cycles > 0 {
            front.ready = now + self.parameters.vc_allocation_cycles;
            state.timed.put(lane);
        }
        let worm = front.worm;
        let ((from, from_channel), (to, to_channel)) = (self.place(lane), self.place(output));
        let mut deroute = false;
        if to != self.local {
            let packet = &mut site.packets[worm];
            deroute = self.deroutes && {
                let productive = self.topology.productive(site.node, packet.destination);
                !productive.contains(to)
            };
            packet.hops = packet.hops.saturating_add(1);
            packet.deroutes = packet.deroutes.saturating_add(deroute.into());
            site.probe.scheduled(site.packets, site.node, now, worm, to);
        }
        let moved = Event::Moved {
            packet: site.packets[worm].id,
            from: Place::InputChannel(from, from_channel),
            to: Place::OutputChannel(to, to_channel),
            deroute,
        };
        site.probe.event(site.node, now, moved);
    }

    /// The worm that held an output lane is through.
    #[inline]
    pub(super) fn leave_lane(&self, state: &mut Node<B, N, P>, output: usize) {
        let room = state.outputs[output].room_words;
        let waits = self.parameters.reallocation == Reallocation::BufferEmpty
            && usize::from(self.port_of[output]) != self.local.index()
            && room < self.parameters.buffer_words;
        if waits {
            state.draining.put(output);
        } else {
            state.free.put(output);
        }
    }
}

/// What orders packets by age.
#[inline]
pub(super) fn created(worm: flitwork_types::PacketRef, packets: &Packets) -> u64 {
    packets[worm].created.get().into()
}
