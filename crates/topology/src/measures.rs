//! What a network is like before anything runs on it: degrees, distances, and how few links part it into halves.

mod bisection;
mod cut;
mod load;

pub use bisection::Bisection;
pub use load::{busiest_link, shortest_path_load};

use crate::{Graph, Grid, Shape, Topology};
use flitwork_types::{Duplex, NodeId, Port, TerminalId};

/// A network's figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// Nodes that route: all of them.
    pub routers: u32,
    /// What sends and receives.
    pub terminals: u32,
    /// Links between nodes, each counted once, for both directions if it has both.
    pub links: u64,
    /// Those of them that lead one way only.
    pub one_way: u64,
    /// The fewest and the most links that begin at a node.
    pub degrees: (u32, u32),
    /// Links of the longest of the shortest paths between terminals.
    pub diameter_hops: u32,
    /// Links of a shortest path from a terminal to another, mean over all pairs of different terminals.
    pub mean_distance_hops: f64,
}

impl Measures {
    /// Those of a network. Takes time proportional to its nodes; on a graph, to the pairs of its terminals.
    pub fn of(shape: &Shape) -> Measures {
        let one_way = match shape {
            Shape::Grid(_) => 0,
            Shape::Graph(graph) => one_way_links(graph),
        };
        let degrees = || (0..shape.nodes()).map(|node| shape.links(NodeId(node)).len() as u64);
        let least = degrees().min().unwrap_or_default();
        let most = degrees().max().unwrap_or_default();
        let (diameter_hops, mean_distance_hops) = match shape {
            Shape::Grid(grid) => (grid.diameter_hops(), mean_of_grid(grid)),
            Shape::Graph(graph) => of_pairs(graph),
        };
        Measures {
            routers: shape.nodes(),
            terminals: shape.terminals(),
            links: degrees().sum::<u64>().midpoint(one_way),
            one_way,
            degrees: (least as u32, most as u32),
            diameter_hops,
            mean_distance_hops,
        }
    }
}

impl Measures {
    /// What no routing exceeds under uniform traffic, in words per terminal and cycle: a terminal makes one word a cycle at
    /// the most, what goes from half to half crosses the bisection, and each word takes as many links as its distance.
    pub fn uniform_bound(&self, bisection: Option<Bisection>, duplex: Duplex) -> f64 {
        let terminals = f64::from(self.terminals);
        let half = f64::from(self.terminals / 2);
        let (ways, both_ways) = match duplex {
            Duplex::Full => (1.0, (2 * self.links - self.one_way) as f64),
            Duplex::Half { .. } => (2.0, self.links as f64),
        };
        let by_distance = both_ways / (terminals * self.mean_distance_hops);
        // So many pairs are cut, each way.
        let pairs = half * (terminals - half);
        let by_cut = |cut: Bisection| cut.most as f64 * (terminals - 1.0) / (ways * pairs);
        let by_cut = bisection.map_or(1.0, by_cut);
        by_cut.min(by_distance).min(1.0)
    }
}

/// The links without one back.
fn one_way_links(graph: &Graph) -> u64 {
    let nodes = (0..graph.nodes()).map(NodeId);
    let links = nodes.flat_map(|node| graph.links(node).iter().map(move |port| (node, port)));
    let leads_back = |from: &(NodeId, Port)| {
        let far = graph.far(from.0, from.1);
        far.and_then(|(node, port)| graph.far(node, port)) == Some(*from)
    };
    links.filter(|from| !leads_back(from)).count() as u64
}

/// The sum over the dimensions of the mean distance between coordinates, which are independent; without the pairs of a node
/// and itself.
fn mean_of_grid(grid: &Grid) -> f64 {
    let along = |side: u32| -> f64 {
        let between = |apart: u32| match grid.wraps() {
            true => apart.min(side - apart),
            false => apart,
        };
        let pairs = |apart: u32| match apart {
            0 => 0.0,
            apart => 2.0 * f64::from(side - apart) * f64::from(between(apart)),
        };
        (0..side).map(pairs).sum::<f64>() / f64::from(side).powi(2)
    };
    let nodes = f64::from(grid.nodes());
    grid.sides().into_iter().map(along).sum::<f64>() * nodes / (nodes - 1.0)
}

/// Where packets enter and leave.
struct Ends {
    /// By node: how many terminals' packets enter there, and how many terminals take delivery there.
    enter: Vec<u64>,
    leave: Vec<u64>,
    /// By terminal: where its packets enter, and where it takes delivery.
    own: Vec<(NodeId, NodeId)>,
}

impl Ends {
    fn of(topology: &impl Topology) -> Ends {
        let nodes = topology.nodes() as usize;
        let (mut enter, mut leave) = (vec![0; nodes], vec![0; nodes]);
        let terminals = (0..topology.terminals()).map(TerminalId);
        let own = terminals.map(|terminal| (topology.entry(terminal), topology.home(terminal)));
        let own: Vec<(NodeId, NodeId)> = own.collect();
        for (entry, home) in &own {
            enter[entry.index()] += 1;
            leave[home.index()] += 1;
        }
        Ends { enter, leave, own }
    }

    /// The nodes of a table that aren't 0.
    fn used(table: &[u64]) -> impl Iterator<Item = (NodeId, u64)> + Clone {
        let nodes = (0..).map(NodeId).zip(table.iter().copied());
        nodes.filter(|(_, terminals)| *terminals > 0)
    }
}

/// The longest and the mean distance of all ordered pairs of different terminals.
fn of_pairs(topology: &impl Topology) -> (u32, f64) {
    let ends = Ends::of(topology);
    let is_one_terminal = |from, to| ends.own.contains(&(from, to));
    let (mut longest, mut sum) = (0, 0u64);
    for (from, senders) in Ends::used(&ends.enter) {
        for (to, receivers) in Ends::used(&ends.leave) {
            let (distance, pairs) = (topology.distance(from, to), senders * receivers);
            sum += u64::from(distance) * pairs;
            if distance > longest && !(pairs == 1 && is_one_terminal(from, to)) {
                longest = distance;
            }
        }
    }
    let own = ends
        .own
        .iter()
        .map(|(entry, home)| topology.distance(*entry, *home));
    let sum = sum - own.map(u64::from).sum::<u64>();
    let count = f64::from(topology.terminals());
    (longest, sum as f64 / (count * (count - 1.0)))
}
