//! What each packet does in a cycle, or why it stays.
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

use super::super::{Node, Switching, Wormhole};
use super::Course;
use crate::bits::Bits;
use flitwork_node::{Cause, Doing, Place, What};
use flitwork_topology::Topology;
use flitwork_types::PacketId;

/// Why a packet stays, and the packet without which it wouldn't.
type Reason = (Cause, Option<PacketId>);

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// What all packets in the node do, in the order of their places.
    pub(super) fn doings(&self, course: &Course<'_, B, N, P>) -> Vec<Doing> {
        let mut doings = Vec::new();
        let occupied = |lane: &usize| course.heads.occupied.has(*lane);
        for lane in self.lanes_in_order().filter(occupied) {
            let front = course.worm(lane);
            let mut put = |packet, what| {
                let place = self.input_place(lane);
                doings.push(Doing {
                    packet,
                    place,
                    what,
                });
            };
            for what in self.front(course, lane) {
                put(front, what);
            }
            for behind in self.behind(&course.heads, lane) {
                let stays = What::Stays {
                    cause: Cause::BehindAnother,
                    culprit: Some(front),
                };
                put(course.packets[behind.worm].id, stays);
            }
        }
        doings.extend(self.sources(course));
        doings
    }

    /// What the worm at the front of an input lane does: it takes an output lane, its next word crosses, or both, or it
    /// stays.
    fn front(&self, course: &Course<'_, B, N, P>, lane: usize) -> Vec<What> {
        let given = course.given.iter().find(|(input, ..)| *input == lane);
        let moves = given.map(|(_, output, deroute)| What::Moves {
            to: self.output_place(*output),
            deroute: *deroute,
        });
        let sends = course.goal(lane).map(|output| What::Sends {
            to: self.output_place(output),
        });
        let mut does: Vec<What> = moves.into_iter().chain(sends).collect();
        if does.is_empty() {
            let (cause, culprit) = self.reason(course, lane);
            does.push(What::Stays { cause, culprit });
        }
        does
    }

    /// Why it stays.
    fn reason(&self, course: &Course<'_, B, N, P>, lane: usize) -> Reason {
        let reason = match course.heads.waiting.has(lane) {
            true => self.why_without_lane(course, lane),
            false => self.why_with_lane(course, lane),
        };
        let local: B = self.lanes().at_row(self.local.index());
        let wanted = match course.heads.waiting.has(lane) {
            true => course.heads.inputs[lane].preferred,
            false => B::only(course.heads.output[lane].into()),
        };
        match reason {
            (Cause::Pipeline | Cause::WordsBehind, _) => reason,
            (_, culprit) if !(wanted & local).is_empty() => (Cause::Ejection, culprit),
            _ => reason,
        }
    }

    /// Why it has got no output lane.
    fn why_without_lane(&self, course: &Course<'_, B, N, P>, lane: usize) -> Reason {
        let (state, switching) = (&course.heads, self.parameters.switching);
        if state.timed.has(lane) {
            return (Cause::Pipeline, None);
        }
        let bids = self.bids(state, lane);
        if !bids.is_empty() {
            let winners = course.given.iter().filter(|it| bids.has(it.1));
            let culprit = the_one(winners.map(|(input, ..)| course.worm(*input)));
            return (Cause::LostDecision, culprit);
        }
        if switching == Switching::StoreAndForward && !state.whole.has(lane) {
            return (Cause::WordsBehind, None);
        }
        let front = &state.inputs[lane];
        let wanted = front.preferred | front.fallback;
        if !(wanted & state.free).is_empty() {
            return (Cause::NoCredit, None);
        }
        let held = wanted & !state.draining;
        let holders = held.numbers().map(|output| state.holder[output].into());
        let culprit = the_one(holders.map(|holder| course.worm(holder)));
        (Cause::ChannelOrSwitch, culprit.filter(|_| held == wanted))
    }

    /// Why no word of it crosses to the output lane that it holds.
    fn why_with_lane(&self, course: &Course<'_, B, N, P>, lane: usize) -> Reason {
        let state = &course.words;
        if state.timed.has(lane) || !state.filled.has(lane) {
            return (Cause::Pipeline, None);
        }
        if !state.roomy.has(lane) {
            return (Cause::NoCredit, None);
        }
        if !course.bids.has(lane) {
            return (Cause::Crossing, None);
        }
        let row = |lane: usize| self.lanes().row_of(lane);
        let (input, output) = (row(lane), row(state.output[lane].into()));
        let to_port = course.crossed.iter().find(|(_, to)| row(*to) == output);
        let from_port = || course.crossed.iter().find(|(from, _)| row(*from) == input);
        let culprit = to_port.or_else(from_port);
        (
            Cause::ChannelOrSwitch,
            culprit.map(|(from, _)| course.worm(*from)),
        )
    }

    /// What the source's packet does whose words still come or wait to move to a local lane.
    fn sources(&self, course: &Course<'_, B, N, P>) -> Option<Doing> {
        let injection = &course.end.injection;
        if !injection.is_sending() && !course.has_entered {
            return None;
        }
        let packet = course.packets[injection.packet].id;
        let what = if course.has_entered {
            What::Sends {
                to: Place::InputChannel(self.local, injection.channel),
            }
        } else if injection.gone == injection.come {
            What::Stays {
                cause: Cause::Pipeline,
                culprit: None,
            }
        } else {
            What::Stays {
                cause: Cause::SourceQueue,
                culprit: self.in_its_way(course, packet),
            }
        };
        Some(Doing {
            packet,
            place: Place::Input(self.local),
            what,
        })
    }

    /// The packet at the front of the only local lane that the source's packet can move to.
    fn in_its_way(&self, course: &Course<'_, B, N, P>, packet: PacketId) -> Option<PacketId> {
        let injection = &course.end.injection;
        let channel = match injection.gone {
            0 if self.parameters.vcs > 1 => return None,
            0 => 0,
            _ => injection.channel,
        };
        let lane = self.link_lanes + usize::from(channel);
        let is_there = course.heads.occupied.has(lane);
        let front = is_there.then(|| course.worm(lane));
        front.filter(|front| *front != packet)
    }
}

/// The packet that all of some are, if there are any.
fn the_one(mut packets: impl Iterator<Item = PacketId>) -> Option<PacketId> {
    let one = packets.next()?;
    packets.all(|packet| packet == one).then_some(one)
}
