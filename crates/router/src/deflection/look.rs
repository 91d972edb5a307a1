//! What a node holds: what came over links has left.

use super::side_buffer::Waiting;
use super::{Deflection, Node};
use flitwork_node::{Capacity, Part, Place, Value, View, ViewBuilder};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Packets};

impl<T: Topology> Deflection<T> {
    /// All that a node holds at the beginning of a cycle.
    pub(super) fn view(&self, node: NodeId, state: &Node, packets: &Packets) -> View {
        let mut view = ViewBuilder::of_ports(self.topology.ports_of(node));
        for port in self.topology.local_ports().iter() {
            let own = state.injections.get(port.index() - self.topology.ports());
            let own = own.map(|own| Part::new(packets[own.packet].id, own.gone..own.came));
            view.frame(Place::Input(port), own, false);
        }
        let flits = self.parameters.side_buffer_flits;
        if flits > 0 {
            let aside = state.side_buffer.flits.iter();
            let aside = aside.map(|Waiting { packet, index }| {
                Part::new(packets[*packet].id, *index..*index + 1)
            });
            view.buffer(Place::SideBuffer, Capacity::Words(flits as u32), aside);
            // How long it has been refused.
            let refused = Value::Cycles(state.side_buffer.refused_cycles);
            view.register("found no link for", Place::SideBuffer, refused);
        }
        let came = state.assembly.iter();
        let came = came.map(|(packet, words)| Part::new(packet, 0..words));
        view.buffer(Place::Assembly, Capacity::Unbounded, came);
        let worms = state.lanes.iter().flat_map(|lanes| lanes.iter());
        for (port, lane) in worms {
            let at = Place::Input(port);
            view.register("worm", at, lane.packet);
            view.register("next word", at, Value::Number(lane.next.into()));
            view.register("goes to", at, lane.link);
        }
        view.build()
    }
}
