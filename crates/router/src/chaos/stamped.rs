//! Words in an unbroken stream, located by arithmetic.
//!
//! With one clock for all nodes a packet's words are never separated: they leave a frame in consecutive
//! cycles and find room ahead, because a packet starts only towards a frame that can take all of it. So one
//! stamp determines where all of them are:
//!
//! ```text
//!  decision at t       head in its new frame     link sends from        neighbour decides
//!        t ───────────▶ t + latency ────────────▶ s = max(that, ──────▶ s + 1
//!                       input frame: its last     credit)      │
//!                       word leaves at                         └─▶ output frame open again at
//!                       t + latency + words - 2                    s + words + reopen
//! ```

use super::commit::Moving;
use super::output::{Output, OutputFrame};
use super::{Chaos, Choice, Delivery, Flow, Mask, Node};
use bytemuck::Zeroable;
use flitwork_node::{Departure, Event, Place, Probe, Signal, Site, TimestampRouter};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, PacketRef, Port};
use std::alloc::{Layout, handle_alloc_error};

/// Frames whose words are known from time stamps.
#[derive(Clone, Copy, Zeroable)]
pub struct TimestampFlow;

type StampedNode<M, const P: usize, const Q: usize> = Node<M, P, Q, TimestampFlow>;

impl Flow for TimestampFlow {
    /// That cycle, for each output frame: a separate stamp is needed because a credit may be known long
    /// before it arrives, together with the next one.
    /// Until when each output frame waits for its neighbour, if the stall rule needs it.
    type OfPorts<const P: usize> = [Due; P];

    fn empty_nodes<M: Mask, const P: usize, const Q: usize>(
        count: usize,
    ) -> Vec<StampedNode<M, P, Q>> {
        bytemuck::try_zeroed_vec(count).unwrap_or_else(|()| {
            let nodes = Layout::array::<StampedNode<M, P, Q>>(count);
            handle_alloc_error(nodes.unwrap_or(Layout::new::<StampedNode<M, P, Q>>()))
        })
    }

    fn waits_until<M: Mask, const P: usize, const Q: usize>(
        state: &StampedNode<M, P, Q>,
        output: Port,
    ) -> Due {
        state.of_ports[output.index()]
    }

    /// A head is known of long before it comes.
    fn has_come(ready: Due, now: Cycle) -> bool {
        ready < now
    }
}

type Signals = Vec<(NodeId, Signal)>;

