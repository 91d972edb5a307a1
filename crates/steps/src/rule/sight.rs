//! What a rule may know of a packet's destination.

use crate::leg::Leg;
use flitwork_topology::{MAX_DIMENSIONS, Topology};
use flitwork_types::NodeId;
use std::fmt::Debug;

/// What a rule may know of destinations, beyond the links that bring a packet closer to them.
pub trait Sight: Debug + Send + Sync + 'static {
    /// What it knows of one packet.
    type Of: Copy + Debug + PartialEq + Send;
    /// Whether it tells for which link a packet will wait, and whether it will be home, at the end of a link that it is about
    /// to cross.
    const IS_BEYOND_LINKS: bool;

    /// What it knows of a packet for `destination` that is `here`.
    fn of(topology: &impl Topology, here: NodeId, destination: NodeId) -> Self::Of;

    /// What it knows of one that is `here` on a leg: of the leg's goal.
    fn on_leg(topology: &impl Topology, here: NodeId, leg: &Leg) -> Self::Of {
        Self::of(topology, here, leg.goal)
    }
}

/// Nothing more.
#[derive(Debug)]
pub enum Blind {}

impl Sight for Blind {
    type Of = ();
    const IS_BEYOND_LINKS: bool = false;

    #[inline]
    fn of(_: &impl Topology, _: NodeId, _: NodeId) {}
}

/// How far it is.
#[derive(Debug)]
pub enum Distances {}

/// How far a packet has to go.
///
/// A grid has 2^24 nodes at most, so that no two of its sides are longer than 2^12: all dimensions but one fit into 16 bits, and that
/// one has what is left of all links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToGo {
    links: u32,
    dimensions: u8,
    along: [u16; MAX_DIMENSIONS],
}

/// More links than 16 bits hold: those that the other dimensions leave.
const REST: u16 = u16::MAX;

const _: () = assert!(flitwork_topology::MAX_NODES <= 1 << 24);

impl ToGo {
    /// None so far, in so many dimensions.
    #[inline]
    fn nothing(dimensions: usize) -> ToGo {
        ToGo {
            links: 0,
            dimensions: dimensions as u8,
            along: [0; MAX_DIMENSIONS],
        }
    }

    /// And these links in a dimension.
    #[inline]
    fn add(&mut self, dimension: usize, links: u32) {
        self.links += links;
        self.along[dimension] = u16::try_from(links).unwrap_or(REST);
    }

    /// Links of a shortest path.
    pub fn links(&self) -> u32 {
        self.links
    }

    /// The links of them that lead in [a dimension](crate::Here::dimension); on graphs without dimensions all.
    #[inline]
    pub fn along(&self, dimension: usize) -> u32 {
        let all = &self.along[..usize::from(self.dimensions)];
        match all.get(dimension) {
            Some(links) if *links < REST => (*links).into(),
            Some(_) => {
                let others = all.iter().filter(|links| **links < REST);
                self.links - others.map(|links| u32::from(*links)).sum::<u32>()
            }
            None => self.links,
        }
    }
}

impl Sight for Distances {
    type Of = ToGo;
    const IS_BEYOND_LINKS: bool = true;

    #[inline]
    fn of(topology: &impl Topology, here: NodeId, destination: NodeId) -> ToGo {
        let Some(grid) = topology.grid() else {
            let mut all = ToGo::nothing(0);
            all.links = topology.distance(here, destination);
            return all;
        };
        let dimensions = grid.ports() / 2;
        let mut all = ToGo::nothing(dimensions);
        for dimension in 0..dimensions {
            all.add(dimension, grid.distance_in(dimension, here, destination));
        }
        all
    }

    #[inline]
    fn on_leg(topology: &impl Topology, here: NodeId, leg: &Leg) -> ToGo {
        let Some(grid) = topology.grid() else {
            return Distances::of(topology, here, leg.goal);
        };
        let mut all = ToGo::nothing(grid.ports() / 2);
        all.add(grid.dimension(leg.port), leg.links);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;

    #[test]
    fn one_dimension_may_be_longer_than_16_bits_hold() {
        let of = |sides: &[u32], to: &[u32]| {
            let grid = Grid::mesh(sides).unwrap();
            let all = Distances::of(&grid, NodeId(0), grid.node_at(to));
            let along = (0..sides.len()).map(|dimension| all.along(dimension));
            (all.links(), along.collect::<Vec<_>>())
        };
        assert_eq!(of(&[1 << 24], &[70_000]), (70_000, vec![70_000]));
        // 65,534 and 65,535 links, and one more.
        for links in 65_533..65_537 {
            assert_eq!(of(&[100, 70_000], &[7, links]), (links + 7, vec![7, links]));
            assert_eq!(
                of(&[70_000, 2, 9], &[links, 1, 8]),
                (links + 9, vec![links, 1, 8])
            );
        }
        assert_eq!(of(&[4096, 4096], &[4095, 4095]), (8190, vec![4095, 4095]));
    }
}
