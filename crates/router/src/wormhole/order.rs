//! The order of a node's ports.

use crate::routing::ports_of;
use arrayvec::ArrayVec;
use flitwork_topology::Topology;
use flitwork_types::{MAX_PORTS, Port};

/// The order in which allocators see a node's ports: round robin and wavefronts go through them in it. Local ports are
/// the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PortOrder {
    /// The topology's: on a plane north, east, south, west.
    #[default]
    Compass,
    /// Dimension after dimension, in each away from 0 first: +x, -x, +y, -y and so on (BookSim 2, networks/kncube.cpp,
    /// `KNCube::_BuildNet`). On grids only.
    Pairs,
}

flitwork_schema::named!(PortOrder { Compass = "compass", Pairs = "pairs" });

/// Whose turn it is first, in an allocator that serves ports in turn. Either way turns go round the same circle of ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstTurn {
    /// The first link's.
    #[default]
    Link,
    /// The first local port's (BookSim 2, which numbers terminals' ports before links on anything but meshes and tori:
    /// networks/cmesh.cpp, flatfly_onchip.cpp, dragonfly.cpp, anynet.cpp).
    Local,
}

flitwork_schema::named!(FirstTurn { Link = "link", Local = "local" });

impl PortOrder {
    /// The ports of a topology's nodes in this order.
    ///
    /// # Panics
    /// If pairs are asked of a topology that isn't a grid.
    pub(super) fn of(self, topology: &impl Topology) -> ArrayVec<Port, MAX_PORTS> {
        match self {
            PortOrder::Compass => {
                let ports = topology.ports() + topology.locals();
                (0..ports as u8).map(Port).collect()
            }
            PortOrder::Pairs => {
                let grid = topology.grid().expect("only the ports of a grid are pairs");
                let dimensions = grid.sides().len();
                let pairs = (0..dimensions).flat_map(|axis| {
                    let (towards, away) = ports_of(axis, dimensions);
                    [away, towards]
                });
                pairs.chain(topology.local_ports().iter()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;

    fn names(order: PortOrder, sides: &[u32]) -> Vec<String> {
        let grid = Grid::torus(sides).unwrap();
        let ports = order.of(&grid);
        ports.iter().map(|port| grid.port_name(*port)).collect()
    }

    #[test]
    fn pairs_go_through_the_dimensions() {
        let plane = ["north", "east", "south", "west", "local"];
        assert_eq!(names(PortOrder::Compass, &[4, 4]), plane);
        let plane = ["east", "west", "south", "north", "local"];
        assert_eq!(names(PortOrder::Pairs, &[4, 4]), plane);
        assert_eq!(names(PortOrder::Pairs, &[4]), ["east", "west", "local"]);
        let cube = ["east", "west", "south", "north", "+d3", "-d3", "local"];
        assert_eq!(names(PortOrder::Pairs, &[3, 3, 3]), cube);
    }
}
