//! Progressive adaptive routing on groups: as [UGAL-L](super::ugal_l), but a packet that goes straight on decides once more at the node after its first hop, if that
//! is in its own group: there the queue of the link to another group can be seen (Jiang, Kim and Dally 2009, section 4.3).
//!
//! That hop is in a class of its own, before all others.

use super::contract::Sees;
use super::detour::{ByWay, THRESHOLD, where_busy};
use super::two_paths::TwoPaths;
use super::{Freedom, Needs, RoutingEntry};

const NAME: &str = "par";

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: NAME,
    summary: "as ugal-l, deciding again in the source's group",
    needs: Needs::groups(5),
    freedom: Freedom::Acyclic,
    reads: &[THRESHOLD],
    own: None,
    build: |parameters, shape| {
        let by_way = TwoPaths::build(NAME, parameters, shape, 1);
        let by_way = by_way.map(|it| Box::new(it) as Box<dyn ByWay>);
        where_busy(by_way, parameters, Sees::OwnNode)
    },
};
