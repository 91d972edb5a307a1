//! How many packets wait in one place.

use super::paths::Paths;
use crate::Plan;

/// The longest queues of a schedule.
pub(super) struct Queues {
    /// In a node.
    pub(super) node: usize,
    /// At the end of a link.
    pub(super) link: usize,
}

/// The most of these that are under way at once: (place, first step, step after the last).
fn most(waits: impl Iterator<Item = (u32, u32, u32)>) -> usize {
    let mut changes = Vec::new();
    for (place, from, until) in waits {
        if from < until {
            changes.push((place, from, 1));
            changes.push((place, until, -1));
        }
    }
    changes.sort_unstable();
    // A place's changes add up to 0.
    let (mut now, mut most) = (0, 0);
    for (_, _, change) in changes {
        now += change;
        most = most.max(now);
    }
    most as usize
}

/// The longest queues, of packets that have left their sources and aren't at their destinations.
pub(super) fn queues(paths: &Paths, plans: &[Plan]) -> Queues {
    let waits = || {
        plans.iter().enumerate().flat_map(|(packet, plan)| {
            let pairs = plan.hops.windows(2).zip(paths.crossings(packet));
            pairs.map(|(hops, crossing)| (crossing, hops[0].step + 1, hops[1].step))
        })
    };
    Queues {
        node: most(waits().map(|(crossing, from, until)| (crossing.far.0, from, until))),
        link: most(
            waits().map(|(crossing, from, until)| (crossing.link.index() as u32, from, until)),
        ),
    }
}
