//! The decision logic: pure functions of a node's registers.
//!
//! The scan (Chinn 1995, section 4.1): in each cycle the engine looks at the output frames starting at the
//! pointer, decides for the first interesting one, and moves the pointer past it; if none is interesting the
//! pointer stays. An output frame can be interesting only if it has a link and is empty, its last word gone.
//!
//! - *Multiqueue not full.* The oldest multiqueue packet for which the output is productive goes. Otherwise a
//!   waiting head for which the output is productive goes straight from its input frame (bypass): the one
//!   ready longest, ties in the order of the ports, injection last. If there is neither, and the packet in
//!   the paired input frame has waited at least the stall threshold, that packet moves to the multiqueue.
//!   Under [`StallRule::BehindWaitingOutput`] it also does so if the output frame isn't empty but holds a
//!   packet that waits for the neighbour: such a frame can be interesting only for that.
//! - *Multiqueue full.* The oldest multiqueue packet for which the output is productive goes. Otherwise one
//!   of its packets goes nevertheless, chosen at random: a deroute (minimal Chaos does nothing instead).
//!   Under [`DerouteAmong::Ready`] its head must be ready. Nothing goes from an input frame to an output frame.

use super::special::Rules;
use super::{Chaos, Choice, Decision, Flow, Mask, MultiqueuePolicy, Node};
#[cfg(doc)]
use super::{DerouteAmong, StallRule};
use flitwork_node::draw_below;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Port, PortSet};

/// Sets of the multiqueue's packets, a bit each, by their places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    /// Those whose heads are ready.
    pub(super) ready: u64,
    /// Those among which one is derouted, if the multiqueue is full.
    pub(super) deroutable: u64,
}

/// The number of frames that are examined without a branch each: in small nodes always all of them.
const fn scanned(capacity: usize, used: usize) -> usize {
    if capacity <= 8 { capacity } else { used }
}

