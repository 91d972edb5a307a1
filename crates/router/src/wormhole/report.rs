//! What worms wait for, for the report on a network that no longer moves.

use super::{Node, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Place, Wait, WaitsFor};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketRef, Packets};

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    pub(super) fn waiting(
        &self,
        node: NodeId,
        state: &Node<B, N, P>,
        packets: &Packets,
    ) -> Vec<Wait> {
        let wait = |worm: PacketRef, place, waits_for| {
            let packet = packets[worm];
            Wait {
                node,
                packet: packet.id,
                destination: packet.destination,
                place,
                waits_for,
            }
        };
        let mut waits = Vec::new();
        for lane in state.occupied.numbers() {
            let front = &state.inputs[lane];
            let place = self.input_place(lane);
            let waits_for = if state.waiting.has(lane) {
                let wanted = front.preferred | front.fallback;
                WaitsFor::Channels(
                    wanted
                        .numbers()
                        .map(|lane| self.lanes().place(lane))
                        .collect(),
                )
            } else if state.roomy.has(lane) {
                WaitsFor::Nothing
            } else {
                let (port, channel) = self.lanes().place(state.output[lane].into());
                match port == self.local {
                    // The processor's credit is on its way.
                    true => WaitsFor::Nothing,
                    false => WaitsFor::Room(port, channel),
                }
            };
            waits.push(wait(front.worm, place, waits_for));
            for behind in self.behind(state, lane) {
                waits.push(wait(behind.worm, place, WaitsFor::Front));
            }
        }
        if let Some(packet) = state.injection.waiting() {
            let place = Place::Input(self.local);
            waits.push(wait(packet, place, WaitsFor::InputRoom));
        }
        waits
    }
}
