//! What places are called in messages and tables.

use flitwork_node::Place;
use flitwork_topology::Topology;

/// A place in a node, with its port's name: `input frame north`, `multiqueue`, `output west channel 1`.
pub fn place_name(topology: &impl Topology, place: Place) -> String {
    let name = |port| topology.port_name(port);
    match place {
        Place::Input(port) if topology.is_local(port) => match topology.locals() {
            1 => "injection frame".into(),
            _ => format!("injection frame {}", name(port)),
        },
        Place::Input(port) => format!("input frame {}", name(port)),
        Place::Queue => "multiqueue".into(),
        Place::Output(port) => format!("output frame {}", name(port)),
        Place::InputChannel(port, channel) => format!("input {} channel {channel}", name(port)),
        Place::OutputChannel(port, channel) => format!("output {} channel {channel}", name(port)),
        Place::SideBuffer => "side buffer".into(),
        Place::Assembly => "assembly".into(),
    }
}
