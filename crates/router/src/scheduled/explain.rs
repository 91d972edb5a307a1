//! What a node keeps, and what its packets do. It decides nothing.

use super::{Lane, Node, Own, Scheduled, Way};
use flitwork_node::{
    Buffer, BufferState, Capacity, Cause, Doing, Explanation, Inputs, Part, Place, Register, Value,
    View, What,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port};

impl<T: Topology> Scheduled<T> {
    /// All that a node holds at the beginning of a cycle: packets at their source and, at their destination, those that
    /// have come in part. What passes through has left.
    pub(super) fn view(&self, state: &Node, packets: &Packets, now: Cycle) -> View {
        let own = state.own.iter().map(|own| Part {
            packet: packets[own.packet].id,
            first: own.gone,
            words: own.came - own.gone,
        });
        let came = state.lanes.iter().flatten().filter(|lane| lane.is_home());
        let came = came.map(|lane| Part {
            packet: packets[lane.packet].id,
            first: 0,
            words: lane.came,
        });
        let buffer = |place, held: Vec<Part>| Buffer {
            place,
            capacity: Capacity::Unbounded,
            held,
            state: BufferState::Usual,
        };
        View {
            buffers: vec![
                buffer(self.source(), own.collect()),
                buffer(Place::Assembly, came.collect()),
            ],
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
        for Own { port, start, .. } in &state.own {
            let left = Value::Cycles(start.since(now));
            registers.push(register("leaves by", self.source(), Value::Port(*port)));
            registers.push(register("starts after", self.source(), left));
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
            let way = self.next_of(word.packet, node, packets);
            let moves = self.moves(word.packet, way, node, packets);
            doings.push(doing(word.packet, Place::Input(port), moves, packets));
        }
        let fed = fed.iter().map(|(_, word)| word.packet);
        let fed = fed.map(|packet| self.own(packet, &packets[packet], node));
        let own = state.own.iter().copied().chain(fed);
        for own in own.filter(|own| own.gone == 0) {
            let what = match own.start <= now {
                true => self.moves(own.packet, Way::Link(own.port), node, packets),
                // Its time hasn't come.
                false => stays(Cause::SourceQueue),
            };
            doings.push(doing(own.packet, self.source(), what, packets));
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
                Way::Home => false,
            },
        }
    }

    fn place(&self, way: Way) -> Place {
        Place::Output(match way {
            Way::Link(port) => port,
            Way::Home => self.topology.local(),
        })
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
