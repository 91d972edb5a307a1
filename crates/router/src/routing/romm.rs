//! ROMM: randomized, oblivious, multi-phase, minimal routing in two phases (Nesson and Johnsson 1995).
//!
//! The intermediate node is drawn uniformly from the nodes between source and destination: those of the box
//! that the shortest paths fill. On a torus the packet's coins choose among boxes of equal size.

use super::contract::{Chance, Head, Stopovers};
use super::draws::PacketDraws;
use super::places::{Bearing, Places};
use super::two_phase::build_by_way_of;
use super::{Freedom, Needs, ORDERED, RoutingEntry};
use flitwork_topology::Topology;
use flitwork_types::NodeId;

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "romm",
    summary: "by way of a random node between source and destination",
    needs: Needs::any(2, 4),
    freedom: Freedom::Acyclic,
    reads: ORDERED,
    own: None,
    build: |parameters, shape| {
        let grid = shape.grid().expect("it is defined on grids alone").clone();
        let between = move |head: &Head, draws: PacketDraws, places: &Places| {
            between(grid.home(head.packet.source), head, draws, places)
        };
        Ok(build_by_way_of((between, all_between), parameters, shape))
    },
};

/// Every node of the box, or of both boxes of equal size.
fn all_between(places: &Places, source: NodeId, destination: NodeId) -> Stopovers {
    let mut nodes = vec![(source, 1.0)];
    for axis in 0..places.dimensions() {
        let ways: &[bool] = match places.bearing(axis, source, destination) {
            Bearing::Here => continue,
            Bearing::Towards => &[false],
            Bearing::Away => &[true],
            Bearing::Either => &[false, true],
        };
        let mut all = Vec::new();
        for away in ways {
            let most = places.steps(axis, *away, source, destination);
            let part = 1.0 / (ways.len() as f64 * f64::from(most + 1));
            for steps in 0..=most {
                let moved = |(node, likely): &(NodeId, f64)| {
                    (places.moved(*node, axis, *away, steps), likely * part)
                };
                all.extend(nodes.iter().map(moved));
            }
        }
        nodes = all;
    }
    Stopovers::Between(nodes)
}

#[inline]
fn between(source: NodeId, head: &Head, draws: PacketDraws, places: &Places) -> NodeId {
    let numbers = draws.of(head);
    let mut node = source;
    for axis in 0..places.dimensions() {
        let away = match places.bearing(axis, source, head.destination) {
            Bearing::Here => continue,
            Bearing::Towards => false,
            Bearing::Away => true,
            // The coin that dimension order uses too.
            Bearing::Either => draws.coin(head, Chance::Drawn, axis),
        };
        let most = places.steps(axis, away, source, head.destination);
        let steps = numbers.below(axis as u32, most + 1);
        node = places.moved(node, axis, away, steps);
    }
    node
}
