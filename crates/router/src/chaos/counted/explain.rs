//! What a step tells its witness: what it decides, and why packets stay.

mod decisions;
mod rules;

use super::{Passage, WordFlow, WordNode};
use crate::chaos::commit::Moving;
use crate::chaos::decide::Queued;
use crate::chaos::output::Output;
use crate::chaos::special::Rules;
use crate::chaos::{Chaos, Choice, Decision, Flow, Mask, Node};
use flitwork_node::{Cause, Doing, Outputs, Place, What, Witness};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, PacketRef, Packets, Port, PortSet};

/// A node about to decide, once words have left its output frames.
struct Seen<'a, const P: usize, const Q: usize, M: Mask> {
    node: NodeId,
    now: Cycle,
    packets: &'a Packets,
    state: &'a WordNode<M, P, Q>,
    /// Its registers, as if no input frame held a packet; without its words, on which nothing here depends.
    bare: WordNode<M, P, Q>,
    /// What the rules say of this cycle, the packets of the multiqueue under them, and the outputs that are open.
    rules: Rules,
    queue: Queued,
    open: u64,
}

/// What matters to packets that stay.
struct Staying<'a, const P: usize, const Q: usize, M: Mask> {
    seen: Seen<'a, P, Q, M>,
    /// The words that have left in this step.
    outputs: &'a Outputs<'a>,
    /// The packet that the decision is for.
    winner: Option<PacketRef>,
}

/// Why a packet stays, and because of which other.
type Why = (Cause, Option<PacketRef>);

impl<const P: usize, const Q: usize, M: Mask> Seen<'_, P, Q, M> {
    fn id(&self, packet: PacketRef) -> PacketId {
        self.packets[packet].id
    }
}

