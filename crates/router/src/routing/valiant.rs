//! Valiant's routing: first to a node drawn uniformly from all, then to the destination (Valiant and Brebner
//! 1981).
//!
//! Any pattern becomes uniform traffic twice over: the worst case is as good as the average, at half the best
//! throughput and twice the distance. Where nodes have coordinates both ways are in dimension order. Elsewhere they are
//! [shortest paths](super::two_paths), and the node is one with terminals; each way has classes of its own.

use super::contract::{Head, Stopovers};
use super::detour::ByWay;
use super::draws::PacketDraws;
use super::places::Places;
use super::two_paths::TwoPaths;
use super::two_phase::build_by_way_of;
use super::{Freedom, Needs, ORDERED, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_topology::Shape;
use flitwork_types::NodeId;

const NAME: &str = "valiant";

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: NAME,
    summary: "by way of a random node anywhere",
    needs: Needs::any(2, 4).or_graph(2),
    freedom: Freedom::Acyclic,
    reads: ORDERED,
    own: None,
    build: |parameters, shape| Ok(by_way_of_any(NAME, parameters, shape)?),
};

/// The same for a routing function of any name.
///
/// # Errors
/// Those of [`TwoPaths::build`], where nodes have no coordinates.
pub(super) fn by_way_of_any(
    name: &'static str,
    parameters: &RoutingParameters,
    shape: &Shape,
) -> Result<Box<dyn ByWay>, RoutingError> {
    match shape.grid() {
        Some(_) => Ok(build_by_way_of((anywhere, all), parameters, shape)),
        None => Ok(Box::new(TwoPaths::build(name, parameters, shape, 0)?)),
    }
}

fn all(places: &Places, _: NodeId, _: NodeId) -> Stopovers {
    Stopovers::AnyOf((0..places.nodes()).map(NodeId).collect())
}

#[inline]
fn anywhere(head: &Head, draws: PacketDraws, places: &Places) -> NodeId {
    NodeId(draws.of(head).below(0, places.nodes()))
}
