//! What the figures of a network are divided by: its nodes and links.

use flitwork_config::Resolved;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// Every link of a network, by node and port.
pub fn links(topology: &dyn Topology) -> Vec<(u32, u8)> {
    let ports = |node| {
        topology
            .links(NodeId(node))
            .iter()
            .map(move |port| (node, port.0))
    };
    (0..topology.nodes()).flat_map(ports).collect()
}

/// A direction of a link, and the other one if it shares its wire.
pub type Wire = ((u32, u8), Option<(u32, u8)>);

/// Every wire of a configuration's network: one for each direction of a link, or for both.
pub fn wires(resolved: &Resolved) -> Vec<Wire> {
    let shape = &resolved.network.shape;
    let wire = |here: (u32, u8)| {
        if !resolved.network.duplex.is_half() {
            return Some((here, None));
        }
        let far = shape.far(NodeId(here.0), Port(here.1));
        let far = far.map(|(node, port)| (node.0, port.0));
        // Each once, from its lower end.
        (Some(here) < far).then_some((here, far))
    };
    links(shape).into_iter().filter_map(wire).collect()
}

/// The factor from a rate of the whole network to a rate per node that sends and receives.
pub fn per_node(resolved: &Resolved) -> f64 {
    1.0 / f64::from(resolved.network.shape.terminals())
}
