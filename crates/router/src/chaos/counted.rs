//! Words that move one by one and are counted.
//!
//! A packet in a node is a passage through up to three frames: an input frame, the multiqueue, an output
//! frame. In each cycle at most one word moves from each of them to the next; a word that entered a frame in
//! this cycle moves on in the next one at the earliest. Words may arrive with gaps.

mod explain;
mod look;
mod moves;
mod next;
mod passage;

use super::commit::Moving;
use super::output::{Output, OutputFrame};
use super::registers::Held;
use super::{Chaos, Delivery, Flow, Mask, Node};
use bytemuck::Zeroable;
use flitwork_node::{Cause, Event, Inputs, Instant, Outputs, Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, PacketRef, Packets, Port, PortSet, Word};
use passage::{Passage, Stage};

/// Where the words of a node's packets are.
#[derive(Clone, Debug)]
pub struct WordFlow {
    passages: Vec<Passage>,
    /// Input frames that have been emptied, each with the cycle in which its credit leaves.
    credits: Vec<(Port, Cycle)>,
    /// The first cycle in which anything is decided if no register changes before; [`UNKNOWN`] once one has.
    decides_from: Due,
    /// Whether a step has brought a word closer to a head that has left, so that the next has something to do.
    streams: bool,
}

/// The passages at each port.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub struct PassagesAt<const P: usize> {
    /// The one whose words are entering each input frame, if any.
    arriving: [u8; P],
    /// The one whose words are leaving each output frame, if the frame is blocked.
    leaving: [u8; P],
}

/// What is decided next isn't known, and may be at once.
const UNKNOWN: Due = Due::at(Cycle::ZERO);

impl Default for WordFlow {
    fn default() -> WordFlow {
        WordFlow {
            passages: Vec::new(),
            credits: Vec::new(),
            decides_from: Due::NEVER,
            streams: false,
        }
    }
}

impl WordFlow {
    /// Whether the node holds no packet and owes no credit.
    pub(super) fn is_empty(&self) -> bool {
        self.passages.is_empty() && self.credits.is_empty()
    }
}

impl<M: Mask, const P: usize, const Q: usize> WordNode<M, P, Q> {
    /// Ends a passage; the youngest takes its place in the list.
    fn end(&mut self, passage: usize, packet_words: u16) {
        self.flow.passages.swap_remove(passage);
        let Some(moved) = self.flow.passages.get(passage) else {
            return;
        };
        let first = moved.first();
        if let (Place::Input(port), true) = (first.place, first.words < packet_words) {
            self.of_ports.arriving[port.index()] = passage as u8;
        }
        if let Place::Output(port) = moved.last().place {
            self.of_ports.leaving[port.index()] = passage as u8;
        }
    }
}

impl Flow for WordFlow {
    type OfPorts<const P: usize> = PassagesAt<P>;

    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.passages) + size_of_val(&*self.credits)
    }

    fn empty_nodes<M: Mask, const P: usize, const Q: usize>(
        count: usize,
    ) -> Vec<WordNode<M, P, Q>> {
        let empty = || Node {
            outputs: [OutputFrame::zeroed(); P],
            inputs: [Held::zeroed(); P],
            queue: [Held::zeroed(); Q],
            input_wants: [M::zeroed(); P],
            queue_wants: [M::zeroed(); Q],
            occupied: M::zeroed(),
            blocked: M::zeroed(),
            no_credit: M::zeroed(),
            missing: M::zeroed(),
            pointer: 0,
            queued: 0,
            flow: WordFlow::default(),
            of_ports: PassagesAt::zeroed(),
        };
        (0..count).map(|_| empty()).collect()
    }

    fn waits_until<M: Mask, const P: usize, const Q: usize>(
        state: &WordNode<M, P, Q>,
        output: Port,
    ) -> Due {
        let holds_one = state.blocked.get() >> output.0 & 1 == 1;
        let no_credit = state.lacks_credit(output);
        // Once the head has left, the missing credit is that of the next packet.
        let waits = holds_one && no_credit && !Self::has_begun(state, output);
        Due::when(!waits, Cycle::ZERO)
    }

    fn has_begun<M: Mask, const P: usize, const Q: usize>(
        state: &WordNode<M, P, Q>,
        output: Port,
    ) -> bool {
        let passage = usize::from(state.of_ports.leaving[output.index()]);
        state.flow.passages[passage].sent > 0
    }
}

