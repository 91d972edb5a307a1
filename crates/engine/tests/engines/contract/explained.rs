//! A step does what was explained before it.

use super::frames::Frames;
use super::held::{Held, check_links};
use super::{Checked, DESCRIBED, Kept, Report, UNDECIDED};
use flitwork_node::{
    Capacity, Cause, Decision, Detail, Doing, Event, Explanation, Inputs, Place, Site, Stepped,
    Subject, View, What,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, PacketId, Packets, Port, PortSet};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Debug;
use std::sync::Mutex;

/// How often each cause and rule has been given.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<BTreeMap<&'static str, u64>>);

impl Tally {
    fn count(&self, what: &'static str) {
        *self.0.lock().unwrap().entry(what).or_default() += 1;
    }

    /// What has been counted.
    pub(super) fn counted(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().unwrap().clone()
    }
}

/// What packets wait for nothing but time, where, and since when.
#[derive(Clone, Debug, Default)]
pub(super) struct Explained(HashMap<(PacketId, Place), Cycle>);

/// What was known before a step.
pub(super) struct Before {
    view: View,
    told: Explanation,
    /// Where packets are to go.
    destinations: HashMap<PacketId, (NodeId, u16)>,
}

/// A step, as seen from outside.
struct Seen<'a> {
    grid: &'a Grid,
    node: NodeId,
    now: Cycle,
    /// What the node held before it, and what it held and what arrived.
    view: &'a View,
    here: &'a Held,
    sendable: PortSet,
    moved: Vec<Move>,
    destinations: &'a HashMap<PacketId, (NodeId, u16)>,
}

/// A packet, where it was, where it goes, and whether it is derouted.
type Move = (PacketId, Place, Place, bool);

impl<R: Stepped> Checked<R> {
    fn is_silent(&self) -> bool {
        !DESCRIBED.contains(&self.name)
    }

    /// What a node holds before the first cycle.
    pub(super) fn held_at_first(&self, node: NodeId, state: &R::Node) -> Held {
        if self.is_silent() {
            return Held::default();
        }
        let view = self.router.look(node, state, &Packets::new(), Cycle::ZERO);
        let local = self.grid.local();
        check_links(&view, self.grid.links(node), local, self.router.channels());
        let is_credited = !view.credits.is_empty() || self.grid.links(node).is_empty();
        assert_eq!(is_credited, self.router.credit_words().is_some());
        Held::new(&view, local)
    }

    /// Looks into a node before its step, and asks what it will do.
    pub(super) fn before<P>(
        &self,
        site: &Site<'_, P>,
        state: &Kept<R::Node>,
        now: Cycle,
        inputs: &Inputs<'_>,
    ) -> Option<Before> {
        if self.is_silent() {
            return None;
        }
        let packets = &*site.packets;
        let view = self.router.look(site.node, &state.node, packets, now);
        state.held.check(&view, (site.node, now, "before the step"));
        let known = packets.all();
        Some(Before {
            told: self
                .router
                .explain(site.node, &state.node, now, inputs, packets),
            destinations: known
                .map(|packet| (packet.id, (packet.destination, packet.words)))
                .collect(),
            view,
        })
    }

