//! How many packets wait in one place.

use super::paths::Paths;
use crate::Plan;
use crate::plan::Waits;

/// The longest queues of a schedule.
pub(super) struct Queues {
    /// In a node.
    pub(super) node: usize,
    /// At the end of a link.
    pub(super) link: usize,
}

/// The longest queues, of packets that have left their sources and aren't at their destinations.
pub(super) fn queues(paths: &Paths, plans: &[Plan]) -> Queues {
    let (mut nodes, mut links) = (Waits::default(), Waits::default());
    for (packet, plan) in plans.iter().enumerate() {
        for (hops, crossing) in plan.hops.windows(2).zip(paths.crossings(packet)) {
            let steps = hops[0].step + 1..hops[1].step;
            nodes.add(crossing.far, steps.clone());
            links.add(crossing.link.index(), steps);
        }
    }
    Queues {
        node: nodes.most(),
        link: links.most(),
    }
}
