//! Valiant's routing: first to a node drawn uniformly from all, then to the destination (Valiant and Brebner
//! 1981).
//!
//! Any pattern becomes uniform traffic twice over: the worst case is as good as the average, at half the best
//! throughput and twice the distance.

use super::contract::Head;
use super::draws::PacketDraws;
use super::places::Places;
use super::two_phase::build_by_way_of;
use super::{Freedom, Needs, ORDERED, RoutingEntry};
use flitwork_types::NodeId;

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "valiant",
    summary: "by way of a random node anywhere",
    needs: Needs::any(2, 4),
    freedom: Freedom::Acyclic,
    reads: ORDERED,
    own: None,
    build: |parameters, shape| build_by_way_of(anywhere, parameters, shape),
};

#[inline]
fn anywhere(head: &Head, draws: PacketDraws, places: &Places) -> NodeId {
    NodeId(draws.of(head).below(0, places.nodes()))
}