type WordNode<M, const P: usize, const Q: usize> = Node<M, P, Q, WordFlow>;

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, WordNode<M, P, Q>> {
    pub(super) fn take_credits(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        inputs: &Inputs<'_>,
    ) {
        for port in inputs.credits.iter() {
            state.take_credit(port);
            if self.behind_waiting {
                state.flow.decides_from = UNKNOWN;
            }
            if let Output::Empty { .. } = state.output(port) {
                state.outputs[port.index()].set_credit_from(now);
            }
        }
    }

    /// Puts each port's word into its input frame.
    pub(super) fn take_words<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        inputs: &Inputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        for (port, word) in inputs.arrivals() {
            if word.index == 0 {
                self.begin_passage(state, now, (port, word.packet), site);
            }
            self.take_word(state, now, (port, word), site);
        }
    }

    /// A head has arrived. A packet that vanishes here is delivered with it.
    #[inline(always)]
    fn begin_passage<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        (port, packet): (Port, PacketRef),
        site: &mut Site<'_, Pr>,
    ) {
        let home = self.destination(packet, site.packets) == site.node && !self.is_local(port);
        let vanishes = home && self.parameters.delivery == Delivery::Vanish;
        state.of_ports.arriving[port.index()] = state.flow.passages.len() as u8;
        let passage = Passage::new(packet, port, now, vanishes);
        state.flow.passages.push(passage);
        if self.is_local(port) {
            site.injected(now, packet);
        } else if vanishes {
            let packet = site.packets[packet];
            site.probe
                .event(site.node, now, Event::Delivered { packet });
        }
    }

    /// Puts a word into its input frame; a head (without cut-through: a tail) makes the packet ready for a decision.
    #[inline(always)]
    fn take_word<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        (port, word): (Port, Word),
        site: &mut Site<'_, Pr>,
    ) {
        let (words, node) = (self.parameters.packet_words, site.node);
        let found = usize::from(state.of_ports.arriving[port.index()]);
        let passage = &mut state.flow.passages[found];
        let first = passage.first_mut();
        let place = (first.place, first.words);
        first.words += 1;
        let taken = first.words;
        let in_order = passage.packet == word.packet && place == (Place::Input(port), word.index);
        assert!(
            in_order,
            "node {node}: {word:?} is out of order at {port:?}"
        );
        if passage.vanishes {
            if taken == words {
                state.end(found, words);
                // With words in succession the credit leaves as if the head had been decided on when it
                // arrived.
                let after_last_word = self.parameters.input_release_cycles - u32::from(words);
                state.flow.credits.push((port, now + after_last_word));
                site.packets.remove(word.packet);
            }
        } else if u32::from(word.index) == self.lag_cycles {
            let wants = self.wants(node, word.packet, site.packets);
            self.accept(state, port, word.packet, now.into(), wants, node);
            state.flow.decides_from = UNKNOWN;
        }
    }

    /// Each output frame with a word that arrived before this cycle sends one if its link takes one; a head
    /// needs a credit. A packet that leaves the delivery frame is delivered in the first cycle without it.
    #[inline]
    pub(super) fn send_words<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        sendable: PortSet,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let sendable = sendable.0 | self.locals;
        state.flow.streams = false;
        for port in PortSet(state.blocked.get() & sendable).iter() {
            let place = usize::from(state.of_ports.leaving[port.index()]);
            let passage = &mut state.flow.passages[place];
            let Output::Full { ready, .. } = state.outputs[port.index()].full() else {
                continue;
            };
            let no_credit = passage.sent == 0 && state.no_credit.get() >> port.0 & 1 == 1;
            let stand = passage.last().words;
            if passage.sent == stand || ready > now || no_credit {
                continue;
            }
            let words = self.parameters.packet_words;
            let word = Word::of(passage.packet, passage.sent, words);
            passage.sent += 1;
            state.flow.streams |= passage.sent < stand;
            if word.flit.is_head() {
                if !self.is_local(port) {
                    state.use_credit(port);
                    let leaves = (word.packet, port);
                    let packets = &mut *site.packets;
                    site.probe
                        .intervene(packets, site.node, now, leaves, Instant::Link);
                }
                site.witness(|witness, packets| {
                    let packet = packets[word.packet].id;
                    witness.stays(packet, Place::Output(port), Cause::Pipeline, None);
                });
            }
            site.departs(now, port, word, words);
            outputs.send(port, word);
            if word.flit.is_tail() {
                if self.is_local(port) {
                    site.delivered(now + 1, word.packet);
                }
                state.end(place, words);
                state.outputs[port.index()] =
                    OutputFrame::open(now + (1 + self.parameters.output_reopen_cycles), now);
                state.empty_output(port);
                state.flow.decides_from = UNKNOWN;
            }
        }
    }

    /// Decides if anything could be decided at `now`, and carries it out.
    pub(super) fn decide_and_begin<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        site: &mut Site<'_, Pr>,
    ) {
        let from = state.flow.decides_from;
        debug_assert!(from <= now || self.decide(state, site.node, now).is_none());
        if from > now {
            return;
        }
        let decision = self.decide(state, site.node, now);
        debug_assert!(from == UNKNOWN || from < now || decision.is_some());
        if let Some(decision) = decision {
            let node = site.node;
            site.witness(|witness, packets| {
                self.tell_decision(state, decision, (node, now), (witness, packets));
            });
            let ready = self.ready_for(state, decision);
            if let Some(moving) = self.commit(state, decision) {
                self.report_move(site, now, moving);
                self.begin(state, moving, (now, ready));
            }
            if let Some(moving) = self.follow::<true>(state, decision.output, now) {
                site.witness(|witness, packets| {
                    Self::tell_follower(decision, moving, (witness, packets));
                });
                self.report_move(site, now, moving);
                self.begin(state, moving, (now, ready));
            }
        }
        state.flow.decides_from = UNKNOWN;
    }

    /// A decision has set a packet in motion: its words may move once the decision takes effect.
    /// `ready` is the cycle from which the one that goes to an output frame can move.
    fn begin(&self, state: &mut WordNode<M, P, Q>, moving: Moving, (now, ready): (Cycle, Due)) {
        let takes_effect = now + (self.parameters.decision_latency_cycles - 1);
        let Moving {
            packet, from, to, ..
        } = moving;
        // What goes to an output frame starts when its head is ready, which may not be known yet.
        let starts = Due::when(to == Place::Queue || ready <= now, takes_effect);
        // A derouted packet's head may be back before its tail has left: its earlier passage already has an
        // output.
        let inside = |passage: &Passage| passage.packet == packet && passage.last().place == from;
        let found = state.flow.passages.iter().position(inside);
        let found = found.expect("a packet that was decided on is in the node");
        if let Place::Output(port) = to {
            state.of_ports.leaving[port.index()] = found as u8;
            state.fill_output(port, packet, Due::NEVER);
            if self.special_rules && from == Place::Queue {
                self.vacate(state, Due::NEVER);
            }
        }
        state.flow.passages[found].push(Stage {
            place: to,
            starts,
            words: 0,
        });
    }

    /// Routes all packets once more that haven't been decided on; failed links are as if they were missing.
    pub(super) fn route_again(
        &self,
        state: &mut WordNode<M, P, Q>,
        node: NodeId,
        packets: &Packets,
    ) {
        state.missing = M::of(self.missing(node));
        for port in PortSet(state.occupied.get()).iter() {
            let wants = self.wants(node, state.inputs[port.index()].packet, packets);
            state.input_wants[port.index()] = M::of(wants);
        }
        for place in 0..usize::from(state.queued) {
            let wants = self.wants(node, state.queue[place].packet, packets);
            state.queue_wants[place] = M::of(wants);
        }
        state.flow.decides_from = UNKNOWN;
    }

    /// Sends the credits of emptied input frames.
    pub(super) fn send_credits<Pr: Probe>(
        &self,
        state: &mut WordNode<M, P, Q>,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        if state.flow.credits.is_empty() {
            return;
        }
        state.flow.credits.retain(|(port, leaves)| {
            if *leaves > now {
                return true;
            }
            outputs.credit(*port, 0);
            site.probe
                .event(site.node, now, Event::Freed { port: *port });
            false
        });
    }
}
