//! A circle of waits: each packet waits for the next, and the last for the first.

use flitwork_node::{Place, Wait, WaitsFor};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::collections::{BTreeMap, BTreeSet};

/// A party to a wait: a node, or a virtual channel's buffer at one of its inputs.
type Waiter = (NodeId, Option<(Port, u8)>);

/// A waiter of a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircleStep {
    /// The wait that holds it up behind the next, by its place among all waits.
    pub wait: usize,
    /// The node.
    pub node: NodeId,
    /// The link and the channel that lead to the next.
    pub link: String,
}

/// One party waits for another.
#[derive(Clone)]
struct Edge {
    to: Waiter,
    wait: usize,
    link: String,
}

/// A circle of nodes whose output frames wait for their neighbours, or of buffers that wait for each other;
/// empty where there is none.
pub fn circle(topology: &dyn Topology, waits: &[Wait]) -> Vec<CircleStep> {
    let mut edges: BTreeMap<Waiter, Vec<Edge>> = BTreeMap::new();
    for (number, wait) in waits.iter().enumerate() {
        for (from, edge) in edges_of(topology, number, wait) {
            edges.entry(from).or_default().push(edge);
        }
    }
    drop_who_waits_for_nobody(&mut edges);
    let Some(start) = edges.keys().next() else {
        return Vec::new();
    };
    // Everyone left waits for someone left, so the walk returns to a place where it has been. What came before that
    // place leads to the circle and is not on it.
    let mut path: Vec<(Waiter, &Edge)> = Vec::new();
    let mut waiter = *start;
    let first = loop {
        if let Some(first) = path.iter().position(|(seen, _)| *seen == waiter) {
            break first;
        }
        let edge = &edges[&waiter][0];
        path.push((waiter, edge));
        waiter = edge.to;
    };
    let on_circle = path[first..].iter();
    let steps = on_circle.map(|((node, _), edge)| CircleStep {
        wait: edge.wait,
        node: *node,
        link: edge.link.clone(),
    });
    steps.collect()
}

/// Removes every party that waits for no waiting party, until only circles and what leads to them are left.
fn drop_who_waits_for_nobody(edges: &mut BTreeMap<Waiter, Vec<Edge>>) {
    loop {
        let before = edges.values().map(Vec::len).sum::<usize>();
        let waiting: BTreeSet<Waiter> = edges.keys().copied().collect();
        edges
            .values_mut()
            .for_each(|far| far.retain(|edge| waiting.contains(&edge.to)));
        edges.retain(|_, far| !far.is_empty());
        if edges.values().map(Vec::len).sum::<usize>() == before {
            return;
        }
    }
}

