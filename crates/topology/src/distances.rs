//! What a graph knows of the distances of its nodes.

use flitwork_types::NodeId;
use std::fmt;
use std::sync::Arc;

/// The most nodes of a graph whose topology knows their distances. Nothing grows with their pairs, but what a network is like takes
/// time for each pair.
pub const MAX_COMPUTED_NODES: u32 = 1 << 16;

/// The distances that a topology knows of its nodes by arithmetic.
pub(crate) trait Distances: fmt::Debug + Send + Sync {
    /// Links on a shortest path.
    fn between(&self, from: NodeId, to: NodeId) -> u32;

    /// The most links of a shortest path between any two nodes.
    fn longest(&self) -> u32;
}

/// Where a graph's distances come from.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// Its grid computes them.
    ByGrid,
    /// Its topology does.
    ByTopology(Arc<dyn Distances>),
    /// For each destination and node, the links of a shortest path.
    Table(Vec<u16>),
}

/// Distances follow from the links, so graphs with the same links have the same.
impl PartialEq for Known {
    fn eq(&self, _: &Known) -> bool {
        true
    }
}
