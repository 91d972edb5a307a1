//! What a step decides, and why packets stay.
//!
//! The step's own phases run on copies of the node's registers, as far as the decision: `came` is the node once all that
//! arrives is in its frames, and `left`, which is decided on, once words have left the output frames.

mod decisions;
mod rules;

use super::{Counted, CountedNode, Passage};
use crate::chaos::commit::Moving;
use crate::chaos::decide::Queued;
use crate::chaos::output::Output;
use crate::chaos::special::Rules;
use crate::chaos::{Chaos, Decision, Flow, Mask, Node};
use flitwork_node::{Cause, Doing, Explanation, Inputs, Place, What};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, PacketRef, Packets, Port, PortSet};

/// A step as far as its decision.
struct Seen<'a, const P: usize, const Q: usize, M: Mask> {
    node: NodeId,
    now: Cycle,
    packets: &'a Packets,
    came: CountedNode<M, P, Q>,
    left: CountedNode<M, P, Q>,
    /// The registers of `left`, as if no input frame held a packet; without its words, on which nothing here depends.
    bare: CountedNode<M, P, Q>,
    /// The output ports at which a word leaves.
    sent: PortSet,
    /// What the rules say of this cycle, the packets of the multiqueue under them, and the outputs that are open.
    rules: Rules,
    queue: Queued,
    open: u64,
    decision: Option<Decision>,
    /// The packets that it sets in motion.
    moves: Vec<Moving>,
}

/// Why a packet stays, and because of which other.
type Why = (Cause, Option<PacketRef>);

