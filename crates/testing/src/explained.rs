//! A step does what was explained before it.

use crate::clause::{Clause, equal, holds};
use crate::held::Held;
use crate::log::Report;
use flitwork_node::{
    Buffer, Capacity, Cause, Decision, Doing, Explanation, Place, Subject, View, What,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Port, PortSet, TerminalId};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

/// A step, as seen from outside.
pub(crate) struct Seen<'a, T> {
    pub(crate) topology: &'a T,
    pub(crate) node: NodeId,
    pub(crate) now: Cycle,
    /// What the node held before it, and what it held and what arrived.
    pub(crate) view: &'a View,
    pub(crate) here: &'a Held,
    /// The links that take a word.
    pub(crate) sendable: PortSet,
    pub(crate) moved: Vec<Move>,
    /// Where packets are to go, and their words.
    pub(crate) destinations: &'a HashMap<PacketId, (TerminalId, u16)>,
}

/// A packet, where it was, where it goes, and whether it is derouted.
pub(crate) type Move = (PacketId, Place, Place, bool);

/// Why a packet stays, if it does.
pub(crate) fn stays(doing: &Doing) -> Option<Cause> {
    match doing.what {
        What::Stays { cause, .. } => Some(cause),
        What::Moves { .. } | What::Sends { .. } => None,
    }
}

/// Descriptions in an order of their own.
fn sorted<X: Debug>(all: impl IntoIterator<Item = X>) -> Vec<String> {
    let all = all.into_iter();
    let mut all: Vec<String> = all.map(|one| format!("{one:?}")).collect();
    all.sort();
    all
}

