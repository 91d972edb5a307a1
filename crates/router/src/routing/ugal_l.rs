//! UGAL-L: straight on or by way of a random node, by the queues of the node where the packet is injected (Singh 2005; Kim, Dally, Scott and Abts 2008,
//! section 4.1). [What it compares](super::detour) has a table.

use super::contract::Sees;
use super::detour::{READS, where_busy};
use super::valiant::by_way_of_any;
use super::{Freedom, Needs, RoutingEntry};

const NAME: &str = "ugal-l";

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: NAME,
    summary: "straight on or by way of a random node, by the queues of its own node",
    needs: Needs::any(2, 4).or_graph(2),
    freedom: Freedom::Acyclic,
    reads: READS,
    own: None,
    build: |parameters, shape| {
        let by_way = by_way_of_any(NAME, parameters, shape);
        where_busy(by_way, parameters, Sees::OwnNode)
    },
};
