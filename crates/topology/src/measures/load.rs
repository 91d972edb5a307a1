//! What links carry if all terminals send as much to each other.

use super::Ends;
use crate::Topology;
use flitwork_types::{Duplex, NodeId, Port};

/// For each node and port, how many of all ordered pairs of different terminals have a packet that crosses the link there,
/// if each takes any of its shortest paths as the flow divides: evenly over the productive ports of each node. In the order
/// of nodes, then ports.
pub fn shortest_path_load(topology: &impl Topology) -> Vec<f64> {
    let (nodes, ports) = (topology.nodes() as usize, topology.ports());
    let mut load = vec![0.0; nodes * ports];
    let ends = Ends::of(topology);
    for (to, receivers) in Ends::used(&ends.leave) {
        let senders = ends.enter.iter();
        let mut flow: Vec<f64> = senders
            .map(|senders| (senders * receivers) as f64)
            .collect();
        // Nobody sends to itself.
        for (entry, _) in ends.own.iter().filter(|(_, home)| *home == to) {
            flow[entry.index()] -= 1.0;
        }
        flow[to.index()] = 0.0;
        add_to(topology, to, flow, &mut load);
    }
    load
}

/// Adds what nodes send to one of them: those farthest from it first, each hands on what it has.
fn add_to(topology: &impl Topology, to: NodeId, mut flow: Vec<f64>, load: &mut [f64]) {
    let ports = topology.ports();
    let mut by_distance: Vec<(u32, NodeId)> = (0..topology.nodes())
        .map(|node| (topology.distance(NodeId(node), to), NodeId(node)))
        .collect();
    by_distance.sort_unstable_by(|one, other| other.cmp(one));
    for (_, node) in by_distance {
        let productive = topology.productive(node, to);
        let share = flow[node.index()] / productive.len() as f64;
        for port in productive.iter() {
            load[node.index() * ports + port.index()] += share;
            if let Some(far) = topology.neighbour(node, port) {
                flow[far.index()] += share;
            }
        }
    }
}

/// The most that a link carries of such a load: in one direction, or, if both share its wires, in both together.
pub fn busiest_link(topology: &impl Topology, load: &[f64], duplex: Duplex) -> f64 {
    let ports = topology.ports();
    let at = |node: NodeId, port: Port| load[node.index() * ports + port.index()];
    let nodes = (0..topology.nodes()).map(NodeId);
    let links = nodes.flat_map(|node| topology.links(node).iter().map(move |port| (node, port)));
    let carried = links.map(|(node, port)| {
        let back = match duplex {
            Duplex::Full => None,
            Duplex::Half { .. } => topology.far(node, port),
        };
        at(node, port) + back.map_or(0.0, |(far, back)| at(far, back))
    });
    carried.fold(0.0, f64::max)
}
