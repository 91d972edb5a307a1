//! Virtual channels by number, and where they lead.

use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// A virtual channel of a network: of an output port, or seen from the far end of an input port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChannelNumber(pub(super) u32);

impl ChannelNumber {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All virtual channels of a network, numbered by node, output port and channel.
pub(super) struct Links {
    pub(super) ports: usize,
    pub(super) channels: usize,
    /// For each node and output port, the node and input port at the far end.
    ends: Vec<Option<(NodeId, Port)>>,
}

impl Links {
    pub(super) fn new(topology: &dyn Topology, channels: u8) -> Links {
        let ports = topology.ports();
        let outputs = (0..topology.nodes()).flat_map(|node| {
            let node = NodeId(node);
            (0..ports as u8).map(move |port| (node, Port(port)))
        });
        let end = |(node, port)| topology.far(node, port);
        Links {
            ports,
            channels: channels.into(),
            ends: outputs.map(end).collect(),
        }
    }

    pub(super) fn nodes(&self) -> u32 {
        (self.ends.len() / self.ports) as u32
    }

    /// How many numbers there are; those of ports without a link belong to no channel.
    pub(super) fn count(&self) -> usize {
        self.ends.len() * self.channels
    }

    /// How many links there are.
    pub(super) fn existing(&self) -> u64 {
        self.ends.iter().flatten().count() as u64
    }

    /// The number of a virtual channel at an output port.
    pub(super) fn number(&self, node: NodeId, port: Port, channel: u8) -> ChannelNumber {
        let link = node.index() * self.ports + port.index();
        ChannelNumber((link * self.channels + usize::from(channel)) as u32)
    }

    /// Where a virtual channel begins: node, output port and channel.
    pub(super) fn place(&self, number: ChannelNumber) -> (NodeId, Port, u8) {
        let (link, channel) = (
            number.index() / self.channels,
            number.index() % self.channels,
        );
        let (node, port) = (link / self.ports, link % self.ports);
        (NodeId(node as u32), Port(port as u8), channel as u8)
    }

    /// The node and input port at the far end of an output port, if there is a link.
    pub(super) fn end_of(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        let own = &self.ends[node.index() * self.ports..][..self.ports];
        *own.get(port.index())?
    }

    /// The node at the far end of an existing channel, with the port and channel at which a head arrives
    /// there.
    pub(super) fn end(&self, number: ChannelNumber) -> (NodeId, (Port, u8)) {
        let link = number.index() / self.channels;
        let channel = (number.index() % self.channels) as u8;
        let (node, port) = self.ends[link].expect("heads are only at the ends of links");
        (node, (port, channel))
    }
}
