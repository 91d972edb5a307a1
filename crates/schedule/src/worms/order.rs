//! In which order worms are placed.

use crate::Request;
use crate::draws::Draws;
use flitwork_schema::named;
use flitwork_topology::Grid;
use std::cmp::Reverse;

/// In which order worms are placed. Those that an order doesn't tell apart are placed by source, row after row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// By source, row after row.
    RowMajor,
    /// By source, column after column.
    ColumnMajor,
    /// Any order, all as likely.
    Random,
    /// The greatest distance first.
    LongestFirst,
    /// The smallest distance first.
    ShortestFirst,
    /// The greatest horizontal distance first, then the greatest vertical one. The paper orders packets "lexicographically" by
    /// the two, and claims 3n - 3 steps for k = 1 on a mesh of n x n. The greatest first is what makes it so: in the way of a
    /// packet that has h links to go to the east are only those of its row that go as far or further, and so start in one of
    /// n - h columns. Its delay and its distance, of the row, add up to n - 1 at most; of the column, to 2n - 3.
    Lexicographic,
}

named!(Order {
    ColumnMajor = "column-major",
    Lexicographic = "lexicographic",
    LongestFirst = "longest-first",
    Random = "random",
    RowMajor = "row-major",
    ShortestFirst = "shortest-first",
});

impl Order {
    /// The requests' places, in this order; the seed is that of the random one.
    pub(super) fn sort(self, mesh: &Grid, requests: &[Request], seed: u64) -> Vec<usize> {
        let mut worms: Vec<usize> = (0..requests.len()).collect();
        worms.sort_by_key(|worm| requests[*worm].source);
        let ends = |worm: usize| (requests[worm].source, requests[worm].destination);
        let along = |dimension: usize, worm: usize| {
            let (from, to) = ends(worm);
            mesh.distance_in(dimension, from, to)
        };
        let distance = |worm: &usize| along(0, *worm) + along(1, *worm);
        match self {
            Order::RowMajor => {}
            Order::ColumnMajor => {
                let width = mesh.sides()[0];
                worms.sort_by_key(|worm| ends(*worm).0.0 % width);
            }
            Order::Random => Draws::new(seed).shuffle(&mut worms),
            Order::LongestFirst => worms.sort_by_cached_key(|worm| Reverse(distance(worm))),
            Order::ShortestFirst => worms.sort_by_cached_key(distance),
            Order::Lexicographic => {
                worms.sort_by_cached_key(|worm| Reverse((along(0, *worm), along(1, *worm))));
            }
        }
        worms
    }
}
