//! Where links lead.

use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// By node and port where the link there leads: looked up, where a topology may have to compute it.
#[derive(Debug)]
pub(super) struct Ends {
    ports: usize,
    /// A node, shifted, and a port of it; or [`NO_LINK`].
    far: Vec<u32>,
}

/// Nodes have 24 bits, and ports 6.
const PORT_BITS: u32 = 6;
const NO_LINK: u32 = u32::MAX;

const _: () = assert!(flitwork_types::MAX_NODES <= 1 << 24);
const _: () = assert!(flitwork_types::MAX_PORTS <= 1 << PORT_BITS);

impl Ends {
    pub(super) fn of(topology: &impl Topology) -> Ends {
        let ports = topology.ports();
        let packed = |(node, port)| match topology.far(node, port) {
            Some((far, through)) => far.0 << PORT_BITS | u32::from(through.0),
            None => NO_LINK,
        };
        let nodes = (0..topology.nodes()).map(NodeId);
        let links = nodes.flat_map(|node| (0..ports).map(move |port| (node, Port(port as u8))));
        Ends {
            ports,
            far: links.map(packed).collect(),
        }
    }

    /// The place of a link in tables by node and port.
    #[inline]
    pub(super) fn place(&self, node: NodeId, port: Port) -> usize {
        self.ports * node.index() + port.index()
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.far.len()
    }

    /// The node at the end of a link, and the port there.
    #[inline]
    pub(super) fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        let far = match port.index() < self.ports {
            true => self.far[self.place(node, port)],
            false => NO_LINK,
        };
        (far != NO_LINK).then(|| {
            let through = (far & ((1 << PORT_BITS) - 1)) as u8;
            (NodeId(far >> PORT_BITS), Port(through))
        })
    }
}
