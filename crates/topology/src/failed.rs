//! What is left of a network whose links have failed.
//!
//! ```text
//!        0 ── 1 ── 2           0 ── 1    2          0 ── 1 ╌╌ 2
//!        │    │    │    ──▶    │    │    │    ──▶   │    │    │      ╌╌ a failed link that is kept
//!        3 ── 4 ── 5           3 ── 4    5          3 ── 4    5
//!         intact                  failed               routed
//! ```
//!
//! Where failed links leave nodes apart, as many of these links as join the parts are kept, so that every routing function still finds a
//! path from each node to each. No shortest path between two nodes of one part leads over a kept link, since it would have to come back
//! over it; and routers send no packet to another part.

use crate::{Graph, GraphError, Topology};
use flitwork_types::{NodeId, Port, TerminalId};
use std::sync::Arc;

/// A link, by its end at the node with the lower number.
type End = (NodeId, Port);

impl Graph {
    /// A copy of a network without the links for which `has_failed` holds at either end, as a table: its coordinates, levels and
    /// groups, which say nothing about links that are missing, aren't copied. Failed links that join parts of it are kept, and
    /// [`Topology::is_joined`] tells the parts.
    ///
    /// # Errors
    /// A [`GraphError`] for more nodes than a graph may have, and for links that go one way.
    pub fn without(
        topology: &dyn Topology,
        has_failed: impl Fn(NodeId, Port) -> bool,
    ) -> Result<Graph, GraphError> {
        let mut graph = Graph::of_nodes(topology.nodes())?;
        let ports = (0..topology.ports() as u8).map(|port| topology.port_name(Port(port)));
        graph.name_ports(ports.collect())?;
        let nodes = || (0..topology.nodes()).map(NodeId);
        graph.name_nodes(nodes().map(|node| topology.node_name(node)).collect())?;
        let mut parts = Parts::apart(topology.nodes());
        let mut failed: Vec<(End, End)> = Vec::new();
        for node in nodes() {
            for port in topology.links(node).iter() {
                let Some(far) = topology.far(node, port) else {
                    continue;
                };
                if topology.far(far.0, far.1) != Some((node, port)) {
                    return Err(GraphError::OneWay(node, port));
                }
                if (node, port) > far {
                    continue;
                }
                if has_failed(node, port) || has_failed(far.0, far.1) {
                    failed.push(((node, port), far));
                } else {
                    parts.join(node, far.0);
                    graph.link((node, port), far, topology.link_cycles(node, port))?;
                }
            }
        }
        let working: Arc<[u32]> = nodes().map(|node| parts.of(node)).collect();
        for (end, far) in failed {
            if parts.join(end.0, far.0) {
                graph.link(end, far, topology.link_cycles(end.0, end.1))?;
            }
        }
        graph.set_terminals((0..topology.terminals()).map(|it| topology.home(TerminalId(it))))?;
        if nodes().any(|node| working[node.index()] != working[0]) {
            graph.structure.parts = Some(working);
        }
        graph.build()
    }
}

/// Which nodes are joined by links: sets of nodes that are merged.
struct Parts(Vec<u32>);

impl Parts {
    fn apart(nodes: u32) -> Parts {
        Parts((0..nodes).collect())
    }

    /// The node that stands for a node's part.
    fn of(&mut self, node: NodeId) -> u32 {
        let mut at = node.0;
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = self.0[at as usize];
        }
        at
    }

    /// Joins the parts of two nodes. Returns whether they were apart.
    fn join(&mut self, one: NodeId, other: NodeId) -> bool {
        let (one, other) = (self.of(one), self.of(other));
        self.0[one.max(other) as usize] = one.min(other);
        one != other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    /// The picture: without the links 1 to 2 and 4 to 5 of a mesh of 3 x 2, the first of them is kept, as if packets from 3 to 5
    /// left over it.
    #[test]
    fn parts_are_told_and_stay_linked() {
        let mesh = Grid::mesh(&[3, 2]).unwrap();
        let cut = [(NodeId(1), NodeId(2)), (NodeId(4), NodeId(5))];
        let has_failed = |node, port| {
            let far = mesh.far(node, port).unwrap().0;
            cut.contains(&(node, far))
        };
        let graph = Graph::without(&mesh, has_failed).unwrap();
        assert_eq!((graph.nodes(), graph.ports()), (6, 4));
        let joined = |one, other| graph.is_joined(NodeId(one), NodeId(other));
        assert!(joined(0, 4) && joined(2, 5) && joined(3, 1));
        assert!(!joined(0, 2) && !joined(5, 4) && !joined(1, 2));
        assert_eq!(graph.distance(NodeId(3), NodeId(5)), 4);
        assert_eq!(graph.distance(NodeId(1), NodeId(2)), 1);
        let links: usize = (0..6).map(|node| graph.links(NodeId(node)).len()).sum();
        assert_eq!(links, 2 * 6);
        for port in 0..4 {
            assert_eq!(graph.port_name(Port(port)), mesh.port_name(Port(port)));
        }
    }

    /// Ports keep their numbers, and a whole network is joined.
    #[test]
    fn a_network_without_failures_is_a_copy() {
        let torus = Grid::torus(&[4, 3]).unwrap();
        let graph = Graph::without(&torus, |_, _| false).unwrap();
        for node in (0..12).map(NodeId) {
            assert_eq!(graph.links(node), torus.links(node));
            for port in torus.links(node).iter() {
                assert_eq!(graph.far(node, port), torus.far(node, port));
            }
            for to in (0..12).map(NodeId) {
                assert!(graph.is_joined(node, to));
                assert_eq!(graph.distance(node, to), torus.distance(node, to));
            }
        }
    }

    /// A ring of five without one link, failed at its far end only, is a row.
    #[test]
    fn a_link_that_has_failed_at_either_end_is_left_out() {
        let mut ring = Graph::of_nodes(5).unwrap();
        for node in 0..5 {
            ring.join(NodeId(node), NodeId((node + 1) % 5)).unwrap();
        }
        let ring = ring.build().unwrap();
        let far = |node, port| ring.far(node, port).unwrap().0;
        let row = Graph::without(&ring, |node, port| {
            node == NodeId(3) && far(node, port).0 == 2
        });
        let row = row.unwrap();
        assert_eq!(row.distance(NodeId(2), NodeId(3)), 4);
        assert!(row.is_joined(NodeId(2), NodeId(3)));
    }
}
