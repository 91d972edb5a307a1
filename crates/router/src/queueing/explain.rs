//! What a node holds, and what a step tells its witness.

use super::frames::Frame;
use super::{HOME, Node, QUEUE, Queueing, rules};
use flitwork_node::{
    Candidate, Capacity, Cause, Decision, Part, Place, Subject, View, ViewBuilder, Witness,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port, PortSet};

impl<T: Topology> Queueing<T> {
    /// All that a node holds at the beginning of a cycle.
    pub(super) fn view(&self, node: NodeId, state: &Node, packets: &Packets) -> View {
        let links = self.topology.links(node);
        let mut view = ViewBuilder::of_ports(self.topology.ports_of(node));
        let id = |frame: &Frame| packets[frame.packet].id;
        let mut queue = |port, channel, frames: u16| {
            let place = Place::InputChannel(port, channel);
            let here = state.frames.iter().filter(|frame| frame.place() == place);
            let held = here.map(|frame| Part::new(id(frame), frame.gone..frame.came));
            view.buffer(place, Capacity::Packets(frames.into()), held);
        };
        for port in (0..self.topology.ports() as u8).map(Port) {
            queue(port, QUEUE, self.parameters.frames);
            queue(port, HOME, self.parameters.home_frames);
        }
        for port in self.topology.local_ports().iter() {
            queue(port, QUEUE, self.parameters.frames);
        }
        for port in links.iter() {
            let room = state.rooms[port.index()];
            view.credit(port, QUEUE, room.queue);
            view.credit(port, HOME, room.home);
        }
        for frame in state.frames.iter().filter(|frame| frame.is_sending) {
            view.register("packet", frame.place_ahead(), id(frame));
        }
        view.build()
    }

    /// A link is given to the first of those that want it.
    pub(super) fn link(
        &self,
        state: &Node,
        port: Port,
        now: Cycle,
        (node, packets): (NodeId, &Packets),
    ) -> Decision {
        let waiting = state.frames.iter().filter(|frame| frame.waits_for(port));
        let ranked = waiting.map(|frame| (self.rank(frame, now, (node, packets)), frame));
        let mut ranked: Vec<_> = ranked.collect();
        ranked.sort_by_key(|(rank, frame)| (*rank, frame.arrived, frame.input));
        let (_, first) = ranked[0];
        Decision {
            subject: Subject::Place(first.place_ahead()),
            rule: self.parameters.order.rule(),
            candidates: ranked
                .iter()
                .map(|(rank, frame)| candidate(frame, *rank, packets))
                .collect(),
            draw: None,
            winner: Some(0),
        }
    }

    /// Tells of the packets that are neither home nor were chosen in this step, which has sent no word yet.
    pub(super) fn tell_others(
        &self,
        state: &Node,
        sendable: PortSet,
        (witness, packets): (&mut Witness, &Packets),
    ) {
        let id = |frame: &Frame| packets[frame.packet].id;
        for frame in state.frames.iter().filter(|frame| !frame.at_destination) {
            let mut stays = |cause, culprit: Option<&Frame>| {
                witness.stays(id(frame), frame.place(), cause, culprit.map(id));
            };
            let holds = |it: &&Frame| it.is_sending && it.wants == frame.wants;
            let holder = state.frames.iter().find(holds);
            match holder {
                _ if !frame.is_whole() => stays(Cause::WordsBehind, None),
                _ if !sendable.contains(frame.wants) => stays(Cause::Crossing, None),
                Some(_) if frame.is_sending && frame.gone > 0 => {
                    witness.sends(id(frame), frame.place(), frame.place_ahead());
                }
                Some(_) if frame.is_sending => {}
                Some(holder) if holder.gone > 0 => stays(Cause::OutputTaken, Some(holder)),
                Some(winner) => stays(Cause::LostDecision, Some(winner)),
                None => stays(Cause::NoCredit, None),
            }
        }
    }
}

impl Frame {
    /// Where it goes.
    pub(super) fn place_ahead(&self) -> Place {
        Place::OutputChannel(self.wants, self.channel_ahead())
    }
}

fn candidate(frame: &Frame, rank: u64, packets: &Packets) -> Candidate {
    Candidate {
        packet: packets[frame.packet].id,
        from: frame.place(),
        rank,
        deroute: false,
    }
}

/// A packet that is home leaves.
pub(super) fn home(frame: &Frame, packets: &Packets) -> Decision {
    let packet = (packets[frame.packet].id, frame.place());
    Decision::in_order(Subject::Ejection, &rules::HOME, [packet])
}
