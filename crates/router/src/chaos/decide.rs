//! The decision logic: pure functions of a node's registers.
//!
//! The scan (Chinn 1995, section 4.1): in each cycle the engine looks at the output frames from the
//! pointer on, decides for the first interesting one, and leaves the pointer on the one after it; where
//! none is interesting the pointer stays. An output frame can be interesting only if it has a link and is
//! empty, its last word gone.
//!
//! - *Multiqueue not full.* The oldest multiqueue packet for which the output is productive goes. Else a
//!   waiting head that the output is good for goes straight from its input frame (bypass): the one ready
//!   longest, ties in the order of the ports, injection last. If there is neither, and the packet in the
//!   paired input frame has waited at least the stall threshold, that packet moves to the multiqueue.
//! - *Multiqueue full.* The oldest multiqueue packet for which the output is productive goes. Else a
//!   random one of its packets goes all the same: a deroute (minimal Chaos does nothing instead). Nothing
//!   goes from an input frame to an output frame.

use super::{Chaos, Choice, Decision, Mask, MultiqueuePolicy, Node};
use flitwork_node::draw_below;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Port, PortSet};

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F> Chaos<T, Node<M, P, Q, F>> {
    /// The output frames that could be decided on at `now`.
    #[inline]
    pub(super) fn open(&self, state: &Node<M, P, Q, F>, now: Cycle) -> u64 {
        let mut open = self.all & !(state.missing.get() | state.blocked.get());
        for (port, output) in state.outputs.iter().enumerate() {
            if output.open_from() > now {
                // A blocked frame's register holds something else, but its bit is gone already.
                open &= !(1 << port);
            }
        }
        open
    }

    #[inline]
    pub(super) fn full(&self, state: &Node<M, P, Q, F>) -> bool {
        usize::from(state.queued) == self.parameters.multiqueue_frames
    }

    /// The decision that the engine takes at `now`, if any output frame is interesting.
    pub(super) fn decide(
        &self,
        state: &Node<M, P, Q, F>,
        node: NodeId,
        now: Cycle,
    ) -> Option<Decision> {
        let open = self.open(state, now);
        if open == 0 {
            return None;
        }
        let full = self.full(state);
        let mut wanted = 0;
        let mut ready = 0;
        for (held, wants) in Self::queue(state) {
            if held.ready <= now {
                wanted |= wants;
                ready += 1;
            }
        }
        if full {
            if self.parameters.derouting && ready > 0 {
                wanted |= self.links;
            }
        } else {
            wanted |= self.wanted_by_inputs(state, now);
        }
        let (output, scanned) = self.first_from_pointer(state.pointer, open & wanted)?;
        let choice = self
            .from_queue(state, node, output, now)
            .or_else(|| match full {
                true => Some(self.deroute(state, node, ready, now)),
                false => self.bypass(state, output, now),
            })
            .unwrap_or(Choice::Stalled);
        Some(Decision { output, scanned, choice })
    }

    /// The outputs that a packet in an input frame makes interesting: those it can use, by bypass, and
    /// its own pair once it has stalled.
    #[inline]
    fn wanted_by_inputs(&self, state: &Node<M, P, Q, F>, now: Cycle) -> u64 {
        let mut wanted = 0;
        let mut left = state.occupied.get();
        while left != 0 {
            let port = left.trailing_zeros() as usize;
            left &= left - 1;
            let ready = state.inputs[port].ready;
            if ready > now {
                continue;
            }
            if self.parameters.bypass || port == self.local.index() {
                wanted |= state.input_wants[port].get();
            }
            if ready + self.parameters.stall_threshold_cycles <= now {
                wanted |= 1 << port & self.links;
            }
        }
        wanted
    }

    /// The first output of the set, from the pointer on, and its place in the scan order.
    #[inline]
    fn first_from_pointer(&self, pointer: u8, interesting: u64) -> Option<(Port, u8)> {
        if interesting == 0 {
            return None;
        }
        let places = self.topology.ports() + 1;
        let mut place = usize::from(pointer);
        for _ in 0..places {
            let output = self.order[place];
            if interesting >> output.0 & 1 == 1 {
                return Some((output, place as u8));
            }
            place = if place + 1 == places { 0 } else { place + 1 };
        }
        None
    }

    /// The multiqueue packet that goes to `output` because that is productive for it.
    #[inline]
    fn from_queue(
        &self,
        state: &Node<M, P, Q, F>,
        node: NodeId,
        output: Port,
        now: Cycle,
    ) -> Option<Choice> {
        let good =
            |(held, wants): &(super::Held, u64)| held.ready <= now && wants >> output.0 & 1 == 1;
        let place = match self.parameters.multiqueue_policy {
            MultiqueuePolicy::OldestFirst => Self::queue(state).position(|packet| good(&packet)),
            MultiqueuePolicy::NewestFirst => {
                (0..usize::from(state.queued)).rev().find(|place| {
                    good(&(state.queue[*place], state.queue_wants[*place].get()))
                })
            }
            MultiqueuePolicy::Random => {
                let count = Self::queue(state).filter(good).count() as u32;
                let drawn = (count > 0).then(|| draw_below(count, self.seed, node, now, 1));
                drawn.and_then(|drawn| {
                    let mut places = Self::queue(state).enumerate().filter(|(_, p)| good(p));
                    places.nth(drawn as usize).map(|(place, _)| place)
                })
            }
        };
        place.map(|place| Choice::Queued { place, deroute: false })
    }

    /// A random one of the `ready` multiqueue packets.
    fn deroute(&self, state: &Node<M, P, Q, F>, node: NodeId, ready: u32, now: Cycle) -> Choice {
        let drawn = draw_below(ready, self.seed, node, now, 0) as usize;
        let mut places = Self::queue(state).enumerate().filter(|(_, (held, _))| held.ready <= now);
        let (place, _) = places.nth(drawn).expect("the draw is below the number of ready packets");
        Choice::Queued { place, deroute: true }
    }

    /// The input frame whose packet goes straight to `output`.
    #[inline]
    fn bypass(&self, state: &Node<M, P, Q, F>, output: Port, now: Cycle) -> Option<Choice> {
        let mut best: Option<(Cycle, Port)> = None;
        for port in PortSet(state.occupied.get()).iter() {
            let ready = state.inputs[port.index()].ready;
            let wants = state.input_wants[port.index()].get();
            let may = self.parameters.bypass || port == self.local;
            let good = may && ready <= now && wants >> output.0 & 1 == 1;
            if good && best.is_none_or(|(longest, _)| ready < longest) {
                best = Some((ready, port));
            }
        }
        best.map(|(_, port)| Choice::Bypass(port))
    }

    /// The first cycle from `from` on in which [`Self::decide`] would decide, if nothing else came.
    pub(super) fn next_decision(&self, state: &Node<M, P, Q, F>, from: Cycle) -> Cycle {
        let candidates = self.all & !(state.missing.get() | state.blocked.get());
        self.next_decision_among(state, candidates, from)
    }

    /// The same, for some output frames, none of them blocked.
    pub(super) fn next_decision_among(
        &self,
        state: &Node<M, P, Q, F>,
        candidates: u64,
        from: Cycle,
    ) -> Cycle {
        let mut next = Cycle::NEVER;
        let full = self.full(state);
        let reroutes = if full && self.parameters.derouting { self.links } else { 0 };
        for (held, wants) in Self::queue(state) {
            self.earliest(state, (wants | reroutes) & candidates, held.ready, &mut next);
        }
        if !full {
            let mut left = state.occupied.get();
            while left != 0 {
                let port = Port(left.trailing_zeros() as u8);
                left &= left - 1;
                let ready = state.inputs[port.index()].ready;
                next = next.min(self.next_for_input(state, port, ready, candidates));
            }
        }
        next.max(from)
    }

    /// When the packet in the input frame at `port` could first be decided on, the multiqueue having room.
    #[inline]
    pub(super) fn next_for_input(
        &self,
        state: &Node<M, P, Q, F>,
        port: Port,
        ready: Cycle,
        candidates: u64,
    ) -> Cycle {
        let mut next = Cycle::NEVER;
        if self.parameters.bypass || port == self.local {
            let wants = state.input_wants[port.index()].get();
            self.earliest(state, wants & candidates, ready, &mut next);
        }
        let pair = 1 << port.0 & self.links & candidates;
        let stalled = ready + self.parameters.stall_threshold_cycles;
        self.earliest(state, pair, stalled, &mut next);
        next
    }

    /// Lowers `next` to the first cycle from `ready` on in which one of the outputs is open.
    #[inline]
    fn earliest(
        &self,
        state: &Node<M, P, Q, F>,
        mut outputs: u64,
        ready: Cycle,
        next: &mut Cycle,
    ) {
        while outputs != 0 {
            let port = outputs.trailing_zeros() as usize;
            outputs &= outputs - 1;
            *next = (*next).min(state.outputs[port].open_from().max(ready));
        }
    }
}
