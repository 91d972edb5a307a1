//! A step's choices as decisions.

use crate::deflection::assign::{Choice, Pick};
use crate::deflection::hand::Hand;
use crate::deflection::{PortChoice, rules};
use crate::greedy_hp;
use flitwork_node::{Candidate, Decision, Draw, Place, Rule, Subject};
use flitwork_types::{Packets, Port};

/// The decisions made so far.
pub(super) struct Decisions<'a> {
    packets: &'a Packets,
    pub(super) made: Vec<Decision>,
}

impl<'a> Decisions<'a> {
    pub(super) fn new(packets: &'a Packets) -> Decisions<'a> {
        let made = Vec::new();
        Decisions { packets, made }
    }

    fn candidate(&self, hand: &Hand, rank: usize, deroute: bool) -> Candidate {
        Candidate {
            packet: self.packets[hand.packet].id,
            from: hand.from,
            rank: rank as u64,
            deroute,
        }
    }

    /// These words, ranked by their order, none of which would be derouted.
    fn ranked<'h>(&self, hands: impl Iterator<Item = &'h Hand>) -> Vec<Candidate> {
        let hands = hands.enumerate();
        hands
            .map(|(rank, hand)| self.candidate(hand, rank, false))
            .collect()
    }

    fn decide(
        &mut self,
        subject: Subject,
        rule: &'static Rule,
        candidates: Vec<Candidate>,
        winner: Option<usize>,
    ) {
        self.made.push(Decision {
            subject,
            rule,
            candidates,
            draw: None,
            winner,
        });
    }

    /// Of the words at their destination, the first `leaving` leave the network.
    pub(super) fn ejection(&mut self, at_home: &[Hand], leaving: usize) {
        for place in 0..leaving {
            let candidates = self.ranked(at_home[place..].iter());
            self.decide(Subject::Ejection, &rules::EJECT, candidates, Some(0));
        }
    }

    /// Whether the side buffer's first flit comes back.
    pub(super) fn reinjection(&mut self, first: &Hand, comes: bool) {
        let candidates = self.ranked([first].into_iter());
        let winner = comes.then_some(0);
        self.decide(Subject::Injection, &rules::REINJECT, candidates, winner);
    }

    /// The last of these words makes room for it.
    pub(super) fn redirection(&mut self, hands: &[Hand]) {
        let candidates = self.ranked(hands.iter().rev());
        let subject = Subject::Place(Place::SideBuffer);
        self.decide(subject, &rules::REDIRECT, candidates, Some(0));
    }

    /// Whether the word at the source enters.
    pub(super) fn entry(&mut self, own: &Hand, enters: bool) {
        let candidates = self.ranked([own].into_iter());
        let winner = enters.then_some(0);
        self.decide(Subject::Injection, &rules::ENTER, candidates, winner);
    }

    /// Which of these deflected words goes into the side buffer.
    pub(super) fn put_aside(&mut self, deflected: &[Hand], aside: &Hand) {
        let candidates = self.ranked(deflected.iter());
        let winner = deflected.iter().position(|hand| hand.draw == aside.draw);
        let subject = Subject::Place(Place::SideBuffer);
        self.decide(subject, &rules::PUT_ASIDE, candidates, winner);
    }

    /// Which of these words gets a link.
    pub(super) fn pick(&mut self, pick: Pick<'_>, hands: &[Hand], choice: Choice<'_>) {
        let decision = match pick {
            Pick::InTurn {
                turn,
                port,
                good,
                held,
            } => {
                let equal = good.filter(|good| choice.rule == PortChoice::Random && good.len() > 1);
                let hand = &hands[turn];
                let ways = (hand.is_deroute(port), held.contains(port));
                Decision {
                    subject: Subject::Place(Place::Output(port)),
                    rule: match (good, ways) {
                        (None, _) => &rules::FOLLOW,
                        (_, (false, false)) => &rules::PRODUCTIVE,
                        (_, (false, true)) => &rules::CUT,
                        (_, (true, false)) => &rules::DEFLECT,
                        (_, (true, true)) => &rules::DEFLECT_AND_CUT,
                    },
                    candidates: self.in_turn(hands, turn, port),
                    draw: equal.map(|equal| Draw {
                        below: equal.len() as u32,
                        drawn: choice.draw(equal, turn),
                    }),
                    winner: Some(0),
                }
            }
            Pick::Greedy {
                port,
                left,
                good,
                drawn,
            } => {
                let candidates = left.iter().filter(|hand| hand.wants.contains(port));
                let candidates = candidates.map(|hand| self.candidate(hand, 0, false));
                let draw = Draw { below: good, drawn };
                Decision {
                    subject: Subject::Place(Place::Output(port)),
                    rule: &greedy_hp::rules::GREEDY,
                    candidates: candidates.collect(),
                    draw: (good > 1).then_some(draw),
                    winner: Some(drawn as usize),
                }
            }
            Pick::LeftOver {
                port,
                hand,
                free,
                drawn,
            } => Decision {
                subject: Subject::Place(Place::Output(port)),
                rule: &greedy_hp::rules::LEFT_OVER,
                candidates: vec![self.candidate(hand, 0, hand.is_deroute(port))],
                draw: Some(Draw { below: free, drawn }),
                winner: Some(0),
            },
        };
        self.made.push(decision);
    }

    /// The word whose turn it is, and those after it that would take the same link.
    fn in_turn(&self, hands: &[Hand], turn: usize, port: Port) -> Vec<Candidate> {
        let from = hands.iter().enumerate().skip(turn);
        let could = from.filter(|(place, hand)| {
            *place == turn || hand.wants.contains(port) || hand.follows == Some(port)
        });
        let candidates =
            could.map(|(rank, hand)| self.candidate(hand, rank, hand.is_deroute(port)));
        candidates.collect()
    }
}
