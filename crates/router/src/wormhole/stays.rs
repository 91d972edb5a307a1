//! What the stages tell of worms: whose word goes on, and why others stay.
//!
//! | a worm at the front | stays because of |
//! |---|---|
//! | passes a stage, or its next word has yet to come | the pipeline |
//! | waits for all of its words, where heads go only then | the words behind its head |
//! | bids for no output lane: others hold all that it may take | channels, with the holder if it is one packet |
//! | bids for no output lane: those that are free have too little room | credits |
//! | has bid for output lanes in vain | the lost decision, with the winner if it is one packet |
//! | holds an output lane without room | credits |
//! | holds one whose link takes no words | the crossing |
//! | holds one, and another word got its port | the switch, with that word's packet |
//!
//! At its destination it stays because of ejection wherever it would otherwise be for channels, credits or the switch.

use super::{Node, Switching, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Cause, Place, Witness};
use flitwork_topology::Topology;
use flitwork_types::{PacketId, Packets};

/// Why a packet stays, and the packet without which it wouldn't.
type Reason = (Cause, Option<PacketId>);

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// The packet at the front of an input lane.
    fn front(&self, state: &Node<B, N, P>, lane: usize, packets: &Packets) -> PacketId {
        packets[state.inputs[lane].worm].id
    }

    /// Heads that have got no output lane stay.
    pub(super) fn tell_heads(
        &self,
        (before, after): (&Node<B, N, P>, &Node<B, N, P>),
        packets: &Packets,
        witness: &mut Witness,
    ) {
        for lane in after.waiting.numbers() {
            let reason = self.why_without_lane((before, after), lane, packets);
            let wanted = before.inputs[lane].preferred;
            let (cause, culprit) = self.at_home(reason, wanted);
            let front = self.front(before, lane, packets);
            witness.stays(front, self.input_place(lane), cause, culprit);
        }
    }

    /// Of the worms that hold an output lane the words of some cross, and the others stay, except those that have got
    /// their lane in this cycle. Nothing else goes on, but a word from the source, of which has been told.
    pub(super) fn tell_words(
        &self,
        state: &Node<B, N, P>,
        (bids, crossing): (B, B),
        packets: &Packets,
        witness: &mut Witness,
    ) {
        for lane in state.active.numbers() {
            let (front, place) = (self.front(state, lane, packets), self.input_place(lane));
            let output = usize::from(state.output[lane]);
            if crossing.has(lane) {
                witness.sends(front, place, self.output_place(output));
            } else if witness.told(front).all(|doing| doing.place != place) {
                let reason = self.why_with_lane(state, lane, (bids, crossing), packets);
                let (cause, culprit) = self.at_home(reason, B::only(output));
                witness.stays(front, place, cause, culprit);
            }
        }
        for lane in state.occupied.numbers() {
            let front = self.front(state, lane, packets);
            for behind in self.behind(state, lane) {
                let (packet, place) = (packets[behind.worm].id, self.input_place(lane));
                witness.stays(packet, place, Cause::BehindAnother, Some(front));
            }
        }
        self.tell_source(state, packets, witness);
    }

    /// The reason of a packet that wants some output lanes: at its destination it waits for nothing but ejection.
    fn at_home(&self, (cause, culprit): Reason, wanted: B) -> Reason {
        let local: B = self.lanes().at_row(self.local.index());
        match cause {
            Cause::Pipeline | Cause::WordsBehind => (cause, culprit),
            _ if !(wanted & local).is_empty() => (Cause::Ejection, culprit),
            _ => (cause, culprit),
        }
    }

    /// Why a head has got no output lane.
    fn why_without_lane(
        &self,
        (before, after): (&Node<B, N, P>, &Node<B, N, P>),
        lane: usize,
        packets: &Packets,
    ) -> Reason {
        if before.in_stage.has(lane) {
            return (Cause::Pipeline, None);
        }
        let front = |lane: usize| self.front(before, lane, packets);
        let bids = self.bids(before, lane);
        if !bids.is_empty() {
            let given = (before.waiting & !after.waiting).numbers();
            let winners = given.filter(|winner| bids.has(after.output[*winner].into()));
            return (Cause::LostDecision, the_one(winners.map(front)));
        }
        let stores = self.parameters.switching == Switching::StoreAndForward;
        if stores && !before.has_tail.has(lane) {
            return (Cause::WordsBehind, None);
        }
        let wanted = before.inputs[lane].preferred | before.inputs[lane].fallback;
        if !(wanted & before.free).is_empty() {
            return (Cause::NoCredit, None);
        }
        let held = wanted & !before.draining;
        let holders = held.numbers().map(|output| before.holder[output].into());
        let culprit = the_one(holders.map(front));
        (Cause::ChannelOrSwitch, culprit.filter(|_| held == wanted))
    }

    /// Why no word of a worm crosses to the output lane that it holds.
    fn why_with_lane(
        &self,
        state: &Node<B, N, P>,
        lane: usize,
        (bids, crossing): (B, B),
        packets: &Packets,
    ) -> Reason {
        if state.in_stage.has(lane) || !state.has_word.has(lane) {
            return (Cause::Pipeline, None);
        }
        if !state.has_credit.has(lane) {
            return (Cause::NoCredit, None);
        }
        if !bids.has(lane) {
            return (Cause::Crossing, None);
        }
        let row = |lane: usize| self.lanes().row_of(lane);
        let to = |lane: usize| row(state.output[lane].into());
        let mut others = crossing.numbers();
        let to_port = others.find(|other| to(*other) == to(lane));
        let from_port = || crossing.numbers().find(|other| row(*other) == row(lane));
        let culprit = to_port.or_else(from_port);
        let culprit = culprit.map(|other| self.front(state, other, packets));
        (Cause::ChannelOrSwitch, culprit)
    }

    /// The source's packet stays if no word of it has moved to a local lane.
    fn tell_source(&self, state: &Node<B, N, P>, packets: &Packets, witness: &mut Witness) {
        let (injection, place) = (&state.injection, Place::Input(self.local));
        let Some(packet) = injection.waiting().map(|packet| packets[packet].id) else {
            return;
        };
        if witness.told(packet).any(|doing| doing.place == place) {
            return;
        }
        let (cause, culprit) = match injection.gone == injection.come {
            true => (Cause::Pipeline, None),
            false => (Cause::SourceQueue, self.in_its_way(state, packet, packets)),
        };
        witness.stays(packet, place, cause, culprit);
    }

    /// The packet at the front of the only local lane that the source's packet can move to.
    fn in_its_way(
        &self,
        state: &Node<B, N, P>,
        packet: PacketId,
        packets: &Packets,
    ) -> Option<PacketId> {
        let injection = &state.injection;
        let channel = match injection.gone {
            0 if self.parameters.vcs > 1 => return None,
            0 => 0,
            _ => injection.channel,
        };
        let lane = self.link_lanes + usize::from(channel);
        let is_there = state.occupied.has(lane);
        let front = is_there.then(|| self.front(state, lane, packets));
        front.filter(|front| *front != packet)
    }
}

/// The packet that all of some are, if there are any.
fn the_one(mut packets: impl Iterator<Item = PacketId>) -> Option<PacketId> {
    let one = packets.next()?;
    packets.all(|packet| packet == one).then_some(one)
}
