//! What a node keeps, and what its packets do. It decides nothing.

use super::{Kept, Lane, Node, Scheduled, Way};
use flitwork_node::{
    Buffer, BufferState, Capacity, Cause, Doing, Explanation, Inputs, Part, Place, Register, Value,
    View, What,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port};

impl<T: Topology> Scheduled<T> {
    /// All that a node holds at the beginning of a cycle: packets at their source, those that wait and, at their destination,
    /// those that have come in part. What passes through has left.
    pub(super) fn view(&self, state: &Node, packets: &Packets, now: Cycle) -> View {
        let kept_in = |place| {
            let here = state
                .kept
                .iter()
                .filter(move |kept| self.place_of(kept) == place);
            let parts = here.map(|kept| Part {
                packet: packets[kept.packet].id,
                first: kept.gone,
                words: kept.came - kept.gone,
            });
            parts.collect()
        };
        let came = state.lanes.iter().flatten().filter(|lane| lane.is_home());
        let came = came.map(|lane| Part {
            packet: packets[lane.packet].id,
            first: 0,
            words: lane.came,
        });
        let buffer = |place, capacity, held: Vec<Part>| Buffer {
            place,
            capacity,
            held,
            state: BufferState::Usual,
        };
        let mut buffers = vec![
            buffer(self.source(), Capacity::Unbounded, kept_in(self.source())),
            buffer(Place::Assembly, Capacity::Unbounded, came.collect()),
        ];
        let waiting = self.schedule().waiting();
        if waiting > 0 {
            let queued = kept_in(Place::Queue);
            buffers.push(buffer(Place::Queue, Capacity::Packets(waiting), queued));
        }
        View {
            buffers,
            credits: Vec::new(),
            registers: self.registers(state, packets, now),
        }
    }

    /// Where each packet starts and when, and where each worm goes.
    fn registers(&self, state: &Node, packets: &Packets, now: Cycle) -> Vec<Register> {
        let register = |name, at, value| Register {
            name,
            at: Some(at),
            value,
        };
        let mut registers = Vec::new();
        for kept @ Kept { port, start, .. } in &state.kept {
            let left = Value::Cycles(start.since(now));
            let at = self.place_of(kept);
            registers.push(register("leaves by", at, Value::Port(*port)));
            registers.push(register("starts after", at, left));
        }
        for (port, lane) in state.lanes.iter().enumerate() {
            let Some(Lane { packet, way, .. }) = lane else {
                continue;
            };
            let (at, worm) = (Place::Input(Port(port as u8)), packets[*packet].id);
            registers.push(register("worm", at, Value::Packet(worm)));
            registers.push(register("goes to", at, Value::Place(self.place(*way))));
        }
        registers
    }

    /// What the packets in the node do whose heads are there.
    pub(super) fn explanation(
        &self,
        node: NodeId,
        state: &Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        let mut doings = Vec::new();
        let heads = inputs.arrivals().filter(|(_, word)| word.flit.is_head());
        let (fed, passing): (Vec<_>, Vec<_>) =
            heads.partition(|(port, _)| *port == self.topology.local());
        for (port, word) in passing {
            let way = match self.next_of(word.packet, node, packets) {
                None => Way::Home,
                Some((port, start)) if start == now => Way::Link(port),
                Some(_) => Way::Queue,
            };
            let moves = self.moves(word.packet, way, node, packets);
            doings.push(doing(word.packet, Place::Input(port), moves, packets));
        }
        let fed = fed.iter().map(|(_, word)| word.packet);
        let fed = fed.map(|packet| self.own(packet, &packets[packet], node));
        let kept = state.kept.iter().copied().chain(fed);
        for kept in kept.filter(|kept| kept.gone == 0) {
            let place = self.place_of(&kept);
            let what = match kept.start <= now {
                true => self.moves(kept.packet, Way::Link(kept.port), node, packets),
                false if place == Place::Queue => stays(Cause::Schedule),
                false => stays(Cause::SourceQueue),
            };
            doings.push(doing(kept.packet, place, what, packets));
        }
        let ends = |port: usize| {
            let word = inputs.word(Port(port as u8));
            word.is_some_and(|word| word.flit.is_tail())
        };
        for (port, lane) in state.lanes.iter().enumerate() {
            if let Some(lane) = lane.filter(|lane| lane.is_home() && !ends(port)) {
                let behind = stays(Cause::WordsBehind);
                doings.push(doing(lane.packet, Place::Assembly, behind, packets));
            }
        }
        Explanation {
            decisions: Vec::new(),
            packets: doings,
        }
    }

    /// A head goes on.
    fn moves(&self, packet: PacketRef, way: Way, node: NodeId, packets: &Packets) -> What {
        let destination = packets[packet].destination;
        What::Moves {
            to: self.place(way),
            deroute: match way {
                Way::Link(port) => self.is_deroute(node, destination, port),
                Way::Queue | Way::Home => false,
            },
        }
    }

    fn place(&self, way: Way) -> Place {
        match way {
            Way::Link(port) => Place::Output(port),
            Way::Queue => Place::Queue,
            Way::Home => Place::Output(self.topology.local()),
        }
    }

    fn source(&self) -> Place {
        Place::Input(self.topology.local())
    }
}

impl Lane {
    fn is_home(&self) -> bool {
        matches!(self.way, Way::Home)
    }
}

fn stays(cause: Cause) -> What {
    What::Stays {
        cause,
        culprit: None,
    }
}

fn doing(packet: PacketRef, place: Place, what: What, packets: &Packets) -> Doing {
    Doing {
        packet: packets[packet].id,
        place,
        what,
    }
}
