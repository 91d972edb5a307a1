//! What the turn models share: shortest paths on a mesh, and all virtual channels equivalent.

use super::RoutingParameters;
use super::channels::all;
use super::contract::Declaration;
use super::places::Places;
use flitwork_topology::Grid;

/// The dimensions of a plane.
pub(super) const X: usize = 0;
pub(super) const Y: usize = 1;

/// The positions of nodes, and all virtual channels.
pub(super) struct TurnModel {
    pub(super) places: Places,
    pub(super) channels: u32,
}

impl TurnModel {
    pub(super) fn new(parameters: &RoutingParameters, grid: &Grid) -> TurnModel {
        TurnModel {
            places: Places::new(grid),
            channels: all(parameters.channels),
        }
    }

    pub(super) fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels.count_ones() as u8)
    }
}
