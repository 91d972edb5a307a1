//! The context in which the keys of a router, and of its routing function, are read.

use flitwork_schema::{Files, Parts, RawTable, Refusal};
use flitwork_topology::{Grid, Shape, Topology};

/// The context in which parameters are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The parts that can be named.
    pub parts: &'a Parts,
    /// The files that can be named.
    pub files: &'a dyn Files,
    /// The network's shape.
    pub shape: &'a Shape,
    /// Cycles that a word takes over a link that has no latency of its own.
    pub link_latency_cycles: u32,
    /// The seed of all random draws.
    pub seed: u64,
    /// Whether one clock steps all nodes.
    pub is_one_clock: bool,
    /// Whether what is read is only examined: it may be what no run takes.
    pub is_examined: bool,
}

impl<'a> Reading<'a> {
    /// The most cycles that a word takes over a link.
    pub fn longest_link_cycles(&self) -> u32 {
        *self.shape.latencies(self.link_latency_cycles).end()
    }

    /// The grid, for a router that needs coordinates; `given` is its table.
    ///
    /// # Errors
    /// A conflict if nodes have no coordinates.
    pub fn grid(&self, given: &RawTable<'_>) -> Result<&'a Grid, Refusal> {
        self.shape.grid_for(given.path()).map_err(|needs| {
            let found = format!("{} is given", given.path());
            given.misplaced(found, format!("another router: {needs}"))
        })
    }
}