/// Words move by time stamps.
impl<T: Topology, M: Mask, const P: usize, const Q: usize> TimestampRouter
    for Chaos<T, StampedNode<M, P, Q>>
{
    /// A packet leaves the network after its last word.
    fn delivers_after(&self) -> bool {
        self.parameters.delivery == Delivery::Frame
    }

    /// A packet arrives at an input frame, or vanishes there.
    #[inline]
    fn head<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        port: Port,
        packet: PacketRef,
        at: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Due {
        let destination = self.destination(packet, site.packets);
        if self.is_local(port) {
            site.injected(at, packet);
        } else if destination == site.node && self.parameters.delivery == Delivery::Vanish {
            site.delivered(at, packet);
            self.release(port, at, site, signals);
            return Due::NEVER;
        }
        let ready = Due::at(at + self.lag_cycles);
        let wants = self.wants(site.node, packet, site.packets);
        self.accept(state, port, packet, ready, wants, site.node);
        self.next_for_arrival(state, port, ready)
    }

    /// The far input frame of a link is free: a packet that waits for it leaves, or waits for its turn.
    #[inline]
    fn credit<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        port: Port,
        from: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Due {
        state.take_credit(port);
        let Output::Full { packet, ready } = state.output(port) else {
            state.outputs[port.index()].set_credit_from(from);
            return Due::NEVER;
        };
        state.empty_output(port);
        if self.behind_waiting {
            state.of_ports[port.index()] = from.into();
        }
        let head = ready.not_before(from).get();
        let head = head.expect("a packet's stamp says when its head is ready");
        self.leave(state, port, packet, head, site, signals);
        match self.takes_turns {
            true => Due::NEVER,
            false => self.next_for_output(state, port),
        }
    }

    /// A packet that moves into an output frame leaves once the decision has taken effect; a credit is known of before
    /// its frame has been emptied, which takes longer.
    fn ahead_cycles(&self) -> u32 {
        self.parameters.decision_latency_cycles
    }

    #[inline(never)]
    fn depart<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        port: Port,
        head: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Departure {
        let cycles = match state.output(port) {
            Output::Full { packet, ready } if ready <= head && !state.lacks_credit(port) => {
                state.empty_output(port);
                self.launch(state, port, packet, head, site, signals)
            }
            other => panic!(
                "node {}: nothing can leave at {port:?} in cycle {head}: {other:?}",
                site.node
            ),
        };
        let next = self.next_for_output(state, port);
        Departure { cycles, next }
    }

    #[inline]
    fn wake<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Due {
        if self.special_rules {
            return self.wake_specially(state, now, site, signals);
        }
        if let Some(decision) = self.decide_as_published(state, site.node, now) {
            if let Some(moving) = self.commit(state, decision) {
                self.report_move(site, now, moving);
                self.stream(state, moving, now, site, signals);
            }
            if let Some(moving) = self.follow::<false>(state, decision.output, now) {
                self.report_move(site, now, moving);
                self.stream(state, moving, now, site, signals);
            }
        }
        self.next_decision(state, now + 1)
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, StampedNode<M, P, Q>> {
    /// When the node could first decide on what has arrived in an input frame.
    #[inline]
    fn next_for_arrival(&self, state: &StampedNode<M, P, Q>, port: Port, ready: Due) -> Due {
        if self.special_rules {
            return self.next_specially_for_input(state, port, ready);
        }
        if self.full(state) {
            return Due::NEVER;
        }
        let candidates = self.all & !(state.missing.get() | state.blocked.get());
        self.next_for_input(state, port, ready, candidates)
    }

    /// When the node could first decide on an output frame from which a packet is leaving.
    #[inline]
    fn next_for_output(&self, state: &StampedNode<M, P, Q>, port: Port) -> Due {
        match self.special_rules {
            true => self.next_specially_among(state, 1 << port.0, Cycle::ZERO),
            false => self.next_decision_on(state, port),
        }
    }

    /// The packet in an output frame may leave from `head` on: over a half-duplex link once it is its turn.
    #[inline]
    fn leave<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        port: Port,
        packet: PacketRef,
        head: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) {
        if self.takes_turns && !self.is_local(port) {
            Self::await_turn(state, port, packet, head, site.node, signals);
        } else {
            self.launch(state, port, packet, head, site, signals);
        }
    }

    /// The packet in an output frame waits for its turn; it may leave from `head` on.
    #[inline(never)]
    fn await_turn(
        state: &mut StampedNode<M, P, Q>,
        port: Port,
        packet: PacketRef,
        head: Cycle,
        node: NodeId,
        signals: &mut Signals,
    ) {
        state.fill_output(port, packet, head.into());
        signals.push((node, Signal::Ready { port, from: head }));
    }

    /// A wake under special rules.
    #[cold]
    #[inline(never)]
    fn wake_specially<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Due {
        if let Some(decision) = self.decide_variant(state, site.node, now) {
            let output = decision.output;
            if self.behind_waiting && decision.choice != Choice::Stalled {
                state.of_ports[output.index()] = match state.output(output) {
                    Output::Empty { credit_from, .. } => {
                        Due::when(!state.lacks_credit(output), credit_from)
                    }
                    Output::Full { .. } => Due::NEVER,
                };
            }
            let ready = self.ready_for(state, decision).not_before(now).get();
            let moves = ready.expect("a packet's stamp says when its head is ready");
            if let Some(moving) = self.commit(state, decision) {
                self.report_move(site, now, moving);
                self.stream_specially(state, moving, (now, moves), site, signals);
            }
            if let Some(moving) = self.follow::<true>(state, output, now) {
                self.report_move(site, now, moving);
                self.stream_specially(state, moving, (now, moves), site, signals);
            }
        }
        self.next_specially(state, now + 1)
    }

    /// The same under special rules, decided on at `now`: a packet goes to an output frame as if it had been decided
    /// on at `moves`, and its multiqueue frame may be taken until its last word has left.
    fn stream_specially<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        moving: Moving,
        (now, moves): (Cycle, Cycle),
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) {
        let moves = match moving.to {
            Place::Queue => now,
            _ => moves,
        };
        self.stream(state, moving, moves, site, signals);
        if moving.from == Place::Queue {
            let after_last_word = self.parameters.least_release_cycles();
            self.vacate(state, Due::at(moves + after_last_word));
        }
    }

    /// Stamps a packet that has begun to move, and all that follows from it.
    #[inline]
    fn stream<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        moving: Moving,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) {
        let ready = now + self.parameters.decision_latency_cycles + self.lag_cycles;
        if let Place::Input(port) = moving.from {
            self.release(port, now, site, signals);
        }
        let Place::Output(output) = moving.to else {
            state.queue[usize::from(state.queued) - 1].ready = ready.into();
            return;
        };
        match state.outputs[output.index()].empty() {
            Output::Empty { credit_from, .. } if !state.lacks_credit(output) => {
                let head = ready.max(credit_from);
                self.leave(state, output, moving.packet, head, site, signals);
            }
            _ => state.fill_output(output, moving.packet, ready.into()),
        }
    }

    /// The packet in an output frame streams over the link from `head` on. Returns the cycles in which it does. From the
    /// delivery frame it leaves the network, and is delivered in the first cycle without it.
    #[inline(always)]
    fn launch<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        port: Port,
        packet: PacketRef,
        head: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> u32 {
        let words = u32::from(self.parameters.packet_words);
        let leaves = Event::Head {
            packet: site.packets[packet].id,
            port,
        };
        site.probe.event(site.node, head, leaves);
        let has_left = Event::Tail {
            packet: site.packets[packet].id,
            port,
            words: self.parameters.packet_words,
        };
        site.probe.event(site.node, head + (words - 1), has_left);
        let open_from = head + words + self.parameters.output_reopen_cycles;
        if self.is_local(port) {
            site.delivered(head + words, packet);
            state.outputs[port.index()] = OutputFrame::open(open_from, Cycle::ZERO);
        } else {
            state.outputs[port.index()].set_open_from(open_from);
            state.use_credit(port);
            signals.push((site.node, Signal::Send { port, packet, head }));
        }
        words
    }

    /// A decision at `decided` has released the input frame at `port`: its credit leaves after the last word.
    /// The injection frame has no link to cross and is free one cycle after its last word.
    #[inline]
    fn release<Pr: Probe>(
        &self,
        port: Port,
        decided: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) {
        let last_word = decided + (self.parameters.least_release_cycles() - 1);
        let leaves = last_word + self.release_lag_cycles(port);
        site.probe.event(site.node, leaves, Event::Freed { port });
        signals.push((site.node, Signal::Credit { port, leaves }));
    }
}
