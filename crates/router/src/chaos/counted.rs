//! Words that move one by one and are counted.
//!
//! A packet in a node is a passage through up to three frames: an input frame, the multiqueue, an output
//! frame. In each cycle at most one word moves from each of them to the next; a word that entered a frame in
//! this cycle moves on in the next one at the earliest. Words may arrive with gaps.

mod next;

use super::commit::Moving;
use super::output::{Output, OutputFrame};
use super::registers::Held;
use super::{Chaos, Delivery, Flow, Mask, Node};
use arrayvec::ArrayVec;
use bytemuck::Zeroable;
use flitwork_node::{Inputs, Outputs, Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, PacketRef, Port, PortSet, Word};

/// Where the words of a node's packets are.
#[derive(Clone, Debug)]
pub struct Counted {
    passages: Vec<Passage>,
    /// The passage whose words are entering each input frame, if any.
    arriving: [u8; MAX_PORTS],
    /// The passage whose words are leaving each output frame, if the frame is blocked.
    leaving: [u8; MAX_PORTS],
    /// Input frames that have been emptied, each with the cycle in which its credit leaves.
    credits: Vec<(Port, Cycle)>,
    /// The first cycle in which anything is decided if no register changes before; [`UNKNOWN`] once one has.
    decides_from: Cycle,
    /// Whether a step has brought a word closer to a head that has left, so that the next has something to do.
    streams: bool,
}

/// The bit of the central queue in a set of output frames.
const QUEUE: u64 = 1 << MAX_PORTS;

/// What is decided next isn't known, and may be at once.
const UNKNOWN: Cycle = Cycle::ZERO;

/// A frame that a packet goes through.
#[derive(Clone, Copy, Debug)]
struct Stage {
    place: Place,
    /// The first cycle in which a word may move in.
    starts: Cycle,
    /// How many words have moved in.
    words: u16,
}

/// A packet on its way through the node.
#[derive(Clone, Debug)]
struct Passage {
    packet: PacketRef,
    /// The frames it passes through, as far as decided; the first is an input frame.
    stages: ArrayVec<Stage, 3>,
    /// How many words have left over the link.
    sent: u16,
    /// Whether the packet vanishes here as its words arrive.
    vanishes: bool,
}

impl Passage {
    /// The last frame that has been decided on.
    #[inline]
    fn last(&self) -> &Stage {
        &self.stages[self.stages.len() - 1]
    }
}

impl Default for Counted {
    fn default() -> Counted {
        Counted {
            passages: Vec::new(),
            arriving: [0; MAX_PORTS],
            leaving: [0; MAX_PORTS],
            credits: Vec::new(),
            decides_from: Cycle::NEVER,
            streams: false,
        }
    }
}

impl Counted {
    /// Whether the node holds no packet and owes no credit.
    pub(super) fn is_empty(&self) -> bool {
        self.passages.is_empty() && self.credits.is_empty()
    }

    /// Ends a passage; the youngest takes its place in the list.
    fn end(&mut self, passage: usize, packet_words: u16) {
        self.passages.swap_remove(passage);
        let Some(moved) = self.passages.get(passage) else {
            return;
        };
        if let (Place::Input(port), true) =
            (moved.stages[0].place, moved.stages[0].words < packet_words)
        {
            self.arriving[port.index()] = passage as u8;
        }
        if let Place::Output(port) = moved.last().place {
            self.leaving[port.index()] = passage as u8;
        }
    }
}

impl Flow for Counted {
    /// None: words are counted.
    type Waits<const P: usize> = ();

    fn empty_nodes<M: Mask, const P: usize, const Q: usize>(
        count: usize,
    ) -> Vec<CountedNode<M, P, Q>> {
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
            flow: Counted::default(),
            waits: (),
        };
        (0..count).map(|_| empty()).collect()
    }

    fn waits_until<M: Mask, const P: usize, const Q: usize>(
        state: &CountedNode<M, P, Q>,
        output: Port,
    ) -> Cycle {
        let holds_one = state.blocked.get() >> output.0 & 1 == 1;
        let no_credit = state.lacks_credit(output);
        // Once the head has left, the missing credit is that of the next packet.
        match holds_one && no_credit && !Self::has_begun(state, output) {
            true => Cycle::NEVER,
            false => Cycle::ZERO,
        }
    }

    fn has_begun<M: Mask, const P: usize, const Q: usize>(
        state: &CountedNode<M, P, Q>,
        output: Port,
    ) -> bool {
        let passage = usize::from(state.flow.leaving[output.index()]);
        state.flow.passages[passage].sent > 0
    }
}

