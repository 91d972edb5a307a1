//! How many worms wait in a node at once.

use super::ScheduleError;
use flitwork_types::{Cycle, NodeId, PacketId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cycles in which a worm's head waits in a node: from the first, before the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub(super) node: NodeId,
    pub(super) from: u64,
    pub(super) until: u64,
    pub(super) packet: PacketId,
}

/// Finds a cycle in which more worms wait in a node than may.
pub(super) fn find_crowd(mut waits: Vec<Wait>, most: u32) -> Result<(), ScheduleError> {
    waits.sort_unstable_by_key(|wait| (wait.node, wait.from, wait.packet));
    // The ends of those that wait in the node.
    let mut ends: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let mut node = None;
    for wait in waits {
        if node.replace(wait.node) != Some(wait.node) {
            ends.clear();
        }
        while ends.peek().is_some_and(|end| end.0 <= wait.from) {
            ends.pop();
        }
        ends.push(Reverse(wait.until));
        if ends.len() > most as usize {
            return Err(ScheduleError::Crowd {
                cycle: Cycle(wait.from as u32),
                node: wait.node,
                packet: wait.packet,
                waiting: most,
            });
        }
    }
    Ok(())
}
