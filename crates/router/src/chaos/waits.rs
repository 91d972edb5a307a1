//! What packets wait for, derived from the frames alone.
//!
//! | a packet in | goes on once |
//! |---|---|
//! | an output frame | the far input frame is free |
//! | the multiqueue | one of its productive output frames is empty; with derouting, any at a link |
//! | an input frame | an output frame for its bypass is empty and the multiqueue isn't full; |
//! | | or its paired output frame is empty, and another packet goes there or the multiqueue isn't full |

use super::output::Output;
use super::{Chaos, Flow, Mask, Node};
use flitwork_node::{At, Place, Until, Wait, WaitsFor};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, PortSet};

/// What matters to all packets of a node.
struct Standing {
    /// Output frames that can't be decided on.
    shut: u64,
    /// Whether the multiqueue has no room.
    full: bool,
    /// The output frames to which a packet may be derouted, if they were empty.
    deroutes: u64,
    /// The output frames that packets of the multiqueue could take, if they were empty.
    wanted_by_queue: u64,
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// What each packet waits for. A packet that leaves its output frame, or can, waits for nothing.
    pub(super) fn waiting(
        &self,
        node: NodeId,
        state: &Node<M, P, Q, F>,
        packets: &Packets,
        now: Cycle,
    ) -> Vec<Wait> {
        let wait = |packet: PacketRef, place, waits_for| {
            Wait::of(node, &packets[packet], place, waits_for)
        };
        let standing = self.standing(state, now);
        let held_up = |wants: u64| match wants & !standing.shut {
            0 => WaitsFor::Outputs(PortSet(wants)),
            _ => WaitsFor::Nothing,
        };
        let mut waits = Vec::new();
        for port in PortSet(state.blocked.get()).iter() {
            if let Output::Full { packet, .. } = state.output(port) {
                waits.push(wait(
                    packet,
                    Place::Output(port),
                    self.behind_output(state, port),
                ));
            }
        }
        for (held, wants) in Self::queue(state) {
            let wait = wait(held.packet, Place::Queue, held_up(wants));
            waits.push(wait.until(self.until_dequeued(&standing, wants)));
        }
        for port in PortSet(state.occupied.get()).iter() {
            let held = state.inputs[port.index()];
            if !F::has_come(held.ready, now) {
                continue;
            }
            let wants = state.input_wants[port.index()].get();
            let waits_for = match (standing.full, self.bypasses(port)) {
                (true, _) => WaitsFor::QueueRoom,
                (false, true) => held_up(wants),
                (false, false) => self.behind_paired_output(&standing, port),
            };
            let wait = wait(held.packet, Place::Input(port), waits_for);
            waits.push(wait.until(self.until_leaves_input(&standing, port, wants)));
        }
        waits
    }

    fn standing(&self, state: &Node<M, P, Q, F>, now: Cycle) -> Standing {
        let wanted = Self::queue(state).fold(0, |all, (_, wants)| all | wants);
        let deroutes = match self.parameters.derouting {
            true => self.links & !state.missing.get(),
            false => 0,
        };
        Standing {
            shut: self.all & !self.open(state, now),
            full: self.full_at(state, now),
            deroutes,
            wanted_by_queue: if state.queued > 0 {
                wanted | deroutes
            } else {
                0
            },
        }
    }

    /// What the packet in an output frame waits for.
    fn behind_output(&self, state: &Node<M, P, Q, F>, port: Port) -> WaitsFor {
        if self.is_local(port) || F::has_begun(state, port) {
            WaitsFor::Nothing
        } else if state.lacks_credit(port) {
            WaitsFor::Neighbour(port)
        } else if self.takes_turns {
            WaitsFor::Turn(port)
        } else {
            WaitsFor::Nothing
        }
    }

    /// Whether packets in an input frame may go past the multiqueue.
    fn bypasses(&self, port: Port) -> bool {
        self.may_bypass >> port.0 & 1 == 1
    }

    /// What a packet waits for that leaves its input frame only for the multiqueue, which has room: a decision on its
    /// paired output, or its time to stall.
    fn behind_paired_output(&self, standing: &Standing, port: Port) -> WaitsFor {
        match standing.shut >> port.0 & 1 {
            1 if !self.behind_waiting => WaitsFor::Outputs(PortSet::only(port)),
            _ => WaitsFor::Nothing,
        }
    }

    /// An output frame is empty.
    fn until_empty(&self, standing: &Standing, output: Port) -> Until {
        match standing.shut >> output.0 & 1 {
            0 => Until::Time,
            // An empty frame that isn't open yet has no packet to wait for.
            _ => Until::leaves(output),
        }
    }

    /// The multiqueue has room.
    fn until_room(&self, standing: &Standing) -> Until {
        let most = self.parameters.multiqueue_frames as u32 - 1;
        match standing.full {
            true => Until::Room(At::Here(Place::Queue), most),
            false => Until::Time,
        }
    }

    fn until_dequeued(&self, standing: &Standing, wants: u64) -> Until {
        let outputs = PortSet(wants | standing.deroutes).iter();
        Until::any(outputs.map(|output| self.until_empty(standing, output)))
    }

    fn until_leaves_input(&self, standing: &Standing, port: Port, wants: u64) -> Until {
        let room = || self.until_room(standing);
        let outputs = PortSet(if self.bypasses(port) { wants } else { 0 }).iter();
        let bypass = |output| Until::all([self.until_empty(standing, output), room()]);
        let mut ways: Vec<Until> = outputs.map(bypass).collect();
        if !self.is_local(port) {
            // Its pair is decided on for another packet, which makes room in the multiqueue, or because it has stalled,
            // which needs room there. The rule of half-duplex links doesn't need the pair to be empty.
            let empty = match self.behind_waiting {
                true => Until::Time,
                false => self.until_empty(standing, port),
            };
            ways.push(match standing.wanted_by_queue >> port.0 & 1 {
                0 => Until::all([empty, room()]),
                _ => Until::any([
                    self.until_empty(standing, port),
                    Until::all([empty, room()]),
                ]),
            });
        }
        Until::any(ways)
    }
}
