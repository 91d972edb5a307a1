//! Valiant's routing: first to any node, each alike, then to the destination (Valiant and Brebner 1981).
//!
//! Any pattern becomes uniform traffic twice over: the worst case is as good as the average, at half the
//! best throughput and twice the distance.

use super::contract::{Head, Routing};
use super::draws::PacketDraws;
use super::places::Places;
use super::two_phase::{Intermediate, TwoPhase};
use super::{RoutingError, RoutingParameters};
use flitwork_topology::Grid;
use flitwork_types::NodeId;

struct Anywhere;

impl Intermediate for Anywhere {
    #[inline]
    fn intermediate(&self, head: &Head, draws: PacketDraws, places: &Places) -> NodeId {
        NodeId(draws.of(head).below(0, places.nodes()))
    }
}

pub(super) fn build(
    parameters: &RoutingParameters,
    grid: &Grid,
) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(TwoPhase::new(Anywhere, parameters, grid)))
}