const fn low_bits(count: usize) -> u64 {
    if count == 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

/// The position of the `index`-th bit that is set.
fn nth_bit(mut bits: u64, index: u32) -> usize {
    for _ in 0..index {
        bits &= bits - 1;
    }
    bits.trailing_zeros() as usize
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// The output frames that could be decided on at `now`.
    #[inline]
    pub(super) fn open(&self, state: &Node<M, P, Q, F>, now: Cycle) -> u64 {
        let mut open = 0;
        for port in 0..scanned(P, self.ports) {
            open |= u64::from(state.outputs[port].open_from() <= now) << port;
        }
        // A blocked frame's register has another meaning.
        open & self.all & !(state.missing.get() | state.blocked.get())
    }

    #[inline]
    pub(super) fn full(&self, state: &Node<M, P, Q, F>) -> bool {
        usize::from(state.queued) == self.parameters.multiqueue_frames
    }

    /// The decision at `now`, if any output frame is interesting.
    #[inline]
    pub(super) fn decide(
        &self,
        state: &Node<M, P, Q, F>,
        node: NodeId,
        now: Cycle,
    ) -> Option<Decision> {
        match self.special_rules {
            false => self.decide_as_published(state, node, now),
            true => self.decide_variant(state, node, now),
        }
    }

    /// The same under the published rules.
    #[inline]
    pub(super) fn decide_as_published(
        &self,
        state: &Node<M, P, Q, F>,
        node: NodeId,
        now: Cycle,
    ) -> Option<Decision> {
        if state.queued == 0 && state.occupied.get() == 0 {
            return None;
        }
        self.decide_under(self.published_rules(state), state, node, now)
    }

    /// What the published rules say of a node in any cycle.
    #[inline(always)]
    pub(super) fn published_rules(&self, state: &Node<M, P, Q, F>) -> Rules {
        Rules {
            waiting: 0,
            full: self.full(state),
            deroutes_any: false,
        }
    }

    /// The decision under what the rules say of this cycle.
    #[inline(always)]
    pub(super) fn decide_under(
        &self,
        rules: Rules,
        state: &Node<M, P, Q, F>,
        node: NodeId,
        now: Cycle,
    ) -> Option<Decision> {
        let open = self.open(state, now);
        let queue = self.queue_under(rules, state, now);
        let interesting = rules.waiting | open & self.wanted(rules, queue, state, now);
        let (output, scanned) = self.first_from_pointer(state.pointer, interesting)?;
        let wanting = self.wanting_in_queue(state, output);
        let good = queue.ready & wanting;
        let choice = if rules.waiting >> output.0 & 1 == 1 {
            Choice::Stalled
        } else if good != 0 {
            let place = self.pick_from_queue(good, node, now);
            Choice::Queued {
                place,
                deroute: false,
            }
        } else if rules.full {
            let drawn = self.draw_deroute(queue.deroutable, node, now);
            let place = nth_bit(queue.deroutable, drawn);
            Choice::Queued {
                place,
                // The output may be productive for a packet whose head isn't ready.
                deroute: !rules.deroutes_any || wanting >> place & 1 == 0,
            }
        } else {
            self.bypass(state, output, now)
                .map_or(Choice::Stalled, Choice::Bypass)
        };
        Some(Decision {
            output,
            scanned,
            choice,
        })
    }

    /// The multiqueue's packets under what the rules say of this cycle.
    #[inline(always)]
    pub(super) fn queue_under(&self, rules: Rules, state: &Node<M, P, Q, F>, now: Cycle) -> Queued {
        let ready = self.ready_in_queue(state, now);
        let deroutable = match rules.deroutes_any {
            true => low_bits(state.queued.into()),
            false => ready,
        };
        Queued { ready, deroutable }
    }

    /// The outputs that are interesting once they are open, for these packets of the multiqueue or for one in an input
    /// frame.
    #[inline(always)]
    pub(super) fn wanted(
        &self,
        rules: Rules,
        queue: Queued,
        state: &Node<M, P, Q, F>,
        now: Cycle,
    ) -> u64 {
        let mut wanted = self.wanted_by_queue(state, queue.ready);
        if !rules.full {
            wanted |= self.wanted_by_inputs(state, now);
        } else if self.parameters.derouting && queue.deroutable != 0 {
            wanted |= self.links;
        }
        wanted
    }

    /// Which of these packets of a full multiqueue is derouted: a number below how many they are.
    #[inline]
    pub(super) fn draw_deroute(&self, packets: u64, node: NodeId, now: Cycle) -> u32 {
        draw_below(packets.count_ones(), self.seed, node, now, 0)
    }

    /// Which of these packets of the multiqueue goes if that is random: a number below how many they are.
    #[inline]
    pub(super) fn draw_from_queue(&self, packets: u64, node: NodeId, now: Cycle) -> u32 {
        draw_below(packets.count_ones(), self.seed, node, now, 1)
    }

    /// The multiqueue packets whose heads are ready, one bit each.
    #[inline]
    fn ready_in_queue(&self, state: &Node<M, P, Q, F>, now: Cycle) -> u64 {
        let queued = usize::from(state.queued);
        let mut ready = 0;
        for place in 0..scanned(Q, queued) {
            ready |= u64::from(state.queue[place].ready <= now) << place;
        }
        ready & low_bits(queued)
    }

    /// The outputs that any of these multiqueue packets wants.
    #[inline]
    fn wanted_by_queue(&self, state: &Node<M, P, Q, F>, packets: u64) -> u64 {
        let mut wanted = 0;
        for place in 0..scanned(Q, state.queued.into()) {
            let counts = (packets >> place & 1).wrapping_neg();
            wanted |= state.queue_wants[place].get() & counts;
        }
        wanted
    }

    /// The multiqueue packets that want an output; the bits of empty frames are undefined.
    #[inline]
    pub(super) fn wanting_in_queue(&self, state: &Node<M, P, Q, F>, output: Port) -> u64 {
        let mut wanting = 0;
        for place in 0..scanned(Q, state.queued.into()) {
            wanting |= (state.queue_wants[place].get() >> output.0 & 1) << place;
        }
        wanting
    }

    /// Chooses one of the multiqueue packets that could go.
    #[inline]
    fn pick_from_queue(&self, good: u64, node: NodeId, now: Cycle) -> usize {
        match self.parameters.multiqueue_policy {
            MultiqueuePolicy::OldestFirst => good.trailing_zeros() as usize,
            MultiqueuePolicy::NewestFirst => 63 - good.leading_zeros() as usize,
            MultiqueuePolicy::Random => nth_bit(good, self.draw_from_queue(good, node, now)),
        }
    }

    /// The outputs that a packet in an input frame makes interesting: those that it can use by bypass, and
    /// its own pair once it has stalled.
    #[inline]
    fn wanted_by_inputs(&self, state: &Node<M, P, Q, F>, now: Cycle) -> u64 {
        let (mut ready, mut stalled) = (0, 0);
        let threshold = self.parameters.stall_threshold_cycles;
        for port in 0..scanned(P, self.ports) {
            let since = state.inputs[port].ready;
            ready |= u64::from(since <= now) << port;
            stalled |= u64::from(since + threshold <= now) << port;
        }
        let occupied = state.occupied.get();
        let mut wanted = stalled & occupied & self.links;
        for port in PortSet(ready & occupied & self.may_bypass).iter() {
            wanted |= state.input_wants[port.index()].get();
        }
        wanted
    }

    /// The first output of the set from the pointer on, and its place in the scan order.
    #[inline]
    pub(super) fn first_from_pointer(&self, pointer: u8, interesting: u64) -> Option<(Port, u8)> {
        if interesting == 0 {
            return None;
        }
        let mut place = usize::from(pointer);
        for _ in 0..self.ports {
            let output = self.order[place];
            if interesting >> output.0 & 1 == 1 {
                return Some((output, place as u8));
            }
            place = if place + 1 == self.ports {
                0
            } else {
                place + 1
            };
        }
        None
    }

    /// The input frame whose packet goes straight to `output`.
    #[inline]
    fn bypass(&self, state: &Node<M, P, Q, F>, output: Port, now: Cycle) -> Option<Port> {
        let could = self.bypassing(state, output, now);
        could.min_by_key(|(ready, _)| *ready).map(|(_, port)| port)
    }

    /// The input frames whose packets could go straight to `output`, and since when those have been ready.
    #[inline]
    pub(super) fn bypassing(
        &self,
        state: &Node<M, P, Q, F>,
        output: Port,
        now: Cycle,
    ) -> impl Iterator<Item = (Cycle, Port)> {
        let ports = PortSet(state.occupied.get() & self.may_bypass).iter();
        ports.filter_map(move |port| {
            let ready = state.inputs[port.index()].ready;
            let wants = state.input_wants[port.index()].get();
            let good = ready <= now && wants >> output.0 & 1 == 1;
            good.then_some((ready.at_latest(now), port))
        })
    }

    /// The first cycle from `from` on in which [`Self::decide`] would decide if nothing else arrived.
    #[inline]
    pub(super) fn next_decision(&self, state: &Node<M, P, Q, F>, from: Cycle) -> Due {
        let candidates = self.all & !(state.missing.get() | state.blocked.get());
        self.next_under((self.full(state), false), state, candidates, from)
    }

    /// The same for one output frame, which isn't blocked.
    #[inline]
    pub(super) fn next_decision_on(&self, state: &Node<M, P, Q, F>, output: Port) -> Due {
        let (full, queued) = (self.full(state), usize::from(state.queued));
        let is_link = !self.is_local(output);
        let any = full && is_link && self.parameters.derouting;
        let mut soonest = Due::soonest((0..scanned(Q, queued)).map(|place| {
            let wants = any || state.queue_wants[place].get() >> output.0 & 1 == 1;
            Due::when(wants && place < queued, state.queue[place].ready)
        }));
        if !full {
            let occupied = state.occupied.get();
            for port in PortSet(occupied & self.may_bypass).iter() {
                let wants = state.input_wants[port.index()].get() >> output.0 & 1 == 1;
                soonest = soonest.min(Due::when(wants, state.inputs[port.index()].ready));
            }
            if is_link && occupied >> output.0 & 1 == 1 {
                let paired = state.inputs[output.index()].ready;
                soonest = soonest.min(paired + self.parameters.stall_threshold_cycles);
            }
        }
        let next = soonest.not_before(state.outputs[output.index()].open_from());
        debug_assert_eq!(
            next,
            self.next_under((full, false), state, 1 << output.0, Cycle::ZERO)
        );
        next
    }

    /// The same where the multiqueue is full or isn't, and any packet of a full one may be derouted or only one that is
    /// ready.
    #[inline(always)]
    pub(super) fn next_under(
        &self,
        (full, deroutes_any): (bool, bool),
        state: &Node<M, P, Q, F>,
        candidates: u64,
        from: Cycle,
    ) -> Due {
        let mut next = Due::NEVER;
        let mut candidates = candidates;
        if full && self.parameters.derouting {
            // Any packet may go over any link: the first link that opens, once the first head is ready.
            let heads = state.queue[..usize::from(state.queued)].iter();
            let ready = Due::soonest(heads.map(|held| match deroutes_any {
                true => Due::at(Cycle::ZERO),
                false => held.ready,
            }));
            next = self.earliest(state, candidates & self.links, ready);
            candidates &= !self.links;
        }
        if candidates == 0 || next <= from {
            return next.not_before(from);
        }
        for place in 0..usize::from(state.queued) {
            let wanted = state.queue_wants[place].get() & candidates;
            next = next.min(self.earliest(state, wanted, state.queue[place].ready));
        }
        if !full {
            let mut left = state.occupied.get();
            while left != 0 && next > from {
                let port = Port(left.trailing_zeros() as u8);
                left &= left - 1;
                let ready = state.inputs[port.index()].ready;
                next = next.min(self.next_for_input(state, port, ready, candidates));
            }
        }
        next.not_before(from)
    }

    /// When the packet in the input frame at `port` could first be decided on, if the multiqueue has room.
    #[inline]
    pub(super) fn next_for_input(
        &self,
        state: &Node<M, P, Q, F>,
        port: Port,
        ready: Due,
        candidates: u64,
    ) -> Due {
        let stalled = ready + self.parameters.stall_threshold_cycles;
        let stalled = self.earliest(state, 1 << port.0 & self.links & candidates, stalled);
        if self.may_bypass >> port.0 & 1 == 0 {
            return stalled;
        }
        let wanted = state.input_wants[port.index()].get() & candidates;
        stalled.min(self.earliest(state, wanted, ready))
    }

    /// The first cycle from `ready` on in which one of the outputs is open.
    #[inline]
    fn earliest(&self, state: &Node<M, P, Q, F>, outputs: u64, ready: Due) -> Due {
        let open_from = |port: Port| state.outputs[port.index()].open_from();
        Due::soonest(PortSet(outputs).iter().map(open_from)).max(ready)
    }
}
