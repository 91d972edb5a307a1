//! Whether an explanation is right: it says what the step then did, its candidates are those that the book lets bid,
//! and its reasons and culprits are there.

use super::case::{Case, is_lane, lane};
use flitwork_node::{Candidate, Cause, Decision, Explanation, Place, Subject, Value, What};
use flitwork_router::allocate::Allocator;
use flitwork_router::wormhole::{Reallocation, Speculation};
use flitwork_topology::Topology;
use flitwork_types::PacketId;
use std::collections::BTreeMap;

/// How often what was seen.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) causes: BTreeMap<Cause, u64>,
    /// Those with a culprit.
    pub(super) culprits: BTreeMap<Cause, u64>,
    pub(super) rules: BTreeMap<&'static str, u64>,
    /// Decisions between several candidates.
    pub(super) contested: u64,
    pub(super) deroutes: u64,
    /// Packets that take a channel and cross in one step.
    pub(super) at_once: u64,
    pub(super) steps: u64,
}

impl Tally {
    /// Adds another.
    pub(super) fn add(&mut self, other: Tally) {
        let pairs = [
            (&mut self.causes, other.causes),
            (&mut self.culprits, other.culprits),
        ];
        for (all, more) in pairs {
            for (cause, count) in more {
                *all.entry(cause).or_default() += count;
            }
        }
        for (rule, count) in other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
        self.contested += other.contested;
        self.deroutes += other.deroutes;
        self.at_once += other.at_once;
        self.steps += other.steps;
    }
}

/// A text by which places are sorted and compared.
fn key(place: Place) -> String {
    place.to_string()
}

/// Verifies what was said of a step.
pub(super) fn check(case: &Case<'_>, said: &Explanation, tally: &mut Tally) {
    case.says_what_happened(said);
    case.mentions_everyone(said);
    case.bids_are_those_of_the_book(said);
    said.decisions
        .iter()
        .for_each(|it| case.is_in_order(it, said));
    for doing in &said.packets {
        case.is_a_reason(doing, said);
        if let What::Stays { cause, culprit } = doing.what {
            *tally.causes.entry(cause).or_default() += 1;
            *tally.culprits.entry(cause).or_default() += u64::from(culprit.is_some());
        }
    }
    for decision in &said.decisions {
        *tally.rules.entry(decision.rule.name).or_default() += 1;
        tally.contested += u64::from(decision.candidates.len() > 1);
    }
    let sends: Vec<_> = said
        .sends()
        .map(|(packet, from, _)| (packet, from))
        .collect();
    for (packet, from, _, deroute) in said.moves() {
        tally.deroutes += u64::from(deroute);
        tally.at_once += u64::from(sends.contains(&(packet, from)));
    }
    tally.steps += 1;
}

