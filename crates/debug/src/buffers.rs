//! Who is in a buffer.

use flitwork_engine::Simulation;
use flitwork_node::Place;
use flitwork_types::{NodeId, PacketId, Port};

/// The packet that has come last into an input buffer: whoever wants to follow waits for it. `None` while it is empty.
pub(crate) fn last_in(
    simulation: &Simulation,
    node: NodeId,
    (port, channel): (Port, u8),
) -> Option<PacketId> {
    let view = simulation.look(node)?;
    let lane = view.buffer(Place::InputChannel(port, channel));
    let buffer = lane.or_else(|| view.buffer(Place::Input(port)))?;
    buffer.held.last().map(|last| last.packet)
}
