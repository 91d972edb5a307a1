//! A schedule of paths with one bend, each starting as early as it fits (Roberts and Symvonis 1994, algorithm
//! Off-line_mesh_routing).
//!
//! Each worm goes along its row and then along its column; with more dimensions, along one after the other.
//! In the order given, each starts in the first cycle in which its links are free for it. A permutation of an
//! n x n mesh with worms of k words takes at most (2 n - 2)(2 k - 1) cycles until the last start (Theorem 1).

use super::{Hop, Request, Route, Schedule, ScheduleError};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Port};
use std::collections::HashMap;

/// The spans during which a link is taken, each its begin and its end, in their order.
///
/// Cycles after the last one stand as that: a schedule that reaches them is refused.
type Taken = Vec<(Cycle, Cycle)>;

/// The path from one node to another along the first dimension, then the second, and so on.
pub fn dimension_order_path<T: Topology>(
    topology: &T,
    source: NodeId,
    destination: NodeId,
) -> Vec<Port> {
    let order = crate::deflection::port_order(topology.ports());
    let mut path = Vec::new();
    let mut node = source;
    while node != destination {
        let productive = topology.productive(node, destination);
        let mut ports = order.iter().copied();
        let port = ports.find(|port| productive.contains(*port));
        let port = port.expect("a port brings a packet closer to another node");
        path.push(port);
        node = topology.neighbour(node, port).expect("a productive link");
    }
    path
}

/// The first start from `earliest` on at which a worm of this many words finds all links of its path free.
/// Each step skips past a span in the way: no earlier start avoids it.
fn first_fit(
    taken: &HashMap<(NodeId, Port), Taken>,
    links: &[(NodeId, Port)],
    (words, link_latency_cycles): (u64, u64),
    earliest: u64,
) -> u64 {
    let mut start = earliest;
    let mut hop = 0;
    while hop < links.len() {
        let from = start + hop as u64 * link_latency_cycles;
        let spans = taken.get(&links[hop]).map_or(&[][..], |spans| spans);
        let later = spans.partition_point(|(begin, _)| u64::from(begin.get()) < from + words);
        let before = spans[..later].last();
        let until = before.map_or(0, |(_, end)| u64::from(end.get()));
        match until > from {
            true => {
                start += until - from;
                hop = 0;
            }
            false => hop += 1,
        }
    }
    start
}

/// Makes the schedule.
///
/// # Errors
/// A [`ScheduleError`] if it would take longer than a run may, or a worm has no words or no distance to
/// travel.
pub fn one_bend<T: Topology>(
    topology: &T,
    link_latency_cycles: u32,
    requests: &[Request],
) -> Result<Schedule, ScheduleError> {
    let mut taken: HashMap<(NodeId, Port), Taken> = HashMap::new();
    let mut earliest: HashMap<NodeId, u64> = HashMap::new();
    let mut routes = Vec::with_capacity(requests.len());
    for request in requests {
        let path = dimension_order_path(topology, request.source, request.destination);
        let mut node = request.source;
        let mut links = Vec::with_capacity(path.len());
        for port in &path {
            links.push((node, *port));
            node = topology.neighbour(node, *port).expect("a productive link");
        }
        let ready = earliest.entry(request.source).or_default();
        let (words, latency) = (request.words.into(), u64::from(link_latency_cycles));
        let start = first_fit(&taken, &links, (words, latency), *ready);
        *ready += words;
        for (hop, link) in links.into_iter().enumerate() {
            let from = start + hop as u64 * latency;
            let span = (Cycle::saturating(from), Cycle::saturating(from + words));
            let spans = taken.entry(link).or_default();
            spans.insert(spans.partition_point(|other| *other < span), span);
        }
        routes.push(Route {
            source: request.source,
            words: request.words,
            start: Cycle::saturating(start),
            path: path.into_iter().map(Hop::from).collect(),
        });
    }
    // Nothing that fits the starts is needed to check them.
    drop(taken);
    Schedule::new(topology, link_latency_cycles, 0, routes)
}
