//! Who waits for whom when nothing moves.

use super::Machine;
use crate::meddler::Scheduled;
use crate::rule::Rule;
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use std::collections::HashMap;

impl<T: Topology, R: Rule> Machine<'_, T, R> {
    /// After a step in which nothing has moved: offers that were refused, each by the node that makes the next, and the last by
    /// the node that makes the first. None if refused offers form no circle.
    pub fn circle(&self) -> Option<Vec<Scheduled>> {
        if !self.crossing.is_empty() {
            return None;
        }
        // By node: its offers that weren't looked at, and its place on the way.
        let mut left: HashMap<NodeId, Vec<Scheduled>> = HashMap::new();
        for offer in &self.scheduled {
            left.entry(offer.from).or_default().push(*offer);
        }
        let mut on_way: HashMap<NodeId, usize> = HashMap::new();
        let mut way: Vec<Scheduled> = Vec::new();
        for root in &self.scheduled {
            let mut at = root.from;
            // Depth first: along offers, and back from nodes that have none left, for good.
            loop {
                while let Some(offer) = left.get_mut(&at).and_then(Vec::pop) {
                    on_way.insert(at, way.len());
                    way.push(offer);
                    at = offer.to;
                    if let Some(begin) = on_way.get(&at) {
                        return Some(way.split_off(*begin));
                    }
                }
                let Some(back) = way.pop() else {
                    break;
                };
                on_way.remove(&back.from);
                at = back.from;
            }
        }
        None
    }
}
