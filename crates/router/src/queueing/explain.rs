//! What a node holds, and what its next step decides.

use super::frames::Frame;
use super::{HOME, Node, QUEUE, Queueing, rules};
use flitwork_node::{
    Buffer, BufferState, Candidate, Capacity, Cause, Credit, Decision, Doing, Explanation, Inputs,
    Part, Place, Register, Subject, Value, View, What,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Packets, Port, PortSet};

impl<T: Topology> Queueing<T> {
    /// All that a node holds at the beginning of a cycle.
    pub(super) fn view(&self, node: NodeId, state: &Node, packets: &Packets) -> View {
        let (links, local) = (self.topology.links(node), self.topology.local());
        let buffer = |port: Port, channel, frames: u16| {
            let place = Place::InputChannel(port, channel);
            let here = state.frames.iter().filter(|frame| frame.place() == place);
            Buffer {
                place,
                capacity: Capacity::Packets(frames.into()),
                held: here.map(|frame| part(frame, packets)).collect(),
                state: match port == local || links.contains(port) {
                    true => BufferState::Usual,
                    false => BufferState::Missing,
                },
            }
        };
        let (queue, home) = (self.parameters.frames, self.parameters.home_frames);
        let ports = (0..local.0).map(Port);
        let of_links = ports.flat_map(|port| [(port, QUEUE, queue), (port, HOME, home)]);
        let inputs = of_links.chain([(local, QUEUE, queue)]);
        let credit = |port: Port, channel, room| Credit {
            port,
            channel,
            room,
        };
        let rooms = links.iter().flat_map(|port| {
            let room = state.rooms[port.index()];
            [
                credit(port, QUEUE, room.queue),
                credit(port, HOME, room.home),
            ]
        });
        let going = state.frames.iter().filter(|frame| frame.is_sending);
        View {
            buffers: inputs
                .map(|(port, channel, frames)| buffer(port, channel, frames))
                .collect(),
            credits: rooms.collect(),
            registers: going
                .map(|frame| Register {
                    name: "packet",
                    at: Some(frame.place_ahead()),
                    value: Value::Packet(packets[frame.packet].id),
                })
                .collect(),
        }
    }

    /// What a step with these inputs decides: it is made on a copy of the registers.
    pub(super) fn explanation(
        &self,
        (node, now): (NodeId, Cycle),
        state: &Node,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        let mut state = state.clone();
        self.receive(&mut state, (node, now), inputs, packets);
        let homes = state.frames.iter().filter(|frame| frame.is_home);
        let mut decisions: Vec<Decision> = homes.map(|frame| home(frame, packets)).collect();
        let free = self.wanted(&state);
        for port in PortSet(free.0 & inputs.sendable.0).iter() {
            let first = self.first(&state, port, now, (node, packets));
            if self.has_room(&state, &state.frames[first]) {
                decisions.push(self.link(&state, port, now, (node, packets)));
            }
        }
        let doing = |frame: &Frame| Doing {
            packet: packets[frame.packet].id,
            place: frame.place(),
            what: self.what(&state, frame, (&decisions, inputs.sendable), packets),
        };
        Explanation {
            packets: state.frames.iter().map(doing).collect(),
            decisions,
        }
    }

    /// A link is given to the first of those that want it.
    fn link(
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

    /// What a packet does.
    fn what(
        &self,
        state: &Node,
        frame: &Frame,
        (decisions, sendable): (&[Decision], PortSet),
        packets: &Packets,
    ) -> What {
        let id = packets[frame.packet].id;
        let port = frame.wants;
        let stays = |cause, culprit| What::Stays { cause, culprit };
        if frame.is_home {
            return What::Moves {
                to: Place::Output(self.topology.local()),
                deroute: false,
            };
        }
        if !frame.is_whole() {
            return stays(Cause::WordsBehind, None);
        }
        if !sendable.contains(port) {
            return stays(Cause::Crossing, None);
        }
        let to = frame.place_ahead();
        if frame.is_sending {
            return What::Sends { to };
        }
        let mut frames = state.frames.iter();
        if let Some(holder) = frames.find(|it| it.is_sending && it.wants == port) {
            return stays(Cause::OutputTaken, Some(packets[holder.packet].id));
        }
        match winner_of(decisions, port) {
            Some(winner) if winner == id => What::Moves { to, deroute: false },
            Some(winner) => stays(Cause::LostDecision, Some(winner)),
            None => stays(Cause::NoCredit, None),
        }
    }
}

impl Frame {
    /// Where it goes.
    fn place_ahead(&self) -> Place {
        Place::OutputChannel(self.wants, self.channel_ahead())
    }
}

/// Who gets a link.
fn winner_of(decisions: &[Decision], port: Port) -> Option<PacketId> {
    let mut of_port = decisions.iter().filter(|decision| {
        matches!(decision.subject, Subject::Place(Place::OutputChannel(of, _)) if of == port)
    });
    let decision = of_port.next()?;
    Some(decision.candidates[decision.winner?].packet)
}

/// What a packet has in its frame.
fn part(frame: &Frame, packets: &Packets) -> Part {
    Part {
        packet: packets[frame.packet].id,
        first: frame.gone,
        words: frame.came - frame.gone,
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
fn home(frame: &Frame, packets: &Packets) -> Decision {
    Decision {
        subject: Subject::Ejection,
        rule: &rules::HOME,
        candidates: vec![candidate(frame, 0, packets)],
        draw: None,
        winner: Some(0),
    }
}
