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
//! A worm's path has one bend, and a worm that has started moves in every step: its [`Way`] says all. Worms are placed one
//! after the other, in an [`Order`], and none of them moves again.
//!
//! A permutation of a mesh of n columns and m rows with worms of k words has its last start in step (n + m - 2)(2k - 1) or
//! before (Theorem 1): only the n - 1 worms of its row and the m - 1 for its column are in a worm's way, if all go
//! horizontally first, and each of them for 2k - 1 steps at most (Lemma 1).

mod legs;
mod order;
#[cfg(test)]
mod tests;

pub use crate::bend::{Bend, Way};
pub use order::Order;

use crate::Request;
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use legs::Table;

/// The last step that a schedule may use.
const MAX_STEP: u32 = i32::MAX as u32;

/// Which paths a worm may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bends {
    /// Along its row, then along its destination's column: the paper's.
    HorizontalFirst,
    /// The one on which it starts earlier, horizontally first if both are as early.
    Either,
}

flitwork_schema::named!(Bends { Either = "either", HorizontalFirst = "horizontal-first" });

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
/// in its way. The starts have the requests' order; the number is the seed of a random one.
///
/// # Errors
/// A [`WormError`] for what isn't a mesh, or a worm that isn't one of its worms.
pub fn first_fit(
    mesh: &Grid,
    requests: &[Request],
    order: (Order, u64),
    bends: Bends,
) -> Result<Vec<Way>, WormError> {
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
    order: (Order, u64),
    bends: Bends,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<Option<Vec<Way>>, WormError> {
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
        Way {
            start: 0,
            bend: Bend::HorizontalFirst
        };
        requests.len()
    ];
    let (order, seed) = order;
    let sorted = order.sort(mesh, requests, seed);
    for (placed, worm) in sorted.into_iter().enumerate() {
        if placed.is_multiple_of(ASK_WORMS) && !go_on(placed) {
            return Ok(None);
        }
        let request = &requests[worm];
        let late = WormError::TooLate { worm };
        starts[worm] = table.place(request, bends).ok_or(late)?;
    }
    Ok(Some(starts))
}
