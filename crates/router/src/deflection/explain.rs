//! What a step tells its witness: its choices as decisions, and which words stay.

use super::assign::{Choice, Pick};
use super::ejection::{Ejected, ejected};
use super::hand::Hand;
use super::side_buffer::{Reinjection, SideBuffer};
use super::{Deflection, PortChoice, rules};
use crate::greedy_hp::{self, assign::Contender};
use flitwork_node::{Candidate, Cause, Decision, Draw, Place, Subject, Witness};
use flitwork_topology::Topology;
use flitwork_types::{PacketId, Packets, Port};

/// Of the words at their destination, the first of each terminal leave the network: `others` are those that haven't come over links.
pub(super) fn ejection(
    hands: &[Hand],
    (others, leaving): (&[(Ejected, Hand)], &[Ejected]),
    to: impl Fn(&Hand) -> Port,
    (witness, packets): (&mut Witness, &Packets),
) {
    let all = ejected(hands, others, |_| true);
    let hand = |what: &Ejected| match what {
        Ejected::Hand(place) => &hands[*place],
        other => {
            let mut others = others.iter();
            &others
                .find(|(what, _)| what == other)
                .expect("it is there")
                .1
        }
    };
    for (turn, what) in leaving.iter().enumerate() {
        let same = |other: &&Ejected| to(hand(other)) == to(hand(what));
        let left = all.iter().filter(|other| !leaving[..turn].contains(other));
        let left = left.filter(same).map(|what| hand(what).placed(packets));
        witness.decided(Decision::in_order(Subject::Ejection, &rules::EJECT, left));
    }
    // Those from other terminals of the node stay where they are.
    for own in all.iter().filter(|one| !leaving.contains(one)).map(hand) {
        let is_own = others
            .iter()
            .any(|(what, other)| matches!(what, Ejected::Source(_)) && other.from == own.from);
        if is_own {
            let taking = leaving.iter().map(hand).filter(|left| to(left) == to(own));
            let packet = packets[own.packet].id;
            let culprit = sole(packet, taking.map(|left| packets[left.packet].id));
            witness.stays(packet, own.from, Cause::OutputTaken, culprit);
        }
    }
}

/// Whether the side buffer's first flit comes back, and the last of these words makes room for it.
pub(super) fn reinjection(
    decided: Reinjection,
    first: &Hand,
    hands: &[Hand],
    (witness, packets): (&mut Witness, &Packets),
) {
    if decided == Reinjection::Swap {
        let last_first = hands.iter().rev().map(|hand| hand.placed(packets));
        let subject = Subject::Place(Place::SideBuffer);
        witness.decided(Decision::in_order(subject, &rules::REDIRECT, last_first));
    }
    let comes = decided != Reinjection::No;
    let (subject, rule) = (Subject::Injection, &rules::REINJECT);
    witness.decided(Decision::of_one(
        subject,
        rule,
        first.placed(packets),
        comes,
    ));
    if !comes {
        finds_no_link(first, hands, (witness, packets));
    }
}

/// Flits stay behind the side buffer's first.
pub(super) fn behind(buffer: &SideBuffer, (witness, packets): (&mut Witness, &Packets)) {
    let flits = buffer.flits.iter();
    let ids: Vec<PacketId> = flits.map(|flit| packets[flit.packet].id).collect();
    for (place, own) in ids.iter().enumerate().skip(1) {
        let culprit = sole(*own, ids[..place].iter().copied());
        witness.stays(*own, Place::SideBuffer, Cause::BehindAnother, culprit);
    }
}

/// Whether the next word of the packet in the injection register enters.
pub(super) fn entry(
    own: &Hand,
    enters: bool,
    hands: &[Hand],
    (witness, packets): (&mut Witness, &Packets),
) {
    let (subject, rule) = (Subject::Injection, &rules::ENTER);
    witness.decided(Decision::of_one(subject, rule, own.placed(packets), enters));
    if !enters {
        finds_no_link(own, hands, (witness, packets));
    }
}

/// A word stays because these take all links.
fn finds_no_link(own: &Hand, hands: &[Hand], (witness, packets): (&mut Witness, &Packets)) {
    let packet = packets[own.packet].id;
    let culprit = sole(packet, hands.iter().map(|hand| packets[hand.packet].id));
    witness.stays(packet, own.from, Cause::OutputTaken, culprit);
}

/// The only packet among these, if it is another.
fn sole(own: PacketId, mut packets: impl Iterator<Item = PacketId>) -> Option<PacketId> {
    let first = packets.next()?;
    (first != own && packets.all(|packet| packet == first)).then_some(first)
}

impl<T: Topology> Deflection<T> {
    /// The first of the words that may be put aside goes into the side buffer.
    pub(super) fn put_aside_first(
        &self,
        hands: &[Hand],
        ports: &[Port],
        packets: &Packets,
    ) -> Decision {
        let pairs = hands.iter().zip(ports);
        let deflected = pairs.filter(|(hand, port)| self.may_be_put_aside(hand, **port));
        let deflected = deflected.map(|(hand, _)| hand.placed(packets));
        let subject = Subject::Place(Place::SideBuffer);
        Decision::in_order(subject, &rules::PUT_ASIDE, deflected)
    }
}

/// Which of these words gets a link.
pub(super) fn pick(
    pick: Pick<'_>,
    hands: &[Hand],
    choice: Choice<'_>,
    packets: &Packets,
) -> Decision {
    match pick {
        Pick::InTurn {
            turn,
            port,
            good,
            held,
        } => {
            let equal = good.filter(|good| choice.rule == PortChoice::Random && good.len() > 1);
            let ways = (hands[turn].is_deroute(port), held.contains(port));
            let rule = match (good, ways) {
                (None, _) => &rules::FOLLOW,
                (_, (false, false)) => &rules::PRODUCTIVE,
                (_, (false, true)) => &rules::CUT,
                (_, (true, false)) => &rules::DEFLECT,
                (_, (true, true)) => &rules::DEFLECT_AND_CUT,
            };
            let draw = equal.map(|equal| Draw {
                below: equal.len() as u32,
                drawn: choice.draw(equal, turn),
            });
            Decision {
                subject: Subject::Place(Place::Output(port)),
                rule,
                candidates: in_turn(hands, turn, port, packets),
                draw,
                winner: Some(0),
            }
        }
        Pick::ByLinks(pick) => greedy_hp::explain::pick(pick, packets),
    }
}

/// The word whose turn it is, and those after it that would take the same link.
fn in_turn(hands: &[Hand], turn: usize, port: Port, packets: &Packets) -> Vec<Candidate> {
    let from = hands.iter().enumerate().skip(turn);
    let could = from.filter(|(place, hand)| {
        *place == turn || hand.wants.contains(port) || hand.follows == Some(port)
    });
    let candidate = |(rank, hand): (usize, &Hand)| Candidate {
        packet: packets[hand.packet].id,
        from: hand.from,
        rank: rank as u64,
        deroute: hand.is_deroute(port),
    };
    could.map(candidate).collect()
}
