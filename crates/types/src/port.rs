//! Nodes and their ports.

use std::fmt;

/// A node of a network, numbered row by row: `y * width + x` on a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index into a table of nodes.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The most nodes of a network.
pub const MAX_NODES: u32 = 1 << 24;
/// The most ports a node may have, the local ones (injection and delivery) included: as many as a [`PortSet`] has bits.
pub const MAX_PORTS: usize = 64;

/// A port of a node. A topology numbers its links' ports from 0; the port after the last of them is
/// the local one, where the node's own processor injects and takes delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u8);

impl Port {
    /// The number as an index into a table of ports.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of ports, one bit each.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PortSet(pub u64);

impl PortSet {
    /// No port.
    pub const EMPTY: PortSet = PortSet(0);

    /// The set of one port.
    #[inline]
    pub const fn only(port: Port) -> PortSet {
        PortSet(1 << port.0)
    }

    /// Ports 0 to `count` - 1; `count` is at most 64.
    #[inline]
    pub const fn first(count: usize) -> PortSet {
        PortSet(match count {
            64 => u64::MAX,
            _ => (1 << count) - 1,
        })
    }

    /// Whether `port` is in the set.
    #[inline]
    pub const fn contains(self, port: Port) -> bool {
        self.0 >> port.0 & 1 == 1
    }

    /// Adds a port.
    #[inline]
    pub const fn insert(&mut self, port: Port) {
        self.0 |= 1 << port.0;
    }

    /// Removes a port.
    #[inline]
    pub const fn remove(&mut self, port: Port) {
        self.0 &= !(1 << port.0);
    }

    /// Whether no port is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of ports in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The ports, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Port> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let port = Port(left.trailing_zeros() as u8);
                left &= left - 1;
                port
            })
        })
    }
}

impl FromIterator<Port> for PortSet {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Port>>(ports: I) -> PortSet {
        let add = |all: PortSet, port| PortSet(all.0 | PortSet::only(port).0);
        ports.into_iter().fold(PortSet::EMPTY, add)
    }
}

impl fmt::Debug for PortSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|port| port.0))
            .finish()
    }
}