impl<const P: usize, const Q: usize, M: Mask> Staying<'_, P, Q, M> {
    /// The packet without which an output frame would be empty by now.
    fn holder(&self, port: Port) -> Option<PacketRef> {
        match self.seen.state.output(port) {
            Output::Full { packet, .. } => Some(packet),
            // Its last word has left in this step.
            Output::Empty { .. } if self.outputs.sent.contains(port) => {
                Some(self.outputs.words[port.index()].packet)
            }
            Output::Empty { .. } => None,
        }
    }

    /// The packet in the only one of these outputs.
    fn sole_holder(&self, outputs: u64) -> Option<PacketRef> {
        match outputs.count_ones() {
            1 => self.holder(Port(outputs.trailing_zeros() as u8)),
            _ => None,
        }
    }

    /// Whether a packet is in one of these outputs.
    fn holds_any(&self, outputs: u64) -> bool {
        PortSet(outputs)
            .iter()
            .any(|port| self.holder(port).is_some())
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, WordNode<M, P, Q>> {
    fn seen<'a>(
        &self,
        state: &'a WordNode<M, P, Q>,
        (node, now): (NodeId, Cycle),
        packets: &'a Packets,
    ) -> Seen<'a, P, Q, M> {
        let rules = match self.special_rules {
            false => self.published_rules(state),
            true => self.special_rules_at(state, now),
        };
        let bare = Node {
            occupied: M::of(0),
            flow: WordFlow::default(),
            ..state.clone()
        };
        Seen {
            node,
            now,
            packets,
            state,
            bare,
            rules,
            queue: self.queue_under(rules, state, now),
            open: self.open(state, now),
        }
    }

    /// Tells what is decided on an output.
    pub(super) fn tell_decision(
        &self,
        state: &WordNode<M, P, Q>,
        decision: Decision,
        at: (NodeId, Cycle),
        (witness, packets): (&mut Witness, &Packets),
    ) {
        let seen = self.seen(state, at, packets);
        let (packet, from) = Self::winner(state, decision);
        let to = match decision.choice {
            Choice::Stalled => Place::Queue,
            _ => Place::Output(decision.output),
        };
        let contest = self.contest(&seen, decision.output, decision.choice);
        for contest in self.scan(&seen).into_iter().chain([contest]) {
            witness.decided(contest.won((seen.id(packet), from), to));
        }
    }

    /// Tells that the packet in the paired input frame moves to the multiqueue after another has gone to the output; one
    /// that has stalled has won the decision itself.
    pub(super) fn tell_follower(
        decision: Decision,
        moving: Moving,
        (witness, packets): (&mut Witness, &Packets),
    ) {
        if decision.choice != Choice::Stalled {
            witness.decided(decisions::pair(moving, packets));
        }
    }

    /// The packet that a decision is for, and where it is.
    fn winner(state: &WordNode<M, P, Q>, decision: Decision) -> (PacketRef, Place) {
        let input = |port: Port| (state.inputs[port.index()].packet, Place::Input(port));
        match decision.choice {
            Choice::Queued { place, .. } => (state.queue[place].packet, Place::Queue),
            Choice::Bypass(port) => input(port),
            Choice::Stalled => input(decision.output),
        }
    }

    /// Why packets stay that this step doesn't move: all whose heads are in the node. A packet that is delivered as it
    /// arrives doesn't move and doesn't stay.
    pub(in crate::chaos) fn stays(
        &self,
        state: &WordNode<M, P, Q>,
        (node, now): (NodeId, Cycle),
        outputs: &Outputs<'_>,
        packets: &Packets,
    ) -> Vec<Doing> {
        let decision = self.decide(state, node, now);
        let staying = Staying {
            seen: self.seen(state, (node, now), packets),
            outputs,
            winner: decision.map(|decision| Self::winner(state, decision).0),
        };
        let passages = state.flow.passages.iter();
        let heads = passages.filter(|passage| !passage.vanishes && passage.sent == 0);
        let stays = heads.map(|passage| {
            let (cause, culprit) = self.why(&staying, passage);
            let culprit = culprit.filter(|culprit| *culprit != passage.packet);
            let culprit = culprit.map(|culprit| staying.seen.id(culprit));
            Doing {
                packet: staying.seen.id(passage.packet),
                place: head_of(passage),
                what: What::Stays { cause, culprit },
            }
        });
        stays.collect()
    }

    /// Why a packet stays.
    fn why(&self, staying: &Staying<'_, P, Q, M>, passage: &Passage) -> Why {
        let last = passage.last();
        if last.words == 0 {
            return (Cause::Pipeline, None);
        }
        if u32::from(last.words) <= self.lag_cycles {
            return (Cause::WordsBehind, None);
        }
        match last.place {
            Place::Output(port) if staying.seen.state.lacks_credit(port) => (Cause::NoCredit, None),
            Place::Output(_) => (Cause::Crossing, None),
            Place::Input(port) => self.why_in_input(staying, port),
            _ => self.why_in_queue(staying, passage.packet),
        }
    }

    /// Why a packet stays in the multiqueue.
    fn why_in_queue(&self, staying: &Staying<'_, P, Q, M>, packet: PacketRef) -> Why {
        let seen = &staying.seen;
        let place = Self::place_in_queue(seen.state, packet);
        let place = place.expect("a packet that waits in the multiqueue is in its list");
        let alone = Queued {
            ready: seen.queue.ready & 1 << place,
            deroutable: 0,
        };
        let ways = self.wanted(seen.rules, alone, &seen.bare, seen.now);
        match ways & seen.open {
            0 => self.why_shut(staying, seen.state.queue_wants[place].get()),
            _ => (Cause::LostDecision, staying.winner),
        }
    }

    /// Why a packet stays in an input frame.
    fn why_in_input(&self, staying: &Staying<'_, P, Q, M>, port: Port) -> Why {
        let seen = &staying.seen;
        let ways = self.ways_from_input(seen, port);
        if seen.rules.full {
            let only = (self.parameters.multiqueue_frames == 1 && ways != 0).then(|| {
                let passages = seen.state.flow.passages.iter();
                let mut queued = passages.filter(|passage| self.is_queued(passage));
                queued.next().map(|passage| passage.packet)
            });
            return (Cause::QueueFull, only.flatten());
        }
        if ways != 0 {
            return (Cause::LostDecision, staying.winner);
        }
        let bit = 1 << port.0;
        let wants = seen.state.input_wants[port.index()].get();
        let wants_from_here = match self.may_bypass & bit {
            0 => 0,
            _ => wants,
        };
        let pair = bit & self.links;
        if pair == 0 || wants_from_here & self.locals != 0 {
            return self.why_shut(staying, wants);
        }
        let sole = staying.sole_holder(wants_from_here);
        let waits = self.behind_waiting && WordFlow::waits_until(seen.state, port) > seen.now;
        if waits || pair & seen.open != 0 {
            return (Cause::StallRule, sole);
        }
        let paired = || {
            staying
                .holder(port)
                .filter(|_| self.has_stalled(seen.state, port, seen.now))
        };
        match staying.holds_any(wants_from_here | pair) {
            true => (Cause::OutputTaken, sole.or_else(paired)),
            false => (Cause::Pipeline, None),
        }
    }

    /// Why a packet stays if none of the outputs that it wants is open.
    fn why_shut(&self, staying: &Staying<'_, P, Q, M>, wants: u64) -> Why {
        let local = PortSet(wants & self.locals).iter().next();
        if let Some(local) = local {
            (Cause::Ejection, staying.holder(local))
        } else if staying.holds_any(wants) {
            (Cause::OutputTaken, staying.sole_holder(wants))
        } else {
            // They are empty and about to open.
            (Cause::Pipeline, None)
        }
    }

    /// The outputs that the packet in an input frame makes interesting, whether the multiqueue has room or not.
    fn ways_from_input(&self, seen: &Seen<'_, P, Q, M>, port: Port) -> u64 {
        let rules = Rules {
            full: false,
            ..seen.rules
        };
        let none = Queued {
            ready: 0,
            deroutable: 0,
        };
        let bit = PortSet::only(port).0;
        let only = Node {
            occupied: M::of(seen.state.occupied.get() & bit),
            ..seen.bare.clone()
        };
        let ways = self.wanted(rules, none, &only, seen.now);
        ways & seen.open | rules.waiting & bit
    }

    /// Whether words of a packet are in the multiqueue or have a frame there.
    fn is_queued(&self, passage: &Passage) -> bool {
        let stages = passage.stages();
        let queued = stages.iter().position(|stage| stage.place == Place::Queue);
        queued.is_some_and(|at| {
            let gone = stages.get(at + 1).map_or(0, |next| next.words);
            gone < self.parameters.packet_words
        })
    }
}

/// The frame in which a packet's head is.
fn head_of(passage: &Passage) -> Place {
    let stages = passage.stages().iter();
    let mut reached = stages.rev().filter(|stage| stage.words > 0);
    let last = reached
        .next()
        .expect("a head that has arrived is in a frame");
    last.place
}
