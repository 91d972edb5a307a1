//! Rules of which a router has none as published: cold code, so that deciding costs nothing more without them.
//!
//! - [`StallRule::BehindWaitingOutput`]: a packet also stalls behind an output frame that waits.
//! - [`DerouteAmong::All`]: a full multiqueue may deroute a packet whose head isn't ready. Its words go on as they
//!   come, as if it had been decided on when its head was ready.
//! - [`MultiqueueFreed::Tail`]: a multiqueue frame whose packet goes to an output frame is taken until the packet's
//!   last word has left it. A packet in an input frame finds no room until then, even if its output has been decided on.
//!
//! The last needs a stamp for each frame that is still taken. They stand behind the multiqueue's packets:
//!
//! ```text
//!   place     0        …      queued - 1 │ queued     …      multiqueue_frames - 1
//!   holds   oldest packet  …    youngest │ when the frame is free, in any order; 0 at first
//! ```

#[cfg(doc)]
use super::StallRule;
use super::{Chaos, Choice, Decision, DerouteAmong, Flow, Mask, MultiqueueFreed, Node};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Port, PortSet};

/// What the rules say of a node in one cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Outputs that aren't open, but are interesting for a packet that has stalled behind them.
    pub(super) waiting: u64,
    /// Whether the multiqueue has no room.
    pub(super) full: bool,
    /// Whether a deroute is drawn among all packets of the multiqueue.
    pub(super) deroutes_any: bool,
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// The decision at `now`, if any output frame is interesting.
    #[cold]
    #[inline(never)]
    pub(super) fn decide_variant(
        &self,
        state: &Node<M, P, Q, F>,
        node: NodeId,
        now: Cycle,
    ) -> Option<Decision> {
        self.decide_under(self.special_rules_at(state, now), state, node, now)
    }

    /// What the rules say of a node at `now`.
    pub(super) fn special_rules_at(&self, state: &Node<M, P, Q, F>, now: Cycle) -> Rules {
        let full = self.full_at(state, now);
        let waiting = match full || !self.behind_waiting {
            true => 0,
            false => self.stalled_behind_waiting(state, now),
        };
        Rules {
            waiting,
            full,
            deroutes_any: self.deroutes_any(),
        }
    }

    fn deroutes_any(&self) -> bool {
        self.parameters.deroute_among == DerouteAmong::All
    }

    /// Whether a multiqueue frame is taken until its packet's last word has left it.
    pub(super) fn frees_at_tail(&self) -> bool {
        self.parameters.multiqueue_freed_at == MultiqueueFreed::Tail
    }

    /// The places of the multiqueue that hold no packet.
    pub(super) fn free_places(&self, state: &Node<M, P, Q, F>) -> std::ops::Range<usize> {
        usize::from(state.queued)..self.parameters.multiqueue_frames
    }

    /// The cycle from which the multiqueue has room, if nothing is decided.
    fn room_from(&self, state: &Node<M, P, Q, F>) -> Due {
        let free = state.queue[self.free_places(state)].iter();
        Due::soonest(free.map(|held| match self.frees_at_tail() {
            true => held.ready,
            false => Due::at(Cycle::ZERO),
        }))
    }

    /// Whether the multiqueue has no room at `now`.
    pub(super) fn full_at(&self, state: &Node<M, P, Q, F>, now: Cycle) -> bool {
        self.room_from(state) > now
    }

    /// When the packet that a decision sends to an output frame can move: never if that isn't known yet.
    pub(super) fn ready_for(&self, state: &Node<M, P, Q, F>, decision: Decision) -> Due {
        match decision.choice {
            Choice::Queued { place, .. } => state.queue[place].ready,
            Choice::Bypass(_) | Choice::Stalled => Due::at(Cycle::ZERO),
        }
    }

    /// A packet has just been taken out of the multiqueue; its frame is free from `from` on.
    #[cold]
    #[inline(never)]
    pub(super) fn vacate(&self, state: &mut Node<M, P, Q, F>, from: Due) {
        if self.frees_at_tail() {
            state.queue[usize::from(state.queued)].ready = from;
        }
    }

    /// The last word of a packet has left its multiqueue frame, which is free from `from` on: any of those whose end
    /// wasn't known, since they are alike.
    #[cold]
    #[inline(never)]
    pub(super) fn vacated(&self, queue: &mut [super::registers::Held], from: Cycle) {
        let mut taken = queue.iter_mut().filter(|held| held.ready == Due::NEVER);
        let frame = taken.next().expect("a frame whose packet leaves is taken");
        frame.ready = from.into();
    }

    /// Makes sure that the place of the next packet to enter the multiqueue is that of a free frame.
    #[cold]
    #[inline(never)]
    pub(super) fn make_place(&self, state: &mut Node<M, P, Q, F>, now: Cycle) {
        let places = self.free_places(state);
        let next = places.start;
        let mut free = places.filter(|place| state.queue[*place].ready <= now);
        if self.frees_at_tail() {
            let free = free.next().expect("the multiqueue has room");
            state.queue.swap(next, free);
        }
    }

    /// Whether the packet in an input frame, if there is one, has waited for the stall threshold.
    pub(super) fn has_stalled(&self, state: &Node<M, P, Q, F>, port: Port, now: Cycle) -> bool {
        let since = state.inputs[port.index()].ready;
        since + self.parameters.stall_threshold_cycles <= now
    }

    /// The outputs that wait for their neighbour while the packet in the paired input frame has stalled.
    fn stalled_behind_waiting(&self, state: &Node<M, P, Q, F>, now: Cycle) -> u64 {
        let stalled =
            |port: &Port| self.has_stalled(state, *port, now) && F::waits_until(state, *port) > now;
        let paired = PortSet(state.occupied.get() & self.links).iter();
        paired
            .filter(stalled)
            .fold(0, |all, port| all | 1 << port.0)
    }

    /// The first cycle from `from` on in which [`Self::decide`] would decide on any output if nothing else arrived.
    pub(super) fn next_specially(&self, state: &Node<M, P, Q, F>, from: Cycle) -> Due {
        let candidates = self.all & !(state.missing.get() | state.blocked.get());
        let next = self.next_specially_among(state, candidates, from);
        let paired = PortSet(state.occupied.get() & self.links).iter();
        let stalled = Due::soonest(paired.map(|port| self.next_behind_waiting(state, port)));
        let next = next.min(stalled.max(self.room_from(state)));
        next.not_before(from)
    }

    /// The same for some output frames, none of them blocked, and packets that don't stall behind waiting ones.
    #[cold]
    #[inline(never)]
    pub(super) fn next_specially_among(
        &self,
        state: &Node<M, P, Q, F>,
        candidates: u64,
        from: Cycle,
    ) -> Due {
        let (room_from, any) = (self.room_from(state), self.deroutes_any());
        let mut next = Due::NEVER;
        if room_from > from {
            next = self.next_under((true, any), state, candidates, from);
        }
        match room_from.get() {
            Some(room) if next >= room => {
                self.next_under((false, any), state, candidates, from.max(room))
            }
            _ => next,
        }
    }

    /// When the node could first decide on the packet in an input frame that is ready from `ready` on.
    #[cold]
    #[inline(never)]
    pub(super) fn next_specially_for_input(
        &self,
        state: &Node<M, P, Q, F>,
        port: Port,
        ready: Due,
    ) -> Due {
        let candidates = self.all & !(state.missing.get() | state.blocked.get());
        let mut next = self.next_for_input(state, port, ready, candidates);
        if !self.is_local(port) {
            next = next.min(self.next_behind_waiting(state, port));
        }
        next.max(self.room_from(state))
    }

    /// When the packet in the input frame at a link could first be decided on for having stalled behind a
    /// waiting output frame, if the multiqueue has room.
    fn next_behind_waiting(&self, state: &Node<M, P, Q, F>, port: Port) -> Due {
        let stalled = state.inputs[port.index()].ready + self.parameters.stall_threshold_cycles;
        let waits = self.behind_waiting && stalled < F::waits_until(state, port);
        Due::when(waits, stalled)
    }
}
