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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToGo {
    links: u32,
    dimensions: usize,
    along: [u32; MAX_DIMENSIONS],
}

impl ToGo {
    /// Links of a shortest path.
    pub fn links(&self) -> u32 {
        self.links
    }

    /// The links of them that lead in [a dimension](crate::Here::dimension); on graphs without dimensions all.
    pub fn along(&self, dimension: usize) -> u32 {
        match self.along[..self.dimensions].get(dimension) {
            Some(links) => *links,
            None => self.links,
        }
    }
}

impl Sight for Distances {
    type Of = ToGo;
    const IS_BEYOND_LINKS: bool = true;

    #[inline]
    fn of(topology: &impl Topology, here: NodeId, destination: NodeId) -> ToGo {
        let mut along = [0; MAX_DIMENSIONS];
        let Some(grid) = topology.grid() else {
            return ToGo {
                links: topology.distance(here, destination),
                dimensions: 0,
                along,
            };
        };
        let dimensions = grid.ports() / 2;
        for (dimension, links) in along[..dimensions].iter_mut().enumerate() {
            *links = grid.distance_in(dimension, here, destination);
        }
        ToGo {
            links: along[..dimensions].iter().sum(),
            dimensions,
            along,
        }
    }
    #[inline]
    fn on_leg(topology: &impl Topology, here: NodeId, leg: &Leg) -> ToGo {
        let Some(grid) = topology.grid() else {
            return Distances::of(topology, here, leg.goal);
        };
        let mut along = [0; MAX_DIMENSIONS];
        along[grid.dimension(leg.port)] = leg.links;
        ToGo {
            links: leg.links,
            dimensions: grid.ports() / 2,
            along,
        }
    }
}