    /// The step has done what was explained, and the node holds what is left.
    pub(super) fn check_described<P>(
        &self,
        before: Before,
        state: &mut Kept<R::Node>,
        (now, inputs): (Cycle, &Inputs<'_>),
        (events, reports): (&[(Cycle, Event)], &[Report]),
        site: &Site<'_, P>,
    ) {
        let arrives = |report: &&Report| {
            let Report::Detail(detail) = report else {
                return false;
            };
            matches!(detail, Detail::Arrived { .. } | Detail::Credited { .. })
        };
        let came = reports.iter().take_while(arrives).count();
        let local = self.grid.local();
        reports[..came]
            .iter()
            .for_each(|report| state.held.follow(report));
        let moved = events.iter().filter_map(|(_, event)| match *event {
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => Some((packet, from, to, deroute)),
            _ => None,
        });
        let seen = Seen {
            grid: &self.grid,
            node: site.node,
            now,
            view: &before.view,
            here: &state.held,
            sendable: inputs.sendable,
            moved: moved.collect(),
            destinations: &before.destinations,
        };
        seen.check_packets(&before.told, reports);
        if before.view.buffer(Place::Output(local)).is_some() {
            let (grid, view) = (&self.grid, &before.view);
            let frames = Frames {
                grid,
                node: site.node,
                view,
            };
            for doing in &before.told.packets {
                frames.check(doing, before.destinations[&doing.packet].0);
            }
        }
        let decides = !UNDECIDED.contains(&self.name);
        seen.check_decisions(&before.told, decides);
        self.check_patience(&before.told, now, &mut state.waits);
        before.told.packets.iter().for_each(|doing| {
            if let What::Stays { cause, .. } = doing.what {
                self.tally.count(cause.name());
            }
        });
        let decisions = before.told.decisions.iter();
        decisions.for_each(|decision| self.tally.count(decision.rule.name));
        reports[came..]
            .iter()
            .for_each(|report| state.held.follow(report));
        let packets = &*site.packets;
        let view = self.router.look(site.node, &state.node, packets, now + 1);
        let after = (site.node, now, "after the step");
        state.held.check(&view, after);
    }

    /// What waits for nothing but the time that a stage takes, or until it has stalled, doesn't do so for longer than
    /// anything that is held by time alone.
    fn check_patience(&self, told: &Explanation, now: Cycle, waits: &mut Explained) {
        let patient = told.packets.iter().filter(|doing| {
            let causes = [Cause::Pipeline, Cause::StallRule];
            causes.iter().any(|cause| stays(doing) == Some(*cause))
        });
        let since = |doing: &Doing| {
            let key = (doing.packet, doing.place);
            (key, waits.0.get(&key).copied().unwrap_or(now))
        };
        let since: HashMap<_, _> = patient.map(since).collect();
        for ((packet, place), since) in &since {
            let patience = self.router.patience_cycles();
            let waited = now.since(*since);
            assert!(
                waited <= patience,
                "{packet:?} at {place:?}, {waited} cycles"
            );
        }
        waits.0 = since;
    }
}

fn stays(doing: &Doing) -> Option<Cause> {
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

impl Seen<'_> {
    /// Whether a packet has words in a place, or a place there that is kept for it.
    fn stands(&self, packet: PacketId, place: Place) -> bool {
        let kept = self.view.places(packet).any(|(at, _)| at == place);
        kept || self.here.words_of(packet, place) > 0
    }

    fn moves(&self, packet: PacketId) -> bool {
        self.moved.iter().any(|(moves, ..)| *moves == packet)
    }

    /// Who moves is who was said to, and whoever is there with its head was spoken of.
    fn check_packets(&self, told: &Explanation, reports: &[Report]) {
        let when = (self.node, self.now);
        assert_eq!(
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
            assert!(
                is_told || delivered(packet),
                "{when:?}: nothing of {packet:?} at {place:?}"
            );
        }
        let mut places = HashSet::new();
        for doing in &told.packets {
            let is_new = places.insert((doing.packet, doing.place));
            assert!(
                is_new || doing.place == Place::SideBuffer,
                "{when:?}: {doing:?}"
            );
            assert!(
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
            assert_ne!(cause, Cause::LostDecision, "{what:?} to nobody");
            return;
        };
        assert_ne!(culprit, doing.packet, "{what:?}");
        let is_here = self.here.has(culprit) || self.view.places(culprit).next().is_some();
        assert!(is_here, "{what:?}");
        let stands_in = |pick: fn(&Place) -> bool| {
            let mut places = self.view.places(culprit).map(|(place, _)| place);
            places.any(|place| pick(&place))
        };
        let has_outputs = self.view.buffer(Place::Output(Port(0))).is_some();
        let fits = match cause {
            Cause::OutputTaken | Cause::StallRule | Cause::Ejection if has_outputs => {
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
        assert!(fits, "{what:?}");
    }

    /// What a cause says is so.
    fn check_cause(&self, doing: &Doing, cause: Cause, told: &Explanation) {
        let (packet, place) = (doing.packet, doing.place);
        let (destination, words) = self.destinations[&packet];
        let is_home = destination == self.node;
        let link = match place {
            Place::Output(port) => self.here.room(port).map(|room| (port, room)),
            _ => None,
        };
        // Without output frames a packet waits for links that bring it closer.
        let wants = match place {
            Place::InputChannel(..) => self.grid.productive(self.node, destination),
            _ => PortSet::EMPTY,
        };
        let is_so = match cause {
            Cause::NoCredit => {
                let full = wants.iter().any(|port| self.here.is_full(port));
                full || link.is_some_and(|(_, room)| room == 0)
            }
            Cause::Crossing => {
                let refused = wants.0 & !self.sendable.0 != 0;
                refused
                    || link.is_some_and(|(port, room)| room > 0 && !self.sendable.contains(port))
            }
            Cause::QueueFull => {
                let queue = self.view.buffer(Place::Queue).expect("a queue");
                let held = queue.held.len() as u32;
                let most = match queue.capacity {
                    Capacity::Packets(most) => most,
                    _ => 0,
                };
                matches!(place, Place::Input(_)) && held >= most
            }
            Cause::Ejection => is_home,
            Cause::StallRule => matches!(place, Place::Input(_)),
            Cause::LostDecision => !told.decisions.is_empty(),
            Cause::WordsBehind => self.here.words_of(packet, place) < usize::from(words),
            // At its destination, too, a packet may have to go through the multiqueue first.
            Cause::OutputTaken => place != Place::Queue || !is_home,
            Cause::BehindAnother => {
                let buffer = self.view.buffer(place);
                buffer.is_some_and(|buffer| buffer.held.len() > 1)
            }
            Cause::Pipeline | Cause::SourceQueue => true,
            Cause::Schedule => place == Place::Queue,
            Cause::Link | Cause::ChannelOrSwitch | Cause::Deroute => false,
        };
        assert!(is_so, "{:?}: {doing:?}", (self.node, self.now));
        // Its credit has come and the link takes words: it leaves, or it isn't ready.
        if let (Cause::Pipeline, Some((port, room))) = (cause, link) {
            assert!(room > 0 && self.sendable.contains(port), "{doing:?}");
        }
    }

    /// Decisions are among those that are there, the first of them wins, and the winner moves.
    fn check_decisions(&self, told: &Explanation, decides: bool) {
        let mut won: HashMap<(PacketId, Place), Subject> = HashMap::new();
        for decision in &told.decisions {
            let what = (self.node, self.now, decision);
            self.check_candidates(decision);
            if let Some(draw) = decision.draw {
                assert!(draw.drawn < draw.below, "{what:?}");
            }
            if let Some(index) = decision.winner {
                let winner = decision.candidates[index];
                let least = decision.candidates.iter().map(|one| one.rank).min();
                assert_eq!(Some(winner.rank), least, "{what:?}");
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
            assert!(fits, "{:?}: {packet:?} at {from:?}, {told:?}", self.now);
        }
        let all_won = self.moved.iter().all(|(packet, from, ..)| {
            let key = (*packet, *from);
            won.contains_key(&key)
        });
        assert!(all_won || !decides, "{:?}: {told:?}", (self.node, self.now));
    }

    fn check_candidates(&self, decision: &Decision) {
        let what = (self.node, self.now, decision);
        let candidates = &decision.candidates;
        assert!(!candidates.is_empty(), "{what:?}");
        assert!(candidates.is_sorted_by_key(|one| one.rank), "{what:?}");
        for one in candidates {
            assert!(self.stands(one.packet, one.from), "{what:?}");
        }
        let rule = decision.rule;
        let texts = [rule.name, rule.says, rule.source];
        assert!(texts.iter().all(|text| !text.is_empty()), "{what:?}");
        let Some(winner) = winner(decision) else {
            assert_eq!(decision.subject, Subject::Injection, "{what:?}");
            return;
        };
        let is_deroute = candidates[decision.winner.expect("a winner")].deroute;
        let moves = self.moved.iter();
        let mut moves = moves.filter(|(moves, from, ..)| (*moves, *from) == winner);
        let agrees = moves.any(|(_, _, to, deroute)| {
            decision.subject != Subject::Place(*to) || *deroute == is_deroute
        });
        assert!(agrees, "{what:?}");
    }
}

/// Who wins, and where it was.
fn winner(decision: &Decision) -> Option<(PacketId, Place)> {
    let winner = decision.candidates[decision.winner?];
    Some((winner.packet, winner.from))
}
