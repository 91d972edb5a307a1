//! The bisection: the fewest links whose removal parts the terminals into halves.

use super::cut::least_cut;
use super::load::{busiest_link, shortest_path_load};
use super::one_way_links;
use crate::{Graph, Grid, Shape, Topology};
use flitwork_types::{Duplex, TerminalId};

/// How many links part the terminals into halves, which differ by one if their number is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bisection {
    /// No fewer do.
    pub least: u64,
    /// So many do: a cut was found.
    pub most: u64,
}

/// The largest graph that is searched for a cut: the search takes seconds.
const MAX_SEARCHED_NODES: u32 = 1 << 12;

impl Bisection {
    /// That of a network; `None` for a graph that is too large to search, or has links that lead one way,
    /// or terminals whose packets enter elsewhere.
    ///
    /// That of a grid is known. Otherwise a cut is searched for, and a bound found from below: if each pair of terminals of
    /// different halves exchanges packets over shortest paths, all of them cross the cut, and no link carries more than the
    /// busiest of all.
    pub fn of(shape: &Shape) -> Option<Bisection> {
        let graph = match shape {
            Shape::Grid(grid) => {
                let links = of_grid(grid);
                return Some(Bisection {
                    least: links,
                    most: links,
                });
            }
            Shape::Graph(graph) => graph,
        };
        if graph.nodes() > MAX_SEARCHED_NODES || one_way_links(graph) > 0 || !enters_at_home(graph)
        {
            return None;
        }
        let most = least_cut(graph);
        let load = shortest_path_load(graph);
        let terminals = u64::from(graph.terminals());
        // Both directions of each pair.
        let pairs = 2 * (terminals / 2) * terminals.div_ceil(2);
        let shared = Duplex::Half {
            turnaround_cycles: 0,
        };
        let least = pairs as f64 / busiest_link(graph, &load, shared);
        // Sums of parts may be a little too large.
        let least = (least - 1e-6).ceil() as u64;
        Some(Bisection {
            least: least.min(most),
            most,
        })
    }

    /// The number, if it is known.
    pub fn exact(self) -> Option<u64> {
        (self.least == self.most).then_some(self.most)
    }
}

/// Whether packets enter where their terminals take delivery.
fn enters_at_home(graph: &Graph) -> bool {
    let mut terminals = (0..graph.terminals()).map(TerminalId);
    terminals.all(|terminal| graph.entry(terminal) == graph.home(terminal))
}

/// Of a mesh: from the longest side to the longest even one, or to the last, the nodes for each node of that side and of
/// all longer ones, summed up. Of a torus twice as many (Arjona Aroca and Fernández Anta 2014).
fn of_grid(grid: &Grid) -> u64 {
    let mut sides = grid.sides();
    sides.retain(|side| *side > 1);
    sides.sort_unstable_by(|one, other| other.cmp(one));
    let even = sides.iter().position(|side| side % 2 == 0);
    let counted = even.map_or(sides.len(), |even| even + 1);
    let across = sides[..counted].iter().scan(grid.nodes(), |left, side| {
        *left /= side;
        Some(u64::from(*left))
    });
    let cuts = if grid.wraps() { 2 } else { 1 };
    cuts * across.sum::<u64>()
}
