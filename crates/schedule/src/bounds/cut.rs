//! Why packets can't all be there within so many steps, in whole numbers.

use super::{Model, distance};
use crate::Request;
use crate::multistage::Paths;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::collections::BTreeMap;

/// Prices at which packets would pay more than all room is worth.
///
/// Each packet pays for the links that its words cross and the places where it waits, in whichever way is the cheapest. Room
/// that is sold at most once can't bring in more than the prices of all of it, so if the cheapest ways cost more than that,
/// there is no schedule, not even one that divides packets (the dual of the multicommodity flow).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// The steps that are too few.
    pub steps: u32,
    /// The price of a link in a step.
    pub links: BTreeMap<(NodeId, Port, u32), u32>,
    /// The price of a place to wait in a node for a step.
    pub waits: BTreeMap<(NodeId, u32), u32>,
}

impl Cut {
    /// Whether packets would pay more than the room is worth. A packet that has no way in time does; one that isn't the
    /// graph's proves nothing.
    pub fn proves(&self, topology: &impl Topology, requests: &[Request], model: Model) -> bool {
        if distance(topology, requests).is_err() {
            return false;
        }
        let sum = |prices: &mut dyn Iterator<Item = &u32>| -> u128 {
            prices.map(|price| u128::from(*price)).sum()
        };
        let worth =
            sum(&mut self.links.values()) + sum(&mut self.waits.values()) * model.waiting as u128;
        let mut paid = 0;
        for request in requests {
            match self.cheapest(topology, request, model) {
                Some(price) => paid += u128::from(price),
                None => return true,
            }
        }
        paid > worth
    }

    /// What a packet pays at the least: nothing if it stays where it is, no answer if it can't be there in time.
    ///
    /// By node, what is still to be paid, from the last step back to the first.
    fn cheapest(&self, topology: &impl Topology, request: &Request, model: Model) -> Option<u64> {
        if request.source == request.destination {
            return Some(0);
        }
        let deadline = self.steps.checked_sub(request.words - 1)?;
        let mut next = vec![None; topology.nodes() as usize];
        next[request.destination.index()] = Some(0);
        let mut leaving: Option<u64> = None;
        for step in (0..deadline).rev() {
            let mut now = vec![None; next.len()];
            for node in (0..topology.nodes()).map(NodeId) {
                let mut ways = self.ways(topology, request, model.paths, (node, step), &next);
                let moves = ways.by_ref().min();
                if node == request.source {
                    leaving = leaving.into_iter().chain(moves).min();
                }
                let stays = next[node.index()].filter(|_| model.waiting > 0);
                let stays = stays.map(|then: u64| then + self.wait(node, step));
                now[node.index()] = moves.into_iter().chain(stays).min();
            }
            now[request.destination.index()] = Some(0);
            next = now;
        }
        leaving
    }

    /// What each link from a node costs, with all that comes after it.
    fn ways<'a>(
        &'a self,
        topology: &'a impl Topology,
        request: &'a Request,
        paths: Paths,
        (node, step): (NodeId, u32),
        next: &'a [Option<u64>],
    ) -> impl Iterator<Item = u64> + 'a {
        let words = step..step + request.words;
        let ports = paths.ports(topology, node, request.destination);
        let ports: Vec<Port> = ports.iter().collect();
        ports.into_iter().filter_map(move |port| {
            let far = topology.neighbour(node, port)?;
            let then = next[far.index()]?;
            let prices = self
                .links
                .range((node, port, words.start)..(node, port, words.end));
            Some(then + prices.map(|(_, price)| u64::from(*price)).sum::<u64>())
        })
    }

    fn wait(&self, node: NodeId, step: u32) -> u64 {
        self.waits.get(&(node, step)).copied().unwrap_or(0).into()
    }
}
