//! What packets wait for, for the report on a network that no longer moves.

use super::output::Output;
use super::{Chaos, Flow, Mask, Node};
use flitwork_node::{Place, Wait, WaitsFor};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, PacketRef, Packets, PortSet};

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// What each packet waits for, derived from the frames alone. A packet that leaves its output frame, or can, waits for
    /// nothing.
    pub(super) fn waiting(
        &self,
        node: NodeId,
        state: &Node<M, P, Q, F>,
        packets: &Packets,
        now: Cycle,
    ) -> Vec<Wait> {
        let mut waits = Vec::new();
        let mut wait = |packet: PacketRef, place, waits_for| {
            let Packet {
                id, destination, ..
            } = packets[packet];
            waits.push(Wait {
                node,
                packet: id,
                destination,
                place,
                waits_for,
            });
        };
        let shut = self.all & !self.open(state, now);
        let held_up = |wants: u64| match wants & !shut {
            0 => WaitsFor::Outputs(PortSet(wants)),
            _ => WaitsFor::Nothing,
        };
        for port in PortSet(state.blocked.get()).iter() {
            let Output::Full { packet, .. } = state.output(port) else {
                continue;
            };
            let waits_for = if port == self.local || F::has_begun(state, port) {
                WaitsFor::Nothing
            } else if state.lacks_credit(port) {
                WaitsFor::Neighbour(port)
            } else if self.takes_turns {
                WaitsFor::Turn(port)
            } else {
                WaitsFor::Nothing
            };
            wait(packet, Place::Output(port), waits_for);
        }
        for (held, wants) in Self::queue(state) {
            wait(held.packet, Place::Queue, held_up(wants));
        }
        for port in PortSet(state.occupied.get()).iter() {
            let full = self.full_at(state, now);
            let wants = state.input_wants[port.index()].get();
            let waits_for = if full {
                WaitsFor::QueueRoom
            } else {
                held_up(wants)
            };
            wait(
                state.inputs[port.index()].packet,
                Place::Input(port),
                waits_for,
            );
        }
        waits
    }
}
