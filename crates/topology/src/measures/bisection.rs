//! The bisection: the fewest links whose removal parts the terminals into halves.

use super::cut::least_cut;
use super::load::{busiest_both_ways, shortest_path_load};
use crate::{Grid, Shape, Topology};

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
    /// That of a network; `None` for a graph that is too large to search.
    ///
    /// A grid with an even longest side is cut across it, which is the least. Otherwise a cut is searched for, and a bound found
    /// from below: if each pair of terminals of different halves exchanges packets over shortest paths, all of them cross the cut, and no link
    /// carries more than the busiest of all.
    pub fn of(shape: &Shape) -> Option<Bisection> {
        if let Some(links) = shape.grid().and_then(across_the_longest) {
            return Some(Bisection {
                least: links,
                most: links,
            });
        }
        if shape.nodes() > MAX_SEARCHED_NODES {
            return None;
        }
        let most = least_cut(shape);
        let load = shortest_path_load(shape);
        let terminals = u64::from(shape.terminals());
        // Both directions of each pair.
        let pairs = 2 * (terminals / 2) * terminals.div_ceil(2);
        let least = pairs as f64 / busiest_both_ways(shape, &load);
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

/// Links across the middle of the longest side of a grid, if that is even.
fn across_the_longest(grid: &Grid) -> Option<u64> {
    let longest = *grid.sides().iter().max()?;
    let lines = u64::from(grid.nodes() / longest);
    let cuts = if grid.wraps() { 2 } else { 1 };
    (longest % 2 == 0).then_some(lines * cuts)
}
