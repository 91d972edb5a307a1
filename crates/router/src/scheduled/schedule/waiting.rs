//! How many worms wait in a node at once.

use super::{ScheduleError, Span};
use flitwork_types::Cycle;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Finds a cycle in which more worms wait in a node than may.
pub(super) fn find_crowd(mut waits: Vec<Span>, most: u32) -> Result<(), ScheduleError> {
    waits.sort_unstable_by_key(|wait| (wait.node, wait.from, wait.packet));
    // The ends of those that wait in the node.
    let mut ends: BinaryHeap<Reverse<Cycle>> = BinaryHeap::new();
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
                cycle: wait.from,
                node: wait.node,
                packet: wait.packet,
                waiting: most,
            });
        }
    }
    Ok(())
}
