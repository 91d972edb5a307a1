//! What is given away in a cycle, who could have had it, and by which rule.

use super::super::{Node, Reallocation, Speculation, Wormhole};
use super::Course;
use crate::allocate::Bidder;
use crate::bits::Bits;
use flitwork_node::{Candidate, Decision, Place, Rule, Subject};
use flitwork_topology::Topology;
use flitwork_types::Port;

/// A packet that enters.
static NEXT_LANE: Rule = Rule {
    name: "local lanes in turn",
    says: "A packet from the source takes the next local lane in turn that has room for a word, and keeps it.",
    source: "the page of the wormhole router",
};
/// The same where channels must be empty.
static NEXT_EMPTY_LANE: Rule = Rule {
    name: "empty local lanes in turn",
    says: "A packet from the source takes the next local lane in turn that is empty, as far as the source knows, and keeps it.",
    source: "the page of the wormhole router; Duato 1993 of channels that hold one packet",
};

/// A lane that bids for an output lane or port.
#[derive(Clone, Copy)]
struct Bid {
    lane: usize,
    rank: u64,
    wins: bool,
}

/// One kind of bids for the switch.
struct Kind<B> {
    rule: &'static Rule,
    /// The lanes whose words bid, and those whose heads bid speculatively.
    sure: B,
    hopeful: B,
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// All decisions of a cycle: the source's, those on output lanes, and those on the switch, each in the order of
    /// places.
    pub(super) fn decisions(&self, course: &Course<'_, B, N, P>) -> Vec<Decision> {
        let mut decisions: Vec<Decision> = self.entry(course).into_iter().collect();
        decisions.extend(self.channel_decisions(course));
        for kind in self.switch_kinds(course) {
            let ports = (0..=self.local.0).map(Port);
            decisions.extend(ports.filter_map(|port| self.switch_decision(course, &kind, port)));
        }
        decisions
    }

    /// The choice of a lane for a packet of the source of which no word has moved on.
    fn entry(&self, course: &Course<'_, B, N, P>) -> Option<Decision> {
        let injection = &course.end.injection;
        let has_first = injection.gone == u16::from(course.has_entered);
        if !has_first || !(injection.is_sending() || course.has_entered) {
            return None;
        }
        let candidate = Candidate {
            packet: course.packets[injection.packet].id,
            from: Place::Input(self.local),
            rank: 0,
            deroute: false,
        };
        Some(Decision {
            subject: Subject::Injection,
            rule: match self.parameters.reallocation {
                Reallocation::TailSent => &NEXT_LANE,
                Reallocation::BufferEmpty => &NEXT_EMPTY_LANE,
            },
            candidates: vec![candidate],
            draw: None,
            winner: course.has_entered.then_some(0),
        })
    }

    /// Who gets the output lanes that heads bid for.
    fn channel_decisions(&self, course: &Course<'_, B, N, P>) -> Vec<Decision> {
        let (state, allocator) = (&course.heads, self.parameters.vc_allocator);
        let heads = (state.waiting & !state.timed).numbers();
        let bids: Vec<(usize, B)> = heads.map(|lane| (lane, self.bids(state, lane))).collect();
        let decision = |output: usize| {
            let bidders = bids.iter().filter(|(_, bids)| bids.has(output));
            let bid = |(lane, _): &(usize, B)| Bid {
                lane: *lane,
                rank: allocator.rank(
                    &state.channel_memory,
                    self.lanes().count,
                    (*lane, output),
                    course.born(*lane),
                ),
                wins: course
                    .given
                    .iter()
                    .any(|it| (it.0, it.1) == (*lane, output)),
            };
            let (port, _) = self.lanes().place(output);
            let subject = Subject::Place(self.output_place(output));
            let rule = &allocator.rules().channels;
            self.decision(course, (subject, rule, port), bidders.map(bid).collect())
        };
        self.lanes_in_order().filter_map(decision).collect()
    }

    /// How words and heads bid for the switch in this cycle: one after the other, or together.
    fn switch_kinds(&self, course: &Course<'_, B, N, P>) -> Vec<Kind<B>> {
        let (bids, hopeful) = (course.bids, course.hopeful);
        let rules = self.parameters.switch_allocator.rules();
        let sure = Kind {
            rule: &rules.switch,
            sure: bids,
            hopeful: B::NONE,
        };
        let speculative = |rule| Kind {
            rule,
            sure: B::NONE,
            hopeful,
        };
        match self.parameters.speculation {
            _ if hopeful.is_empty() => vec![sure],
            Speculation::After => vec![sure, speculative(&rules.after)],
            Speculation::Beside => vec![sure, speculative(&rules.beside)],
            Speculation::Together => vec![Kind {
                rule: &rules.together,
                sure: bids,
                hopeful,
            }],
        }
    }

    /// Whose word crosses to a port, of those that bid for it in one way.
    fn switch_decision(
        &self,
        course: &Course<'_, B, N, P>,
        kind: &Kind<B>,
        port: Port,
    ) -> Option<Decision> {
        let state = &course.words;
        let row = self.lanes().row_of(self.lanes().number(port, 0));
        let at_port: B = self.lanes().at_row(row);
        let held = |lane: &usize| at_port.has(state.output[*lane].into());
        let hopes = |lane: &usize| !(self.hopes(state, *lane) & at_port).is_empty();
        let mut lanes: Vec<usize> = kind.sure.numbers().filter(held).collect();
        lanes.extend(kind.hopeful.numbers().filter(hopes));
        let alone = kind.sure.is_empty();
        let of_speculation =
            (alone && !kind.hopeful.is_empty()).then_some(&state.speculation_memory);
        let is_blind =
            of_speculation.is_some() && self.parameters.speculation == Speculation::Beside;
        let bid = |lane: &usize| {
            let input = self.lanes().row_of(*lane);
            let beside = lanes.iter().filter(|it| self.lanes().row_of(**it) == input);
            let is_sure = |lane: &usize| kind.sure.has(*lane);
            let bidder = Bidder {
                bid: (*lane, row),
                born: course.born(*lane),
                oldest: beside.clone().map(|it| course.born(*it)).min()?,
                is_outranked: !is_sure(lane) && beside.clone().any(is_sure),
            };
            Some(Bid {
                lane: *lane,
                rank: self
                    .switch
                    .rank(&state.switch, of_speculation, bidder, is_blind),
                wins: course.goal(*lane).is_some_and(|output| at_port.has(output)),
            })
        };
        let subject = match port == self.local {
            true => Subject::Ejection,
            false => Subject::Switch(port),
        };
        let bids = lanes.iter().filter_map(bid).collect();
        self.decision(course, (subject, kind.rule, port), bids)
    }

    /// The decision between some bids; `None` if there are none.
    fn decision(
        &self,
        course: &Course<'_, B, N, P>,
        (subject, rule, port): (Subject, &'static Rule, Port),
        mut bids: Vec<Bid>,
    ) -> Option<Decision> {
        bids.sort_by_key(|bid| (bid.rank, bid.lane));
        let candidate = |bid: &Bid| {
            let packet = &course.packets[course.heads.inputs[bid.lane].worm];
            Candidate {
                packet: packet.id,
                from: self.input_place(bid.lane),
                rank: bid.rank,
                deroute: port != self.local && self.derouted(course.node, packet, port),
            }
        };
        (!bids.is_empty()).then(|| Decision {
            subject,
            rule,
            candidates: bids.iter().map(candidate).collect(),
            draw: None,
            winner: bids.iter().position(|bid| bid.wins),
        })
    }
}