impl<T: Topology> Seen<'_, T> {
    /// Where a packet that is spoken of is to go, and its words.
    pub(crate) fn goal(&self, packet: PacketId) -> (TerminalId, u16) {
        let goal = self.destinations.get(&packet);
        *goal.unwrap_or_else(|| {
            Clause::Explains.broken(format_args!("{packet:?} isn't in the network"))
        })
    }

    /// Whether a packet has words in a place, or a place there that is kept for it.
    fn stands(&self, packet: PacketId, place: Place) -> bool {
        let kept = self.view.places(packet).any(|(at, _)| at == place);
        kept || self.here.words_of(packet, place) > 0
    }

    /// Whether the node has output frames.
    fn has_outputs(&self) -> bool {
        self.view.buffer(Place::Output(Port(0))).is_some()
    }

    fn moves(&self, packet: PacketId) -> bool {
        self.moved.iter().any(|(moves, ..)| *moves == packet)
    }

    /// Who moves is who was said to, and whoever is there with its head was spoken of.
    pub(crate) fn check_packets(&self, told: &Explanation, reports: &[Report]) {
        let when = (self.node, self.now);
        equal!(
            Clause::Explains,
            sorted(told.moves()),
            sorted(&self.moved),
            "{when:?}: {told:?}"
        );
        let delivered = |packet: PacketId| {
            let mut reports = reports.iter();
            reports.any(|report| matches!(report, Report::Delivered(gone) if *gone == packet))
        };
        for (packet, place) in self.here.heads() {
            let is_told = told.doing(packet).next().is_some();
            holds!(
                Clause::Explains,
                is_told || delivered(packet),
                "{when:?}: nothing of {packet:?} at {place:?}"
            );
        }
        let mut places = HashSet::new();
        for doing in &told.packets {
            let is_new = places.insert((doing.packet, doing.place));
            holds!(
                Clause::Explains,
                is_new || doing.place == Place::SideBuffer,
                "{when:?}: {doing:?}"
            );
            holds!(
                Clause::Explains,
                self.stands(doing.packet, doing.place),
                "{when:?}: {doing:?}"
            );
            if let What::Stays { cause, culprit } = doing.what {
                self.check_cause(doing, cause, told);
                self.check_culprit(doing, cause, culprit, told);
            }
        }
    }

    /// A culprit is in the node, and where it is in the way.
    fn check_culprit(
        &self,
        doing: &Doing,
        cause: Cause,
        culprit: Option<PacketId>,
        told: &Explanation,
    ) {
        let what = (self.node, self.now, doing);
        let Some(culprit) = culprit else {
            let is_lost = cause == Cause::LostDecision;
            holds!(Clause::Explains, !is_lost, "{what:?} to nobody");
            return;
        };
        let is_other = culprit != doing.packet;
        holds!(Clause::Explains, is_other, "{what:?}");
        let is_here = self.here.has(culprit) || self.view.places(culprit).next().is_some();
        holds!(Clause::Explains, is_here, "{what:?}");
        let stands_in = |pick: fn(&Place) -> bool| {
            let mut places = self.view.places(culprit).map(|(place, _)| place);
            places.any(|place| pick(&place))
        };
        let fits = match cause {
            Cause::OutputTaken | Cause::StallRule | Cause::Ejection if self.has_outputs() => {
                stands_in(|place| matches!(place, Place::Output(_)))
            }
            Cause::OutputTaken => {
                self.moves(culprit) || told.sends().any(|(sends, ..)| sends == culprit)
            }
            Cause::LostDecision => {
                let winners = told.decisions.iter().filter_map(winner);
                self.moves(culprit) && winners.map(|(packet, _)| packet).any(|it| it == culprit)
            }
            Cause::QueueFull => stands_in(|place| *place == Place::Queue),
            Cause::BehindAnother => self.stands(culprit, doing.place),
            _ => false,
        };
        holds!(Clause::Explains, fits, "{what:?}");
    }

    /// What a cause says is so.
    fn check_cause(&self, doing: &Doing, cause: Cause, told: &Explanation) {
        let (packet, place) = (doing.packet, doing.place);
        let (destination, words) = self.goal(packet);
        let destination = self.topology.home(destination);
        let at_destination = destination == self.node;
        // A packet whose head has left has room: it took the credit that is now missing.
        let link = match place {
            Place::Output(port) => self.here.room(port).map(|room| {
                let has_room = room > 0 || self.here.has_used_credit(packet, place);
                (port, has_room)
            }),
            _ => None,
        };
        // Without output frames a packet waits for links that bring it closer.
        let wants = match place {
            Place::Input(_) | Place::InputChannel(..) if !self.has_outputs() => {
                self.topology.productive(self.node, destination)
            }
            _ => PortSet::EMPTY,
        };
        let is_so = match cause {
            Cause::NoCredit => {
                let full = wants.iter().any(|port| self.here.is_full(port));
                full || link.is_some_and(|(_, has_room)| !has_room)
            }
            Cause::Crossing => {
                let refused = wants.0 & !self.sendable.0 != 0;
                refused
                    || link
                        .is_some_and(|(port, has_room)| has_room && !self.sendable.contains(port))
            }
            Cause::QueueFull => {
                let is_full = |queue: &Buffer| match queue.capacity {
                    Capacity::Packets(most) => queue.held.len() as u32 >= most,
                    _ => true,
                };
                matches!(place, Place::Input(_))
                    && self.view.buffer(Place::Queue).is_some_and(is_full)
            }
            Cause::Ejection => at_destination,
            Cause::StallRule => matches!(place, Place::Input(_)),
            Cause::LostDecision => !told.decisions.is_empty(),
            Cause::WordsBehind => self.here.words_of(packet, place) < usize::from(words),
            // At its destination, too, a packet may have to go through the multiqueue first.
            Cause::OutputTaken => place != Place::Queue || !at_destination,
            Cause::BehindAnother => {
                // The other may have come with this step, or it itself.
                let buffer = self.view.buffer(place);
                let has_several = buffer.is_some_and(|buffer| buffer.held.len() > 1);
                has_several || self.here.has_several(place)
            }
            Cause::Pipeline | Cause::SourceQueue => true,
            Cause::Schedule => place == Place::Queue,
            Cause::Link | Cause::ChannelOrSwitch | Cause::Deroute => false,
        };
        holds!(
            Clause::Explains,
            is_so,
            "{:?}: {doing:?}",
            (self.node, self.now)
        );
        // Its credit has come and the link takes words: it leaves, or it isn't ready.
        if let (Cause::Pipeline, Some((port, has_room))) = (cause, link) {
            holds!(
                Clause::Explains,
                has_room && self.sendable.contains(port),
                "{doing:?}"
            );
        }
    }

    /// Decisions are among those that are there, the first of them wins, and the winner moves.
    pub(crate) fn check_decisions(&self, told: &Explanation, decides: bool) {
        let mut won: HashMap<(PacketId, Place), Subject> = HashMap::new();
        for decision in &told.decisions {
            let what = (self.node, self.now, decision);
            self.check_candidates(decision);
            if let Some(draw) = decision.draw {
                holds!(Clause::Explains, draw.drawn < draw.below, "{what:?}");
            }
            if let Some(index) = decision.winner {
                let winner = decision.candidates[index];
                let least = decision.candidates.iter().map(|one| one.rank).min();
                equal!(Clause::Explains, Some(winner.rank), least, "{what:?}");
                let key = (winner.packet, winner.from);
                if decision.subject != Subject::Injection || !won.contains_key(&key) {
                    won.insert(key, decision.subject);
                }
            }
        }
        for ((packet, from), subject) in &won {
            let moves = self.moved.iter();
            let mut moves = moves.filter(|(moves, at, ..)| (moves, at) == (packet, from));
            let fits = moves.any(|(_, _, to, _)| match subject {
                Subject::Place(place) => place == to,
                Subject::Ejection => matches!(to, Place::Output(_)),
                Subject::Injection | Subject::Switch(_) => false,
            });
            holds!(
                Clause::Explains,
                fits,
                "{:?}: {packet:?} at {from:?}, {told:?}",
                self.now
            );
        }
        let all_won = self.moved.iter().all(|(packet, from, ..)| {
            let key = (*packet, *from);
            won.contains_key(&key)
        });
        holds!(
            Clause::Explains,
            all_won || !decides,
            "{:?}: {told:?}",
            (self.node, self.now)
        );
    }

    fn check_candidates(&self, decision: &Decision) {
        let what = (self.node, self.now, decision);
        let candidates = &decision.candidates;
        holds!(Clause::Explains, !candidates.is_empty(), "{what:?}");
        holds!(
            Clause::Explains,
            candidates.is_sorted_by_key(|one| one.rank),
            "{what:?}"
        );
        for one in candidates {
            holds!(
                Clause::Explains,
                self.stands(one.packet, one.from),
                "{what:?}"
            );
        }
        let rule = decision.rule;
        let texts = [rule.name, rule.summary, rule.source];
        holds!(
            Clause::Explains,
            texts.iter().all(|text| !text.is_empty()),
            "{what:?}"
        );
        let Some(winner) = winner(decision) else {
            equal!(
                Clause::Explains,
                decision.subject,
                Subject::Injection,
                "{what:?}"
            );
            return;
        };
        let is_deroute = candidates[decision.winner.expect("a winner")].deroute;
        let moves = self.moved.iter();
        let mut moves = moves.filter(|(moves, from, ..)| (*moves, *from) == winner);
        let agrees = moves.any(|(_, _, to, deroute)| {
            decision.subject != Subject::Place(*to) || *deroute == is_deroute
        });
        holds!(Clause::Explains, agrees, "{what:?}");
    }
}

/// Who wins, and where it was.
fn winner(decision: &Decision) -> Option<(PacketId, Place)> {
    let winner = decision.candidates[decision.winner?];
    Some((winner.packet, winner.from))
}
