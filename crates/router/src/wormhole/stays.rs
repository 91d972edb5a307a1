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

use super::decisions::Telling;
use super::{Node, Switching};
use crate::bits::Bits;
use flitwork_node::Cause;
use flitwork_topology::Topology;
use flitwork_types::PacketId;

/// Why a packet stays, and the packet without which it wouldn't.
type Reason = (Cause, Option<PacketId>);

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Telling<'_, T, B, N, P, L>
{
    /// The packet at the front of an input lane.
    fn front(&self, lane: usize) -> PacketId {
        self.packets[self.before.inputs[lane].worm].id
    }

    /// Heads that have got no output lane stay.
    pub(super) fn heads(&mut self, after: &Node<B, N, P, L>) {
        for lane in after.waiting.numbers() {
            let reason = self.why_without_lane(after, lane);
            let wanted = self.before.inputs[lane].preferred;
            let (cause, culprit) = self.at_home(reason, wanted);
            let (front, place) = (self.front(lane), self.router.input_place(lane));
            self.witness.stays(front, place, cause, culprit);
        }
    }

    /// Of the worms that hold an output lane the words of some cross, and the others stay, except those that have got
    /// their lane in this cycle. Nothing else goes on, but a word from the source, of which has been told.
    pub(super) fn words(&mut self, bids: B, crossing: B) {
        let (router, state) = (self.router, self.before);
        for lane in state.active.numbers() {
            let (front, place) = (self.front(lane), router.input_place(lane));
            let output = usize::from(state.output[lane]);
            if crossing.has(lane) {
                self.witness
                    .sends(front, place, router.output_place(output));
            } else if self.witness.told(front).all(|doing| doing.place != place) {
                let reason = self.why_with_lane(lane, (bids, crossing));
                let (cause, culprit) = self.at_home(reason, B::only(output));
                self.witness.stays(front, place, cause, culprit);
            }
        }
        for lane in state.occupied.numbers() {
            let (front, place) = (self.front(lane), router.input_place(lane));
            for behind in router.behind(state, lane) {
                let packet = self.packets[behind.worm].id;
                let cause = Cause::BehindAnother;
                self.witness.stays(packet, place, cause, Some(front));
            }
        }
        (0..self.router.locals()).for_each(|local| self.source(local));
    }

    /// The reason of a packet that wants some output lanes: at its destination it waits for nothing but ejection.
    fn at_home(&self, (cause, culprit): Reason, wanted: B) -> Reason {
        let local: B = self.router.local_lanes();
        match cause {
            Cause::Pipeline | Cause::WordsBehind => (cause, culprit),
            _ if !(wanted & local).is_empty() => (Cause::Ejection, culprit),
            _ => (cause, culprit),
        }
    }

    /// Why a head has got no output lane.
    fn why_without_lane(&self, after: &Node<B, N, P, L>, lane: usize) -> Reason {
        let (router, before) = (self.router, self.before);
        if before.in_stage.has(lane) {
            return (Cause::Pipeline, None);
        }
        let front = |lane: usize| self.front(lane);
        let bids = router.bids(before, lane);
        if !bids.is_empty() {
            let given = (before.waiting & !after.waiting).numbers();
            let winners = given.filter(|winner| bids.has(after.output[*winner].into()));
            return (Cause::LostDecision, the_one(winners.map(front)));
        }
        let stores = router.parameters.switching == Switching::StoreAndForward;
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
    fn why_with_lane(&self, lane: usize, (bids, crossing): (B, B)) -> Reason {
        let state = self.before;
        if state.in_stage.has(lane) || !state.has_word.has(lane) {
            return (Cause::Pipeline, None);
        }
        if !state.has_credit.has(lane) {
            return (Cause::NoCredit, None);
        }
        if !bids.has(lane) {
            return (Cause::Crossing, None);
        }
        let row = |lane: usize| self.router.lanes().row_of(lane);
        let to = |lane: usize| row(state.output[lane].into());
        let mut others = crossing.numbers();
        let to_port = others.find(|other| to(*other) == to(lane));
        let from_port = || crossing.numbers().find(|other| row(*other) == row(lane));
        let culprit = to_port.or_else(from_port);
        let culprit = culprit.map(|other| self.front(other));
        (Cause::ChannelOrSwitch, culprit)
    }

    /// A source's packet stays if no word of it has moved to a local lane.
    fn source(&mut self, local: usize) {
        let injection = &self.before.injections[local];
        let place = self.router.source_place(local);
        let Some(packet) = injection.waiting().map(|packet| self.packets[packet].id) else {
            return;
        };
        if self.witness.told(packet).any(|doing| doing.place == place) {
            return;
        }
        let (cause, culprit) = match injection.gone == injection.come {
            true => (Cause::Pipeline, None),
            false => (Cause::SourceQueue, self.in_its_way(packet, local)),
        };
        self.witness.stays(packet, place, cause, culprit);
    }

    /// The packet at the front of the only local lane that a source's packet can move to.
    fn in_its_way(&self, packet: PacketId, local: usize) -> Option<PacketId> {
        let (router, injection) = (self.router, &self.before.injections[local]);
        let channel = match injection.gone {
            0 if router.parameters.vcs > 1 => return None,
            0 => 0,
            _ => injection.channel,
        };
        let lane = router.local_lane(local, channel);
        let front = self.before.occupied.has(lane).then(|| self.front(lane));
        front.filter(|front| *front != packet)
    }
}

/// The packet that all of some are, if there are any.
fn the_one(mut packets: impl Iterator<Item = PacketId>) -> Option<PacketId> {
    let one = packets.next()?;
    packets.all(|packet| packet == one).then_some(one)
}
