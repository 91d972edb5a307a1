//! Packets whose paths are fixed.

use crate::{Hop, Plan, Request};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::collections::HashMap;

/// Why a path can't be scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A node that the topology doesn't have.
    #[error("packet {packet} begins in node {node}, which there isn't")]
    NoNode {
        /// The packet's place.
        packet: usize,
        /// The node.
        node: NodeId,
    },
    /// A hop through a port without a link.
    #[error("hop {hop} of packet {packet} has no link")]
    NoLink {
        /// The packet's place.
        packet: usize,
        /// The hop's.
        hop: usize,
    },
    /// A link that the path has crossed before.
    #[error("hops {} and {} of packet {packet} cross the same link; a path crosses each once at most", .hops[0], .hops[1])]
    NotSimple {
        /// The packet's place.
        packet: usize,
        /// The places of the hops that cross it.
        hops: [usize; 2],
    },
}

/// A link that some path crosses, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link(u32);

impl Link {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One hop of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) link: Link,
    /// The node to which it leads.
    pub(super) far: NodeId,
    port: Port,
}

/// Packets of one word with fixed paths, none of which crosses a link twice.
#[derive(Clone, Debug)]
pub struct Paths {
    requests: Vec<Request>,
    crossings: Vec<Vec<Crossing>>,
    /// For each link the packets that cross it, and by which hop.
    users: Vec<Vec<(usize, u32)>>,
}

impl Paths {
    /// Takes paths, each by its source and the ports through which it leads. One without a hop stays where it is.
    ///
    /// # Errors
    /// A [`PathError`] for the first that isn't a path, or crosses a link twice.
    pub fn new<'p>(
        topology: &impl Topology,
        paths: impl IntoIterator<Item = (NodeId, &'p [Port])>,
    ) -> Result<Paths, PathError> {
        let mut all = Paths {
            requests: Vec::new(),
            crossings: Vec::new(),
            users: Vec::new(),
        };
        let mut known = HashMap::new();
        for (packet, (source, ports)) in paths.into_iter().enumerate() {
            if source.0 >= topology.nodes() {
                return Err(PathError::NoNode {
                    packet,
                    node: source,
                });
            }
            let (mut at, mut crossings) = (source, Vec::with_capacity(ports.len()));
            for (hop, port) in ports.iter().enumerate() {
                let far = topology.neighbour(at, *port);
                let far = far.ok_or(PathError::NoLink { packet, hop })?;
                let fresh = Link(all.users.len() as u32);
                let link = *known.entry((at, *port)).or_insert(fresh);
                if link == fresh {
                    all.users.push(Vec::new());
                }
                let users = &mut all.users[link.index()];
                match users.last() {
                    Some((last, before)) if *last == packet => {
                        let hops = [*before as usize, hop];
                        return Err(PathError::NotSimple { packet, hops });
                    }
                    _ => users.push((packet, hop as u32)),
                }
                crossings.push(Crossing {
                    link,
                    far,
                    port: *port,
                });
                at = far;
            }
            all.crossings.push(crossings);
            all.requests.push(Request {
                source,
                destination: at,
                words: 1,
            });
        }
        Ok(all)
    }

    /// What is asked for: from where each packet goes where.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The congestion c: the most packets that cross one link.
    pub fn congestion(&self) -> u32 {
        self.users.iter().map(Vec::len).max().unwrap_or(0) as u32
    }

    /// The dilation d: the most links of a path.
    pub fn dilation(&self) -> u32 {
        self.crossings.iter().map(Vec::len).max().unwrap_or(0) as u32
    }

    /// A packet's hops.
    pub(super) fn crossings(&self, packet: usize) -> &[Crossing] {
        &self.crossings[packet]
    }

    /// For each link the packets that cross it, and by which of their hops.
    pub(super) fn users(&self) -> &[Vec<(usize, u32)>] {
        &self.users
    }

    /// How many packets there are.
    pub(super) fn packets(&self) -> usize {
        self.requests.len()
    }

    /// The plan of a packet, from the steps of its hops.
    pub(super) fn plan(&self, packet: usize, steps: impl IntoIterator<Item = u32>) -> Plan {
        let hops = self.crossings[packet].iter().zip(steps);
        let hops = hops.map(|(crossing, step)| Hop {
            port: crossing.port,
            step,
        });
        Plan {
            hops: hops.collect(),
        }
    }
}