impl<const P: usize, const Q: usize, M: Mask> Seen<'_, P, Q, M> {
    fn id(&self, packet: PacketRef) -> PacketId {
        self.packets[packet].id
    }

    /// The packet without which an output frame would be empty by now.
    fn holder(&self, port: Port) -> Option<PacketRef> {
        let holds = |state: &CountedNode<M, P, Q>| match state.output(port) {
            Output::Full { packet, .. } => Some(packet),
            Output::Empty { .. } => None,
        };
        holds(&self.left).or_else(|| holds(&self.came))
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

    /// The packet that the decision is for.
    fn winner(&self) -> Option<PacketRef> {
        self.moves.first().map(|moving| moving.packet())
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, CountedNode<M, P, Q>> {
    /// What a step with these inputs decides. A packet that is delivered as it arrives doesn't move and doesn't stay.
    pub(in crate::chaos) fn explanation(
        &self,
        node: NodeId,
        state: &CountedNode<M, P, Q>,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        let mut came = state.clone();
        self.take_credits(&mut came, now, inputs);
        for (port, word) in inputs.arrivals() {
            if word.index == 0 {
                self.begin_passage(&mut came, now, (port, word), node, packets);
            }
            self.take_word(&mut came, now, (port, word), node, packets);
        }
        let (mut left, mut sent) = (came.clone(), PortSet::EMPTY);
        self.send_words(&mut left, now, inputs.sendable, |port, _| sent.insert(port));
        let rules = match self.special_rules {
            false => self.published_rules(&left),
            true => self.special_rules_at(&left, now),
        };
        let decision = self.decide(&left, node, now);
        let bare = Node {
            occupied: M::of(0),
            flow: Counted::default(),
            ..left.clone()
        };
        let seen = Seen {
            node,
            now,
            packets,
            sent,
            rules,
            queue: self.queue_under(rules, &left, now),
            open: self.open(&left, now),
            moves: decision.map_or(Vec::new(), |decision| self.moves(&left, decision, now)),
            decision,
            came,
            left,
            bare,
        };
        Explanation {
            decisions: self.decisions(&seen),
            packets: self.doings(&seen),
        }
    }

    /// The packets that a decision sets in motion.
    fn moves(&self, left: &CountedNode<M, P, Q>, decision: Decision, now: Cycle) -> Vec<Moving> {
        let (mut after, mut moves) = (left.clone(), Vec::new());
        let ready = self.ready_for(&after, decision);
        if let Some(moving) = self.commit(&mut after, decision) {
            self.begin(&mut after, moving, (now, ready));
            moves.push(moving);
        }
        moves.extend(self.follow::<true>(&mut after, decision.output, now));
        moves
    }

    /// What each packet does whose head is in the node.
    fn doings(&self, seen: &Seen<'_, P, Q, M>) -> Vec<Doing> {
        let passages = seen.came.flow.passages.iter();
        let passages = passages.filter(|passage| !passage.vanishes && passage.sent == 0);
        let mut doings: Vec<_> = passages
            .map(|passage| {
                let doing = self.doing(seen, passage);
                let queued = Self::place_in_queue(&seen.came, passage.packet);
                let waits = passage.last().place == Place::Queue;
                let order = match doing.place {
                    Place::Input(port) => (0, port.0, None),
                    Place::Output(port) => (2, port.0, None),
                    _ => (1, 0, queued.filter(|_| waits)),
                };
                (order, doing)
            })
            .collect();
        doings.sort_by_key(|(order, _)| *order);
        doings.into_iter().map(|(_, doing)| doing).collect()
    }

    fn doing(&self, seen: &Seen<'_, P, Q, M>, passage: &Passage) -> Doing {
        let stood_in = |moving: &&Moving| {
            (moving.packet(), moving.way().0) == (passage.packet, passage.last().place)
        };
        let (place, what) = match seen.moves.iter().find(stood_in) {
            // A packet that may be derouted before its head is ready counts as one of the multiqueue's before that.
            Some(moving) => {
                let (from, to) = moving.way();
                let deroute = moving.is_deroute();
                (from, What::Moves { to, deroute })
            }
            None => {
                let (cause, culprit) = self.why(seen, passage);
                let culprit = culprit.filter(|culprit| *culprit != passage.packet);
                let culprit = culprit.map(|culprit| seen.id(culprit));
                (head_of(passage), What::Stays { cause, culprit })
            }
        };
        Doing {
            packet: seen.id(passage.packet),
            place,
            what,
        }
    }

    /// Why a packet stays.
    fn why(&self, seen: &Seen<'_, P, Q, M>, passage: &Passage) -> Why {
        let last = passage.last();
        if last.words == 0 {
            return (Cause::Pipeline, None);
        }
        if u32::from(last.words) <= self.lag_cycles {
            return (Cause::WordsBehind, None);
        }
        match last.place {
            Place::Output(port) if seen.sent.contains(port) => (Cause::Pipeline, None),
            Place::Output(port) if seen.came.lacks_credit(port) => (Cause::NoCredit, None),
            Place::Output(_) => (Cause::Crossing, None),
            Place::Input(port) => self.why_in_input(seen, port),
            _ => self.why_in_queue(seen, passage.packet),
        }
    }

    /// Why a packet stays in the multiqueue.
    fn why_in_queue(&self, seen: &Seen<'_, P, Q, M>, packet: PacketRef) -> Why {
        let place = Self::place_in_queue(&seen.left, packet);
        let place = place.expect("a packet that waits in the multiqueue is in its list");
        let alone = Queued {
            ready: seen.queue.ready & 1 << place,
            deroutable: 0,
        };
        let ways = self.wanted(seen.rules, alone, &seen.bare, seen.now);
        match ways & seen.open {
            0 => self.why_shut(seen, seen.left.queue_wants[place].get()),
            _ => (Cause::LostDecision, seen.winner()),
        }
    }

    /// Why a packet stays in an input frame.
    fn why_in_input(&self, seen: &Seen<'_, P, Q, M>, port: Port) -> Why {
        let ways = self.ways_from_input(seen, port);
        if seen.rules.full {
            let only = (self.parameters.multiqueue_frames == 1 && ways != 0).then(|| {
                let passages = seen.left.flow.passages.iter();
                let mut queued = passages.filter(|passage| self.is_queued(passage));
                queued.next().map(|passage| passage.packet)
            });
            return (Cause::QueueFull, only.flatten());
        }
        if ways != 0 {
            return (Cause::LostDecision, seen.winner());
        }
        let bit = 1 << port.0;
        let wants = seen.left.input_wants[port.index()].get();
        let wants_from_here = match self.may_bypass & bit {
            0 => 0,
            _ => wants,
        };
        let pair = bit & self.links;
        if pair == 0 || wants_from_here == PortSet::only(self.local).0 {
            return self.why_shut(seen, wants);
        }
        let sole = seen.sole_holder(wants_from_here);
        let waits = self.behind_waiting && seen.now < Counted::waits_until(&seen.left, port);
        if waits || pair & seen.open != 0 {
            return (Cause::StallRule, sole);
        }
        let paired = || {
            seen.holder(port)
                .filter(|_| self.has_stalled(&seen.left, port, seen.now))
        };
        match seen.holds_any(wants_from_here | pair) {
            true => (Cause::OutputTaken, sole.or_else(paired)),
            false => (Cause::Pipeline, None),
        }
    }

    /// Why a packet stays if none of the outputs that it wants is open.
    fn why_shut(&self, seen: &Seen<'_, P, Q, M>, wants: u64) -> Why {
        if wants == PortSet::only(self.local).0 {
            (Cause::Ejection, seen.holder(self.local))
        } else if seen.holds_any(wants) {
            (Cause::OutputTaken, seen.sole_holder(wants))
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
            occupied: M::of(seen.left.occupied.get() & bit),
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
