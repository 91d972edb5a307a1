//! Worms that never stop, on a mesh: each starts as early as its links are free (Roberts and Symvonis 1994, section 2.2,
//! algorithm Off-line_mesh_routing).
//!
//! ```text
//!     source ──▶──▶──┐
//!                    ▼
//!                    ▼
//!               destination
//! ```
//!
//! A worm's path has one bend, and a worm that has started moves in every step: its [`Start`] says all. Worms are placed one
//! after the other, in an [`Order`], and none of them moves again.
//!
//! A permutation of a mesh of n columns and m rows with worms of k words has its last start in step (n + m - 2)(2k - 1) or
//! before (Theorem 1): only the n - 1 worms of its row and the m - 1 for its column are in a worm's way, if all go
//! horizontally first, and each of them for 2k - 1 steps at most (Lemma 1).

mod legs;
mod order;
#[cfg(test)]
mod tests;

pub use order::Order;

use crate::{Hop, Plan, Request};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};
use legs::Table;

const NORTH: Port = Port(0);
const EAST: Port = Port(1);
const SOUTH: Port = Port(2);
const WEST: Port = Port(3);

/// The last step that a schedule may use.
const MAX_STEP: u32 = i32::MAX as u32;

/// The leg of its path that a worm takes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FirstLeg {
    /// Along its source's row.
    Horizontal,
    /// Along its source's column.
    Vertical,
}

/// Which paths a worm may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bends {
    /// Along its row, then along its destination's column: the paper's.
    HorizontalFirst,
    /// The one on which it starts earlier, horizontally first if both are as early.
    Either,
}

flitwork_schema::named!(Bends { Either = "either", HorizontalFirst = "horizontal-first" });

/// When a worm starts, and on which path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// The step, from 0, in which its first word leaves the source.
    pub step: u32,
    /// Where the path begins.
    pub first: FirstLeg,
}

impl Start {
    /// The worm's way over the mesh for which it was scheduled.
    pub fn plan(&self, mesh: &Grid, request: &Request) -> Plan {
        let (from, to) = (request.source, request.destination);
        let [x, y] = [0, 1].map(|dimension| mesh.distance_in(dimension, from, to));
        let width = mesh.sides()[0];
        let horizontal = if to.0 % width > from.0 % width {
            EAST
        } else {
            WEST
        };
        let vertical = if to > from { SOUTH } else { NORTH };
        let legs = match self.first {
            FirstLeg::Horizontal => [(horizontal, x), (vertical, y)],
            FirstLeg::Vertical => [(vertical, y), (horizontal, x)],
        };
        let ports = legs
            .into_iter()
            .flat_map(|(port, links)| std::iter::repeat_n(port, links as usize));
        let hops = ports.zip(self.step..);
        Plan {
            hops: hops.map(|(port, step)| Hop { port, step }).collect(),
        }
    }

    /// The steps until the worm's last word is there: 0 for one that stays where it is.
    pub fn end(&self, mesh: &Grid, request: &Request) -> u32 {
        match mesh.distance(request.source, request.destination) {
            0 => 0,
            links => self.step + links - 1 + request.words,
        }
    }
}

/// Why worms can't be scheduled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WormError {
    /// A torus, or a grid without exactly two dimensions.
    #[error("worms with one bend need a mesh of two dimensions")]
    NoMesh,
    /// A node that the mesh doesn't have.
    #[error("worm {worm}: the mesh has no node {node}")]
    NoNode {
        /// The worm's place among the requests.
        worm: usize,
        /// The node.
        node: NodeId,
    },
    /// A worm of no words.
    #[error("worm {worm} has no words; a worm has at least 1")]
    NoWords {
        /// Its place.
        worm: usize,
    },
    /// A worm that would still be under way after step 2^31 - 1.
    #[error("worm {worm} is under way after step {MAX_STEP}, the last there is")]
    TooLate {
        /// Its place.
        worm: usize,
    },
}

/// Schedules worms of any lengths on a mesh of two dimensions: in this order, each starts in the first step in which nothing is
/// in its way. The starts have the requests' order.
///
/// # Errors
/// A [`WormError`] for what isn't a mesh, or a worm that isn't one of its worms.
pub fn first_fit(
    mesh: &Grid,
    requests: &[Request],
    order: Order,
    bends: Bends,
) -> Result<Vec<Start>, WormError> {
    let starts = first_fit_while(mesh, requests, order, bends, &mut |_| true);
    // Whoever is always told to go on has starts.
    starts.map(Option::unwrap_or_default)
}

/// The same as long as `go_on` says so, which is asked now and then with the worms that are placed; no starts if it doesn't.
///
/// # Errors
/// As [`first_fit`].
pub fn first_fit_while(
    mesh: &Grid,
    requests: &[Request],
    order: Order,
    bends: Bends,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<Option<Vec<Start>>, WormError> {
    /// Worms that are placed before it is asked again: milliseconds on a mesh of 1024 x 1024.
    const ASK_WORMS: usize = 256;
    let sides = mesh.sides();
    let [width, height] = sides[..] else {
        return Err(WormError::NoMesh);
    };
    if mesh.wraps() {
        return Err(WormError::NoMesh);
    }
    for (worm, request) in requests.iter().enumerate() {
        if let Some(node) = request.beyond(mesh.nodes()) {
            return Err(WormError::NoNode { worm, node });
        }
        if request.words == 0 {
            return Err(WormError::NoWords { worm });
        }
    }
    let mut table = Table::new(width, height);
    let mut starts = vec![
        Start {
            step: 0,
            first: FirstLeg::Horizontal
        };
        requests.len()
    ];
    for (placed, worm) in order.sort(mesh, requests).into_iter().enumerate() {
        if placed.is_multiple_of(ASK_WORMS) && !go_on(placed) {
            return Ok(None);
        }
        let request = &requests[worm];
        let late = WormError::TooLate { worm };
        starts[worm] = table.place(request, bends).ok_or(late)?;
    }
    Ok(Some(starts))
}
