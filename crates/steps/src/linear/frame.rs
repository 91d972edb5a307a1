//! Directions: kinds of packets, and rows and columns exchanged.

use flitwork_types::{NodeId, Port, PortSet};

/// A kind of packets: north-east packets turned by quarters. Of a grid's ports, the k-th and the next lead where they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// North, and maybe east.
    NorthEast,
    /// East, and maybe south.
    SouthEast,
    /// South, and maybe west.
    SouthWest,
    /// West, and maybe north.
    NorthWest,
}

impl Kind {
    /// All of them, each a quarter turn on.
    pub const ALL: [Kind; 4] = [
        Kind::NorthEast,
        Kind::SouthEast,
        Kind::SouthWest,
        Kind::NorthWest,
    ];

    /// The link that leads north, if the kind is turned to north-east.
    pub fn north(self) -> Port {
        // Kinds are in the order of ports, both by quarter turns from the north.
        Port(self as u8)
    }

    /// The link that leads east, likewise.
    pub fn east(self) -> Port {
        Port((self.north().0 + 1) % 4)
    }

    /// The kind of a packet that has to go over these links: none if over none.
    pub fn of(productive: PortSet) -> Option<Kind> {
        let is_of = |kind: &Kind| {
            let west = Port((kind.north().0 + 3) % 4);
            productive.contains(kind.north()) && !productive.contains(west)
        };
        Kind::ALL.into_iter().find(is_of)
    }
}

/// Along which lines packets come closer in a phase, as if their kind were turned to north-east.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Columns, to the north.
    Vertical,
    /// Rows, to the east.
    Horizontal,
}

/// The directions of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The link over which packets come closer.
    pub(super) along: Port,
    /// The link over which they are balanced.
    pub(super) across: Port,
}

impl Frame {
    pub(super) fn new(kind: Kind, axis: Axis) -> Frame {
        let (north, east) = (kind.north(), kind.east());
        let (along, across) = match axis {
            Axis::Vertical => (north, east),
            Axis::Horizontal => (east, north),
        };
        Frame { along, across }
    }
}

/// The dimension in which a link leads.
pub(super) fn dimension(port: Port) -> usize {
    // North and south are along y.
    usize::from(port.0.is_multiple_of(2))
}

/// The link that leads back.
pub(super) fn back(port: Port) -> Port {
    Port((port.0 + 2) % 4)
}

/// How many nodes of a mesh are behind a node, seen in the direction of a link.
pub(super) fn coordinate(side: u32, node: NodeId, port: Port) -> u32 {
    let (x, y) = (node.0 % side, node.0 / side);
    match port.0 {
        0 => side - 1 - y,
        1 => x,
        2 => y,
        _ => side - 1 - x,
    }
}
