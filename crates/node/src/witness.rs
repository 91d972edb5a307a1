//! A step on a copy of a node, which tells what it decides where it decides it.
//!
//! ```text
//!   a copy of the node ──▶ the step itself ──▶ forgotten
//!                            │  │  │
//!                decisions ◀─┘  │  └─▶ who stays, and why
//!                             moves
//! ```
//!
//! A step tells by [`Site::witness`]. Nothing is told, and no code is left of it, in a run: only [`WordRouter::explain`]
//! makes a step with a witness.

use crate::{
    Cause, Decision, Doing, Event, Explanation, Inputs, Outputs, Place, Probe, Reported, Site,
    View, What, WordRouter,
};
use flitwork_types::{Cycle, NodeId, PacketId, Packets, Port, Word};

/// Collects what a step tells. It observes moves by their events; a router tells it of decisions, of words that go where
/// an earlier decision lets them go, and of packets that stay.
#[derive(Debug, Default)]
pub struct Witness {
    told: Explanation,
    /// The packets of which a word leaves the node.
    left: Vec<PacketId>,
    /// What those packets do of which nothing else is told.
    others: Option<Vec<Doing>>,
}

impl Witness {
    /// The step decides.
    pub fn decided(&mut self, decision: Decision) {
        self.told.decisions.push(decision);
    }

    /// The foremost word of a packet goes on.
    pub fn sends(&mut self, packet: PacketId, from: Place, to: Place) {
        self.does(packet, from, What::Sends { to });
    }

    /// A packet stays, as far as one packet is to blame because of that.
    pub fn stays(
        &mut self,
        packet: PacketId,
        place: Place,
        cause: Cause,
        culprit: Option<PacketId>,
    ) {
        self.does(packet, place, What::Stays { cause, culprit });
    }

    /// What those packets do of which the step tells nothing else, before or after. If it isn't told, they stay for what
    /// they [wait for](crate::Router::waits) after the step.
    pub fn otherwise(&mut self, others: Vec<Doing>) {
        self.others = Some(others);
    }

    /// Packets in the order of a queue that only the first of them may leave: the others stay behind it.
    pub fn queue(&mut self, place: Place, packets: impl IntoIterator<Item = PacketId>) {
        let mut packets = packets.into_iter();
        let first = packets.next();
        packets.for_each(|packet| self.stays(packet, place, Cause::BehindAnother, first));
    }

    /// What the step has told of a packet so far.
    pub fn told(&self, packet: PacketId) -> impl Iterator<Item = &Doing> {
        self.told.doing(packet)
    }

    fn does(&mut self, packet: PacketId, place: Place, what: What) {
        let doing = Doing {
            packet,
            place,
            what,
        };
        self.told.packets.push(doing);
    }

    /// Whoever is in the assembly before the step and after it waits for its other words.
    fn tell_incomplete(&mut self, before: &View, after: &View) {
        let at = Place::Assembly;
        let held = before.buffer(at).into_iter().flat_map(|it| &it.held);
        for part in held.filter(|part| after.places(part.packet).any(|(place, _)| place == at)) {
            self.stays(part.packet, at, Cause::WordsBehind, None);
        }
    }

    /// Packets in the order of their places in the node, and there in their order before the step; those that have come
    /// with it are the last. What passes without a buffer is the first. What moves comes before what sends, and that before
    /// what stays.
    fn sort(&mut self, before: &View) {
        let place_of = |doing: &Doing| {
            let mut buffers = before.buffers.iter();
            let place = buffers.position(|buffer| buffer.place == doing.place);
            let held = place.map_or(&[][..], |place| &before.buffers[place].held);
            let stood = held.iter().position(|part| part.packet == doing.packet);
            let kind = match doing.what {
                What::Moves { .. } => 0,
                What::Sends { .. } => 1,
                What::Stays { .. } => 2,
            };
            (place, doing.place, stood.unwrap_or(usize::MAX), kind)
        };
        self.told.packets.sort_by_key(place_of);
    }
}

impl Probe for Witness {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words)
    }

    #[inline]
    fn word(&mut self, _: NodeId, _: Cycle, _: Port, packet: PacketId, _: Word) {
        self.left.push(packet);
    }

    #[inline]
    fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
        if let Event::Moved {
            packet,
            from,
            to,
            deroute,
        } = event
        {
            self.does(packet, from, What::Moves { to, deroute });
        }
    }

    #[inline(always)]
    fn witness(&mut self) -> Option<&mut Witness> {
        Some(self)
    }
}