impl Case<'_> {
    /// What moves, what crosses and who wins are what the step has reported.
    fn says_what_happened(&self, said: &Explanation) {
        let sorted = |mut lines: Vec<String>| {
            lines.sort();
            lines
        };
        let line = |(packet, from, to): (PacketId, Place, Place)| format!("{packet:?} {from} {to}");
        let moved = self.moved.iter().map(|it| format!("{it:?}")).collect();
        let moves = said.moves().map(|it| format!("{it:?}")).collect();
        assert_eq!(sorted(moves), sorted(moved));
        let sends = || said.sends().filter(|(_, from, _)| is_lane(*from));
        let crossed = self.crossed.iter().map(|it| line(*it)).collect();
        assert_eq!(sorted(sends().map(line).collect()), sorted(crossed));
        let mut given: Vec<String> = Vec::new();
        let mut through: Vec<String> = Vec::new();
        let mut entered: Vec<PacketId> = Vec::new();
        for decision in &said.decisions {
            let Some(winner) = decision.winner.map(|winner| decision.candidates[winner]) else {
                continue;
            };
            let Candidate { packet, from, .. } = winner;
            match decision.subject {
                Subject::Place(to) => given.push(line((packet, from, to))),
                Subject::Switch(port) => through.push(format!("{packet:?} {from} {port:?}")),
                Subject::Ejection => through.push(format!("{packet:?} {from} {:?}", self.local())),
                Subject::Injection => entered.push(packet),
            }
        }
        let moves = said
            .moves()
            .map(|(packet, from, to, _)| line((packet, from, to)));
        assert_eq!(sorted(given), sorted(moves.collect()));
        let to_port = |(packet, from, to)| format!("{packet:?} {from} {:?}", lane(to).0);
        assert_eq!(sorted(through), sorted(sends().map(to_port).collect()));
        self.enters_where_it_may(said, &entered);
    }

    /// The source's next word goes to the lane of its packet if there is room; the first, which wins it, to the next in
    /// turn with room.
    fn enters_where_it_may(&self, said: &Explanation, winners: &[PacketId]) {
        let source = Place::Input(self.local());
        let mut runs = self.at_source.at(source);
        let next = runs.find(|run| self.at_source.at_source(run.packet) > 0);
        let goes: Vec<_> = said.sends().filter(|it| it.1 == source).collect();
        let decided = said.decisions.iter();
        let decided = decided
            .filter(|it| it.subject == Subject::Injection)
            .count();
        let Some(run) = next else {
            assert_eq!((goes.len(), decided), (0, 0), "{said:?}");
            return;
        };
        let way = match run.first {
            0 => self.at_source.way_in(run.packet),
            _ => self.register("lane", source).map(|lane| match lane {
                Value::Place(lane) => lane,
                other => panic!("{other:?} is no lane"),
            }),
        };
        let vcs = self.parameters.vcs;
        let (lanes, least) = match (way, self.register("next lane", source)) {
            (Some(way), _) => (vec![lane(way).1], 1),
            (None, Some(Value::Place(next))) => {
                let least = match self.parameters.reallocation {
                    Reallocation::TailSent => 1,
                    Reallocation::BufferEmpty => self.parameters.buffer_words,
                };
                let turn = lane(next).1;
                ((0..vcs).map(|step| (turn + step) % vcs).collect(), least)
            }
            (None, other) => panic!("{other:?} is no turn"),
        };
        let mut lanes = lanes.into_iter();
        let free = lanes.find(|channel| self.at_source.source_room(*channel) >= least);
        let to = free.map(|channel| Place::InputChannel(self.local(), channel));
        let expected: Vec<_> = to.iter().map(|to| (run.packet, source, *to)).collect();
        assert_eq!(goes, expected, "{:?}", self.view);
        assert_eq!(decided, usize::from(way.is_none()), "{said:?}");
        let won = to.filter(|_| way.is_none()).map(|_| run.packet);
        assert_eq!(winners, won.as_slice());
    }

    /// Every worm is mentioned where it stands, in the order of places: the first in a lane does one thing, or moves and
    /// sends at once, and those behind it wait for it, though one may be the head of the same packet.
    fn mentions_everyone(&self, said: &Explanation) {
        let order = self.view.buffers.iter().map(|buffer| buffer.place);
        let order: Vec<Place> = order.collect();
        let index = |place: Place| order.iter().position(|it| *it == place).unwrap();
        let mentioned: Vec<usize> = said.packets.iter().map(|it| index(it.place)).collect();
        assert!(mentioned.is_sorted(), "{:?}", said.packets);
        for place in &order {
            let here = said.packets.iter().filter(|it| it.place == *place);
            let mut does: Vec<(PacketId, What)> = here.map(|it| (it.packet, it.what)).collect();
            if let [
                (_, What::Moves { to, .. }),
                (_, What::Sends { to: goal }),
                ..,
            ] = does[..]
            {
                assert_eq!((to, does[0].0), (goal, does[1].0), "at {place}");
                does.remove(0);
            }
            if !is_lane(*place) {
                assert!(
                    does.len() <= 1 || self.standing.at(*place).count() > 1,
                    "{does:?}"
                );
                continue;
            }
            let mut worms: Vec<PacketId> = self.standing.at(*place).map(|it| it.packet).collect();
            assert_eq!(
                does.iter().map(|it| it.0).collect::<Vec<_>>(),
                worms,
                "at {place}"
            );
            worms.truncate(1);
            for (behind, (_, what)) in does.into_iter().enumerate() {
                let waits = What::Stays {
                    cause: Cause::BehindAnother,
                    culprit: worms.first().copied(),
                };
                assert_eq!(what == waits, behind > 0, "{what:?} at {place}");
            }
        }
        for run in self.standing.at(Place::Input(self.local())) {
            let is_mentioned = said.doing(run.packet).next().is_some();
            assert!(is_mentioned, "{run:?} at the source");
        }
    }

    /// Candidates are exactly those that may bid.
    fn bids_are_those_of_the_book(&self, said: &Explanation) {
        let (mut channels, mut words) = (Vec::new(), Vec::new());
        for (at, run) in self.fronts() {
            let bids = self.bids(at, run);
            let hopes = self.parameters.speculative && !bids.is_empty();
            channels.extend(bids.iter().map(|(port, channel)| {
                let to = Place::OutputChannel(*port, *channel);
                format!("{:?} {at} for {to}", run.packet)
            }));
            let word = |port| format!("{:?} {at} for {port}", run.packet);
            words.extend(self.sure_bid(at, run).map(|port| word(port.0)));
            if hopes {
                words.extend(self.hopes(at, run).into_iter().map(word));
            }
        }
        let (mut said_channels, mut said_words) = (Vec::new(), Vec::new());
        for decision in &said.decisions {
            let line = |to: String| {
                let candidates = decision.candidates.iter();
                candidates.map(move |it| format!("{:?} {} for {to}", it.packet, it.from))
            };
            match decision.subject {
                Subject::Place(to) => said_channels.extend(line(key(to))),
                Subject::Switch(port) => said_words.extend(line(port.0.to_string())),
                Subject::Ejection => said_words.extend(line(self.local().0.to_string())),
                Subject::Injection => {}
            }
        }
        let mut all = [channels, said_channels, words, said_words];
        all.iter_mut().for_each(|lines| lines.sort());
        let [channels, said_channels, words, said_words] = all;
        assert_eq!(said_channels, channels, "{:?}", self.parameters);
        assert_eq!(said_words, words, "{:?}", self.parameters);
    }

    /// Candidates are sorted by rank; whoever precedes the winner has been served elsewhere.
    fn is_in_order(&self, decision: &Decision, said: &Explanation) {
        let candidates = &decision.candidates;
        assert!(!candidates.is_empty() && candidates.is_sorted_by_key(|it| it.rank));
        let mut places: Vec<String> = candidates.iter().map(|it| key(it.from)).collect();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), candidates.len(), "{decision:?}");
        for candidate in candidates
            .iter()
            .filter(|_| decision.subject != Subject::Injection)
        {
            let to = match decision.subject {
                Subject::Place(to) => lane(to).0,
                Subject::Switch(port) => port,
                _ => self.local(),
            };
            let packet = self.packets[&candidate.packet];
            let productive = self
                .shape
                .productive(self.node, self.shape.home(packet.destination));
            let misroutes = self.routing.declaration().misroutes > 0;
            let deroute = misroutes && to != self.local() && !productive.contains(to);
            assert_eq!(candidate.deroute, deroute, "{candidate:?}");
        }
        let Some(winner) = decision.winner else {
            return;
        };
        let first = candidates[winner];
        let preceding = || candidates[..winner].iter();
        let is_channel = matches!(decision.subject, Subject::Place(_));
        // Of a port's lanes the first goes, or none if it can't. If the switch is allocated to heads for what others left, it
        // is the first of those that can.
        let is_after = self.parameters.speculation == Speculation::After;
        let is_plain = is_channel || decision.rule.name.starts_with("switch by");
        if !is_channel && (is_plain || !is_after) {
            let port = |it: &Candidate| lane(it.from).0;
            let mut of_port = preceding().filter(|it| port(it) == port(&first));
            assert_eq!(of_port.next(), None, "{decision:?}");
        }
        let allocator = match is_channel {
            true => self.parameters.vc_allocator,
            false => self.parameters.switch_allocator,
        };
        // Rows that choose first may have chosen another column; a grant to a head may be void.
        if allocator == Allocator::SeparableInputFirst || !is_plain {
            return;
        }
        let row = |place: Place| match is_channel {
            true => key(place),
            false => lane(place).0.0.to_string(),
        };
        let won = |candidate: &Candidate| {
            let mut others = said.decisions.iter().filter(|it| {
                let same_kind = matches!(it.subject, Subject::Place(_)) == is_channel;
                same_kind && it.subject != decision.subject && it.rule == decision.rule
            });
            others.any(|it| {
                let winner = it.winner.map(|winner| it.candidates[winner]);
                winner.is_some_and(|it| row(it.from) == row(candidate.from))
            })
        };
        for candidate in preceding() {
            assert!(won(candidate), "{candidate:?} precedes {first:?}: {said:?}");
        }
    }
}