type CountedNode<M, const P: usize, const Q: usize> = Node<M, P, Q, Counted>;

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, CountedNode<M, P, Q>> {
    pub(super) fn take_credits(
        &self,
        state: &mut CountedNode<M, P, Q>,
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

    /// Puts each port's word into its input frame; a head (without cut-through: a tail) makes the packet
    /// ready for a decision.
    pub(super) fn take_words<Pr: Probe>(
        &self,
        state: &mut CountedNode<M, P, Q>,
        now: Cycle,
        inputs: &Inputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        for (port, word) in inputs.arrivals() {
            if word.index == 0 {
                self.begin_passage(state, now, port, word.packet, site);
            }
            let words = self.parameters.packet_words;
            let found = usize::from(state.flow.arriving[port.index()]);
            let passage = &mut state.flow.passages[found];
            let first = passage.stages[0];
            let in_order = passage.packet == word.packet
                && (first.place, first.words) == (Place::Input(port), word.index);
            assert!(
                in_order,
                "node {}: {word:?} is out of order at {port:?}",
                site.node
            );
            passage.stages[0].words += 1;
            if passage.vanishes {
                if passage.stages[0].words == words {
                    state.flow.end(found, words);
                    site.packets.remove(word.packet);
                    // With words in succession the credit leaves as if the head had been decided on when it
                    // arrived.
                    let after_last_word = self.parameters.input_release_cycles - u32::from(words);
                    state.flow.credits.push((port, now + after_last_word));
                }
            } else if u32::from(word.index) == self.lag_cycles {
                let destination = site.packets[word.packet].destination;
                let wants = self.wants(site.node, destination);
                self.accept(state, port, word.packet, now, wants, site.node);
                state.flow.decides_from = UNKNOWN;
            }
        }
    }

    /// A head has arrived. A packet that vanishes here is delivered with it.
    fn begin_passage<Pr: Probe>(
        &self,
        state: &mut CountedNode<M, P, Q>,
        now: Cycle,
        port: Port,
        packet: PacketRef,
        site: &mut Site<'_, Pr>,
    ) {
        let home = site.packets[packet].destination == site.node && port != self.local;
        let vanishes = home && self.parameters.delivery == Delivery::Vanish;
        if port == self.local {
            Self::report_injected(site, now, packet);
        } else if vanishes {
            Self::report_vanished(site, now, packet);
        }
        let first = Stage {
            place: Place::Input(port),
            starts: now,
            words: 0,
        };
        let stages = ArrayVec::from_iter([first]);
        state.flow.arriving[port.index()] = state.flow.passages.len() as u8;
        state.flow.passages.push(Passage {
            packet,
            stages,
            sent: 0,
            vanishes,
        });
    }

    /// Each output frame with a word that arrived before this cycle sends one if its link takes one; a head
    /// needs a credit.
    pub(super) fn send_words<Pr: Probe>(
        &self,
        state: &mut CountedNode<M, P, Q>,
        now: Cycle,
        sendable: PortSet,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let sendable = sendable.0 | PortSet::only(self.local).0;
        state.flow.streams = false;
        for port in PortSet(state.blocked.get() & sendable).iter() {
            let place = usize::from(state.flow.leaving[port.index()]);
            let passage = &mut state.flow.passages[place];
            let Output::Full { ready, .. } = state.outputs[port.index()].full() else {
                continue;
            };
            let no_credit = passage.sent == 0 && state.no_credit.get() >> port.0 & 1 == 1;
            if passage.sent == passage.last().words || ready > now || no_credit {
                continue;
            }
            let words = self.parameters.packet_words;
            let word = Word::of(passage.packet, passage.sent, words);
            passage.sent += 1;
            state.flow.streams |= passage.sent < passage.last().words;
            if passage.sent == self.parameters.packet_words {
                state.flow.end(place, self.parameters.packet_words);
            }
            self.send_word(state, now, port, word, outputs, site);
        }
    }

    fn send_word<Pr: Probe>(
        &self,
        state: &mut CountedNode<M, P, Q>,
        now: Cycle,
        port: Port,
        word: Word,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        if word.index == 0 {
            Self::report_head(site, now, port, word.packet);
            if port != self.local {
                state.use_credit(port);
                Self::report_launch(site, now, port, word.packet);
            }
        }
        let packet = site.packets[word.packet].id;
        site.probe.word(site.node, now, port, packet, word);
        outputs.send(port, word);
        if word.index + 1 == self.parameters.packet_words {
            state.outputs[port.index()] =
                OutputFrame::open(now + (1 + self.parameters.output_reopen_cycles), now);
            state.empty_output(port);
            state.flow.decides_from = UNKNOWN;
            self.report_tail(site, now, port, word.packet);
        }
    }

    /// Decides if anything could be decided at `now`, and carries it out.
    pub(super) fn decide_and_begin<Pr: Probe>(
        &self,
        state: &mut CountedNode<M, P, Q>,
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
            let ready = self.ready_for(state, decision);
            self.commit::<true, _>(state, decision, now, site, |state, _, moving| {
                self.begin(state, moving, (now, ready));
            });
        }
        state.flow.decides_from = UNKNOWN;
    }

    /// A decision has set a packet in motion: its words may move once the decision takes effect.
    /// `ready` is the cycle from which the one that goes to an output frame can move.
    pub(super) fn begin(
        &self,
        state: &mut CountedNode<M, P, Q>,
        moving: Moving,
        (now, ready): (Cycle, Cycle),
    ) {
        let takes_effect = now + (self.parameters.decision_latency_cycles - 1);
        let (packet, from, place, starts) = match moving {
            Moving::ToOutput {
                packet,
                from,
                output,
            } => {
                state.fill_output(output, packet, Cycle::NEVER);
                if self.special_rules && from == Place::Queue {
                    self.vacate(state, Cycle::NEVER);
                }
                let starts = match ready <= now {
                    true => takes_effect,
                    // Known once its head is ready.
                    false => Cycle::NEVER,
                };
                (packet, from, Place::Output(output), starts)
            }
            Moving::ToQueue { packet, from } => {
                (packet, Place::Input(from), Place::Queue, takes_effect)
            }
        };
        // A derouted packet's head may be back before its tail has left: its earlier passage already has an
        // output.
        let inside = |passage: &Passage| passage.packet == packet && passage.last().place == from;
        let found = state.flow.passages.iter().position(inside);
        let found = found.expect("a packet that was decided on is in the node");
        if let Place::Output(port) = place {
            state.flow.leaving[port.index()] = found as u8;
        }
        let passage = &mut state.flow.passages[found];
        passage.stages.push(Stage {
            place,
            starts,
            words: 0,
        });
    }

    /// Moves one word from each frame of a passage to the next, last frames first, so that a word moves only
    /// once a cycle.
    pub(super) fn move_words(
        &self,
        state: &mut CountedNode<M, P, Q>,
        now: Cycle,
        outputs: &mut Outputs<'_>,
    ) {
        let (words, standing) = (self.parameters.packet_words, self.lag_cycles + 1);
        let (mut moved_into, mut follows) = (0, 0);
        for place in 0..state.flow.passages.len() {
            let passage = &mut state.flow.passages[place];
            if passage.last().words == words {
                continue;
            }
            let sent = passage.sent;
            // Whether enough words of the packet now stand in the stage for a decision, or all of them.
            let mut takes = |behind: &Stage, stage: &mut Stage| {
                if now < stage.starts || stage.words == behind.words {
                    return false;
                }
                stage.words += 1;
                follows |= sent;
                moved_into |= match stage.place {
                    Place::Output(port) => 1 << port.0,
                    _ => QUEUE,
                };
                stage.words == words || u32::from(stage.words) == standing
            };
            let marks = match passage.stages.as_mut_slice() {
                [first, second] => (takes(first, second), false),
                [first, second, third] => {
                    let last = takes(second, third);
                    (takes(first, second), last)
                }
                _ => continue,
            };
            if marks.1 {
                self.reach_mark(state, now, place, 2);
            }
            if marks.0 {
                self.reach_mark(state, now, place, 1);
            }
        }
        state.flow.streams |= follows > 0;
        outputs.moved = PortSet(moved_into & !QUEUE);
        outputs.queued = moved_into & QUEUE != 0;
    }

    /// In a stage of a passage enough words stand for a decision, or all of them.
    #[inline(never)]
    fn reach_mark(&self, state: &mut CountedNode<M, P, Q>, now: Cycle, place: usize, stage: usize) {
        let queued = usize::from(state.queued);
        let passage = &mut state.flow.passages[place];
        let (behind, moved) = (passage.stages[stage - 1].place, passage.stages[stage].words);
        if u32::from(moved) == self.lag_cycles + 1 {
            let queue = &mut state.queue[..queued];
            self.head_stands(passage, stage, (&mut state.outputs, queue), now);
            state.flow.decides_from = UNKNOWN;
        }
        if moved < self.parameters.packet_words {
            return;
        }
        if let Place::Input(port) = behind {
            let wait = self.release_lag_cycles(port);
            state.flow.credits.push((port, now + wait));
        } else if self.special_rules && self.frees_at_tail() {
            let frames = queued..self.parameters.multiqueue_frames;
            self.vacated(&mut state.queue[frames], now + 1);
            state.flow.decides_from = UNKNOWN;
        }
    }

    /// Enough of a packet stands in a stage of its passage: it is ready from the next cycle on.
    fn head_stands(
        &self,
        passage: &mut Passage,
        stage: usize,
        (outputs, queue): (&mut [OutputFrame], &mut [Held]),
        now: Cycle,
    ) {
        if let Place::Output(port) = passage.stages[stage].place {
            outputs[port.index()].set_ready(now + 1);
        } else if let Some(output) = passage.stages.get_mut(stage + 1) {
            // It has been derouted before.
            output.starts = now + self.parameters.decision_latency_cycles;
        } else {
            let held = queue.iter_mut().find(|held| held.packet == passage.packet);
            let held = held.expect("a packet in the multiqueue stands there");
            held.ready = now + 1;
        }
    }

    /// Sends the credits of emptied input frames.
    pub(super) fn send_credits<Pr: Probe>(
        &self,
        state: &mut CountedNode<M, P, Q>,
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
            Self::report_freed(site, now, *port);
            false
        });
    }
}