/// The parties to a packet's wait: who waits, and for whom.
fn edges_of(topology: &dyn Topology, number: usize, wait: &Wait) -> Vec<(Waiter, Edge)> {
    let named = |port, channel: Option<u8>| {
        let channel = channel.map_or(String::new(), |channel| format!(" channel {channel}"));
        format!("{}{channel}", topology.port_name(port))
    };
    let lane = match wait.place {
        Place::InputChannel(port, channel) => Some((port, channel)),
        _ => None,
    };
    let edge = |port: Port, channel: Option<u8>| {
        let (far, far_port) = topology.far(wait.node, port)?;
        let there = channel.map(|channel| (far_port, channel));
        let edge = Edge {
            to: (far, there),
            wait: number,
            link: named(port, channel),
        };
        Some(((wait.node, lane), edge))
    };
    match &wait.waits_for {
        WaitsFor::Neighbour(port) => edge(*port, None).into_iter().collect(),
        WaitsFor::Room(port, channel) => edge(*port, Some(*channel)).into_iter().collect(),
        WaitsFor::Channels(wanted) => wanted
            .iter()
            .filter_map(|(port, channel)| edge(*port, Some(*channel)))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;
    use flitwork_types::PacketId;

    const EAST: Port = Port(1);
    const SOUTH: Port = Port(2);
    const NORTH: Port = Port(0);
    const WEST: Port = Port(3);

    /// A packet in an output frame that waits for the neighbour.
    fn held(node: u32, port: Port) -> Wait {
        wait(node, Place::Output(port), WaitsFor::Neighbour(port))
    }

    fn wait(node: u32, place: Place, waits_for: WaitsFor) -> Wait {
        Wait {
            node: NodeId(node),
            packet: PacketId {
                source: NodeId(node),
                serial: 0,
            },
            destination: NodeId(0),
            place,
            waits_for,
        }
    }

    fn nodes_of(steps: &[CircleStep]) -> Vec<u32> {
        steps.iter().map(|step| step.node.0).collect()
    }

    /// Nodes 0 to 5 of a mesh of 3 x 2:
    ///
    /// ```text
    ///   0 ─▶ 1 ─▶ 2        1, 2, 5 and 4 wait for each other; 0 waits for 1, and 3 for 0,
    ///   ▲    ▲    ▼        and nobody on the circle for them.
    ///   3    4 ◀─ 5
    /// ```
    #[test]
    fn what_leads_to_a_circle_is_not_on_it() {
        let grid = Grid::mesh(&[3, 2]).unwrap();
        let waits = [
            held(3, NORTH),
            held(0, EAST),
            held(1, EAST),
            held(2, SOUTH),
            held(4, NORTH),
            held(5, WEST),
        ];
        let steps = circle(&grid, &waits);
        assert_eq!(nodes_of(&steps), [1, 2, 5, 4]);
        let links: Vec<&str> = steps.iter().map(|step| step.link.as_str()).collect();
        assert_eq!(links, ["east", "south", "west", "north"]);
        // Each edge comes from the wait of its own node, whatever the order of the waits.
        for step in &steps {
            assert_eq!(waits[step.wait].node, step.node);
        }
    }

    /// The same without the wait of node 4: 3, 0, 1, 2, 5 and 4 are a path.
    #[test]
    fn a_path_is_no_circle() {
        let grid = Grid::mesh(&[3, 2]).unwrap();
        let waits = [
            held(3, NORTH),
            held(0, EAST),
            held(1, EAST),
            held(2, SOUTH),
            held(5, WEST),
        ];
        assert_eq!(circle(&grid, &waits), []);
        // Nor is a path whose end waits for something in its own node.
        let inside = wait(4, Place::Queue, WaitsFor::QueueRoom);
        let waits = [&waits[..], &[inside]].concat();
        assert_eq!(circle(&grid, &waits), []);
    }

    /// On a ring of three nodes the buffers of channel 0 wait for each other. Node 1's buffer of channel 1 waits for
    /// one on the circle, and for a free one: it isn't on the circle, but the buffer that wants either channel of node
    /// 2 is.
    #[test]
    fn a_circle_of_buffers_keeps_to_its_channels() {
        let grid = Grid::torus(&[3]).unwrap();
        let right = Port(0);
        let left = grid.opposite(right);
        let lane = |node, channel, waits_for| {
            let place = Place::InputChannel(left, channel);
            wait(node, place, waits_for)
        };
        let waits = [
            lane(0, 1, WaitsFor::Room(right, 0)),
            lane(0, 0, WaitsFor::Room(right, 0)),
            lane(1, 1, WaitsFor::Front),
            lane(1, 0, WaitsFor::Channels(vec![(right, 1), (right, 0)])),
            lane(2, 0, WaitsFor::Room(right, 0)),
        ];
        let steps = circle(&grid, &waits);
        let seen: Vec<(usize, &str)> = steps
            .iter()
            .map(|step| (step.wait, step.link.as_str()))
            .collect();
        let mut seen = seen;
        // It may start at any of its nodes.
        seen.sort_unstable();
        let name = grid.port_name(right);
        let link = format!("{name} channel 0");
        assert_eq!(seen, [(1, &*link), (3, &*link), (4, &*link)]);
    }
}
