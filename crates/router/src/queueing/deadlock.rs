//! Whether packets in queues of incoming links can wait for each other in a circle.
//!
//! A packet in the queue of a link waits for room in the queue of the next link on its way. If no circle of such waits is
//! possible, the last queues of each way empty, and then those before them (Dally and Seitz 1987).

use super::Deadlock;
use crate::routing::first_cycle;
use flitwork_topology::{Grid, Shape, Topology, first_dimension};
use flitwork_types::{NodeId, Port};

/// Graphs of more nodes aren't searched: each has its square of pairs.
const MOST_NODES: u32 = 4096;

/// What is known about deadlock on a network of this shape.
pub(super) fn verdict(shape: &Shape) -> Deadlock {
    if let Some(grid) = shape.grid() {
        return of_grid(grid);
    }
    if shape.nodes() > MOST_NODES {
        return Deadlock::Unknown(format!(
            "not known to be free of deadlock: graphs of more than {MOST_NODES} nodes aren't searched"
        ));
    }
    match circle(shape) {
        None => Deadlock::Free(
            "free of deadlock: no circle of queues in which packets can wait for each other".into(),
        ),
        Some(links) => Deadlock::May(format!(
            "may deadlock: packets in the queues of these links can wait for each other in a circle: {}",
            links.join(", ")
        )),
    }
}

/// Dimension by dimension, only a ring can close a circle, and only one of four nodes or more: in a shorter one nobody goes
/// over two of its links.
fn of_grid(grid: &Grid) -> Deadlock {
    let longest = grid.sides().iter().max().copied().unwrap_or(0);
    match grid.wraps() && longest > 3 {
        false => Deadlock::Free(
            "free of deadlock: in dimension order no queues wait for each other in a circle".into(),
        ),
        true => Deadlock::May(format!(
            "may deadlock: packets in the queues of a ring of {longest} nodes can wait for each other in a circle"
        )),
    }
}

/// A circle of links each of whose packets may want the next, if there is one, in words.
fn circle(topology: &impl Topology) -> Option<Vec<String>> {
    let (nodes, ports) = (topology.nodes(), topology.ports());
    let number = |node: NodeId, port: Port| node.index() * ports + port.index();
    // After each link, the next ones of the packets that cross it.
    let mut next = vec![Vec::new(); nodes as usize * ports];
    let way = |node, to| first_dimension(topology.productive(node, to), topology.grid());
    for to in (0..nodes).map(NodeId) {
        for from in (0..nodes).map(NodeId) {
            let Some(port) = way(from, to) else {
                continue;
            };
            let Some((far, _)) = topology.far(from, port) else {
                continue;
            };
            if let Some(on) = way(far, to) {
                let (before, after) = (number(from, port), number(far, on));
                if !next[before].contains(&after) {
                    next[before].push(after);
                }
            }
        }
    }
    let name = |link: usize| {
        let (node, port) = (link / ports, Port((link % ports) as u8));
        format!("{} of node {node}", topology.port_name(port))
    };
    let circle = first_cycle(next.len(), |link, tried| {
        let after = next[link].get(tried)?;
        Some((*after, tried + 1))
    });
    Some(circle?.into_iter().map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of grids is what a search finds.
    #[test]
    fn rings_of_four_close_a_circle() {
        let sides: [&[u32]; 8] = [
            &[2],
            &[3],
            &[4],
            &[5],
            &[3, 3],
            &[3, 4],
            &[2, 5],
            &[3, 3, 3],
        ];
        for sides in sides {
            for grid in [Grid::mesh(sides), Grid::torus(sides)]
                .into_iter()
                .flatten()
            {
                let is_free = matches!(of_grid(&grid), Deadlock::Free(_));
                assert_eq!(is_free, circle(&grid).is_none(), "{grid:?}");
            }
        }
    }
}
