//! What a node holds: what came over links has left.

use super::side_buffer::Waiting;
use super::{Deflection, Node};
use flitwork_node::{Buffer, BufferState, Capacity, Part, Place, Register, Value, View};
use flitwork_topology::Topology;
use flitwork_types::Packets;

impl<T: Topology> Deflection<T> {
    /// All that a node holds at the beginning of a cycle.
    pub(super) fn view(&self, state: &Node, packets: &Packets) -> View {
        let source = Place::Input(self.topology.local());
        let own = state.injection.iter().map(|own| Part {
            packet: packets[own.packet].id,
            first: own.gone,
            words: own.came - own.gone,
        });
        let aside = state.side_buffer.iter();
        let aside = aside.map(|Waiting { packet, index }| Part {
            packet: packets[*packet].id,
            first: *index,
            words: 1,
        });
        let came = state.assembly.iter().map(|(packet, words)| Part {
            packet,
            first: 0,
            words,
        });
        let buffer = |place, capacity, held: Vec<Part>| Buffer {
            place,
            capacity,
            held,
            state: BufferState::Usual,
        };
        let flits = self.parameters.side_buffer_flits;
        let side_buffer = (flits > 0).then(|| {
            let capacity = Capacity::Words(flits as u32);
            buffer(Place::SideBuffer, capacity, aside.collect())
        });
        let mut buffers = vec![buffer(source, Capacity::Packets(1), own.collect())];
        buffers.extend(side_buffer);
        buffers.push(buffer(Place::Assembly, Capacity::Unbounded, came.collect()));
        View {
            buffers,
            credits: Vec::new(),
            registers: self.registers(state),
        }
    }

    /// How long the side buffer has been refused, and the worms.
    fn registers(&self, state: &Node) -> Vec<Register> {
        let register = |name, at, value| Register {
            name,
            at: Some(at),
            value,
        };
        let mut registers = Vec::new();
        if self.parameters.side_buffer_flits > 0 {
            let refused = Value::Cycles(state.side_buffer.refused_cycles);
            registers.push(register("found no link for", Place::SideBuffer, refused));
        }
        let lanes = state.lanes.iter().flat_map(|lanes| lanes.iter());
        for (port, lane) in lanes {
            let at = Place::Input(port);
            registers.push(register("worm", at, Value::Packet(lane.packet)));
            registers.push(register("next word", at, Value::Number(lane.next.into())));
            registers.push(register("goes to", at, Value::Port(lane.link)));
        }
        registers
    }
}
