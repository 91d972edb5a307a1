//! A step on a copy of a node, which tells what it decides where it decides it.
//!
//! ```text
//!   a copy of the node ──▶ the step itself ──▶ forgotten
//!                            │  │  │
//!                decisions ◀─┘  │  └─▶ who stays, and why
//!                             moves
//! ```
//!
//! A step tells by [`Site::witness`]. Nothing is told, and no code is left of it, in a run: only [`Stepped::explain`]
//! makes a step with a witness.

use crate::{
    Cause, Decision, Doing, Event, Explanation, Inputs, Outputs, Place, Probe, Site, Stepped, View,
    What,
};
use flitwork_types::{Cycle, NodeId, PacketId, Packets, Word};

/// Collects what a step tells. It observes moves by their events; a router tells it of decisions, of words that go where
/// an earlier decision lets them go, and of packets that stay.
#[derive(Debug, Default)]
pub struct Witness {
    told: Explanation,
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

/// What a step tells that is made on a copy. Packets of which it says nothing stay for what they
/// [wait for](crate::Router::waits) after it, unless their heads had gone on and no word of them was there.
#[cold]
#[inline(never)]
pub(crate) fn explain<R: Stepped + ?Sized>(
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
    let mut site = Site {
        node,
        packets: &mut rest,
        probe: &mut witness,
    };
    let mut outputs = Outputs::new(&mut words, &mut credits);
    router.step(&mut after, now, inputs, &mut outputs, &mut site);
    let before = router.look(node, state, packets, now);
    witness.tell_incomplete(&before, &router.look(node, &after, &rest, now + 1));
    for wait in router.waits(node, &after, &rest, now + 1) {
        let mut parts = before.places(wait.packet);
        let is_gone =
            parts.any(|(place, part)| (place, part.words) == (wait.place, 0) && part.first > 0);
        if !is_gone && witness.told.doing(wait.packet).next().is_none() {
            let cause = Cause::from(&wait.waits_for);
            witness.stays(wait.packet, wait.place, cause, None);
        }
    }
    witness.sort(&before);
    witness.told
}
