//! Whether packets stay for the reasons that are given, and the right ones are to blame.

use super::case::{Case, Lane, is_lane, lane};
use flitwork_node::{Cause, Doing, Explanation, Place, Value, What};
use flitwork_router::wormhole::Switching;
use flitwork_topology::Topology;
use flitwork_types::PacketId;

impl Case<'_> {
    /// Whether a packet that stays does so for the reason that is given, and the culprit is there.
    pub(super) fn is_a_reason(&self, doing: &Doing, said: &Explanation) {
        let What::Stays { cause, culprit } = doing.what else {
            return;
        };
        let what = || format!("{doing:?} of {:?}, {:?}", self.view, self.parameters);
        assert!(
            culprit.is_none_or(|it| self.standing.holds(it)),
            "{}",
            what()
        );
        let at = doing.place;
        if at == Place::Input(self.local()) {
            let expected = match self.standing.at_source(doing.packet) {
                0 => Cause::Pipeline,
                _ => Cause::SourceQueue,
            };
            assert_eq!(cause, expected, "{}", what());
            let only = self.only_way_in(doing.packet);
            let front = only.and_then(|lane| self.front(lane)).map(|run| run.packet);
            let expected = front.filter(|it| *it != doing.packet && cause == Cause::SourceQueue);
            assert_eq!(culprit, expected, "{}", what());
            return;
        }
        if cause == Cause::BehindAnother {
            // Who stands where has been compared with the model.
            return;
        }
        let run = *self.front(at).unwrap();
        let at_destination = self.shape.home(self.packets[&doing.packet].destination) == self.node;
        let bids = self.bids(at, &run);
        let held = self.held(at);
        let [preferred, fallback] = match held {
            Some(_) => [Vec::new(), Vec::new()],
            None => self.wanted(at, &run),
        };
        let wanted = [preferred, fallback].concat();
        let stores = self.parameters.switching == Switching::StoreAndForward;
        let expected = if self.waits(at) || run.words == 0 {
            Cause::Pipeline
        } else if let Some(held) = held {
            match held.0 == self.local() || self.sendable.contains(held.0) {
                _ if at_destination => Cause::Ejection,
                _ if !self.has_room(held) => Cause::NoCredit,
                false => Cause::Crossing,
                true => Cause::ChannelOrSwitch,
            }
        } else if stores && !run.is_whole() {
            Cause::WordsBehind
        } else if at_destination {
            Cause::Ejection
        } else if !bids.is_empty() {
            Cause::LostDecision
        } else if wanted.iter().any(|it| self.is_free(*it)) {
            Cause::NoCredit
        } else {
            Cause::ChannelOrSwitch
        };
        assert_eq!(cause, expected, "{}", what());
        let expected = self.culprit(at, (&bids, &wanted), said, expected);
        assert_eq!(culprit, expected, "{}", what());
    }

    /// The only local lane to which a packet of the source can move.
    fn only_way_in(&self, packet: PacketId) -> Option<Place> {
        let source = Place::Input(self.local());
        match self.register("lane", source) {
            Some(Value::Place(lane)) => Some(lane),
            _ if self.parameters.vcs == 1 => Some(Place::InputChannel(self.local(), 0)),
            _ => self.standing.way_in(packet),
        }
    }

    /// The packet that is to blame for a worm at the front that stays.
    fn culprit(
        &self,
        at: Place,
        (bids, wanted): (&[Lane], &[Lane]),
        said: &Explanation,
        cause: Cause,
    ) -> Option<PacketId> {
        let blamed = [Cause::ChannelOrSwitch, Cause::LostDecision, Cause::Ejection];
        if !blamed.contains(&cause) {
            return None;
        }
        let one = |mut packets: Vec<PacketId>| {
            packets.sort();
            packets.dedup();
            (packets.len() == 1).then(|| packets[0])
        };
        if let Some(held) = self.held(at) {
            // Who got the port that it bid for, or the way from its own.
            if !self.has_room(held) {
                return None;
            }
            let to_it = said
                .sends()
                .find(|it| is_lane(it.1) && lane(it.2).0 == held.0);
            let from_it = said
                .sends()
                .find(|it| is_lane(it.1) && lane(it.1).0 == lane(at).0);
            return to_it.or(from_it).map(|it| it.0);
        }
        if !bids.is_empty() {
            let won = said.moves().filter(|it| bids.contains(&lane(it.2)));
            return one(won.map(|it| it.0).collect());
        }
        let holder = |output: &Lane| {
            let at = Place::OutputChannel(output.0, output.1);
            match self.register("worm", at) {
                Some(Value::Packet(packet)) => Some(packet),
                _ => None,
            }
        };
        let holders: Option<Vec<PacketId>> = wanted.iter().map(holder).collect();
        one(holders?)
    }
}
