//! What the figures of a network are divided by: its nodes and links.

use flitwork_config::Resolved;
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// Every link of a network, by node and port.
pub fn links(topology: &dyn Topology) -> Vec<(u32, u8)> {
    let ports = |node| {
        topology
            .links(NodeId(node))
            .iter()
            .map(move |port| (node, port.0))
            .collect::<Vec<_>>()
    };
    (0..topology.nodes()).flat_map(ports).collect()
}

/// The factor from a rate of the whole network to a rate per node that sends and receives.
pub fn per_node(resolved: &Resolved) -> f64 {
    1.0 / f64::from(resolved.network.shape.terminals())
}