/// What a step tells that is made on a copy. Packets of which it says nothing, and of which no word leaves, stay for what
/// they [wait for](crate::Router::waits) after it, unless their heads had gone on and no word of them was there.
#[cold]
#[inline(never)]
pub(crate) fn explain<R: WordRouter + ?Sized>(
    router: &R,
    (node, now): (NodeId, Cycle),
    state: &R::Node,
    inputs: &Inputs<'_>,
    packets: &Packets,
) -> Explanation {
    let (mut after, mut rest) = (state.clone(), packets.clone());
    let ports = inputs.words.len();
    let (mut words, mut credits) = (vec![Word::BLANK; ports], vec![0; ports]);
    let mut witness = Witness::default();
    let mut site = Site::new(node, &mut rest, &mut witness);
    let mut outputs = Outputs::new(&mut words, &mut credits);
    router.step(&mut after, now, inputs, &mut outputs, &mut site);
    let before = router.look(node, state, packets, now);
    witness.tell_incomplete(&before, &router.look(node, &after, &rest, now + 1));
    let others = witness.others.take().unwrap_or_else(|| {
        let waits = router.waits(node, &after, &rest, now + 1);
        let mut others: Vec<Doing> = waits.iter().map(Doing::of_wait).collect();
        others.retain(|it| !witness.left.contains(&it.packet) && !has_gone_on(&before, it));
        others
    });
    for other in others {
        if witness.told(other.packet).next().is_none() {
            witness.told.packets.push(other);
        }
    }
    witness.sort(&before);
    witness.told
}

/// Whether a packet's place was kept only for words of it that are still to come.
fn has_gone_on(before: &View, doing: &Doing) -> bool {
    let mut parts = before.places(doing.packet);
    parts.any(|(place, part)| place == doing.place && part.words == 0 && part.first > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rule, Subject};
    use flitwork_types::TerminalId;

    static RULE: Rule = Rule {
        name: "first",
        summary: "the first goes first",
        source: "a test",
    };

    /// Packets 4, 2 and 9 in a queue, of which only 4 may leave. The first of those that could have a link gets it.
    #[test]
    fn a_queue_waits_for_its_first_packet() {
        let id = |serial| PacketId {
            source: TerminalId(1),
            serial,
        };
        let (queue, link) = (Place::Queue, Place::Output(Port(0)));
        let mut witness = Witness::default();
        witness.queue(queue, [4, 2, 9].map(id));
        witness.queue(Place::Input(Port(1)), [id(7)]);
        let others = [2, 9].map(|serial| Doing {
            packet: id(serial),
            place: queue,
            what: What::Stays {
                cause: Cause::BehindAnother,
                culprit: Some(id(4)),
            },
        });
        assert_eq!(witness.told.packets, others);
        let heads = [4, 7].map(|serial| (id(serial), queue));
        witness.decided(Decision::in_order(Subject::Place(link), &RULE, heads));
        let decision = &witness.told.decisions[0];
        let candidates = decision.candidates.iter();
        let ranks: Vec<_> = candidates.map(|it| (it.packet, it.rank)).collect();
        assert_eq!(ranks, [(id(4), 0), (id(7), 1)]);
        assert_eq!(decision.winner, Some(0));
    }

    /// A worm of which a word goes on stands behind itself in the same lane; another has come there with the step.
    #[test]
    fn what_moves_and_sends_comes_before_what_stays() {
        let id = |serial| PacketId {
            source: TerminalId(1),
            serial,
        };
        let (lane, link) = (
            Place::InputChannel(Port(0), 0),
            Place::OutputChannel(Port(1), 0),
        );
        let mut view = crate::ViewBuilder::default();
        let held = [crate::Part::new(id(5), 3..4)];
        view.buffer(lane, crate::Capacity::Words(8), held);
        let mut witness = Witness::default();
        witness.stays(id(6), lane, Cause::BehindAnother, Some(id(5)));
        witness.stays(id(5), lane, Cause::BehindAnother, Some(id(5)));
        witness.sends(id(5), lane, link);
        let moved = Event::Moved {
            packet: id(5),
            from: lane,
            to: link,
            deroute: false,
        };
        witness.event(NodeId(1), Cycle(0), moved);
        witness.sort(&view.build());
        let kinds = witness.told.packets.iter().map(|doing| match doing.what {
            What::Moves { .. } => (doing.packet.serial, "moves"),
            What::Sends { .. } => (doing.packet.serial, "sends"),
            What::Stays { .. } => (doing.packet.serial, "stays"),
        });
        let kinds: Vec<_> = kinds.collect();
        assert_eq!(
            kinds,
            [(5, "moves"), (5, "sends"), (5, "stays"), (6, "stays")]
        );
    }
}
